//! Reads the threats of an adversary: the costs of attributes, and the budgets.

use crate::parse::{Budgets, CostsArg};
use crate::tables::declarations;
use crate::terminal::failure::usage_error;
use crate::terminal::output::remark;
use anyhow::{Context, Result};
use halfseen::ErrorKind;
use halfseen::data::{Costs, Threat};
use halfseen::error::nearest;
use halfseen::model::Model;
use halfseen::registry;
use halfseen::robust::Trial;
use std::path::Path;

/// Returns a threat with budget 0 and the costs of the flag, else the model's own, else uniform
/// ones.
pub(crate) fn priced(
    flag: Option<&CostsArg>,
    model: &Model,
    trial: &Trial<'_>,
    told: bool,
    quiet: bool,
) -> Result<Threat> {
    let own = model.report.threat.as_ref();
    let attributes = trial.attributes();
    let costs = match (flag, own) {
        (None, Some(own)) => own.values().to_vec(),
        (None | Some(CostsArg::Uniform), _) => vec![1.0; attributes.len()],
        (Some(CostsArg::Information), Some(own))
            if registry::with_params(&model.learner, &model.params)?.needs().informed =>
        {
            own.values().to_vec()
        }
        (Some(CostsArg::Information), _) if !told => {
            return usage_error(
                "--costs mi: mutual information needs the target; name its column with --target",
            );
        }
        (Some(CostsArg::Information), _) => {
            let text = "remark: --costs mi: the model was fitted without such costs; they are computed from these rows and their target";
            let costs = trial.information().context("--costs mi")?;
            remark(quiet, text);
            costs
        }
        (Some(CostsArg::File(path)), _) => from_file(path, &attributes)?,
    };
    Threat::new(costs, 0.0).with_context(|| match flag {
        Some(CostsArg::File(path)) => format!("--costs {}", path.display()),
        _ => "--costs".to_owned(),
    })
}

/// Returns one cost per attribute: the file's by name, or 1 if it is not listed.
pub(crate) fn from_file(path: &Path, attributes: &[String]) -> Result<Vec<f64>> {
    let declared = declarations::costs(path)?;
    if let Some(name) = declared.keys().find(|name| !attributes.contains(name)) {
        let (nearest, known) = (nearest(name, attributes), attributes.to_vec());
        let error =
            halfseen::Error::from(ErrorKind::UnknownColumn { name: name.clone(), nearest, known });
        return Err(error).context(path.display().to_string());
    }
    Ok(attributes.iter().map(|name| declared.get(name).copied().unwrap_or(1.0)).collect())
}

/// Returns the threats to attack with, increasing: the flag's, or the model's own; `None` if there
/// are neither.
pub(crate) fn threats(
    flag: Option<&Budgets>,
    model: &Model,
    priced: &Threat,
    quiet: bool,
) -> Result<Option<Vec<Threat>>> {
    let own = model.report.threat.as_ref().map(Threat::budget);
    let mut budgets = match flag {
        None => match own {
            None => return Ok(None),
            Some(own) => vec![own],
        },
        Some(Budgets::These(budgets)) => budgets.clone(),
        Some(Budgets::Auto) => steps(own, priced),
    };
    budgets.sort_unstable_by(f64::total_cmp);
    budgets.dedup();
    let threats: Vec<Threat> = budgets
        .iter()
        .map(|&budget| priced.with_budget(budget))
        .collect::<Result<_, _>>()
        .context("--threat")?;
    if let Some(floored) = threats.iter().find_map(Threat::floored) {
        remark(quiet, &format!("note: {floored}"));
    }
    Ok(Some(threats))
}

/// Returns budgets, from 0, that show the robustness of a model.
fn steps(own: Option<f64>, priced: &Threat) -> Vec<f64> {
    let total = priced.total();
    let (unit, whole) = match priced.costs() {
        Costs::Equal { value, .. } => (value, true),
        Costs::Whole { .. } => (1.0, true),
        Costs::General => (total / priced.values().len() as f64, false),
    };
    let steps: Vec<f64> = match own {
        Some(own) if own > 0.0 => (0..=10).map(|step| 0.2 * f64::from(step) * own).collect(),
        _ => {
            let decades = (0..12).map(|power| 10_f64.powi(power));
            [0.0]
                .into_iter()
                .chain(decades.flat_map(|decade| [1.0, 2.0, 5.0].map(|step| unit * step * decade)))
                .collect()
        }
    };
    let fit = |step: f64| if whole { (step / unit + 1e-9).floor() * unit } else { step };
    steps.into_iter().map(fit).filter(|step| *step < total * (1.0 - 1e-9)).collect()
}
