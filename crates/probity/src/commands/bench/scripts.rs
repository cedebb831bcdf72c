//! Runs the benchmark's own scripts in the clone. The only module of this command that starts processes.
#![expect(clippy::disallowed_methods, reason = "the benchmark judges by its own scripts")]

use std::{
    path::{Path, PathBuf},
    process::Stdio,
};

use probity_research::Code;

use super::{
    files::{BenchFiles, RAW_DATA},
    tasks::QUERIES,
};
use crate::{
    command_context::CommandContext, command_error::CommandError, environment::present_variables, exit::Exit,
    shutdown::wait_for_shutdown,
};

/// Keys of judges that versions of the benchmark know; which one a clone takes stands in its `utils/api.py`.
const JUDGE_KEYS: [&str; 3] = ["OPENROUTER_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY"];
/// The key that FACT reads cited pages with.
const PAGES_KEY: &str = "JINA_API_KEY";
/// Where the clone reads its keys.
const KEYS_READ: &str = "utils/api.py";
const FACT_SCRIPT: &str = "deepresearch_bench_fact.py";
/// Pages and judgements of FACT at the same time.
const FACT_PROCESSES: &str = "4";
/// A line of the log in an error.
const LOG_LINE_MAX: usize = 200;

/// Judges what is written, as far as there are keys for it.
pub async fn judge(context: &CommandContext, clone: &Path, files: &BenchFiles) -> Result<Exit, CommandError> {
    if files.written()?.is_empty() {
        let message = format!("there is no report in {}", files.articles_path().display());
        return Err(CommandError::new(Code::InvalidArguments, &message).with_hint(
            "research the tasks first, without `--judge-only`; why one has no report: `probity runs list`",
        ));
    }
    let output = &context.output;
    let wanted = judge_keys(clone);
    if !any_set(&wanted) {
        output.print_message(&format!("not judged: set {} for RACE and FACT", wanted.join(" or ")));
        return Ok(Exit::Done);
    }
    output.print_message("RACE: the benchmark compares the reports with its references");
    if run(clone, files, "RACE", &race(&files.name)).await? == Exit::Interrupted {
        return Ok(Exit::Interrupted);
    }
    if !any_set(&[PAGES_KEY]) {
        output.print_message(&format!("FACT was not run: set {PAGES_KEY}"));
        return Ok(Exit::Done);
    }
    output.print_message("FACT: the benchmark reads the cited pages");
    for step in fact(clone, &files.name) {
        if run(clone, files, "FACT", &step).await? == Exit::Interrupted {
            return Ok(Exit::Interrupted);
        }
    }
    Ok(Exit::Done)
}

fn judge_keys(clone: &Path) -> Vec<&'static str> {
    let read = std::fs::read_to_string(clone.join(KEYS_READ)).unwrap_or_default();
    let named: Vec<&str> = JUDGE_KEYS.into_iter().filter(|name| read.contains(name)).collect();
    if named.is_empty() { JUDGE_KEYS.to_vec() } else { named }
}

fn any_set(names: &[&str]) -> bool {
    present_variables(names).iter().any(|(_, value)| !value.is_empty())
}

pub fn race_folder(name: &str) -> String {
    format!("results/race/{name}")
}

pub fn fact_folder(name: &str) -> String {
    format!("results/fact/{name}")
}

fn race(name: &str) -> Vec<String> {
    let folder = race_folder(name);
    [
        "deepresearch_bench_race.py",
        name,
        "--raw_data_dir",
        RAW_DATA,
        "--query_file",
        QUERIES,
        "--output_dir",
        &folder,
    ]
    .map(str::to_owned)
    .to_vec()
}

