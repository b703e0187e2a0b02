//! Serves a study on a port of its own and asks it as people, programs and strangers do.

mod asking;
mod damaged;
mod described;
mod wording;

use super::account::home;
use super::{OPENAPI, ServeOptions, api_routes, people, status, subject};
use asking::{FORM, Server, by};
use halfseen::Silent;
use halfseen_study::{Answers, Export, Right, Role, Subjects, Telling};
use std::time::{Duration, Instant};

fn page_routes() -> Vec<super::app::Route> {
    let all = home::routes().into_iter().chain(subject::routes());
    all.chain(status::routes()).chain(people::routes()).collect()
}

#[test]
fn every_role_tries_every_route() {
    let server = Server::start();
    let filled = |path: &str| path.replace("{number}", "999").replace("{what}", "none");
    for (path, ..) in page_routes() {
        let path = filled(path);
        let nobody = server.ask("GET", &path, &[], "");
        assert!(nobody.status == 303 && nobody.head.contains("location: /sign-in"), "{path}");
        let forged =
            "Cookie: halfseen=0000000000000000000000000000000000000000000000000000000000000000";
        assert_eq!(server.ask("GET", &path, &[forged], "").status, 303, "{path}");
        assert_eq!(server.ask("POST", &path, &[FORM, forged], "form=").status, 401, "{path}");
    }
    for (path, ..) in api_routes() {
        for method in ["GET", "POST", "PUT", "DELETE"] {
            let path = filled(path);
            assert_eq!(server.ask(method, &path, &[], "").status, 401, "{method} {path}");
        }
    }
    for role in Role::ALL {
        let token = server.token(role);
        for (path, right, _) in api_routes() {
            for method in ["GET", "POST"] {
                let reply = server.api(&token, method, &filled(path), "{}");
                let is_refused = reply.status == 403;
                assert_eq!(is_refused, !role.may(right), "{role:?} {method} {path}: {reply:?}");
                assert_ne!(reply.status, 401, "{role:?} {method} {path}");
                assert!(reply.status < 500, "{role:?} {method} {path}: {reply:?}");
            }
        }
        for (path, right, _) in page_routes() {
            // Signed in anew, since one of them signs out.
            let visitor = server.sign_in(role);
            for reply in [visitor.get(&filled(path)), visitor.post(&filled(path), &[])] {
                assert_eq!(reply.status == 403, !role.may(right), "{role:?} {path}: {reply:?}");
                assert!(reply.status < 500, "{role:?} {path}: {reply:?}");
            }
        }
    }
    // What a role may do, once more as people would say it.
    let may = |role: Role| {
        [Right::Look, Right::Collect, Right::Analyse, Right::Correct, Right::Manage]
            .map(|right| role.may(right))
    };
    assert_eq!(may(Role::Reader), [true, false, true, false, false]);
    assert_eq!(may(Role::Collector), [true, true, false, false, false]);
    assert_eq!(may(Role::Steward), [true, true, true, true, false]);
    assert_eq!(may(Role::Admin), [true; 5]);
}

