//! Writes results: files to a temporary place and then renamed, tables and JSON to stdout.

use crate::terminal::colour;
use crate::terminal::failure::usage_error;
use crate::terminal::interrupt::Unfinished;
use anyhow::{Context, Result};
use halfseen::prepare::Applied;
use std::io::Write;
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// Folder for results, created and tested before any work is done.
pub(crate) struct Folder {
    path: PathBuf,
    /// Folders created by this run, the innermost first; removed again if nothing is written.
    made: Vec<PathBuf>,
    _unfinished: Vec<Unfinished>,
    written: bool,
}

/// Names of the pictures of a comparison, which a later one in the same folder replaces or removes.
const PICTURES: [&str; 4] =
    ["curve-examples.svg", "curve-attributes.svg", "curve-own-test.svg", "curve-hidden.svg"];

impl Folder {
    /// Creates the folder if needed, and makes sure that files can be written.
    pub(crate) fn open(path: &Path) -> Result<Folder> {
        let absent = |p: &&Path| !p.as_os_str().is_empty() && !p.exists();
        let made: Vec<PathBuf> = path.ancestors().take_while(absent).map(Path::to_owned).collect();
        // Dropped on failure, this removes the folders created so far.
        let _unfinished = made.iter().rev().cloned().map(Unfinished::of).collect();
        let folder = Folder { path: path.to_owned(), made, _unfinished, written: false };
        std::fs::create_dir_all(path)
            .or_else(|e| refused("--out", "create the folder", path, &e))?;
        beside(&path.join("probe"))
            .or_else(|e| refused("--out", "write into the folder", path, &e))?;
        Ok(folder)
    }

    /// Writes all of the files, or none if there is no room for them, and removes the pictures of
    /// an earlier run that are not among them. Returns the paths.
    pub(crate) fn write(&mut self, files: &[(&str, String)]) -> Result<Vec<PathBuf>> {
        let mut written = Vec::new();
        for (name, content) in files {
            let path = self.path.join(name);
            let place = std::fs::canonicalize(&path).unwrap_or_else(|_| path.clone());
            if place.is_dir() {
                return usage_error(format!("cannot write {}: it is a folder", path.display()));
            }
            let file = match is_special(&place) {
                true => None,
                false => Some(
                    temporary(&place, content).or_else(|e| refused("--out", "write", &path, &e))?,
                ),
            };
            written.push((path, place, file, content));
        }
        let mut paths = Vec::new();
        for (path, place, file, content) in written {
            let done = match file {
                Some((file, unfinished)) => {
                    unfinished.finish(|| file.persist(&place)).map(drop).map_err(|e| e.error)
                }
                None => write_to(&place, content),
            };
            done.or_else(|e| refused("--out", "write", &path, &e))?;
            self.written = true;
            paths.push(path);
        }
        for stale in PICTURES.iter().filter(|name| files.iter().all(|(other, _)| other != *name)) {
            match std::fs::remove_file(self.path.join(stale)) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return refused("--out", "remove", &self.path.join(stale), &error);
                }
                _ => {}
            }
        }
        Ok(paths)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if !self.written {
            for folder in &self.made {
                // Succeeds only if it is empty.
                let _ = std::fs::remove_dir(folder);
            }
        }
    }
}

/// Returns true for `-`, which stands for standard input or output.
pub(crate) fn is_standard(path: &Path) -> bool {
    path == Path::new("-")
}

/// Writes a file to a temporary place and renames it, so that no partial file is ever seen.
///
/// A link is kept, and its target is written. A pipe or device, such as /dev/null, is written to
/// and never replaced; `-` is stdout.
pub(crate) fn write_file(path: &Path, content: &str) -> Result<()> {
    if is_standard(path) {
        return print(content);
    }
    let place = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    write_to(&place, content).or_else(|e| refused("--out", "write", path, &e))
}

/// A result that is written piece by piece: to a file as [`write_file`] does, which appears when it
/// is finished, or to stdout.
pub(crate) struct Growing<'a> {
    path: Option<&'a Path>,
    to: Destination,
}

enum Destination {
    Stdout,
    Special(std::fs::File),
    /// The place of the file, and the temporary file beside it.
    Beside(PathBuf, NamedTempFile, Unfinished),
}

