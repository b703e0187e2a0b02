use super::*;
use crate::testing::Data;
use halfseen_solve::sampling::{Purpose, Stream};
use ndarray::array;

fn plain(columns: usize, reach: f64) -> Vec<Coordinate> {
    vec![Coordinate { reach, value: Some(1.0) }; columns]
}

fn bound<'a>(
    coordinates: &'a [Coordinate],
    margin: f64,
    examples: usize,
    error: f64,
) -> MarginBound<'a> {
    let vanishing = coordinates.iter().filter_map(|c| c.value).sum::<f64>();
    MarginBound {
        coordinates,
        left: 0.8 * vanishing,
        margin,
        examples,
        error,
        confidence: 0.05,
        tried: 1,
    }
}

#[test]
fn the_bound_inverts_the_relative_entropy_and_beats_the_closed_form() {
    let mut stream = Stream::new(1, Purpose::Data, 0);
    for _ in 0..200 {
        let coordinates = plain(1 + stream.below(30), 0.1 + stream.unit());
        let examples = 500 + stream.below(100_000);
        let bound = bound(&coordinates, 0.1 + 5.0 * stream.unit(), examples, 0.3 * stream.unit());
        let (risk, weaker) = (bound.risk().value(), bound.closed_form().value());
        assert!(risk <= weaker + 1e-12 && risk >= bound.error, "{risk} and {weaker}");
        if risk < 1.0 {
            let rate = bound.complexity().unwrap() / (examples - 1) as f64;
            assert!((relative_entropy(bound.error, risk) - rate).abs() < 1e-9 * (1.0 + rate));
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
    let complexity = bound(&coordinates, 0.2, 1_000, 0.1).complexity().unwrap();
    let expected = (1_000.0_f64 / 0.05).ln() + 10.0 * (4.0 * 8.0 * 0.7 / 0.2_f64).ln();
    assert!((complexity - expected).abs() < 1e-12);
    // A bias takes 1 / (n + 1) of the margin.
    let biased = [plain(10, 0.7), vec![Coordinate { reach: 2.0, value: None }]].concat();
    let complexity = bound(&biased, 0.2, 1_000, 0.1).complexity().unwrap();
    let expected = expected + 10.0 * (11.0_f64 / 10.0).ln() + (4.0 * 2.0 * 11.0 / 0.2_f64).ln();
    assert!((complexity - expected).abs() < 1e-12);
    // A margin above all reaches adds no complexity.
    assert!(
        (bound(&coordinates, 1e9, 1_000, 0.1).complexity().unwrap() - (1_000.0_f64 / 0.05).ln())
            .abs()
            < 1e-12
    );
}

#[test]
fn bounds_move_the_way_they_should() {
    let coordinates = plain(20, 1.0);
    let risk =
        |margin: f64, m: usize, error: f64| bound(&coordinates, margin, m, error).risk().value();
    assert!(risk(0.5, 10_000, 0.05) > risk(0.5, 20_000, 0.05), "more rows");
    assert!(risk(0.5, 10_000, 0.05) > risk(1.0, 10_000, 0.05), "a larger margin");
    assert!(risk(0.5, 10_000, 0.05) < risk(0.5, 10_000, 0.06), "more errors");
    let base = bound(&coordinates, 0.5, 10_000, 0.05);
    assert!(
        base.risk().value() < MarginBound { tried: 10, ..base }.risk().value(),
        "more settings"
    );
    assert!(
        base.risk().value() < MarginBound { confidence: 0.01, ..base }.risk().value(),
        "more confidence"
    );
    assert!(
        base.risk().value() < bound(&plain(20, 2.0), 0.5, 10_000, 0.05).risk().value(),
        "a larger box"
    );
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
    // A free column of zeros is left out.
    let empty = [plain(5, 1.0), vec![Coordinate { reach: 0.0, value: Some(0.0) }]].concat();
    assert!(!bound(&empty, 0.1, 100_000, 0.01).risk().is_vacuous());
    assert!(bound(&coordinates, 0.1, 1, 0.0).risk().is_vacuous());
}

#[test]
fn rows_are_measured_for_both() {
    let data = Data::new(array![[0.5, 0.0, -2.0], [-1.0, 0.0, 1.0]], vec![1.0, -1.0]);
    let rows = Rows::new(&data.examples(), "test").unwrap();
    let threat = Threat::new(vec![1.0, 0.0, 3.0], 1.0).unwrap();
    let actual = coordinates(&rows, &threat, 0.5, Some(4.0));
    let expected = [(0.5, Some(1.0)), (1.0, Some(3.0)), (4.0, None)];
    assert_eq!(actual, expected.map(|(reach, value)| Coordinate { reach, value }));
    let sizes = rows.sizes();
    assert_eq!((sizes.square, sizes.absolute), (4.25, 2.5));
    let dear = threat.with_budget(3.0).unwrap();
    let hinge = RobustHinge { threat: &dear, margin: 0.1 };
    assert_eq!(
        margin_error(&hinge, &rows, &[1.0, -1.0], &[0.0, 0.0, -1.0], 0.0),
        1.0,
        "the third may vanish"
    );
    assert_eq!(
        margin_error(&hinge, &rows, &[1.0, -1.0], &[0.0, 0.0, -1.0], 9.0),
        0.5,
        "the bias holds one"
    );
}

#[test]
fn the_excess_is_within_the_paper_s() {
    for (m, n, c, margin) in [(1_000, 20, 1.0, 0.3), (12_107, 784, 0.2, 8.0), (50, 5, 3.0, 0.01)] {
        let pass = PassBound {
            examples: m,
            columns: n,
            box_radius: c,
            margin,
            growth: 1.25,
            square: 1.0,
            absolute: 1.0,
            confidence: 0.05,
        };
        let (nf, mf) = (n as f64, m as f64);
        assert!((pass.regret() - c * (2.0 * (nf + 1.0) / mf).sqrt()).abs() < 1e-12);
        let printed = (3.0 * c + margin * 1.25) * (2.0 * (nf + 1.0 + 40.0_f64.ln()) / mf).sqrt();
        assert!(pass.excess() <= printed, "{} and {printed}", pass.excess());
        assert!(pass.risk(0.0).value() <= 1.0);
        assert_eq!(pass.risk(margin), RiskBound(1.0));
    }
}

/// Returns the share of draws in which N weights of size C lose more than a margin to Rademacher
/// noise.
fn failures(margin: f64, columns: usize, draws: usize) -> f64 {
    let mut stream = Stream::new(3, Purpose::Data, columns as u64);
    let sum = |s: &mut Stream| {
        (0..columns).map(|_| if s.word() & 1 == 0 { -1.0 } else { 1.0 }).sum::<f64>()
    };
    (0..draws).filter(|_| sum(&mut stream) >= margin).count() as f64 / draws as f64
}

#[test]
fn noise_fails_as_seldom_as_promised_and_the_printed_constant_does_not_keep_it() {
    let margin = noise_margin(1.0, 50.0, 0.05);
    assert!((noise_failure(margin, 1.0, 50.0) - 0.05).abs() < 1e-12);
    let share = failures(margin, 50, 200_000);
    assert!((share - 0.0077).abs() < 0.001, "{share}");
    let printed = failures(margin / 2.0, 50, 200_000);
    assert!((printed - 0.102).abs() < 0.003, "{printed}");
    assert_eq!(noise_failure(0.1, 1.0, 0.0), 0.0);
}

/// Returns attributes each correlated with the class, and the class as target and codes.
fn classes(rows: usize, columns: usize, seed: u64) -> (Data, Vec<u32>) {
    let mut stream = Stream::new(seed, Purpose::Data, 1);
    let codes: Vec<u32> = (0..rows).map(|_| u32::from(stream.unit() < 0.5)).collect();
    let targets: Vec<f64> = codes.iter().map(|&code| 2.0 * f64::from(code) - 1.0).collect();
    let cells = ndarray::Array2::from_shape_fn((rows, columns), |(i, _)| {
        (0.35 * targets[i] + 1.3 * (stream.unit() - 0.5)).clamp(-1.0, 1.0)
    });
    (Data::new(cells, targets), codes)
}

/// Fits five attributes by name; returns the fit, its note on new rows, and the share of other rows
/// misclassified under the exact attack.
fn promised(
    name: &str,
    settings: &[(&'static str, &str)],
    seed: u64,
    attack: Attack,
) -> (halfseen_core::model::Fit, Note, f64) {
    promised_of(5, name, settings, seed, attack)
}

/// Does the same for `columns` attributes.
fn promised_of(
    columns: usize,
    name: &str,
    settings: &[(&'static str, &str)],
    seed: u64,
    attack: Attack,
) -> (halfseen_core::model::Fit, Note, f64) {
    let (data, codes) = classes(3_000, columns, seed);
    let labels = Some(halfseen_core::data::Labels { codes: &codes, classes: 2 });
    let setting: Vec<_> =
        settings.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
    let learner = {
        let named = crate::learners().into_iter().find(|learner| learner.name() == name).unwrap();
        halfseen_core::learner::with(named, &setting).unwrap()
    };
    let examples = halfseen_core::data::Examples { labels, ..data.examples() };
    let fit = learner.fit(&examples, &halfseen_solve::Silent).unwrap();
    let told = |note: &&Note| matches!(note, Note::RiskBound { .. } | Note::NoiseBound { .. });
    let note = fit.report.notes.iter().find(told).unwrap().clone();
    let (data, codes) = classes(3_000, columns, seed + 10_000);
    let examples = halfseen_core::data::Examples {
        labels: Some(halfseen_core::data::Labels { codes: &codes, classes: 2 }),
        ..data.examples()
    };
    let threat = fit.report.threat.clone().unwrap();
    let scores = crate::attack(&fit.predictor, &examples, &threat, attack, 0).unwrap().scores;
    let wrong = (0..codes.len()).filter(|&i| scores.class(i) != codes[i] as usize).count();
    let share = wrong as f64 / codes.len() as f64;
    (fit, note, share)
}

use crate::attack::{Attack, Choice};

#[test]
fn what_reports_promise_holds_under_attack_in_all_draws() {
    // A failure probability of 0.05 is an upper bound: when as loose as here nothing fails.
    let lp = [("threat", "1"), ("margin", "0.4")];
    let perceptron = [("threat", "1"), ("margin", "1.5"), ("seed", "3")];
    for (name, settings) in [("robust-lp", lp.as_slice()), ("robust-perceptron", &perceptron)] {
        for seed in 0..20 {
            let (_, note, attacked) = promised(name, settings, seed, Attack::Exact);
            let Note::RiskBound { risk, .. } = note else { panic!("{note:?}") };
            assert!(attacked <= risk && attacked > 0.02, "{name}: {attacked} and {risk}");
            assert!(risk < 0.5 || name == "robust-perceptron", "{name}: {risk} says nothing");
        }
    }
    let noise = [("threat", "2"), ("damage", "noise"), ("margin", "5")];
    for seed in 0..5 {
        let (_, note, wrong) =
            promised_of(30, "robust-lp", &noise, seed, Attack::Noise(Choice::Weight));
        let Note::NoiseBound { risk, failure, .. } = note else { panic!("{note:?}") };
        // Two columns, weights of at most 1: exp(-gamma^2 / 4).
        assert!((failure - (-25.0_f64 / 4.0).exp()).abs() < 1e-12);
        assert!(wrong <= risk && risk > failure && risk < 0.5, "{wrong} and {risk}");
    }
}

#[test]
fn the_bound_in_a_report_is_theorem_2_computed_anew() {
    let (fit, note, _) = promised(
        "robust-lp",
        &[("threat", "1"), ("margin", "0.4"), ("tried", "7")],
        5,
        Attack::Exact,
    );
    let Note::RiskBound { theorem, risk, confidence, tried, from_rows } = note else {
        panic!("{note:?}")
    };
    assert_eq!((theorem.as_str(), confidence, tried, from_rows.len()), ("theorem 2", 0.05, 7, 0));
    let (data, _) = classes(3_000, 5, 5);
    let rows = Rows::new(&data.examples(), "test").unwrap();
    let weights = &fit.linear().unwrap().weights;
    let (gamma, value_left, total, m) = (0.4, 4.0, 5.0, 3_000.0);
    // Rows within the margin after single deletions; contributions of rows in two halves of a
    // slot-free layout.
    let (mut within, mut longest, mut largest) = (0.0, 0.0_f64, [0.0_f64; 5]);
    for i in 0..rows.len() {
        let (slots, values) = rows.row(i);
        let y = data.targets[i];
        let parts: Vec<f64> =
            slots.iter().zip(values).map(|(&s, x)| weights[s as usize] * x).collect();
        let score = fit.linear().unwrap().intercept + parts.iter().sum::<f64>();
        let whole = gamma * total / value_left - y * score;
        let worst =
            parts.iter().map(|part| whole - gamma / value_left + y * part).fold(whole, f64::max);
        within += f64::from(u8::from(worst > 0.0));
        longest = longest.max(values.iter().map(|x| x.abs()).sum());
        slots
            .iter()
            .zip(values)
            .for_each(|(&s, x)| largest[s as usize] = largest[s as usize].max(x.abs()));
    }
    let mut beta = (m * 7.0 / 0.05_f64).ln();
    for reach in largest {
        beta += (4.0 * value_left * reach * 6.0 / (5.0 * gamma)).ln();
    }
    beta += (4.0 * (longest + gamma * total / value_left) * 6.0 / gamma).ln();
    let error = within / m;
    let divergence =
        |e: f64| error * (error / e).ln() + (1.0 - error) * ((1.0 - error) / (1.0 - e)).ln();
    assert!(
        (divergence(risk) - beta / (m - 1.0)).abs() < 1e-6,
        "{risk}: {} and {}",
        divergence(risk),
        beta / (m - 1.0)
    );
    // Tried settings loosen the bound, and costs taken from the rows are named.
    let (_, once, _) =
        promised("robust-lp", &[("threat", "1"), ("margin", "0.4")], 5, Attack::Exact);
    let Note::RiskBound { risk: once, .. } = once else { panic!("{once:?}") };
    assert!(once < risk);
    let (_, note, _) = promised("robust-lp", &[("threat", "1"), ("costs", "mi")], 5, Attack::Exact);
    let Note::RiskBound { from_rows, .. } = &note else { panic!("{note:?}") };
    assert!(
        from_rows.contains(&"costs".to_owned())
            && note.to_string().contains("does not hold here for"),
        "{note}"
    );
    let (_, note, _) =
        promised("robust-perceptron", &[("threat", "1"), ("margin", "50")], 5, Attack::Exact);
    assert!(
        matches!(&note, Note::RiskBound { from_rows, .. } if *from_rows == ["step"]),
        "{note:?}"
    );
}

#[test]
fn a_mean_loss_counts_rows_by_their_weights() {
    let (data, codes) = classes(4, 5, 2);
    let signs: Vec<f64> = data.targets.clone();
    let threat = Threat::uniform(5, 1.0).unwrap();
    let hinge = RobustHinge { threat: &threat, margin: 2.0 };
    let weights = [0.3, -0.1, 0.5, 0.2, 0.1];
    let mean = |of: Option<&[f64]>, rows: Vec<u32>| {
        let labels = Some(halfseen_core::data::Labels { codes: &codes, classes: 2 });
        let all = halfseen_core::data::Examples { labels, weights: of, ..data.examples() };
        let signs: Vec<f64> = rows.iter().map(|&r| signs[r as usize]).collect();
        hinge.mean(&Rows::new(&all.with_rows(rows), "test").unwrap(), &signs, &weights, 0.1)
    };
    let weighed = mean(Some(&[1.0, 3.0, 1.0, 2.0]), vec![0, 1, 2, 3]);
    let repeated = mean(None, vec![0, 1, 1, 1, 2, 3, 3]);
    assert!(
        (weighed - repeated).abs() < 1e-14 && (weighed - mean(None, vec![0, 1, 2, 3])).abs() > 1e-6
    );
}
