//! Collects laboratory values from a store of records that charges for every look.
//!
//!     cargo run --release -p halfseen --example ask_and_tell
//!
//! The store is a CSV file of 1,500 patients, of which only the fields that a query names are read,
//! one by one, and put on a bill. Values of one patient come on different days and the outcome
//! weeks later; one patient in fifty refuses; half way the machine is restarted.
#![allow(clippy::print_stdout)]

use halfseen::Silent;
use halfseen::budget::{Fiml, Query};
use halfseen::data::Label;
use halfseen::prepare::{Group, Options};
use halfseen::sampling::{Purpose, Stream};
use halfseen::session::{Answer, Session, Start};
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

    /// Sells a value; an empty field is what a patient refused.
    fn buy(&mut self, patient: usize, field: &str) -> Result<Answer, Box<dyn Error>> {
        // The two pressures are read together, at the price of one cuff.
        let priced = if field == "systolic" { "cuff" } else { field };
        let price = PRICES.iter().find(|(name, _)| *name == priced);
        self.cents += price.map_or(0.0, |(_, cents)| *cents);
        let text = self.look(patient, field)?;
        if text.is_empty() {
            return Ok(Answer::Missing("refused".to_owned()));
        }
        Ok(Answer::Value(text.parse()?))
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

/// A query that is sent out, the patient it is about, and the attributes still to be fetched.
struct Errand {
    patient: usize,
    query: Query,
    rest: Vec<String>,
}

/// Fetches the next thing that is known of a patient: one value a day, the outcome at last. Says
/// whether all was told.
fn fetch(
    session: &mut Session,
    store: &mut Store,
    errand: &mut Errand,
) -> Result<bool, Box<dyn Error>> {
    let told = match errand.rest.pop() {
        Some(name) => {
            let answer = store.buy(errand.patient, &name)?;
            session.tell_part(&errand.query, &[(&name, answer)], None)?
        }
        None => {
            let days = store.look(errand.patient, "days")?.parse()?;
            session.tell_part(&errand.query, &[], Some(&Label::Number(days)))?
        }
    };
    Ok(told.is_some())
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::temp_dir().join(format!("halfseen-example-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let (records, saved) = (folder.join("records.csv"), folder.join("session.json"));
    write_records(&records)?;
    let mut store = Store::open(&records)?;

    // Three looks at each patient; both pressures are one look. 1,000 euros and no more.
    let learner = Fiml { budget: Some(3), ..Fiml::default() };
    let columns = vec!["systolic".to_owned(), "diastolic".to_owned()];
    let declared = Options {
        groups: vec![Group { name: "cuff".to_owned(), columns }],
        prices: PRICES.iter().map(|(name, cents)| ((*name).to_owned(), *cents)).collect(),
        ..Options::default()
    };
    let mut session = Start::new(&learner, LABORATORY).declared(declared).target("days").begin()?;
    session.set_total_cost(Some(100_000.0))?;

    let mut errands = VecDeque::new();
    let (mut patient, mut asking) = (0, true);
    while asking || !errands.is_empty() {
        // Up to forty patients are on their way at once.
        while asking && errands.len() < 40 && patient < PATIENTS {
            match session.ask() {
                Ok(query) => {
                    let rest = session.attributes_of(&query)?.map(str::to_owned).collect();
                    errands.push_back(Errand { patient, query, rest });
                    patient += 1;
                }
                Err(error) => {
                    println!("no more patients: {error}");
                    asking = false;
                }
            }
            if patient == PATIENTS / 2 {
                // The machine is restarted: what was told in part is in the file.
                session.save_to(&saved)?;
                session = Session::load_from(&saved)?;
            }
        }
        asking &= patient < PATIENTS;
        let Some(mut errand) = errands.pop_front() else { break };
        if !fetch(&mut session, &mut store, &mut errand)? {
            errands.push_back(errand);
        }
    }

    let (report, left) = (session.report(), session.remaining());
    println!("patients: {}, looks: {}", report.examples, report.distinct);
    println!("the store's bill: {} cents, the session's: {}", store.cents, report.spent);
    println!("left: {} cents", left.cost.unwrap_or_default());
    println!("values that are not available: {:?}", report.missing_reasons);
    let (weights, _) = session.model(&Silent)?.raw_weights()?;
    for (name, weight) in
        weights.iter().filter(|(name, _)| ["urea", "albumin"].contains(&name.as_str()))
    {
        println!("days for one more of {name}: {weight:+.2}");
    }
    std::fs::remove_dir_all(&folder)?;
    assert_eq!(store.cents, report.spent);
    assert!(report.spent <= 100_000.0 && report.missing_reasons["refused"] > 0);
    assert!((weights[2].1 - 2.0).abs() < 0.5 && (weights[6].1 + 0.5).abs() < 0.25, "{weights:?}");
    Ok(())
}
