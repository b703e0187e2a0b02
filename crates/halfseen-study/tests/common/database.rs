//! A PostgreSQL server for the tests of one file, and a proxy before it that cuts connections.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};

/// The server, which ends with this process: the script reads the end of its input.
pub(crate) struct Server {
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    pub(crate) url: String,
    data: PathBuf,
}

impl Server {
    /// Starts it; `None` where PostgreSQL is not installed.
    fn start() -> Option<Server> {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/with-postgres.sh");
        let mut command = Command::new(script);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        output.read_line(&mut line).unwrap();
        let Some((url, data)) = line.trim_end().split_once(' ') else {
            let code = child.wait().unwrap().code();
            assert_eq!(code, Some(77), "the server did not start; see {script}");
            assert!(std::env::var_os("HALFSEEN_CI").is_none(), "PostgreSQL is not installed");
            // Past the harness, which hides what tests that pass print.
            let text = b"SKIPPED: PostgreSQL is not installed, and its tests do nothing\n";
            std::io::stderr().write_all(text).unwrap();
            return None;
        };
        let input = child.stdin.take().unwrap();
        let server = Server { input, output, url: url.to_owned(), data: data.into() };
        // SAFETY: this is the first that any test does, and no thread of another kind runs.
        #[allow(unsafe_code)]
        unsafe {
            std::env::remove_var("HALFSEEN_POSTGRES");
            std::env::set_var("HALFSEEN_POSTGRES_FILE", server.data.with_file_name("url"));
        }
        Some(server)
    }

    /// Leads studies that are opened from now on to this URL.
    pub(crate) fn lead_to(&self, url: &str) {
        std::fs::write(self.data.with_file_name("url"), format!("{url}\n")).unwrap();
    }

    pub(crate) fn tell(&mut self, word: &str) {
        writeln!(self.input, "{word}").unwrap();
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        assert_eq!(line, "done\n", "{word}");
    }

    pub(crate) fn client(&self) -> postgres::Client {
        postgres::Client::connect(&self.url, postgres::NoTls).unwrap()
    }

    /// Says if a file of the tables holds this text.
    pub(crate) fn holds(&self, text: &str) -> bool {
        self.client().batch_execute("CHECKPOINT").unwrap();
        let grep = Command::new("grep").args(["-rqa", text]).arg(self.data.join("base")).status();
        grep.unwrap().success()
    }
}

/// Returns the one server, for one test at a time.
pub(crate) fn server() -> Option<MutexGuard<'static, Server>> {
    static SERVER: OnceLock<Option<Mutex<Server>>> = OnceLock::new();
    let server = SERVER.get_or_init(|| Server::start().map(Mutex::new)).as_ref()?;
    let server = server.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    server.lead_to(&server.url);
    Some(server)
}

/// Where the proxy cuts the next connection that commits.
pub(crate) const NOWHERE: u8 = 0;
pub(crate) const BEFORE: u8 = 1;
pub(crate) const AFTER: u8 = 2;
/// As AFTER, and nobody is let through from then on.
pub(crate) const FOR_GOOD: u8 = 3;

/// Stands between the clients and the server; returns its port.
pub(crate) fn proxy(server: &str, cut: &Arc<AtomicU8>) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let (server, cut) = (server.to_owned(), Arc::clone(cut));
    std::thread::spawn(move || {
        for client in listener.incoming() {
            if cut.load(Ordering::SeqCst) == FOR_GOOD {
                continue;
            }
            let (mut client, mut server) = (client.unwrap(), TcpStream::connect(&server).unwrap());
            let is_cut = Arc::new(AtomicBool::new(false));
            let mut back = (server.try_clone().unwrap(), client.try_clone().unwrap());
            let (gone, cut) = (Arc::clone(&is_cut), Arc::clone(&cut));
            let mut bytes = [0; 65_536];
            std::thread::spawn(move || {
                while let Ok(n @ 1..) = back.0.read(&mut bytes) {
                    if gone.load(Ordering::SeqCst) || back.1.write_all(&bytes[..n]).is_err() {
                        break;
                    }
                }
                let _ = back.1.shutdown(Shutdown::Both);
            });
            let mut bytes = [0; 65_536];
            std::thread::spawn(move || {
                while let Ok(n @ 1..) = client.read(&mut bytes) {
                    if bytes[..n].windows(7).any(|w| w == b"COMMIT\0") {
                        let place = cut.load(Ordering::SeqCst);
                        if place != FOR_GOOD {
                            cut.store(NOWHERE, Ordering::SeqCst);
                        }
                        is_cut.store(place != NOWHERE, Ordering::SeqCst);
                        if place == BEFORE {
                            break;
                        }
                    }
                    if server.write_all(&bytes[..n]).is_err() {
                        break;
                    }
                }
                let _ = (server.shutdown(Shutdown::Both), client.shutdown(Shutdown::Both));
            });
        }
    });
    port
}
