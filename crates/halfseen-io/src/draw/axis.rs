//! Chooses the range and ticks of an axis, and formats the tick labels.

/// Range of values on a linear or logarithmic scale.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Axis {
    low: f64,
    high: f64,
    log: bool,
}

/// Mark on an axis; a small one has no label.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Tick {
    pub value: f64,
    pub label: Option<String>,
}

impl Axis {
    /// Returns a linear axis that shows all of `low..=high`.
    ///
    /// It starts at 0 if all values are positive and `low` is less than half of `high`.
    pub(super) fn linear(low: f64, high: f64) -> Self {
        let from_zero = low >= 0.0 && low < 0.5 * high;
        let around = Self::around(low, high);
        Self { low: if from_zero { 0.0 } else { around.low }, ..around }
    }

    /// Returns a linear axis of `low..=high` and little more.
    pub(super) fn around(low: f64, high: f64) -> Self {
        let size = low.abs().max(high.abs());
        let pad = match high - low {
            span if span > 1e-9 * size => 0.04 * span,
            _ if size > 0.0 => 0.1 * size,
            _ => 1.0,
        };
        Self { low: low - pad, high: high + pad, log: false }
    }

    pub(super) fn ending_at(self, high: f64) -> Self {
        Self { high, ..self }
    }

    /// Returns a logarithmic axis that shows all of `low..=high`, both above 0.
    pub(super) fn logarithmic(low: f64, high: f64) -> Self {
        let pad = match (high / low).powf(0.02) {
            factor if factor > 1.001 => factor,
            _ => 2.0, // one point, or nearly so
        };
        Self { low: low / pad, high: high * pad, log: true }
    }

    /// Returns the relative position of a value: 0 at the start of the axis, 1 at its end.
    pub(super) fn position(&self, value: f64) -> f64 {
        if self.log {
            (value / self.low).ln() / (self.high / self.low).ln()
        } else {
            (value - self.low) / (self.high - self.low)
        }
    }

    /// Returns the ticks inside the range, in increasing order.
    pub(super) fn ticks(&self) -> Vec<Tick> {
        if !self.log {
            return self.even_ticks();
        }
        let (first, last) = (self.low.log10().floor() as i32, self.high.log10().floor() as i32);
        let powers = (first..=last).filter(|&e| self.holds(power(e))).count();
        if powers == 0 && self.high / self.low < 3.0 {
            return self.even_ticks(); // less than half a decade, which has at most one of 1, 2, 5
        }
        let stride = (powers as i32 / 8).max(0) + 1;
        let mut ticks = Vec::new();
        for exponent in first..=last {
            for digit in 1..=9 {
                let value = f64::from(digit) * power(exponent);
                // with few decades 2 and 5 are labelled too; with many, not every power is
                let labelled = match digit {
                    1 => exponent.rem_euclid(stride) == 0,
                    2 | 5 => powers <= 2,
                    _ => false,
                };
                if self.holds(value) && (labelled || stride == 1) {
                    ticks.push(Tick { value, label: labelled.then(|| number(value, value)) });
                }
            }
        }
        ticks
    }

    fn holds(&self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }

    /// Returns four to nine ticks at multiples of 1, 2 or 5 times a power of ten.
    fn even_ticks(&self) -> Vec<Tick> {
        let rough = (self.high - self.low) / 8.0;
        let unit = power(rough.log10().floor() as i32);
        let step = [1.0, 2.0, 5.0]
            .iter()
            .map(|m| m * unit)
            .find(|&step| step >= rough)
            .unwrap_or(10.0 * unit);
        let first = (self.low / step).ceil();
        let values =
            (0..10).map(|i| (first + f64::from(i)) * step + 0.0).filter(|&v| self.holds(v));
        values.map(|value| Tick { value, label: Some(number(value, step)) }).collect()
    }
}

fn power(exponent: i32) -> f64 {
    10_f64.powi(exponent)
}

