//! Writes schemas, reads them again, and drafts them from tables.

use halfseen::data::{Column, Matrix, Place, Table, TextColumn};
use halfseen_study::{AttributeKind, StudySchema, rows_of_csv};

#[test]
fn a_schema_that_was_written_is_read_as_the_same() {
    let text = "attribute,kind,unit,low,high,panel,price,known,choices
age,number,years,18,100,,0,yes,
seen,date,,2020-01-31,2030-12-31,,2.5,,
smoker,category,,,,habits,1,,never|former|now
y,number,,-0.5,60,,,,
";
    let schema = StudySchema::from_csv(text.as_bytes(), "y").unwrap();
    let written = schema.to_csv().unwrap();
    assert_eq!(written, text);
    assert_eq!(StudySchema::from_csv(written.as_bytes(), "y").unwrap(), schema);
}

#[test]
fn a_schema_of_a_spreadsheet_in_europe_is_the_same() {
    let commas = "attribute,low,high,price,choices\na,-1.5,2,0.5,\nk,,,1,p|q\ny,,,,\n";
    let expected = StudySchema::from_csv(commas.as_bytes(), "y").unwrap();
    for by in [";", "\t"] {
        let text = commas.replace(',', by).replace('.', ",").replace('\n', "\r\n");
        assert_eq!(StudySchema::from_csv(text.as_bytes(), "y").unwrap(), expected, "{text}");
        let wrong = text.replace("-1,5", "1,5,1");
        let error = StudySchema::from_csv(wrong.as_bytes(), "y").unwrap_err().to_string();
        assert!(error.contains("line 2: low of 'a' is '1,5,1', and must be a number"), "{error}");
    }
    let quoted = "attribute,low\na,\"1,5\"\n";
    let error = StudySchema::from_csv(quoted.as_bytes(), "y").unwrap_err().to_string();
    assert!(error.contains("low of 'a' is '1,5'"), "{error}");
}

#[test]
fn names_that_a_spreadsheet_would_compute_are_kept() {
    let names = ["=a+b", "+1x", "-b", "@c", "'=d", "'e"];
    let rows = names.map(|name| format!("'{name},'-x,'=p|@q\n")).concat();
    let text = format!("attribute,unit,choices\n{rows}");
    let schema = StudySchema::from_csv(text.as_bytes(), "y").unwrap();
    let actual: Vec<&str> = schema.attributes.iter().map(|a| a.name.as_str()).collect();
    assert_eq!(actual, names);
    let written = schema.to_csv().unwrap();
    let mut cells = written.lines().skip(1).flat_map(|line| line.split(','));
    assert!(cells.all(|cell| !cell.starts_with(['=', '+', '-', '@'])), "{written}");
    assert_eq!(StudySchema::from_csv(written.as_bytes(), "y").unwrap(), schema);
}

#[test]
fn a_draft_has_kinds_ranges_and_no_identifiers() {
    let rows = 300;
    let text = |name: &dyn Fn(usize) -> String, levels: usize| TextColumn {
        codes: (0..rows as u32).map(|row| row % levels as u32).collect(),
        levels: (0..levels).map(name).collect(),
    };
    let texts = vec![
        text(&|i| ["red", "blue"][i].to_owned(), 2),
        text(&|i| format!("2024-01-{:02}", i + 1), 20),
        text(&|i| format!("person {i}"), rows),
    ];
    let numbers = ndarray::Array2::from_shape_fn((rows, 1), |(row, _)| (row % 7) as f64);
    let named = |name: &str, place| Column { name: name.to_owned(), place };
    let columns = vec![
        named("size", Place::Number(0)),
        named("colour", Place::Text(0)),
        named("seen", Place::Text(1)),
        named("who", Place::Text(2)),
    ];
    let table = Table::new(Matrix::F64(numbers), texts, columns).unwrap();
    let (schema, left_out) = StudySchema::draft(&table, "size").unwrap();
    assert_eq!(left_out, [("who".to_owned(), rows)]);
    assert_eq!((schema.target.low, schema.target.high), (Some(0.0), Some(6.0)));
    let kinds: Vec<&AttributeKind> =
        schema.attributes.iter().map(|attribute| &attribute.kind).collect();
    let colours = AttributeKind::Category(vec!["blue".to_owned(), "red".to_owned()]);
    assert_eq!(kinds, [&colours, &AttributeKind::Date]);
    assert!(StudySchema::draft(&table, "sise").unwrap_err().to_string().contains("size"));
}

#[test]
fn quotes_for_spreadsheets_are_taken_away_again() {
    let rows = rows_of_csv("a,b\n'=x,\"'\ty\"\n-5,it's\n".as_bytes()).unwrap();
    assert_eq!(rows, [["a", "b"], ["=x", "\ty"], ["-5", "it's"]]);
}
