//! Collects laboratory values from a store of records that charges for every look.
//!
//!     cargo run --release -p halfseen --example ask_and_tell
//!
//! The store is a CSV file of 1,500 patients, of which only the fields that a query names are read,
//! and put on a bill. Up to forty patients wait for their answers at once; one patient in fifty
//! refuses a value; half way the learner is saved and loaded. (Over weeks, with answers in part and
//! many people, a study does this: `halfseen study`, crate `halfseen-study`.)
#![allow(clippy::print_stdout)]

use halfseen::budget::Query;
use halfseen::data::{Cell, Matrix, Table, Target};
use halfseen::joint::Fiml;
use halfseen::prepare::{Group, Options, Prepared};
use halfseen::registry::{load, start};
use halfseen::sampling::{Purpose, Stream};
use halfseen::{Learner, Silent};
use ndarray::Array2;
use std::collections::VecDeque;
use std::error::Error;
use std::fs::File;
use std::io::{BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::Path;

const PATIENTS: usize = 1_500;
const LABORATORY: [&str; 7] =
    ["sodium", "potassium", "urea", "systolic", "diastolic", "glucose", "albumin"];

/// What a look costs, in cents.
const PRICES: [(&str, f64); 6] = [
    ("sodium", 20.0),
    ("potassium", 20.0),
    ("urea", 35.0),
    ("cuff", 5.0),
    ("glucose", 10.0),
    ("albumin", 60.0),
];

/// Records in a file: a header, then a line for each patient, of which single fields are sold.
struct Store {
    file: BufReader<File>,
    header: Vec<String>,
    /// Where each line starts.
    lines: Vec<u64>,
    cents: f64,
}

impl Store {
    fn open(path: &Path) -> Result<Store, Box<dyn Error>> {
        let mut file = BufReader::new(File::open(path)?);
        let (mut line, mut lines) = (String::new(), Vec::new());
        file.read_line(&mut line)?;
        let header = line.trim().split(',').map(str::to_owned).collect();
        let mut at = line.len() as u64;
        while file.skip_until(b'\n')? > 0 {
            lines.push(at);
            at = file.stream_position()?;
        }
        Ok(Store { file, header, lines, cents: 0.0 })
    }

    /// One field of one patient.
    fn look(&mut self, patient: usize, field: &str) -> Result<String, Box<dyn Error>> {
        let at = self.header.iter().position(|name| name == field).ok_or("no such field")?;
        self.file.seek(SeekFrom::Start(self.lines[patient]))?;
        let mut line = String::new();
        self.file.read_line(&mut line)?;
        Ok(line.trim().split(',').nth(at).unwrap_or_default().to_owned())
    }

    /// Sells the fields of a panel; an empty one is what a patient refused.
    fn buy(
        &mut self,
        patient: usize,
        panel: &str,
        fields: &[&str],
    ) -> Result<Vec<Cell<'static>>, Box<dyn Error>> {
        self.cents +=
            PRICES.iter().find(|(name, _)| *name == panel).map_or(0.0, |(_, cents)| *cents);
        let mut cells = Vec::new();
        for field in fields {
            let text = self.look(patient, field)?;
            cells.push(if text.is_empty() { Cell::Missing } else { Cell::Number(text.parse()?) });
        }
        Ok(cells)
    }
}

