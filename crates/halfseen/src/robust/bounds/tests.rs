use super::*;
use crate::full::testing::Data;
use crate::sampling::{Purpose, Stream};
use ndarray::array;

fn plain(columns: usize, reach: f64) -> Vec<Coordinate> {
    vec![Coordinate { reach, value: Some(1.0) }; columns]
}

fn bound<'a>(coordinates: &'a [Coordinate], margin: f64, examples: usize, error: f64) -> MarginBound<'a> {
    let vanishing = coordinates.iter().filter_map(|c| c.value).sum::<f64>();
    MarginBound { coordinates, left: 0.8 * vanishing, margin, examples, error, confidence: 0.05, tried: 1 }
}

#[test]
fn the_bound_inverts_the_relative_entropy_and_beats_the_closed_form() {
    let mut stream = Stream::new(1, Purpose::Data, 0);
    for _ in 0..200 {
        let coordinates = plain(1 + stream.below(30), 0.1 + stream.unit());
        let examples = 500 + stream.below(100_000);
        let bound = bound(&coordinates, 0.1 + 5.0 * stream.unit(), examples, 0.3 * stream.unit());
        let (found, weaker) = (bound.risk().value(), bound.closed_form().value());
        assert!(found <= weaker + 1e-12 && found >= bound.error, "{found} and {weaker}");
        if found < 1.0 {
            let rate = bound.complexity().unwrap() / (examples - 1) as f64;
            assert!((relative_entropy(bound.error, found) - rate).abs() < 1e-9 * (1.0 + rate));
        }
    }
    // Without errors it is 1 - e^-rate.
    let rate = 0.01_f64;
    assert!((largest_risk(0.0, rate) - (1.0 - (-rate).exp())).abs() < 1e-12);
    assert_eq!(largest_risk(1.0, rate), 1.0);
}

#[test]
fn the_complexity_is_that_of_theorem_2() {
    // b = 0, |x| <= 1: ln(m / delta) + sum of ln(4 P C / (gamma v)).
    let coordinates = plain(10, 0.7);
    let found = bound(&coordinates, 0.2, 1_000, 0.1).complexity().unwrap();
    let expected = (1_000.0_f64 / 0.05).ln() + 10.0 * (4.0 * 8.0 * 0.7 / 0.2_f64).ln();
    assert!((found - expected).abs() < 1e-12);
    // A bias takes 1 / (n + 1) of the margin.
    let biased = [plain(10, 0.7), vec![Coordinate { reach: 2.0, value: None }]].concat();
    let found = bound(&biased, 0.2, 1_000, 0.1).complexity().unwrap();
    let expected = expected + 10.0 * (11.0_f64 / 10.0).ln() + (4.0 * 2.0 * 11.0 / 0.2_f64).ln();
    assert!((found - expected).abs() < 1e-12);
    // A margin beyond all reach costs nothing.
    assert!((bound(&coordinates, 1e9, 1_000, 0.1).complexity().unwrap() - (1_000.0_f64 / 0.05).ln()).abs() < 1e-12);
}

#[test]
fn bounds_move_the_way_they_should() {
    let coordinates = plain(20, 1.0);
    let risk = |margin: f64, m: usize, error: f64| bound(&coordinates, margin, m, error).risk().value();
    assert!(risk(0.5, 10_000, 0.05) > risk(0.5, 20_000, 0.05), "more rows");
    assert!(risk(0.5, 10_000, 0.05) > risk(1.0, 10_000, 0.05), "a larger margin");
    assert!(risk(0.5, 10_000, 0.05) < risk(0.5, 10_000, 0.06), "more errors");
    let base = bound(&coordinates, 0.5, 10_000, 0.05);
    assert!(base.risk().value() < MarginBound { tried: 10, ..base }.risk().value(), "more settings");
    assert!(base.risk().value() < MarginBound { confidence: 0.01, ..base }.risk().value(), "more confidence");
    assert!(base.risk().value() < bound(&plain(20, 2.0), 0.5, 10_000, 0.05).risk().value(), "a larger box");
}

