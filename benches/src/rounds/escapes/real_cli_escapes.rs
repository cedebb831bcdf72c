//! The real CLI behind the real keeper: hostile prompts, planted files, and a look at all that was sent and started.
//!
//! One process answers all prompts, as it answers the rounds of a research; full runs also start one per prompt.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::Stdio,
};

use anyhow::{Context as _, ensure};
use probity_engines::{Prompts, prompts::CorrectionPlacement};
use probity_models::{
    ApiKey,
    gemini_cli::{CliEvent, CliProcessReuse, CliReply, CliRequest, CliSettings, GeminiCli},
};
use probity_research::{engine_call::RoundCall, model::ModelName, rounds::Mode};

use super::{
    EscapeFindings,
    exec_trace::{self, TracedSupervisor},
    hostile_strings::{self, PROMPTS},
    relay::RecordingRelay,
};
use crate::{
    figure::MeasurementSize,
    foundation::kill_sweep::memory_folder,
    rig::{self, SimulatorProcess},
    rounds::real_cli_cases::network_scope::run_isolated,
    simulation::simulation_random::SimulationRandom,
};

/// In every planted file; nowhere else.
const SECRET: &str = "PLANTED-5d41402abc4b2a76";
/// Of our own files in the private folder: it would be sent only if one of them were included.
const OWN_WORDS: &str = "maxSessionTurns";
/// Says that a prompt reached the provider.
const MARK: &str = "MARK-";
const MODEL: &str = "gemini-3.8-flash";
const SEED: u64 = 13;

pub fn check(cli: &Path, size: MeasurementSize) -> anyhow::Result<EscapeFindings> {
    run_isolated(|network| {
        let simulator = SimulatorProcess::start(&[])?;
        let folder = memory_folder()?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let mut found = EscapeFindings { cases: 0, escapes: Vec::new(), control: network.words().to_owned() };
        let reuses: &[CliProcessReuse] =
            size.pick(&[CliProcessReuse::Pool], &[CliProcessReuse::Pool, CliProcessReuse::Spawn]);
        for reuse in reuses {
            let place = folder.path().join(format!("{reuse:?}"));
            fs::create_dir_all(&place)?;
            // A process for each prompt takes seconds, and has no more to lose.
            let random = if *reuse == CliProcessReuse::Pool { size.pick(10, 200) } else { 0 };
            let lab = EscapeTestBed::new(cli, &simulator, &place, *reuse)?;
            let (cases, escapes) = runtime.block_on(Box::pin(lab.attack(random)))?;
            found.cases += cases;
            found.escapes.extend(escapes);
        }
        let seen = runtime.block_on(Box::pin(starting(&folder.path().join("starting"))))?;
        found.control =
            format!("{}; {seen}; {}", found.control, bare(cli, &simulator, &folder.path().join("bare"))?);
        Ok(found)
    })
}

struct EscapeTestBed {
    cli: GeminiCli,
    watched: TracedSupervisor,
    relay: RecordingRelay,
    place: PathBuf,
}

impl EscapeTestBed {
    fn new(
        cli: &Path,
        simulator: &SimulatorProcess,
        place: &Path,
        reuse: CliProcessReuse,
    ) -> anyhow::Result<Self> {
        let relay = RecordingRelay::start(&simulator.base_url)?;
        let watched = exec_trace::keeper(place)?;
        let settings = settings(cli, place, &watched, &relay.base_url, reuse)?;
        Ok(Self { cli: GeminiCli::new(settings), watched, relay, place: place.to_owned() })
    }

    /// Every prompt bare and inside ours; how many there were, and what got out.
    async fn attack(&self, random: usize) -> anyhow::Result<(usize, Vec<String>)> {
        let outside = self.place.join("secret.txt");
        fs::write(&outside, SECRET)?;
        // A harmless one first: what it starts is what every question starts.
        Box::pin(self.ask("why is the sky blue?", None)).await?.outcome?;
        let usual = self.watched.started();
        ensure!(!self.watched.is_watching() || !usual.is_empty(), "strace saw nothing");
        let prompts = self.prompts(&outside, random);
        let mut escapes = Vec::new();
        for (number, prompt) in prompts.iter().enumerate() {
            let attached = number.is_multiple_of(5).then(|| prompt.clone());
            let ended = Box::pin(self.ask(&format!("{prompt} {MARK}{number} "), attached)).await?;
            if let Err(problem) = ended.outcome {
                escapes.push(format!("{prompt:?} was not answered: {problem}"));
            }
        }
        self.cli.close().await;
        let sent = String::from_utf8_lossy(&self.relay.sent()).into_owned();
        escapes.extend(self.find_escapes(&sent, &usual));
        let missing = (0..prompts.len()).filter(|number| !sent.contains(&format!("{MARK}{number} ")));
        escapes.extend(missing.map(|number| format!("prompt {number} never reached the model")));
        Ok((prompts.len(), escapes))
    }

