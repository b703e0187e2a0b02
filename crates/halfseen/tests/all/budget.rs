//! Counts what is read with a counter of its own: never more than k, billed exactly, nothing else
//! touched.

use crate::common::{Data, assert_near, budgeted, layout, learner, singletons, started};
use halfseen::Silent;
use halfseen::budget::{AskTell, Query, ReadRole, TellOutcome, one_pass};
use halfseen::data::Matrix;
use halfseen::model::{BudgetKind, Linear, Note, Report};
use std::collections::{BTreeMap, BTreeSet};

/// Passes everything on, and writes down which panels are read, query by query.
struct Recorder {
    inner: Box<dyn AskTell>,
    /// Panels that cost a read, in order, with multiplicity.
    seen: Vec<Vec<u32>>,
    known: u64,
}

impl AskTell for Recorder {
    fn ask_into(&mut self, query: &mut Query) -> halfseen::Result<()> {
        self.inner.ask_into(query)?;
        let paid = query.reads.iter().filter(|r| r.role != ReadRole::Known).map(|r| r.panel);
        self.seen.push(paid.collect());
        self.known += query.reads.iter().filter(|r| r.role == ReadRole::Known).count() as u64;
        Ok(())
    }
    fn tell(
        &mut self,
        query: &Query,
        values: &[f64],
        target: f64,
    ) -> halfseen::Result<TellOutcome> {
        self.inner.tell(query, values, target)
    }
    fn forget(&mut self, number: u64) -> halfseen::Result<()> {
        self.inner.forget(number)
    }
    fn adopt(&mut self, query: &Query) -> halfseen::Result<()> {
        self.inner.adopt(query)
    }
    fn skip_to(&mut self, number: u64) -> halfseen::Result<()> {
        self.inner.skip_to(number)
    }
    fn predictor(&self) -> Linear {
        self.inner.predictor()
    }
    fn report(&self) -> Report {
        self.inner.report()
    }
    fn save(&self) -> halfseen::Result<serde_json::Value> {
        self.inner.save()
    }
}

#[test]
fn no_example_is_read_more_often_than_the_budget_says_and_the_bill_is_exact() {
    for (sampled, known) in [(vec![1; 9], vec![]), (vec![1, 3, 1, 2, 1, 1], vec![1, 2])] {
        let data = Data::random(700, &layout(&sampled, &known), 41);
        let d = sampled.len();
        for name in budgeted() {
            for k in [2, 3, 5, d] {
                for replacement in ["false", "true"] {
                    let (budget, mut settings) = (k.to_string(), vec![("average", "all")]);
                    settings.push(("budget", &budget));
                    if name != "aer" {
                        settings.push(("replacement", replacement));
                    }
                    let inner = started(&name, &settings, &data.layout);
                    let mut recorder = Recorder { inner, seen: vec![], known: 0 };
                    let fits =
                        one_pass(&mut recorder, 3, &[700], &data.examples(), &Silent).unwrap();
                    let report = &fits[0].report;
                    let most = recorder.seen.iter().map(Vec::len).max().unwrap();
                    let reads: usize = recorder.seen.iter().map(Vec::len).sum();
                    match report.budget_kind {
                        BudgetKind::Each => {
                            assert_eq!(most, k, "{name}: the budget is kept, and used")
                        }
                        // At most 2.06 more than those of the gradient on average, here with five
                        // standard errors of 700 draws.
                        BudgetKind::Expected => {
                            assert!(
                                k < d && report.mean_reads() <= (k - 1) as f64 + 2.06 + 0.6,
                                "{name}: {report:?}"
                            );
                            assert!(
                                recorder.seen.iter().all(|s| s.len() >= k - 1) && most > k,
                                "{name}"
                            );
                            assert_eq!(report.mean_reads(), reads as f64 / 700.0);
                        }
                    }
                    let distinct: usize =
                        recorder.seen.iter().map(|s| s.iter().collect::<BTreeSet<_>>().len()).sum();
                    assert_eq!(
                        (report.reads, report.distinct),
                        (reads as u64, distinct as u64),
                        "{name}, k = {k}"
                    );
                    assert_eq!(
                        report.panel_reads.iter().sum::<u64>(),
                        report.distinct,
                        "{name}, k = {k}"
                    );
                    let of =
                        |p: u32| recorder.seen.iter().filter(|s| s.contains(&p)).count() as u64;
                    let of_panels: Vec<u64> = (0..d as u32).map(of).collect();
                    assert_eq!(report.panel_reads, of_panels, "{name}, k = {k}");
                    assert_eq!((report.max_reads, report.examples), (most as u64, 700));
                    assert_eq!(recorder.known, 700 * known.len() as u64);
                    let sampled_only = recorder.seen.iter().flatten().all(|&p| (p as usize) < d);
                    assert!(sampled_only, "always-known panels cost nothing");
                }
            }
        }
    }
}

