//! Writes a comparison as text: the table, footnotes, the parameters and the notes.

use crate::args::{CompareArgs, MissingArg};
use crate::tables::input::Input;
use crate::tables::test_table::TestTable;
use crate::terminal::measure::Measure;
use crate::terminal::output::{self, align};
use crate::terminal::{colour, format};
use halfseen::data::Target;
use halfseen::error::list;
use halfseen::learner::Family;
use halfseen::model::Note;
use halfseen::registry;
use halfseen::select::{CONSTANT, Comparison, Seen, Statistics, Summary};

/// Returns the printed table: one line per learner, mean and standard deviation over the splits.
/// Where a terminal of this width has no room for it, heads are broken and figures left out.
pub(crate) fn table(comparison: &Comparison, width: Option<usize>) -> String {
    let any = |figure: fn(&Summary) -> bool| comparison.summary.iter().any(figure);
    let mut columns = Columns {
        short: Short::Whole,
        squared: any(|s| s.test_mse.is_some()),
        wrong: any(|s| s.test_error.is_some()),
        wrong_first: Measure::of(comparison) == Measure::Wrong,
        attacked: any(|s| s.attacked_error.is_some() || s.attacked_mse.is_some()),
        spent: any(|s| s.spent.is_some()),
    };
    let mut table = |short| {
        columns.short = short;
        let mut rows = columns.head();
        let head = rows.len();
        rows.extend(comparison.summary.iter().map(|s| columns.line(s, comparison)));
        (head, align(&rows))
    };
    let room = width.unwrap_or(usize::MAX);
    let fits = |(_, text): &(usize, String)| text.lines().all(|line| line.chars().count() <= room);
    // The narrowest table where none fits.
    let tables = [Short::Whole, Short::Heads, Short::Deviations, Short::Figures, Short::Seconds]
        .map(&mut table);
    let last = tables[4].clone();
    let (head, text) = tables.into_iter().find(fits).unwrap_or(last);
    coloured(&text, head, comparison)
}

/// Marks the best learner's line, and those that are no better than the constant.
fn coloured(text: &str, head: usize, comparison: &Comparison) -> String {
    let (best, bad) = (comparison.best(), comparison.no_better_than_constant());
    let mut lines = text.lines();
    let heads: String = lines.by_ref().take(head).map(|line| format!("{line}\n")).collect();
    let marked = lines.zip(&comparison.summary).map(|(line, summary)| match summary.learner {
        name if bad.contains(&name) => format!("{}\n", colour::faint(line)),
        name if best == Some(name) => format!("{}\n", colour::bold(line)),
        _ => format!("{line}\n"),
    });
    heads + &marked.collect::<String>()
}

/// Amount that is left out of a table that is too wide; each includes those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Short {
    /// Nothing.
    Whole,
    /// Nothing, but the heads of columns take several lines.
    Heads,
    /// The deviation of the seconds.
    Deviations,
    /// The median, and the reads in all.
    Figures,
    /// The seconds.
    Seconds,
}

/// Columns of a table.
struct Columns {
    short: Short,
    squared: bool,
    wrong: bool,
    /// True if all learners have a misclassification rate, but not all have a squared error.
    wrong_first: bool,
    /// True if test rows were also attacked.
    attacked: bool,
    spent: bool,
}

impl Columns {
    /// Returns the errors' columns in their order.
    fn errors(&self, squared: Vec<String>, wrong: String) -> Vec<String> {
        let squared = if self.squared { squared } else { Vec::new() };
        let wrong: Vec<String> = self.wrong.then_some(wrong).into_iter().collect();
        if self.wrong_first { [wrong, squared].concat() } else { [squared, wrong].concat() }
    }

