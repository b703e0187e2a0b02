use super::*;
use faer::linalg::solvers::SolveLstsq;
use halfseen_solve::sampling::{Purpose, Stream};

const FOLDS: usize = 3;

/// Returns reads of slot 0 with the targets of these examples.
fn reads(rows: &[(f64, f64)]) -> Reads {
    let mut reads = Reads::new();
    rows.iter().for_each(|&(x, y)| reads.push([(0, x)].into_iter(), y));
    reads
}

fn found(rows: &[(f64, f64)]) -> Vec<Vec<SlotCurve>> {
    let by_slot = BySlot::of(&reads(rows), 1);
    let targets: Vec<f64> = rows.iter().map(|row| row.1).collect();
    curves(&by_slot, &by_slot.bounds(), &targets, |i| i % FOLDS, FOLDS)
}

/// Draws an attribute, and a target that bends along it.
fn bent(count: usize, seed: u64, bend: f64) -> Vec<(f64, f64)> {
    let mut stream = Stream::new(seed, Purpose::Data, 0);
    let one = |_| {
        let x = 3.0 + 2.0 * stream.normal();
        (x, 0.3 * x + bend * (x - 3.0).powi(2) + stream.normal())
    };
    (0..count).map(one).collect()
}

#[test]
fn a_curve_is_the_direction_of_the_target_among_hats_beside_the_line() {
    let rows = bent(600, 1, 0.2);
    let sorted = BySlot::of(&reads(&rows), 1);
    let within = sorted.bounds()[0];
    let knots = knots(sorted.slot(0), within);
    assert_eq!(knots.len(), KNOTS);
    let found = &found(&rows)[FOLDS][0];
    let bounded = |x: f64| x.clamp(within[0], within[1]);
    let curve = |x: f64| interpolate(&found.knots, &found.heights, bounded(x));
    let mean = |of: &dyn Fn(f64) -> f64| rows.iter().map(|row| of(row.0)).sum::<f64>() / 600.0;
    assert!(mean(&curve).abs() < 1e-12);
    assert!((mean(&|x| curve(x).powi(2)) - 1.0).abs() < 1e-9);
    assert!(mean(&|x| curve(x) * bounded(x)).abs() < 1e-9);
    // The same by least squares and a singular value decomposition of all rows.
    let hat = |x: f64, at: usize| {
        let heights: Vec<f64> = (0..KNOTS).map(|k| f64::from(u8::from(k == at))).collect();
        interpolate(&knots, &heights, bounded(x))
    };
    let line = Mat::from_fn(600, 2, |i, j| if j == 0 { 1.0 } else { bounded(rows[i].0) });
    let beside = |of: Mat<f64>| &of - &line * line.qr().solve_lstsq(&of);
    let hats = beside(Mat::from_fn(600, KNOTS, |i, j| hat(rows[i].0, j)));
    let target = beside(Mat::from_fn(600, 1, |i, _| rows[i].1));
    let parts = hats.thin_svd().unwrap();
    let mut wanted = vec![0.0; 600];
    let mut kept = 0;
    for at in (0..KNOTS).filter(|at| parts.S()[*at] / 600_f64.sqrt() > FLAT) {
        let direction = parts.U().col(at);
        let along: f64 = (0..600).map(|i| direction[i] * target[(i, 0)]).sum();
        wanted.iter_mut().enumerate().for_each(|(i, sum)| *sum += along * direction[i]);
        kept += 1;
    }
    assert!((2..KNOTS).contains(&kept), "{kept}");
    let size = (wanted.iter().map(|v| v * v).sum::<f64>() / 600.0).sqrt();
    let apart = rows.iter().zip(&wanted).map(|(row, v)| (curve(row.0) - v / size).abs());
    assert!(apart.fold(0.0, f64::max) < 1e-9);
    assert!(found.factor > 0.9 && found.factor < 1.0);
}

