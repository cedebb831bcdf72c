//! Two tenants and strangers at every route, tool and resource of the running service: whoever may not see a thing
//! cannot tell it from one that does not exist. And tokens of another language's library open the service.

mod mcp_requests;
mod tokens;

use std::time::Duration;

use anyhow::{Context, ensure};
use serde_json::{Value, json};

use self::tokens::{OauthIssuer, TestToken, TokenExpectation};
use super::{
    judge::{self, SCOPES},
    test_bed::{
        FleetTestBed, FleetTestBedOptions,
        client::{FleetClient, RetryPatience, question},
        plain_http::{self, RawHttpResponse},
    },
};
use crate::{
    figure::{Figure, MeasurementSize},
    output,
};

const MATRIX: &str = "fleet: two tenants and strangers at every route, tool and resource";
const OAUTH: &str = "fleet: tokens made with Python's authlib (RS256, ES256, EdDSA) open the service";
const OAUTH_GOAL: &str = "3 of 3";
/// Written into one tenant's question: nobody else may ever read it.
const CANARY: &str = "heliotrope-canary";
/// An id that nobody was ever given.
const NOBODY: &str = "res_0000000000000000000000000000feed";
const REST_MAX: Duration = Duration::from_secs(90);
/// The tenant whose things are looked for; the issuer's tokens are its own, the bad ones too.
const OWNER: &str = "anna";
const STRANGER: &str = "ben";

/// One route of the service's own document.
struct ServiceRoute {
    method: String,
    path: String,
}

#[derive(Debug, Default)]
struct AccessMatrixTally {
    cells: usize,
    unauthorised: Vec<String>,
    controls: usize,
    controls_failed: Vec<String>,
}

/// A small fleet that trusts the issuer, and the address of its front end.
fn fleet(issuer: Option<&OauthIssuer>) -> anyhow::Result<(FleetTestBed, String)> {
    let mut plan = FleetTestBedOptions::of(1, 1, 1).simulated("completed duration_ms=500 steps=2");
    if let Some(issuer) = issuer {
        plan.settings.extend([
            ("PROBITY_FLEET__OAUTH_ISSUER".to_owned(), issuer.url.clone()),
            ("PROBITY_FLEET__RESOURCE".to_owned(), tokens::AUDIENCE.to_owned()),
        ]);
    }
    let stand = FleetTestBed::start(&plan)?;
    let base = stand.front_ends.first().context("no front end")?.base.clone();
    Ok((stand, base))
}

pub fn measure(_: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let issuer = OauthIssuer::start()?;
    let (stand, base) = fleet(issuer.as_ref())?;
    stand.program.tenant(OWNER, &[])?;
    stand.program.tenant(STRANGER, &[])?;
    let own = stand.program.key(OWNER, SCOPES)?;
    let asked = [question(&format!("what is a {CANARY}?"))];
    let started = FleetClient::new(vec![base.clone()], &own)?.start_all(&asked, 1, RetryPatience::Once);
    let id = started.into_iter().next().context("no answer")??;
    judge::wait_until_idle(&stand, REST_MAX)?;
    let tokens = tokens::all(&stand, issuer.as_ref())?;
    let routes = routes(&base)?;
    ensure!(routes.len() >= 10, "the service lists {} routes", routes.len());
    let tools = mcp_requests::tools_by_id(&base, &own)?;
    ensure!(tools.len() >= 4, "only {tools:?} take an id");
    let mut found = AccessMatrixTally::default();
    for token in &tokens {
        for route in &routes {
            try_route(&base, route, token, &id, &mut found)?;
        }
        mcp_requests::try_all(&base, &tools, token, &id, &mut found)?;
    }
    let accepted = issuer.iter().flat_map(OauthIssuer::accepted).map(|(_, token)| token);
    for token in accepted.chain([own]) {
        controls(&base, &token, &id, &mut found)?;
    }
    output::progress(&format!("{} routes, {} tools, {} tokens", routes.len(), tools.len(), tokens.len()));
    let note = found.unauthorised.iter().chain(&found.controls_failed).take(8).cloned().collect::<Vec<_>>();
    let without =
        if issuer.is_some() { "" } else { "; without an issuer of tokens: authlib is not installed" };
    Ok(vec![
        Figure::judged(
            MATRIX,
            found.unauthorised.is_empty() && found.controls_failed.is_empty(),
            format!(
                "{} unauthorised in {} cells ({} routes, {} tokens); {} of {} own calls work",
                found.unauthorised.len(),
                found.cells,
                routes.len(),
                tokens.len(),
                found.controls - found.controls_failed.len(),
                found.controls
            ),
            "0, with every own call working",
        )
        .with_note(format!("{}{without}", note.join(" | "))),
    ])
}

