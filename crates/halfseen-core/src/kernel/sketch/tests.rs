use super::*;
use crate::kernel::gram::gram;
use halfseen_solve::Silent;
use halfseen_solve::sampling::{Purpose, Stream};
use ndarray::Array2;

/// Returns normal rows, observed with probability `share`; the last column is the constant.
fn rows(n: usize, d: usize, share: f64, seed: u64) -> Masked {
    let mut stream = Stream::new(seed, Purpose::Data, 0);
    let cells = Array2::from_shape_fn((n, d - 1), |_| {
        let value = stream.normal();
        if stream.unit() < share { value } else { f64::NAN }
    });
    Masked::from_rows(cells.view(), true).unwrap()
}

fn exact(lengths: &[f64], rows: &Masked) -> Mat<f64> {
    let kernel = Kernel::new(lengths.len() as u64, Some(lengths), Normalization::None, 1).unwrap();
    gram(&[kernel], rows, &Silent).unwrap().remove(0)
}

fn products(sketch: &Sketch, rows: &Masked) -> Mat<f64> {
    let features = sketch.features(rows).unwrap();
    features.transpose() * &features
}

fn length(matrix: &Mat<f64>) -> f64 {
    (0..matrix.ncols()).flat_map(|j| matrix.col_as_slice(j)).map(|v| v * v).sum::<f64>().sqrt()
}

#[test]
fn what_is_written_out_is_exact() {
    for (d, lengths) in [
        (5, vec![1.0; 1]),
        (6, vec![1.0; 2]),
        (6, vec![0.0, 1.0, 0.3]),
        (7, vec![1.0, 0.5, 0.0, 2.0]),
        (3, vec![1.0; 6]),
        (1, vec![1.0; 4]),
        (4, vec![0.0, 2.0, 0.0]),
    ] {
        let rows = rows(12, d, 0.6, 1);
        let sketch = Sketch::new(d, &lengths, 4096, 9).unwrap();
        assert!(sketch.is_exact());
        let kernel = exact(&lengths, &rows);
        assert!(
            length(&(&products(&sketch, &rows) - &kernel)) < 1e-12 * length(&kernel),
            "{d} {lengths:?}"
        );
    }
    assert_eq!(Sketch::new(6, &[1.0; 2], 36, 0).unwrap().width(), 36);
    assert!(!Sketch::new(6, &[1.0; 2], 35, 0).unwrap().is_exact());
    assert_eq!(Sketch::new(7, &[1.0], 7, 0).unwrap().width(), 7);
}

#[test]
fn inner_products_have_the_mean_of_the_kernel() {
    // Nothing explicit; t^r x explicit; also t^(r - 1) e (x) x; more columns than buckets; odd
    // lengths.
    for (d, lengths, features) in [
        (12, vec![1.0; 3], 10),
        (12, vec![1.0; 2], 40),
        (8, vec![1.0, 0.2, 0.1], 150),
        (8, vec![0.5, 0.0, 0.1, 0.05], 200),
        (9, vec![1.0; 2], 3),
        (9, vec![1.0; 3], 1),
        (30, vec![1.0], 16),
    ] {
        let rows = rows(4, d, 0.6, 2);
        let kernel = exact(&lengths, &rows);
        let seeds = 600;
        let (mut sum, mut squares) = (Mat::<f64>::zeros(4, 4), Mat::<f64>::zeros(4, 4));
        for seed in 0..seeds {
            let sketch = Sketch::new(d, &lengths, features, seed).unwrap();
            assert!(!sketch.is_exact() && sketch.width() <= features);
            let sketched = products(&sketch, &rows);
            sum += &sketched;
            for j in 0..4 {
                (0..4).for_each(|i| squares[(i, j)] += sketched[(i, j)] * sketched[(i, j)]);
            }
        }
        for j in 0..4 {
            for i in 0..=j {
                let mean = sum[(i, j)] / seeds as f64;
                let variance =
                    (squares[(i, j)] / seeds as f64 - mean * mean).max(0.0) / seeds as f64;
                let off = (mean - kernel[(i, j)]).abs();
                // 70 comparisons, with fixed seeds.
                let most = 4.0 * variance.sqrt() + 1e-9 * kernel[(j, j)];
                assert!(
                    off < most,
                    "{d} {lengths:?} {features}: ({i}, {j}) is {off}, {}",
                    variance.sqrt()
                );
            }
        }
    }
}