    /// Returns the lines of the head.
    fn head(&self) -> Vec<Vec<String>> {
        let mut head = ["learner", "read per example"].map(str::to_owned).to_vec();
        head.extend((self.short < Short::Figures).then(|| "read in all".to_owned()));
        let squared = ["test squared error", "median"].map(str::to_owned).to_vec();
        let squared = self.without_median(squared);
        head.extend(self.errors(squared, "test error".to_owned()));
        // Under attack, classes are judged by the misclassification rate only.
        let attacked = if self.wrong { "attacked error" } else { "attacked squared error" };
        head.extend(self.attacked.then(|| attacked.to_owned()));
        head.extend(self.spent.then(|| "spent".to_owned()));
        head.extend((self.short < Short::Seconds).then(|| "seconds".to_owned()));
        if self.short == Short::Whole {
            return vec![head];
        }
        // "test squared" above "error".
        let pairs = head.iter().map(|title| title.rsplit_once(' ').unwrap_or(("", title)));
        let (above, below): (Vec<String>, Vec<String>) =
            pairs.map(|(above, below)| (above.to_owned(), below.to_owned())).unzip();
        vec![above, below]
    }

    fn without_median(&self, mut squared: Vec<String>) -> Vec<String> {
        squared.truncate(if self.short < Short::Figures { 2 } else { 1 });
        squared
    }

    fn line(&self, s: &Summary, comparison: &Comparison) -> Vec<String> {
        let mut cells = vec![s.learner.to_owned(), per_example(s, comparison)];
        if self.short < Short::Figures {
            cells.push(format::thousands(s.distinct.map_or(0.0, |f| f.mean)));
        }
        let squared = vec![
            shown(s.test_mse, Measure::Squared),
            s.test_mse.map_or("-".into(), |f| format::number(f.median)),
        ];
        let squared = self.without_median(squared);
        cells.extend(self.errors(squared, shown(s.test_error, Measure::Wrong)));
        let attacked = match self.wrong {
            true => shown(s.attacked_error, Measure::Wrong),
            false => shown(s.attacked_mse, Measure::Squared),
        };
        cells.extend(self.attacked.then_some(attacked));
        cells.extend(self.spent.then(|| s.spent.map_or("-".into(), |f| format::number(f.mean))));
        let deviation = |sd: f64| match self.short < Short::Deviations {
            true => format!(" ± {sd:.3}"),
            false => String::new(),
        };
        let seconds = s.seconds.map_or("-".into(), |f| format!("{:.3}{}", f.mean, deviation(f.sd)));
        cells.extend((self.short < Short::Seconds).then_some(seconds));
        cells
    }
}

/// Returns the budget; for a learner of missing values the mean number of observed cells.
fn per_example(s: &Summary, comparison: &Comparison) -> String {
    let rows = || comparison.rows.iter().filter(|r| r.learner == s.learner);
    if !takes_holes(s.learner) || chooses(s.learner, comparison) {
        return s.budget.to_string();
    }
    let (reads, examples) =
        (rows().map(|r| r.reads).sum::<u64>(), rows().map(|r| r.examples).sum::<u64>());
    format!("{:.1}", reads as f64 / examples.max(1) as f64)
}

/// Returns true if the learner of this name chose its reads, rather than using all observed cells.
fn chooses(name: &str, comparison: &Comparison) -> bool {
    let mut rows = comparison.rows.iter().filter(|r| r.learner == name);
    rows.any(|r| {
        registry::with_params(name, &r.params)
            .is_ok_and(|l| l.needs().either && l.needs().chooses())
    })
}

/// Returns true if the learner of this name gets the table with its missing cells.
fn takes_holes(name: &str) -> bool {
    registry::find(name).is_ok_and(|l| l.needs().holes)
}

/// Returns true if a learner has nothing for cross-validation to choose.
fn tunes_itself(name: &str) -> bool {
    registry::find(name).is_ok_and(|l| l.grid().0.is_empty())
}

fn family(name: &str) -> Option<Family> {
    registry::find(name).ok().map(|l| l.family())
}

/// Formats an error for a table.
pub(crate) fn shown(error: Option<Statistics>, measure: Measure) -> String {
    match (error, measure) {
        (None, _) => "-".into(),
        (Some(f), Measure::Squared) => {
            // Equal errors may differ by rounding.
            let sd = if f.sd < 1e-12 * f.mean.abs() { 0.0 } else { f.sd };
            format!("{} ± {}", format::number(f.mean), format::number(sd))
        }
        (Some(f), Measure::Wrong) => format!("{:.1} ± {:.1} %", 100.0 * f.mean, 100.0 * f.sd),
    }
}