pub fn measure_oauth() -> anyhow::Result<Figure> {
    let Some(issuer) = OauthIssuer::start()? else {
        return Ok(Figure::skipped(OAUTH, OAUTH_GOAL, "authlib is not installed"));
    };
    let (_stand, base) = fleet(Some(&issuer))?;
    let (mut open, mut refused) = (0, Vec::new());
    for (name, token) in issuer.accepted() {
        match ask(&base, "GET", "/v1/researches", &token, "")? {
            (200, _) => open += 1,
            (status, body) => refused.push(format!("{name}: {status} {body}")),
        }
    }
    let all = open + refused.len();
    Ok(Figure::judged(OAUTH, open == 3 && all == 3, format!("{open} of {all}"), OAUTH_GOAL)
        .with_note(refused.join(" | ")))
}

/// One request; an empty token is none.
fn ask(base: &str, method: &str, path: &str, token: &str, body: &str) -> anyhow::Result<RawHttpResponse> {
    let authorization = format!("Bearer {token}");
    let headers = [("authorization", authorization.as_str())];
    let headers = if token.is_empty() { &[][..] } else { &headers };
    plain_http::ask(method, &format!("{base}{path}"), headers, body)
}

/// What the document of the service lists.
fn routes(base: &str) -> anyhow::Result<Vec<ServiceRoute>> {
    let (_, text) = plain_http::get(&format!("{base}/v1/openapi.json"))?;
    let document: Value = serde_json::from_str(&text)?;
    let paths = document.get("paths").and_then(Value::as_object).context("no paths")?;
    let mut routes = Vec::new();
    for (path, methods) in paths {
        // What needs no token is no secret.
        let is_open = path.contains("/errors/") || path.ends_with("openapi.json");
        for method in methods.as_object().into_iter().flat_map(|methods| methods.keys()) {
            if ["get", "post", "put", "delete"].contains(&method.as_str()) && !is_open {
                routes.push(ServiceRoute { method: method.to_uppercase(), path: path.clone() });
            }
        }
    }
    Ok(routes)
}

/// Names in braces filled with the other's id, or with the other's name where a tenant is meant.
fn filled(path: &str, id: &str) -> String {
    let mut out = String::new();
    let mut rest = path;
    while let Some((before, behind)) = rest.split_once('{') {
        let (name, after) = behind.split_once('}').unwrap_or((behind, ""));
        out.push_str(before);
        out.push_str(if name == "tenant" || path.contains("/tenants/") { OWNER } else { id });
        rest = after;
    }
    out + rest
}

fn body_for(method: &str, path: &str) -> String {
    if method == "GET" || method == "DELETE" {
        return String::new();
    }
    let body = if path.ends_with("/follow-up") {
        json!({"question": "and then?"})
    } else if path.ends_with("/checks") {
        json!({"text": "The sky is blue [1](https://example.com/)."})
    } else if path.ends_with("/webhooks") {
        json!({"url": "https://example.com/hook"})
    } else if path.ends_with("/keys") {
        json!({"tenant": OWNER, "scopes": ["research:read"]})
    } else if path.ends_with("/researches") {
        json!({"query": "a question of a stranger"})
    } else {
        json!({})
    };
    body.to_string()
}

fn try_route(
    base: &str,
    route: &ServiceRoute,
    token: &TestToken,
    id: &str,
    found: &mut AccessMatrixTally,
) -> anyhow::Result<()> {
    let body = body_for(&route.method, &route.path);
    let ask = |id: &str| ask(base, &route.method, &filled(&route.path, id), &token.text, &body);
    let (status, body) = ask(id)?;
    found.cells += 1;
    let at = format!("{} {} with {}: {status}", route.method, route.path, token.name);
    if body.contains(CANARY) {
        found.unauthorised.push(format!("{at} shows the other tenant's words"));
    }
    match token.expect {
        TokenExpectation::Refused if status != 401 => found.unauthorised.push(at),
        TokenExpectation::NoScope if status != 403 => found.unauthorised.push(at),
        TokenExpectation::Stranger if route.path.contains('{') => {
            let (unknown, unknown_body) = ask(NOBODY)?;
            let same = unknown == status && unknown_body.replace(NOBODY, id) == body;
            if status < 300 || !same {
                found.unauthorised.push(format!("{at}, an unknown id {unknown}: {body} / {unknown_body}"));
            }
        }
        TokenExpectation::Refused | TokenExpectation::NoScope | TokenExpectation::Stranger => {}
    }
    Ok(())
}

/// The owner sees it: otherwise a service that refuses everybody would pass.
fn controls(base: &str, own: &str, id: &str, found: &mut AccessMatrixTally) -> anyhow::Result<()> {
    for path in ["/v1/researches", &format!("/v1/researches/{id}"), &format!("/v1/researches/{id}/report")] {
        found.controls += 1;
        let (status, body) = ask(base, "GET", path, own, "")?;
        if status != 200 || !body.contains(CANARY) {
            found.controls_failed.push(format!("GET {path}: {status}"));
        }
    }
    Ok(())
}
