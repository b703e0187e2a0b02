//! Lets a request through to its handler, or not: who asks, what the person may do, where the request
//! comes from, how often somebody failed to sign in.

use super::body;
use super::failure::Failure;
use super::pages::Viewer;
use super::{App, Shared, call};
use crate::people::{Person, Right, SIGNED_IN, sha256};
use crate::study::By;
use axum::Router;
use axum::extract::{ConnectInfo, Request, State};
use axum::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use axum::http::{Method, StatusCode};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::MethodRouter;
use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Name of the cookie that holds the secret of a sign-in.
const COOKIE: &str = "halfseen";
/// Failed attempts of one address within [`WINDOW`] after which it is not listened to.
const FAILURES: u32 = 10;
const WINDOW: Duration = Duration::from_secs(60);
/// Most addresses that are counted at once.
const ADDRESSES: usize = 10_000;

/// Headers of every answer: nothing is run, framed, loaded from elsewhere or kept.
const HEADERS: [(HeaderName, &str); 7] = [
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    ),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::X_FRAME_OPTIONS, "DENY"),
    // Not `no-referrer`: a form would then name no origin.
    (header::REFERRER_POLICY, "same-origin"),
    (header::CACHE_CONTROL, "no-store"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

/// Secret of the sign-in that a request belongs to.
#[derive(Debug, Clone)]
pub(super) struct Secret(String);

impl Secret {
    pub(super) fn text(&self) -> &str {
        &self.0
    }

    /// Returns what every form of this sign-in carries, so that no other site can send one.
    pub(super) fn form_token(&self) -> String {
        sha256(&format!("form of {}", self.0))
    }
}

/// Failed sign-ins, by address.
#[derive(Debug, Default)]
pub(super) struct Attempts(Mutex<HashMap<IpAddr, (Instant, u32)>>);

impl Attempts {
    /// Refuses an address that failed too often within the last minute.
    pub(super) fn check(&self, address: IpAddr) -> Result<(), Failure> {
        let attempts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match attempts.get(&address) {
            Some((since, failed)) if *failed >= FAILURES && since.elapsed() < WINDOW => {
                Err(Failure::new(
                    StatusCode::TOO_MANY_REQUESTS,
                    "too many attempts to sign in failed; wait a minute",
                ))
            }
            _ => Ok(()),
        }
    }

    pub(super) fn count(&self, address: IpAddr) {
        let mut attempts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if attempts.len() >= ADDRESSES {
            attempts.retain(|_, (since, _)| since.elapsed() < WINDOW);
        }
        let entry = attempts.entry(address).or_insert((Instant::now(), 0));
        if entry.0.elapsed() >= WINDOW {
            *entry = (Instant::now(), 0);
        }
        entry.1 = entry.1.saturating_add(1);
    }
}

/// Returns the address of the client, as the proxy in front names it if there is one.
pub(super) fn address(app: &App, request: &Request) -> IpAddr {
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
pub(super) fn cookie(app: &App, secret: &str) -> String {
    let age = if secret.is_empty() { 0 } else { SIGNED_IN };
    let secure = if app.options.behind_proxy { "; Secure" } else { "" };
    format!("{COOKIE}={secret}; Path=/; Max-Age={age}; HttpOnly; SameSite=Strict{secure}")
}

pub(super) fn secret_of(headers: &HeaderMap) -> Option<Secret> {
    let mut cookies = headers
        .get_all(header::COOKIE)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(';'));
    cookies
        .find_map(|cookie| cookie.trim().strip_prefix(COOKIE)?.strip_prefix('='))
        .map(|secret| Secret(secret.to_owned()))
}

/// Refuses a form that another site sends.
pub(super) fn check_origin(headers: &HeaderMap) -> Result<(), Failure> {
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
pub(super) fn page(
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
        Some(Secret(text)) => {
            let text = text.clone();
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
pub(super) fn api(
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
            let mut response = failure.as_json();
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
    Some(value.strip_prefix("Bearer ")?.trim().to_owned())
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
pub(super) async fn by_token<T: Send + 'static>(
    app: &Shared,
    address: IpAddr,
    token: String,
    find: impl FnOnce(&mut crate::Study, String) -> crate::Result<Option<T>> + Send + 'static,
) -> Result<T, Failure> {
    app.attempts.check(address)?;
    let found = call(app, move |study| find(study, token)).await?;
    found.ok_or_else(|| {
        app.attempts.count(address);
        let problem =
            "this token is unknown, or was taken back; an admin of the study makes tokens";
        Failure::new(StatusCode::UNAUTHORIZED, problem)
    })
}

/// Adds what is open to everybody, and the headers of every answer.
pub(super) fn open(router: Router<Shared>) -> Router<Shared> {
    router
        .merge(super::sign_in::open())
        .merge(super::api::open())
        .fallback(async || Failure::new(StatusCode::NOT_FOUND, "there is no such page").as_page())
        .layer(from_fn(with_headers))
}

async fn with_headers(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    for (name, value) in HEADERS {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}