/// Returns the table's footnotes.
pub(crate) fn footnotes(
    args: &CompareArgs,
    input: &Input,
    seen: &Seen,
    test: Option<&TestTable>,
    comparison: &Comparison,
) -> String {
    let mut notes = String::new();
    let unit = match input.target {
        Target::Numbers(_) => "squared error in the target's units",
        Target::Classes { .. } if comparison.summary.iter().all(|s| s.test_mse.is_none()) => {
            "test error is the share of misclassified test rows"
        }
        Target::Classes { .. } => "squared error of the score against -1 and +1",
    };
    let complete = comparison.splits();
    let splits = match test {
        Some(test) => {
            format!(
                "{complete} seeds, tested on the {} rows of {}",
                format::thousands(test.rows() as f64),
                test.name
            )
        }
        None => {
            format!("{complete} splits, {:.0} % of the rows test", 100.0 * args.test_share)
        }
    };
    notes.push_str(&format!("{}: mean ± standard deviation over {splits}; {unit}.\n", input.name));
    let budgeted = comparison.summary.iter().any(|s| family(s.learner) == Some(Family::Budget));
    let read =
        comparison.rows.iter().filter(|r| r.tuning_reads > 0).map(|r| (r.learner, r.tuning_reads));
    let read_more = read.clone().next().is_some();
    match read.max_by_key(|&(_, reads)| reads) {
        Some((learner, reads)) if budgeted => notes.push_str(&format!(
            "Each learner was tuned by cross-validation on the training part. This reads more than a budget \
             allows, as in the papers (here up to {} reads per split, by {learner}); --honest compares without it.\n",
            format::thousands(reads as f64)
        )),
        Some(_) => notes.push_str("Each learner was tuned by cross-validation on the training part.\n"),
        None => {}
    }
    let own = names(comparison, |name| tunes_itself(name) && family(name) == Some(Family::Budget));
    if read_more && !own.is_empty() {
        notes.push_str(&format!("Except {}, tuned on its own reads only.\n", list(&own)));
    }
    if let Some(row) = comparison
        .rows
        .iter()
        .filter(|r| r.outside_bounds > Some(0))
        .max_by_key(|r| r.outside_bounds)
    {
        let count = row.outside_bounds.unwrap_or(0);
        if let Some(text) = input.outside_bounds(count, &row.first_outside) {
            notes.push_str(&format!("In one run, by {}: {text}.\n", row.learner));
        }
    }
    if let Some(unused) = comparison.rows.iter().filter_map(|r| r.unused).max() {
        notes.push_str(&format!(
            "Budgeted learners had a total budget of {} reads; at most {} were left.\n",
            format::thousands(args.table.total_budget.unwrap_or(0) as f64),
            format::thousands(unused as f64)
        ));
    }
    let says = match &input.target {
        Target::Numbers(_) => "mean",
        Target::Classes { classes, .. } if classes.len() > 2 => "most frequent class",
        Target::Classes { .. } => "mean of -1 and +1, and so the more frequent class",
    };
    notes.push_str(&format!("{CONSTANT}: always predicts the training rows' {says}.\n"));
    let bad = comparison.no_better_than_constant();
    if !bad.is_empty() {
        let under = if args.threat.is_some() { " under attack" } else { "" };
        notes.push_str(&format!("No better than {CONSTANT}{under}: {}.\n", list(&bad)));
    }
    notes.push_str(&attacked(args, comparison));
    notes.push_str(&holes(args, seen, comparison));
    if input.dropped > 0 && args.missing == MissingArg::Drop {
        notes.push_str(&format!("{} rows with missing cells were dropped.\n", input.dropped));
    }
    notes
}

