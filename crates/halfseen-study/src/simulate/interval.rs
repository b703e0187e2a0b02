//! Estimates a mean over simulated studies, with its interval.

/// Mean of a few figures.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// Mean.
    pub mean: f64,
    /// Ends of the interval that holds the true mean nine times of ten, by Student's t; `None` for
    /// one figure.
    pub ends: Option<(f64, f64)>,
}

/// The t with P(T > t) = 0.05 of 1 to 10 degrees of freedom.
const STUDENT: [f64; 10] =
    [6.3138, 2.9200, 2.3534, 2.1318, 2.0150, 1.9432, 1.8946, 1.8595, 1.8331, 1.8125];

/// Returns the mean of some figures with its interval; NaN of none.
pub fn interval(figures: &[f64]) -> Interval {
    let count = figures.len() as f64;
    let mean = figures.iter().sum::<f64>() / count;
    if figures.len() < 2 {
        return Interval { mean, ends: None };
    }
    let squares = figures.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
    let error = (squares / (count - 1.0) / count).sqrt();
    let side = student(figures.len() - 1) * error;
    Interval { mean, ends: Some((mean - side, mean + side)) }
}

/// Returns the t of so many degrees of freedom: beyond the table by its expansion about the normal
/// quantile (Cornish and Fisher 1938), to three digits.
fn student(degrees: usize) -> f64 {
    let n = degrees as f64;
    STUDENT.get(degrees - 1).copied().unwrap_or(1.644_854 + 1.523_8 / n + 1.420_2 / (n * n))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_those_of_a_table() {
        let Interval { mean, ends: Some((low, high)) } = interval(&[1.0, 2.0, 3.0, 6.0]) else {
            panic!("four figures have an interval");
        };
        // t = 2.3534 times sqrt(14 / 3 / 4).
        assert!((mean - 3.0).abs() < 1e-12 && (high - 3.0 - 2.541_9).abs() < 1e-3, "{low} {high}");
        assert!((high + low - 6.0).abs() < 1e-12);
        assert_eq!(interval(&[2.5]), Interval { mean: 2.5, ends: None });
        for (degrees, t) in [(1, 6.3138), (10, 1.8125), (11, 1.7959), (30, 1.6973), (100, 1.6602)] {
            assert!((student(degrees) - t).abs() < 1e-3, "{degrees}: {}", student(degrees));
        }
    }
}
