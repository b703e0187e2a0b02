//! Asks for what is not there, and changes the schema.

use super::asking::Server;
use halfseen_study::Role;

#[test]
fn wrong_addresses_and_methods_are_answered_in_words() {
    let server = Server::start();
    let token = server.token(Role::Admin);
    let reply = server.api(&token, "GET", "/api/v1/nothing", "");
    assert!(
        reply.status == 404 && reply.body.contains("\"error\":\"there is no such call"),
        "{reply:?}"
    );
    let reply = server.api(&token, "GET", "/api/v1/tell", "");
    assert!(reply.status == 405 && reply.body.contains("takes no GET requests"), "{reply:?}");
    let reply = server.api(&token, "GET", "/api/v1/pending?older_than_days=old", "");
    assert!(reply.status == 400 && reply.body.contains("the address cannot be read"), "{reply:?}");
    for days in ["NaN", "inf", "-1"] {
        let reply =
            server.api(&token, "GET", &format!("/api/v1/pending?older_than_days={days}"), "");
        assert!(reply.status == 400 && reply.body.contains("a number of days"), "{reply:?}");
    }
    let visitor = server.sign_in(Role::Admin);
    let reply = visitor.get("/ask/first");
    assert!(reply.status == 400 && reply.body.contains("<html"), "{reply:?}");
    let reply = visitor.get("/nothing");
    assert!(reply.status == 404 && reply.body.contains("there is no such page"), "{reply:?}");
}

#[test]
fn stewards_change_the_schema_for_programs_and_forms() {
    let server = Server::start();
    let (steward, collector) = (server.token(Role::Steward), server.token(Role::Collector));
    let added = r#"{"schema":"attribute,price\nlater,4\n","reason":"a new assay"}"#;
    assert_eq!(server.api(&collector, "POST", "/api/v1/schema/add", added).status, 403);
    let reply = server.api(&steward, "POST", "/api/v1/schema/add", added);
    assert_eq!(reply.status, 200, "{reply:?}");
    let reply = server.api(&collector, "GET", "/api/v1/schema", "");
    assert!(reply.body.contains("\nlater,number"), "{reply:?}");
    let again = server.api(&steward, "POST", "/api/v1/schema/add", added);
    assert!(again.status == 422 && again.body.contains("the study has all of them"), "{again:?}");
    // Forms know it as well.
    server.api(&collector, "POST", "/api/v1/next", r#"{"subjects":["new"]}"#);
    let told = r#"{"answers":[{"subject":"new","values":{"later":2.5}}]}"#;
    assert_eq!(server.api(&collector, "POST", "/api/v1/tell", told).status, 200);
    let number = server.study().ask_of("new").unwrap().unwrap();
    let page = server.sign_in(Role::Collector).get(&format!("/ask/{number}"));
    assert!(page.status == 200 && page.body.contains("later"), "{page:?}");
    let gone = r#"{"attribute":"later","reason":"too dear"}"#;
    let reply = server.api(&steward, "POST", "/api/v1/schema/retire", gone);
    assert_eq!(reply.status, 200, "{reply:?}");
    let reply = server.api(&steward, "GET", "/api/v1/study", "");
    assert!(reply.body.contains("\"retired\":true"), "{reply:?}");
}
