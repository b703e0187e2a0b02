//! Fits the candidates in each form of the attributes: as they are, and with curves beside them.
//!
//! The candidates of both compete by the same held-out reads and are averaged together: both have the
//! same units, and places of curves follow those of attributes.

use super::average::{FormFit, Share, find};
use super::basis::{BySlot, SlotCurve, curves};
use super::candidates::{self, Candidate, Fitted, Menu, Origin};
use super::factor::Factor;
use super::folds::{FoldSubset, Part, WeightedSubset, fold_of};
use super::reads::Reads;
use super::standard::{Rows, Standard};
use halfseen_core::params::Shape;
use halfseen_solve::Monitor;
use rayon::prelude::*;

/// Joint reads of a pair from which curves compete: fewer do not show that curves of related
/// attributes are alike, and held-out reads of few attributes do not punish it.
const PAIRS: f64 = 2.0;

/// The attributes in one form, in standard units.
pub(crate) struct Form {
    pub(crate) standard: Standard,
    /// Rows for the fits without each fold, and to all; or one for all of these.
    rows: Vec<Rows>,
    pub(crate) menu: Menu,
    /// Curves of all examples.
    pub(crate) curves: Vec<SlotCurve>,
}

impl Form {
    /// Returns the plain form, and the one with curves if there are any: one of them, or both.
    /// Places of the plain one are the first of the other.
    pub(crate) fn all(
        reads: &Reads,
        slots: usize,
        folds: usize,
        rank: Option<usize>,
        shape: Shape,
    ) -> Vec<Form> {
        let by_slot = BySlot::of(reads, slots);
        let standard = Standard::within(reads, by_slot.bounds());
        let mut rows = standard.rows(reads);
        rows.balance(folds);
        let menu = Menu::of(&standard, &rows, folds, rank);
        let mut plain = Form { standard, rows: vec![rows], menu, curves: Vec::new() };
        let seldom = shape == Shape::Auto && plain.menu.together() < PAIRS;
        if shape == Shape::Linear || seldom {
            return vec![plain];
        }
        let (standard, rows) = (&plain.standard, &plain.rows[0]);
        let fold = |example| fold_of(rows.number(example), folds);
        let mut by_part = curves(&by_slot, &standard.bounds, &rows.main_targets(), fold, folds);
        let varies = |curve: &SlotCurve| standard.slots.binary_search(&curve.slot).is_ok();
        by_part.iter_mut().for_each(|curves| curves.retain(varies));
        let found = by_part[folds].clone();
        if found.is_empty() {
            return vec![plain];
        }
        let standard = standard.with_curves(&found);
        let with = |curves: &Vec<SlotCurve>| {
            let mut rows = standard.rows_with(reads, curves);
            rows.balance(folds);
            rows
        };
        let rows: Vec<Rows> = by_part.iter().map(with).collect();
        let menu = Menu::of(&standard, &rows[folds], folds, rank);
        let mut bent = Form { standard, rows, menu, curves: found };
        if shape == Shape::Additive {
            return vec![bent];
        }
        plain.menu.judge_alike(&mut bent.menu);
        vec![plain, bent]
    }

    /// Returns the rows for the fit without a fold, or, for the number of folds, to all.
    pub(crate) fn rows(&self, part: usize) -> &Rows {
        &self.rows[part.min(self.rows.len() - 1)]
    }

    /// Returns the subset of a fit: all without a fold, or, for the number of folds, all.
    fn part(&self, part: usize, folds: usize) -> Part<'_> {
        let subset = if part < folds {
            FoldSubset::Without { fold: part, of: folds }
        } else {
            FoldSubset::All
        };
        Part { rows: self.rows(part), subset: subset.into() }
    }

    /// Returns the number of steps of [`Form::fit`] that call its `done`.
    pub(crate) fn steps(&self, folds: usize) -> usize {
        (folds + 1) * (self.menu.ranks().len() + 1)
    }

    /// Fits all candidates without each fold, and to all examples. `None` if the monitor asked to
    /// stop. Leaves the ranks that were fitted on the menu.
    pub(crate) fn fit(
        &mut self,
        folds: usize,
        seed: u64,
        monitor: &dyn Monitor,
        done: &(dyn Fn() + Sync),
    ) -> Option<FormFit> {
        let parts: Vec<Part<'_>> = (0..=folds).map(|part| self.part(part, folds)).collect();
        let models =
            candidates::rising_models(&self.standard, &self.menu, &parts, seed, monitor, done);
        let ranks = models.first().map_or(0, Vec::len);
        if monitor.should_stop() {
            return None;
        }
        let fit = |(p, models): (usize, Vec<Factor>)| {
            let held = (p < folds).then_some(FoldSubset::Only { fold: p, of: folds });
            let fitted = candidates::fit(&self.menu, models, parts[p], held, monitor);
            done();
            fitted
        };
        let models: Vec<(usize, Vec<Factor>)> = models.into_iter().enumerate().collect();
        let mut fitted: Vec<Fitted> = models.into_par_iter().map(fit).collect();
        let all = fitted.pop().filter(|_| !monitor.should_stop())?;
        self.menu.keep_ranks(ranks);
        let filling = best_rank(&fitted, &self.menu);
        Some(FormFit { folds: fitted, all, filling })
    }

    /// Fits one factor model and its refinement to a fold alone.
    pub(crate) fn second_look(
        &self,
        filling: usize,
        fold: usize,
        folds: usize,
        seed: u64,
        monitor: &dyn Monitor,
    ) -> Fitted {
        let menu = self.menu.second_look(filling);
        let subset: WeightedSubset<'_> = FoldSubset::Only { fold, of: folds }.into();
        self.once(&menu, Part { rows: self.rows(fold), subset }, seed, monitor)
    }

    /// Fits all candidates to weighted examples.
    pub(crate) fn refit(&self, weights: &[f64], seed: u64, monitor: &dyn Monitor) -> Fitted {
        let subset = WeightedSubset { weights: Some(weights), ..FoldSubset::All.into() };
        let rows = self.rows(usize::MAX);
        self.once(&self.menu, Part { rows, subset }, seed, monitor)
    }

    fn once(&self, menu: &Menu, part: Part<'_>, seed: u64, monitor: &dyn Monitor) -> Fitted {
        let models =
            candidates::models(&self.standard, menu, menu.ranks(), &[part], seed, monitor, &|| ());
        let models = models.into_iter().next().unwrap_or_default();
        candidates::fit(menu, models, part, None, monitor)
    }
}

