//! The ways a search in rounds ends, each with the log at its loudest and eyes on everything it leaves.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use anyhow::ensure;
use rustix::process::Signal;
use serde_json::json;

use super::{canary::CanaryKey, watch};
use crate::{
    figure::MeasurementSize,
    foundation::kill_sweep::program::ids_in,
    mcp::session::{McpSession, ProtocolEra, ServerExit},
    rig::{self, SimulatorProcess},
    rounds::{
        real_cli_cases::test_bed::{CALL_LIMIT, CliTestBed, turns},
        supervision::processes,
    },
};

/// Until the provider was asked, on a crowded machine.
const ASKED_MAX: Duration = Duration::from_secs(60);
/// What a user looks at afterwards.
const LOOKED_AT: &[&[&str]] = &[
    &["-vv", "runs", "show", "last", "--raw"],
    &["-vv", "runs", "show", "last", "--json"],
    &["-vv", "runs", "list", "--json"],
    &["-vv", "config", "show", "--origin"],
    &["-vv", "doctor"],
];

/// Ends that take a second or two.
const ENDS: &[&str] = &[
    "draft",
    "prose,corrected",
    "cut,corrected",
    "error-400",
    "error-400-key",
    "error-401",
    "error-403",
    "error-404",
    "error-429-daily",
    "error-503,draft",
    "empty",
    "invented",
];
/// Ends that take three tries with their pauses.
const SLOW_ENDS: &[&str] = &["error-429", "error-500", "error-503", "lost", "cut", "unsearched"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SearchEnding {
    ToTheEnd,
    Cancelled,
    Killed,
}

#[derive(Debug)]
pub struct SecretsStory<'a> {
    /// Nothing for Google's API.
    cli: Option<&'a Path>,
    reuse: &'static str,
    way: SearchEnding,
    /// What the question asks of the scripted model, or of the misbehaving CLI.
    tag: String,
}

/// What was looked at, and where the key was.
#[derive(Debug, Default)]
pub struct SecretsTally {
    pub sightings: Vec<String>,
    pub bytes: usize,
    pub file_looks: usize,
    /// What was looked at, with its length and time.
    pub files: BTreeMap<PathBuf, (u64, Option<SystemTime>)>,
    pub process_looks: usize,
    /// Who has the key because it must.
    pub holders: BTreeSet<String>,
}

impl SecretsTally {
    pub fn record_sighting(&mut self, line: String) {
        if !self.sightings.contains(&line) {
            self.sightings.push(line);
        }
    }

    pub fn add(&mut self, other: Self) {
        self.sightings.extend(other.sightings);
        self.bytes += other.bytes;
        self.file_looks += other.file_looks;
        self.files.extend(other.files);
        self.process_looks += other.process_looks;
        self.holders.extend(other.holders);
    }
}

