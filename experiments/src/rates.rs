//! Writes the tables 1 of papers B and C with numbers.
//!
//! Both papers state them as rates. Each row gives the rate with the constant 1, and where a
//! theorem here has constants, what it guarantees, of the mean squared error.

use halfseen::plan::{Goal, Plan, Setting, THEOREMS, plan};

/// One cell of paper B's table: examples that are enough for an error.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RowB {
    /// Ridge, Lasso or SVR.
    pub(crate) regression: &'static str,
    /// Paper B's bound, or the one before it.
    pub(crate) new: bool,
    /// The rate as printed.
    pub(crate) formula: &'static str,
    /// The rate with constants 1, for errors relative to B^2 (SVR: to B).
    pub(crate) rate: f64,
    /// The learner whose theorem has constants.
    pub(crate) learner: Option<&'static str>,
    /// Its examples for this excess of the mean squared error; `None`: unknown, or more than
    /// [`MOST_EXAMPLES`](halfseen::plan::MOST_EXAMPLES).
    pub(crate) examples: Option<u64>,
}

/// Table 1 of paper B: examples for an error. Its k is the budget less one in the new bounds (one
/// read is the product's).
pub(crate) fn table_b(setting: &Setting, error: f64) -> Vec<RowB> {
    let (d, k, budget) = (setting.d(), setting.draws(), setting.budget as f64);
    // B drops out of the printed rates, which are for B = 1.
    let scaled = error / (setting.radius * setting.radius);
    let squared = scaled * scaled;
    let before = d * d * (d / scaled).ln() / (budget * squared);
    let log = (setting.radius / error).ln();
    let row = |regression, new, formula, rate, learner: Option<&'static str>| {
        let examples =
            learner.and_then(|name| planned(setting, name, Goal::Error(error))?.examples);
        RowB { regression, new, formula, rate, learner, examples }
    };
    vec![
        row("Ridge", true, "O(d / (k e^2))", d / (k * squared), Some("aerr")),
        row("Ridge", false, "O(d^2 log(d/e) / (k e^2))", before, None),
        row("Lasso", true, "O(d log d / (k e^2))", d * d.ln() / (k * squared), Some("aelr")),
        row("Lasso", false, "O(d^2 log(d/e) / (k e^2))", before, Some("aer")),
        row("SVR", true, "O(d/k) exp(O(log^2(1/e)))", d / k * (log * log).exp(), None),
        row("SVR", false, "O(d^2 / (k e^2))", d * d / (budget * squared), None),
    ]
}

/// One cell of paper C's table: excess error after m examples.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RowC {
    /// Ridge or Lasso.
    pub(crate) regression: &'static str,
    /// New, Old, or Full information.
    pub(crate) column: &'static str,
    /// The rate.
    pub(crate) formula: &'static str,
    /// The rate with constant 1, of half the squared error; k / H above 1 counts as 1.
    pub(crate) rate: f64,
    /// The learner whose theorem has constants.
    pub(crate) learner: &'static str,
    /// Its guaranteed excess of the mean squared error; `None` where the theorem does not hold.
    pub(crate) excess: Option<f64>,
}

/// Table 1 of paper C: excess error after so many examples, for the setting's moments (without: the
/// worst). k is the budget less one; H = |mu|_{1/2} where |x|_2 <= 1, N = |mu|_1 where |x_i| <= 1.
///
/// Its formulas are lost in our copy; they are those of its theorems.
pub(crate) fn table_c(setting: &Setting, examples: u64) -> Vec<RowC> {
    let (d, k, m) = (setting.d(), setting.draws(), examples as f64);
    let (ridge, lasso) = (setting.ridge_radius().powi(2), setting.radius.powi(2));
    let log = d.ln();
    let over = |spread: f64| (spread / k).max(1.0);
    let row = |regression, column, formula, rate: f64, learner: &'static str| {
        let excess =
            planned(setting, learner, Goal::Examples(examples)).and_then(|plan| plan.excess);
        RowC { regression, column, formula, rate, learner, excess }
    };
    let (half, sum) = (setting.half_norm(), setting.moment_sum());
    vec![
        row("Ridge", "New", "O(B^2 sqrt(H / (k m)))", ridge * (over(half) / m).sqrt(), "ddaerr"),
        row("Ridge", "Old", "O(B^2 sqrt(d / (k m)))", ridge * (over(d) / m).sqrt(), "aerr"),
        row("Ridge", "Full", "O(B^2 / sqrt(m))", ridge / m.sqrt(), "ogd"),
        row(
            "Lasso",
            "New",
            "O(B^2 sqrt(N log d / (k m)))",
            lasso * (over(sum) * log / m).sqrt(),
            "ddaelr",
        ),
        row(
            "Lasso",
            "Old",
            "O(B^2 sqrt(d log d / (k m)))",
            lasso * (over(d) * log / m).sqrt(),
            "aelr",
        ),
        row("Lasso", "Full", "O(B^2 sqrt(log d / m))", lasso * (log / m).sqrt(), "online-lasso"),
    ]
}

