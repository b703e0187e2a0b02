//! Selects the points of a series that can be drawn, in the order of x.

use super::{Point, Series};

/// Larger values are left out, because their differences and quotients overflow.
const LARGEST: f64 = 1e100;

/// Returns the points of a series, sorted by x, all finite, low <= y <= high.
pub(super) fn drawable(series: &Series, log_x: bool) -> Vec<Point> {
    let finite = |v: f64| v.abs() <= LARGEST; // false for NaN
    let visible = |p: &&Point| finite(p.x) && finite(p.y) && (!log_x || p.x >= 1.0 / LARGEST);
    let edge = |p: &Point, v: f64| if finite(p.low) && finite(p.high) { v } else { p.y };
    let mut points: Vec<Point> = series
        .points
        .iter()
        .filter(visible)
        .map(|p| Point { low: edge(p, p.low).min(p.y), high: edge(p, p.high).max(p.y), ..*p })
        .collect();
    points.sort_by(|a, b| a.x.total_cmp(&b.x));
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_finite_points_are_kept_and_sorted() {
        let point = |x, y, low| Point { x, y, low, high: y + 1.0 };
        let points = vec![
            point(2.0, 1.0, f64::NAN),
            point(1.0, 2.0, 5.0),
            point(0.0, 1.0, 0.0),
            point(1.0, f64::NAN, 0.0),
            point(f64::INFINITY, 1.0, 0.0),
            point(1.0, 1e300, 0.0),
        ];
        let series = Series { name: String::new(), points };
        let kept = drawable(&series, true);
        assert_eq!(
            kept,
            [
                Point { x: 1.0, y: 2.0, low: 2.0, high: 3.0 },
                Point { x: 2.0, y: 1.0, low: 1.0, high: 1.0 }
            ]
        );
        assert_eq!(drawable(&series, false).len(), 3);
    }
}
