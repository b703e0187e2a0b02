//! Projects.
/// l2
pub fn project_l2(w: &mut [f64], radius: f64) {
    let norm = w.iter().map(|v| v * v).sum::<f64>().sqrt();
    if norm > radius {
        w.iter_mut().for_each(|v| *v *= radius / norm);
    }
}
/// l1
pub fn project_l1(w: &mut [f64], radius: f64) {
    if w.iter().map(|v| v.abs()).sum::<f64>() <= radius {
        return;
    }
    let mut a: Vec<f64> = w.iter().map(|v| v.abs()).collect();
    a.sort_unstable_by(|x, y| y.total_cmp(x));
    let (mut sum, mut theta) = (0.0, 0.0);
    for (i, v) in a.iter().enumerate() {
        sum += v;
        let t = (sum - radius) / (i + 1) as f64;
        if *v > t {
            theta = t;
        }
    }
    w.iter_mut().for_each(|v| *v = (v.abs() - theta).max(0.0).copysign(*v));
}