pub fn plan<'a>(size: MeasurementSize, real: Option<&'a Path>, fake: &'a Path) -> Vec<SecretsStory<'a>> {
    let mut plan = Vec::new();
    let slow = size.pick(&[][..], SLOW_ENDS);
    let reuses: &[&'static str] = size.pick(&["pool"], &["pool", "spawn"]);
    let scripted = |turns: &str| format!("[[rounds key=KEY turns={turns} pages=numeric]]");
    for (cli, reuse) in reuses.iter().map(|reuse| (real, *reuse)).chain([(None, "pool")]) {
        if cli.is_none() && plan.iter().any(|story: &SecretsStory<'_>| story.cli.is_none()) {
            continue;
        }
        for turns in slow.iter().chain(ENDS) {
            plan.push(SecretsStory { cli, reuse, way: SearchEnding::ToTheEnd, tag: scripted(turns) });
        }
        for way in [SearchEnding::Cancelled, SearchEnding::Killed] {
            plan.push(SecretsStory { cli, reuse, way, tag: scripted("hang") });
        }
    }
    // A CLI that says its key aloud, on both pipes.
    for reuse in ["pool", "spawn"] {
        plan.push(SecretsStory {
            cli: Some(fake),
            reuse,
            way: SearchEnding::ToTheEnd,
            tag: "[[fake tell-key]]".to_owned(),
        });
    }
    plan
}

impl SecretsStory<'_> {
    pub fn name(&self) -> String {
        let engine = if self.cli.is_some() { self.reuse } else { "api" };
        format!("{engine} {:?} {}", self.way, self.tag)
    }

    pub fn run(
        &self,
        canary: &CanaryKey,
        simulator: &SimulatorProcess,
        place: &Path,
    ) -> anyhow::Result<SecretsTally> {
        let lab = CliTestBed::new(
            &simulator.base_url,
            place,
            self.cli.unwrap_or(Path::new("/nonexistent/gemini")),
        )?;
        let key = place.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut command = lab.program.command(&["-vv", "mcp"]);
        self.prepare(&lab, canary, &mut command);
        let server = McpSession::open(&mut command, ProtocolEra::Handshake)?;
        let pid = server.pid();
        let (ended, mut told) = watch::during(place, pid, canary, || {
            self.run_search(server, simulator, &format!("secret-{key}"))
        })?;
        for line in &ended.lines {
            told.bytes += line.len();
            if canary.is_in(line) {
                told.record_sighting(format!("on stdout: {}", String::from_utf8_lossy(line)));
            }
        }
        self.search_bytes(canary, "stderr of the server", ended.stderr.as_bytes(), &mut told);
        // What a killed server left, before anything has had the time to clean up.
        watch::search_all_files(place, canary, &mut told);
        for arguments in LOOKED_AT {
            let mut command = lab.program.command(arguments);
            self.prepare(&lab, canary, &mut command);
            let shown = rig::run(&mut command, CALL_LIMIT)?;
            let printed = format!("{}{}", shown.stdout, shown.stderr);
            self.search_bytes(canary, &arguments.join(" "), printed.as_bytes(), &mut told);
        }
        watch::search_all_files(place, canary, &mut told);
        told.sightings.iter_mut().for_each(|line| *line = format!("{}: {line}", self.name()));
        Ok(told)
    }

    fn search_bytes(&self, canary: &CanaryKey, place: &str, bytes: &[u8], told: &mut SecretsTally) {
        told.bytes += bytes.len();
        if canary.is_in(bytes) {
            told.record_sighting(format!("in what `{place}` prints"));
        }
    }

    /// The key, the loudest log, and variables of the server that are none of the child's business.
    fn prepare(&self, lab: &CliTestBed, canary: &CanaryKey, command: &mut std::process::Command) {
        let more = [("PROBITY_GEMINI_CLI__REUSE", self.reuse), ("GEMINI_API_KEY", canary.key())];
        lab.prepare(command, &more);
        command
            .env("PROBITY_LOG", "trace")
            .env("GOOGLE_API_KEY", canary.other())
            .env("AWS_SECRET_ACCESS_KEY", canary.other())
            .env("NODE_OPTIONS_SECRET", canary.other());
        if self.cli.is_none() {
            command.env("PROBITY_RESEARCH__ENGINE", "gemini-api");
        }
    }

    fn run_search(
        &self,
        mut server: McpSession,
        simulator: &SimulatorProcess,
        key: &str,
    ) -> anyhow::Result<ServerExit> {
        let query = format!("When did it run? {}", self.tag.replace("KEY", key));
        let call = server.ask_tool("search", &json!({ "query": query }))?;
        if self.way == SearchEnding::ToTheEnd {
            server.answer(call, CALL_LIMIT)?;
            return server.end(CALL_LIMIT);
        }
        let asked =
            processes::within(ASKED_MAX, || turns(simulator, key).is_ok_and(|turns| !turns.is_empty()));
        ensure!(asked, "the provider was never asked");
        if self.way == SearchEnding::Killed {
            server.signal(Signal::KILL);
            return server.wait(rig::now(), CALL_LIMIT);
        }
        let listed = server.call_structured("list_research", &json!({}), CALL_LIMIT)?;
        for id in ids_in(&listed.to_string()) {
            server.call_structured("cancel_research", &json!({ "task_id": id }), CALL_LIMIT)?;
        }
        server.end(CALL_LIMIT)
    }
}
