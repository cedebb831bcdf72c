//! Cases that end from outside: a model that hangs, a cancel, a killed server, a CLI that is not there.

use std::{os::unix::fs::PermissionsExt as _, path::PathBuf, time::Duration};

use anyhow::{Context as _, ensure};
use rustix::process::Signal;
use serde_json::{Value, json};

use super::{
    scripted_cases::{CliCaseRun, question},
    test_bed::{self, CliTestBed},
};
use crate::{
    foundation::kill_sweep::program::field,
    mcp::session::McpSession,
    rig,
    rounds::supervision::processes::{self, within},
};

/// Short enough to wait for it three times. A process that is shared is started before the round begins.
const ROUND_DEADLINE: &str = "3s";
/// Long enough for a process of its own to be started within it, on a crowded machine.
const ROUND_DEADLINE_ALONE: &str = "12s";
/// Until the provider has been asked: a start of the CLI on a crowded machine.
const ASKED_MAX: Duration = Duration::from_secs(60);
const RESUME_MAX: Duration = Duration::from_secs(120);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopCase {
    /// The model never answers: each try ends at the round's deadline.
    Hang,
    Cancel,
    /// `kill -9` of the server in the middle of a round, which is asked again afterwards.
    Kill,
    NotInstalled,
    /// A CLI that leaves no record of the model. The real one always does, so a script stands in for it.
    ModelUnseen,
}

impl StopCase {
    pub const ALL: [Self; 5] = [Self::Hang, Self::Cancel, Self::Kill, Self::NotInstalled, Self::ModelUnseen];
}

