//! Writes what `fiml` and the published learners err, side by side, and what is left of the excess
//! over ridge regression.

use super::fiml_arms::Reads;
use crate::markdown::{table, word};
use crate::paired::{Difference, Verdict, ratio};
use halfseen::select::Statistics;

/// The errors of a learner on the splits of one set of data.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Entry {
    pub(super) reads: Reads,
    pub(super) label: String,
    pub(super) errors: Vec<f64>,
}

/// What was measured on one set of data with one budget.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Line {
    pub(super) set: String,
    pub(super) budget: usize,
    /// Errors of ridge regression on all attributes.
    pub(super) full: Vec<f64>,
    /// Published learners and ours.
    pub(super) entries: Vec<Entry>,
}

/// The published learners that ours are compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rivals {
    /// Those that draw attributes alike.
    Uniform,
    /// Those, and those that draw by second moments, given or learned in a first phase.
    All,
}

impl Rivals {
    fn has(self, reads: Reads) -> bool {
        match self {
            Rivals::Uniform => reads == Reads::Uniform,
            Rivals::All => matches!(reads, Reads::Uniform | Reads::Known | Reads::Phases),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Rivals::Uniform => "best with uniform reads",
            Rivals::All => "best of all published",
        }
    }
}

fn mean(errors: &[f64]) -> f64 {
    Statistics::of(errors.to_vec()).map_or(f64::NAN, |s| s.mean)
}

/// Few digits where errors are large, more where they are small.
fn number(value: f64) -> String {
    match value.abs() {
        v if !v.is_finite() => String::new(),
        v if v >= 3.0 => format!("{value:.2}"),
        v if v >= 0.1 => format!("{value:.3}"),
        _ => format!("{value:.4}"),
    }
}

fn spread(errors: &[f64]) -> String {
    Statistics::of(errors.to_vec())
        .map_or(String::new(), |s| format!("{} +- {}", number(s.mean), number(s.sd)))
}

impl Line {
    fn head(&self) -> Vec<String> {
        vec![self.set.clone(), self.budget.to_string()]
    }

    /// The rival with the least mean error over the splits.
    pub(super) fn best(&self, rivals: Rivals) -> Option<&Entry> {
        let able = self
            .entries
            .iter()
            .filter(|entry| rivals.has(entry.reads) && mean(&entry.errors).is_finite());
        able.min_by(|a, b| mean(&a.errors).total_cmp(&mean(&b.errors)))
    }

    /// Ours of this name.
    fn ours(&self, label: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.reads == Reads::Ours && entry.label == label)
    }

    /// How ours of this name does against the best of these.
    fn duel(&self, label: &str, rivals: Rivals) -> Option<Duel> {
        let (ours, theirs) = (self.ours(label)?, self.best(rivals)?);
        let difference = Difference::of(&ours.errors, &theirs.errors)?;
        Some(Duel {
            place: format!("{} k = {}", self.set, self.budget),
            rival: theirs.label.clone(),
            excess: [
                mean(&ours.errors) - mean(&self.full),
                mean(&theirs.errors) - mean(&self.full),
            ],
            ratio: ratio(&ours.errors, &theirs.errors, &self.full),
            difference,
        })
    }
}

/// One of ours against one rival on one line.
#[derive(Debug, Clone, PartialEq)]
struct Duel {
    place: String,
    rival: String,
    /// Of ours and of the rival.
    excess: [f64; 2],
    ratio: Option<f64>,
    difference: Difference,
}

impl Duel {
    fn cells(&self) -> [String; 3] {
        let Duel { ratio, difference: d, .. } = self;
        let ratio = ratio.map_or("-".to_owned(), |ratio| format!("{ratio:.2}"));
        let sign = if d.mean < 0.0 { "-" } else { "+" };
        let difference = format!("{sign}{} +- {}", number(d.mean.abs()), number(d.error));
        [ratio, difference, d.verdict().word().to_owned()]
    }
}

