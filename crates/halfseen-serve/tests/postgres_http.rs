//! Holds the promise through the server of a study in a PostgreSQL database that is killed meanwhile.
#![cfg(unix)]
#![allow(clippy::unwrap_used)]

#[path = "../../halfseen-study/tests/common/mod.rs"]
mod common;

use common::database::server;
use common::{Place, by, create, truth};
use halfseen::Monitor;
use halfseen_serve::{ServeOptions, serve};
use halfseen_study::{Export, Role, Study};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc;
use std::time::Duration;

struct Stop<'a>(&'a AtomicBool);

impl Monitor for Stop<'_> {
    fn should_stop(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Sends a call until it is done, as a client should; returns the answer.
fn insist(address: SocketAddr, token: &str, path: &str, body: &str) -> serde_json::Value {
    let length = body.len();
    let request = format!(
        "POST /api/v1/{path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
    );
    loop {
        let mut reply = String::new();
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        stream.read_to_string(&mut reply).unwrap();
        let (head, body) = reply.split_once("\r\n\r\n").unwrap();
        if head.starts_with("HTTP/1.1 200") {
            return serde_json::from_str(body).unwrap();
        }
        assert!(head.starts_with("HTTP/1.1 503"), "{reply}");
        std::thread::sleep(Duration::from_millis(30));
    }
}

#[test]
fn nothing_acknowledged_over_http_is_lost_when_the_database_is_killed() {
    let Some(mut server) = server() else { return };
    let path = Place::database().path("t.hs");
    let mut study = create(&path, "fiml", &[("budget", "3")]);
    let token = study.admit("anna", Role::Collector, &by()).unwrap();
    let (next, is_over, ends) = (AtomicU64::new(0), AtomicBool::new(false), AtomicBool::new(false));
    let (told, ready) = mpsc::channel();
    let acknowledged: BTreeSet<(String, String)> = std::thread::scope(|scope| {
        scope.spawn(|| {
            let options =
                ServeOptions { listen: "127.0.0.1:0".parse().unwrap(), behind_proxy: false };
            serve(&path, &options, |address| told.send(address).unwrap(), &Stop(&ends)).unwrap();
        });
        let address = ready.recv().unwrap();
        let (token, next, is_over) = (&token, &next, &is_over);
        let work = move || {
            let mut told = BTreeSet::new();
            while !is_over.load(Ordering::Relaxed) {
                // Each subject comes to two clients.
                let name = format!("p{}", next.fetch_add(1, Ordering::Relaxed) / 2);
                let asks = insist(address, token, "next", &format!(r#"{{"subjects":["{name}"]}}"#));
                let asked = asks[0]["attributes"].as_array().unwrap().iter();
                for attribute in asked.map(|name| name.as_str().unwrap()).chain(["y"]) {
                    let value = truth(&name, attribute);
                    let row =
                        format!(r#"{{"subject":"{name}","values":{{"{attribute}":"{value}"}}}}"#);
                    insist(address, token, "tell", &format!(r#"{{"answers":[{row}]}}"#));
                    told.insert((name.clone(), attribute.to_owned()));
                }
            }
            told
        };
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(work)).collect();
        for word in ["kill", "crash"] {
            std::thread::sleep(Duration::from_millis(900));
            server.tell(word);
            server.tell("start");
        }
        std::thread::sleep(Duration::from_millis(500));
        is_over.store(true, Ordering::Relaxed);
        let told = threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect();
        ends.store(true, Ordering::Relaxed);
        told
    });
    assert!(acknowledged.len() > 50, "{}", acknowledged.len());
    let mut study = Study::open(&path).unwrap();
    assert_eq!(study.check().unwrap(), Vec::<String>::new());
    let mut csv = Vec::new();
    study.export(Export::Reads, &mut csv).unwrap();
    let text = String::from_utf8(csv).unwrap();
    let mut stored = BTreeMap::new();
    for line in text.lines().skip(1) {
        let cells: Vec<String> = line.split(',').map(str::to_owned).collect();
        assert_eq!(cells[6], "0", "a second revision: {line}");
        let key = (cells[0].clone(), cells[2].clone());
        assert!(stored.insert(key, cells[3].clone()).is_none(), "twice: {line}");
    }
    for key in &acknowledged {
        let value = stored.get(key).unwrap_or_else(|| panic!("{key:?} was lost"));
        let right = truth(&key.0, &key.1);
        assert!(*value == right || value.parse::<f64>().ok() == right.parse().ok(), "{key:?}");
    }
    // A subject's second client may have been told nothing by the time that the first had told all.
    assert_eq!(stored.len(), acknowledged.len());
}
