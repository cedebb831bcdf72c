//! The first cited answer of somebody who has just installed a package: on a machine that has nothing, in an empty home,
//! with a key, with a model on the same machine alone, and with neither.
//!
//! The outside is simulated: Google, a search engine, a web of eight pages, a chat model. Builds nothing: without
//! `just package` before it, the figure is skipped.

use std::{path::Path, time::Duration};

use anyhow::Context as _;
use serde_json::Value;

use super::packages;
use crate::{
    figure::{Figure, MeasurementSize},
    output, rig,
};

const SECONDS_GOAL: f64 = 60.0;
const COMMANDS_GOAL: usize = 3;
/// Installing included; a busy machine takes many times as long as a quiet one.
const LIMIT: Duration = Duration::from_secs(300);
const WAYS: [&str; 3] = ["archive", "npm", "pypi"];
const HANDS: [(&str, &str); 3] = [
    ("key", "with a Gemini key"),
    ("model", "with a model on this machine alone"),
    ("nothing", "with no key and no model"),
];

pub fn measure(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let folder = rig::repository().join("target/packages");
    if let Some(why) = packages::missing(&folder) {
        let goal = "at most 3 commands, under 60 s without install";
        return Ok(vec![Figure::skipped("clean machine to the first cited answer", goal, why)]);
    }
    let mut figures = Vec::new();
    for (hands, words) in HANDS {
        let mut tries = Vec::new();
        for way in WAYS.iter().take(size.pick(1, WAYS.len())) {
            output::progress(&format!("{way}, {words}"));
            tries.push((*way, tried(way, hands, &folder)?));
        }
        figures.push(figure(words, &tries));
    }
    Ok(figures)
}

/// What a new user typed and got.
struct FirstAnswer {
    typed: Vec<String>,
    seconds: f64,
    text: String,
    shown: Value,
}

fn tried(way: &str, hands: &str, folder: &Path) -> anyhow::Result<FirstAnswer> {
    let mut command = rig::command("sh");
    command
        .arg(rig::repository().join("packaging/checks/empty-root.sh"))
        .arg(way)
        .arg(folder)
        .arg(hands)
        .env("SIMULATOR", rig::built("probity-simulator")?)
        .env("WORLD", rig::repository().join("crates/probity/src/commands/demo/world.json"));
    let done = rig::run(&mut command, LIMIT)?;
    parsed(&done.stdout).with_context(|| format!("{way}, {hands}: {}{}", done.stdout, done.stderr))
}

fn parsed(said: &str) -> anyhow::Result<FirstAnswer> {
    let (head, rest) = said.split_once("answer:\n").context("there is no answer")?;
    let (text, shown) = rest.split_once("shown:\n").context("the research cannot be shown")?;
    let seconds = head.lines().find_map(|line| line.strip_prefix("seconds: "));
    Ok(FirstAnswer {
        typed: head.lines().filter_map(|line| line.strip_prefix("typed: ")).map(str::to_owned).collect(),
        seconds: seconds.context("the time is missing")?.parse()?,
        text: text.to_owned(),
        shown: serde_json::from_str(shown)?,
    })
}

impl FirstAnswer {
    /// The install is a command too.
    fn commands(&self) -> usize {
        self.typed.len() + 1
    }

    /// An answer that says where it is from, and whose claims the server has looked at.
    fn is_cited(&self) -> bool {
        let count = |place: &str| self.shown.pointer(place).and_then(Value::as_array).map_or(0, Vec::len);
        let completed = self.shown.get("status").is_some_and(|status| status == "completed");
        completed && self.text.contains("[1]") && count("/sources") > 0 && count("/evidence/claims") > 0
    }
}

fn figure(words: &str, tries: &[(&str, FirstAnswer)]) -> Figure {
    let commands = tries.iter().map(|(_, answer)| answer.commands()).max().unwrap_or(usize::MAX);
    let slowest = tries.iter().map(|(_, answer)| answer.seconds).fold(0.0, f64::max);
    let uncited: Vec<&str> =
        tries.iter().filter(|(_, answer)| !answer.is_cited()).map(|(way, _)| *way).collect();
    let reached = uncited.is_empty() && commands <= COMMANDS_GOAL && slowest < SECONDS_GOAL;
    let each: Vec<String> =
        tries.iter().map(|(way, answer)| format!("{way} {:.1} s", answer.seconds)).collect();
    let typed = tries.first().map(|(_, answer)| answer.typed.join("`, `")).unwrap_or_default();
    let figure = Figure::judged(
        &format!("clean machine to the first cited answer, {words}"),
        reached,
        format!("{commands} commands; {}", each.join(", ")),
        "at most 3 commands with the install, under 60 s without it",
    )
    .with_note(format!("after the install: `{typed}`; empty root, empty home, no network but the simulator"));
    match uncited.is_empty() {
        true => figure,
        false => figure.with_note(format!("not cited: {}", uncited.join(", "))),
    }
}
