//! Writes tables in Markdown: what a paper says beside what was measured.

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
