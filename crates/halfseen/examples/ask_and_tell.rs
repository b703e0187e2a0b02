//! Learns a price from two looks at each record, where every look is paid for.
//!
//!     cargo run --release -p halfseen --example ask_and_tell
#![allow(clippy::print_stdout)]

use halfseen::Learner;
use halfseen::budget::{Aelr, Query, Role};
use halfseen::data::Layout;
use halfseen::params::Rule;
use halfseen::sampling::{Purpose, Stream};
use std::sync::Arc;

/// Number of attributes of a record.
const ATTRIBUTES: usize = 20;

/// The seller of attribute values: knows the whole record, shows one cell for money.
struct Seller {
    record: Vec<f64>,
    sold: u64,
}

impl Seller {
    fn cell(&mut self, attribute: usize) -> f64 {
        self.sold += 1;
        self.record[attribute]
    }
}

fn main() -> halfseen::Result<()> {
    let layout = Arc::new(Layout::singletons(ATTRIBUTES));
    let learner = Aelr {
        budget: Some(3),
        radius: 3.0,
        step: Rule::Theory(5.0),
        horizon: Some(20_000),
        ..Aelr::default()
    };
    let Some(mut running) = learner.start(&layout)? else { return Ok(()) };

    let mut query = Query::default();
    let mut values = Vec::new();
    let mut bill = 0;
    for n in 0..20_000 {
        // A record nobody sees as a whole; its price is 2 x_3 - x_7 and noise.
        let mut stream = Stream::new(1, Purpose::Data, n);
        let record: Vec<f64> = (0..ATTRIBUTES).map(|_| stream.normal()).collect();
        let price = 2.0 * record[3] - record[7] + 0.1 * stream.normal();
        let mut seller = Seller { record, sold: 0 };

        running.ask_into(&mut query)?; // which cells of the next record?
        values.clear();
        for read in query.reads.iter().filter(|read| read.role != Role::Known) {
            values.push(seller.cell(read.panel as usize)); // pay for them
        }
        running.tell(&query, &values, price)?; // one step
        bill += seller.sold;
    }

    let predictor = running.predictor();
    println!("cells paid for: {bill} of {}", 20_000 * ATTRIBUTES);
    println!("weight of attribute 3: {:+.2} (truth +2)", predictor.weights[3]);
    println!("weight of attribute 7: {:+.2} (truth -1)", predictor.weights[7]);
    let rest = (0..ATTRIBUTES).filter(|j| ![3, 7].contains(j)).map(|j| predictor.weights[j].abs());
    println!("largest other weight:  {:.2}", rest.fold(0.0, f64::max));
    assert!((predictor.weights[3] - 2.0).abs() < 0.3 && (predictor.weights[7] + 1.0).abs() < 0.3);
    Ok(())
}