/// Describes the attack, the threats that learners prepare for, and their tuning.
fn attacked(args: &CompareArgs, comparison: &Comparison) -> String {
    let prepares = |name: &str| family(name) == Some(Family::Robust);
    let robust = names(comparison, prepares);
    let tuned_so =
        |name: &str| comparison.rows.iter().any(|row| row.learner == name && row.tuning_reads > 0);
    let mut notes = String::new();
    if robust.iter().any(|name| tuned_so(name)) {
        notes.push_str(&format!(
            "{} tuned by its error under the exact attack with its own threat; all others on unchanged rows.\n",
            match robust[..] {
                [one] => format!("{one} was"),
                _ => format!("Each of {} was", list(&robust)),
            }
        ));
    }
    let Some(threat) = args.threat else { return notes };
    let attack = args.attack.map_or("exact", |attack| attack.name());
    notes.push_str(&format!(
        "Attacked: {} attributes of each test row are deleted, chosen by the {attack} adversary, who knows the learner's weights.\n",
        format::rounded(threat)
    ));
    let without = names(comparison, |name| {
        let mut rows = comparison.rows.iter().filter(|row| row.learner == name);
        rows.all(|row| row.attacked_error.is_none() && row.attacked_mse.is_none())
    });
    if !without.is_empty() {
        notes.push_str(&format!(
            "For {} no attack is computed: attacks need an additive model.\n",
            list(&without)
        ));
    }
    notes
}

/// Counts the missing cells, and describes how each learner treated them.
fn holes(args: &CompareArgs, seen: &Seen, comparison: &Comparison) -> String {
    let mut notes = String::new();
    if seen.observed < seen.cells {
        notes.push_str(&format!(
            "Missing: {:.1} % of the attributes' cells, {} of {}; {} rows have some{}.\n",
            100.0 * (1.0 - seen.share()),
            format::thousands((seen.cells - seen.observed) as f64),
            format::thousands(seen.cells as f64),
            format::thousands(seen.rows_with_holes as f64),
            match seen.empty_rows {
                0 => String::new(),
                rows => format!(", {} are empty", format::thousands(rows as f64)),
            }
        ));
    }
    let filled = comparison.rows.iter().map(|r| r.imputed).max().unwrap_or(0);
    if filled > 0 {
        let who = names(comparison, |name| {
            comparison.rows.iter().any(|r| r.learner == name && r.imputed > 0)
        });
        notes.push_str(&format!(
            "For {} {} missing cells were imputed by the training mean of their column.\n",
            list(&who),
            format::thousands(filled as f64)
        ));
    }
    let vanished = comparison.rows.iter().map(|r| r.vanished).max().unwrap_or(0);
    if vanished > 0 {
        let who = names(comparison, |name| {
            comparison.rows.iter().any(|r| r.learner == name && r.vanished > 0)
        });
        notes.push_str(&format!(
            "For {} {} missing cells count as deleted: they are 0, in training and in test rows.\n",
            list(&who),
            format::thousands(vanished as f64)
        ));
    }
    // A new category in a test row counts as missing too.
    if seen.observed < seen.cells {
        let fills = |name: &str| registry::find(name).ok().and_then(|l| l.needs().fills);
        let own = names(comparison, |name| fills(name).is_some());
        let refused = names(comparison, |name| takes_holes(name) && chooses(name, comparison));
        let nothing = names(comparison, |name| {
            takes_holes(name) && !own.contains(&name) && !refused.contains(&name)
        });
        if !nothing.is_empty() {
            notes.push_str(&format!(
                "For {} nothing was imputed: they use the observed cells of each row.\n",
                list(&nothing)
            ));
        }
        if !refused.is_empty() {
            notes.push_str(&format!(
                "For {} a read of a missing cell returned nothing; it counts as a read.\n",
                list(&refused)
            ));
        }
        for name in own {
            let what = fills(name).unwrap_or_default();
            notes.push_str(&format!("{name} imputed {what} for each missing cell.\n"));
        }
    }
    let passive = names(comparison, |name| !takes_holes(name) && name != CONSTANT);
    if args.missing == MissingArg::Observed && !passive.is_empty() {
        notes.push_str(&format!(
            "For {} nothing was imputed: they learned from the observed cells of each row, at no cost.\n",
            list(&passive)
        ));
    }
    notes
}

/// Returns the names of the compared learners that fulfil a condition.
fn names(comparison: &Comparison, kind: impl Fn(&str) -> bool) -> Vec<&'static str> {
    comparison.summary.iter().map(|s| s.learner).filter(|name| kind(name)).collect()
}

