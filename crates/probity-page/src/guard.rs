//! Checks every request before any page handler does, and puts the same headers on every response.

use axum::{
    body::Body,
    extract::{Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use probity_research::RunId;

use crate::{PageState, render};

const CSP: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
                   connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// On every response, refusals included.
const HEADERS: [(HeaderName, &str); 7] = [
    (header::CONTENT_SECURITY_POLICY, CSP),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    // Nothing outside learns our name. Not `no-referrer`: browsers then send our own forms without an origin.
    (header::REFERRER_POLICY, "same-origin"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (HeaderName::from_static("permissions-policy"), "camera=(), microphone=(), geolocation=()"),
    (HeaderName::from_static("x-robots-tag"), "noindex"),
];

/// Checks the host, then the session, then the origin of a form.
pub(crate) async fn check_request(State(shared): State<PageState>, request: Request, next: Next) -> Response {
    let mut response = match decide_access(&shared, &request) {
        AccessDecision::Allow => next.run(request).await,
        AccessDecision::LogIn => login_response(&shared, wanted_run(&request)),
        AccessDecision::Refuse(status, words) => render::refusal(status, words),
    };
    let headers = response.headers_mut();
    for (name, value) in HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

enum AccessDecision {
    Allow,
    /// The request has a one-time token.
    LogIn,
    Refuse(StatusCode, &'static str),
}

fn decide_access(shared: &PageState, request: &Request) -> AccessDecision {
    let headers = request.headers();
    let host = single(headers, &header::HOST);
    if !host.is_some_and(|host| shared.login.is_our_host(host)) {
        return AccessDecision::Refuse(
            StatusCode::MISDIRECTED_REQUEST,
            "This is not the address of Probity's page. It opens with the address that `probity ui` prints.",
        );
    }
    let reads = matches!(*request.method(), Method::GET | Method::HEAD);
    // A link preview or a scanner asks with HEAD: it must not use up the owner's token.
    if request.method() == Method::GET
        && request.uri().path() == "/"
        && token(request).is_some_and(|word| shared.login.redeem_token(word))
    {
        return AccessDecision::LogIn;
    }
    let known = headers
        .get_all(header::COOKIE)
        .iter()
        .any(|cookie| cookie.to_str().is_ok_and(|cookie| shared.login.has_session(cookie)));
    if !known {
        return AccessDecision::Refuse(
            StatusCode::UNAUTHORIZED,
            "This page opens with the address that `probity ui` prints. Each address works once.",
        );
    }
    if request.uri().path() == "/" && token(request).is_some() {
        return AccessDecision::LogIn;
    }
    if is_foreign_request(headers) {
        return AccessDecision::Refuse(
            StatusCode::FORBIDDEN,
            "Another page asked for this one. Open it from Probity's own page.",
        );
    }
    if !reads && !is_same_origin(headers, host.unwrap_or_default()) {
        return AccessDecision::Refuse(
            StatusCode::FORBIDDEN,
            "This form did not come from Probity's own page.",
        );
    }
    AccessDecision::Allow
}

/// Base64 for addresses needs no decoding.
fn token(request: &Request) -> Option<&str> {
    request.uri().query()?.split('&').find_map(|pair| pair.strip_prefix("token="))
}

/// The run that `probity runs open` leads to: an id and nothing else, so that no address of others can be named.
fn wanted_run(request: &Request) -> Option<RunId> {
    request.uri().query()?.split('&').find_map(|pair| pair.strip_prefix("open="))?.parse().ok()
}

/// A browser says which page made it ask. `none`: the user typed the address.
fn is_foreign_request(headers: &HeaderMap) -> bool {
    let mut sites = headers.get_all(SEC_FETCH_SITE).iter();
    sites.any(|site| site != "same-origin" && site != "none")
}

/// A browser says where a form comes from, in one header or both; a contradiction is a refusal.
fn is_same_origin(headers: &HeaderMap, host: &str) -> bool {
    let origin = single(headers, &header::ORIGIN);
    let site = single(headers, &SEC_FETCH_SITE);
    let origin_fits = origin.map(|origin| origin.eq_ignore_ascii_case(&format!("http://{host}")));
    let site_fits = site.map(|site| site == "same-origin");
    match (origin_fits, site_fits) {
        (None, None) => false,
        (origin, site) => origin.unwrap_or(true) && site.unwrap_or(true),
    }
}

/// A header that is sent once, in ASCII; one sent twice counts as missing.
fn single<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    let first = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(first)
}

/// Redirects, so that the token leaves the address bar and the history at once.
fn login_response(shared: &PageState, open: Option<RunId>) -> Response {
    let place = open.map_or_else(|| "/".to_owned(), |id| format!("/research/{id}"));
    let mut response = (StatusCode::SEE_OTHER, [(header::LOCATION, place)], Body::empty()).into_response();
    if let Ok(cookie) = HeaderValue::from_str(&shared.login.session_cookie()) {
        response.headers_mut().insert(header::SET_COOKIE, cookie);
    }
    response
}
