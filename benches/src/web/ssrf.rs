//! Nobody talks the fetcher into an address that is not the open web: every attack of the list, as a page, behind a
//! redirect, as an API call and as a webhook, in a network where every address there is answers and is watched.

mod attack_list;
mod attack_run;
mod catch_all_network;

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{
    figure::{Figure, MeasurementSize},
    rig,
};

/// The whole raid takes seconds; past this something hangs.
const RAID_MAX: Duration = Duration::from_secs(120);
/// What a proxy of the environment would be: a canary, too.
const PROXY: &str = "http://127.0.0.1:3128";
const ATTACKS_MIN: usize = 103;

/// What the raid brought, from the process that ran it.
#[derive(Debug, Default, Serialize, Deserialize)]
struct SsrfOutcome {
    attacks: usize,
    /// Connections to canaries while the guarded fetcher was attacked, with the attack.
    hits: Vec<String>,
    /// Attacks that ended in something else than a refusal.
    not_refused: Vec<String>,
    controls: usize,
    /// Ordinary fetches that did not work.
    controls_failed: Vec<String>,
    /// Attacks that reach a canary when a plain client makes them.
    plain_hits: usize,
    plain_attacks: usize,
    /// Whether a plain client follows the proxy of the environment.
    plain_follows_proxy: bool,
}

pub fn measure(_: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let name = "SSRF: canary hits";
    let goal = "0, with every control seen";
    if !rig::has_program("unshare") || !rig::has_program("ip") {
        return Ok(vec![Figure::skipped(name, goal, "needs `unshare` and `ip` for a network of its own")]);
    }
    let mut command = rig::command("unshare");
    command.args(["--user", "--map-root-user", "--net"]).arg(rig::built("figures")?);
    command.args(["web-worker", "--", "ssrf"]);
    for variable in ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"] {
        command.env(variable, PROXY);
    }
    command.env_remove("NO_PROXY").env_remove("no_proxy");
    let finished = rig::run(&mut command, RAID_MAX)?;
    let Ok(outcome) = serde_json::from_str::<SsrfOutcome>(&finished.stdout) else {
        let why = finished.stderr.lines().last().unwrap_or("no answer").to_owned();
        return Ok(vec![Figure::skipped(
            name,
            goal,
            &format!("a network of its own is not to be had: {why}"),
        )]);
    };
    Ok(figures(name, goal, &outcome))
}

fn figures(name: &str, goal: &str, outcome: &SsrfOutcome) -> Vec<Figure> {
    let SsrfOutcome {
        attacks, hits, not_refused, controls, controls_failed, plain_hits, plain_attacks, ..
    } = outcome;
    let seen = plain_hits * 2 > *plain_attacks && outcome.plain_follows_proxy && controls_failed.is_empty();
    let kept = hits.is_empty() && not_refused.is_empty();
    let measured = format!(
        "{} hits in {attacks} attacks, {} not refused by name; {} of {controls} ordinary fetches work; a plain client hits with {plain_hits} of {plain_attacks} and follows the environment's proxy: {}",
        hits.len(),
        not_refused.len(),
        controls - controls_failed.len(),
        outcome.plain_follows_proxy,
    );
    let note: Vec<&str> =
        [hits, not_refused, controls_failed].into_iter().flatten().map(String::as_str).take(12).collect();
    vec![
        Figure::judged(name, kept && seen && *attacks >= ATTACKS_MIN, measured, goal)
            .with_note(note.join(" | ")),
    ]
}

/// Runs inside the network of its own and prints what happened.
pub(super) fn work() -> anyhow::Result<()> {
    let outcome = attack_run::run()?;
    crate::output::line(&serde_json::to_string(&outcome)?);
    Ok(())
}
