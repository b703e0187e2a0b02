//! Compares certificates with every possible deletion, predicted as a model predicts it.

use super::*;
use halfseen_core::data::{Declared, Layout, Matrix, Scaler, TargetScale};
use halfseen_solve::sampling::{Purpose, Stream};
use ndarray::Array2;
use std::sync::Arc;

/// Random predictor and row, in a layout with panels of several columns and a known column.
struct Case {
    /// One, or one for each of several classes, with the same fills.
    linears: Vec<Linear>,
    matrix: Matrix,
    layout: Arc<Layout>,
    threat: Threat,
    threshold: f64,
}

impl Case {
    fn new(number: u64) -> Case {
        let mut stream = Stream::new(11, Purpose::Data, number);
        let panels = 1 + stream.below(12);
        let several = number.is_multiple_of(3);
        let mut columns: Vec<Vec<u32>> = Vec::new();
        let mut width = 0;
        for _ in 0..panels {
            let size = if several { 1 + stream.below(3) as u32 } else { 1 };
            columns.push((width..width + size).collect());
            width += size;
        }
        let mut builder = Layout::builder(width as usize + usize::from(several));
        if several {
            builder.known("known", vec![width]);
            width += 1;
        }
        columns.reverse();
        columns.iter().enumerate().for_each(|(p, c)| builder.sampled(&format!("p{p}"), c.clone()));
        let width = width as usize;
        let fill: Vec<f64> = (0..width)
            .map(|_| if number.is_multiple_of(2) { 0.0 } else { stream.normal() })
            .collect();
        let weights: Vec<f64> =
            (0..width).map(|_| if stream.unit() < 0.1 { 0.0 } else { stream.normal() }).collect();
        let mut row: Vec<f64> = (0..width)
            .map(|j| if stream.unit() < 0.2 { fill[j] } else { stream.normal() })
            .collect();
        for panel in &columns {
            // Some panels are missing, some in part.
            if stream.unit() < 0.15 {
                panel.iter().for_each(|&c| row[c as usize] = f64::NAN);
            } else if stream.unit() < 0.1 {
                row[panel[0] as usize] = f64::NAN;
            }
        }
        let value = |stream: &mut Stream| match number % 4 {
            0 => 0.3,
            1 => f64::from(u8::from(stream.unit() < 0.8)),
            2 => stream.below(6) as f64,
            _ => 3.0 * stream.unit(),
        };
        let mut values: Vec<f64> = (0..panels).map(|_| value(&mut stream)).collect();
        values[0] = values[0].max(if number % 4 == 2 { 2.0 } else { 0.3 });
        if number % 4 == 1 {
            values[0] = 1.0;
        }
        Case {
            linears: vec![Linear { weights, intercept: stream.normal(), fill, clip: None }],
            matrix: Matrix::F64(Array2::from_shape_vec((1, width), row).unwrap()),
            layout: Arc::new(builder.finish().unwrap()),
            threat: Threat::new(values, 0.0).unwrap(),
            threshold: 0.5 * stream.normal(),
        }
    }

    /// Adds models of more classes, with some equal weights.
    fn of_classes(number: u64) -> Case {
        let mut case = Case::new(number);
        let mut stream = Stream::new(12, Purpose::Data, number);
        for _ in 0..2 + stream.below(3) {
            let mut next = case.linears[stream.below(case.linears.len())].clone();
            for weight in &mut next.weights {
                *weight = if stream.unit() < 0.7 { stream.normal() } else { *weight };
            }
            // Without ties, which are not certified; see below.
            next.intercept += 0.5 * stream.normal();
            case.linears.push(next);
        }
        case
    }