/// Plans by the theorem of a learner; one that reads every attribute has that of the learner that may
/// read them all.
fn planned(setting: &Setting, learner: &str, goal: Goal) -> Option<Plan> {
    let everything = Setting { budget: setting.dims, ..setting.clone() };
    let (of, setting) = match learner {
        "ogd" => ("aerr", &everything),
        "online-lasso" => ("aelr", &everything),
        _ => (learner, setting),
    };
    let theorem = THEOREMS.iter().find(|theorem| theorem.learner == of)?;
    Some(plan(theorem, setting, goal))
}

#[cfg(test)]
mod tests {
    use super::*;
    use halfseen::plan::MomentNorms;

    #[test]
    fn table_b_by_hand() {
        let setting = Setting { dims: 784, budget: 4, ..Setting::default() };
        let rows = table_b(&setting, 0.1);
        let rate = |i: usize| rows[i].rate;
        let close = |a: f64, b: f64| assert!((a / b - 1.0).abs() < 1e-12, "{a} {b}");
        close(rate(0), 78_400.0 / 3.0);
        close(rate(1), 784.0 * 784.0 * 7840.0_f64.ln() * 25.0);
        close(rate(2), 78_400.0 / 3.0 * 784.0_f64.ln());
        close(rate(4), 784.0 / 3.0 * 10.0_f64.ln().powi(2).exp());
        close(rate(5), 784.0 * 784.0 * 25.0);
        assert_eq!(rows[0].examples, Some(418_134)); // 16 d / (k e^2)
        assert!(rows[3].examples > rows[2].examples && rows[2].examples > rows[0].examples);
        assert_eq!(rows.iter().filter(|row| row.examples.is_some()).count(), 3);
        // Errors relative to B^2 are what counts, but for AER's B + 1.
        let wider = table_b(&Setting { radius: 2.0, ..setting }, 0.4);
        close(wider[0].rate, rate(0));
        assert_eq!(wider[2].examples, rows[2].examples);
    }

    #[test]
    fn table_c_for_decaying_moments() {
        let d = 784;
        let mut before = f64::INFINITY;
        for power in [0.0, 1.0, 2.0] {
            let moments = MomentNorms::decaying(d, power);
            let setting = Setting {
                dims: d,
                budget: 4,
                moments: Some(moments),
                norm: moments.sum.sqrt(),
                radius: 1.0,
            };
            let rows = table_c(&setting, 100_000);
            let close = |a: f64, b: f64| assert!((a / b - 1.0).abs() < 1e-12, "{a} {b}");
            // The ratio of new to old is sqrt(H/d), sqrt(N/d) in units of |x|_2 <= 1, |x_i| <= 1.
            close(rows[0].rate / rows[1].rate, (moments.half / moments.sum / d as f64).sqrt());
            close(
                rows[3].rate / rows[4].rate,
                ((moments.sum / 3.0).max(1.0) / (d as f64 / 3.0)).sqrt(),
            );
            close(rows[2].rate, moments.sum / 100_000.0_f64.sqrt());
            close(rows[2].excess.unwrap(), 4.0 * rows[2].rate);
            assert!(rows.iter().all(|row| row.excess.unwrap() > row.rate));
            assert!(rows[0].rate / rows[1].rate < before);
            before = rows[0].rate / rows[1].rate;
        }
        assert!(before < 0.25); // H = 53 of 784 for mu = i^-2 (sum 1.64)
    }
}
