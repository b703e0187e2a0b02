//! Promises of the references that read every attribute, to compare with.

use super::Promise;
use super::guarantee::{Bound, Excess, Guarantee, Printed, Tuning};
use super::setting::Setting;

pub(super) fn guarantees() -> Vec<Promise> {
    vec![gradient, exponentiated]
}

/// Online gradient descent over |w|_2 <= B from w = 0: half the squared error exceeds by at most
/// B G / sqrt(m), G = 2 B (Zinkevich 2003). One read for every attribute.
fn gradient(setting: &Setting) -> Guarantee {
    let (b, squared) = (setting.ridge_radius(), setting.norm * setting.norm);
    let root = |m: u64| (m as f64).sqrt();
    let bound = Bound::new(
        "4 B^2 / sqrt(m)",
        move |m| 4.0 * b * b / root(m),
        Printed::rate("O(B^2 / sqrt(m))"),
        Tuning::new("step", move |m| 1.0 / (2.0 * squared * root(m))),
    );
    let guarantee = Guarantee::ridge(setting, "ogd", "Zinkevich 2003, theorem 1", Excess::Known(bound));
    Guarantee { budget: setting.dims, ..guarantee }
}

/// Exponentiated gradient over |w|_1 <= B with exact gradients: 2 B G sqrt(5 log(2d) / m), G = 2 B.
fn exponentiated(setting: &Setting) -> Guarantee {
    let b = setting.radius;
    let log = (2.0 * setting.d()).ln();
    let half = move |m: u64| if (m as f64) < log { f64::INFINITY } else { 4.0 * b * b * (5.0 * log / m as f64).sqrt() };
    let bound = Bound::new(
        "8 B^2 sqrt(5 log(2d) / m)",
        move |m| 2.0 * half(m),
        Printed::new("4 B^2 sqrt(5 log(2d) / m)", half),
        Tuning::new("step", move |m| (log / (5.0 * m as f64)).sqrt() / (2.0 * b)),
    );
    let theorem = "B, theorem 3.4 with exact gradients";
    let guarantee = Guarantee::lasso(setting, "online-lasso", theorem, Excess::Known(bound));
    Guarantee { budget: setting.dims, ..guarantee }
}
