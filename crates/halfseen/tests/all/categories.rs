//! Holds categories that are kept as codes to the indicators that they stand for: the same cells,
//! the same fits, and less memory.
#![allow(unsafe_code)] // an allocator that counts

use crate::common::subjects;
use halfseen::data::{Column, Examples, Matrix, Moments, Place, Scaler, Table, Target, TextColumn};
use halfseen::learner::Family;
use halfseen::prepare::{Missing, Options, Prepared, Schema};
use halfseen::sampling::{Purpose, Stream};
use halfseen::{Learner, Silent};
use ndarray::Array2;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Counting;

thread_local! {
    /// Bytes that this thread has now, and the most it had.
    static BYTES: Cell<(usize, usize)> = const { Cell::new((0, 0)) };
}

fn count(more: usize, less: usize) {
    let _ = BYTES.try_with(|bytes| {
        let (now, most) = bytes.get();
        let now = (now + more).saturating_sub(less);
        bytes.set((now, most.max(now)));
    });
}

// SAFETY: every call goes to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size(), 0);
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        count(0, layout.size());
        unsafe { System.dealloc(at, layout) }
    }
    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // Old and new may be there together.
        count(size, 0);
        count(0, layout.size());
        unsafe { System.realloc(at, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The most memory that some work takes, and what comes of it.
fn peak<T>(work: impl FnOnce() -> T) -> (usize, T) {
    let before = BYTES.with(|bytes| {
        let (now, _) = bytes.get();
        bytes.set((now, now));
        now
    });
    let done = work();
    (BYTES.with(Cell::get).1 - before, done)
}

/// Numbers and texts by turns, the last column a target that depends on all; every `hole`-th cell
/// of the attributes is empty, if that is above 0.
fn table(rows: usize, levels: &[usize], hole: usize) -> Table {
    let mut stream = Stream::new(5, Purpose::Data, rows as u64);
    let width = levels.len() + 2;
    let mut numbers = Array2::from_shape_simple_fn((rows, width), || stream.unit() - 0.5);
    let texts: Vec<TextColumn> = levels
        .iter()
        .map(|&k| TextColumn {
            codes: (0..rows).map(|_| stream.below(k) as u32).collect(),
            levels: (0..k).map(|level| format!("level {level}")).collect(),
        })
        .collect();
    for i in 0..rows {
        let told: f64 = texts.iter().map(|t| f64::from(t.codes[i] % 2)).sum();
        numbers[[i, width - 1]] += numbers[[i, 0]] + 0.5 * told;
    }
    let mut columns = vec![Place::Number(0), Place::Number(1)];
    (0..levels.len()).for_each(|t| columns.extend([Place::Text(t), Place::Number(t + 2)]));
    *columns.last_mut().unwrap() = Place::Number(width - 1);
    let named = columns.iter().enumerate().map(|(j, &place)| {
        let name = if j + 1 == columns.len() { "y".into() } else { format!("x{j}") };
        Column { name, place }
    });
    let last = columns.len() - 1;
    let table = Table::new(Matrix::F64(numbers), texts, named.collect()).unwrap();
    table.without(|i, j| hole > 0 && j < last && (7 * i + 3 * j) % hole == 0)
}

/// The target as it is, or whether it is above its mean.
fn target(table: &Table, classes: bool) -> Target {
    let Target::Numbers(y) = Target::read(table, "y", None).unwrap() else { panic!("no numbers") };
    if !classes {
        return Target::Numbers(y);
    }
    let mean = y.iter().sum::<f64>() / y.len() as f64;
    let flags = y.iter().map(|y| f64::from(*y > mean)).collect();
    let flags = table.clone().with_column("flag", flags).unwrap();
    Target::read(&flags, "flag", Some(halfseen::data::Task::Classification)).unwrap()
}

/// The cells that the schema's columns write one by one.
fn written(schema: &Schema, table: &Table) -> Array2<f64> {
    let mut values = Vec::new();
    for row in 0..table.rows() {
        for column in &schema.columns {
            let cell = table.cell(row, table.column(&column.name).unwrap());
            column.push(cell, &mut values).unwrap();
        }
    }
    Array2::from_shape_vec((table.rows(), schema.width()), values).unwrap()
}

fn bits(cells: impl IntoIterator<Item = f64>) -> Vec<u64> {
    cells.into_iter().map(f64::to_bits).collect()
}

#[test]
fn codes_answer_as_the_indicators_that_they_stand_for() {
    let whole = table(60, &[3, 1, 7], 5);
    // Fitted on a part, so that some categories are new.
    let schema = Schema::fit(&whole, &[0, 1, 2, 4, 5, 8], &["y"], &[], vec![]).unwrap();
    let (encoded, dense) = (schema.encode(&whole).unwrap(), written(&schema, &whole));
    let missing = whole.columns().iter().filter(|column| column.name != "y").map(|column| {
        (0..60).filter(|&row| whole.cell(row, column) == halfseen::data::Cell::Missing).count()
    });
    assert!(encoded.applied.new_categories > 3 && encoded.applied.missing > 20);
    assert_eq!(encoded.applied.missing, missing.sum::<usize>());
    let (codes, dense) = (encoded.matrix.into_owned(), Matrix::F64(dense));
    assert!(matches!(codes, Matrix::Coded(_)));
    assert_eq!((codes.rows(), codes.columns()), (60, dense.columns()));
    assert_eq!(codes.missing(), dense.missing());
    assert_eq!((codes.is_finite(), codes.first_infinite()), (false, None));
    let keep = [7, 0, 59, 7];
    for (codes, dense) in [(&codes.select_rows(&keep), &dense.select_rows(&keep)), (&codes, &dense)]
    {
        let all = |m: &Matrix| bits(m.dense(0..m.rows()));
        assert_eq!(all(codes), all(dense), "by rows");
        let one = |m: &Matrix| {
            let cell = |at: usize| m.get(at / m.columns(), at % m.columns());
            bits((0..m.rows() * m.columns()).map(cell))
        };
        assert_eq!(one(codes), one(dense), "one by one");
    }
    // In a table of their own they become numbers where cells are hidden.
    let names = (0..codes.columns()).map(|j| format!("c{j}")).collect();
    let hidden = Table::from_matrix(codes.clone(), names).unwrap().without(|i, j| i == 1 && j < 4);
    assert!((0..4).all(|j| hidden.numbers().get(1, j).is_nan()));
    assert_eq!(hidden.numbers().get(3, 5).to_bits(), dense.get(3, 5).to_bits());
}

#[test]
fn every_learner_makes_the_same_of_codes_and_of_indicators() {
    let mut fitted = 0;
    for (hole, missing) in [(0, Missing::Keep), (6, Missing::Keep), (6, Missing::Mean)] {
        let table = table(150, &[3, 5], hole);
        let rows: Vec<u32> = (0..130).collect();
        for learner in subjects() {
            let learner = ready(learner);
            let needs = learner.needs();
            let refuses = !needs.holes && !needs.uncentred;
            if hole > 0 && missing == Missing::Keep && refuses {
                continue;
            }
            let target = target(&table, !needs.targets.allow(0));
            let options = Options { missing, ..Options::default() }.for_fit(&needs);
            let prepared = Prepared::new(&table, ("y", &target), &rows, &options).unwrap();
            let examples = prepared.examples();
            assert!(matches!(examples.matrix, Matrix::Coded(_)), "{}", learner.name());
            let dense = Matrix::F64(examples.matrix.dense(0..150));
            let holes = dense.missing() > 0;
            assert_eq!(holes, hole > 0 && (needs.holes || missing == Missing::Keep));
            let of = |matrix| fit(&*learner, &Examples { matrix, ..examples.clone() });
            let (one, two) = (of(examples.matrix), of(&dense));
            assert_eq!(one, two, "{}, {missing:?}", learner.name());
            fitted += usize::from(one.is_ok());
        }
    }
    // Each on complete rows and on imputed ones, and on rows with holes those that learn from them:
    // 6 of the library's, 1 of the comparators.
    let all = if env!("CARGO_PKG_NAME") == "halfseen" { 21 + 21 + 6 } else { 6 + 6 + 1 };
    assert_eq!(fitted, all);
}

/// With what it needs to start.
fn ready(mut learner: Box<dyn Learner>) -> Box<dyn Learner> {
    if learner.family() == Family::Budget {
        learner.set("budget", "3").unwrap();
    }
    if learner.get("moments").as_deref() == Some("auto") {
        learner.set("moments", "online").unwrap();
    }
    learner
}

/// The predictor and its report without its seconds, or why there is none.
fn fit(learner: &dyn Learner, examples: &Examples<'_>) -> Result<String, String> {
    let mut fit = learner.fit(examples, &Silent).map_err(|e| e.to_string())?;
    fit.report.seconds = 0.0;
    Ok(format!("{} {:?}", serde_json::to_string(&fit.predictor).unwrap(), fit.report))
}

#[test]
fn memory_grows_by_a_code_for_a_row_and_text_and_not_by_categories() {
    let (rows, levels) = (6_000, [2_000, 20, 1_500]);
    let indicators = rows * levels.iter().sum::<usize>() * 8;
    let table = table(rows, &levels, 11);
    let target = target(&table, false);
    let all: Vec<u32> = (0..rows as u32).collect();
    for missing in [Missing::Keep, Missing::Mean, Missing::Vanish] {
        let options =
            Options { missing, uncentred: missing == Missing::Vanish, ..Options::default() };
        let (most, prepared) =
            peak(|| Prepared::new(&table, ("y", &target), &all, &options).unwrap());
        // Four numbers and three codes for each row, twice where holes are filled; codes and
        // targets on the way; names, moments, scales and panels of the columns.
        let allowed = rows * 2 * (4 * 8 + 3 * 4 + 24) + 400 * levels.iter().sum::<usize>();
        assert!(most < allowed, "{missing:?}: {most} bytes of {allowed}");
        assert!(10 * allowed < indicators, "a bound that indicators meet bounds nothing");
        let whole = prepared.examples().matrix;
        assert!(whole.columns() > 3_000, "most categories are drawn");
        assert_eq!(whole.missing() > 0, missing == Missing::Keep);
    }
    // What is beside the matrix is read row by row.
    let (most, _) = peak(|| {
        let scaler = Scaler::None {};
        let encoded = Schema::fit(&table, &all, &["y"], &[], vec![]).unwrap();
        let matrix = encoded.encode(&table).unwrap().matrix.into_owned();
        let layout = std::sync::Arc::new(encoded.layout().unwrap());
        Moments::measure(&Examples::new(&matrix, &scaler, &layout, &[]))
    });
    assert!(20 * most < indicators, "{most} bytes");
}
