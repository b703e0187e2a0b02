//! Follows learners across the moment at which their draws change: saved before it, and answered
//! late.

use crate::common::{Data, layout, started};
use halfseen::budget::{AskTell, Query, ReadRole, TellOutcome};
use halfseen::registry::load;

type Settings = &'static [(&'static str, &'static str)];

/// Learners whose draws change, with settings and the number of answers after which they do.
const CHANGING: [(&str, Settings, usize); 5] = [
    ("ddaerr-2p", &[("phase1", "9"), ("inner", "mixed")], 9),
    ("ddaelr-2p", &[("phase1", "9"), ("inner", "moments")], 9),
    ("ddaerr-2p", &[("phase1", "9"), ("replacement", "true"), ("centre", "none")], 9),
    ("ddaerr", &[("moments", "online"), ("inner", "mixed")], 4),
    ("ddaelr", &[("moments", "online"), ("centre", "none")], 4),
];

fn each(mut check: impl FnMut(&str, &Data, Box<dyn AskTell>, usize)) {
    let data = Data::random(80, &layout(&[1, 2, 1, 1, 1], &[1]), 41);
    for (name, settings, change) in CHANGING {
        let settings = [settings, &[("budget", "3"), ("horizon", "60")]].concat();
        check(name, &data, started(name, &settings, &data.layout), change);
    }
}

/// Queries, and where all is told, the predictor, as bits.
fn go_on(
    data: &Data,
    learner: &mut dyn AskTell,
    open: &[Query],
    from: usize,
) -> (Vec<Query>, Vec<u64>) {
    let mut asked = data.teach(learner, from..from + 4);
    for (at, query) in open.iter().enumerate() {
        assert_eq!(
            learner.tell(query, &data.answer(query, 60 + at), data.y[60 + at]).unwrap(),
            TellOutcome::Learned
        );
    }
    asked.extend(data.teach(learner, from + 4..from + 30));
    let p = learner.predictor();
    (asked, p.weights.iter().chain(&p.fill).chain([&p.intercept]).map(|v| v.to_bits()).collect())
}

#[test]
fn a_learner_saved_before_its_draws_change_goes_on_with_the_same_bits() {
    each(|name, data, mut learner, change| {
        for saved_at in [0, change - 2, change - 1, change, change + 1] {
            let done = learner.report().examples as usize;
            data.teach(&mut *learner, done..saved_at);
            let mut twin = load(&learner.save().unwrap()).unwrap();
            let mut other = load(&learner.save().unwrap()).unwrap();
            let (mut first, mut second) = (Vec::new(), Vec::new());
            for _ in 0..2 {
                first.push(twin.ask().unwrap());
                second.push(other.ask().unwrap());
            }
            // Saved again with queries open.
            let mut other = load(&other.save().unwrap()).unwrap();
            let expected = go_on(data, &mut *twin, &first, saved_at);
            let resumed = go_on(data, &mut *other, &second, saved_at);
            assert_eq!(resumed, expected, "{name}, saved after {saved_at} answers");
            let phases: Vec<u32> = expected.0.iter().map(|q| q.phase).collect();
            assert!(
                saved_at >= change || phases[0] < phases[29],
                "{name}: the draws change on the way: {phases:?}"
            );
        }
    });
}

#[test]
fn answers_to_queries_of_an_earlier_phase_are_accepted_later() {
    each(|name, data, mut learner, change| {
        data.teach(&mut *learner, 0..change - 2);
        let old: Vec<Query> = (0..5).map(|_| learner.ask().unwrap()).collect();
        assert!(old.iter().all(|q| q.phase == 0), "{name}");
        data.teach(&mut *learner, change - 2..change);
        let new = learner.ask().unwrap();
        assert_eq!(new.phase, 1, "{name}");
        let coefficients = |q: &Query| {
            q.reads
                .iter()
                .filter(|r| r.role == ReadRole::Gradient)
                .map(|r| r.coefficient)
                .collect::<Vec<_>>()
        };
        // Not vacuous: a query of the old kind would not be one of the new.
        assert!(
            old.iter().all(|q| coefficients(q).iter().all(|c| !coefficients(&new).contains(c))),
            "{name}"
        );
        for at in [3, 0, 4, 1] {
            let (query, row) = (&old[at], 40 + at);
            let told = learner.tell(query, &data.answer(query, row), data.y[row]);
            assert_eq!(told.unwrap(), TellOutcome::Learned, "{name}");
        }
        learner.tell(&new, &data.answer(&new, 50), data.y[50]).unwrap();
        let before = learner.save().unwrap();
        let mut edited = old[2].clone();
        edited
            .reads
            .iter_mut()
            .filter(|r| r.role == ReadRole::Gradient)
            .for_each(|r| r.coefficient *= 2.0);
        let error = learner.tell(&edited, &data.answer(&edited, 42), data.y[42]).unwrap_err();
        assert_eq!(crate::common::kind(&error), "WrongAnswer", "{name}");
        assert_eq!(learner.save().unwrap(), before, "{name}");
        let report = learner.report();
        assert_eq!(report.examples as usize, change + 5, "{name}");
        assert!(learner.predictor().weights.iter().all(|w| w.is_finite()));
    });
}

/// Eps is in units of the values: the same data in other units are read alike.
#[test]
fn the_second_phase_does_not_depend_on_units() {
    let data = Data::random(60, &layout(&[1, 2, 1, 1], &[1]), 5);
    for name in ["ddaerr-2p", "ddaelr-2p"] {
        let asked = |scale: f64| {
            let other = Data::new(data.x.mapv(|v| v * scale), data.y.clone(), &data.layout);
            let settings = [("budget", "3"), ("centre", "none"), ("phase1", "20")];
            let queries = other.teach(&mut *started(name, &settings, &data.layout), 0..40);
            let drawn = |q: &Query| {
                let gradient = q.reads.iter().filter(|r| r.role == ReadRole::Gradient);
                gradient.map(|r| (r.panel, r.coefficient.to_bits())).collect::<Vec<_>>()
            };
            queries.iter().map(drawn).collect::<Vec<_>>()
        };
        let plain = asked(1.0);
        assert!(
            plain[20..].iter().flatten().any(|(_, bits)| *bits != plain[0][0].1),
            "{name}: nothing was learned"
        );
        assert_eq!(asked(64.0), plain, "{name}");
        assert_eq!(asked(1.0 / 1024.0), plain, "{name}");
    }
}
