//! Makes learners learn from what is observed in each row, where --missing observed asks for it.

use crate::args::MissingArg;
use crate::failure::usage_error;
use anyhow::Result;
use halfseen::learner::Learner;
use halfseen::registry;

/// Makes a learner passive; refuses one that chooses what it reads, or needs everything.
pub(crate) fn arrange(learner: &mut dyn Learner, missing: MissingArg) -> Result<()> {
    if missing != MissingArg::Observed {
        return Ok(());
    }
    match learner.get("passive").as_deref() {
        None if learner.takes_holes() => Ok(()),
        Some("no") => Ok(learner.set("passive", "all")?),
        Some(_) => Ok(()),
        None => {
            let able = registry::all()
                .into_iter()
                .filter(|l| l.get("passive").is_some() || l.takes_holes())
                .map(|l| l.name());
            usage_error(format!(
                "--missing observed: {} cannot learn from whatever is observed; these can: {}; or use --missing mean or drop",
                learner.name(),
                able.collect::<Vec<_>>().join(", ")
            ))
        }
    }
}