/// Returns the mean over seeds of |K^ - K|^2 / |K|^2.
fn relative_variance(rows: &Masked, lengths: &[f64], features: usize, seeds: u64) -> f64 {
    let kernel = exact(lengths, rows);
    let error = |seed| {
        let sketch = Sketch::new(rows.columns(), lengths, features, seed).unwrap();
        (length(&(&products(&sketch, rows) - &kernel)) / length(&kernel)).powi(2)
    };
    (0..seeds).map(error).sum::<f64>() / seeds as f64
}

#[test]
fn the_variance_falls_as_the_features_grow() {
    // Nothing is explicit.
    let rows = rows(20, 4500, 0.5, 3);
    for lengths in [&[1.0, 1e-3][..], &[1.0, 1e-3, 1e-6]] {
        let variances: Vec<f64> = [256, 1024, 4096]
            .map(|features| relative_variance(&rows, lengths, features, 12))
            .into();
        for pair in variances.windows(2) {
            assert!((3.0..5.4).contains(&(pair[0] / pair[1])), "{lengths:?}: {variances:?}");
        }
    }
}

#[test]
fn few_features_come_close_to_the_kernel() {
    let rows = rows(150, 21, 0.5, 4);
    for (gamma, features, most) in
        [(2, 256, 0.2), (2, 441, 1e-12), (3, 512, 0.25), (3, 2048, 0.07), (4, 2048, 0.15)]
    {
        let error = relative_variance(&rows, &vec![1.0; gamma], features, 5).sqrt();
        assert!(error < most, "gamma {gamma}, {features} features: {error}");
    }
}

#[test]
fn seeds_repeat_files_and_threads_do_not_matter() {
    let rows = rows(40, 30, 0.5, 5);
    let sketch = Sketch::new(30, &[1.0, 0.5, 0.2], 100, 7).unwrap();
    let features = sketch.features(&rows).unwrap();
    let again = Sketch::new(30, &[1.0, 0.5, 0.2], 100, 7).unwrap();
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        assert_eq!(pool.install(|| again.features(&rows).unwrap()), features);
    }
    let text = serde_json::to_string(&sketch).unwrap();
    assert!(text.len() < 200, "{text}");
    let read: Sketch = serde_json::from_str(&text).unwrap();
    assert_eq!(read, sketch);
    assert_eq!(read.features(&rows).unwrap(), features);
    let other = Sketch::new(30, &[1.0, 0.5, 0.2], 100, 8).unwrap();
    assert!(other != sketch && other.features(&rows).unwrap() != features);
    for (key, bad) in [
        ("columns", "0"),
        ("features", "0"),
        ("features", "99999999999"),
        ("scale", "0.0"),
        ("lengths", "[]"),
    ] {
        let mut file: serde_json::Value = serde_json::from_str(&text).unwrap();
        file[key] = serde_json::from_str(bad).unwrap();
        assert!(serde_json::from_value::<Sketch>(file).is_err(), "{key} = {bad}");
    }
}

#[test]
fn one_row_alone_is_what_it_is_among_others_in_used_scratch() {
    let rows = rows(6, 30, 0.3, 6);
    for features in [60, 1000] {
        let sketch = Sketch::new(30, &[1.0; 2], features, 3).unwrap();
        let all = sketch.features(&rows).unwrap();
        let (mut scratch, mut out) = (sketch.scratch(), vec![f64::NAN; sketch.width()]);
        for i in [4, 0, 4] {
            let dense = rows.dense();
            let (values, observed) =
                (dense.values.col_as_slice(i), dense.observed().col_as_slice(i));
            sketch.sketch_into(values, observed, &mut out, &mut scratch).unwrap();
            assert_eq!(out, all.col_as_slice(i));
        }
    }
}