/// Mean and deviation of ridge regression, of the best rivals and of ours, line by line.
pub(super) fn errors(lines: &[Line], ours: &[String]) -> String {
    let mut head = vec!["squared error on test rows", "k", "ridge, all attributes"];
    head.extend([Rivals::Uniform.name(), "which", Rivals::All.name(), "which"]);
    head.extend(ours.iter().map(String::as_str));
    let row = |line: &Line| {
        let best = [Rivals::Uniform, Rivals::All].into_iter().flat_map(|rivals| {
            let entry = line.best(rivals);
            [
                entry.map_or(String::new(), |e| spread(&e.errors)),
                entry.map_or(String::new(), |e| e.label.clone()),
            ]
        });
        let mine =
            ours.iter().map(|label| line.ours(label).map_or(String::new(), |e| spread(&e.errors)));
        line.head().into_iter().chain([spread(&line.full)]).chain(best).chain(mine).collect()
    };
    table(&head, lines.iter().map(row))
}

/// The mean error of every published learner, line by line.
pub(super) fn everything(lines: &[Line]) -> String {
    let Some(first) = lines.first() else { return String::new() };
    let labels: Vec<&str> = first
        .entries
        .iter()
        .filter(|entry| Rivals::All.has(entry.reads))
        .map(|entry| entry.label.as_str())
        .collect();
    let head: Vec<&str> = ["mean squared error on test rows", "k"]
        .into_iter()
        .chain(labels.iter().copied())
        .collect();
    let row = |line: &Line| {
        let of = |label: &&str| {
            let entry = line.entries.iter().find(|entry| entry.label == **label);
            entry.map_or(String::new(), |entry| number(mean(&entry.errors)))
        };
        line.head().into_iter().chain(labels.iter().map(of)).collect()
    };
    table(&head, lines.iter().map(row))
}

/// The excess of ours against that of the best rival, line by line, and what it comes to; of
/// `bound` the median ratio is to be at most.
pub(super) fn excesses(lines: &[Line], ours: &[String], rivals: Rivals, bound: f64) -> String {
    let own = ours.iter().flat_map(|label| {
        [label.clone(), format!("{label} / it"), format!("{label} - it"), format!("{label} is")]
    });
    let head = ["excess over ridge", "k", rivals.name(), "which"]
        .map(str::to_owned)
        .into_iter()
        .chain(own);
    let head: Vec<String> = head.collect();
    let row = |line: &Line| {
        let duels: Vec<Duel> = ours.iter().filter_map(|label| line.duel(label, rivals)).collect();
        let theirs =
            duels.first().map_or_else(Default::default, |d| [number(d.excess[1]), d.rival.clone()]);
        let own =
            duels.iter().flat_map(|duel| [number(duel.excess[0])].into_iter().chain(duel.cells()));
        line.head().into_iter().chain(theirs).chain(own).collect()
    };
    let mut text =
        table(&head.iter().map(String::as_str).collect::<Vec<_>>(), lines.iter().map(row));
    for label in ours {
        let duels: Vec<Duel> = lines.iter().filter_map(|line| line.duel(label, rivals)).collect();
        text += &format!("\n**{label}** against the {}: {}\n", rivals.name(), sums(&duels, bound));
    }
    text
}

/// The median ratio with its bound, and how often ours is better, the same, and worse.
fn sums(duels: &[Duel], bound: f64) -> String {
    let ratios: Vec<f64> = duels.iter().filter_map(|duel| duel.ratio).collect();
    let count = ratios.len();
    let median = Statistics::of(ratios).map_or(f64::NAN, |s| s.median);
    let met = word(median <= bound);
    let places = |verdict: Verdict| {
        let all = duels.iter().filter(|duel| duel.difference.verdict() == verdict);
        let all: Vec<String> = all.map(|duel| duel.place.clone()).collect();
        if all.is_empty() { "0".to_owned() } else { format!("{} ({})", all.len(), all.join(", ")) }
    };
    let ratios = if count == 0 {
        "no excess of theirs is above three standard errors, so there is no ratio.".to_owned()
    } else {
        format!(
            "median ratio {median:.2} over {count} of {}, at most {bound} asked for: {met}.",
            duels.len()
        )
    };
    format!(
        "{ratios} Better by more than two standard errors: {}. Worse by more than two: {}. The same: {}.",
        places(Verdict::Better),
        places(Verdict::Worse),
        places(Verdict::Same),
    )
}