    fn examples(&self) -> Examples<'_> {
        Examples {
            matrix: &self.matrix,
            scaler: &Scaler::None {},
            layout: &self.layout,
            targets: &[],
            labels: None,
            rows: vec![0].into(),
            weights: None,
            moments: None,
            declared: Declared::default(),
            pilot: None,
        }
    }

    /// Returns the scores of the row without these attributes, as predicted.
    fn scores_without(&self, gone: impl Fn(usize) -> bool) -> Vec<f64> {
        let mut row: Vec<f64> = (0..self.matrix.columns()).map(|c| self.matrix.get(0, c)).collect();
        for panel in (0..self.layout.sampled_panels()).filter(|p| gone(*p)) {
            self.layout.slots_of(panel).for_each(|slot| row[self.layout.column(slot)] = f64::NAN);
        }
        let matrix = Matrix::F64(Array2::from_shape_vec((1, row.len()), row).unwrap());
        let examples = Examples { matrix: &matrix, ..self.examples() };
        self.linears.iter().map(|linear| linear.scores(&examples)[0]).collect()
    }

    /// Returns the least value of deletions that change the prediction, missing ones included, by
    /// enumeration.
    fn least(&self, changed: impl Fn(&[f64], &[f64]) -> bool) -> Option<f64> {
        let panels = self.layout.sampled_panels();
        let missing = |p: usize| {
            self.layout
                .slots_of(p)
                .all(|slot| self.matrix.get(0, self.layout.column(slot)).is_nan())
        };
        let spent: f64 = (0..panels).filter(|p| missing(*p)).map(|p| self.threat.values()[p]).sum();
        let before = self.scores_without(|_| false);
        let costs = (1..1_u32 << panels)
            .filter(|set| (0..panels).all(|p| set >> p & 1 == 0 || !missing(p)));
        let costs =
            costs.filter(|set| changed(&before, &self.scores_without(|p| set >> p & 1 == 1)));
        let cost = |set: u32| {
            (0..panels).filter(|p| set >> p & 1 == 1).map(|p| self.threat.values()[p]).sum::<f64>()
        };
        costs.map(cost).min_by(f64::total_cmp).map(|cost| spent + cost)
    }

    /// Checks a certificate against enumeration of all deletions.
    fn check(
        &self,
        number: u64,
        promise: CertifiedClaim,
        changed: impl Fn(&[f64], &[f64]) -> bool + Copy,
    ) {
        let scale = match self.linears.len() {
            1 => TargetScale { mean: -self.threshold * 2.0, deviation: 2.0 },
            _ => TargetScale::IDENTITY,
        };
        let certificate = certify(&self.linears, scale, &self.examples(), &self.threat, promise)
            .unwrap()
            .remove(0);
        let total = self.threat.total();
        let Some(least) = self.least(changed) else {
            assert_eq!(
                (certificate.certified, certificate.flips_at),
                (Some(total), None),
                "{number}"
            );
            assert!(certificate.exact && certificate.flips.is_empty());
            return;
        };
        assert!(certificate.exact, "{number}");
        let flips_at = certificate.flips_at.unwrap();
        assert!((flips_at - least).abs() < 1e-9, "{number}: {certificate:?}, {least}");
        let before = self.scores_without(|_| false);
        let after = self.scores_without(|p| certificate.flips.contains(&(p as u32)));
        assert!(changed(&before, &after), "{number}: {certificate:?}");
        let missing: f64 = flips_at
            - certificate.flips.iter().map(|&p| self.threat.values()[p as usize]).sum::<f64>();
        let step = match self.threat.costs() {
            Costs::Equal { value, .. } => value,
            Costs::Whole { .. } => 1.0,
            Costs::General => 1e-7,
        };
        match certificate.certified {
            None => assert!((least - missing).abs() < 1e-9, "{number}: free ones change it"),
            Some(certified) => {
                assert!(
                    certified < least && certified >= least - step - 1e-9,
                    "{number}: {certified}, {least}"
                );
            }
        }
    }
}

#[test]
fn no_deletion_beats_a_certificate() {
    for number in 0..1_000 {
        let case = Case::new(number);
        let threshold = case.threshold;
        case.check(number, CertifiedClaim::Class, |before, after| {
            (before[0] > threshold) != (after[0] > threshold)
        });
    }
}

#[test]
fn no_deletion_moves_an_estimate_further() {
    for number in 0..400 {
        let case = Case::new(number);
        let change = case.threshold.abs() * 2.0;
        case.check(number, CertifiedClaim::Within(2.0 * change), |before, after| {
            (after[0] - before[0]).abs() > change
        });
    }
}

#[test]
fn no_deletion_turns_a_certified_class_of_several() {
    let class = |scores: &[f64]| largest(scores.iter().copied());
    let (mut turned, cases) = (0, 1_000);
    for number in 0..cases {
        let case = Case::of_classes(number);
        case.check(number, CertifiedClaim::Class, |before, after| class(before) != class(after));
        turned += usize::from(case.least(|before, after| class(before) != class(after)).is_some());
    }
    assert!((cases as usize / 3..cases as usize).contains(&turned), "{turned} can be turned");
}

#[test]
fn ties_of_two_classes_with_equal_weights_are_never_certified() {
    // Deletions leave the difference of the first two as it is, but perhaps not how it is rounded.
    let mut case = plain(&[0.1, 0.2, 0.3], 0.0, vec![1.0; 3]);
    for (weights, intercept) in [([0.1, 0.2, 0.3], 1e-17), ([-9.0; 3], -9.0)] {
        let (weights, fill) = (weights.to_vec(), vec![0.0; 3]);
        case.linears.push(Linear { weights, intercept, fill, clip: None });
    }
    let tie = of(&case);
    assert_eq!((tie.certified, tie.exact, tie.flips.len()), (Some(0.0), false, 0), "{tie:?}");
    // Without weights the scores stay as they are.
    case.linears.iter_mut().for_each(|linear| linear.weights.fill(0.0));
    let constant = of(&case);
    assert_eq!((constant.certified, constant.exact), (Some(3.0), true), "{constant:?}");
    case.linears[0].intercept = f64::NAN;
    let unknown = of(&case);
    assert_eq!((unknown.certified, unknown.exact), (None, false));
}

