//! Clips lines and areas at the top of the plot.

use super::canvas::Place;

/// Returns the parts of a line at or below the height `top`; y grows downwards.
pub(super) fn line(points: &[Place], top: f64) -> Vec<Vec<Place>> {
    let mut parts: Vec<Vec<Place>> = vec![Vec::new()];
    for (i, &point) in points.iter().enumerate() {
        let crossing = i.checked_sub(1).and_then(|before| crossing(points[before], point, top));
        if let Some(part) = parts.last_mut() {
            part.extend(crossing);
            if point.1 >= top {
                part.push(point);
            }
        }
        if point.1 < top && parts.last().is_some_and(|part| !part.is_empty()) {
            parts.push(Vec::new());
        }
    }
    parts.retain(|part| part.len() > 1);
    parts
}

/// Returns the part of an area at or below the height `top` (Sutherland and Hodgman, one edge).
pub(super) fn area(outline: &[Place], top: f64) -> Vec<Place> {
    let before = outline.iter().cycle().skip(outline.len().saturating_sub(1));
    let mut kept = Vec::with_capacity(outline.len() + 2);
    for (&before, &point) in before.zip(outline) {
        kept.extend(crossing(before, point, top));
        if point.1 >= top {
            kept.push(point);
        }
    }
    kept
}

/// Returns the point where the segment from a to b crosses the height `top`, if any.
fn crossing(a: Place, b: Place, top: f64) -> Option<Place> {
    if (a.1 < top) == (b.1 < top) {
        return None;
    }
    let share = (top - a.1) / (b.1 - a.1);
    Some((a.0 + share * (b.0 - a.0), top))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_cut_into_its_visible_parts() {
        let points = [(0.0, 0.0), (2.0, 20.0), (4.0, 0.0), (6.0, 20.0)];
        assert_eq!(
            line(&points, 10.0),
            [vec![(1.0, 10.0), (2.0, 20.0), (3.0, 10.0)], vec![(5.0, 10.0), (6.0, 20.0)]]
        );
        assert_eq!(line(&points, -1.0), [points.to_vec()]);
        assert!(line(&points, 30.0).is_empty());
    }

    #[test]
    fn an_area_keeps_what_is_below() {
        let square = [(0.0, 0.0), (10.0, 0.0), (10.0, 10.0), (0.0, 10.0)];
        assert_eq!(area(&square, 5.0), [(0.0, 5.0), (10.0, 5.0), (10.0, 10.0), (0.0, 10.0)]);
        assert_eq!(area(&square, 0.0), square);
        assert!(area(&square, 11.0).is_empty());
    }
}