#[test]
fn cells_that_were_not_asked_for_are_not_touched() {
    for centre in ["none", "running"] {
        for name in budgeted() {
            let data = Data::random(500, &layout(&[1, 3, 1, 2, 1, 1], &[1]), 42);
            let learner = learner(&name, &[("budget", "3"), ("centre", centre), ("seed", "5")]);
            let full = learner.fit(&data.examples(), &Silent).unwrap();
            // Which cells: replay the fit, which teaches the rows in an order drawn from the seed.
            let mut order: Vec<u32> = (0..500).collect();
            use halfseen::sampling::{Purpose, Stream, shuffle};
            shuffle(&mut Stream::new(5, Purpose::Order, 0), &mut order);
            let settings = [("budget", "3"), ("centre", centre), ("seed", "5"), ("horizon", "500")];
            let mut again = started(&name, &settings, &data.layout);
            let mut asked = vec![[false; 10]; 500];
            for &row in &order {
                let query = again.ask().unwrap();
                for slot in query.reads.iter().flat_map(|r| data.layout.slots_of(r.panel as usize))
                {
                    asked[row as usize][data.layout.column(slot)] = true;
                }
                again
                    .tell(&query, &data.answer(&query, row as usize), data.y[row as usize])
                    .unwrap();
            }
            assert_eq!(again.model(), full.predictor, "the replay is the fit");
            let mut blanked = data.x.clone();
            let mut blanks = 0;
            for ((row, column), cell) in blanked.indexed_iter_mut() {
                if !asked[row][column] {
                    *cell = f64::NAN;
                    blanks += 1;
                }
            }
            assert!(blanks > 1_000);
            let mut data = data;
            data.matrix = Matrix::F64(blanked);
            let mut half = learner.fit(&data.examples(), &Silent).unwrap();
            half.report.seconds = full.report.seconds;
            assert_eq!(half, full, "{name}");
            // One cell more, and it must be noticed: the check sees what is read.
            let row = order[100] as usize;
            let column = (0..10).find(|&c| asked[row][c]).unwrap();
            let Matrix::F64(cells) = &mut data.matrix else { unreachable!() };
            cells[[row, column]] = f64::NAN;
            let refused = learner.fit(&data.examples(), &Silent);
            if crate::common::keeps_reads(&name) {
                // What is read later follows from what was read, so further reads may hit a cell
                // that was blanked.
                let noted =
                    |note: &Note| matches!(note, Note::RefusedReads { reads } if *reads >= 1);
                assert!(refused.unwrap().report.notes.iter().any(noted));
                continue;
            }
            assert_eq!(crate::common::kind(&refused.unwrap_err()), "MissingCell");
        }
    }
}

#[test]
fn permuting_columns_permutes_weights_when_the_queries_are_permuted_too() {
    // k = d: every panel is read, so permuted data alone suffice.
    let data = Data::random(800, &singletons(7), 43);
    let permutation = [3, 0, 6, 1, 5, 2, 4];
    let mut x = data.x.clone();
    for (to, &from) in permutation.iter().enumerate() {
        x.column_mut(to).assign(&data.x.column(from));
    }
    let permuted = Data::new(x, data.y.clone(), &data.layout);
    // A factor model starts from loadings that are drawn column by column, and stops before it
    // forgets them.
    for name in budgeted().into_iter().filter(|name| !crate::common::keeps_reads(name)) {
        let settings = [("budget", "7")];
        let fit = |data: &Data| {
            learner(&name, &settings)
                .fit(&data.examples(), &Silent)
                .unwrap()
                .linear()
                .unwrap()
                .clone()
        };
        let (plain, moved) = (fit(&data), fit(&permuted));
        let expected: Vec<f64> = permutation.iter().map(|&from| plain.weights[from]).collect();
        assert_near(&moved.weights, &expected, 1e-12, &name);
    }
}

#[test]
fn the_draws_follow_the_shares_that_the_estimates_use() {
    // A product read multiplies its value by w_j / share_j: for AERR |w|^2 / w_j, for the others
    // +-|w|_1. So every product part of one query tells the same norm, whatever was drawn.
    let data = Data::random(300, &singletons(8), 44);
    for name in ["aer", "aelr"] {
        let mut learner =
            started(name, &[("average", "all"), ("budget", "6"), ("centre", "none")], &data.layout);
        let mut norms: BTreeMap<u64, Vec<f64>> = BTreeMap::new();
        for query in data.teach(&mut *learner, 0..300) {
            for (read, part) in query.reads.iter().zip(&query.parts) {
                if read.role == ReadRole::Product {
                    let products =
                        query.reads.iter().filter(|r| r.role == ReadRole::Product).count() as f64;
                    norms.entry(query.number).or_default().push(part.weight.abs() * products);
                }
            }
        }
        assert!(norms.len() == 299);
        for each in norms.values() {
            assert_near(each, &vec![each[0]; each.len()], 1e-12 * each[0], name);
        }
    }
}