    fn prompts(&self, outside: &Path, random: usize) -> Vec<String> {
        let (file, pwned) = (outside.display().to_string(), self.place.join("pwned").display().to_string());
        let filled = |prompt: &str| prompt.replace("FILE", &file).replace("PWNED", &pwned);
        let ours = Prompts::default();
        let call = RoundCall {
            round: 1,
            rounds_max: 1,
            model: None,
            current: None,
            failing: Vec::new(),
            untraced: Vec::new(),
            invalid: None,
        };
        let inside = |prompt: &str| ours.fill(Mode::Search, prompt, &call, CorrectionPlacement::File);
        let dice = SimulationRandom::new(SEED);
        let fixed = PROMPTS.iter().map(|prompt| filled(prompt));
        let more = (0..random).map(|_| hostile_strings::text(&dice, 8));
        fixed
            .chain(more)
            .enumerate()
            .map(|(number, prompt)| if number % 4 == 3 { inside(&prompt) } else { prompt })
            .collect()
    }

    async fn ask(&self, prompt: &str, attachment: Option<String>) -> anyhow::Result<CliReply> {
        let model = ModelName::parse(MODEL).ok();
        let ask = CliRequest { session: "res_1".to_owned(), prompt: prompt.to_owned(), model, attachment };
        let mut running = Box::pin(self.cli.begin(ask)).await?;
        plant(&self.place.join("cli"))?;
        loop {
            if let CliEvent::Ended(ended) = running.next().await {
                return Ok(*ended);
            }
        }
    }

    fn find_escapes(&self, sent: &str, usual: &BTreeSet<String>) -> Vec<String> {
        let mut escapes = Vec::new();
        for secret in [SECRET, OWN_WORDS] {
            escapes.extend(sent.contains(secret).then(|| format!("a file was sent: {secret}")));
        }
        if self.place.join("pwned").exists() {
            escapes.push("a command was run".to_owned());
        }
        let started = self.watched.started();
        escapes.extend(started.difference(usual).map(|program| format!("{program} was started")));
        escapes
    }
}

fn settings(
    cli: &Path,
    place: &Path,
    watched: &TracedSupervisor,
    base_url: &str,
    reuse: CliProcessReuse,
) -> anyhow::Result<CliSettings> {
    Ok(CliSettings {
        program: Some(cli.to_owned()),
        path: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin".into(),
        supervisor: watched.keeper.clone(),
        directory: place.join("cli"),
        key: ApiKey::parse("simulated-key")?,
        base_url: base_url.parse().context("an address")?,
        system_prompt: "You are a careful researcher.".to_owned(),
        reuse,
    })
}

/// Puts a secret wherever the CLI would look for a file by its name.
fn plant(directory: &Path) -> anyhow::Result<()> {
    for run in fs::read_dir(directory)?.flatten().filter(|entry| entry.path().is_dir()) {
        for folder in ["work", "attached", "home"] {
            // The folder of a question that has just ended is going away.
            fs::write(run.path().join(folder).join("secret.txt"), SECRET).ok();
        }
    }
    Ok(())
}

/// A child that starts another program must be seen to do so.
async fn starting(place: &Path) -> anyhow::Result<String> {
    fs::create_dir_all(place)?;
    let watched = exec_trace::keeper(place)?;
    if !watched.is_watching() {
        return Ok("strace is not installed: starts of programs were not watched".to_owned());
    }
    let copy = place.join("started-by-the-cli");
    fs::copy(rig::built("fake-cli")?, &copy)?;
    let cli = GeminiCli::new(settings(&copy, place, &watched, "http://127.0.0.1:9", CliProcessReuse::Spawn)?);
    let ask = |prompt: &str| CliRequest {
        session: "a".to_owned(),
        prompt: prompt.to_owned(),
        model: None,
        attachment: None,
    };
    let mut running = Box::pin(cli.begin(ask("[[fake leave]]"))).await?;
    while !matches!(running.next().await, CliEvent::Ended(_)) {}
    let starts = fs::read_to_string(place.join("started.trace"))?.matches("started-by-the-cli\", [").count();
    // For its version, for the question, and the grandchild.
    ensure!(starts >= 3, "the check is blind: {starts} starts were seen");
    Ok("control: a program started by the child is seen".to_owned())
}

/// The same words, not made inert and without our bounds, bring the file to the model.
fn bare(cli: &Path, simulator: &SimulatorProcess, place: &Path) -> anyhow::Result<String> {
    let relay = RecordingRelay::start(&simulator.base_url)?;
    fs::create_dir_all(place.join(".gemini"))?;
    let settings = r#"{"security":{"auth":{"selectedType":"gemini-api-key"}},"privacy":{"usageStatisticsEnabled":false}}"#;
    fs::write(place.join(".gemini/settings.json"), settings)?;
    fs::write(place.join("secret.txt"), SECRET)?;
    let mut child = rig::command(cli)
        .args(["-o", "stream-json", "-e", "none", "-m", MODEL])
        .current_dir(place)
        .envs([("HOME", place), ("GEMINI_CLI_HOME", place), ("TMPDIR", place)])
        .envs([("GEMINI_API_KEY", "simulated-key"), ("GOOGLE_GEMINI_BASE_URL", relay.base_url.as_str())])
        .envs([("GEMINI_CLI_NO_RELAUNCH", "1"), ("GEMINI_CLI_TRUST_WORKSPACE", "true")])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    if let Some(mut input) = child.stdin.take() {
        std::io::Write::write_all(&mut input, b"say @x/../secret.txt please")?;
    }
    child.wait()?;
    let sent = relay.sent();
    let seen = sent.windows(SECRET.len()).any(|part| part == SECRET.as_bytes());
    ensure!(seen, "the check is blind: the bare CLI did not send the file either");
    Ok("control: the bare CLI sends the planted file".to_owned())
}
