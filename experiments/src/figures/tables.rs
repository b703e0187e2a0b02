//! Fills table 1 of papers B and C with numbers: for 3 against 5 with its measured moments, and for
//! moments that decay.
//!
//! Nothing is learned. Table 1 of B: examples for an excess of 0.1 within the weights of length 1.
//! Table 1 of C: excess after the training images of 3 against 5. For the digits, moments and
//! lengths are measured over all images; the decaying moments mu_i ~ 1/i and i^-2 of 784 attributes
//! are taken to add up to 1. The protocols do not differ.
//!
//!     cargo run --release --manifest-path experiments/Cargo.toml -- tables

use crate::arm::Arm;
use crate::markdown::table;
use crate::rates::{RowB, RowC, table_b, table_c};
use crate::run::Context;
use anyhow::Result;
use halfseen::plan::{MomentNorms, Setting};

const BUDGET: u64 = 4;
const ERROR: f64 = 0.1;
const EXAMPLES: u64 = 12_109;

/// Nothing learns here.
pub(super) fn arms() -> Vec<Arm> {
    Vec::new()
}

/// The settings that the tables are for.
fn settings(context: &Context<'_>) -> Result<Vec<(String, Setting)>> {
    let pair = context.sources.pair(3, 5)?;
    let pixels = pair.table.numbers();
    let (rows, columns) = (pixels.rows(), pixels.columns());
    let moments: Vec<f64> = pair.mean_squares().iter().map(|s| s / 255.0_f64.powi(2)).collect();
    let (mut longest, mut row) = (0.0_f64, vec![0.0; columns]);
    for i in 0..rows {
        pixels.row_into(i, &mut row);
        longest = longest.max(row.iter().map(|v| (v / 255.0).powi(2)).sum());
    }
    let setting = |dims, norm, moments| Setting {
        dims,
        budget: BUDGET,
        norm,
        moments: Some(moments),
        ..Setting::default()
    };
    let mut all = vec![(
        "3 against 5".to_owned(),
        setting(columns as u64, longest.sqrt(), MomentNorms::of(&moments)?),
    )];
    for power in [1.0, 2.0] {
        let raw = MomentNorms::decaying(columns as u64, power);
        all.push((
            format!("mu ~ i^-{power}"),
            setting(columns as u64, 1.0, raw.divided_by(raw.sum.sqrt())),
        ));
    }
    Ok(all)
}

/// Writes the section.
pub(super) fn make(context: &Context<'_>) -> Result<String> {
    let mut text = String::new();
    for (name, setting) in settings(context)? {
        text += &format!(
            "## {name}: d = {}, budget {BUDGET}, radius {}, length of a row at most {:.1}\n\n",
            setting.dims, setting.radius, setting.norm
        );
        text += &format!(
            "Table 1 of B: examples for an excess of {ERROR}, all constants 1, and as a theorem here guarantees it.\n\n"
        );
        let row = |row: RowB| {
            let paper = if row.new { "paper B" } else { "before" };
            let guaranteed = match (row.learner, row.examples) {
                (Some(learner), Some(examples)) => format!("{examples} ({learner})"),
                _ => "unknown".into(),
            };
            vec![
                format!("{}, {paper}", row.regression),
                row.formula.into(),
                format!("{:.2e}", row.rate),
                guaranteed,
            ]
        };
        let head = ["", "rate", "rate, constants 1", "guaranteed"];
        text += &table(&head, table_b(&setting, ERROR).into_iter().map(row));
        text += &format!(
            "\nTable 1 of C, whose rates are put together again from its theorems (H / k and N / k count as 1 where they are less): excess after {EXAMPLES} examples.\n\n"
        );
        let row = |row: RowC| {
            let guaranteed =
                row.excess.map_or("not covered".into(), |excess| format!("{excess:.3}"));
            let what = format!("{}, {}", row.regression, row.column);
            vec![
                what,
                row.formula.into(),
                format!("{:.4}", row.rate),
                format!("{guaranteed} ({})", row.learner),
            ]
        };
        text += &table(&head, table_c(&setting, EXAMPLES).into_iter().map(row));
        text.push('\n');
    }
    Ok(text)
}
