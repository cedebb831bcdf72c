//! Clients without patience, and clients that do not read: their researches go on, are found again under
//! their ids, and are paid for once. Every long tool gives an answer before such a client cuts the call.

use std::{collections::BTreeSet, path::Path, process::Command, thread, time::Duration};

use anyhow::{Context as _, ensure};
use serde_json::{Value, json};

use super::session::{ANSWER_LIMIT, McpSession, ProtocolEra};
use crate::{
    figure::{Figure, MeasurementSize},
    foundation::kill_sweep::{
        installed,
        judge::{KillSweepJudgement, creates, judge},
        memory_folder,
        program::ProgramInstallation,
    },
    output,
    rig::{self, SimulatorProcess},
};

const KEPT: &str = "researches of clients that cut their calls or never read";
const KEPT_GOAL: &str = "0 lost, 0 paid twice";
const BUDGET: &str = "long tools: an answer before the budget and 2 s have passed";
const BUDGET_GOAL: &str = "all, and before the client's cut";
/// What a busy machine may add to a budget.
const GRACE: Duration = Duration::from_secs(2);
/// A pipe holds 64 KiB; a list of tools has about seven.
const LISTS_TO_FILL_A_PIPE: usize = 40;
/// How long the provider's work may take to end after its own duration.
const SETTLES_WITHIN: Duration = Duration::from_secs(60);

/// What the settings say and what the client does, at this size.
struct ClientTimeouts {
    /// `None` leaves the settings alone.
    settings: Option<(&'static str, &'static str)>,
    start_wait: Duration,
    call_wait: Duration,
    status_wait: Duration,
    cancel_wait: Duration,
    /// When the client gives up on a call.
    cut: Duration,
    research: Duration,
    clients: usize,
}

impl ClientTimeouts {
    fn of(size: MeasurementSize) -> Self {
        let seconds = |quick, full| Duration::from_secs(size.pick(quick, full));
        Self {
            settings: size.pick(Some(("2s", "3s")), None),
            start_wait: seconds(2, 25),
            call_wait: seconds(3, 45),
            status_wait: seconds(3, 50),
            cancel_wait: seconds(15, 15),
            cut: seconds(20, 60),
            research: seconds(9, 150),
            clients: size.pick(3, 8),
        }
    }

    fn command(&self, program: &ProgramInstallation) -> Command {
        let mut command = program.command(&["mcp"]);
        if let Some((start, call)) = self.settings {
            command.env("PROBITY_MCP__START_WAIT", start).env("PROBITY_MCP__CALL_WAIT", call);
        }
        command
    }

    fn question(&self, number: usize) -> String {
        format!("[[completed duration_ms={}]] why is the sky blue, {number}?", self.research.as_millis())
    }
}

pub fn measure(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let times = ClientTimeouts::of(size);
    let simulator = SimulatorProcess::start(&[])?;
    let folder = memory_folder()?;
    let mut found = ImpatientClientTally::default();
    // They wait most of the time, so they wait together.
    let (cutting, budgets, deaf) = thread::scope(|scope| {
        let cutting = scope.spawn(|| abandon_calls(&times, &simulator, &folder.path().join("cutting")));
        let budgets = scope.spawn(|| budgets(&times, &simulator, &folder.path().join("budgets")));
        let deaf = never_read(&times, &simulator, &folder.path().join("deaf"));
        (cutting.join(), budgets.join(), deaf)
    });
    let broke = |_| anyhow::anyhow!("a client of this measurement panicked");
    found.add("cutting", cutting.map_err(broke)??);
    found.add("not reading", deaf?);
    let answers = budgets.map_err(broke)??;
    let control = control(&simulator, &folder.path().join("control"))?;
    found.wrong.iter().for_each(|line| output::progress(line));
    let measured =
        format!("{} lost, {} paid twice of {} researches", found.lost, found.twice, found.researches);
    let kept = Figure::judged(KEPT, found.wrong.is_empty(), measured, KEPT_GOAL).with_note(control);
    Ok(vec![kept, budget_figure(&answers, &times)])
}

#[derive(Debug, Default)]
struct ImpatientClientTally {
    researches: usize,
    lost: usize,
    twice: usize,
    wrong: Vec<String>,
}

