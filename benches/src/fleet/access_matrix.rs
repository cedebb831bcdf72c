//! Two tenants and strangers at every route, tool and resource of the running service: whoever may not see a thing
//! cannot tell it from one that does not exist.

pub mod tokens;
mod tools;

use std::time::Duration;

use anyhow::{Context, ensure};
use serde_json::{Value, json};

use self::tokens::{TestToken, TokenExpectation};
use super::{
    judge,
    test_bed::{
        FleetTestBed, FleetTestBedOptions,
        client::{FleetClient, RetryPatience, question},
        plain_http,
    },
};
use crate::{
    figure::{Figure, MeasurementSize},
    output,
};

const NAME: &str = "fleet: two tenants and strangers at every route, tool and resource";
const SCOPES: &str = "research:read,research:start,research:cancel";
/// Written into one tenant's question: nobody else may ever read it.
const CANARY: &str = "heliotrope-canary";
const REST_MAX: Duration = Duration::from_secs(90);

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

pub fn measure(_: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let issuer = tokens::OauthIssuer::start()?;
    let mut plan =
        judge::unlimited(FleetTestBedOptions::of(1, 1, 1)).simulated("completed duration_ms=500 steps=2");
    if let Some(issuer) = &issuer {
        plan = plan
            .set("PROBITY_FLEET__OAUTH_ISSUER", &issuer.url)
            .set("PROBITY_FLEET__RESOURCE", tokens::AUDIENCE);
    }
    let stand = FleetTestBed::start(&plan)?;
    let base = stand.front_ends.first().context("no front end")?.base.clone();
    stand.program.tenant("one", &[])?;
    stand.program.tenant("two", &[])?;
    let own = stand.program.key("one", SCOPES)?;
    let caller = FleetClient::new(vec![base.clone()], &own)?;
    let asked = [question(&format!("what is a {CANARY}?"))];
    let id = caller.start_all(&asked, 1, RetryPatience::Once).into_iter().next().context("no answer")??.id;
    judge::wait_until_idle(&stand, REST_MAX)?;
    let tokens = tokens::all(&stand, issuer.as_ref())?;
    let routes = routes(&base)?;
    ensure!(routes.len() >= 10, "the service lists {} routes", routes.len());
    let tools = tools::by_id(&base, &own)?;
    ensure!(tools.len() >= 4, "only {tools:?} take an id");
    let mut found = AccessMatrixTally::default();
    for token in &tokens {
        for route in &routes {
            cell(&base, route, token, &id, &mut found)?;
        }
        tools::try_all(&base, &tools, token, &id, &mut found)?;
    }
    controls(&base, &own, &id, &mut found)?;
    output::progress(&format!("{} routes, {} tools, {} tokens", routes.len(), tools.len(), tokens.len()));
    let note = found.unauthorised.iter().chain(&found.controls_failed).take(8).cloned().collect::<Vec<_>>();
    let without =
        if issuer.is_some() { "" } else { "; without an issuer of tokens: authlib is not installed" };
    Ok(vec![
        Figure::judged(
            NAME,
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

/// What the document of the service lists.
fn routes(base: &str) -> anyhow::Result<Vec<ServiceRoute>> {
    let (_, text) = plain_http::get(&format!("{base}/v1/openapi.json"))?;
    let document: Value = serde_json::from_str(&text)?;
    let paths = document.get("paths").and_then(Value::as_object).context("no paths")?;
    let mut routes = Vec::new();
    for (path, methods) in paths {
        let methods = methods.as_object().map(|methods| methods.keys().cloned().collect::<Vec<_>>());
        for method in methods.unwrap_or_default() {
            // What needs no token is no secret.
            if ["get", "post", "put", "delete"].contains(&method.as_str())
                && !path.contains("/errors/")
                && !path.ends_with("openapi.json")
            {
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
        out.push_str(if name == "tenant" || path.contains("/tenants/") { "one" } else { id });
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
        json!({"tenant": "one", "scopes": ["research:read"]})
    } else if path.ends_with("/researches") {
        json!({"query": "a question of a stranger"})
    } else {
        json!({})
    };
    body.to_string()
}

fn cell(
    base: &str,
    route: &ServiceRoute,
    token: &TestToken,
    id: &str,
    found: &mut AccessMatrixTally,
) -> anyhow::Result<()> {
    let ask = |id: &str| {
        let url = format!("{base}{}", filled(&route.path, id));
        let authorization = format!("Bearer {}", token.text);
        let headers: &[(&str, &str)] =
            if token.text.is_empty() { &[] } else { &[("authorization", &authorization)] };
        plain_http::ask(&route.method, &url, headers, &body_for(&route.method, &route.path))
    };
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
            let nobody = format!("res_{:032x}", 0xfeed_u32);
            let (unknown, unknown_body) = ask(&nobody)?;
            let same = unknown == status && unknown_body.replace(&nobody, id) == body;
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
    let authorization = format!("Bearer {own}");
    for path in ["/v1/researches", &format!("/v1/researches/{id}"), &format!("/v1/researches/{id}/report")] {
        found.controls += 1;
        let (status, body) =
            plain_http::ask("GET", &format!("{base}{path}"), &[("authorization", &authorization)], "")?;
        if status != 200 || !body.contains(CANARY) {
            found.controls_failed.push(format!("GET {path}: {status}"));
        }
    }
    Ok(())
}