#[test]
fn forms_of_other_sites_and_other_sign_ins_change_nothing() {
    let server = Server::start();
    let other = server.sign_in(Role::Steward);
    let visitor = server.sign_in(Role::Collector);
    let before = export(&server);
    let fields = [("v-0", "41")];
    let (own, host) = (visitor.form.clone(), format!("Origin: http://{}", server.address));
    for (form, headers) in [
        ("", vec![]),
        (&*other.form, vec![]),
        (&*own, vec!["Origin: http://evil.example"]),
        (&*own, vec!["Origin: null"]),
        (&*own, vec!["Sec-Fetch-Site: cross-site", &*host]),
        (&*own, vec!["Sec-Fetch-Site: same-site"]),
    ] {
        let reply = visitor.post_from("/ask/0", &fields, form, &headers);
        assert_eq!(reply.status, 403, "{form} {headers:?}");
    }
    let foreign = server.ask("POST", "/sign-in", &[FORM, "Origin: http://evil.example"], "token=x");
    assert_eq!(foreign.status, 403);
    let text =
        server.ask("POST", "/ask/0", &[&visitor.cookie, "Content-Type: text/plain"], "form=");
    assert_eq!(text.status, 415);
    // The cookie of a page is no key to the API.
    assert_eq!(server.ask("GET", "/api/v1/status", &[&visitor.cookie], "").status, 401);
    assert_eq!(export(&server), before);
    let taken = visitor.post_from("/ask/0", &fields, &own, &["Sec-Fetch-Site: same-origin", &host]);
    assert_eq!(taken.status, 303);
    assert_ne!(export(&server), before);
    // Sent again, it changes nothing.
    let (once, again) = (export(&server), visitor.post("/ask/0", &fields));
    assert!(again.status == 303 && again.head.contains("stored=0"), "{again:?}");
    assert_eq!(export(&server), once);
    // Signing out, and dismissing, end it.
    assert_eq!(visitor.post("/sign-out", &[]).status, 303);
    assert_eq!(visitor.get("/asks").status, 303);
    server.study().dismiss("steward", &by()).unwrap();
    assert_eq!(other.get("/asks").status, 303);
}

fn export(server: &Server) -> String {
    let mut text = Vec::new();
    server.study().export(Export::Reads, &mut text).unwrap();
    String::from_utf8(text).unwrap()
}

/// Returns the inputs of a page that take a value.
fn inputs(page: &str) -> Vec<String> {
    let names = page.split("name=\"v-").skip(1).map(|rest| rest.split('"').next().unwrap());
    let mut names: Vec<String> = names.map(|name| format!("v-{name}")).collect();
    names.dedup();
    names
}

#[test]
fn a_form_takes_parts_and_says_what_is_wrong() {
    let server = Server::start();
    let visitor = server.sign_in(Role::Collector);
    let page = visitor.get("/ask/0").body;
    assert_eq!(inputs(&page), ["v-0", "v-1", "v-2", "v-3", "v-4", "v-target"]);
    // A part.
    let reply = visitor.post("/ask/0", &[("v-0", "41"), ("v-1", "2.5")]);
    assert!(reply.status == 303 && reply.head.contains("/ask/0?stored=2"), "{reply:?}");
    let page = visitor.get("/ask/0?stored=2").body;
    assert!(page.contains("2 values stored") && page.contains("41"), "{page}");
    assert_eq!(inputs(&page), ["v-2", "v-3", "v-4", "v-target"]);
    // A wrong kind, a value out of range, a box beside a value: nothing is stored, nothing typed is lost.
    let wrong =
        [("v-2", "twelve"), ("v-3", "p"), ("v-4", "2024-02-30"), ("v-target", "90"), ("na-4", "1")];
    let before = export(&server);
    let reply = visitor.post("/ask/0", &wrong);
    assert_eq!(reply.status, 422);
    for said in [
        "Nothing was stored",
        "&#39;b&#39; is a number",
        "90 is outside of the range from 0 to 60",
        "keep one of them",
        "value=\"twelve\"",
        "value=\"p\" checked",
        "name=\"sure-target\"",
    ] {
        let text = reply.body.replace('\'', "&#39;");
        assert!(text.contains(said), "{said}: {}", reply.body);
    }
    assert_eq!(export(&server), before);
    // The rest, with what could not be had, and a value that is right although it is outside.
    let right =
        [("v-2", "1"), ("v-3", "p"), ("na-4", "1"), ("v-target", "90"), ("sure-target", "1")];
    assert_eq!(visitor.post("/ask/0", &right).status, 303);
    let page = visitor.get("/ask/0").body;
    assert!(page.contains("is complete") && page.contains("90"), "{page}");
    let stored = export(&server);
    assert!(stored.contains("collector,form") && stored.contains("NA"), "{stored}");
    // Somebody else was faster.
    let row =
        Answers { line: 1, subject: "p1".into(), ask: None, cells: vec![("a".into(), "1".into())] };
    let page = visitor.get("/ask/1").body;
    assert!(inputs(&page).contains(&"v-1".to_owned()));
    server.study().tell(&[row], &Telling::default(), &by()).unwrap();
    let reply = visitor.post("/ask/1", &[("v-1", "2"), ("v-2", "3")]);
    // Another value for it is refused, and what else was entered stays in its field.
    assert_eq!(reply.status, 422);
    assert!(reply.body.contains("already") && reply.body.contains("value=\"3\""), "{}", reply.body);
    assert!(export(&server).contains("p1,1,a,1,"), "{}", export(&server));
    // The same one is no change, as where a form is sent twice.
    assert_eq!(visitor.post("/ask/1", &[("v-1", "1"), ("v-2", "3")]).status, 303);
    assert_eq!(visitor.post("/ask/1", &[("v-1", "1"), ("v-2", "3")]).status, 303);
    assert_eq!(visitor.post("/ask/1", &[]).status, 422);
    assert_eq!(visitor.get("/ask/77").status, 404);
    assert_eq!(visitor.get("/ask/x").status, 400);
}