impl ImpatientClientTally {
    fn add(&mut self, who: &str, (asked, judged): (usize, KillSweepJudgement)) {
        self.researches += asked;
        self.lost += judged.lost.len() + asked.saturating_sub(judged.completed);
        self.twice += judged.duplicates.len();
        let mut wrong = judged.lost;
        wrong.extend(judged.duplicates.into_iter().chain(judged.untrue));
        if judged.completed != asked || judged.stored.len() != asked {
            wrong.push(format!(
                "{asked} asked, {} stored, {} completed",
                judged.stored.len(),
                judged.completed
            ));
        }
        self.wrong.extend(wrong.into_iter().map(|line| format!("{who}: {line}")));
    }
}

/// Starts, gives up on every call long before its answer, and asks again until everything is done.
fn abandon_calls(
    times: &ClientTimeouts,
    simulator: &SimulatorProcess,
    place: &Path,
) -> anyhow::Result<(usize, KillSweepJudgement)> {
    let program = installed(simulator, place)?;
    let mut session = McpSession::open(&mut times.command(&program), ProtocolEra::Handshake)?;
    for number in 0..times.clients {
        session.ask_tool("start_deep_research", &json!({ "query": times.question(number) }))?;
        // Nobody waits: the answer is read some time later and thrown away.
        thread::sleep(times.start_wait / 8);
    }
    let listed = session.call_structured("list_research", &json!({ "limit": 50 }), ANSWER_LIMIT)?;
    let ids: BTreeSet<String> = ids(&listed).into_iter().collect();
    let until = rig::now() + times.research + SETTLES_WITHIN;
    for id in &ids {
        loop {
            let arguments = json!({ "task_id": id, "wait_seconds": times.status_wait.as_secs() });
            let told = session.call_structured("check_research_status", &arguments, times.cut)?;
            if told.get("status").and_then(Value::as_str) == Some("completed") {
                break;
            }
            ensure!(rig::now() < until, "{id} is still {told}");
        }
        let results =
            session.call_structured("get_research_results", &json!({ "task_id": id }), ANSWER_LIMIT)?;
        ensure!(results.get("report").is_some_and(Value::is_string), "no results: {results}");
    }
    let ended = session.end(ANSWER_LIMIT)?;
    ensure!(ended.cleanly(), "ended with {}: {}", ended.status, ended.stderr);
    Ok((times.clients, judge(&program, simulator, &ids)?))
}

/// Fills its pipe, starts researches with progress, and reads nothing until the provider has done them all.
fn never_read(
    times: &ClientTimeouts,
    simulator: &SimulatorProcess,
    place: &Path,
) -> anyhow::Result<(usize, KillSweepJudgement)> {
    let program = installed(simulator, place)?;
    let mut session = McpSession::start(&mut times.command(&program), ProtocolEra::EachRequest)?;
    for _ in 0..LISTS_TO_FILL_A_PIPE {
        session.ask("tools/list", json!({}))?;
    }
    let mut asked = Vec::new();
    for number in 0..times.clients {
        let arguments = json!({ "query": times.question(number) });
        let progress = json!({ "progressToken": number });
        let params = json!({ "name": "start_deep_research", "arguments": arguments, "_meta": progress });
        asked.push(session.ask("tools/call", params)?);
    }
    let until = rig::now() + times.research + SETTLES_WITHIN;
    loop {
        let rows = program.list().unwrap_or_default();
        let done = rows.iter().filter(|row| row.get("status").and_then(Value::as_str) == Some("completed"));
        if done.count() == times.clients {
            break;
        }
        ensure!(rig::now() < until, "not all researches of a client that does not read have ended");
        thread::sleep(Duration::from_millis(200));
    }
    let mut told = BTreeSet::new();
    for id in asked {
        let answer = session.answer(id, ANSWER_LIMIT)?;
        let told_id = answer.pointer("/result/structuredContent/task_id").and_then(Value::as_str);
        told.insert(told_id.with_context(|| format!("no id in {answer}"))?.to_owned());
    }
    let ended = session.end(ANSWER_LIMIT)?;
    ensure!(ended.cleanly(), "ended with {}: {}", ended.status, ended.stderr);
    Ok((times.clients, judge(&program, simulator, &told)?))
}

