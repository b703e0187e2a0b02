//! Makes learners learn from what is observed in each row, where --missing observed asks for it.

use crate::args::MissingArg;
use crate::failure::usage_error;
use anyhow::Result;
use halfseen::learner::Learner;
use halfseen::params::{Looks, PASSIVE};
use halfseen::registry;

/// Makes a learner passive; refuses one that chooses what it reads, or needs everything.
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
                "--missing observed: {} cannot learn from whatever is observed; these can: {}; or use --missing mean or drop",
                learner.name(),
                able.collect::<Vec<_>>().join(", ")
            ))
        }
    }
}