#[test]
fn stewards_correct_and_admins_admit() {
    let server = Server::start();
    let steward = server.sign_in(Role::Steward);
    assert_eq!(steward.post("/ask/0", &[("v-0", "41")]).status, 303);
    let amended = [("attribute", "age"), ("value", "42"), ("reason", "misread")];
    assert_eq!(steward.post("/ask/0/amend", &amended).status, 303);
    assert!(steward.get("/ask/0").body.contains("42 "));
    let nothing = [("attribute", "age"), ("value", "43"), ("reason", " ")];
    assert_eq!(steward.post("/ask/0/amend", &nothing).status, 422);
    assert_eq!(steward.post("/ask/1/release", &[("reason", "moved")]).status, 303);
    assert_eq!(steward.post("/ask/0/withdraw", &[("reason", "left"), ("erase", "1")]).status, 303);
    let page = steward.get("/ask/0").body;
    assert!(page.contains("was withdrawn") && !page.contains("42 "), "{page}");
    assert_eq!(server.study().check().unwrap(), Vec::<String>::new());
    let admin = server.sign_in(Role::Admin);
    let page = admin.post("/people", &[("name", "carl"), ("role", "reader")]);
    let token = page.body.split("class=\"token\">").nth(1).unwrap().split('<').next().unwrap();
    assert_eq!(server.api(token, "GET", "/api/v1/export/wide", "").status, 200);
    assert!(admin.get("/people").body.contains("carl"));
    assert_eq!(admin.post("/people", &[("name", "carl"), ("role", "king")]).status, 404);
    assert_eq!(admin.post("/people/dismiss", &[("name", "admin")]).status, 400);
    assert_eq!(admin.post("/people/dismiss", &[("name", "carl")]).status, 303);
    assert_eq!(server.api(token, "GET", "/api/v1/export/wide", "").status, 401);
    let audit = server.api(&server.token(Role::Reader), "GET", "/api/v1/export/audit", "").body;
    for line in ["admin,admit,", "carl as reader", "steward,erase,p0", "steward,release,p1"] {
        assert!(audit.contains(line), "{line}: {audit}");
    }
    assert!(!audit.contains("hs_"), "no token is in the audit");
}

