//! Holds the interface for programs against its description.

use super::asking::{Reply, Server};
use super::{OPENAPI, api_routes};
use halfseen_study::Role;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

fn description() -> Value {
    serde_json::from_str(OPENAPI).unwrap()
}

/// Fails if an answer to a program is not as it is described.
pub(super) fn hold(method: &str, path: &str, reply: &Reply) {
    let (all, path) = (description(), path.split('?').next().unwrap());
    let path = if path.contains("/export/") { "/api/v1/export/{what}" } else { path };
    let schema = if reply.status == 200 {
        let answer = &all["paths"][path][method.to_lowercase()]["responses"]["200"]["content"];
        let Some(json) = answer.get("application/json") else {
            assert!(answer.get("text/csv").is_some(), "{method} {path} is not described");
            return;
        };
        &json["schema"]
    } else {
        &all["components"]["schemas"]["Problem"]
    };
    let value = serde_json::from_str(&reply.body).unwrap_or_else(|_| panic!("{path}: {reply:?}"));
    if let Some(wrong) = misfit(&all, schema, &value) {
        panic!("{method} {path} answers what is not described: {wrong} in {value:#}");
    }
}

/// Returns what of a value is not as a schema says.
fn misfit(all: &Value, schema: &Value, value: &Value) -> Option<String> {
    let (fields, needed) = fields(all, schema);
    if !fields.is_empty() {
        let Some(object) = value.as_object() else { return Some(format!("no object: {value}")) };
        let absent = needed.into_iter().find(|name| !object.contains_key(*name));
        return absent.map(|name| format!("no {name}")).or_else(|| {
            object.iter().find_map(|(name, value)| match fields.get(name.as_str()) {
                Some(of) => misfit(all, of, value),
                None => Some(format!("a field {name}")),
            })
        });
    }
    let schema = resolved(all, schema);
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_u64() || number.is_i64() => "integer",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let is_of = |wanted: &Value| wanted == kind || (wanted == "number" && kind == "integer");
    let is_right = match &schema["type"] {
        Value::Array(kinds) => kinds.iter().any(is_of),
        one => is_of(one),
    };
    let is_listed = schema["enum"].as_array().is_none_or(|listed| listed.contains(value));
    if !is_right || !is_listed {
        return Some(format!("{value} for {schema}"));
    }
    let items = schema.get("items").filter(|items| items.is_object());
    value.as_array()?.iter().find_map(|item| misfit(all, items?, item))
}

fn resolved<'a>(all: &'a Value, schema: &'a Value) -> &'a Value {
    schema["$ref"].as_str().map_or(schema, |path| all.pointer(&path[1..]).unwrap())
}

/// Returns the fields of an object by name, and the names of those that are always there.
fn fields<'a>(all: &'a Value, schema: &'a Value) -> (BTreeMap<&'a str, &'a Value>, Vec<&'a str>) {
    let schema = resolved(all, schema);
    let (mut properties, mut needed) = (BTreeMap::new(), Vec::new());
    for part in schema["allOf"].as_array().into_iter().flatten() {
        let (more, needs) = fields(all, part);
        properties.extend(more);
        needed.extend(needs);
    }
    let own = schema["properties"].as_object().into_iter().flatten();
    properties.extend(own.map(|(name, of)| (name.as_str(), of)));
    needed.extend(schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str));
    (properties, needed)
}

#[test]
fn every_route_and_method_is_described_and_nothing_else() {
    let (server, all) = (Server::start(), description());
    let token = server.token(Role::Admin);
    let routes: BTreeSet<&str> = api_routes().iter().map(|(path, ..)| *path).collect();
    let described: BTreeSet<&str> =
        all["paths"].as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(routes, described);
    for path in routes {
        for method in ["GET", "POST"] {
            let reply = server.api(&token, method, &path.replace("{what}", "reads"), "");
            let is_described = all["paths"][path].get(method.to_lowercase()).is_some();
            assert_eq!(reply.status != 405, is_described, "{method} {path}");
        }
    }
}

/// The server itself says which fields it takes.
#[test]
fn bodies_have_the_fields_that_are_described() {
    let (server, all) = (Server::start(), description());
    let token = server.token(Role::Admin);
    let mut bodies = vec![("/api/v1/tell", r#"{"answers":[{"odd":0}]}"#, "Row".to_owned())];
    for (path, methods) in all["paths"].as_object().unwrap() {
        let body = &methods["post"]["requestBody"]["content"]["application/json"]["schema"]["$ref"];
        if let Some(name) = body.as_str() {
            let name = name.rsplit('/').next().unwrap().to_owned();
            bodies.push((path.as_str(), r#"{"odd":0}"#, name));
        }
    }
    assert_eq!(bodies.len(), 8);
    for (path, body, name) in bodies {
        let reply = server.api(&token, "POST", path, body);
        let taken = reply.body.split_once("expected").unwrap().1;
        let taken: BTreeSet<&str> = taken.split('`').skip(1).step_by(2).collect();
        let schema = &all["components"]["schemas"][&name];
        assert_eq!(fields(&all, schema).0.into_keys().collect::<BTreeSet<_>>(), taken, "{path}");
        let empty = server.api(&token, "POST", path, &body.replace(r#""odd":0"#, "")).body;
        let missing =
            empty.split_once("missing field `").and_then(|(_, rest)| rest.split_once('`'));
        if let Some((missing, _)) = missing {
            assert!(fields(&all, schema).1.contains(&missing), "{path}: {empty}");
        }
    }
}
