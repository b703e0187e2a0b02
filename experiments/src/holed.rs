//! Loads tables with holes, and draws some: what the experiments of paper D learn from.

use crate::problem::{Problem, Sources};
use anyhow::{Context, Result, bail};
use halfseen::data::{Cell, Matrix, Scale, Table, Task};
use halfseen::sampling::{Purpose, Stream, shuffle};
use halfseen_synthetic::Incomplete;
use ndarray::Array2;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// What a user of MovieLens is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asked {
    Occupation,
    Age,
    Gender,
}

/// What a table holds, without its target.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Size {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    /// 0: numbers.
    pub(crate) classes: usize,
    /// Share of rows with at least one missing cell.
    pub(crate) rows_missing: f64,
    /// Share of missing cells.
    pub(crate) cells_missing: f64,
}

impl Size {
    /// Counts what is there.
    pub(crate) fn of(problem: &Problem) -> Size {
        let table = &problem.table;
        let columns: Vec<_> =
            table.columns().iter().filter(|c| c.name != problem.target_name).collect();
        let missing =
            |row: usize| columns.iter().filter(|c| table.cell(row, c) == Cell::Missing).count();
        let counts: Vec<usize> = (0..table.rows()).map(missing).collect();
        let (rows, cells) = (table.rows() as f64, (table.rows() * columns.len()) as f64);
        Size {
            rows: table.rows(),
            columns: columns.len(),
            classes: problem.target.classes().len(),
            rows_missing: counts.iter().filter(|&&count| count > 0).count() as f64 / rows,
            cells_missing: counts.iter().sum::<usize>() as f64 / cells,
        }
    }
}

impl Sources {
    /// A CSV file of the folder `--data` as it is, every cell that is missing left so.
    pub(crate) fn holed(&self, name: &str, target: &str) -> Result<Problem> {
        let (path, table) = self.csv(name)?;
        let place = || path.display().to_string();
        Problem::new(name, table, target, Some(Task::Classification), Scale::Each)
            .with_context(place)
    }

    /// So many users of Jester, drawn by `seed` from those who rated this joke and at least `least`
    /// jokes; the target is its rating, standardised.
    pub(crate) fn jester(
        &self,
        joke: &str,
        least: usize,
        users: usize,
        seed: u64,
    ) -> Result<Problem> {
        let (path, table) = self.csv("jester5k")?;
        let goal = table.column(joke).with_context(|| path.display().to_string())?;
        let rating = |row: usize, column| match table.cell(row, column) {
            Cell::Number(value) => Some(value),
            _ => None,
        };
        let rated = |row: usize| {
            table.columns().iter().filter(|column| rating(row, column).is_some()).count()
        };
        let mut keep: Vec<usize> = (0..table.rows())
            .filter(|&row| rating(row, goal).is_some() && rated(row) >= least)
            .collect();
        shuffle(&mut Stream::new(seed, Purpose::Data, 0), &mut keep);
        keep.truncate(users);
        let others: Vec<_> = table.columns().iter().filter(|column| *column != goal).collect();
        let cells = Array2::from_shape_fn((keep.len(), others.len()), |(i, j)| {
            rating(keep[i], others[j]).unwrap_or(f64::NAN)
        });
        let names = others.iter().map(|column| column.name.clone()).collect();
        let goals = keep.iter().filter_map(|&row| rating(row, goal)).collect();
        regression("jester", cells, names, joke, goals)
    }

    /// MovieLens 100k: ratings by users of films, and what is asked of the user; `None` without
    /// `--movielens`.
    pub(crate) fn movielens(&self, asked: Asked) -> Result<Option<Problem>> {
        let Some(folder) = &self.movielens else { return Ok(None) };
        let users = fields(
            &folder.join("ml-100k.user"),
            ["user_id:token", "age:token", "gender:token", "occupation:token"],
        )?;
        let ratings = fields(
            &folder.join("ml-100k.inter"),
            ["user_id:token", "item_id:token", "rating:float"],
        )?;
        let place: BTreeMap<&str, usize> =
            users.iter().enumerate().map(|(at, user)| (user[0].as_str(), at)).collect();
        let films: BTreeSet<&str> = ratings.iter().map(|rating| rating[1].as_str()).collect();
        let column: BTreeMap<&str, usize> =
            films.iter().enumerate().map(|(at, film)| (*film, at)).collect();
        let mut cells = Array2::from_elem((users.len(), films.len()), f64::NAN);
        for [user, film, stars] in &ratings {
            let Some(&row) = place.get(user.as_str()) else {
                bail!("ml-100k.inter names the unknown user '{user}'")
            };
            cells[[row, column[film.as_str()]]] = number(stars)?;
        }
        let names: Vec<String> = films.iter().map(|film| format!("film {film}")).collect();
        let codes = |field: usize| -> Vec<f64> {
            let known: BTreeSet<&str> = users.iter().map(|user| user[field].as_str()).collect();
            let code = |user: &[String; 4]| {
                known.iter().position(|label| *label == user[field]).unwrap_or(0) as f64
            };
            users.iter().map(code).collect()
        };
        Ok(Some(match asked {
            Asked::Age => {
                let ages =
                    users.iter().map(|user| number(&user[1])).collect::<Result<Vec<f64>>>()?;
                regression("movielens-age", cells, names, "age", ages)?
            }
            Asked::Gender => classes("movielens-gender", cells, names, "gender", codes(2))?,
            Asked::Occupation => {
                classes("movielens-occupation", cells, names, "occupation", codes(3))?
            }
        }))
    }
}

