//! Completes rows that test together with rows that are learned from, as Goldberg et al. do: their
//! targets stay hidden.

use crate::problem::{Problem, options};
use anyhow::{Context as _, Result};
use halfseen::Silent;
use halfseen::data::Task;
use halfseen::learner::Learner;
use halfseen::missing::MatrixCompletion;
use halfseen::model::Scores;
use halfseen::params::set_from_json;
use halfseen::prepare::Prepared;

/// The scores of the rows `asked`, whose targets are hidden while all attributes of both parts are
/// completed; in the target's units.
pub(crate) fn transduce(
    problem: &Problem,
    learner: &dyn Learner,
    learned: &[u32],
    asked: &[u32],
) -> Result<Scores> {
    let Problem { table, target_name, target, .. } = problem;
    let prepared =
        Prepared::new(table, (target_name, target), learned, &options(problem, learner))?;
    let rows = [learned, asked].concat();
    let labelled: Vec<bool> = (0..rows.len()).map(|at| at < learned.len()).collect();
    let examples = prepared.examples_of(&rows);
    let mut completion = MatrixCompletion::default();
    set_from_json(&mut completion, &learner.to_json())
        .with_context(|| format!("{} completes no matrix", learner.name()))?;
    let completed = completion.complete(&examples, labelled, &Silent)?;
    let outputs = completed.scores.nrows();
    let values = (learned.len()..rows.len()).flat_map(|i| (0..outputs).map(move |j| (j, i)));
    let values = values.map(|at| completed.scores[at]).collect();
    let scores = Scores { values, outputs, estimates: target.task() == Task::Regression };
    Ok(scores.map(|score| prepared.prepare.target.undo(score)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::holed::drawn;
    use halfseen::learner::with;
    use halfseen::registry::find;
    use halfseen_synthetic::LowRank;

    #[test]
    fn hidden_targets_are_completed_better_than_by_a_constant() {
        let set = LowRank { columns: 8, rank: 2, observed: 0.6, ..LowRank::default() }
            .draw(200, 3)
            .unwrap();
        let problem = drawn("toy", &set).unwrap();
        let (learned, asked): (Vec<u32>, Vec<u32>) = (0..200).partition(|row| row % 4 > 0);
        for name in ["mcb", "mc1"] {
            let setting =
                vec![("label_weight", "1".to_owned()), ("rank_penalty", "0.02".to_owned())];
            let learner = with(find(name).unwrap(), &setting).unwrap();
            let scores = transduce(&problem, &*learner, &learned, &asked).unwrap();
            let score = halfseen::select::Score::of(&scores, &problem.target, &asked);
            assert!(score.mse.unwrap() < 0.3, "{name}: {score:?}");
        }
    }
}
