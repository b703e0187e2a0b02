//! Lays pages out: head, navigation, messages, and the fields that all forms share.

use super::viewer::Viewer;
use halfseen_study::Right;
use maud::{DOCTYPE, Markup, PreEscaped, html};

/// The one style sheet.
pub(super) const STYLE: &str = include_str!("style.css");

fn whole(title: &str, navigation: &Markup, content: &Markup) -> axum::response::Html<String> {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) " - halfseen" }
                link rel="stylesheet" href="/style.css";
            }
            body {
                a.skip href="#main" { "To the content" }
                (navigation)
                main #main { h1 { (title) } (content) }
            }
        }
    };
    axum::response::Html(page.into_string())
}

/// Returns a page for somebody who is signed in.
pub(super) fn page(viewer: &Viewer, title: &str, content: &Markup) -> axum::response::Html<String> {
    let navigation = html! {
        header {
            nav aria-label="Pages" {
                @if viewer.may(Right::Collect) { a href="/asks" { "Asks" } }
                a href="/status" { "Status" }
                @if viewer.may(Right::Manage) { a href="/people" { "People" } }
            }
            form.out method="post" action="/sign-out" {
                (viewer.token())
                span { (viewer.person.name) " (" (viewer.person.role.name()) ")" }
                button.plain type="submit" { "Sign out" }
            }
        }
    };
    whole(title, &navigation, content)
}

/// Returns a page for anybody.
pub(super) fn open_page(title: &str, content: &Markup) -> axum::response::Html<String> {
    whole(title, &PreEscaped(String::new()), content)
}

/// Returns a page that says one thing.
pub(super) fn message(title: &str, text: &str) -> axum::response::Html<String> {
    let content = html! { p role="alert" { (text) } p { a href="/" { "Back to the study" } } };
    open_page(title, &content)
}

/// Returns a count with its noun.
pub(super) fn count(number: u64, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}
