//! Writes results: files beside their place and then renamed, tables and JSON to stdout.

use anyhow::{Context, Result};
use std::io::Write;
use std::path::{Path, PathBuf};

/// A folder for results, made and tried before any work is done.
pub(crate) struct Folder {
    path: PathBuf,
    /// Whether this run made it; removed again if nothing is written.
    made: bool,
    written: bool,
}

impl Folder {
    /// Makes the folder if need be and makes sure that files can be written.
    pub(crate) fn open(path: &Path) -> Result<Folder> {
        let made = !path.exists();
        std::fs::create_dir_all(path).with_context(|| format!("cannot make the folder {}", path.display()))?;
        let folder = Folder { path: path.to_owned(), made, written: false };
        tempfile::NamedTempFile::new_in(path)
            .with_context(|| format!("cannot write into the folder {}; choose another with --out", path.display()))?;
        Ok(folder)
    }

    /// Writes a file into the folder.
    pub(crate) fn write(&mut self, name: &str, content: &str) -> Result<PathBuf> {
        let path = self.path.join(name);
        write_file(&path, content)?;
        self.written = true;
        Ok(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if self.made && !self.written {
            // Only succeeds while it is empty.
            let _ = std::fs::remove_dir(&self.path);
        }
    }
}

/// Writes a file beside its place and renames it, so that no partial file is ever seen.
pub(crate) fn write_file(path: &Path, content: &str) -> Result<()> {
    let place = || format!("cannot write {}", path.display());
    let mut file = beside(path).with_context(place)?;
    file.write_all(content.as_bytes()).with_context(place)?;
    // Temporary files are private; results are like any file that the user makes.
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        file.as_file().set_permissions(std::fs::Permissions::from_mode(0o644)).with_context(place)?;
    }
    file.persist(path).map_err(|e| e.error).with_context(place)?;
    Ok(())
}

/// Makes sure that a file can be written at this place, before the work whose result it will hold.
pub(crate) fn check_writable(path: &Path) -> Result<()> {
    if path.is_dir() {
        return crate::failure::usage_error(format!("cannot write {}: it is a folder", path.display()));
    }
    beside(path).with_context(|| format!("cannot write {}", path.display()))?;
    Ok(())
}

fn beside(path: &Path) -> std::io::Result<tempfile::NamedTempFile> {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    tempfile::NamedTempFile::new_in(folder)
}

/// Prints to stdout.
pub(crate) fn print(text: &str) -> Result<()> {
    let mut stdout = std::io::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    stdout.flush()?;
    Ok(())
}

/// Says something on stderr, unless asked to be quiet.
pub(crate) fn remark(quiet: bool, text: &str) {
    if !quiet {
        let _ = writeln!(std::io::stderr(), "{text}");
    }
}

/// Lines up columns; the first to the left, the others to the right.
pub(crate) fn align(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |c: usize| rows.iter().filter_map(|r| r.get(c)).map(|t| t.chars().count()).max().unwrap_or(0);
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
