//! One tenant floods, another asks one question: the one starts at once. Quotas are exact, and money stops at its
//! ceiling.

use std::time::Duration;

use anyhow::Context;
use serde_json::Value;

use super::{
    judge::{self, SCOPES},
    test_bed::{
        FleetTestBed, FleetTestBedOptions,
        client::{FleetClient, RetryPatience, SIDE_BY_SIDE, question},
        plain_http,
    },
};
use crate::{
    figure::{Figure, MeasurementSize},
    output, rig,
};

/// The other tenant's one is at the provider after this.
const STARTS_WITHIN: Duration = Duration::from_secs(2);
const IN_FLIGHT_MAX: u64 = 50;
/// Far more than any flood waits.
const WAITING_MAX: u32 = 20_000;
/// What the tenant with little money may spend in a day.
const BUDGET_USD: &str = "20";

pub fn measure(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let count: usize = size.pick(300, 10_000);
    let plan = FleetTestBedOptions::of(1, 2, 2).simulated("completed duration_ms=4000 steps=2");
    let stand = FleetTestBed::start(&plan)?;
    let program = &stand.program;
    program.tenant(
        "flooding",
        &["--in-flight", &IN_FLIGHT_MAX.to_string(), "--waiting", &WAITING_MAX.to_string()],
    )?;
    program.tenant("other", &[])?;
    program.tenant("thrifty", &["--per-day", BUDGET_USD])?;
    let bases = stand.front_ends.iter().map(|front_end| front_end.base.clone()).collect();
    let flooding = FleetClient::new(bases, &program.key("flooding", SCOPES)?)?;
    let other = flooding.with_key(&program.key("other", SCOPES)?);
    let thrifty = flooding.with_key(&program.key("thrifty", SCOPES)?);
    let mut figures = flood(&stand, &flooding, &other, count)?;
    figures.push(money(&stand, &thrifty, size)?);
    Ok(figures)
}

fn flood(
    stand: &FleetTestBed,
    flooding: &FleetClient,
    other: &FleetClient,
    count: usize,
) -> anyhow::Result<Vec<Figure>> {
    let questions: Vec<Value> = (0..count).map(|number| question(&format!("flood {number}"))).collect();
    let started =
        flooding.start_all(&questions, SIDE_BY_SIDE, RetryPatience::Until(Duration::from_secs(300)));
    let refused = started.iter().filter(|started| started.is_err()).count();
    let mut most = 0;
    let mut times = Vec::new();
    for number in 0..5 {
        let began = rig::now();
        let one =
            other.start_all(&[question(&format!("a single question {number}"))], 1, RetryPatience::Once);
        let id = one.into_iter().next().context("no answer")??;
        plain_http::until(Duration::from_secs(60), || {
            let at_provider = judge::creates(stand).is_ok_and(|creates| creates.contains_key(&id));
            most = most.max(in_flight(stand, "flooding"));
            at_provider
        });
        times.push(began.elapsed());
    }
    for _ in 0..20 {
        most = most.max(in_flight(stand, "flooding"));
        std::thread::sleep(Duration::from_millis(100));
    }
    let waiting = stand.database.count("SELECT count(*) FROM research WHERE due AND NOT admitted")?;
    output::progress(&format!("{waiting} still waiting, {times:?}"));
    let slowest = rig::percentile(&mut times, 1.0);
    Ok(vec![
        Figure::judged(
            &format!("one tenant floods {count}, another starts 1: time until the one is at the provider"),
            slowest <= STARTS_WITHIN && waiting > 0 && refused == 0,
            format!(
                "{:.2} s (the slowest of 5), {waiting} of the flood still waiting",
                slowest.as_secs_f64()
            ),
            "within 2 s",
        )
        .timing()
        .with_note(format!("{refused} of the flood refused")),
        Figure::judged(
            "a tenant's researches in flight, as the database counts them",
            most <= IN_FLIGHT_MAX && most > 0,
            format!("at most {most}"),
            &format!("at most {IN_FLIGHT_MAX}, its quota"),
        ),
    ])
}

fn in_flight(stand: &FleetTestBed, tenant: &str) -> u64 {
    let sql = format!("SELECT count(*) FROM research WHERE due AND admitted AND tenant = '{tenant}'");
    stand.database.count(&sql).unwrap_or(0)
}

/// Many starts at once against a ceiling that only some of them fit under.
fn money(stand: &FleetTestBed, thrifty: &FleetClient, size: MeasurementSize) -> anyhow::Result<Figure> {
    let questions: Vec<Value> =
        (0..size.pick(40, 200)).map(|number| question(&format!("thrifty {number}"))).collect();
    let started = thrifty.start_all(&questions, SIDE_BY_SIDE, RetryPatience::Once);
    let begun = started.iter().filter(|started| started.is_ok()).count();
    let spent = stand.database.ask(
        "SELECT coalesce(sum(spent + reserved), 0), coalesce(max(spent + reserved), 0) FROM research WHERE tenant = 'thrifty'",
    )?;
    let (sum, one) = spent.split_once('|').context("two numbers")?;
    let (sum, one): (i64, i64) = (sum.parse()?, one.parse()?);
    let ceiling = BUDGET_USD.parse::<i64>()? * 1_000_000;
    let over = (sum - ceiling).max(0);
    Ok(Figure::judged(
        &format!("{} starts at once against a ceiling of {BUDGET_USD} USD a day", questions.len()),
        over <= one && begun > 0 && begun < questions.len(),
        format!(
            "{begun} begun, {:.2} USD spent or reserved, {:.2} USD over",
            sum as f64 / 1e6,
            over as f64 / 1e6
        ),
        "overshoot at most one call",
    ))
}