impl CliCaseRun<'_> {
    pub fn stop(&self, stopped: StopCase) -> anyhow::Result<Vec<String>> {
        let mut wrong = match stopped {
            StopCase::Hang => self.hang()?,
            StopCase::Cancel => self.cancel()?,
            StopCase::Kill => self.kill()?,
            StopCase::NotInstalled => self.not_installed()?,
            StopCase::ModelUnseen => self.model_unseen()?,
        };
        let left = processes::wait_until_gone(self.place, None);
        wrong.extend(left.iter().map(|process| format!("left running: {}", process.words)));
        Ok(wrong)
    }

    fn hang(&self) -> anyhow::Result<Vec<String>> {
        let lab = self.lab()?;
        let deadline = if self.reuse == "pool" { ROUND_DEADLINE } else { ROUND_DEADLINE_ALONE };
        let mut server = lab.server(&self.variables(&[("PROBITY_ROUNDS__ROUND_DEADLINE", deadline)]))?;
        let told = test_bed::ask(&mut server, "search", &question(&self.key(), "hang"))?;
        server.end(test_bed::CALL_LIMIT)?;
        let asked = test_bed::turns(self.simulator, &self.key())?.len();
        let mut wrong = expect_code(&told, "TIMEOUT");
        // Once in each try; a start on a crowded machine may take as long as the deadline.
        if !(1..=3).contains(&asked) {
            wrong.push(format!("asked {asked} times"));
        }
        Ok(wrong)
    }

    fn cancel(&self) -> anyhow::Result<Vec<String>> {
        let lab = self.lab()?;
        let mut server = self.hanging(&lab, "hang")?;
        let id = self.only_id(&mut server)?;
        let told =
            server.call_structured("cancel_research", &json!({ "task_id": id }), test_bed::CALL_LIMIT)?;
        let left = processes::wait_until_gone(&lab.place, Some(server.pid()));
        let mut wrong: Vec<String> =
            left.iter().map(|process| format!("runs on after the cancel: {}", process.words)).collect();
        if field(&told, "status") != "cancelled" {
            wrong.push(format!("the cancel says {told}"));
        }
        server.end(test_bed::CALL_LIMIT)?;
        Ok(wrong)
    }

    fn kill(&self) -> anyhow::Result<Vec<String>> {
        let lab = self.lab()?;
        let server = self.hanging(&lab, "hang,draft")?;
        server.signal(Signal::KILL);
        server.wait(rig::now(), test_bed::CALL_LIMIT)?;
        let left = processes::wait_until_gone(&lab.place, None);
        let mut wrong: Vec<String> =
            left.iter().map(|process| format!("outlives the server: {}", process.words)).collect();
        let mut resume = lab.program.command(&["runs", "resume", "--all"]);
        lab.prepare(&mut resume, &self.variables(&[]));
        let resumed = rig::run(&mut resume, RESUME_MAX)?;
        let listed = lab.program.list()?;
        let status = listed.first().map(|row| field(row, "status")).unwrap_or_default();
        if status != "completed" {
            wrong.push(format!("after a restart it is `{status}`: {}", resumed.stderr));
        }
        Ok(wrong)
    }

    fn not_installed(&self) -> anyhow::Result<Vec<String>> {
        let nowhere = PathBuf::from("/nonexistent/gemini");
        let lab = CliTestBed::new(&self.simulator.base_url, self.place, &nowhere)?;
        let mut server = lab.server(&self.variables(&[]))?;
        let told = test_bed::ask(&mut server, "deep_search", &question(&self.key(), "draft"))?;
        server.end(test_bed::CALL_LIMIT)?;
        let mut wrong = expect_code(&told, "CLI_NOT_FOUND");
        if !told.to_string().contains("npm install -g @google/gemini-cli") {
            wrong.push(format!("does not say how to install it: {told}"));
        }
        Ok(wrong)
    }

    fn model_unseen(&self) -> anyhow::Result<Vec<String>> {
        std::fs::create_dir_all(self.place)?;
        let script = self.place.join("recordless-cli");
        std::fs::write(&script, RECORDLESS)?;
        std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755))?;
        let lab = CliTestBed::new(&self.simulator.base_url, self.place, &script)?;
        let mut server = lab.server(&self.variables(&[]))?;
        let told = test_bed::ask(&mut server, "search", "Which model answers?")?;
        server.end(test_bed::CALL_LIMIT)?;
        let model = told.pointer("/metadata/model").and_then(Value::as_str);
        Ok(if model == Some("auto-detected") { Vec::new() } else { vec![format!("{told}")] })
    }

    fn lab(&self) -> anyhow::Result<CliTestBed> {
        CliTestBed::new(&self.simulator.base_url, self.place, self.cli)
    }

    /// A server whose round is at the provider and stays there.
    fn hanging(&self, lab: &CliTestBed, turns: &str) -> anyhow::Result<McpSession> {
        let mut server = lab.server(&self.variables(&[]))?;
        server.ask_tool("search", &json!({ "query": question(&self.key(), turns) }))?;
        let asked = within(ASKED_MAX, || {
            test_bed::turns(self.simulator, &self.key()).is_ok_and(|turns| !turns.is_empty())
        });
        ensure!(asked, "the provider was never asked");
        ensure!(lab.living(&server).len() >= 2, "neither keeper nor CLI is seen");
        Ok(server)
    }

    fn only_id(&self, server: &mut McpSession) -> anyhow::Result<String> {
        let listed = server.call_structured("list_research", &json!({}), test_bed::CALL_LIMIT)?;
        let ids = crate::foundation::kill_sweep::program::ids_in(&listed.to_string());
        ids.into_iter().next().with_context(|| format!("no id in {listed}"))
    }
}

fn expect_code(told: &Value, code: &str) -> Vec<String> {
    let got = told.pointer("/error/code").and_then(Value::as_str).unwrap_or_default();
    if got == code { Vec::new() } else { vec![format!("ended with `{got}`, not {code}: {told}")] }
}

/// Answers one question on stdin in the CLI's words, and knows nothing of the protocol.
const RECORDLESS: &str = r##"#!/bin/sh
case "$1" in
--version) echo 0.61.0; exit 0 ;;
--acp) echo "Unknown argument: acp" >&2; exit 1 ;;
esac
cat > /dev/null
cat <<'LINES'
{"type":"init","session_id":"11111111-0000-4000-8000-000000000000","model":"auto"}
{"type":"tool_use","tool_name":"google_web_search","tool_id":"1","parameters":{"query":"which model"}}
{"type":"tool_result","tool_id":"1","status":"success"}
{"type":"message","role":"assistant","content":"{\"success\":true,\"verified\":false,\"report\":\"# Models\\n\\nNobody said.\",\"metadata\":{\"sources_visited\":[],\"search_queries_used\":[]}}","delta":true}
{"type":"result","status":"success","stats":{"total_tokens":15,"input_tokens":10,"output_tokens":5,"cached":0,"models":{}}}
LINES
"##;
