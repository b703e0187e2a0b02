//! Holds the note on near ties: the hinge loss of several classes is hardly below that of equal
//! scores.

use halfseen::data::{Matrix, Scale, Table, Target, Task};
use halfseen::learner::{Assignments, with};
use halfseen::prepare::{Options, Prepared};
use halfseen::registry::find;
use halfseen::sampling::{Purpose, Stream};
use halfseen::{Learner, Silent};
use ndarray::Array2;

const ROWS: usize = 240;
const CLASSES: usize = 5;

/// Five normal attributes, the largest of which is the class; in all but every `told`-th row the
/// class is any.
fn data(told: usize) -> (Table, Target) {
    let mut stream = Stream::new(6, Purpose::Data, 2);
    let cells = Array2::from_shape_fn((ROWS, CLASSES), |_| stream.normal());
    let largest =
        |i: usize| (0..CLASSES).fold(0, |b, j| if cells[[i, j]] > cells[[i, b]] { j } else { b });
    let class =
        |i: usize| if i.is_multiple_of(told) { largest(i) } else { stream.below(CLASSES) } as f64;
    let y = (0..ROWS).map(class).collect();
    let names = (0..CLASSES).map(|j| format!("x{j}")).collect();
    let table = Table::from_matrix(Matrix::F64(cells.clone()), names).unwrap();
    let table = table.with_column("y", y).unwrap();
    let target = Target::read(&table, "y", Some(Task::Classification)).unwrap();
    (table, target)
}

fn is_noted((table, target): &(Table, Target), learner: &dyn Learner) -> bool {
    let options = Options { scale: Some(Scale::Each), intercept: true, ..Options::default() }
        .suited(&learner.needs());
    let rows: Vec<u32> = (0..ROWS as u32).collect();
    let prepared = Prepared::new(table, ("y", target), &rows, &options).unwrap();
    let notes = learner.fit(&prepared.examples(), &Silent).unwrap().report.notes;
    notes.iter().any(|note| note.is_about("near-ties"))
}

fn set(name: &str, settings: &[(&'static str, &str)]) -> Box<dyn Learner> {
    let settings: Assignments =
        settings.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
    with(find(name).unwrap(), &settings).unwrap()
}

#[test]
fn classes_that_small_differences_tell_apart_are_told_of() {
    let (hardly, clearly) = (data(3), data(1));
    let linear = ("gamma", "1");
    for (learner, settings) in [
        ("zero", vec![]),
        ("mean", vec![("c", "10")]),
        ("karma", vec![linear]),
        ("karma", vec![linear, ("features", "sketch:64")]),
        ("karma", vec![linear, ("solver", "online"), ("c", "0.01")]),
    ] {
        let what = format!("{learner} {settings:?}");
        assert!(is_noted(&hardly, &*set(learner, &settings)), "{what}");
        assert!(!is_noted(&clearly, &*set(learner, &settings)), "{what}, where classes are clear");
        let squared = [&settings[..], &[("loss", "squared")]].concat();
        assert!(!is_noted(&hardly, &*set(learner, &squared)), "{what}, squared");
    }
    // A small C leaves small scores, which tell classes apart nevertheless.
    for learner in ["zero", "karma"] {
        assert!(!is_noted(&clearly, &*set(learner, &[("c", "1e-6")])), "{learner}");
    }
}
