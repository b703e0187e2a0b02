#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout)]
use halfseen::data::*;
use halfseen::prepare::*;
use halfseen::sampling::*;
use halfseen::*;
use std::sync::Arc;
use std::time::Instant;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let k = &args[1];
    let img = std::fs::read("/tmp/ex/images-idx3").unwrap();
    let lab = std::fs::read("/tmp/ex/labels-idx1").unwrap();
    let n = lab.len() - 8;
    let m = Matrix::U8(ndarray::Array2::from_shape_vec((n, 784), img[16..].to_vec()).unwrap());
    let scaler = Scaler::Common { divisor: 255.0 };
    let layout = Arc::new(Layout::singletons(784));
    for name in args[2].split(',') {
        let base = learner::find(name).unwrap();
        let mut extra: Vec<(&'static str, String)> = vec![("budget", k.clone())];
        for a in &args[3..] {
            let (x, y) = a.split_once('=').unwrap();
            extra.push((x.to_string().leak(), y.to_string()));
        }
        let mut best: Vec<(f64, f64, f64, String)> = vec![];
        let t0 = Instant::now();
        let mut runs = 0;
        for setting in base.grid().settings() {
            let mut errs = vec![];
            let mut cls = vec![];
            for split in 0..3u64 {
                let mut rows: Vec<u32> = (0..n as u32).collect();
                shuffle(&mut Stream::new(split, Purpose::Split, 0), &mut rows);
                let (test, train) = rows.split_at(n / 10);
                let y: Vec<f64> = lab[8..].iter().map(|&l| if l == 5 { 1.0 } else { -1.0 }).collect();
                let mean = train.iter().map(|&r| y[r as usize]).sum::<f64>() / train.len() as f64;
                let yc: Vec<f64> = y.iter().map(|v| v - mean).collect();
                let ex = Examples {
                    matrix: &m,
                    scaler: &scaler,
                    layout: &layout,
                    targets: &yc,
                    rows: train.to_vec().into(),
                    moments: None,
                };
                let mo = Moments::measure(&ex);
                let ex = Examples { moments: Some(&mo), ..ex.clone() };
                let mut l = learner::with(base.clone(), &setting).unwrap();
                for (a, b) in &extra {
                    l.set(a, b).unwrap();
                }
                l.set("seed", &split.to_string()).unwrap();
                let fit = l.fit(&ex, &Silent).unwrap();
                runs += 1;
                let te = ex.with_rows(test.to_vec());
                let s = fit.predictor.scores(&te);
                let e = s.iter().enumerate().map(|(i, v)| (v - te.target(i)).powi(2)).sum::<f64>() / s.len() as f64;
                let c =
                    s.iter().enumerate().filter(|(i, v)| ((**v + mean) > 0.0) != (te.target(*i) + mean > 0.0)).count()
                        as f64
                        / s.len() as f64;
                errs.push(e);
                cls.push(c);
            }
            let avg = errs.iter().sum::<f64>() / 3.0;
            best.push((
                avg,
                errs.iter().fold(0.0f64, |a, b| a.max(*b)),
                cls.iter().sum::<f64>() / 3.0,
                format!("{setting:?}"),
            ));
        }
        best.sort_by(|a, b| a.0.total_cmp(&b.0));
        println!("{name} {runs} runs {:?}", t0.elapsed());
        for b in best.iter().take(6) {
            println!("   {:.4} max {:.4} cls {:.4} {}", b.0, b.1, b.2, b.3);
        }
    }
}
