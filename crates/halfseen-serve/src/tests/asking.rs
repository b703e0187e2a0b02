//! A server for a test, and those who ask it.

use super::super::{ServeOptions, serve};
use halfseen::{Monitor, Silent};
use halfseen_study::{By, Role, Setup, Study, StudySchema, Subjects};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::thread::JoinHandle;

struct Stop(AtomicBool);

impl Monitor for Stop {
    fn should_stop(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// A server of a study with the asks 0 (p0) and 1 (p1); ends when it is dropped.
pub(super) struct Server {
    pub(super) address: SocketAddr,
    path: PathBuf,
    stop: Arc<Stop>,
    thread: Option<JoinHandle<()>>,
    _folder: tempfile::TempDir,
}

/// Answer of the server.
#[derive(Debug)]
pub(super) struct Reply {
    pub(super) status: u16,
    pub(super) head: String,
    pub(super) body: String,
}

pub(super) fn by() -> By {
    By::now("lab")
}

const SCHEMA: &str = "attribute,kind,low,high,known,choices,panel\nage,number,18,100,yes,,\na,number,-10,10,,,both\nb,number,-10,10,,,both\nkind,category,,,,p|q,both\nday,date,,,,,both\ny,number,0,60,,,\n";

/// Begins a study with the asks 0 (p0) and 1 (p1), and returns its file.
pub(super) fn begun(folder: &Path) -> PathBuf {
    let path = folder.join("trial.hs");
    let schema = StudySchema::from_csv(SCHEMA.as_bytes(), "y").unwrap();
    let setup = Setup::new(schema, "fiml", &[("budget".into(), "1".into())]).unwrap();
    let mut study = Study::create(&path, &setup, &by()).unwrap();
    let names = ["p0".to_owned(), "p1".to_owned()];
    study.next(Subjects::Named(&names), None, &by(), &Silent).unwrap();
    path
}

impl Server {
    pub(super) fn start() -> Server {
        Self::with(ServeOptions { listen: "127.0.0.1:0".parse().unwrap(), behind_proxy: false })
    }

    pub(super) fn with(options: ServeOptions) -> Server {
        let folder = tempfile::tempdir().unwrap();
        let path = begun(folder.path());
        let (stop, (told, ready)) = (Arc::new(Stop(AtomicBool::new(false))), mpsc::channel());
        let (its_stop, its_path) = (Arc::clone(&stop), path.clone());
        let thread = std::thread::spawn(move || {
            serve(&its_path, &options, |address| told.send(address).unwrap(), &*its_stop).unwrap();
        });
        let address = ready.recv().unwrap();
        Server { address, path, stop, thread: Some(thread), _folder: folder }
    }

    pub(super) fn study(&self) -> Study {
        Study::open(&self.path).unwrap()
    }

    pub(super) fn token(&self, role: Role) -> String {
        self.study().admit(role.name(), role, &by()).unwrap()
    }

    /// Sends a request as it is.
    pub(super) fn send(&self, request: &[u8]) -> Reply {
        let mut stream = TcpStream::connect(self.address).unwrap();
        // A server that has heard enough may close before it was told all.
        let _ = stream.write_all(request);
        let mut all = Vec::new();
        let _ = stream.read_to_end(&mut all);
        let all = String::from_utf8_lossy(&all).into_owned();
        let (head, body) = all.split_once("\r\n\r\n").unwrap_or((&all, ""));
        let status = head.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0);
        Reply { status, head: head.to_owned(), body: body.to_owned() }
    }

    pub(super) fn ask(&self, method: &str, path: &str, headers: &[&str], body: &str) -> Reply {
        let headers: String = headers.iter().map(|line| format!("{line}\r\n")).collect();
        let length = body.len();
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Length: {length}\r\n{headers}\r\n{body}",
            self.address
        );
        self.send(request.as_bytes())
    }

    pub(super) fn api(&self, token: &str, method: &str, path: &str, body: &str) -> Reply {
        let token = format!("Authorization: Bearer {token}");
        let reply = self.ask(method, path, &[&token, "Content-Type: application/json"], body);
        super::described::hold(method, path, &reply);
        reply
    }

    /// Signs in; returns the cookie and what forms carry.
    pub(super) fn sign_in(&self, role: Role) -> Visitor<'_> {
        let form = format!("token={}", self.token(role));
        let reply = self.ask("POST", "/sign-in", &[FORM], &form);
        assert_eq!(reply.status, 303, "{reply:?}");
        let cookie = reply.head.split("set-cookie: ").nth(1).unwrap().split(';').next().unwrap();
        let cookie = format!("Cookie: {cookie}");
        let page = self.ask("GET", "/status", &[&cookie], "");
        let form = page.body.split("name=\"form\" value=\"").nth(1).unwrap();
        let form = form.split('"').next().unwrap().to_owned();
        Visitor { server: self, cookie, form }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.0.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap();
        }
    }
}

pub(super) const FORM: &str = "Content-Type: application/x-www-form-urlencoded";

/// Somebody who is signed in.
pub(super) struct Visitor<'a> {
    server: &'a Server,
    pub(super) cookie: String,
    pub(super) form: String,
}

impl Visitor<'_> {
    pub(super) fn get(&self, path: &str) -> Reply {
        self.server.ask("GET", path, &[&self.cookie], "")
    }

    pub(super) fn post(&self, path: &str, fields: &[(&str, &str)]) -> Reply {
        self.post_from(path, fields, &self.form, &[])
    }

    pub(super) fn post_from(
        &self,
        path: &str,
        fields: &[(&str, &str)],
        form: &str,
        more: &[&str],
    ) -> Reply {
        let mut encoded = form_urlencoded::Serializer::new(String::new());
        encoded.append_pair("form", form).extend_pairs(fields);
        let mut headers = vec![FORM, &self.cookie];
        headers.extend(more);
        self.server.ask("POST", path, &headers, &encoded.finish())
    }
}