/// Drawn rows with holes as a problem of numbers.
pub(crate) fn drawn(name: &str, set: &Incomplete) -> Result<Problem> {
    let names = (0..set.truth.len()).map(|j| format!("x{j}")).collect();
    let table =
        Table::from_matrix(set.matrix.clone(), names)?.with_column("y", set.targets.clone())?;
    Problem::new(name, table, "y", Some(Task::Regression), Scale::Each)
}

/// A problem whose target is brought to mean 0 and deviation 1.
fn regression(
    name: &str,
    cells: Array2<f64>,
    names: Vec<String>,
    target: &str,
    mut goals: Vec<f64>,
) -> Result<Problem> {
    let n = goals.len().max(1) as f64;
    let mean = goals.iter().sum::<f64>() / n;
    let deviation = (goals.iter().map(|goal| (goal - mean).powi(2)).sum::<f64>() / n).sqrt();
    goals.iter_mut().for_each(|goal| *goal = (*goal - mean) / deviation);
    let table = Table::from_matrix(Matrix::F64(cells), names)?.with_column(target, goals)?;
    Problem::new(name, table, target, Some(Task::Regression), Scale::Each)
}

fn classes(
    name: &str,
    cells: Array2<f64>,
    names: Vec<String>,
    target: &str,
    codes: Vec<f64>,
) -> Result<Problem> {
    let table = Table::from_matrix(Matrix::F64(cells), names)?.with_column(target, codes)?;
    Problem::new(name, table, target, Some(Task::Classification), Scale::Each)
}

fn number(text: &str) -> Result<f64> {
    text.parse().with_context(|| format!("'{text}' is no number"))
}

/// These fields of every line of a file of fields between tabs, found by the names in its first
/// line.
fn fields<const N: usize>(path: &Path, names: [&str; N]) -> Result<Vec<[String; N]>> {
    let place = || path.display().to_string();
    let text = fs::read_to_string(path).with_context(place)?;
    let mut lines = text.lines();
    let head: Vec<&str> = lines.next().unwrap_or("").split('\t').collect();
    let mut at = [0; N];
    for (at, name) in at.iter_mut().zip(names) {
        *at = head
            .iter()
            .position(|field| *field == name)
            .with_context(|| format!("{}: no field {name}", place()))?;
    }
    let line = |line: &str| -> Result<[String; N]> {
        let parts: Vec<&str> = line.split('\t').collect();
        if parts.len() != head.len() {
            bail!("{}: a line has {} fields, the first {}", place(), parts.len(), head.len());
        }
        Ok(at.map(|at| parts[at].to_owned()))
    };
    lines.map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use halfseen::data::Target;

    fn folder(files: &[(&str, &str)]) -> (tempfile::TempDir, Sources) {
        let folder = tempfile::tempdir().unwrap();
        files.iter().for_each(|(name, text)| fs::write(folder.path().join(name), text).unwrap());
        let path = Some(folder.path().to_owned());
        (folder, Sources::new(None, path.clone(), false).with_movielens(path))
    }

    #[test]
    fn holes_and_texts_stay_and_are_counted() {
        let (_kept, sources) = folder(&[("t.csv", "a,b,y\n1,,0\n2,red,1\n,,2\n3,blue,1\n")]);
        let size = Size::of(&sources.holed("t", "y").unwrap());
        assert_eq!((size.rows, size.columns, size.classes), (4, 2, 3));
        assert_eq!((size.rows_missing, size.cells_missing), (0.5, 0.375));
    }

    #[test]
    fn users_who_rated_too_few_jokes_are_left_out_and_ratings_are_standardised() {
        let (_kept, sources) =
            folder(&[("jester5k.csv", "j1,j2,j3\n1,2,3\n1,,5\n,2,\n1,2,\n,3,4\n1,4,7\n")]);
        let problem = sources.jester("j3", 2, 10, 0).unwrap();
        assert_eq!((problem.table.rows(), problem.columns()), (4, 2));
        let Target::Numbers(goals) = &problem.target else { panic!("no numbers") };
        let (sum, squares) = (goals.iter().sum::<f64>(), goals.iter().map(|g| g * g).sum::<f64>());
        assert!(sum.abs() < 1e-12 && (squares - 4.0).abs() < 1e-12);
        assert_eq!(sources.jester("j3", 2, 3, 0).unwrap().table.rows(), 3);
    }

    #[test]
    fn ratings_are_joined_with_what_is_known_of_users() {
        let users = "user_id:token\tage:token\tgender:token\toccupation:token\n7\t20\tM\tnurse\n9\t40\tF\tpoet\n";
        let inter = "user_id:token\titem_id:token\trating:float\ttimestamp:float\n9\t5\t3\t1\n7\t4\t1\t1\n9\t4\t2\t1\n";
        let (_kept, sources) = folder(&[("ml-100k.user", users), ("ml-100k.inter", inter)]);
        let problem = sources.movielens(Asked::Age).unwrap().unwrap();
        assert_eq!(problem.target, Target::Numbers(vec![-1.0, 1.0]));
        let cell = |i, j| problem.table.numbers().get(i, j);
        assert_eq!((cell(0, 0), cell(1, 0), cell(1, 1)), (1.0, 2.0, 3.0));
        assert!(cell(0, 1).is_nan());
        assert_eq!(Size::of(&problem).cells_missing, 0.25);
        assert_eq!(sources.movielens(Asked::Gender).unwrap().unwrap().target.classes().len(), 2);
        assert!(Sources::default().movielens(Asked::Age).unwrap().is_none());
        let (_kept, broken) =
            folder(&[("ml-100k.user", users), ("ml-100k.inter", &inter.replace("9\t5", "8\t5"))]);
        assert!(broken.movielens(Asked::Age).unwrap_err().to_string().contains("unknown user '8'"));
    }
}