#[test]
fn html_and_sql_stay_text() {
    let server = Server::start();
    let admin = server.sign_in(Role::Admin);
    for odd in ["<script>alert(1)</script>", "\"><b>", "x'); DROP TABLE value; --", "=1+1", "ü & é"]
    {
        let page = admin.post("/find", &[("subject", odd)]);
        assert_eq!(page.status, 200, "{odd}");
        assert!(!page.body.contains("<script") && !page.body.contains("\"><b>"), "{}", page.body);
        let drawn = admin.post("/draw", &[("subject", odd)]);
        assert_eq!(drawn.status, 303, "{odd}: {drawn:?}");
        let at = drawn.head.split("location: ").nth(1).unwrap().split_whitespace().next().unwrap();
        for (path, fields) in [
            (at.to_owned(), vec![("v-0", odd), ("v-3", odd), ("v-4", odd)]),
            (format!("{at}/amend"), vec![("attribute", odd), ("value", odd), ("reason", odd)]),
            (format!("{at}/release"), vec![("reason", odd)]),
            ("/people".to_owned(), vec![("name", odd), ("role", "reader")]),
            ("/people".to_owned(), vec![("name", "x"), ("role", odd)]),
            ("/people/dismiss".to_owned(), vec![("name", odd)]),
        ] {
            let reply = admin.post(&path, &fields);
            assert!(reply.status < 500, "{path} {odd}: {reply:?}");
            let body = reply.body;
            assert!(!body.contains("<script") && !body.contains("\"><b>"), "{path}: {body}");
        }
        for path in [at, "/asks?all=1", "/people"] {
            let body = admin.get(path).body;
            assert!(!body.contains("<script") && !body.contains("\"><b>"), "{path}: {body}");
        }
    }
    assert_eq!(server.study().check().unwrap(), Vec::<String>::new());
    let token = server.token(Role::Reader);
    let audit = server.api(&token, "GET", "/api/v1/export/audit", "").body;
    assert!(audit.contains("'=1+1") && !audit.contains(",=1+1"), "{audit}");
}

