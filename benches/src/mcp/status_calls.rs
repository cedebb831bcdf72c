//! `check_research_status` with a hundred thousand researches stored, beside a bare echo of the same library.

use std::{path::Path, process::Stdio, time::Duration};

use anyhow::Context as _;
use probity_research::RunId;
use serde_json::json;

use crate::{
    figure::{Figure, MeasurementSize},
    mcp::{
        finished_runs,
        raw_connections::{SocketConnection, StdioConnection, request},
    },
    rig,
};

const RATIO_MAX: f64 = 2.0;
const P99_MAX: Duration = Duration::from_millis(5);
/// Measured in turns, so that a noisy moment hits both sides.
const ROUNDS: usize = 10;
/// The server reads its token file at the start; it is there when the first line is.
const TOKEN_FILE: &str = "serve.token";

/// One side of a comparison: asks once, or fails.
type StatusCall<'a> = dyn FnMut(usize, &mut String) -> anyhow::Result<()> + 'a;

pub fn measure(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let stored = size.pick(5_000, 100_000);
    let calls = size.pick(500, 3_000);
    let directory = tempfile::tempdir()?;
    let ids = finished_runs::fill(directory.path(), stored)?;
    let mut figures = over_stdio(directory.path(), &ids, calls)?;
    figures.extend(over_http(directory.path(), &ids, calls)?);
    Ok(figures)
}

fn over_stdio(directory: &Path, ids: &[RunId], calls: usize) -> anyhow::Result<Vec<Figure>> {
    let home = directory.to_string_lossy().into_owned();
    let variables = [("HOME", home.as_str()), ("PROBITY_STORE__DIRECTORY", home.as_str())];
    let mut ours = StdioConnection::start(&rig::built("probity")?, &["mcp"], &variables)?;
    let mut bare = StdioConnection::start(&rig::built("bare-mcp")?, &[], &variables)?;
    let pids = (ours.group.child.id(), bare.group.child.id());
    let compared = compare(
        pids,
        calls,
        &mut |number, answer| ours.ask(&status(number, ids), answer),
        &mut |number, answer| bare.ask(&echo(number), answer),
    )?;
    Ok(compared.figures("stdio", ids.len()))
}

fn over_http(directory: &Path, ids: &[RunId], calls: usize) -> anyhow::Result<Vec<Figure>> {
    let home = directory.to_string_lossy().into_owned();
    let mut serving = rig::command(rig::built("probity")?);
    serving.args(["serve", "--listen", "127.0.0.1:0"]).env_clear().envs([
        ("HOME", home.as_str()),
        ("PROBITY_STORE__DIRECTORY", home.as_str()),
        ("PROBITY_SERVE__CALLS_PER_SECOND", "1000000"),
        ("GEMINI_API_KEY", "test-key"),
        ("GOOGLE_GEMINI_BASE_URL", "http://127.0.0.1:9"),
    ]);
    let mut ours = rig::ProcessGroup::spawn(serving.stdout(Stdio::null()).stderr(Stdio::piped()))?;
    let address = rig::first_line_with(ours.child.stderr.take().context("no stderr")?, "http://")?;
    let address = address.split("http://").nth(1).and_then(|rest| rest.split("/mcp").next());
    let address = address.context("no address")?.to_owned();
    let token = std::fs::read_to_string(directory.join(TOKEN_FILE)).context("reading the token")?;
    let mut echoing = rig::command(rig::built("bare-mcp")?);
    let mut bare = rig::ProcessGroup::spawn(echoing.arg("127.0.0.1:0").stdout(Stdio::piped()))?;
    let bare_address = rig::first_line_with(bare.child.stdout.take().context("no stdout")?, "127.")?;
    let mut to_ours = SocketConnection::open(&address, Some(token.trim()), "check_research_status")?;
    let mut to_bare = SocketConnection::open(bare_address.trim(), None, "echo")?;
    let compared = compare(
        (ours.child.id(), bare.child.id()),
        calls,
        &mut |number, answer| to_ours.ask(&status(number, ids), answer),
        &mut |number, answer| to_bare.ask(&echo(number), answer),
    )?;
    Ok(compared.figures("HTTP", ids.len()))
}

/// Number 0 asks for a research that is not there.
fn status(number: usize, ids: &[RunId]) -> String {
    let there = ids.get(number.wrapping_mul(7_919) % ids.len().max(1)).filter(|_| number > 0);
    let id = there.map_or_else(|| RunId::from_random(1).to_string(), ToString::to_string);
    request(number, "tools/call", json!({ "name": "check_research_status", "arguments": { "task_id": id } }))
}

fn echo(number: usize) -> String {
    let text = "res_0123456789abcdef0123456789abcdef and 27 more characters";
    request(number, "tools/call", json!({ "name": "echo", "arguments": { "text": text } }))
}

struct StatusCallComparison {
    ours_cpu: Duration,
    bare_cpu: Duration,
    p99: Duration,
    calls: u32,
}

fn compare(
    (ours_pid, bare_pid): (u32, u32),
    calls: usize,
    ours: &mut StatusCall<'_>,
    bare: &mut StatusCall<'_>,
) -> anyhow::Result<StatusCallComparison> {
    let mut answer = String::new();
    // Both warm: connections, caches. An id that is not there is only answered after the first look over the
    // whole store, which happens once and is no part of a call.
    ours(0, &mut answer)?;
    for number in 1..200 {
        ours(number, &mut answer)?;
        anyhow::ensure!(answer.contains("\"completed\""), "not a status: {answer}");
        bare(number, &mut answer)?;
    }
    let mut times = Vec::new();
    let (mut ours_cpu, mut bare_cpu) = (Duration::ZERO, Duration::ZERO);
    for round in 0..ROUNDS {
        let before = rig::used(ours_pid)?.cpu;
        for number in 0..calls {
            let (asked, took) = rig::timed(|| ours(1 + round * calls + number, &mut answer));
            asked?;
            times.push(took);
        }
        ours_cpu += rig::used(ours_pid)?.cpu.saturating_sub(before);
        let before = rig::used(bare_pid)?.cpu;
        for number in 0..calls {
            bare(round * calls + number, &mut answer)?;
        }
        bare_cpu += rig::used(bare_pid)?.cpu.saturating_sub(before);
    }
    let calls = u32::try_from(ROUNDS * calls).unwrap_or(u32::MAX);
    Ok(StatusCallComparison { ours_cpu, bare_cpu, p99: rig::percentile(&mut times, 0.99), calls })
}

impl StatusCallComparison {
    fn figures(&self, way: &str, stored: usize) -> Vec<Figure> {
        let each = |cpu: Duration| cpu.as_secs_f64() * 1e6 / f64::from(self.calls.max(1));
        let ratio = self.ours_cpu.as_secs_f64() / self.bare_cpu.as_secs_f64().max(1e-9);
        vec![
            Figure::judged(
                &format!("check_research_status over {way} with {stored} researches stored: CPU per call beside a bare rmcp echo"),
                ratio <= RATIO_MAX,
                format!("{ratio:.2} times ({:.1} µs against {:.1} µs)", each(self.ours_cpu), each(self.bare_cpu)),
                "at most 2 times",
            )
            .timing()
            .with_note(format!("{} calls each, taken in turns, new era, one at a time", self.calls)),
            Figure::judged(
                &format!("check_research_status over {way} with {stored} researches stored: p99"),
                self.p99 < P99_MAX,
                format!("{:.2} ms", self.p99.as_secs_f64() * 1e3),
                "under 5 ms",
            )
            .timing(),
        ]
    }
}
