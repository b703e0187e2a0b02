//! Loads the data of the experiments: pairs of digits, tables, synthetic sets.

use crate::digits::Digits;
use crate::hash::hash;
use anyhow::{Context, Result, bail};
use halfseen::data::{Matrix, Place, Scale, Table, Target, Task};
use halfseen::learner::Learner;
use halfseen::prepare::Options;
use halfseen::select::Statistics;
use halfseen_io::{CsvOptions, read_csv};
use halfseen_synthetic::Synthetic;
use ndarray::{Array2, Axis};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The target of the tables that are taken as they come.
const TARGET: &str = "target";

/// Data with a target.
#[derive(Debug)]
pub(crate) struct Problem {
    /// The name in result files.
    pub(crate) name: String,
    pub(crate) table: Table,
    pub(crate) target_name: String,
    pub(crate) target: Target,
    pub(crate) scale: Scale,
    /// The rule behind synthetic data.
    pub(crate) truth: Option<Synthetic>,
}

/// Where data come from, as the caller said.
#[derive(Debug, Default)]
pub(crate) struct Sources {
    pub(crate) mnist: Option<PathBuf>,
    pub(crate) data: Option<PathBuf>,
    /// MovieLens 100k.
    pub(crate) movielens: Option<PathBuf>,
    /// Tables that are taken as they come.
    pub(crate) tables: Option<PathBuf>,
    /// Whether it is told on stderr that the digits are those that ship.
    pub(crate) told: bool,
    digits: OnceLock<Digits>,
}

impl Sources {
    /// Folders that the caller named, or none.
    pub(crate) fn new(mnist: Option<PathBuf>, data: Option<PathBuf>, told: bool) -> Sources {
        Sources { mnist, data, movielens: None, tables: None, told, digits: OnceLock::new() }
    }

    /// The folder of MovieLens 100k.
    pub(crate) fn with_movielens(self, movielens: Option<PathBuf>) -> Sources {
        Sources { movielens, ..self }
    }

    /// The folder of tables that are taken as they come.
    pub(crate) fn with_tables(self, tables: Option<PathBuf>) -> Sources {
        Sources { tables, ..self }
    }

    /// All digits of `--mnist`, or those that ship.
    pub(crate) fn digits(&self) -> Result<&Digits> {
        if let Some(digits) = self.digits.get() {
            return Ok(digits);
        }
        let digits = match &self.mnist {
            Some(folder) => Digits::mnist(folder)?,
            None => {
                if self.told {
                    let note = "note: without --mnist the digits are those that ship, the 3s and 5s of MNIST (all of them)";
                    let _ = writeln!(std::io::stderr(), "{note}");
                }
                Digits::shipped()?
            }
        };
        Ok(self.digits.get_or_init(|| digits))
    }

    /// One digit against another: the first is -1.
    pub(crate) fn pair(&self, first: u8, second: u8) -> Result<Problem> {
        let digits = self.digits()?;
        let keep: Vec<usize> = (0..digits.labels.len())
            .filter(|&i| [first, second].contains(&digits.labels[i]))
            .collect();
        if ![first, second].iter().all(|digit| keep.iter().any(|&i| digits.labels[i] == *digit)) {
            bail!(
                "the digits at hand hold no {first} or no {second}: those that ship are 3 and 5; get all by \
                 scripts/get-mnist.sh DIR and name the folder with --mnist DIR"
            );
        }
        let labels = keep.iter().map(|&i| f64::from(digits.labels[i])).collect();
        let pixels = Matrix::U8(digits.images.select(Axis(0), &keep));
        let table = Table::from_matrix(pixels, digits.names())?.with_column("label", labels)?;
        Problem::new(
            &format!("{first}v{second}"),
            table,
            "label",
            Some(Task::Classification),
            Scale::Common,
        )
    }

    /// A CSV file of the folder `--data`, and where it lies.
    pub(crate) fn csv(&self, name: &str) -> Result<(PathBuf, Table)> {
        let Some(folder) = &self.data else {
            bail!("{name}.csv is needed; name the folder that holds it with --data DIR");
        };
        let path = folder.join(format!("{name}.csv"));
        let table = read_csv(path.as_path(), &CsvOptions::default())?;
        Ok((path, table))
    }

