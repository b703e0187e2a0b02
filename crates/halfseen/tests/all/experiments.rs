//! Runs one of the papers' experiments as a user would, and holds the paper's claims against what
//! comes out. The others are in `experiments/`, a workspace of its own.

use crate::common::Classified;
use halfseen::Silent;
use halfseen::data::Matrix;
use halfseen::learner::{Assignments, with};
use halfseen::registry::find;
use halfseen_synthetic::{TwoCompletions, TwoLines};

impl Classified {
    /// The share of the rows from `train` on told wrongly by what is learned from those before.
    fn wrong(&self, name: &str, settings: &[(&'static str, &str)], train: usize) -> f64 {
        let setting: Assignments =
            settings.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
        let learner = with(find(name).unwrap(), &setting).unwrap();
        let rows: Vec<u32> = (0..self.table.rows() as u32).collect();
        let (train, test) = rows.split_at(train);
        let prepared = self.prepared(&*learner, train);
        let fit = learner.fit(&prepared.examples(), &Silent).unwrap();
        let scores = fit.predictor.scores(&prepared.examples_of(test)).unwrap();
        self.scored(&prepared, scores, test)
    }
}

/// Hazan, Livni and Mansour 2015, figure 1 and equation 1: rows that complete in two ways of equal
/// rank. Who completes first may get the wrong one; the kernel on rows with holes tells all classes.
#[test]
fn a_kernel_on_rows_with_holes_tells_what_completions_cannot() {
    for seed in 0..5 {
        let lines = TwoLines.draw(1200, seed);
        let completed = TwoLines.completions(&lines).map(|cells| {
            Classified::new(Matrix::F64(cells), &lines.targets).wrong("zero", &[("c", "10")], 200)
        });
        assert_eq!(completed[0], 0.0, "seed {seed}: the true line");
        assert!(completed[1] > 0.2, "seed {seed}: {} by the other line", completed[1]);
        let rows = Classified::new(lines.matrix.clone(), &lines.targets);
        assert_eq!(rows.wrong("karma", &[("gamma", "1"), ("c", "10")], 200), 0.0, "seed {seed}");

        // Two completions of rows and classes together, of rank 2, that contradict each other on
        // every row without a class.
        let kinds = TwoCompletions.draw(260, seed);
        let asked: Vec<usize> = (60..260).collect();
        let [one, other] = TwoCompletions.completions(&kinds, &asked).unwrap();
        assert!(asked.iter().all(|&row| one[[row, 4]] == -other[[row, 4]]));
        let rows = Classified::new(kinds.matrix.clone(), &kinds.targets);
        for gamma in ["1", "2"] {
            let wrong = rows.wrong("karma", &[("gamma", gamma), ("c", "10")], 60);
            assert_eq!(wrong, 0.0, "seed {seed}, gamma {gamma}");
        }
    }
}
