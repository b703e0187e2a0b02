//! What holds when the schema of a study changes, on any store.

use super::{Place, answers, by, create, draw, model, names, row, tell, truth};
use halfseen::Silent;
use halfseen_study::{Answers, Ask, Attribute, Export, Study, StudySchema, Telling};

fn later() -> Attribute {
    Attribute { price: 4.0, low: Some(-10.0), high: Some(10.0), ..Attribute::number("later") }
}

/// A schema file of these attributes.
fn file(attributes: &[Attribute]) -> String {
    let target = Attribute::number("y");
    StudySchema { attributes: attributes.to_vec(), target }.to_csv().unwrap()
}

/// All answers to an ask, of an attribute that came later as well.
fn all(ask: &Ask) -> Answers {
    let value = |name: &String| match name.as_str() {
        "later" => format!("{}", (ask.number % 7) as f64 - 3.0),
        name => truth(&ask.subject, name),
    };
    let cells: Vec<(String, String)> =
        ask.attributes.iter().map(|a| (a.clone(), value(a))).collect();
    let target = ("y".to_owned(), truth(&ask.subject, "y"));
    let cells = cells.into_iter().chain([target]).collect();
    Answers { cells, ..row(&ask.subject, &[]) }
}

fn asks_for(asks: &[Ask], name: &str) -> usize {
    asks.iter().filter(|ask| ask.attributes.iter().any(|asked| asked == name)).count()
}

fn audit(study: &mut Study) -> Vec<String> {
    let mut text = Vec::new();
    study.export(Export::Audit, &mut text).unwrap();
    String::from_utf8(text).unwrap().lines().map(str::to_owned).collect()
}

pub(crate) fn attributes_are_added_while_others_have_the_study_open(place: &Place) {
    let path = place.path("t.hs");
    let mut study = create(&path, "fiml", &[("budget", "3")]);
    let asks = draw(&mut study, &names(0..40), None);
    tell(&mut study, &asks.iter().map(answers).collect::<Vec<_>>());
    let before = study.model(&Silent).unwrap();
    let mut other = Study::open(&path).unwrap();
    other.add(&file(&[later()]), "a new assay", &by()).unwrap();
    // Who had it open sees the new attribute at the next call.
    let asks = draw(&mut study, &names(40..100), None);
    assert!(asks_for(&asks, "later") > 10);
    tell(&mut study, &asks.iter().map(all).collect::<Vec<_>>());
    assert_eq!(study.setup(), other.setup());
    assert_eq!(study.check().unwrap(), Vec::<String>::new());
    // The model that was kept is of fewer attributes.
    let after = study.model(&Silent).unwrap();
    assert_eq!((before.report.examples, after.report.examples), (40, 100));
    let has = |model: &halfseen::model::Model| model.to_json().unwrap().contains("\"later\"");
    assert_eq!((has(&before), has(&after)), (false, true));
    assert_eq!(model(&mut study), model(&mut Study::open(&path).unwrap()));
    // Those of before are unknown of it, which the status counts.
    assert_eq!(study.status(&by()).unwrap().never_read, Vec::<String>::new());
    let audit = audit(&mut study);
    assert!(audit.iter().any(|line| line.ends_with(",add,,,later,,,a new assay")), "{audit:?}");
}