/// Returns the place among the ranks of the imputation model: that of least held-out error.
fn best_rank(folds: &[Fitted], menu: &Menu) -> usize {
    let errors = |rank: usize| {
        let of = |f| {
            find(f, Origin::Factor(rank), menu.ridge()).map_or(f64::INFINITY, |c| c.errors.total())
        };
        folds.iter().map(of).sum::<f64>()
    };
    let order =
        |a: &usize, b: &usize| errors(menu.ranks()[*a]).total_cmp(&errors(menu.ranks()[*b]));
    (0..menu.ranks().len()).min_by(order).unwrap_or(0)
}

/// Returns an average of candidates of the fits in each form, (n_places) with its constant, in
/// standard units; `places` are those of all forms.
pub(crate) fn average(fits: &[&Fitted], chosen: &[Share], places: usize) -> (Vec<f64>, f64) {
    let (mut weights, mut constant, mut total) = (vec![0.0; places], 0.0, 0.0);
    for Share { form, origin, ridge, scale, share } in chosen {
        // A refinement that stopped earlier here leaves its share to the others.
        let Some(Candidate { weights: found, constant: of, .. }) =
            find(fits[*form], *origin, *ridge)
        else {
            continue;
        };
        total += share;
        constant += share * scale * of;
        weights.iter_mut().zip(found).for_each(|(sum, w)| *sum += share * scale * w);
    }
    let scale = if total > 0.0 { 1.0 / total } else { 0.0 };
    weights.iter_mut().for_each(|w| *w *= scale);
    (weights, scale * constant)
}

#[cfg(test)]
mod tests {
    use super::*;
    use halfseen_solve::Silent;
    use halfseen_solve::sampling::{Purpose, Stream, subset};
    use std::sync::atomic::{AtomicUsize, Ordering};

    const D: usize = 70;

    /// Reads 20 of 70 attributes of this number of causes; the target is a sum of the causes.
    fn reads(rows: usize, causes: usize) -> Reads {
        let mut truth = Stream::new(1, Purpose::Factor, causes as u64);
        let loadings: Vec<f64> = (0..causes * D).map(|_| truth.normal()).collect();
        let (mut reads, mut drawn) = (Reads::new(), Vec::new());
        for i in 0..rows {
            let mut stream = Stream::new(2, Purpose::Data, i as u64);
            let z: Vec<f64> = (0..causes).map(|_| stream.normal()).collect();
            let cell = |loadings: &[f64]| z.iter().zip(loadings).map(|(z, l)| z * l).sum::<f64>();
            let x: Vec<f64> =
                loadings.chunks(causes).map(|of| cell(of) + stream.normal()).collect();
            let y = z.iter().sum::<f64>() + 3.0 * stream.normal();
            subset(&mut Stream::new(3, Purpose::Query, i as u64), D, 20, &mut drawn);
            reads.push(drawn.iter().map(|&j| (j, x[j as usize])), y);
        }
        reads
    }

    /// Returns the ranks of a fit, and whether the target's covariances were refined alone.
    fn fitted(reads: &Reads) -> (Vec<usize>, bool) {
        let mut form = Form::all(reads, D, 3, None, Shape::Linear).remove(0);
        assert_eq!(form.menu.ranks(), [1, 3, 6, 10, 20]);
        let (steps, done) = (form.steps(3), AtomicUsize::new(0));
        let count = || {
            done.fetch_add(1, Ordering::Relaxed);
        };
        let found = form.fit(3, 1, &Silent, &count).unwrap();
        // Ranks that are left out are steps too: progress comes to its end.
        assert_eq!(done.into_inner(), steps);
        assert!(found.folds.iter().all(|fold| fold.models.len() == form.menu.ranks().len()));
        let alone = |c: &Candidate| matches!(c.origin, Origin::Column(..));
        (form.menu.ranks().to_vec(), found.all.candidates.iter().any(alone))
    }

    #[test]
    fn ranks_rise_while_held_out_reads_like_it() {
        assert_eq!(fitted(&reads(600, 2)), (vec![1, 3, 6, 10], true));
        assert_eq!(fitted(&reads(600, 16)), (vec![1, 3, 6, 10, 20], true));
        // 20 of 70 show a pair 100 times in 1,271 rows.
        assert_eq!(fitted(&reads(1_400, 2)), (vec![1, 3, 6, 10], false));
    }
}
