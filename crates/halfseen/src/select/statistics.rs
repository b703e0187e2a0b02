//! Summarises figures of several splits.

/// Mean, standard deviation and median over the splits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Statistics {
    /// Mean.
    pub mean: f64,
    /// Standard deviation of one split (n - 1 in the denominator); 0 for one split.
    pub sd: f64,
    /// Median.
    pub median: f64,
}

impl Statistics {
    /// Returns the statistics of some figures; `None` if there are none.
    pub fn of(mut figures: Vec<f64>) -> Option<Statistics> {
        if figures.is_empty() {
            return None;
        }
        let n = figures.len();
        figures.sort_unstable_by(f64::total_cmp);
        let mean = figures.iter().sum::<f64>() / n as f64;
        let square = figures.iter().map(|v| (v - mean).powi(2)).sum::<f64>();
        let sd = if n > 1 { (square / (n - 1) as f64).sqrt() } else { 0.0 };
        Some(Statistics { mean, sd, median: 0.5 * (figures[(n - 1) / 2] + figures[n / 2]) })
    }
}