    /// A CSV file of the folder `--data`: its columns without a missing cell, each divided by its
    /// largest absolute value.
    pub(crate) fn table(&self, name: &str, target: &str, task: Task) -> Result<Problem> {
        let (path, table) = self.csv(name)?;
        let place = || path.display().to_string();
        let goal = table.column(target).with_context(place)?;
        let Place::Number(goal) = goal.place else {
            bail!("{}: column '{target}' must hold numbers", place())
        };
        let goals = (0..table.rows()).map(|row| table.numbers().get(row, goal)).collect();
        Problem::complete(name, &table, (target, goals), task)
    }

    /// Every table of the folder `--tables` (files `*.csv` and `*.csv.gz`, by name): a column
    /// [`TARGET`], divided by its deviation if it has numbers, or classes (of more than two, the most frequent
    /// against the others), and the complete columns of
    /// numbers, each in its own scale.
    pub(crate) fn tables(&self) -> Result<Vec<(String, PathBuf)>> {
        let Some(folder) = &self.tables else {
            bail!("tables are needed; name the folder that holds them with --tables DIR");
        };
        let place = || folder.display().to_string();
        let mut tables = Vec::new();
        for entry in std::fs::read_dir(folder).with_context(place)? {
            let path = entry.with_context(place)?.path();
            let file =
                path.file_name().map_or_else(Default::default, |name| name.to_string_lossy());
            let name = file.strip_suffix(".gz").unwrap_or(&file).strip_suffix(".csv");
            if let Some(name) = name.map(str::to_owned) {
                tables.push((name, path));
            }
        }
        if tables.is_empty() {
            bail!("{}: there is no *.csv or *.csv.gz here", place());
        }
        tables.sort();
        Ok(tables)
    }
}

impl Problem {
    /// The table of a file, as [`Sources::tables`] says.
    pub(crate) fn of_file(name: &str, path: &Path) -> Result<Problem> {
        let place = || path.display().to_string();
        let table = read_csv(path, &CsvOptions::default())?;
        let (goals, task) = match Target::read(&table, TARGET, None).with_context(place)? {
            Target::Numbers(values) => {
                let spread = Statistics::of(values.clone()).map_or(1.0, |s| s.sd);
                (values.iter().map(|v| v / spread).collect(), Task::Regression)
            }
            Target::Classes { codes, classes } => {
                let count = |class: &u32| codes.iter().filter(|code| *code == class).count();
                // Of two the second; of more the most frequent one, against the others.
                let often = (0..classes.len() as u32).max_by_key(count);
                let one = if classes.len() == 2 { Some(1) } else { often };
                let code = |code: &u32| if Some(*code) == one { 1.0 } else { 0.0 };
                (codes.iter().map(code).collect(), Task::Classification)
            }
        };
        let problem = Problem::complete(name, &table, (TARGET, goals), task).with_context(place)?;
        Ok(Problem { scale: Scale::Each, ..problem })
    }

    /// The columns of numbers without a missing cell, each divided by its largest absolute value.
    fn complete(
        name: &str,
        table: &Table,
        (target, goals): (&str, Vec<f64>),
        task: Task,
    ) -> Result<Problem> {
        let at = |row: usize, column: usize| table.numbers().get(row, column);
        let complete = |column: &usize| (0..table.rows()).all(|row| at(row, *column).is_finite());
        let others = table.columns().iter().filter(|c| c.name != target);
        let numbers = others.filter_map(|c| match c.place {
            Place::Number(column) => Some((c.name.clone(), column)),
            _ => None,
        });
        let (names, columns): (Vec<String>, Vec<usize>) =
            numbers.filter(|(_, column)| complete(column)).unzip();
        let largest: Vec<f64> = columns
            .iter()
            .map(|&c| (0..table.rows()).fold(0.0_f64, |most, row| most.max(at(row, c).abs())))
            .collect();
        let cells = Array2::from_shape_fn((table.rows(), columns.len()), |(row, j)| {
            if largest[j] > 0.0 { at(row, columns[j]) / largest[j] } else { 0.0 }
        });
        let table = Table::from_matrix(Matrix::F64(cells), names)?.with_column(target, goals)?;
        Problem::new(name, table, target, Some(task), Scale::None)
    }

    /// A table with its target.
    pub(crate) fn new(
        name: &str,
        table: Table,
        target: &str,
        task: Option<Task>,
        scale: Scale,
    ) -> Result<Problem> {
        let read = Target::read(&table, target, task).with_context(|| name.to_owned())?;
        Ok(Problem {
            name: name.into(),
            table,
            target_name: target.into(),
            target: read,
            scale,
            truth: None,
        })
    }

