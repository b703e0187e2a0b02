//! Signs people in and out: a token becomes a cookie that a script cannot read.

use super::access::{address, by_token, check_origin, cookie};
use crate::app::{Shared, call};
use crate::failure::Failure;
use crate::{body, pages};
use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use halfseen_study::By;
use maud::html;

/// Returns what is open to everybody.
pub(crate) fn open() -> Router<Shared> {
    Router::new()
        .route("/", get(async || Redirect::to("/status")))
        .route("/sign-in", get(async || form(None).into_response()).post(sign_in))
        .route("/style.css", get(style))
}

async fn style() -> Response {
    ([(header::CONTENT_TYPE, "text/css; charset=utf-8")], pages::STYLE).into_response()
}

fn form(problem: Option<&str>) -> axum::response::Html<String> {
    let content = html! {
        @if let Some(problem) = problem { p.problem #problem role="alert" { (problem) } }
        form method="post" action="/sign-in" {
            div.field {
                label for="token" { "Your token" }
                p.hint #token-hint { "It begins with hs_. An admin of the study gives it to you, once." }
                input #token name="token" type="password" autocomplete="current-password" required
                    aria-describedby=(if problem.is_some() { "token-hint problem" } else { "token-hint" })
                    aria-invalid=[problem.map(|_| "true")];
            }
            button type="submit" { "Sign in" }
        }
    };
    pages::open_page("Sign in", &content)
}

async fn sign_in(State(app): State<Shared>, request: Request) -> Response {
    match signed_in(&app, request).await {
        Ok(response) => response,
        Err(failure) if failure.status == StatusCode::UNAUTHORIZED => {
            (failure.status, form(Some(&failure.message))).into_response()
        }
        Err(failure) => failure.as_page(),
    }
}

async fn signed_in(app: &Shared, request: Request) -> Result<Response, Failure> {
    check_origin(request.headers())?;
    let address = address(app, &request);
    let (parts, sent) = request.into_parts();
    let token = body::form(&parts.headers, sent).await?.get("token").trim().to_owned();
    let find =
        |study: &mut halfseen_study::Study, token: String| study.sign_in(&token, &By::now(""));
    let (_, secret) = by_token(app, address, token, find).await?;
    Ok(([(header::SET_COOKIE, cookie(app, &secret))], Redirect::to("/status")).into_response())
}

/// Ends the sign-in of a request.
pub(crate) async fn sign_out(State(app): State<Shared>, headers: HeaderMap) -> Response {
    if let Some(secret) = super::access::secret_of(&headers) {
        let ended = call(&app, move |study| study.sign_out(secret.text())).await;
        if let Err(failure) = ended {
            return failure.as_page();
        }
    }
    ([(header::SET_COOKIE, cookie(&app, ""))], Redirect::to("/sign-in")).into_response()
}