pub(crate) fn a_retired_attribute_is_asked_no_more_and_its_values_stay(place: &Place) {
    let path = place.path("t.hs");
    let mut study = create(&path, "fiml", &[("budget", "3"), ("total_cost", "2000")]);
    let asks = draw(&mut study, &names(0..80), None);
    tell(&mut study, &asks[..60].iter().map(answers).collect::<Vec<_>>());
    let with = asks[60..].iter().filter(|ask| asks_for(std::slice::from_ref(ask), "a2") == 1);
    let with: Vec<Ask> = with.cloned().collect();
    assert!(with.len() > 2);
    // One of which everything else is told is complete without it.
    let mut rest = answers(&with[0]);
    rest.cells.retain(|(name, _)| name != "a2");
    tell(&mut study, &[rest]);
    let (complete, cost) = {
        let status = study.status(&by()).unwrap();
        (status.complete, status.cost.promised)
    };
    let mut other = Study::open(&path).unwrap();
    let learned = model(&mut study);
    other.retire("a2", "the machine is broken", &by()).unwrap();
    let status = study.status(&by()).unwrap();
    assert_eq!(status.complete, complete + 1);
    // Its price is 3.
    assert_eq!(status.cost.promised, cost - 3.0 * with.len() as f64);
    assert_eq!(study.check().unwrap(), Vec::<String>::new());
    assert!(
        study
            .pending(None, &by())
            .unwrap()
            .iter()
            .all(|of| !of.ask.attributes.contains(&"a2".to_owned()))
    );
    assert_eq!(asks_for(&draw(&mut study, &names(60..200), None), "a2"), 0);
    // The learner still learns from its values: one example more, the one that is complete now.
    let examples = |model: &serde_json::Value| model["report"]["examples"].as_u64().unwrap();
    let now = model(&mut study);
    assert_eq!(examples(&now), examples(&learned));
    assert!(now.to_string().contains("\"a2\""));
    // A value that comes later is kept, as one that nobody asked for.
    let late = row(&with[1].subject, &[("a2", "1.5")]);
    let told = study.tell(&[late], &Telling::default(), &by()).unwrap();
    assert_eq!((told.stored, told.unasked), (1, 1));
    assert_eq!(study.check().unwrap(), Vec::<String>::new());
    let audit = audit(&mut study);
    let retired = audit.iter().filter(|line| line.contains(",retire,")).count();
    assert_eq!(retired, 1 + with.len());
    assert!(audit.iter().any(|line| line.ends_with(",retire,,,a2,,,the machine is broken")));
    // It was a mistake.
    let as_before = Attribute { retired: false, ..study.setup().schema.attributes[2].clone() };
    // The whole schema may be in the file.
    let mut all = study.setup().schema.attributes.clone();
    all[2] = as_before;
    assert_eq!(study.add(&file(&all), "repaired", &by()).unwrap(), ["a2"]);
    assert!(asks_for(&draw(&mut other, &names(200..300), None), "a2") > 10);
    assert_eq!(other.check().unwrap(), Vec::<String>::new());
}

pub(crate) fn what_cannot_be_added_or_retired_is_refused(place: &Place) {
    let mut study = create(&place.path("t.hs"), "fiml", &[("budget", "3")]);
    let setup = study.setup().clone();
    let old = setup.schema.attributes[2].clone();
    let mut refused = |new: &[Attribute], gone: &str, reason: &str, problem: &str| {
        let done = match new {
            [] if !gone.is_empty() => study.retire(gone, reason, &by()),
            new => study.add(&file(new), reason, &by()).map(drop),
        };
        let error = done.unwrap_err().to_string();
        assert!(error.contains(problem), "{error}");
        assert_eq!(*study.setup(), setup);
    };
    refused(&[], "", "why", "no attribute beside the target");
    refused(&[Attribute { retired: true, ..later() }], "", "why", "'later' is retired, and new");
    refused(&[later()], "", " ", "a reason is needed");
    refused(
        std::slice::from_ref(&old),
        "",
        "why",
        "there is no attribute to add: the study has all",
    );
    refused(&[later(), later()], "", "why", "'later' is there twice");
    let renamed = Attribute { unit: "mg".to_owned(), ..old.clone() };
    refused(&[later(), renamed], "", "why", "'a2' is in the study with another kind");
    let blood = Attribute { panel: Some("blood".to_owned()), ..later() };
    refused(&[blood], "", "why", "two prices");
    let target = Attribute { name: "y".to_owned(), ..later() };
    refused(&[later(), target], "", "why", "'y' is there twice");
    refused(&[], "a22", "why", "there is no attribute 'a22'");
    refused(&[], "y", "why", "the target cannot be retired");
    refused(&[], "a2", "", "a reason is needed");
    study.retire("a2", "why", &by()).unwrap();
    let error = study.retire("a2", "why", &by()).unwrap_err().to_string();
    assert!(error.contains("retired already"), "{error}");
    let dearer = Attribute { price: 9.0, ..old };
    let error = study.add(&file(&[dearer]), "why", &by()).unwrap_err().to_string();
    assert!(error.contains("is in the study with another kind"), "{error}");
    // The last ones that the budget needs stay.
    let left: Vec<String> =
        study.setup().schema.attributes.iter().map(|a| a.name.clone()).collect();
    let mut refusals = left.iter().filter_map(|name| study.retire(name, "why", &by()).err());
    let last = refusals.find(|error| error.to_string().contains("does not suffice")).unwrap();
    assert!(last.to_string().starts_with("what is left to ask for"), "{last}");
    let mut steps = create(&place.another().path("s.hs"), "aerr", &[("budget", "3")]);
    for done in
        [steps.add(&file(&[later()]), "why", &by()).map(drop), steps.retire("a1", "why", &by())]
    {
        assert!(done.unwrap_err().to_string().contains("aerr takes a step for each answer"));
    }
}
