//! Damages JSON without breaking its grammar.

use fastrand::Rng;
use serde_json::{Map, Number, Value, json};

/// Numbers that are valid JSON and hardly ever a valid value.
const NUMBERS: [f64; 14] = [
    0.0,
    -0.0,
    -1.0,
    0.5,
    1.0,
    2.0,
    1e-320,
    1e100,
    1e308,
    -1e308,
    4294967296.0,
    9007199254740993.0,
    1.8446744073709552e19,
    1e15,
];

/// Returns the text with some values replaced, removed, doubled or exchanged: often one.
pub(crate) fn damage_json(text: &str, random: &mut Rng) -> String {
    let Ok(mut value) = serde_json::from_str::<Value>(text) else { return text.to_owned() };
    for _ in 0..=random.u8(..).trailing_ones() {
        let count = size(&value);
        let mut target = random.usize(..count);
        let other = nth(&value, random.usize(..count)).cloned().unwrap_or(Value::Null);
        edit(&mut value, &mut target, &other, random);
    }
    value.to_string()
}

/// Returns the number of values inside, counting itself.
fn size(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.iter().map(size).sum(),
        Value::Object(entries) => entries.values().map(size).sum(),
        _ => 0,
    }
}

fn children(value: &Value) -> Box<dyn Iterator<Item = &Value> + '_> {
    match value {
        Value::Array(items) => Box::new(items.iter()),
        Value::Object(entries) => Box::new(entries.values()),
        _ => Box::new(std::iter::empty()),
    }
}

fn nth(value: &Value, mut at: usize) -> Option<&Value> {
    if at == 0 {
        return Some(value);
    }
    at -= 1;
    for child in children(value) {
        let length = size(child);
        if at < length {
            return nth(child, at);
        }
        at -= length;
    }
    None
}

/// Edits the value that `target` counts to.
fn edit(value: &mut Value, target: &mut usize, other: &Value, random: &mut Rng) -> bool {
    if *target == 0 {
        replace(value, other, random);
        return true;
    }
    *target -= 1;
    match value {
        Value::Array(items) => items.iter_mut().any(|item| edit(item, target, other, random)),
        Value::Object(entries) => {
            entries.values_mut().any(|item| edit(item, target, other, random))
        }
        _ => false,
    }
}

fn replace(value: &mut Value, other: &Value, random: &mut Rng) {
    let number = |random: &mut Rng| {
        Number::from_f64(NUMBERS[random.usize(..NUMBERS.len())]).map_or(Value::Null, Value::Number)
    };
    match (random.u8(..8), &mut *value) {
        (0 | 1, Value::Array(items)) if !items.is_empty() => {
            let at = random.usize(..items.len());
            if random.bool() {
                items.remove(at);
            } else {
                let twice = items[at].clone();
                items.insert(at, twice);
            }
        }
        (0 | 1, Value::Object(entries)) if !entries.is_empty() => remove_or_rename(entries, random),
        (2 | 3, Value::Number(old)) => {
            let old = old.as_f64().unwrap_or(0.0);
            let new = [-old, old + 1.0, old * 1e10, old / 3.0][random.usize(..4)];
            *value = if old.fract() == 0.0 && new.abs() < 1e15 && new.fract() == 0.0 {
                json!(new as i64)
            } else {
                Number::from_f64(new).map_or(Value::Null, Value::Number)
            };
        }
        (4, _) => *value = other.clone(),
        (5, _) => {
            let plain = [
                Value::Null,
                json!([]),
                json!({}),
                json!("x"),
                json!(true),
                json!(""),
                json!([[0]]),
                json!({"a": 1}),
            ];
            *value = plain[random.usize(..plain.len())].clone();
        }
        (6, _) => {
            *value = json!(
                [-1_i128, 0, 1, 2, 3, 1_000_000, 4_294_967_295, u64::MAX.into()][random.usize(..8)]
            )
        }
        _ => *value = number(random),
    }
}

fn remove_or_rename(entries: &mut Map<String, Value>, random: &mut Rng) {
    let Some(key) = entries.keys().nth(random.usize(..entries.len())).cloned() else { return };
    let removed = entries.remove(&key);
    if random.bool()
        && let Some(value) = removed
    {
        entries.insert(format!("{key}x"), value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damaged_json_is_json_of_another_value() {
        let text = r#"{"a":[1,2,{"b":"c"}],"d":null,"e":2.5}"#;
        let changed = (0..200)
            .map(|seed| damage_json(text, &mut Rng::with_seed(seed)))
            .inspect(|text| assert!(serde_json::from_str::<Value>(text).is_ok(), "{text}"))
            .filter(|new| new != text);
        assert!(changed.count() > 150);
        assert_eq!(size(&serde_json::from_str(text).unwrap_or_default()), 8);
    }
}
