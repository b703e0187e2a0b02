//! Holds the curve of a study against studies that never had more, and simulations against what they
//! are told to do.

use crate::common::{Place, answers, create, draw, model, names, row, schema, setup, tell, truth};
use halfseen::Silent;
use halfseen::data::{Column, Matrix, Table, TextColumn};
use halfseen_study::{Error, Events, OwnTest, Pilot, Simulation, Study, Subjects};

/// A study of two hundred subjects, some of them without a target.
fn study(place: &Place, learner: &str) -> Study {
    let mut study = create(&place.path("t.hs"), learner, &[("budget", "3")]);
    let asks = draw(&mut study, &names(0..200), None);
    for ask in &asks {
        let mut told = answers(ask);
        if ask.number % 10 == 3 {
            told.cells.pop();
        }
        tell(&mut study, &[told]);
    }
    study
}

#[test]
fn points_are_models_of_the_study_as_it_was() {
    for (learner, test) in [("fiml", OwnTest::HeldOut), ("aerr", OwnTest::Progressive)] {
        let place = Place::new();
        let mut study = study(&place, learner);
        let curve = study.curve(&Silent).unwrap();
        assert_eq!(curve.test, test);
        let sizes: Vec<u64> = curve.points.iter().map(|point| point.examples).collect();
        assert_eq!(sizes, [22, 45, 90, 180]);
        // The same asks, by the same store, of which the later ones are withdrawn. The hundredth
        // subject is the ninetieth with a target.
        for subject in names(100..200) {
            study
                .withdraw(&subject, false, "as if it had never come", &crate::common::by())
                .unwrap();
        }
        let before = study.model(&Silent).unwrap();
        let unit = before.prepare.target.deviation.powi(2);
        let (point, risk) = (curve.points[2], before.report.risk.unwrap() * unit);
        assert_eq!((point.examples, point.error), (90, Some(risk)), "{learner}");
        assert_eq!(study.curve(&Silent).unwrap().points.last().unwrap().error, Some(risk));
    }
}

#[test]
fn reads_and_money_grow_to_those_of_the_status() {
    let place = Place::new();
    let mut study = study(&place, "fiml");
    let points = study.curve(&Silent).unwrap().points;
    assert!(points.windows(2).all(|p| p[0].reads < p[1].reads && p[0].cost < p[1].cost));
    let (status, last) = (study.status(&crate::common::by()).unwrap(), points.last().unwrap());
    assert_eq!((last.reads as f64, last.cost), (status.reads.made, status.cost.made));
    assert!(last.low.unwrap() < last.error.unwrap() && last.error.unwrap() < last.high.unwrap());
}

#[test]
fn the_curve_is_kept_until_an_answer_changes() {
    let place = Place::new();
    let mut study = study(&place, "fiml");
    let curve = study.curve(&Silent).unwrap();
    /// Stops whatever it watches.
    struct Stop;
    impl halfseen::Monitor for Stop {
        fn should_stop(&self) -> bool {
            true
        }
    }
    // Nothing is fitted, so nothing can be stopped.
    let mut again = Study::open(place.path("t.hs")).unwrap();
    assert_eq!(again.curve(&Stop).unwrap(), curve);
    assert!(
        curve
            .points
            .iter()
            .all(|p| p.high.unwrap() > p.error.unwrap() + 3.0 * p.standard_error.unwrap())
    );
    again.amend("p0", "y", "19", "misread", &crate::common::by()).unwrap();
    assert!(again.curve(&Stop).is_err(), "it has to be computed anew");
    assert_ne!(again.curve(&Silent).unwrap(), curve);
    assert_eq!(model(&mut again), model(&mut study), "one store");
}

#[test]
fn a_study_without_targets_has_no_points() {
    let place = Place::new();
    let mut study = create(&place.path("t.hs"), "fiml", &[("budget", "2")]);
    assert!(study.curve(&Silent).unwrap().points.is_empty());
    draw(&mut study, &names(0..3), None);
    tell(&mut study, &[row("p1", &[("y", "NA: refused")])]);
    let curve = study.curve(&Silent).unwrap();
    assert!(curve.points.is_empty());
}