    /// A number that other data will hardly have: of all targets, and of the cells of some rows.
    pub(crate) fn fingerprint(&self) -> u64 {
        let (rows, cells) = (self.table.rows(), self.table.numbers());
        let targets: Vec<u64> = match &self.target {
            Target::Numbers(values) => values.iter().map(|v| v.to_bits()).collect(),
            Target::Classes { codes, .. } => codes.iter().map(|&code| u64::from(code)).collect(),
        };
        let picked = (0..rows).step_by((rows / 64).max(1));
        let cells = picked.flat_map(|row| {
            (0..cells.columns()).map(move |column| cells.get(row, column).to_bits())
        });
        let size = [rows as u64, self.columns() as u64];
        hash(size.into_iter().chain(targets).chain(cells).flat_map(u64::to_le_bytes))
    }

    /// The mean square of each column, in the units of the table.
    pub(crate) fn mean_squares(&self) -> Vec<f64> {
        let numbers = self.table.numbers();
        let (mut sums, mut row) = (vec![0.0; numbers.columns()], vec![0.0; numbers.columns()]);
        for i in 0..numbers.rows() {
            numbers.row_into(i, &mut row);
            sums.iter_mut().zip(&row).for_each(|(sum, x)| *sum += x * x);
        }
        let rows = numbers.rows() as f64;
        sums.iter_mut().for_each(|sum| *sum /= rows);
        sums
    }

    /// Attributes, the target not counted.
    pub(crate) fn columns(&self) -> usize {
        self.table.columns().len() - 1
    }
}

/// How a learner gets a problem: in its scale, with an intercept.
pub(crate) fn options(problem: &Problem, learner: &dyn Learner) -> Options {
    let options = Options { scale: Some(problem.scale), intercept: true, ..Options::default() };
    options.suited(&learner.needs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_digits_are_threes_and_fives_only() {
        let sources = Sources::default();
        let pair = sources.pair(3, 5).unwrap();
        assert_eq!((pair.table.rows(), pair.columns()), (13_454, 784));
        let error = sources.pair(0, 1).unwrap_err().to_string();
        assert!(error.contains("--mnist"), "{error}");
    }

    #[test]
    fn a_table_keeps_its_complete_columns_and_is_scaled_into_one() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("t.csv"), "a,b,c,y\n1,,-4,0\n-2,5,1,1\n0,6,2,0\n")
            .unwrap();
        let sources = Sources::new(None, Some(folder.path().to_owned()), false);
        let problem = sources.table("t", "y", Task::Classification).unwrap();
        assert_eq!(problem.columns(), 2);
        let cells: Vec<f64> = (0..2).map(|j| problem.table.numbers().get(0, j)).collect();
        assert_eq!(cells, [0.5, -1.0]);
        let error = Sources::default().table("t", "y", Task::Regression).unwrap_err().to_string();
        assert!(error.contains("--data"), "{error}");
    }

    #[test]
    fn tables_of_a_folder_are_taken_as_they_come() {
        let folder = tempfile::tempdir().unwrap();
        let write =
            |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        let sources = Sources::default().with_tables(Some(folder.path().to_owned()));
        assert!(sources.tables().unwrap_err().to_string().contains("no *.csv"));
        write("b.csv", "a,target,c\n1,10,x\n2,30,x\n4,20,y\n");
        write("a.csv", "a,target,c\n1,no,\n2,yes,5\n4,no,6\n");
        write("notes.txt", "");
        let all = sources.tables().unwrap();
        assert_eq!(all.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["a", "b"]);
        let problem = |(name, path): &(String, PathBuf)| Problem::of_file(name, path);
        let [classes, numbers] = [&all[0], &all[1]].map(|one| problem(one).unwrap());
        assert_eq!((classes.columns(), numbers.columns()), (1, 1));
        assert!(matches!(&classes.target, Target::Classes { codes, .. } if codes == &[0, 1, 0]));
        // Its deviation is 10.
        assert!(matches!(&numbers.target, Target::Numbers(v) if v == &[1.0, 3.0, 2.0]));
        // Of three classes the most frequent one is against the others.
        write("a.csv", "a,target\n1,no\n2,yes\n4,some\n8,no\n");
        let classes = problem(&all[0]).unwrap();
        assert!(matches!(&classes.target, Target::Classes { codes, .. } if codes == &[1, 0, 0, 1]));
        assert!(Sources::default().tables().unwrap_err().to_string().contains("--tables"));
    }
}
