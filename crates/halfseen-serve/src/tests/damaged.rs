//! Asks the routes of a study in this process, by requests that are damaged in any part.
//!
//! `HALFSEEN_REQUESTS=1000000 cargo test -p halfseen-serve damaged` runs a million of them, and
//! `HALFSEEN_REQUEST_SEED` draws others.

use super::super::app::App;
use super::super::{ServeOptions, api_routes, router};
use super::asking::{begun, by};
use super::page_routes;
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::ConnectInfo;
use axum::http::{Request, Response};
use halfseen::sampling::{Purpose, Stream};
use halfseen_study::{Role, Study};
use hyper::service::Service;
use hyper_util::service::TowerToHyperService;
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::runtime::{Builder, Runtime};

/// Requests to one study, before another begins: some withdraw subjects and dismiss people.
const TO_ONE: u64 = 500;

/// Words of requests: first those that may be right.
const WORDS: [&str; 26] = [
    "p0",
    "p1",
    "p2",
    "p3",
    "1",
    "0",
    "age",
    "a",
    "b",
    "q",
    "2024-02-29",
    "1.5",
    "-1",
    "999",
    "9223372036854775808",
    "kind",
    "2024-02-30",
    "1e999",
    "NaN",
    "",
    " ",
    "\u{202e}\u{0}",
    "<script>",
    "x'); DROP TABLE value; --",
    "é%00/../",
    "steward",
];
/// Number of those that may be right.
const RIGHT: usize = 12;
const JSON: &str = "application/json";
const FORM: &str = "application/x-www-form-urlencoded";
const CSV: &str = "text/csv";
/// Types of content, right and wrong.
const TYPES: [&str; 5] = [JSON, FORM, CSV, "multipart/form-data; boundary=x", "odd"];
/// Calls that change something: a path, and its body with words to replace as `@`.
const POSTS: [(&str, &str); 23] = [
    ("/api/v1/next", r#"{"subjects":["@","@"]}"#),
    ("/api/v1/next", r#"{"count":2,"wave":"@"}"#),
    ("/api/v1/next", r#"{"subjects":["@"],"known":[{"age":"@"}]}"#),
    ("/api/v1/tell", r#"{"answers":[{"subject":"@","values":{"@":@,"@":"@"}}],"keep_going":true}"#),
    ("/api/v1/tell", r#"{"answers":[{"subject":"p0","ask":0,"values":{"age":41,"y":@}}]}"#),
    (
        "/api/v1/tell",
        r#"{"answers":[{"subject":"p1","ask":@,"values":{"a":1,"b":null}}],"check":true}"#,
    ),
    ("/api/v1/tell", "subject,a,b,kind,day\n@,@,@,@,@\n@,@,@,@,@\n"),
    ("/api/v1/tell?keep_going=true", "subject,age\np0,40\np@,@\n"),
    ("/api/v1/amend", r#"{"subject":"p0","attribute":"age","value":"@","reason":"@"}"#),
    ("/api/v1/amend", r#"{"subject":"@","attribute":"@","value":"@","reason":"@"}"#),
    ("/api/v1/withdraw", r#"{"subject":"@","reason":"@","erase":true}"#),
    ("/api/v1/release", r#"{"subject":"@","reason":"@"}"#),
    ("/api/v1/schema/add", r#"{"attribute":"@","kind":"number","low":0,"high":@,"reason":"@"}"#),
    ("/api/v1/schema/retire", r#"{"attribute":"@","reason":"@"}"#),
    ("/ask/@", "form=%FORM%&v-0=@&v-1=@&v-2=@&v-3=q&v-4=@&v-target=@"),
    ("/ask/@", "form=%FORM%&v-0=41&na-1=1&sure-target=1&v-target=@"),
    ("/ask/@/amend", "form=%FORM%&attribute=@&value=@&reason=@"),
    ("/ask/@/release", "form=%FORM%&reason=@"),
    ("/ask/@/withdraw", "form=%FORM%&reason=@&erase=1"),
    ("/find", "form=%FORM%&subject=@"),
    ("/draw", "form=%FORM%&subject=@"),
    ("/people", "form=%FORM%&name=@&role=reader"),
    ("/people/dismiss", "form=%FORM%&name=@"),
];
/// Paths that are looked at.
const GETS: [&str; 16] = [
    "/status",
    "/asks?all=1",
    "/ask/@?stored=@",
    "/people",
    "/sign-in",
    "/style.css",
    "/",
    "/api/v1/study",
    "/api/v1/status?fit=@",
    "/api/v1/curve",
    "/api/v1/pending?older_than_days=@",
    "/api/v1/model",
    "/api/v1/export/@",
    "/api/v1/check",
    "/api/v1/schema",
    "/api/v1/openapi.json",
];

/// A router of a study, and those who may ask it.
struct Asked {
    router: Router,
    tokens: Vec<String>,
    /// Cookie and form of each sign-in.
    signed_in: Vec<(String, String)>,
    folder: tempfile::TempDir,
}

fn asked(runtime: &Runtime) -> Asked {
    let folder = tempfile::tempdir().unwrap();
    let path = begun(folder.path());
    let mut study = Study::open(&path).unwrap();
    let tokens: Vec<String> =
        Role::ALL.map(|role| study.admit(role.name(), role, &by()).unwrap()).into();
    let options = ServeOptions { listen: "127.0.0.1:0".parse().unwrap(), behind_proxy: false };
    let router = router(&Arc::new(App::open(&path, &options).unwrap()));
    let mut asked = Asked { router, tokens, signed_in: Vec::new(), folder };
    for token in asked.tokens.clone() {
        let form = Request::post("/sign-in").header("content-type", FORM);
        let reply = asked.answer(runtime, form.body(Body::from(format!("token={token}"))).unwrap());
        let cookie = reply.0.headers()["set-cookie"].to_str().unwrap();
        let cookie = cookie.split(';').next().unwrap().to_owned();
        let page = Request::get("/status").header("cookie", &cookie).body(Body::empty()).unwrap();
        let page = asked.answer(runtime, page).1;
        let form =
            page.split("name=\"form\" value=\"").nth(1).and_then(|rest| rest.split('"').next());
        asked.signed_in.push((cookie, form.unwrap_or_default().to_owned()));
    }
    asked
}

impl Asked {
    /// Asks the request of this number and looks at the answer; returns its status.
    fn try_one(&self, runtime: &Runtime, seed: u64, number: u64) -> usize {
        let request = drawn_by(seed, number, self);
        let said = format!("seed {seed}, request {number}: {} {}", request.method(), request.uri());
        let (reply, body) = self.answer(runtime, request);
        let status = usize::from(reply.status().as_u16());
        assert!(status < 500, "{said}: {status} {body}");
        assert!(said.contains("/api/") || !body.contains("<script>"), "{said}: {body}");
        assert!(!self.tokens.iter().any(|token| body.contains(token)), "{said}: {body}");
        status
    }

    fn problems(&self) -> Vec<String> {
        Study::open(self.folder.path().join("trial.hs")).unwrap().check().unwrap()
    }

    fn answer(&self, runtime: &Runtime, request: Request<Body>) -> (Response<()>, String) {
        let service = TowerToHyperService::new(self.router.clone());
        runtime.block_on(async {
            let (head, body) = service.call(request).await.unwrap().into_parts();
            let body = to_bytes(body, 1 << 26).await.unwrap();
            (Response::from_parts(head, ()), String::from_utf8_lossy(&body).into_owned())
        })
    }
}

fn drawn_by(seed: u64, number: u64, asked: &Asked) -> Request<Body> {
    drawn(&mut Stream::new(seed, Purpose::Attack, number), asked)
}

fn one_of<'w>(random: &mut Stream, words: &[&'w str]) -> &'w str {
    words[random.below(words.len())]
}

/// Replaces each `@` by a word, which is mostly one that may be right.
fn filled(random: &mut Stream, pattern: &str, encoded: bool) -> String {
    let mut parts = pattern.split('@');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let word = match random.below(5) {
            0 => one_of(random, &WORDS),
            _ => one_of(random, &WORDS[..RIGHT]),
        };
        match encoded {
            true => text.extend(form_urlencoded::byte_serialize(word.as_bytes())),
            false => text.push_str(word),
        }
        text.push_str(part);
    }
    text
}

/// Flips a bit, cuts, or doubles a stretch.
fn damaged(random: &mut Stream, text: String) -> Vec<u8> {
    let mut bytes = text.into_bytes();
    let at = random.below(bytes.len() + 1);
    match random.below(16) {
        0 => bytes.truncate(at),
        1 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
        2 => bytes.extend_from_within(at..),
        _ => {}
    }
    bytes
}

fn drawn(random: &mut Stream, asked: &Asked) -> Request<Body> {
    let (path, pattern) = match random.below(3) {
        0 => (one_of(random, &GETS), ""),
        _ => POSTS[random.below(POSTS.len())],
    };
    let mut method = if pattern.is_empty() { "GET" } else { "POST" };
    let mut content = match pattern.as_bytes() {
        [b'{', ..] => JSON,
        [b's', ..] => CSV,
        _ => FORM,
    };
    let mut path = match (path, random.below(2)) {
        ("/api/v1/export/@", 0) => {
            path.replace('@', one_of(random, &["reads", "wide", "audit", "asks"]))
        }
        (_, 0) => path.replace("/@", one_of(random, &["/0", "/1", "/2"])),
        _ => path.to_owned(),
    };
    path = filled(random, &path, true);
    match random.below(30) {
        0 => method = one_of(random, &["GET", "POST", "PUT", "DELETE", "HEAD", "ODD"]),
        1 => content = one_of(random, &TYPES),
        2 => path.push_str("?%ff=%"),
        _ => {}
    }
    let (cookie, form) = &asked.signed_in[random.below(asked.signed_in.len())];
    let text = filled(random, pattern, content == FORM).replace("%FORM%", form);
    let token = &asked.tokens[random.below(asked.tokens.len())];
    let is_page = !path.starts_with("/api/");
    let mut request = Request::builder().method(method).uri(path).header("content-type", content);
    request = match random.below(16) {
        0 => request,
        1 => request.header("authorization", "Bearer hs_forged").header("cookie", "halfseen=odd"),
        _ if is_page => request.header("cookie", cookie),
        _ => request.header("authorization", format!("Bearer {token}")),
    };
    if random.below(20) == 0 {
        request = request.header("origin", "http://evil.example").header("host", "study");
    }
    // Wrong tokens close an address for a while.
    let peer = SocketAddr::from(([10, random.below(256) as u8, random.below(256) as u8, 1], 9));
    request.extension(ConnectInfo(peer)).body(Body::from(damaged(random, text))).unwrap()
}

/// Every route is among the calls above.
#[test]
fn every_route_is_asked() {
    let plain = |path: &str| {
        path.split('?').next().unwrap().replace("{number}", "@").replace("{what}", "@")
    };
    let asked: Vec<String> = POSTS.iter().map(|(path, _)| *path).chain(GETS).map(plain).collect();
    for (path, ..) in page_routes().into_iter().chain(api_routes()) {
        // Signing out would end what others do.
        assert!(path == "/sign-out" || asked.contains(&plain(path)), "{path} is not asked");
    }
}

#[test]
#[allow(clippy::print_stdout)] // for a long run
fn damaged_requests_get_an_answer_and_leave_a_study_that_is_whole() {
    let number = |name: &str, otherwise: u64| {
        std::env::var(name).map_or(otherwise, |text| text.parse().unwrap())
    };
    let (requests, seed) = (number("HALFSEEN_REQUESTS", 2_000), number("HALFSEEN_REQUEST_SEED", 0));
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    let mut counts = [0_u64; 6];
    for study in 0..requests.div_ceil(TO_ONE) {
        let asked = asked(&runtime);
        let numbers = study * TO_ONE..requests.min((study + 1) * TO_ONE);
        for number in numbers.clone() {
            counts[asked.try_one(&runtime, seed, number) / 100] += 1;
        }
        if !asked.problems().is_empty() {
            // The same once more, looked at after each.
            let again = self::asked(&runtime);
            for number in numbers {
                again.try_one(&runtime, seed, number);
                let said = || {
                    format!("seed {seed}, request {number}: {:?}", drawn_by(seed, number, &again))
                };
                assert_eq!(again.problems(), Vec::<String>::new(), "{}", said());
            }
        }
    }
    println!(
        "{requests} requests: {} taken, {} led elsewhere, {} refused",
        counts[2], counts[3], counts[4]
    );
    // A test of requests that are all refused would show little.
    assert!(counts[2] > requests / 5 && counts[4] > requests / 5, "{counts:?}");
}
