//! Checks the curve of attribute `a` of a model whose target is its square and more.

use super::{Place, fields};

pub(crate) fn number(text: &str) -> f64 {
    text.parse().unwrap()
}

/// Holds the parts of `a` that `show m.json --curves` printed to what predictions change by when
/// nothing but `a` does, and to a square of mean 0; returns them with the first prediction.
pub(crate) fn parts_of_a(place: &Place, shown: &str) -> (Vec<(f64, f64)>, f64) {
    let rows = fields(shown);
    let of_a = rows.iter().filter(|row| row[0] == "a");
    let rows: Vec<(f64, f64)> = of_a.map(|row| (number(&row[1]), number(&row[2]))).collect();
    let cells: String = rows.iter().map(|(a, _)| format!("{a},0.5,0,0,0\n")).collect();
    place.write("new.csv", format!("a,b,c,d,e\n{cells}"));
    let predicted = fields(&place.ok("predict m.json new.csv --no-clip"));
    let predicted: Vec<f64> = predicted.iter().map(|row| number(&row[0])).collect();
    for (at, (a, part)) in rows.iter().enumerate() {
        let moved = predicted[at] - predicted[0];
        assert!((moved - (part - rows[0].1)).abs() < 1e-9, "{a}: {moved}");
        assert!((part - (a * a - 1.0 / 3.0)).abs() < 0.15, "{a}: {part}");
    }
    (rows, predicted[0])
}
