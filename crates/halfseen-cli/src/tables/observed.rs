//! Lets learners learn from the observed cells of each row, for --missing observed.

use crate::args::MissingArg;
use crate::terminal::failure::usage_error;
use anyhow::Result;
use halfseen::learner::Learner;
use halfseen::params::{Looks, PASSIVE};
use halfseen::registry;

/// Makes a learner passive; refuses one that chooses its reads, or needs every cell.
pub(crate) fn arrange(learner: &mut dyn Learner, missing: MissingArg) -> Result<()> {
    if missing != MissingArg::Observed {
        return Ok(());
    }
    let needs = learner.needs();
    match needs.looks {
        Looks::Observed => Ok(()),
        Looks::Chooses if needs.either => Ok(learner.set(PASSIVE.name, "all")?),
        _ => {
            let able = registry::all()
                .into_iter()
                .filter(|l| l.needs().either || l.needs().holes)
                .map(|l| l.name());
            usage_error(format!(
                "--missing observed: {} cannot learn from observed cells only; these can: {}; or use --missing mean or drop",
                learner.name(),
                able.collect::<Vec<_>>().join(", ")
            ))
        }
    }
}