#[test]
fn what_is_known_of_subjects_comes_with_their_names() {
    let server = Server::start();
    let token = server.token(Role::Collector);
    let next = |body: &str| server.api(&token, "POST", "/api/v1/next", body);
    let asked = next(r#"{"subjects": ["p7", "p8"], "known": [{"age": 40}, {"age": null}]}"#);
    let asks: serde_json::Value = serde_json::from_str(&asked.body).unwrap();
    let asks_age = |at: usize| asks[at]["attributes"].as_array().unwrap().contains(&"age".into());
    assert_eq!((asked.status, asks_age(0), asks_age(1)), (200, false, true), "{asks}");
    let refused = next(r#"{"subjects": ["p9", "p7"], "known": [{"age": 41}, {"age": 41}]}"#);
    assert_eq!(refused.status, 422);
    let problem: serde_json::Value = serde_json::from_str(&refused.body).unwrap();
    let row = &problem["refused"][0];
    assert_eq!((&row["line"], &row["subject"]), (&2.into(), &"p7".into()));
    for body in [
        r#"{"subjects": ["p9"], "known": []}"#,
        r#"{"subjects": ["p9"], "known": [{}, {}]}"#,
        r#"{"count": 1, "known": [{"age": 41}]}"#,
    ] {
        let reply = next(body);
        assert_eq!(reply.status, 400, "{body}");
        assert!(reply.body.contains("for each of `subjects`"), "{}", reply.body);
    }
    assert_eq!(server.study().status(&by()).unwrap().subjects, 4);
}

#[test]
fn what_is_too_long_or_fails_too_often_is_refused() {
    let server =
        Server::with(ServeOptions { listen: "127.0.0.1:0".parse().unwrap(), behind_proxy: true });
    let visitor = server.sign_in(Role::Collector);
    assert_eq!(visitor.post("/ask/0", &[("v-0", &"9".repeat(300_000))]).status, 413);
    assert_eq!(visitor.post("/find", &[("subject", &"9".repeat(100_000))]).status, 200);
    assert_eq!(visitor.post("/draw", &[("subject", &"9".repeat(100_000))]).status, 409);
    let long = format!("X-Long: {}", "9".repeat(100_000));
    assert_eq!(server.ask("GET", "/sign-in", &[&long], "").status, 431);
    let token = server.token(Role::Steward);
    let body = format!("{{\"subjects\": [\"{}\"]}}", "9".repeat(17 << 20));
    assert_eq!(server.api(&token, "POST", "/api/v1/next", &body).status, 413);
    assert_eq!(server.api(&token, "POST", "/api/v1/next", &"[".repeat(100_000)).status, 400);
    assert_eq!(server.send(b"\x16\x03\x01\x02\x00").status, 400);
    // Headers that never end are waited for, but not for ever.
    let began = Instant::now();
    assert_ne!(server.send(b"GET").status, 200);
    assert!(began.elapsed() < Duration::from_secs(20));
    // Ten wrong tokens of one address, and it waits; others do not.
    let from = |address: &str| {
        let named = format!("X-Forwarded-For: 9.9.9.9, {address}");
        server.ask("POST", "/sign-in", &[FORM, &named], "token=hs_0").status
    };
    assert_eq!(
        (0..12).map(|_| from("1.2.3.4")).collect::<Vec<_>>(),
        [vec![401; 10], vec![429; 2]].concat()
    );
    assert_eq!(from("1.2.3.5"), 401);
    let named = ["X-Forwarded-For: 1.2.3.4", "Authorization: Bearer hs_0"];
    assert_eq!(server.ask("GET", "/api/v1/status", &named, "").status, 429);
    // Nobody can lock out those who have a token.
    let valid = format!("Authorization: bearer {token}");
    assert_eq!(server.ask("GET", "/api/v1/status", &[named[0], &valid], "").status, 200);
    assert!(
        visitor.get("/asks").status == 200
            && server.sign_in(Role::Reader).get("/status").status == 200
    );
}

#[test]
fn the_status_shows_the_curve_of_the_error() {
    let server = Server::start();
    let mut study = server.study();
    let asks = study.next(Subjects::Count(60), None, &by(), &Silent).unwrap();
    let rows = asks.iter().enumerate().map(|(i, ask)| {
        let value = |name: &String| {
            let text = match name.as_str() {
                "kind" => "p".to_owned(),
                "day" => "2024-01-31".to_owned(),
                _ => (i % 7).to_string(),
            };
            (name.clone(), text)
        };
        let mut cells: Vec<_> = ask.attributes.iter().map(value).collect();
        cells.push(("y".to_owned(), (3 * (i % 7)).to_string()));
        Answers { line: 1, subject: ask.subject.clone(), ask: None, cells }
    });
    study.tell(&rows.collect::<Vec<_>>(), &Telling::default(), &by()).unwrap();
    let reader = server.sign_in(Role::Reader);
    let page = reader.get("/status").body;
    assert!(page.contains("/status?error=1") && !page.contains("<svg"), "{page}");
    let page = reader.get("/status?error=1").body;
    for said in ["<svg", "(90 % interval)", "Predicting the mean has"] {
        assert!(page.contains(said), "{said}: {page}");
    }
    // What is kept is found again.
    let token = server.token(Role::Collector);
    let json: serde_json::Value =
        serde_json::from_str(&server.api(&token, "GET", "/api/v1/curve", "").body).unwrap();
    assert_eq!(json, serde_json::to_value(study.curve(&Silent).unwrap()).unwrap());
}

#[test]
fn every_answer_says_what_browsers_may_do() {
    let server = Server::start();
    let visitor = server.sign_in(Role::Admin);
    let replies = [
        visitor.get("/asks"),
        visitor.get("/nothing"),
        server.ask("GET", "/api/v1/openapi.json", &[], ""),
        server.ask("GET", "/api/v1/status", &[], ""),
    ];
    for reply in replies {
        for header in [
            "content-security-policy: default-src 'none'",
            "x-content-type-options: nosniff",
            "x-frame-options: DENY",
            "cache-control: no-store",
        ] {
            assert!(reply.head.contains(header), "{header}: {}", reply.head);
        }
    }
    let form = format!("token={}", server.token(Role::Reader));
    let signed = server.ask("POST", "/sign-in", &[FORM], &form).head;
    assert!(signed.contains("HttpOnly; SameSite=Strict"), "{signed}");
}

#[test]
fn programs_have_the_verbs() {
    let server = Server::start();
    let token = server.token(Role::Steward);
    let post =
        |path: &str, body: &str| server.api(&token, "POST", &format!("/api/v1/{path}"), body);
    let get = |path: &str| server.api(&token, "GET", &format!("/api/v1/{path}"), "");
    let asks = post("next", r#"{"subjects": ["p0", "q"], "wave": "w"}"#);
    let asks: serde_json::Value = serde_json::from_str(&asks.body).unwrap();
    assert_eq!((asks[0]["is_new"].clone(), asks[1]["number"].clone()), (false.into(), 2.into()));
    let answers = r#"{"answers": [{"subject": "q", "ask": 2, "values": {"age": 30, "a": "1.5", "b": null, "y": 12.25}}], "source": "lab"}"#;
    let told = post("tell", answers);
    assert!(told.status == 200 && told.body.contains("\"stored\":3"), "{told:?}");
    let again = post("tell", answers);
    assert!(
        again.body.contains("\"stored\":0") && again.body.contains("\"repeated\":3"),
        "{again:?}"
    );
    for (body, status, said) in [
        (r#"{"answers": [{"subject": "q", "values": {"a": 2}}]}"#, 422, "`amend` corrects it"),
        (r#"{"answers": [{"subject": "q", "values": {"b": 2, "b": 3}}]}"#, 422, "two values"),
        (r#"{"answers": [{"subject": "q", "values": {"b": [1]}}]}"#, 400, "number, a text or null"),
        (r#"{"answers": [{"subject": "q", "values": {"b": 1e400}}]}"#, 400, "not valid JSON"),
        (r#"{"answers": [{"subject": "q", "values": {"b": NaN}}]}"#, 400, "not valid JSON"),
        (r#"{"answers": [{"subject": "who", "values": {"b": 1}}]}"#, 422, "no ask was made"),
        (r#"{"answers": [{"subject": "q", "ask": 77, "values": {"b": 1}}]}"#, 422, "no ask 77"),
        (r#"{"answers": [], "chek": true}"#, 400, "chek"),
    ] {
        let reply = post("tell", body);
        assert_eq!(reply.status, status, "{body}: {reply:?}");
        assert!(reply.body.contains(said), "{body}: {reply:?}");
    }
    let csv = |query: &str, text: &str| {
        let bearer = format!("Authorization: Bearer {token}");
        server.ask(
            "POST",
            &format!("/api/v1/tell{query}"),
            &[&bearer, "Content-Type: text/csv"],
            text,
        )
    };
    let dry = csv("?check=true", "subject,b\nq,3\n");
    assert!(dry.status == 200 && !export(&server).contains(",b,3,"), "{dry:?}");
    assert_eq!(csv("?source=sheet", "subject,b\nq,3\n").status, 200);
    assert!(export(&server).contains(",b,3,") && export(&server).contains("sheet"));
    assert_eq!(csv("", "subject,c\nq,3\n").status, 422);
    assert_eq!(
        post("amend", r#"{"subject": "q", "attribute": "b", "value": "4", "reason": "typo"}"#)
            .status,
        200
    );
    assert_eq!(post("release", r#"{"subject": "p1", "reason": "moved"}"#).status, 200);
    assert_eq!(post("release", r#"{"subject": "p1", "reason": "moved"}"#).status, 409);
    assert_eq!(
        post("withdraw", r#"{"subject": "p0", "reason": "left", "erase": true}"#).status,
        200
    );
    let pending: serde_json::Value = serde_json::from_str(&get("pending").body).unwrap();
    assert_eq!(pending.as_array().unwrap().len(), 1);
    let mut study = server.study();
    let status: serde_json::Value = serde_json::from_str(&get("status").body).unwrap();
    assert_eq!(status["subjects"], 3);
    assert_eq!(get("export/reads").body, export(&server));
    assert_eq!(get("model").body, study.model(&Silent).unwrap().to_json().unwrap());
    assert!(get("curve").body.contains("\"points\":["), "{:?}", get("curve"));
    assert!(get("schema").body.starts_with("attribute,kind"));
    assert!(get("export/erased").body.starts_with("subject,erased\np0,"));
    assert_eq!(get("check").body, r#"{"problems":[]}"#);
    assert_eq!(get("export/none").status, 404);
    let about: serde_json::Value = serde_json::from_str(&get("study").body).unwrap();
    assert_eq!(
        (about["api"].clone(), about["person"]["role"].clone()),
        (1.into(), "steward".into())
    );
}