/// The steps of the benchmark's own `run_benchmark.sh`: one script for all, or in other versions one after another.
fn fact(clone: &Path, name: &str) -> Vec<Vec<String>> {
    let folder = fact_folder(name);
    if clone.join(FACT_SCRIPT).exists() {
        let whole =
            [FACT_SCRIPT, name, "--raw_data_dir", RAW_DATA, "--query_file", QUERIES, "--output_dir", &folder]
                .into_iter()
                .chain(["--n_total_process", FACT_PROCESSES]);
        return vec![whole.map(str::to_owned).collect()];
    }
    let file = |part: &str| format!("{folder}/{part}");
    let raw = format!("{RAW_DATA}/{name}.jsonl");
    let step = |module: &str, from: &str, to: &str, with_queries: bool| {
        let mut step =
            ["-m", module, "--raw_data_path", from, "--output_path", to].map(str::to_owned).to_vec();
        if with_queries {
            step.extend(["--query_data_path", QUERIES].map(str::to_owned));
        }
        step.extend(["--n_total_process", FACT_PROCESSES].map(str::to_owned));
        step
    };
    let (extracted, deduplicated) = (file("extracted.jsonl"), file("deduplicated.jsonl"));
    let (scraped, validated) = (file("scraped.jsonl"), file("validated.jsonl"));
    let result = file("fact_result.txt");
    vec![
        step("utils.extract", &raw, &extracted, true),
        step("utils.deduplicate", &extracted, &deduplicated, true),
        step("utils.scrape", &deduplicated, &scraped, false),
        step("utils.validate", &scraped, &validated, true),
        ["-m", "utils.stat", "--input_path", &validated, "--output_path", &result]
            .map(str::to_owned)
            .to_vec(),
    ]
}

/// The clone's own Python, else the machine's.
fn python(clone: &Path) -> PathBuf {
    let own = [".venv/bin/python", "venv/bin/python"].map(|place| clone.join(place));
    own.into_iter().find(|path| path.exists()).unwrap_or_else(|| PathBuf::from("python3"))
}

/// One script, in a process group of its own; what it says goes into our log. An interrupt ends the whole group.
async fn run(
    clone: &Path,
    files: &BenchFiles,
    part: &str,
    arguments: &[String],
) -> Result<Exit, CommandError> {
    let failed = |what: &str| {
        CommandError::new(Code::BenchFailed, &format!("{part} {what}")).with_hint(format!(
            "read {}, install what the clone needs (`pip install -r requirements.txt`), then run the same command with \
             `--judge-only`",
            files.log.display()
        ))
    };
    let log = || -> std::io::Result<(std::fs::File, std::fs::File)> {
        for folder in [files.log.parent().map(Path::to_owned), Some(clone.join(fact_folder(&files.name)))] {
            folder.map_or(Ok(()), std::fs::create_dir_all)?;
        }
        let log = std::fs::File::options().create(true).append(true).open(&files.log)?;
        Ok((log.try_clone()?, log))
    };
    let (out, err) = log().map_err(|error| failed("has no log").with_cause(&error))?;
    let clone = clone.canonicalize().map_err(|error| failed("has no clone").with_cause(&error))?;
    let mut command = tokio::process::Command::new(python(&clone));
    // The clone refuses to load without this key, also for RACE, which reads no page.
    if !any_set(&[PAGES_KEY]) {
        command.env(PAGES_KEY, "not-set");
    }
    let mut child = command
        .arg("-u")
        .args(arguments)
        .current_dir(&clone)
        .stdin(Stdio::null())
        .stdout(out)
        .stderr(err)
        .process_group(0)
        .kill_on_drop(true)
        .spawn()
        .map_err(|error| failed("could not be started").with_cause(&error))?;
    let ended = tokio::select! {
        ended = child.wait() => ended.map_err(|error| failed("was lost").with_cause(&error))?,
        () = wait_for_shutdown() => {
            end_group(&child);
            if let Err(error) = child.wait().await {
                tracing::debug!(%error, "script of the benchmark was lost");
            }
            return Ok(Exit::Interrupted);
        }
    };
    if ended.success() {
        return Ok(Exit::Done);
    }
    let log = std::fs::read(&files.log).unwrap_or_default();
    let last =
        String::from_utf8_lossy(&log).lines().rev().find(|line| !line.trim().is_empty()).map(str::to_owned);
    let last = probity_research::text::line(&last.unwrap_or_default(), LOG_LINE_MAX);
    Err(failed(&format!("ended with {ended}")).with_cause(&std::io::Error::other(last)))
}

fn end_group(child: &tokio::process::Child) {
    let group = child.id().and_then(|id| rustix::process::Pid::from_raw(i32::try_from(id).ok()?));
    if let Some(group) = group
        && let Err(error) = rustix::process::kill_process_group(group, rustix::process::Signal::TERM)
    {
        tracing::debug!(%error, "scripts of the benchmark had already ended");
    }
}
