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

/// A statement of a paper, what was found of it, and why that differs.
pub(crate) struct Claim {
    paper: &'static str,
    ours: String,
    why: String,
}

impl Claim {
    pub(crate) fn new(paper: &'static str, ours: String) -> Claim {
        Claim { paper, ours, why: String::new() }
    }

    /// Begins what was found with a yes or a no, and gives a reason for the no.
    pub(crate) fn judged(self, holds: bool, why: impl Into<String>) -> Claim {
        let ours = format!("{}: {}", word(holds), self.ours);
        Claim { ours, why: if holds { String::new() } else { why.into() }, ..self }
    }
}

/// The reason of a difference that nobody knows.
pub(crate) const NOT_KNOWN: &str = "not known";

/// A table of statements.
pub(crate) fn claims(all: &[Claim]) -> String {
    let rows =
        all.iter().map(|claim| vec![claim.paper.to_owned(), claim.ours.clone(), claim.why.clone()]);
    aligned(&["the paper says", "here", "why it differs"], "---", rows)
}

/// Whether a statement holds here, in a word.
pub(crate) fn word(holds: bool) -> &'static str {
    if holds { "yes" } else { "no" }
}

/// A table in Markdown; the first column to the left, the others to the right.
pub(crate) fn table(head: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    aligned(head, "---:", rows)
}

/// The same, with a mark for how the columns after the first are aligned.
fn aligned(head: &[&str], mark: &str, rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let line = |cells: &[String]| {
        let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
        format!("| {} |\n", cells.join(" | "))
    };
    let head: Vec<String> = head.iter().map(|cell| (*cell).to_owned()).collect();
    let rule = format!("|---|{}\n", format!("{mark}|").repeat(head.len() - 1));
    let body: String = rows.into_iter().map(|row| line(&row)).collect();
    format!("{}{rule}{body}", line(&head))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_does_not_hold_has_a_reason() {
        let claim = |holds| Claim::new("A is below B", "1 and 2".into()).judged(holds, "because");
        let bare = Claim::new("there are 7", "8".into());
        assert_eq!(
            claims(&[claim(true), claim(false), bare]),
            "| the paper says | here | why it differs |\n|---|---|---|\n| A is below B | yes: 1 and 2 |  |\n\
             | A is below B | no: 1 and 2 | because |\n| there are 7 | 8 |  |\n"
        );
    }

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