/// Formats a multiple of `step` with at most its decimals: 0.25, 500, 20k, 1.5M, 1e-7.
fn number(value: f64, step: f64) -> String {
    let size = value.abs().max(step);
    let (unit, suffix) = match size {
        s if !(1e-3..1e12).contains(&s) => return scientific(value),
        s if s >= 1e9 => (1e9, "G"),
        s if s >= 1e6 => (1e6, "M"),
        s if s >= 1e3 => (1e3, "k"),
        _ => (1.0, ""),
    };
    if value == 0.0 {
        return "0".into();
    }
    let decimals = (-(step / unit * 1.000_001).log10().floor()).clamp(0.0, 12.0) as usize;
    let digits = format!("{:.decimals$}", value / unit);
    if unit > 1.0 && decimals > 0 {
        // 800k, 1M, 1.2M: where the unit changes, decimals are not aligned anyway
        return format!("{}{suffix}", digits.trim_end_matches('0').trim_end_matches('.'));
    }
    digits + suffix
}

/// Formats with at most three digits and without trailing zeros.
fn scientific(value: f64) -> String {
    let text = format!("{value:.2e}");
    match text.split_once('e') {
        Some(_) if value == 0.0 => "0".into(),
        Some((digits, exponent)) => {
            format!("{}e{exponent}", digits.trim_end_matches('0').trim_end_matches('.'))
        }
        None => text,
    }
}

/// Returns the smallest and largest of at least one value.
pub(super) fn extent(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: Axis) -> Vec<String> {
        axis.ticks().into_iter().filter_map(|t| t.label).collect()
    }

    #[test]
    fn powers_of_ten_are_labelled_readably() {
        assert_eq!(
            labels(Axis::logarithmic(1.0, 2e6)),
            ["1", "10", "100", "1k", "10k", "100k", "1M"]
        );
        assert_eq!(labels(Axis::logarithmic(0.001, 1.0)), ["0.001", "0.01", "0.1", "1"]);
        assert_eq!(labels(Axis::logarithmic(300.0, 4000.0)), ["500", "1k", "2k"]);
        assert_eq!(
            labels(Axis::logarithmic(1e-12, 1e12)),
            ["1e-12", "1e-8", "1e-4", "1", "10k", "100M", "1e12"]
        );
    }

    #[test]
    fn a_narrow_logarithmic_axis_has_even_ticks() {
        assert!(labels(Axis::logarithmic(3.0, 4.0)).len() >= 3);
        assert!(labels(Axis::logarithmic(7.0, 7.0)).len() >= 2);
    }

    #[test]
    fn an_axis_starts_at_zero_where_that_wastes_less_than_half() {
        assert_eq!(labels(Axis::linear(0.1, 0.5)), ["0", "0.1", "0.2", "0.3", "0.4", "0.5"]);
        assert_eq!(labels(Axis::linear(0.90, 0.99)), ["0.90", "0.92", "0.94", "0.96", "0.98"]);
        assert_eq!(labels(Axis::linear(-2.0, 2.0)), ["-2", "-1", "0", "1", "2"]);
        assert_eq!(
            labels(Axis::linear(0.0, 60_000.0)),
            ["0", "10k", "20k", "30k", "40k", "50k", "60k"]
        );
        assert_eq!(labels(Axis::linear(0.0, 1e6)), ["0", "200k", "400k", "600k", "800k", "1M"]);
    }

    #[test]
    fn every_range_has_ticks_inside_and_finite_positions() {
        for (low, high) in [
            (0.0, 0.0),
            (5.0, 5.0),
            (-1e100, 1e100),
            (1e16, 1e16 + 2.0),
            (0.0, 1e-100),
            (1e-100, 1e100),
        ] {
            for axis in [
                Axis::linear(low, high),
                Axis::logarithmic(low.abs().max(1e-100), high.max(1e-100)),
            ] {
                let positions: Vec<f64> =
                    axis.ticks().iter().map(|t| axis.position(t.value)).collect();
                assert!(positions.len() >= 2, "{axis:?}");
                assert!(
                    positions.iter().all(|p| (-1e-9..=1.0 + 1e-9).contains(p)),
                    "{axis:?}: {positions:?}"
                );
            }
        }
    }
}
