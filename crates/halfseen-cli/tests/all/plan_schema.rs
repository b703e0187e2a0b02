//! Plans by the schema of a study: what the same numbers give by hand.

use crate::common::Place;
use serde_json::Value;

const SCHEMA: &str = "attribute,kind,unit,low,high,panel,price,known,choices
age,number,years,18,100,,0,yes,
sodium,number,mmol/L,110,170,electrolytes,12.5,,
potassium,number,mmol/L,2.5,8,electrolytes,12.5,,
crp,number,mg/L,0,500,,9,,
seen,date,,2020-01-01,2030-01-01,,2,,
smoker,category,,,,,1,,never|former|now
outcome,number,days,0,60,,,,
";
const BY_SCHEMA: &str = "plan --schema attributes.csv --target outcome --radius 1";
const BY_HAND: &str = "plan --dims 7 --panel electrolytes=sodium,potassium --panel smoker=n,f,w --prices prices.csv --radius 1";

fn place() -> Place {
    let place = Place::new();
    place.write("attributes.csv", SCHEMA);
    place.write("prices.csv", "attribute,price\nelectrolytes,12.5\ncrp,9\nseen,2\nsmoker,1\n");
    place
}

#[test]
fn a_schema_plans_as_its_columns_panels_and_prices_do_by_hand() {
    let place = place();
    for goal in [
        "--budget 2 --examples 10000",
        "--budget 3 --error 0.1",
        "--total-budget 5000",
        "--total-cost 9000 --max-cost 22",
        "--budget 4 --total-cost 50000 --norm 2.7",
    ] {
        let by_hand = place.ok(&format!("{BY_HAND} {goal}"));
        let by_schema = place.ok(&format!("{BY_SCHEMA} {goal}"));
        let told =
            by_schema.strip_prefix(&by_hand).unwrap_or_else(|| panic!("{goal}: {by_schema}"));
        assert_eq!(
            told,
            "\nSchema attributes.csv: 7 columns to read, by 4 reads; a category is a column for each choice, all read together.\n\
             Not counted, since known of every subject and free: 1 attribute.\n\
             |x_i| <= 1 holds for values within their ranges (low, high), by which a study scales attributes; |x|_2 is then at most 2.646 (--norm).\n"
        );
        let json = |line: &str| -> Value {
            serde_json::from_str(&place.ok(&format!("{line} {goal} --json"))).unwrap()
        };
        let (by_hand, mut by_schema) = (json(BY_HAND), json(BY_SCHEMA));
        let own = by_schema.as_object_mut().unwrap().remove("schema").unwrap();
        assert_eq!(by_schema, by_hand, "{goal}");
        assert_eq!(
            (&own["columns"], &own["reads"], &own["known"]),
            (&7.into(), &4.into(), &1.into())
        );
    }
}

#[test]
fn a_schema_without_ranges_is_no_promise() {
    let place = Place::new();
    place.write("attributes.csv", "attribute;low;high;price\na;-1,5;1,5;0,5\nb;;;\nc;0;;\n");
    place.write("prices.csv", "attribute,price\na,.5\nb,1\nc,1\n");
    let goal = "--budget 2 --radius 1 --examples 100";
    let by_schema = place.ok(&format!("plan --schema attributes.csv --target y {goal}"));
    let by_hand = place.ok(&format!("plan --dims 3 --prices prices.csv {goal}"));
    let told = by_schema.strip_prefix(&by_hand).unwrap();
    assert!(
        told.contains("not sure to hold, since there is no range (low, high) of b, c;"),
        "{told}"
    );
    assert!(!told.contains("Not counted"), "{told}");
    // Moments are of columns, where each is read by itself.
    place.write("mu.csv", "attribute,moment\na,.1\nb,.1\nc,.1\n");
    let with = |line: &str| place.ok(&format!("{line} {goal} --moments mu.csv"));
    let by_schema = with("plan --schema attributes.csv --target y");
    assert!(by_schema.starts_with(&with("plan --dims 3 --prices prices.csv")));
}

#[test]
fn what_a_schema_cannot_plan_is_refused() {
    let place = place();
    let goal = "--budget 2 --examples 100";
    for (flags, says) in
        [("--dims 7", "--dims"), ("--prices prices.csv", "--prices"), ("--panel e=a,b", "--panel")]
    {
        place.refused(&format!("{BY_SCHEMA} {goal} {flags}"), &["--schema", says]);
    }
    let by_schema = "plan --schema attributes.csv --target outcome";
    place.refused(&format!("{by_schema} --karma --error .1"), &["--schema", "--karma"]);
    place.refused("plan --radius 1 --budget 2 --examples 9", &["--dims"]);
    place.refused(
        "plan --dims 4 --target y --radius 1 --budget 2 --examples 9",
        &["--dims", "--target"],
    );
    place.refused(&format!("plan --schema attributes.csv --radius 1 {goal}"), &["--target"]);
    place.write("mu.csv", "attribute,moment\nsodium,.1\n");
    place.refused(
        &format!("{BY_SCHEMA} {goal} --moments mu.csv"),
        &["--moments", "attributes.csv has panels or categories"],
    );
    place.write("wrong.csv", "attribute,price\na,dear\n");
    place.refused(
        &format!("plan --schema wrong.csv --target y --radius 1 {goal}"),
        &["wrong.csv: line 2: price of 'a' is 'dear'"],
    );
    place.write("known.csv", "attribute,known\na,yes\n");
    place.refused(
        &format!("plan --schema known.csv --target y --radius 1 {goal}"),
        &["known.csv: all attributes are known"],
    );
    place.write("plain.csv", "attribute\na\nb\nc\n");
    place.refused(
        &format!("plan --schema plain.csv --target y --radius 1 {goal} --moments mu.csv"),
        &["1 moments for the 3 attributes of the schema"],
    );
}