/// The trial's subjects as a table.
fn table(rows: u64) -> Table {
    let subjects = names(0..rows);
    let schema = schema();
    let numbers = schema.attributes.iter().chain([&schema.target]).filter(|a| a.name != "kind");
    let names: Vec<String> = numbers.map(|attribute| attribute.name.clone()).collect();
    let cell = |r: usize, c: usize| truth(&subjects[r], &names[c]).parse::<f64>().unwrap();
    let matrix =
        Matrix::F64(ndarray::Array2::from_shape_fn((subjects.len(), names.len()), |(r, c)| {
            cell(r, c)
        }));
    let levels: Vec<String> = ["p", "q", "r"].map(str::to_owned).into();
    let codes = (0..rows as u32).map(|row| row % 3).collect();
    let number = |(at, name): (usize, &String)| Column {
        name: name.clone(),
        place: halfseen::data::Place::Number(at),
    };
    let mut columns: Vec<Column> = names.iter().enumerate().map(number).collect();
    columns.push(Column { name: "kind".to_owned(), place: halfseen::data::Place::Text(0) });
    Table::new(matrix, vec![TextColumn { codes, levels }], columns).unwrap()
}

fn simulation<'a>(pilot: &'a Pilot, setup: &'a halfseen_study::Setup) -> Simulation<'a> {
    let events = Events::default();
    Simulation { pilot, setup, subjects: 200, wave: 50, events, test_share: 0.3, seed: 1 }
}

#[test]
fn a_simulated_study_without_events_is_the_study_itself() {
    let pilot = Pilot::new(table(400), &schema()).unwrap();
    let setup = setup("fiml", &[("budget", "3")]);
    let place = Place::new();
    let played = simulation(&pilot, &setup).play(&place.path("s.hs"), &Silent).unwrap();
    assert_eq!((played.waves, played.lost, played.refused, played.late), (4, 0, 0, 0));
    assert_eq!((played.repeated, played.is_spent), (0, false));
    let subjects: Vec<u64> = played.points.iter().map(|point| point.subjects).collect();
    assert_eq!(subjects, [50, 100, 200]);
    let last = played.points[2];
    assert_eq!(last.complete, 200);
    assert!(last.error > 0.0 && last.error < 0.5, "{last:?}");
    let mut study = Study::open(place.path("s.hs")).unwrap();
    assert!(study.check().unwrap().is_empty());
    assert_eq!(study.status(&crate::common::by()).unwrap().reads.made, last.reads);
    // Every figure comes from the seed.
    let again = simulation(&pilot, &setup).play(&place.path("again.hs"), &Silent).unwrap();
    assert_eq!(again, played);
    let other = Simulation { seed: 2, ..simulation(&pilot, &setup) };
    assert_ne!(other.play(&place.path("other.hs"), &Silent).unwrap().points, played.points);
}

#[test]
fn events_happen_as_often_as_they_should_and_are_mended() {
    let pilot = Pilot::new(table(400), &schema()).unwrap();
    let setup = setup("fiml", &[("budget", "3")]);
    let events = Events { dropout: 0.2, refusal: 0.1, late: 0.3, amended: 0.4 };
    let place = Place::new();
    let with = Simulation { events, ..simulation(&pilot, &setup) };
    let played = with.play(&place.path("s.hs"), &Silent).unwrap();
    assert!((20..=60).contains(&played.lost), "{played:?}");
    assert!((25..=75).contains(&played.late), "{played:?}");
    assert!((15..=70).contains(&played.amended), "{played:?}");
    assert!((20..=90).contains(&played.refused), "{played:?}");
    let mut study = Study::open(place.path("s.hs")).unwrap();
    let status = study.status(&crate::common::by()).unwrap();
    assert!(study.check().unwrap().is_empty());
    assert_eq!((status.released, status.open), (played.lost, 0));
    assert_eq!((status.amended, status.complete), (played.amended, 200 - played.lost));
    assert_eq!(played.points.last().unwrap().complete, 200 - played.lost);
    // What came late or was corrected is in the end as if it had been told at once: in one wave,
    // where nothing is drawn from the wrong values.
    let one = Simulation { wave: 200, ..simulation(&pilot, &setup) };
    let plain = one.play(&place.path("plain.hs"), &Silent).unwrap();
    let events = Events { late: 0.3, amended: 0.4, ..Events::default() };
    let mended = Simulation { events, ..one }.play(&place.path("mended.hs"), &Silent).unwrap();
    assert!(mended.late > 20 && mended.amended > 20, "{mended:?}");
    assert_eq!(mended.points.last(), plain.points.last());
}

