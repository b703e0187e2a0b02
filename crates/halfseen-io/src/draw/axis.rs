//! Chooses the range and ticks of an axis, and formats the tick labels.

/// Range of values on a linear or logarithmic scale.
#[derive(Debug, Clone, Copy)]
pub(super) struct Axis {
    pub(super) low: f64,
    pub(super) high: f64,
    log: bool,
}

impl Axis {
    /// Returns a linear axis that shows all of `low..=high`.
    ///
    /// It starts at 0 if all values are positive and `low` is less than half of `high`.
    pub(super) fn linear(low: f64, high: f64) -> Axis {
        let size = low.abs().max(high.abs());
        // One value, or nearly so, is in the middle.
        let alone = if size > 0.0 { 0.1 * size } else { 1.0 };
        let pad = if high - low > 1e-9 * size { 0.04 * (high - low) } else { alone };
        let from_zero = low >= 0.0 && low < 0.5 * high;
        Axis { low: if from_zero { 0.0 } else { low - pad }, high: high + pad, log: false }
    }

    /// Returns a logarithmic axis that shows all of `low..=high`, both above 0.
    pub(super) fn logarithmic(low: f64, high: f64) -> Axis {
        // One point, or nearly so, is in the middle of a wide axis.
        let pad = Some((high / low).powf(0.02)).filter(|factor| *factor > 1.001).unwrap_or(2.0);
        Axis { low: low / pad, high: high * pad, log: true }
    }

    /// Returns the relative position of a value: 0 at the start of the axis, 1 at its end; at most
    /// 1000, so that a place far above the plot is still a number that pictures can hold.
    pub(super) fn position(&self, value: f64) -> f64 {
        let scale = |value: f64| if self.log { value.ln() } else { value };
        let (low, high) = (scale(self.low), scale(self.high));
        ((scale(value) - low) / (high - low)).min(1e3)
    }

    /// Returns the ticks of an axis of this length and their labels, in increasing order. Where labels
    /// would touch, as one takes `room`, every second is left out, or two of three, and so on.
    pub(super) fn ticks(&self, length: f64, room: impl Fn(&str) -> f64) -> Vec<(f64, String)> {
        let mut ticks = if self.log { self.powers(&[1.0]) } else { self.even() };
        if self.log && ticks.len() < 3 {
            ticks = self.powers(&[1.0, 2.0, 5.0]);
        }
        if ticks.len() < 2 {
            ticks = self.even(); // less than half a decade
        }
        let widest = ticks.iter().map(|tick| room(&tick.1)).fold(0.0, f64::max);
        let stride = (ticks.len() as f64 * widest / length).ceil().max(1.0) as usize;
        ticks.into_iter().step_by(stride).collect()
    }

    /// Returns these multiples of powers of ten.
    fn powers(&self, digits: &[f64]) -> Vec<(f64, String)> {
        let [first, last] = [self.low, self.high].map(|end| end.log10().floor() as i32);
        let values = (first..=last).flat_map(|e| digits.iter().map(move |d| d * 10_f64.powi(e)));
        let inside = values.filter(|value| (self.low..=self.high).contains(value));
        inside.map(|value| (value, number(value, value))).collect()
    }

    /// Returns four to nine multiples of 1, 2 or 5 times a power of ten.
    fn even(&self) -> Vec<(f64, String)> {
        let rough = (self.high - self.low) / 8.0;
        let unit = 10_f64.powi(rough.log10().floor() as i32);
        let steps = [1.0, 2.0, 5.0].map(|times| times * unit);
        let step = steps.into_iter().find(|&step| step >= rough).unwrap_or(10.0 * unit);
        let first = (self.low / step).ceil();
        let values = (0..10).map(|i| (first + f64::from(i)) * step + 0.0);
        let inside = values.filter(|value| (self.low..=self.high).contains(value));
        inside.map(|value| (value, number(value, step))).collect()
    }
}

/// Formats a multiple of `step` with at most its decimals: 0.25, 500, 20k, 1.5M, 1e-7.
fn number(value: f64, step: f64) -> String {
    let exponent = (value.abs().max(step) * 1.000_001).log10().floor() as i32;
    let (unit, suffix) = match exponent {
        -3..3 => (0, String::new()),
        3..12 => (exponent / 3 * 3, ["k", "M", "G"][exponent as usize / 3 - 1].into()),
        _ => (exponent, format!("e{exponent}")),
    };
    let unit = 10_f64.powi(unit);
    let decimals = (-(step / unit * 1.000_001).log10().floor()).clamp(0.0, 12.0) as usize;
    let digits = format!("{:.decimals$}", value / unit);
    match suffix.is_empty() || decimals == 0 {
        _ if value == 0.0 => "0".into(),
        true => digits + &suffix,
        // 800k, 1M, 1.2M: where the unit changes, decimals are not aligned anyway
        false => digits.trim_end_matches('0').trim_end_matches('.').to_owned() + &suffix,
    }
}

/// Returns the smallest and largest of some values.
pub(super) fn extent(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: Axis) -> Vec<String> {
        // On as many pixels as a plot is wide.
        axis.ticks(560.0, |label| 8.0 * label.len() as f64 + 10.0)
            .into_iter()
            .map(|t| t.1)
            .collect()
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
            ["1e-12", "1e-9", "1e-6", "0.001", "1", "1k", "1M", "1G", "1e12"]
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
                let ticks = axis.ticks(560.0, |_| 17.0);
                let positions: Vec<f64> = ticks.iter().map(|t| axis.position(t.0)).collect();
                assert!(positions.len() >= 2, "{axis:?}");
                assert!(
                    positions.iter().all(|p| (-1e-9..=1.0 + 1e-9).contains(p)),
                    "{axis:?}: {positions:?}"
                );
            }
        }
    }
}