/// Whether the mean error of ours on one line is at most a bound.
pub(super) fn within(
    lines: &[Line],
    ours: &[String],
    (set, budget): (&str, usize),
    bound: f64,
) -> String {
    let line = lines.iter().find(|line| line.set == set && line.budget == budget);
    let of = |label: &String| {
        let mean = mean(&line?.ours(label)?.errors);
        Some(format!("{label} {mean:.3}, at most {bound} asked for: {}", word(mean <= bound)))
    };
    let all: Vec<String> = ours.iter().filter_map(of).collect();
    if all.is_empty() {
        String::new()
    } else {
        format!("\n{set} at k = {budget}: {}.\n", all.join("; "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(reads: Reads, label: &str, errors: [f64; 3]) -> Entry {
        Entry { reads, label: label.into(), errors: errors.into() }
    }

    /// Excesses of 1, 0.5 and 0.25 (published) and `ours`, by split about the mean.
    fn line(set: &str, ours: f64) -> Line {
        let around = |mean: f64| [mean - 0.01, mean, mean + 0.01];
        let entries = vec![
            entry(Reads::Uniform, "slow", around(2.0)),
            entry(Reads::Uniform, "fast", around(1.5)),
            entry(Reads::Known, "told", around(1.25)),
            entry(Reads::Ours, "fiml", around(1.0 + ours)),
        ];
        Line { set: set.into(), budget: 4, full: vec![0.99, 1.0, 1.02], entries }
    }

    #[test]
    fn the_best_is_that_of_least_mean_among_those_allowed() {
        let mut line = line("a", 0.1);
        assert_eq!(line.best(Rivals::Uniform).unwrap().label, "fast");
        assert_eq!(line.best(Rivals::All).unwrap().label, "told");
        // One that blew up on a split is not the best; what has no number is none.
        line.entries[1].errors[0] = 9.0;
        assert_eq!(line.best(Rivals::Uniform).unwrap().label, "slow");
        line.entries[0].errors[1] = f64::NAN;
        assert_eq!(line.best(Rivals::Uniform).unwrap().label, "fast");
    }

    #[test]
    fn medians_and_losses_are_counted_by_hand() {
        let lines = [line("a", 0.125), line("b", 0.2), line("c", 0.75)];
        let ours = ["fiml".to_owned()];
        let text = excesses(&lines, &ours, Rivals::Uniform, 0.5);
        // Ratios 0.25, 0.4 and 1.5, but for what ridge is off a round number.
        assert!(
            text.contains("median ratio 0.40 over 3 of 3, at most 0.5 asked for: yes."),
            "{text}"
        );
        assert!(
            text.contains("Better by more than two standard errors: 2 (a k = 4, b k = 4)."),
            "{text}"
        );
        assert!(text.contains("Worse by more than two: 1 (c k = 4)."), "{text}");
        let text = excesses(&lines, &ours, Rivals::All, 0.65);
        assert!(text.contains("median ratio 0.80") && text.contains("asked for: no."), "{text}");
        assert_eq!(
            within(&lines, &ours, ("b", 4), 1.25),
            "\nb at k = 4: fiml 1.200, at most 1.25 asked for: yes.\n"
        );
        assert!(within(&lines, &ours, ("b", 4), 1.1).contains("asked for: no"));
        assert_eq!(within(&lines, &[], ("b", 4), 1.1), "");
    }

    #[test]
    fn equal_errors_are_the_same_and_an_unsure_excess_gives_no_ratio() {
        let mut line = line("a", 0.5);
        line.full = vec![0.5, 1.0, 1.6];
        line.entries.remove(2);
        let text = excesses(&[line], &["fiml".to_owned()], Rivals::All, 0.65);
        assert!(
            text.contains("there is no ratio") && text.contains("The same: 1 (a k = 4)."),
            "{text}"
        );
    }
}
