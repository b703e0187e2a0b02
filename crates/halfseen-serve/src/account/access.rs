//! Lets a request through to its handler, or not: who asks, what the person may do, where the request
//! comes from, how often somebody failed to sign in.

use crate::app::{App, Shared, call};
use crate::body;
use crate::failure::Failure;
use crate::viewer::{Secret, Viewer};
use axum::extract::{ConnectInfo, Request, State};
use axum::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use axum::http::{Method, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::MethodRouter;
use halfseen_study::{By, Person, Right, SIGNED_IN};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;

/// Name of the cookie that holds the secret of a sign-in.
const COOKIE: &str = "halfseen";
/// Returns the address of the client, as the proxy in front names it if there is one.
pub(crate) fn address(app: &App, request: &Request) -> IpAddr {
    let peer = request
        .extensions()
        .get::<ConnectInfo<SocketAddr>>()
        .map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |ConnectInfo(peer)| peer.ip());
    if !app.options.behind_proxy {
        return peer;
    }
    let named = request.headers().get("x-forwarded-for").and_then(|value| value.to_str().ok());
    // The last one is the proxy's own word; others are the client's.
    let last = named.and_then(|all| all.rsplit(',').next()).map(str::trim);
    last.and_then(|address| address.parse().ok()).unwrap_or(peer)
}

/// Returns the cookie of a new sign-in, or with an empty secret of none.
pub(crate) fn cookie(app: &App, secret: &str) -> String {
    let age = if secret.is_empty() { 0 } else { SIGNED_IN };
    let secure = if app.options.behind_proxy { "; Secure" } else { "" };
    format!("{COOKIE}={secret}; Path=/; Max-Age={age}; HttpOnly; SameSite=Strict{secure}")
}

pub(crate) fn secret_of(headers: &HeaderMap) -> Option<Secret> {
    let mut cookies = headers
        .get_all(header::COOKIE)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(';'));
    cookies
        .find_map(|cookie| cookie.trim().strip_prefix(COOKIE)?.strip_prefix('='))
        .map(Secret::new)
}

/// Refuses a form that another site sends.
pub(crate) fn check_origin(headers: &HeaderMap) -> Result<(), Failure> {
    let text = |name: HeaderName| headers.get(name).map(|value| value.to_str().unwrap_or("odd"));
    let site = text(HeaderName::from_static("sec-fetch-site"));
    let is_foreign = match (site, text(header::ORIGIN), text(header::HOST)) {
        (Some(site), ..) => site != "same-origin" && site != "none",
        (None, Some(origin), Some(host)) => {
            origin.split_once("://").is_none_or(|(_, of)| !of.eq_ignore_ascii_case(host))
        }
        (None, Some(_), None) => true,
        (None, None, _) => false,
    };
    if is_foreign {
        return Err(Failure::new(
            StatusCode::FORBIDDEN,
            "this form was sent from another site; open the study's own page and try again",
        ));
    }
    Ok(())
}

/// Guards a page: signed in by cookie, allowed, and forms with the sign-in's own token.
pub(crate) fn page(
    app: &Shared,
    right: Right,
    methods: MethodRouter<Shared>,
) -> MethodRouter<Shared> {
    methods.layer(from_fn_with_state((Arc::clone(app), right), guard_page))
}

async fn guard_page(
    State((app, right)): State<(Shared, Right)>,
    request: Request,
    next: Next,
) -> Response {
    match signed_in(&app, right, request).await {
        Ok(Some(request)) => next.run(request).await,
        Ok(None) => Redirect::to("/sign-in").into_response(),
        Err(failure) => failure.as_page(),
    }
}

