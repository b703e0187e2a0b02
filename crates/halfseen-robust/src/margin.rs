//! Determines the margin: as given, as a share of the remaining value, or as needed for noise.
//!
//! Noise (Dekel and Shamir 2008, theorem 3): if c columns are replaced by independent noise of mean
//! 0 in [-1, 1], each moves the score by at most C. By Hoeffding's inequality their sum exceeds C
//! sqrt(2 c ln(1/delta)) with probability at most delta. (The paper prints half of this, for terms
//! of range C; the range is 2C.)

use super::{KNOWN, Rows};
use halfseen_core::data::Threat;
use halfseen_core::model::Note;
use halfseen_core::params::Damage;

/// Default gamma / P.
const SHARE: f64 = 0.01;

/// Cap of the default, as a share of the score that weights of 1 give a row of mean size: in nearly
/// empty rows, such as word counts, no row attains a hundredth of P.
const REACH: f64 = 0.1;

/// Relative rounding error of a quotient of values.
const ROUNDING: f64 = 1e-9;

/// Margin and its provenance.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Margin {
    /// gamma.
    pub(crate) gamma: f64,
    /// True if the margin depends on the rows.
    pub(crate) from_rows: bool,
    pub(crate) note: Option<Note>,
}

/// Returns the margin for weights of at most `box_radius`: `asked`, or else a hundredth of P, at
/// most a tenth of the mean l1 norm of a row, and at least the margin needed for noise.
pub(crate) fn margin_of(
    asked: Option<f64>,
    threat: &Threat,
    rows: &Rows,
    box_radius: f64,
    damage: Damage,
    confidence: f64,
) -> Margin {
    let needed = match damage {
        Damage::Deletion => 0.0,
        Damage::Noise => {
            box_radius * (2.0 * columns_bought(threat, rows) * (1.0 / confidence).ln()).sqrt()
        }
    };
    match asked {
        Some(gamma) => {
            let note = (gamma < needed).then(|| too_small(gamma, needed));
            Margin { gamma, from_rows: false, note }
        }
        None => {
            let size = rows.sizes().mean;
            let (share, reach) = (SHARE * threat.left(), REACH * size);
            Margin {
                gamma: needed.max(usual_margin(threat, size)),
                from_rows: reach < share && reach > needed,
                note: None,
            }
        }
    }
}

/// Returns a hundredth of P, at most a tenth of the mean l1 norm of a row.
pub(super) fn usual_margin(threat: &Threat, mean_size: f64) -> f64 {
    (SHARE * threat.left()).min(REACH * mean_size)
}

/// Returns the largest number of columns that the budget can delete (an upper bound if values
/// differ): N if each attribute is one column of value 1.
pub(super) fn columns_bought(threat: &Threat, rows: &Rows) -> f64 {
    let mut columns = vec![0.0_f64; rows.attributes()];
    for &attribute in rows.attribute().iter().filter(|&&attribute| attribute != KNOWN) {
        columns[attribute as usize] += 1.0;
    }
    let mut items: Vec<(f64, f64)> = threat.values().iter().copied().zip(columns).collect();
    // Most columns per value first; multiplied out so that free ones come first.
    items.sort_by(|a, b| (b.1 * a.0).total_cmp(&(a.1 * b.0)));
    let (mut left, mut bought) = (threat.effective(), 0.0);
    for (value, columns) in items {
        let share = if value <= left { 1.0 } else { left / value };
        bought += share * columns;
        left -= share * value;
    }
    (bought + ROUNDING).floor()
}

/// Returns a note on a margin below what the bound on noise needs (theorem 3 of Dekel and Shamir 2008).
fn too_small(margin: f64, needed: f64) -> Note {
    let text = format!(
        "a margin of {margin} is too small for the bound on noise, which needs {needed:.4}: raise margin, or leave it at auto"
    );
    Note::on_predictor("margin-too-small", text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Data;
    use halfseen_core::data::Matrix;

    #[test]
    fn noise_asks_for_a_margin_and_a_smaller_one_is_said() {
        let data = Data::random(5, 40, 1);
        let rows = Rows::new(&data.examples(), "test").unwrap();
        let threat = Threat::uniform(40, 8.0).unwrap();
        let fixed = |gamma| Margin { gamma, from_rows: false, note: None };
        let margin = |asked, damage| margin_of(asked, &threat, &rows, 0.5, damage, 0.05);
        assert_eq!(margin(None, Damage::Deletion), fixed(0.01 * 32.0));
        // Rows of nothing have no size to go by.
        assert_eq!(usual_margin(&threat, f64::INFINITY), 0.01 * 32.0);
        assert_eq!(margin(Some(0.2), Damage::Deletion), fixed(0.2));
        let Matrix::F64(cells) = &data.matrix else { unreachable!("these cells are drawn as f64") };
        let sparse = cells.mapv(|x| 1e-3 * x);
        let size = sparse.iter().map(|x| x.abs()).sum::<f64>() / 5.0;
        let rows_of_little =
            Rows::new(&Data::new(sparse, data.targets.clone()).examples(), "test").unwrap();
        let little = margin_of(None, &threat, &rows_of_little, 0.5, Damage::Deletion, 0.05);
        assert!(little.from_rows, "the rows decided it");
        assert!(
            (little.gamma - 0.1 * size).abs() < 1e-15 && little.gamma < 0.32,
            "{little:?} of {size}"
        );
        let needed = 0.5 * (2.0 * 8.0 * 20.0_f64.ln()).sqrt();
        assert_eq!(margin(None, Damage::Noise), fixed(needed));
        let small = Margin { note: Some(too_small(1.0, needed)), ..fixed(1.0) };
        assert_eq!(margin(Some(1.0), Damage::Noise), small);
        assert_eq!(margin(Some(9.0), Damage::Noise), fixed(9.0));
        // Cheap attributes let the adversary delete more: two free, four of a half; one of 1 then
        // costs too much.
        let values = [vec![0.0; 2], vec![0.5; 5], vec![1.0; 33]].concat();
        let cheap = Threat::new(values, 2.2).unwrap();
        assert_eq!(columns_bought(&cheap, &rows), 6.0);
    }
}
