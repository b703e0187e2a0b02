//! Scales a gatherer's moments by its own reads if the scale of attributes is not declared, and
//! tests the result.

use super::gather::{FromMoments, Gatherer};
use super::own_test::Trust;
use super::reduced::Reduced;
use halfseen_core::params::Centre;
use halfseen_solve::Silent;

impl<L: FromMoments> Gatherer<L> {
    /// Returns a slot's unit: the scale of its values by its reads unless declared; 0 if they do
    /// not tell.
    pub(super) fn size(&self, slot: usize) -> f64 {
        match self.state.own {
            Some(_) => self.state.running.size(slot, self.gathering.centre != Centre::None, None),
            None => 1.0,
        }
    }

    /// Returns the moments under this trust.
    pub(super) fn trusted(&self, moments: Reduced, trust: Trust) -> Reduced {
        if self.state.own.is_none() {
            return moments;
        }
        let noise = self.draws.pair_coefficient() / self.ledger.answered().max(1) as f64;
        let sampled = (!self.draws.all()).then_some((noise, trust.share));
        moments.in_own_units(|slot| self.size(slot), sampled)
    }

    /// Solves anew for the weights that are tested next, if due. If that fails, which a fit
    /// reports, they are 0.
    pub(super) fn renew_test(&mut self) {
        let answers = self.ledger.answered();
        let Some(mut own) = self.state.own.take_if(|own| own.is_due(answers)) else { return };
        // Sizes are looked up while there is a test.
        self.state.own = Some(own.clone());
        let reduced = self.reduced().ok();
        let mut last: Option<(f64, Reduced, Vec<f64>)> = None;
        own.renew(answers, |trust| {
            let mut weights = vec![0.0; self.layout.sampled_slots()];
            let Some(moments) = &reduced else { return (weights, Vec::new()) };
            if last.as_ref().is_none_or(|(share, ..)| *share != trust.share) {
                let moments = self.trusted(moments.clone(), trust);
                let solved = L::solve(&[&self.learner], &moments, &Silent)
                    .ok()
                    .and_then(|mut all| all.pop());
                last = solved.map(|solved| (trust.share, moments, solved.weights));
            }
            let Some((_, moments, solved)) = &last else { return (weights, Vec::new()) };
            let solved: Vec<f64> = solved.iter().map(|w| w * trust.length).collect();
            let mut known = moments.known_weights(&solved);
            for (&slot, w) in moments.slots.iter().zip(&solved).filter(|(_, w)| **w != 0.0) {
                weights[slot] = w / self.size(slot);
                if self.recentre() {
                    known[0] -= weights[slot] * self.state.running.mean(slot);
                }
            }
            (weights, known)
        });
        self.state.own = Some(own);
    }
}
