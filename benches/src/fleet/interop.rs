//! OAuth and webhooks beside libraries of another language: their tokens open our service, and each side verifies
//! what the other signs.

mod webhooks;

use anyhow::Context;

use super::{
    access_matrix::tokens::{AUDIENCE, OauthIssuer},
    judge,
    test_bed::{FleetTestBed, FleetTestBedOptions, plain_http},
};
use crate::figure::{Figure, MeasurementSize};

const OAUTH: &str = "fleet: tokens made with Python's authlib (RS256, ES256, EdDSA) open the service";
const WEBHOOKS: &str = "fleet: webhooks beside Python's standardwebhooks, both ways";

pub fn measure(_: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    Ok(vec![oauth()?, compare_webhooks()?])
}

fn oauth() -> anyhow::Result<Figure> {
    let goal = "3 of 3";
    let Some(issuer) = OauthIssuer::start()? else {
        return Ok(Figure::skipped(OAUTH, goal, "authlib is not installed"));
    };
    let plan = judge::unlimited(FleetTestBedOptions::of(1, 1, 1))
        .set("PROBITY_FLEET__OAUTH_ISSUER", &issuer.url)
        .set("PROBITY_FLEET__RESOURCE", AUDIENCE);
    let stand = FleetTestBed::start(&plan)?;
    let base = &stand.front_ends.first().context("no front end")?.base;
    let accepted = issuer.accepted();
    let mut refused = Vec::new();
    for (name, token) in &accepted {
        let authorization = format!("Bearer {}", token.as_str().unwrap_or_default());
        let (status, body) = plain_http::ask(
            "GET",
            &format!("{base}/v1/researches"),
            &[("authorization", &authorization)],
            "",
        )?;
        if status != 200 {
            refused.push(format!("{name}: {status} {body}"));
        }
    }
    let open = accepted.len() - refused.len();
    Ok(Figure::judged(OAUTH, open == 3, format!("{open} of {}", accepted.len()), goal)
        .with_note(refused.join(" | ")))
}

fn compare_webhooks() -> anyhow::Result<Figure> {
    let goal = "every case";
    let Some(cases) = webhooks::compare()? else {
        return Ok(Figure::skipped(WEBHOOKS, goal, "standardwebhooks is not installed"));
    };
    let right = cases.count - cases.wrong.len();
    Ok(Figure::judged(WEBHOOKS, cases.wrong.is_empty(), format!("{right} of {} cases", cases.count), goal)
        .with_note(cases.wrong.join(" | ")))
}
