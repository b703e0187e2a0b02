//! Writes the page of all experiments: sections with what the paper says beside what was measured.

use crate::figures::{Experiment, Way};
use crate::holdout;
use crate::protocol::Protocol;
use crate::results::write;
use anyhow::{Context as _, Result};
use std::path::Path;

/// Above this a deviation from the paper is explained.
const LARGE: f64 = 0.15;

/// A number of a paper beside ours.
pub(crate) struct Compared {
    pub(crate) what: String,
    pub(crate) paper: f64,
    pub(crate) ours: f64,
    /// Decimals shown.
    pub(crate) decimals: usize,
    /// Why they differ, from a measurement; shown where they do by more than 15 %.
    pub(crate) why: String,
}

impl Compared {
    fn deviation(&self) -> f64 {
        self.ours / self.paper - 1.0
    }

    /// A table of such numbers, and below it the explanations of large deviations.
    pub(crate) fn table(all: &[Compared]) -> String {
        let row = |c: &Compared| {
            let digits = c.decimals;
            let deviation = 100.0 * c.deviation();
            vec![
                c.what.clone(),
                format!("{:.digits$}", c.paper),
                format!("{:.digits$}", c.ours),
                format!("{deviation:+.0} %"),
            ]
        };
        let mut text = table(&["", "paper", "ours", "deviation"], all.iter().map(row));
        for c in all.iter().filter(|c| c.deviation().abs() > LARGE) {
            let why = if c.why.is_empty() { "not explained yet." } else { &c.why };
            text += &format!("\n**{}** differs by more than 15 %: {why}\n", c.what);
        }
        text
    }
}

/// A statement of a paper beside what was found.
pub(crate) fn claims(all: &[(&str, String)]) -> String {
    table(
        &["the paper says", "here"],
        all.iter().map(|(paper, ours)| vec![(*paper).to_owned(), ours.clone()]),
    )
}

/// Whether a statement holds here, in a word.
pub(crate) fn word(holds: bool) -> &'static str {
    if holds { "yes" } else { "no" }
}

/// A table in Markdown; the first column to the left, the others to the right.
pub(crate) fn table(head: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let line = |cells: &[String]| {
        let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
        format!("| {} |\n", cells.join(" | "))
    };
    let head: Vec<String> = head.iter().map(|cell| (*cell).to_owned()).collect();
    let rule = format!("|---|{}\n", "---:|".repeat(head.len() - 1));
    let body: String = rows.into_iter().map(|row| line(&row)).collect();
    format!("{}{rule}{body}", line(&head))
}

/// Writes an experiment's section, and the page anew from all sections that are there: of the full
/// protocol where there is one, else of the quick one.
pub(crate) fn publish(
    out: &Path,
    all: &[Experiment],
    one: &Experiment,
    protocol: &Protocol,
    body: &str,
) -> Result<()> {
    let section = |name: &str, protocol: &str| out.join(format!("{name}.{protocol}.md"));
    let Experiment { name, title, .. } = one;
    let made = match one.way {
        Way::Nothing => "Nothing is learned here, so the protocols do not differ.".to_owned(),
        Way::Fixed => "Nothing is searched here, so the protocols do not differ.".to_owned(),
        Way::Folds | Way::Paired => protocol.sentence(),
        Way::Holdout => holdout::sentence(protocol),
        Way::Attack => format!(
            "Made by the {} protocol, {} draws or folds unless the section says otherwise; settings chosen on validation rows under attack; seed {}.",
            protocol.name(),
            protocol.splits,
            protocol.seed
        ),
    };
    let flags = if (one.arms)().is_empty() { String::new() } else { protocol.flags() };
    let text = format!(
        "## {name}: {title}\n\n    cargo run --release --manifest-path experiments/Cargo.toml -- {name}{}{flags}\n\n{}\n\n{body}",
        one.needs, made
    );
    write(&section(name, protocol.name()), &text)?;
    let mut page = format!("{HEAD}\n");
    for experiment in all {
        let files = ["full", "quick"].map(|protocol| section(experiment.name, protocol));
        match files.iter().find(|file| file.exists()) {
            Some(file) => {
                page +=
                    &std::fs::read_to_string(file).with_context(|| file.display().to_string())?;
                page.push('\n');
            }
            None => {
                page += &format!("## {}: {}\n\nNot run yet.\n\n", experiment.name, experiment.title)
            }
        }
    }
    let folder = out.file_name().map_or("papers".into(), |name| name.to_string_lossy());
    write(
        &out.with_file_name(format!("{folder}.md")),
        &page.trim_end().replace("](./", &format!("]({folder}/")).to_string(),
    )
}

const HEAD: &str = "# The papers' experiments, run again

Made by `halfseen-papers`; every number below comes out of the commands shown. A is Cesa-Bianchi, Shalev-Shwartz and Shamir
2010, B is Hazan and Koren 2012, C is Kukliansky and Shamir 2014, D is Hazan, Livni and Mansour 2015, E is
Dekel and Shamir 2008. Errors are squared errors
of the score against -1/+1, without 1/2, unless a section says otherwise: no weights at all score 1. Results lie beside this page as CSV, one row per point of a
curve and split.
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_in_a_cell_is_no_border() {
        assert_eq!(
            table(&["a", "b"], [vec!["|w|".into(), "1".into()]]),
            "| a | b |\n|---|---:|\n| \\|w\\| | 1 |\n"
        );
    }

    #[test]
    fn large_deviations_ask_for_an_explanation() {
        let number = |paper, ours, why: &str| Compared {
            what: "AER".into(),
            paper,
            ours,
            decimals: 3,
            why: why.into(),
        };
        let text = Compared::table(&[number(0.2, 0.22, "no matter")]);
        assert!(
            text.contains("| AER | 0.200 | 0.220 | +10 % |") && !text.contains("no matter"),
            "{text}"
        );
        let text = Compared::table(&[number(0.2, 0.3, "it was measured"), number(1.0, 0.5, "")]);
        assert!(
            text.contains("+50 %")
                && text.contains("it was measured")
                && text.contains("not explained yet")
        );
    }
}