#[test]
fn what_says_nothing_is_called_vacuous() {
    let coordinates = plain(500, 1.0);
    let few = bound(&coordinates, 0.1, 50, 0.1).risk();
    assert!(few.is_vacuous() && few.to_string() == "vacuous" && few.value() <= 1.0);
    let many = bound(&coordinates[..5], 0.1, 100_000, 0.01).risk();
    assert!(!many.is_vacuous() && many.to_string().starts_with("0.01"), "{many}");
    let free = [plain(5, 1.0), vec![Coordinate { reach: 1.0, value: Some(0.0) }]].concat();
    assert_eq!(bound(&free, 0.1, 100_000, 0.01).complexity(), None);
    assert!(bound(&free, 0.1, 100_000, 0.01).risk().is_vacuous());
    // A free column without values is left out.
    let empty = [plain(5, 1.0), vec![Coordinate { reach: 0.0, value: Some(0.0) }]].concat();
    assert!(!bound(&empty, 0.1, 100_000, 0.01).risk().is_vacuous());
    assert!(bound(&coordinates, 0.1, 1, 0.0).risk().is_vacuous());
}

#[test]
fn rows_are_measured_for_both() {
    let data = Data::new(array![[0.5, 0.0, -2.0], [-1.0, 0.0, 1.0]], vec![1.0, -1.0]);
    let rows = Rows::new(&data.examples(), "test").unwrap();
    let threat = Threat::new(vec![1.0, 0.0, 3.0], 1.0).unwrap();
    let found = coordinates(&rows, &threat, 0.5, Some(4.0));
    let expected = [(0.5, Some(1.0)), (1.0, Some(3.0)), (4.0, None)];
    assert_eq!(found, expected.map(|(reach, value)| Coordinate { reach, value }));
    assert_eq!(Lengths::of(&rows), Lengths { square: 4.25, absolute: 2.5 });
    let dear = threat.with_budget(3.0).unwrap();
    let hinge = RobustHinge { threat: &dear, margin: 0.1 };
    assert_eq!(margin_error(&hinge, &rows, &[1.0, -1.0], &[0.0, 0.0, -1.0], 0.0), 1.0, "the third may vanish");
    assert_eq!(margin_error(&hinge, &rows, &[1.0, -1.0], &[0.0, 0.0, -1.0], 9.0), 0.5, "the bias holds one");
}

#[test]
fn the_excess_is_within_the_paper_s() {
    for (m, n, c, margin) in [(1_000, 20, 1.0, 0.3), (12_107, 784, 0.2, 8.0), (50, 5, 3.0, 0.01)] {
        let lengths = Lengths { square: 1.0, absolute: 1.0 };
        let pass =
            PassBound { examples: m, columns: n, box_radius: c, margin, growth: 1.25, lengths, confidence: 0.05 };
        let (nf, mf) = (n as f64, m as f64);
        assert!((pass.regret() - c * (2.0 * (nf + 1.0) / mf).sqrt()).abs() < 1e-12);
        let printed = (3.0 * c + margin * 1.25) * (2.0 * (nf + 1.0 + 40.0_f64.ln()) / mf).sqrt();
        assert!(pass.excess() <= printed, "{} and {printed}", pass.excess());
        assert!(pass.risk(0.0).value() <= 1.0);
        assert_eq!(pass.risk(margin), RiskBound(1.0));
    }
}

/// The share of draws in which N weights of size C lose more to Rademacher noise than a margin.
fn failures(margin: f64, columns: usize, draws: usize) -> f64 {
    let mut stream = Stream::new(3, Purpose::Data, columns as u64);
    let sum = |s: &mut Stream| (0..columns).map(|_| if s.word() & 1 == 0 { -1.0 } else { 1.0 }).sum::<f64>();
    (0..draws).filter(|_| sum(&mut stream) >= margin).count() as f64 / draws as f64
}

#[test]
fn noise_fails_as_seldom_as_promised_and_the_printed_constant_does_not_keep_it() {
    let margin = noise_margin(1.0, 50.0, 0.05);
    assert!((noise_failure(margin, 1.0, 50.0) - 0.05).abs() < 1e-12);
    let found = failures(margin, 50, 200_000);
    assert!((found - 0.0077).abs() < 0.001, "{found}");
    let printed = failures(margin / 2.0, 50, 200_000);
    assert!((printed - 0.102).abs() < 0.003, "{printed}");
    assert_eq!(noise_failure(0.1, 1.0, 0.0), 0.0);
}