impl<'a> Growing<'a> {
    /// Begins a file, or without a path stdout.
    pub(crate) fn begin(path: Option<&'a Path>) -> Result<Growing<'a>> {
        let Some(path) = path.filter(|path| !is_standard(path)) else {
            return Ok(Growing { path: None, to: Destination::Stdout });
        };
        let place = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let opened = match is_special(&place) {
            true => std::fs::OpenOptions::new().write(true).open(&place).map(Destination::Special),
            false => temporary(&place, "")
                .map(|(file, unfinished)| Destination::Beside(place, file, unfinished)),
        };
        let to = opened.or_else(|e| refused("--out", "write", path, &e))?;
        Ok(Growing { path: Some(path), to })
    }

    /// Adds a piece.
    pub(crate) fn add(&mut self, content: &str) -> Result<()> {
        let written = match &mut self.to {
            Destination::Stdout => return print(content),
            Destination::Special(file) => file.write_all(content.as_bytes()),
            Destination::Beside(_, file, _) => file.write_all(content.as_bytes()),
        };
        written.or_else(|e| refused("--out", "write", self.path.unwrap_or(Path::new("-")), &e))
    }

    /// Gives the file its name.
    pub(crate) fn finish(self) -> Result<()> {
        let Destination::Beside(place, file, unfinished) = self.to else { return Ok(()) };
        unfinished
            .finish(|| file.persist(&place))
            .map(drop)
            .or_else(|e| refused("--out", "write", self.path.unwrap_or(Path::new("-")), &e.error))
    }
}

fn write_to(path: &Path, content: &str) -> std::io::Result<()> {
    if is_special(path) {
        return std::fs::OpenOptions::new().write(true).open(path)?.write_all(content.as_bytes());
    }
    let (file, unfinished) = temporary(path, content)?;
    unfinished.finish(|| file.persist(path)).map_err(|e| e.error)?;
    Ok(())
}

/// Writes a temporary file beside a path, with the permissions of a result.
fn temporary(path: &Path, content: &str) -> std::io::Result<(NamedTempFile, Unfinished)> {
    let (mut file, unfinished) = beside(path)?;
    file.write_all(content.as_bytes())?;
    // Temporary files are private; results are like any file that the user makes.
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        file.as_file().set_permissions(std::fs::Permissions::from_mode(0o644))?;
    }
    Ok((file, unfinished))
}

/// Makes sure, before the work, that its result can be written to this path, the value of `flag`,
/// and replaces none of these other files.
pub(crate) fn check_writable(flag: &str, path: &Path, inputs: &[&Path]) -> Result<()> {
    if is_standard(path) {
        return Ok(());
    }
    if path.is_dir() {
        return usage_error(format!(
            "cannot write {}: it is a folder; name a file",
            path.display()
        ));
    }
    if is_special(path) {
        return Ok(());
    }
    let place = std::fs::canonicalize(path);
    if let Ok(place) = &place
        && inputs
            .iter()
            .any(|input| std::fs::canonicalize(input).is_ok_and(|input| input == *place))
    {
        return usage_error(format!(
            "{flag} {}: this file is read, and would be replaced; name another",
            path.display()
        ));
    }
    beside(&place.unwrap_or_else(|_| path.to_owned()))
        .map(|_| ())
        .or_else(|e| refused(flag, "write", path, &e))
}

/// Returns true if two paths name one file, whether it exists or not.
pub(crate) fn same_place(one: &Path, other: &Path) -> bool {
    let place = |path: &Path| {
        std::fs::canonicalize(path).or_else(|_| {
            let folder = path.parent().filter(|p| !p.as_os_str().is_empty());
            let folder = std::fs::canonicalize(folder.unwrap_or(Path::new(".")))?;
            Ok::<_, std::io::Error>(folder.join(path.file_name().unwrap_or_default()))
        })
    };
    !is_special(one) && place(one).is_ok_and(|one| place(other).is_ok_and(|other| one == other))
}

/// Returns true for anything but a file or folder: renaming would destroy it.
fn is_special(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|m| !m.is_file() && !m.is_dir())
}

fn beside(path: &Path) -> std::io::Result<(NamedTempFile, Unfinished)> {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    Unfinished::new(|| NamedTempFile::new_in(folder), NamedTempFile::path)
}