#[test]
fn normalisations_are_the_kernels() {
    let rows = rows(30, 8, 0.5, 7);
    for normalization in
        [Normalization::None, Normalization::Trace, Normalization::Uniform, Normalization::Cosine]
    {
        let mut kernel = Kernel::new(3, None, normalization, 1).unwrap();
        kernel.fit(&rows).unwrap();
        let expected = gram(&[kernel.clone()], &rows, &Silent).unwrap().remove(0);
        let sketch = Sketch::of(&kernel, 8, 300, 0).unwrap();
        assert!(sketch.is_exact());
        assert!(length(&(&products(&sketch, &rows) - &expected)) < 1e-12 * length(&expected));
        // Sketched kernels agree up to the error of the sketch; cosine has unit lengths.
        let sketch = Sketch::of(&kernel, 8, 180, 0).unwrap();
        let sketched = products(&sketch, &rows);
        assert!(!sketch.is_exact() && length(&(&sketched - &expected)) < 0.2 * length(&expected));
        if normalization == Normalization::Cosine {
            assert!((0..30).all(|i| (sketched[(i, i)] - 1.0).abs() < 1e-12));
        }
    }
}

#[test]
fn rows_that_show_nothing_have_no_features() {
    let cells = Array2::from_elem((2, 9), f64::NAN);
    let empty = Masked::from_rows(cells.view(), false).unwrap();
    for features in [5, 20, 100] {
        let sketch = Sketch::new(9, &[1.0; 3], features, 1).unwrap();
        assert_eq!(length(&sketch.features(&empty).unwrap()), 0.0);
    }
    let none = Masked::from_rows(Array2::zeros((0, 9)).view(), false).unwrap();
    assert_eq!(Sketch::new(9, &[1.0; 3], 20, 1).unwrap().features(&none).unwrap().ncols(), 0);
}

#[test]
fn what_cannot_be_is_refused() {
    let kind = |result: Result<Sketch>| result.unwrap_err().kind().clone();
    assert!(matches!(kind(Sketch::new(0, &[1.0], 8, 0)), ErrorKind::NoAttributes));
    for (lengths, features) in [
        (&[1.0][..], 0),
        (&[1.0], usize::MAX),
        (&[], 8),
        (&[0.0], 8),
        (&[-1.0], 8),
        (&[f64::NAN], 8),
    ] {
        assert!(
            matches!(kind(Sketch::new(3, lengths, features, 0)), ErrorKind::OutOfRange { .. }),
            "{lengths:?}"
        );
    }
    assert!(matches!(kind(Sketch::new(3, &[1.0; 65], 8, 0)), ErrorKind::OutOfRange { .. }));
    assert!(matches!(
        kind(Sketch::new(usize::MAX, &[1.0; 3], 8, 0)),
        ErrorKind::WrongLength { .. }
    ));
    let kernel = Kernel::new(2, None, Normalization::None, 2).unwrap();
    assert!(Sketch::of(&kernel, 3, 64, 0).unwrap_err().to_string().contains("features = exact"));
    let sketch = Sketch::new(9, &[1.0; 2], 40, 0).unwrap();
    assert!(matches!(
        *sketch.features(&rows(3, 8, 0.5, 8)).unwrap_err().kind(),
        ErrorKind::WrongLength { .. }
    ));
    let (mut out, mut scratch) = (vec![0.0; sketch.width()], sketch.scratch());
    let write = |d: usize, seen: usize, scratch: &mut Scratch, out: &mut [f64]| {
        sketch.sketch_into(&vec![0.0; d], &vec![0.0; seen], out, scratch).is_ok()
    };
    assert!(write(9, 9, &mut scratch, &mut out));
    assert!(!write(8, 9, &mut scratch, &mut out) && !write(9, 8, &mut scratch, &mut out));
    assert!(!write(9, 9, &mut Sketch::new(9, &[1.0; 2], 90, 0).unwrap().scratch(), &mut out));
    assert!(!write(9, 9, &mut Sketch::new(9, &[1.0; 3], 40, 0).unwrap().scratch(), &mut [0.0; 2]));
    // Features that overflow give an error, not an infinity.
    let wide = rows(2, 30, 1.0, 9);
    let sketch = Sketch::new(30, &[1.0, 1e303], 100, 0).unwrap();
    assert!(matches!(*sketch.features(&wide).unwrap_err().kind(), ErrorKind::Numerical { .. }));
}
