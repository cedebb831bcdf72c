//! What really stands on the command line: the keeper is replaced by a script that writes down its words.

use std::{fs, os::unix::fs::PermissionsExt as _, path::Path};

use anyhow::{Context as _, ensure};
use probity_models::{
    ApiKey,
    gemini_cli::{CliEvent, CliProcessReuse, CliRequest, CliSettings, GeminiCli},
};
use probity_research::model::ModelName;

use super::{EscapeFindings, hostile_strings};
use crate::{foundation::kill_sweep::memory_folder, rig, simulation::simulation_random::SimulationRandom};

const SEED: u64 = 12;
/// Stands in everything hostile; a word that holds it came from a question.
const MARK: &str = "MARK7d1f";
const KEY: &str = "AIza-canary-on-the-command-line";

pub fn check(cases: usize) -> anyhow::Result<EscapeFindings> {
    let folder = memory_folder()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(Box::pin(asked(cases, folder.path())))
}

async fn asked(cases: usize, place: &Path) -> anyhow::Result<EscapeFindings> {
    let written = place.join("words");
    let program = rig::built("fake-cli")?;
    let cli = GeminiCli::new(settings(place, &program, &written)?);
    cli.version().await?;
    let dice = SimulationRandom::new(SEED);
    let (mut escapes, mut named) = (Vec::new(), 0);
    for _ in 0..cases {
        let model = ModelName::parse(&hostile_strings::name(&dice)).ok();
        named += usize::from(model.is_some());
        let ask = CliRequest {
            session: format!("{}{MARK}", hostile_strings::text(&dice, 4)),
            prompt: format!("{}{MARK}", hostile_strings::text(&dice, 8)),
            model: model.clone(),
            attachment: dice.chance(50).then(|| format!("{}{MARK}", hostile_strings::text(&dice, 8))),
        };
        fs::remove_file(&written).ok();
        let mut running = Box::pin(cli.begin(ask)).await?;
        while !matches!(running.next().await, CliEvent::Ended(_)) {}
        let words = fs::read(&written).context("no words were written")?;
        let words: Vec<String> =
            words.split(|byte| *byte == 0).map(|word| String::from_utf8_lossy(word).into_owned()).collect();
        escapes.extend(added(&words, &program, model.as_ref()));
    }
    ensure!(named > 0, "no name of a model was ever passed on");
    Ok(EscapeFindings { cases, escapes, control: control(&program, named)? })
}

fn settings(place: &Path, program: &Path, written: &Path) -> anyhow::Result<CliSettings> {
    let keeper = place.join("keeper");
    let script = format!(
        "#!/bin/sh\nfor word in \"$@\"; do printf '%s\\0' \"$word\"; done > {}\necho 0.61.0\n",
        written.display()
    );
    fs::write(&keeper, script)?;
    fs::set_permissions(&keeper, fs::Permissions::from_mode(0o755))?;
    Ok(CliSettings {
        program: Some(program.to_owned()),
        path: "/usr/bin:/bin".into(),
        supervisor: vec![keeper.into(), "keep".into()],
        directory: place.join("cli"),
        key: ApiKey::parse(KEY)?,
        base_url: "http://127.0.0.1:9".parse().context("an address")?,
        system_prompt: String::new(),
        reuse: CliProcessReuse::Spawn,
    })
}

/// What stands behind the program beside the fixed words and the model that was asked for.
fn added(words: &[String], program: &Path, model: Option<&ModelName>) -> Option<String> {
    let shown: Vec<&str> = words.iter().map(String::as_str).filter(|word| !word.is_empty()).collect();
    let Some(at) = shown.iter().position(|word| *word == "--") else { return Some(format!("{shown:?}")) };
    let (before, behind) = shown.split_at(at);
    let own = before.iter().skip_while(|word| **word != "--own").nth(1).copied().unwrap_or_default();
    let (policy, attached) = (format!("{own}/policy.toml"), format!("{own}/attached"));
    let program = program.display().to_string();
    let mut expected = vec!["--", &program, "-o", "stream-json", "-e", "none", "--policy", &policy];
    expected.extend(["--include-directories", &attached]);
    expected.extend(model.into_iter().flat_map(|model| ["--model", model.as_str()]));
    let marked = shown.iter().any(|word| word.contains(MARK) || word.contains(KEY));
    (behind != expected || marked || own.is_empty()).then(|| format!("{shown:?}"))
}

/// A word too many, a question among the words and a wrong model must be seen.
fn control(program: &Path, named: usize) -> anyhow::Result<String> {
    let shown = program.display().to_string();
    let fixed = [
        "keep",
        "--own",
        "/o",
        "--",
        &shown,
        "-o",
        "stream-json",
        "-e",
        "none",
        "--policy",
        "/o/policy.toml",
    ];
    let mut good: Vec<String> = fixed.iter().map(|word| (*word).to_owned()).collect();
    good.extend(["--include-directories", "/o/attached"].map(str::to_owned));
    ensure!(added(&good, program, None).is_none(), "the check refuses a good command line");
    let with = |word: &str| good.iter().cloned().chain([word.to_owned()]).collect::<Vec<_>>();
    let model = ModelName::parse("gemini-3.8-flash").ok();
    let seen = usize::from(added(&with("--yolo"), program, None).is_some())
        + usize::from(added(&with(MARK), program, None).is_some())
        + usize::from(added(&good, program, model.as_ref()).is_some());
    ensure!(seen == 3, "the check is blind: {seen} of 3");
    Ok(format!("{named} of them with a model's name that was taken; control: 3 of 3 planted words were seen"))
}