/// Remarks on the results: each kind of note once, with the learners that it holds for.
pub(crate) fn remark_notes(comparison: &Comparison, quiet: bool) {
    // The table itself shows that a fit is no better than a constant: it has a row for one.
    let worth = |note: &&Note| !matches!(note, Note::NotShownBetter { .. });
    let all = || {
        comparison
            .rows
            .iter()
            .flat_map(|row| Note::told(&row.notes).filter(worth).map(move |note| (row, note)))
    };
    for summary in &comparison.summary {
        let early: Vec<_> = comparison
            .rows
            .iter()
            .filter(|r| r.learner == summary.learner && !r.converged)
            .collect();
        if let Some(row) = early.first() {
            let (fits, splits) = (
                early.len(),
                comparison.rows.iter().filter(|r| r.learner == summary.learner).count(),
            );
            output::remark(
                quiet,
                &format!(
                    "warning: {}, {fits} of {splits} final fits stopped early: {}",
                    summary.learner, row.stop
                ),
            );
        }
    }
    let mut told = Vec::new();
    for (_, note) in all() {
        let kind = std::mem::discriminant(note);
        if told.contains(&kind) {
            continue;
        }
        told.push(kind);
        let same = || {
            all().filter(|(_, other)| std::mem::discriminant(*other) == kind).map(|(row, _)| row)
        };
        let who = names(comparison, |name| same().any(|row| row.learner == name));
        let splits: std::collections::BTreeSet<usize> = same().map(|row| row.split).collect();
        let of = comparison.splits();
        output::remark(
            quiet,
            &format!("note: {}, in {} of {of} splits: {note}", list(&who), splits.len()),
        );
    }
}

/// Returns the winning parameters among those that were tuned, split by split.
pub(crate) fn parameters(comparison: &Comparison) -> String {
    let mut text = String::from("\nparameters (one per split):\n");
    for summary in &comparison.summary {
        let Ok(learner) = registry::find(summary.learner) else { continue };
        let rows = || comparison.rows.iter().filter(|r| r.learner == summary.learner);
        let axes = learner.grid().0;
        if axes.is_empty() {
            text.push_str(&format!("  {}: tunes itself\n", summary.learner));
            continue;
        }
        let shown = axes.iter().map(|(name, _)| {
            let values = rows().map(|r| r.params.get(*name).map_or("-".into(), format::plain));
            format!("{name} {}", values.collect::<Vec<_>>().join(" "))
        });
        text.push_str(&format!(
            "  {}: {}\n",
            summary.learner,
            shown.collect::<Vec<_>>().join("; ")
        ));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_fits_into_a_terminal_of_80_columns() {
        let figure = |mean: f64| Statistics::of(vec![mean, mean * 1.01]);
        let summary = |learner| Summary {
            learner,
            budget: 784,
            test_mse: figure(103.123),
            test_error: figure(0.1234),
            attacked_mse: figure(204.5),
            attacked_error: figure(0.2345),
            reads: figure(9_493_456.0),
            distinct: figure(9_493_456.0),
            spent: figure(912_345.5),
            seconds: figure(12.345),
        };
        let summary = vec![summary("ridge"), summary("ddaelr-2p")];
        let comparison = Comparison { rows: vec![], summary, curve: vec![] };
        let widest = |text: &str| text.lines().map(|line| line.chars().count()).max().unwrap_or(0);
        let table =
            |comparison, width| anstream::adapter::strip_str(&table(comparison, width)).to_string();
        let whole = table(&comparison, None);
        assert!(widest(&whole) > 100 && whole.lines().count() == 3, "{whole}");
        assert_eq!(table(&comparison, Some(200)), whole);
        let narrow = table(&comparison, Some(80));
        assert!(widest(&narrow) <= 80, "{narrow}");
        // Every error stays, under a head of two lines.
        assert_eq!(narrow.matches('±').count(), 6, "{narrow}");
        assert_eq!(narrow.lines().count(), 4, "{narrow}");
        let roomy = table(&comparison, Some(110));
        assert!(roomy.contains("median") && widest(&roomy) <= 110, "{roomy}");
    }
}