/// Writes the file that a laboratory would have.
fn write_records(path: &Path) -> std::io::Result<()> {
    let mut file = std::io::BufWriter::new(File::create(path)?);
    writeln!(file, "{},days", LABORATORY.join(","))?;
    for patient in 0..PATIENTS as u64 {
        let mut stream = Stream::new(1, Purpose::Data, patient);
        let (kidney, heart) = (stream.normal(), stream.normal());
        let values = [
            140.0 + 3.0 * stream.normal(),
            4.2 + 0.3 * kidney + 0.2 * stream.normal(),
            5.5 + 1.5 * kidney + 0.5 * stream.normal(),
            130.0 + 12.0 * heart + 5.0 * stream.normal(),
            80.0 + 7.0 * heart + 4.0 * stream.normal(),
            5.5 + stream.normal(),
            42.0 - 2.0 * kidney + 2.0 * stream.normal(),
        ];
        let days = 9.0 + 2.0 * (values[2] - 5.5) - 0.5 * (values[6] - 42.0) + stream.normal();
        let refuses = patient % 50 == 0;
        for (at, value) in values.iter().enumerate() {
            if !(refuses && at == 5) {
                write!(file, "{value:.3}")?;
            }
            write!(file, ",")?;
        }
        writeln!(file, "{days:.3}")?;
    }
    file.flush()
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::temp_dir().join(format!("halfseen-example-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let (records, saved) = (folder.join("records.csv"), folder.join("learner.json"));
    write_records(&records)?;
    let mut store = Store::open(&records)?;

    // Three looks at each patient; both pressures are one look. 1,000 euros and no more.
    let learner = Fiml { budget: Some(3), total_cost: Some(100_000.0), ..Fiml::default() };
    let columns = vec!["systolic".to_owned(), "diastolic".to_owned()];
    let declared = Options {
        groups: vec![Group { name: "cuff".to_owned(), columns }],
        prices: PRICES.iter().map(|(name, cents)| ((*name).to_owned(), *cents)).collect(),
        ..Options::default()
    };
    // There are no rows yet, only the names of the attributes.
    let names = LABORATORY.map(str::to_owned).to_vec();
    let unseen = Table::from_matrix(Matrix::F64(Array2::zeros((0, names.len()))), names)?;
    let nothing = Target::Numbers(Vec::new());
    let options = declared.for_fit(&learner.needs());
    let prepared = Prepared::new(&unseen, ("days", &nothing), &[], &options)?;
    let (prepare, layout) = (&prepared.prepare, &prepared.layout);
    let attributes = prepare.schema.attributes_of(layout);
    let mut asker = start(&learner, layout, 0)?;

    let mut waiting: VecDeque<(usize, Query)> = VecDeque::new();
    let (mut patient, mut asking) = (0, true);
    while asking || !waiting.is_empty() {
        while asking && waiting.len() < 40 {
            match asker.ask() {
                Ok(query) => {
                    waiting.push_back((patient, query));
                    patient += 1;
                    asking = patient < PATIENTS;
                }
                Err(error) => {
                    println!("no more patients: {error}");
                    asking = false;
                }
            }
            if patient == PATIENTS / 2 {
                // The machine is restarted.
                std::fs::write(&saved, asker.save()?.to_string())?;
                asker = load(&serde_json::from_str(&std::fs::read_to_string(&saved)?)?)?;
            }
        }
        let Some((of, query)) = waiting.pop_front() else { break };
        let mut values = Vec::new();
        for panel in query.reads.iter().map(|read| read.panel as usize) {
            let fields: Vec<&str> = attributes[panel].iter().map(|&at| LABORATORY[at]).collect();
            let cells = store.buy(of, layout.name(panel), &fields)?;
            let cell = |at| cells[attributes[panel].iter().position(|own| *own == at).unwrap_or(0)];
            prepare.push_panel((layout, panel), &attributes[panel], cell, &mut values)?;
        }
        let days: f64 = store.look(of, "days")?.parse()?;
        asker.tell(&query, &values, prepare.target.apply(days))?;
    }

    let fit = asker.fitted(&Silent)?;
    let report = &fit.report;
    println!("patients: {}, looks: {}", report.examples, report.distinct);
    println!("the store's bill: {} cents, the learner's: {}", store.cents, report.spent);
    report.notes.iter().for_each(|note| println!("note: {note}"));
    let weights = &asker.predictor().weights;
    let days = |name: &str| LABORATORY.iter().position(|own| *own == name).map(|at| weights[at]);
    for name in ["urea", "albumin"] {
        println!("days for one more of {name}: {:+.2}", days(name).unwrap_or(f64::NAN));
    }
    std::fs::remove_dir_all(&folder)?;
    assert_eq!(store.cents, report.spent);
    assert!(report.spent <= 100_000.0);
    assert!((weights[2] - 2.0).abs() < 0.5 && (weights[6] + 0.5).abs() < 0.25, "{weights:?}");
    Ok(())
}