#[test]
fn money_ends_a_study_and_rows_are_repeated_only_beyond_the_pilot() {
    let pilot = Pilot::new(table(100), &schema()).unwrap();
    let place = Place::new();
    let rich = setup("fiml", &[("budget", "3")]);
    let long = simulation(&pilot, &rich).play(&place.path("long.hs"), &Silent).unwrap();
    // 30 of 100 rows test.
    assert_eq!((long.repeated, long.is_spent), (130, false));
    let poor = setup("fiml", &[("budget", "3"), ("total_cost", "200")]);
    let short = simulation(&pilot, &poor).play(&place.path("short.hs"), &Silent).unwrap();
    assert!(short.is_spent && short.points.last().unwrap().cost <= 200.0, "{short:?}");
    assert!(short.points.last().unwrap().cost > 190.0 && short.repeated == 0, "{short:?}");
    // Where the money ends at a moment that is tested, there is one point of it.
    let [quarter, half] = [long.points[0].cost, long.points[1].cost];
    for (at, money) in [(1, quarter), (2, half)] {
        let exact = setup("fiml", &[("budget", "3"), ("total_cost", &money.to_string())]);
        let file = place.path(&format!("exact{at}.hs"));
        let ended = simulation(&pilot, &exact).play(&file, &Silent).unwrap();
        assert!(ended.is_spent, "{ended:?}");
        assert_eq!(ended.points, long.points[..at], "{ended:?}");
    }
}

#[test]
fn a_limit_that_ends_within_a_wave_says_for_how_many_it_suffices() {
    let place = Place::new();
    let mut study = create(&place.path("t.hs"), "fiml", &[("budget", "3"), ("total_budget", "20")]);
    draw(&mut study, &names(0..2), None);
    let made = study.status(&crate::common::by()).unwrap().reads;
    let wave = names(2..40);
    let ask = |study: &mut Study, names: &[String]| {
        study.next(Subjects::Named(names), None, &crate::common::by(), &Silent)
    };
    let error = ask(&mut study, &wave).unwrap_err();
    let Error::Spent { used, enough, wanted, .. } = error else { panic!("{error}") };
    assert_eq!((used, wanted), (made.made + made.promised, 38));
    let text = error.to_string();
    let expected =
        format!("total_budget suffices for {enough} of these 38 subjects, and nothing was asked");
    assert!(text.starts_with(&expected), "{text}");
    assert!(ask(&mut study, &wave[..enough + 1]).is_err());
    assert_eq!(ask(&mut study, &wave[..enough]).unwrap().len(), enough);
}

#[test]
fn odd_simulations_are_refused_in_a_sentence() {
    let setup = setup("fiml", &[("budget", "3")]);
    let place = Place::new();
    let refused = |simulation: Simulation<'_>| {
        let error = simulation.play(&place.path("odd.hs"), &Silent).unwrap_err().to_string();
        assert!(!place.path("odd.hs").exists());
        error
    };
    let pilot = Pilot::new(table(100), &schema()).unwrap();
    let plain = simulation(&pilot, &setup);
    let events = Events { refusal: f64::NAN, ..Events::default() };
    assert!(refused(Simulation { events, ..plain }).contains("refusal is NaN"));
    assert!(refused(Simulation { test_share: 0.01, ..plain }).contains("100 rows, of which 1 "));
    assert!(refused(Simulation { subjects: 0, ..plain }).contains("needs a subject"));
    let without = Pilot::new(table(100).without_columns(&["a2"]), &schema()).unwrap_err();
    assert!(without.to_string().contains("a2"), "{without}");
    let holed = table(100).without(|row, column| (row, column) == (4, 1));
    let holed = Pilot::new(holed, &schema()).unwrap_err().to_string();
    assert!(holed.contains("row 5") && holed.contains("'a1'"), "{holed}");
}
