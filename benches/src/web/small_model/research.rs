//! The real program with the real small model as its only model: planner, reader and writer of a whole research.
//! Whatever it invents is dropped; the report is finished all the same.

use std::{collections::BTreeSet, time::Duration};

use anyhow::Context as _;
use serde_json::{Value, json};

use super::{pages::PAGES, server::LlamaServer};
use crate::{
    figure::Figure,
    rig::{self, SimulatorProcess},
};

const NAME: &str = "a whole research in which a real small model plans, reads and writes: quotations that are not the page's bytes";
const GOAL: &str = "0, and a finished report";
/// Eight answers of a model that writes a few tokens a second on a busy machine.
const PATIENCE: Duration = Duration::from_secs(900);

pub(super) fn measure(server: &LlamaServer) -> anyhow::Result<Figure> {
    let home = tempfile::tempdir()?;
    let web = home.path().join("web.json");
    let pages: Vec<Value> = PAGES
        .iter()
        .enumerate()
        .map(|(number, page)| {
            json!({"url": format!("http://site{number}.example/"), "title": page.question, "text": page.text})
        })
        .collect();
    std::fs::write(&web, json!({ "pages": pages }).to_string())?;
    let simulator = SimulatorProcess::start(&["--web", web.to_str().context("the path of the small web")?])?;
    let address = simulator.base_url.trim_start_matches("http://").to_owned();
    let mut command = rig::command(rig::built("probity")?);
    command
        .env_clear()
        .env("HOME", home.path())
        .env("PATH", "/usr/bin:/bin")
        .env("PROBITY_WEB__REACH", format!("*:80={address},{address}={address}"))
        .env("PROBITY_WEB__ARCHIVE", "false")
        .env("PROBITY_CHECKS__ENABLED", "false")
        .env("PROBITY_SEARCH__PROVIDERS", "wikipedia")
        .env(
            "PROBITY_SEARCH__BASES",
            format!("wikipedia={}/search-api/wikipedia/{{language}}", simulator.base_url),
        )
        .env("PROBITY_CHAT__BASE_URL", &server.base_url)
        .env("PROBITY_CHAT__MODEL", "smollm2-135m-instruct")
        .args(["research", "--web", "--scope", "tiny", "--max-time", "12m", "--json"])
        .arg("How many books does the library of Kessel have?");
    let finished = rig::run(&mut command, PATIENCE)?;
    let told = finished.json();
    Ok(figure(&told, &finished.stderr))
}

fn figure(told: &Value, stderr: &str) -> Figure {
    let at = |pointer: &str| told.pointer(pointer).cloned().unwrap_or_default();
    let notes = at("/web/notes");
    let quotes: Vec<String> = notes
        .as_array()
        .into_iter()
        .flatten()
        .flat_map(|note| note.get("quotes").and_then(Value::as_array).cloned().unwrap_or_default())
        .filter_map(|quote| quote.get("text").and_then(Value::as_str).map(str::to_owned))
        .collect();
    let squeezed = |text: &str| text.split_whitespace().collect::<Vec<&str>>().join(" ");
    let all: BTreeSet<String> =
        PAGES.iter().map(|page| squeezed(&format!("{} {}", page.question, page.text))).collect();
    let wrong = quotes.iter().filter(|quote| !all.iter().any(|page| page.contains(&squeezed(quote)))).count();
    let completed =
        at("/status") == "completed" && at("/report").as_str().is_some_and(|report| !report.is_empty());
    let ok = completed && wrong == 0 && !quotes.is_empty();
    let measured = format!("{wrong} of {} kept, {} invented and dropped", quotes.len(), at("/web/invented"));
    let why =
        if completed { String::new() } else { format!("; {}", stderr.lines().last().unwrap_or_default()) };
    Figure::judged(NAME, ok, measured, GOAL).with_note(format!(
        "the program's own prompts, searches in the simulated Wikipedia, pages of the small web; status {}, {} attempts{why}",
        at("/status"),
        at("/web/attempts"),
    ))
}
