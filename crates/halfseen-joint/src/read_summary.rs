//! Summarises the reads, and reports the facts that a user must know.

use super::reads::Reads;
use halfseen_core::data::Layout;
use halfseen_core::error::short;
use halfseen_core::learner::missingness::never_observed;
use halfseen_core::model::Note;

/// With fewer examples a fit cannot be assessed.
pub(super) const FEW: usize = 10;

#[derive(Debug, Clone, PartialEq)]
pub(super) struct ReadSummary {
    /// Number of examples with a target, and without.
    pub(super) examples: usize,
    untold: u64,
    /// Mean of each slot; 0 for slots never read.
    pub(super) means: Vec<f64>,
    /// Mean of the known targets; 0 without any.
    pub(super) centre: f64,
    /// Mean squared deviation of the known targets.
    pub(super) variance: f64,
    /// Panels never read, and those with one value or one read only: the first, and their number.
    unread: Option<(String, u64)>,
    constant: Option<(String, u64)>,
    /// Number of examples with a target and without a read.
    empty: u64,
    constant_target: bool,
    no_pairs: bool,
}

impl ReadSummary {
    /// Takes one pass.
    pub(super) fn of(reads: &Reads, layout: &Layout) -> ReadSummary {
        let slots = layout.slots();
        let mut means = vec![0.0_f64; slots];
        let mut count = vec![0_u64; slots];
        let mut range = vec![(f64::INFINITY, f64::NEG_INFINITY); slots];
        for (slot, value) in reads.iter() {
            let slot = slot as usize;
            count[slot] += 1;
            means[slot] += (value - means[slot]) / count[slot] as f64;
            range[slot] = (range[slot].0.min(value), range[slot].1.max(value));
        }
        let panels = || (0..layout.panels()).filter(|&panel| !layout.slots_of(panel).is_empty());
        let first_of = |mut some: Box<dyn Iterator<Item = usize> + '_>| {
            let first = some.next().map(|panel| layout.name(panel).to_owned());
            first.map(|first| (first, 1 + some.count() as u64))
        };
        let was_read = |panel: usize| layout.slots_of(panel).any(|slot| count[slot] > 0);
        let varies =
            |panel: usize| layout.slots_of(panel).any(|slot| range[slot].0 < range[slot].1);
        let targets = || reads.known_targets();
        let (examples, first) = (targets().count(), targets().next());
        let m = examples.max(1) as f64;
        let centre = targets().sum::<f64>() / m;
        let shown = |i: usize| {
            let (slots, _) = reads.example(i);
            let panel = |slot: &u32| layout.panel_of(*slot as usize);
            slots.first().map(panel) != slots.last().map(panel)
        };
        ReadSummary {
            examples,
            untold: (reads.len() - examples) as u64,
            centre,
            variance: targets().map(|y| (y - centre).powi(2)).sum::<f64>() / m,
            unread: first_of(Box::new(panels().filter(|&p| !was_read(p)))),
            constant: first_of(Box::new(panels().filter(|&p| was_read(p) && !varies(p)))),
            empty: (0..reads.len())
                .filter(|&i| reads.example(i).0.is_empty() && !reads.target(i).is_nan())
                .count() as u64,
            constant_target: targets().all(|y| Some(y) == first),
            no_pairs: layout.panels() > 1 && reads.cells() > 0 && !(0..reads.len()).any(shown),
            means,
        }
    }

    /// Takes what is known of the attributes from the summary of more reads.
    pub(super) fn with_attributes_of(self, more: ReadSummary) -> ReadSummary {
        let ReadSummary { unread, constant, no_pairs, .. } = more;
        ReadSummary { unread, constant, no_pairs, ..self }
    }

    /// Returns true if there is more to learn than the mean of the targets.
    pub(super) fn teaches(&self) -> bool {
        !self.constant_target && (self.empty as usize) < self.examples
    }

    /// Returns the notes for a user, given the number of refused reads.
    pub(super) fn notes(&self, refused: u64) -> Vec<Note> {
        let mut notes = Vec::new();
        if self.examples == 0 {
            return notes;
        }
        if self.untold > 0 {
            let text = format!(
                "examples without a target: {}; their reads inform on the attributes alone, and the fit is valid only if a target's \
                 absence does not depend on the target",
                self.untold
            );
            notes.push(Note::on_data("unknown-targets", text));
        }
        if self.examples < FEW {
            notes.push(Note::FewExamples { examples: self.examples as u64 });
        }
        if self.empty > 0 {
            notes.push(Note::EmptyRows { rows: self.empty });
        }
        if refused > 0 {
            notes.push(Note::RefusedReads { reads: refused });
        }
        notes.extend(self.unread.as_ref().map(never_observed));
        if let Some((column, columns)) = &self.constant {
            notes.push(constant_attributes(column, *columns));
        }
        if self.constant_target {
            notes.push(Note::ConstantTarget);
        }
        if self.no_pairs {
            let text = "no example had two attributes read: correlations between attributes could not be estimated, only those with \
                        the target; use a budget of at least 2";
            notes.push(Note::on_data("no-pairs", text.to_owned()));
        }
        notes
    }
}

/// Returns a note on attributes that do not vary: the first of them, and their number.
pub(super) fn constant_attributes(column: &str, columns: u64) -> Note {
    let text = format!(
        "attributes with a single distinct value, or read only once: {columns} (first: '{}'); their weights are 0",
        short(column)
    );
    Note::on_data("constant-attributes", text)
}
