//! From the start of the process to its first MCP answer, and what it holds while nobody asks.

use std::{path::Path, thread, time::Duration};

use serde_json::json;

use crate::{
    figure::{Figure, MeasurementSize},
    mcp::{
        finished_runs,
        raw_connections::{StdioConnection, request},
    },
    rig,
};

const MS_MAX: f64 = 15.0;
const RATIO_MAX: f64 = 10.0;
const IDLE_MIB_MAX: f64 = 20.0;
/// A library that someone has after a year; the store is opened with it.
const STORED: usize = 1_000;
/// Long enough for whatever a server does after its first answer.
const SETTLES: Duration = Duration::from_secs(3);

pub fn measure(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let directory = tempfile::tempdir()?;
    finished_runs::fill(directory.path(), STORED)?;
    let (ours, bare) = (rig::built("probity")?, rig::built("bare-mcp")?);
    let home = directory.path().to_string_lossy().into_owned();
    let variables = [
        ("HOME", home.as_str()),
        ("PROBITY_STORE__DIRECTORY", home.as_str()),
        ("GEMINI_API_KEY", "test-key"),
        ("GOOGLE_GEMINI_BASE_URL", "http://127.0.0.1:9"),
    ];
    let (mut ours_took, mut bare_took) = (Vec::new(), Vec::new());
    for _ in 0..size.pick(20, 100) {
        bare_took.push(first_answer(&bare, &[], &variables)?);
        ours_took.push(first_answer(&ours, &["mcp"], &variables)?);
    }
    let (ours_median, bare_median) =
        (rig::percentile(&mut ours_took, 0.5), rig::percentile(&mut bare_took, 0.5));
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    let ratio = ours_median.as_secs_f64() / bare_median.as_secs_f64().max(1e-9);
    let idle = idle_mib(&ours, &["mcp"], &variables)?;
    let bare_idle = idle_mib(&bare, &[], &variables)?;
    Ok(vec![
        Figure::judged(
            "cold start to the first MCP answer, store opened, beside bare rmcp",
            ms(ours_median) <= MS_MAX && ratio <= RATIO_MAX,
            format!("{:.1} ms, {ratio:.1} times ({:.1} ms)", ms(ours_median), ms(bare_median)),
            "at most 15 ms and at most 10 times",
        )
        .timing()
        .with_note(format!(
            "median of {} starts each, taken in turns; {STORED} researches stored; `server/discover`",
            ours_took.len()
        )),
        Figure::judged(
            "idle memory of the server",
            idle <= IDLE_MIB_MAX,
            format!("{idle:.1} MiB (bare rmcp {bare_idle:.1} MiB)"),
            "at most 20 MiB",
        )
        // Judged on what is shipped: a build for tests is twice as large.
        .timing()
        .with_note("resident, three seconds after the first answers, with a key and a store of a thousand"),
    ])
}

fn first_answer(program: &Path, arguments: &[&str], variables: &[(&str, &str)]) -> anyhow::Result<Duration> {
    let discover = request(1, "server/discover", json!({}));
    let mut answer = String::new();
    let (asked, took) = rig::timed(|| -> anyhow::Result<StdioConnection> {
        let mut pipe = StdioConnection::start(program, arguments, variables)?;
        pipe.ask(&discover, &mut answer)?;
        Ok(pipe)
    });
    drop(asked?);
    anyhow::ensure!(answer.contains("supportedVersions"), "not an answer: {answer}");
    Ok(took)
}

fn idle_mib(program: &Path, arguments: &[&str], variables: &[(&str, &str)]) -> anyhow::Result<f64> {
    let mut pipe = StdioConnection::start(program, arguments, variables)?;
    let mut answer = String::new();
    pipe.ask(&request(1, "server/discover", json!({})), &mut answer)?;
    pipe.ask(&request(2, "tools/list", json!({})), &mut answer)?;
    thread::sleep(SETTLES);
    Ok(rig::used(pipe.group.child.id())?.resident_bytes as f64 / f64::from(1024 * 1024))
}