/// Returns one row of values 1 with these weights; fill 0.
fn plain(weights: &[f64], intercept: f64, values: Vec<f64>) -> Case {
    let n = weights.len();
    Case {
        linears: vec![Linear {
            weights: weights.to_vec(),
            intercept,
            fill: vec![0.0; n],
            clip: None,
        }],
        matrix: Matrix::F64(Array2::ones((1, n))),
        layout: Arc::new(Layout::singletons(n)),
        threat: Threat::new(values, 0.0).unwrap(),
        threshold: 0.0,
    }
}

fn of(case: &Case) -> Certificate {
    certify(
        &case.linears,
        TargetScale::IDENTITY,
        &case.examples(),
        &case.threat,
        CertifiedClaim::Class,
    )
    .unwrap()
    .remove(0)
}

#[test]
fn what_lies_on_the_threshold_is_of_the_first_class_and_ties_are_never_certified() {
    // 0.5 + 0.5 - 1 + 1 = 1: without both halves exactly 0, which is the first class.
    let down = of(&plain(&[0.5, -1.0, 0.5], 1.0, vec![1.0; 3]));
    assert_eq!(
        (down.certified, down.flips_at, down.flips.as_slice()),
        (Some(1.0), Some(2.0), &[0, 2][..])
    );
    assert!(down.exact);
    // -1 + 1 = 0 is not above 0: a tie is no change, but rounding makes it uncertain.
    let tie = of(&plain(&[-1.0, -1.0], 1.0, vec![1.0; 2]));
    assert_eq!(
        (tie.certified, tie.flips_at, tie.flips.as_slice()),
        (Some(0.0), Some(2.0), &[0, 1][..])
    );
    assert!(!tie.exact);
    // Weights of 0 change nothing at any score.
    let zero = of(&plain(&[0.0, 0.0], 0.0, vec![1.0; 2]));
    assert_eq!((zero.certified, zero.exact, zero.flips.len()), (Some(2.0), true, 0));
    // On the threshold every deletion that raises the score counts.
    let on = of(&plain(&[-1.0, 2.0, -1.0], 0.0, vec![3.0, 1.0, 2.0]));
    assert_eq!((on.certified, on.flips_at, on.flips.as_slice()), (Some(1.0), Some(2.0), &[2][..]));
}

#[test]
fn free_attributes_that_change_a_prediction_leave_nothing_to_certify() {
    let free = of(&plain(&[1.0, 1.0, 5.0], -3.0, vec![1.0, 1.0, 0.0]));
    assert_eq!((free.certified, free.flips_at, free.flips.as_slice()), (None, Some(0.0), &[2][..]));
    let partly = of(&plain(&[4.0, 2.0, 3.0], -2.0, vec![2.0, 1.0, 0.0]));
    assert_eq!(
        (partly.certified, partly.flips_at, partly.flips.as_slice()),
        (Some(1.0), Some(2.0), &[0, 2][..])
    );
}

#[test]
fn a_search_that_gives_up_leaves_a_lower_bound() {
    let mut proven = 0;
    for number in 0..300 {
        let mut stream = Stream::new(13, Purpose::Data, number);
        let n = 12;
        let values: Vec<f64> = (0..n).map(|_| stream.unit() + 0.1).collect();
        let gains: Vec<f64> = values.iter().map(|v| v + 0.2 * stream.unit()).collect();
        let whole: Vec<f64> = values.iter().map(|v| (v * 1000.0).round()).collect();
        let all: Vec<u32> = (0..n).collect();
        let alters = vec![true; n as usize];
        for values in [values, whole] {
            let threat = Threat::new(values.clone(), 0.0).unwrap();
            let needed = 0.4 * gains.iter().sum::<f64>();
            let best = (0..1_u32 << n).filter_map(|set| {
                let of = |numbers: &[f64]| -> f64 {
                    (0..n).filter(|j| set >> j & 1 == 1).map(|j| numbers[j as usize]).sum()
                };
                (of(&gains) >= needed).then(|| of(&values))
            });
            let best = best.min_by(f64::total_cmp).unwrap();
            let full = Cheapest::new(&threat).find(&all, &gains, &alters, needed).unwrap();
            assert!(
                full.exact && (full.cost - best).abs() < 1e-9 && full.bound <= full.cost,
                "{number}"
            );
            let short =
                Cheapest::new(&threat).limited(1).find(&all, &gains, &alters, needed).unwrap();
            let gained: f64 = short.items.iter().map(|&i| gains[i as usize]).sum();
            assert!(
                short.bound <= best + 1e-9 && short.cost >= best - 1e-9 && gained >= needed - 1e-12,
                "{number}"
            );
            proven += usize::from(short.exact);
            if matches!(threat.costs(), Costs::Whole { .. }) {
                assert!(short.exact && (short.cost - best).abs() < 1e-9, "the table proves it");
            }
        }
    }
    assert!(
        (300..600).contains(&proven),
        "{proven}: one node is not always enough without a table"
    );
}