/// Returns an error that explains why a path cannot be written. A closed pipe remains a separate
/// error: it is not a failure.
fn refused<T>(flag: &str, what: &str, path: &Path, error: &std::io::Error) -> Result<T> {
    use std::io::ErrorKind;
    let why = match error.kind() {
        ErrorKind::BrokenPipe => return Err(std::io::Error::from(ErrorKind::BrokenPipe).into()),
        ErrorKind::NotFound => "its parent folder does not exist or accepts no files".into(),
        ErrorKind::NotADirectory => "its parent is a file, not a folder".into(),
        ErrorKind::AlreadyExists => "a file of that name exists".into(),
        ErrorKind::PermissionDenied => "permission denied".into(),
        ErrorKind::ReadOnlyFilesystem => "the disk is read-only".into(),
        ErrorKind::StorageFull => "the disk is full".into(),
        _ => plain_reason(error),
    };
    usage_error(format!(
        "cannot {what} {}: {why}; choose another place with {flag}",
        path.display()
    ))
}

/// Returns the system's message without the number and the path that libraries add.
pub(crate) fn plain_reason(error: &std::io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_lowercase()
}

pub(crate) fn print(text: &str) -> Result<()> {
    let mut stdout = std::io::stdout().lock();
    stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()).context("stdout")
}

/// Prints text for people, with colours on a terminal.
pub(crate) fn show(text: &str) -> Result<()> {
    colour::print(text).context("stdout")
}

/// Returns the number of columns of the terminal that stdout is; `None` if it is none.
pub(crate) fn terminal_width() -> Option<usize> {
    terminal_size::terminal_size_of(std::io::stdout()).map(|(width, _)| usize::from(width.0))
}

/// Breaks lines longer than `width` between words; what follows is indented.
pub(crate) fn wrapped(text: &str, width: Option<usize>) -> String {
    const INDENT: &str = "  ";
    let Some(width) = width else { return text.to_owned() };
    let mut out = String::new();
    for line in text.lines() {
        let indent = &line[..line.len() - line.trim_start().len()];
        let mut at = 0;
        for word in line.split_whitespace() {
            let length = word.chars().count();
            if at == 0 {
                out.push_str(indent);
                at = indent.len();
            } else if at + 1 + length > width {
                out.push_str(&format!("\n{indent}{INDENT}"));
                at = indent.len() + INDENT.len();
            } else {
                out.push(' ');
                at += 1;
            }
            out.push_str(word);
            at += length;
        }
        out.push('\n');
    }
    out
}

/// Prints a remark to stderr, unless `quiet`.
pub(crate) fn remark(quiet: bool, text: &str) {
    if !quiet {
        colour::tell(text);
    }
}

/// Aligns columns: the first to the left, the others to the right.
pub(crate) fn align(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |c: usize| {
        rows.iter().filter_map(|r| r.get(c)).map(|t| t.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let cells = row.iter().zip(&widths).enumerate().map(|(c, (cell, &width))| {
            let pad = " ".repeat(width - cell.chars().count());
            if c == 0 { format!("{cell}{pad}") } else { format!("{pad}{cell}") }
        });
        text.push_str(cells.collect::<Vec<_>>().join("  ").trim_end());
        text.push('\n');
    }
    text
}

/// Returns lines of labels, which step back, and of what they are of; those without it are left
/// out.
pub(crate) fn labelled(width: usize, rows: Vec<(&str, Option<String>)>) -> String {
    let rows = rows.into_iter().filter_map(|(label, value)| Some((label, value?)));
    rows.map(|(label, value)| format!("{} {value}\n", colour::faint(&format!("{label:<width$}"))))
        .collect()
}

/// Remarks on unused and absent columns except `expected` ones, and on new categories.
pub(crate) fn remark_on(applied: &Applied, expected: &[Option<&str>], quiet: bool) {
    let ignored: Vec<&String> =
        applied.ignored.iter().filter(|c| !expected.contains(&Some(c.as_str()))).collect();
    if !ignored.is_empty() {
        remark(
            quiet,
            &format!("columns that the model does not use: {}", halfseen::error::list(&ignored)),
        );
    }
    if !applied.absent.is_empty() {
        let absent = halfseen::error::list(&applied.absent);
        remark(quiet, &format!("columns that are absent and count as missing: {absent}"));
    }
    if applied.new_categories > 0 {
        let cells = applied.new_categories;
        remark(
            quiet,
            &format!("cells with a category absent from training, which count as missing: {cells}"),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_between_words_and_keep_their_indent() {
        let text = "one two three four\n  aerr: radius 1 2 3\n\nunbreakable_word\n";
        let broken =
            "one two\n  three\n  four\n  aerr:\n    radius\n    1 2 3\n\nunbreakable_word\n";
        assert_eq!(wrapped(text, Some(10)), broken);
        assert_eq!(wrapped(text, None), text);
        assert_eq!(wrapped(text, Some(80)), text);
    }
}
