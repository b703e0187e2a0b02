//! Fits the options of a preparation to what a learner needs.

use super::{Family, Learner, is_passive};
use crate::prepare::{Missing, Options};

impl Options {
    /// The same for one fit of a learner: with the intercept that it asks for, and honest where it
    /// pays for each look, which it does unless it takes whatever happens to be observed.
    pub fn for_fit(self, learner: &dyn Learner) -> Options {
        let intercept = learner.get("intercept").is_none_or(|v| v == "true");
        let honest = learner.family() == Family::Budget && !is_passive(learner);
        Options { intercept, honest, ..self }.suited(learner)
    }

    /// The same for a learner: one that learns from holes gets them, and its classes as they are,
    /// and no cell is looked at beforehand if it pays for each look; a robust one gets zeros that
    /// stay zeros, its classes as they are, and no means for missing cells, which count as
    /// vanished.
    pub fn suited(&self, learner: &dyn Learner) -> Options {
        if learner.family() == Family::Robust {
            let missing =
                if self.missing == Missing::Keep { Missing::Keep } else { Missing::Vanish };
            return Options {
                missing,
                plain_classes: true,
                uncentred: true,
                honest: false,
                ..self.clone()
            };
        }
        if !learner.takes_holes() {
            return self.clone();
        }
        let honest = self.honest && learner.family() == Family::Budget && !is_passive(learner);
        Options { missing: Missing::Keep, plain_classes: true, honest, ..self.clone() }
    }
}