/// Returns a request with its person and form, or `None` if nobody is signed in.
async fn signed_in(
    app: &Shared,
    right: Right,
    request: Request,
) -> Result<Option<Request>, Failure> {
    let is_form = request.method() == Method::POST;
    if is_form {
        check_origin(request.headers())?;
    }
    let secret = secret_of(request.headers());
    let person = match &secret {
        Some(secret) => {
            let text = secret.text().to_owned();
            call(app, move |study| study.signed_in(&text, &By::now(""))).await?
        }
        None => None,
    };
    let Some((person, secret)) = person.zip(secret) else {
        let problem = "you are not signed in any more, and nothing was stored; sign in at /sign-in, and enter it again";
        return if is_form {
            Err(Failure::new(StatusCode::UNAUTHORIZED, problem))
        } else {
            Ok(None)
        };
    };
    check_right(&person, right)?;
    let mut request = request;
    if is_form {
        let (mut parts, body) = request.into_parts();
        let form = body::form(&parts.headers, body).await?;
        if !is_same(form.get("form"), &secret.form_token()) {
            return Err(Failure::new(
                StatusCode::FORBIDDEN,
                "this form is of an earlier sign-in; go back, load the page again and enter it again",
            ));
        }
        parts.extensions.insert(form);
        request = Request::from_parts(parts, axum::body::Body::empty());
    }
    request.extensions_mut().insert(Viewer { person, secret });
    Ok(Some(request))
}

fn check_right(person: &Person, right: Right) -> Result<(), Failure> {
    if person.role.may(right) {
        return Ok(());
    }
    let role = person.role.name();
    let message = format!("a {role} may not do this; an admin of the study gives roles");
    Err(Failure::new(StatusCode::FORBIDDEN, message))
}

/// Compares without telling by the time where texts differ.
fn is_same(one: &str, other: &str) -> bool {
    one.len() == other.len()
        && one.bytes().zip(other.bytes()).fold(0, |differ, (a, b)| differ | (a ^ b)) == 0
}

/// Guards a route of the API: a token in each request, and no cookies.
pub(crate) fn api(
    app: &Shared,
    right: Right,
    methods: MethodRouter<Shared>,
) -> MethodRouter<Shared> {
    methods.layer(from_fn_with_state((Arc::clone(app), right), guard_api))
}

async fn guard_api(
    State((app, right)): State<(Shared, Right)>,
    mut request: Request,
    next: Next,
) -> Response {
    let (address, token) = (address(&app, &request), token_of(request.headers()));
    match bearer(&app, right, address, token).await {
        Ok(person) => {
            request.extensions_mut().insert(person);
            next.run(request).await
        }
        Err(failure) => {
            let is_unknown = failure.status == StatusCode::UNAUTHORIZED;
            let mut response = failure.into_json();
            if is_unknown {
                let scheme = HeaderValue::from_static("Bearer");
                response.headers_mut().insert(header::WWW_AUTHENTICATE, scheme);
            }
            response
        }
    }
}

fn token_of(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    Some(
        value
            .split_once(' ')
            .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"))?
            .1
            .trim()
            .to_owned(),
    )
}

async fn bearer(
    app: &Shared,
    right: Right,
    address: IpAddr,
    token: Option<String>,
) -> Result<Person, Failure> {
    let Some(token) = token else {
        let problem = "a token is needed, as the header `Authorization: Bearer hs_...`";
        return Err(Failure::new(StatusCode::UNAUTHORIZED, problem));
    };
    let person = by_token(app, address, token, |study, token| study.person(&token)).await?;
    check_right(&person, right)?;
    Ok(person)
}

/// Returns what a token gives, and counts those that give nothing.
pub(crate) async fn by_token<T: Send + 'static>(
    app: &Shared,
    address: IpAddr,
    token: String,
    find: impl FnOnce(&mut halfseen_study::Study, String) -> halfseen_study::Result<Option<T>>
    + Send
    + 'static,
) -> Result<T, Failure> {
    // Those who have a token are let in, whatever others at their address try.
    if let Some(owner) = call(app, move |study| find(study, token)).await? {
        return Ok(owner);
    }
    app.attempts.check(address)?;
    app.attempts.count(address);
    let problem = "this token is unknown, or was taken back; an admin of the study makes tokens";
    Err(Failure::new(StatusCode::UNAUTHORIZED, problem))
}