#[test]
fn the_curve_of_a_fold_does_not_know_its_targets() {
    let rows = bent(300, 2, 0.2);
    let mut changed = rows.clone();
    changed.iter_mut().skip(1).step_by(FOLDS).for_each(|row| row.1 *= -5.0);
    let (before, after) = (found(&rows), found(&changed));
    assert_eq!(before[1], after[1]);
    assert!((0..=FOLDS).filter(|part| *part != 1).all(|part| before[part] != after[part]));
    // Nor do unknown targets count.
    let mut unknown = rows.clone();
    unknown.iter_mut().skip(1).step_by(FOLDS).for_each(|row| row.1 = f64::NAN);
    let without = found(&unknown);
    assert_eq!((&without[FOLDS], &without[1]), (&before[1], &before[1]));
}

#[test]
fn straight_lines_and_few_values_have_no_curve() {
    let straight = |seed| !found(&bent(200, seed, 0.0))[FOLDS].is_empty();
    let chance = (0..200).filter(|seed| straight(*seed)).count();
    assert!(chance < 60, "{chance} of 200");
    let mut rows = bent(300, 3, 0.5);
    rows.iter_mut().for_each(|row| row.0 = if row.0 > 3.0 { 1.0 } else { 0.0 });
    assert!(found(&rows).iter().all(Vec::is_empty));
    assert!(found(&bent(19, 4, 5.0)).iter().all(Vec::is_empty));
    rows.iter_mut().for_each(|row| row.0 = 7.0);
    assert!(found(&rows).iter().all(Vec::is_empty));
}

#[test]
fn many_equal_values_have_a_knot() {
    let mut rows = bent(400, 5, 0.4);
    rows.iter_mut().step_by(2).for_each(|row| *row = (0.0, 4.0));
    let by_slot = BySlot::of(&reads(&rows), 1);
    let knots = knots(by_slot.slot(0), by_slot.bounds()[0]);
    assert!(knots.contains(&0.0) && knots.len() == 5, "{knots:?}");
    assert!(!found(&rows)[FOLDS].is_empty());
}

#[test]
fn units_change_no_curve() {
    let rows = bent(300, 6, 0.3);
    let found_in = |unit: f64| {
        let rows: Vec<_> = rows.iter().map(|&(x, y)| (unit * x, y)).collect();
        found(&rows)[FOLDS][0].clone()
    };
    let plain = found_in(1.0);
    for unit in [2.0_f64.powi(-160), 2.0_f64.powi(160)] {
        let other = found_in(unit);
        assert_eq!(other.heights, plain.heights);
        assert!(other.knots.iter().zip(&plain.knots).all(|(a, b)| *a == unit * b));
    }
}

#[test]
fn bounds_cut_tails_that_normal_reads_do_not_have() {
    let mut rows = bent(2_000, 7, 0.0);
    let ends = |rows: &[(f64, f64)]| BySlot::of(&reads(rows), 1).bounds()[0];
    let cut = |rows: &[(f64, f64)]| {
        let [low, high] = ends(rows);
        rows.iter().filter(|row| row.0 < low || row.0 > high).count()
    };
    // 2.5 times as far as the quantile .95 a normal number in 25,000 lies, at both ends.
    assert!(cut(&rows) <= 1, "{}", cut(&rows));
    rows[0].0 = 1e30;
    assert!(ends(&rows)[1] < 20.0, "{:?}", ends(&rows));
    // Of a tail as of the exponential of squares, what lies beyond the outer quantile.
    rows.iter_mut().for_each(|row| row.0 = (row.0 - 3.0).powi(2).exp());
    assert_eq!(cut(&rows), 10);
    // One in a thousand.
    rows.iter_mut().enumerate().for_each(|(i, row)| row.0 = f64::from(u8::from(i % 1_000 == 0)));
    assert_eq!(ends(&rows), [0.0, 1.0]);
    assert_eq!(ends(&[]), [0.0; 2]);
}