fn ids(listed: &Value) -> Vec<String> {
    let rows = listed.get("researches").and_then(Value::as_array).cloned().unwrap_or_default();
    rows.iter().filter_map(|row| row.get("task_id")?.as_str().map(str::to_owned)).collect()
}

/// One long call: what it was allowed and what it took.
struct CallTiming {
    tool: &'static str,
    budget: Duration,
    took: Duration,
}

/// Each long tool on a research that outlasts it.
fn budgets(
    times: &ClientTimeouts,
    simulator: &SimulatorProcess,
    place: &Path,
) -> anyhow::Result<Vec<CallTiming>> {
    let program = installed(simulator, place)?;
    program.run(&["research", "[[completed duration_ms=50]] before?", "--json"])?;
    let mut session = McpSession::open(&mut times.command(&program), ProtocolEra::Handshake)?;
    let finished = ids(&session.call_structured("list_research", &json!({}), ANSWER_LIMIT)?);
    let finished = finished.first().context("nothing is finished")?.clone();
    let slow = |name: &str| json!({ "query": format!("[[{name} duration_ms=900000]] why?") });
    let limit = times.cut * 2;
    let mut answers = Vec::new();
    let mut timed = |session: &mut McpSession, tool: &'static str, arguments: &Value, budget: Duration| {
        let (told, took) = rig::timed(|| session.call_structured(tool, arguments, limit));
        answers.push(CallTiming { tool, budget, took });
        told
    };
    let told =
        timed(&mut session, "start_deep_research", &slow("cancel-lag for_ms=900000"), times.start_wait)?;
    let id = told.get("task_id").cloned().context("no id")?;
    let wait = json!({ "task_id": id, "wait_seconds": times.status_wait.as_secs() });
    timed(&mut session, "check_research_status", &wait, times.status_wait)?;
    timed(&mut session, "cancel_research", &json!({ "task_id": id }), times.cancel_wait)?;
    let question = json!({ "task_id": finished, "question": "[[hang]] and then?" });
    timed(&mut session, "follow_up_research", &question, times.call_wait)?;
    Ok(answers)
}

fn budget_figure(answers: &[CallTiming], times: &ClientTimeouts) -> Figure {
    let within = |timed: &&CallTiming| timed.took <= timed.budget + GRACE && timed.took < times.cut;
    let in_time = answers.iter().filter(within).count();
    let over = |timed: &CallTiming| timed.took.as_secs_f64() - timed.budget.as_secs_f64();
    let slowest = answers.iter().max_by(|one, other| over(one).total_cmp(&over(other)));
    let slowest = slowest.map_or_else(String::new, |timed| {
        let (took, budget) = (timed.took.as_secs_f64(), timed.budget.as_secs_f64());
        format!("; slowest for its budget: {} {took:.1} s of {budget:.0} s", timed.tool)
    });
    let measured = format!("{in_time} of {}{slowest}", answers.len());
    let note = format!("the client cuts after {} s", times.cut.as_secs());
    Figure::judged(BUDGET, in_time == answers.len() && in_time > 0, measured, BUDGET_GOAL)
        .timing()
        .with_note(note)
}

/// A client that starts again instead of asking again pays twice, and the judge must see it.
fn control(simulator: &SimulatorProcess, place: &Path) -> anyhow::Result<String> {
    let program = installed(simulator, place)?;
    let before = creates(simulator)?.len();
    let mut session = McpSession::open(&mut program.command(&["mcp"]), ProtocolEra::Handshake)?;
    for _ in 0..2 {
        let question = json!({ "query": "[[completed duration_ms=50]] why, once?" });
        session.call_structured("start_deep_research", &question, ANSWER_LIMIT)?;
    }
    session.end(ANSWER_LIMIT)?;
    let mut found = ImpatientClientTally::default();
    found.add("control", (1, judge(&program, simulator, &BTreeSet::from(["res_lost".to_owned()]))?));
    let seen = creates(simulator)?.len() - before;
    ensure!(seen == 2 && found.lost > 0 && !found.wrong.is_empty(), "the judge is blind: {seen} creates");
    Ok("control: a planted loss and a question that was paid twice were seen".to_owned())
}
