//! Whether somebody who has read nothing but the tools' descriptions chooses the right one. The reading is recorded; the
//! figure says whether the descriptions are still those that were read.

use anyhow::{Context as _, ensure};
use probity_server::tools::ToolName;

use crate::{
    figure::{Figure, MeasurementSize},
    rig,
};

const REQUESTS: &str = "evals/tool-choice/requests.tsv";
const READING: &str = "evals/tool-choice/reading.tsv";
const DESCRIPTIONS: &str = "evals/tool-choice/descriptions.txt";
const NAME: &str = "requests of users for which a reader of the descriptions alone chooses the right tool";
const RIGHT_MIN: usize = 57;

pub fn measure(_size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let read = |path: &str| {
        std::fs::read_to_string(rig::repository().join(path)).with_context(|| format!("reading {path}"))
    };
    let (requests, reading) = (read(REQUESTS)?, read(READING)?);
    let fitting: Vec<&str> = fields(&requests).map(|(tools, _)| tools).collect();
    let chosen: Vec<(&str, &str)> = fields(&reading).collect();
    ensure!(fitting.len() == chosen.len(), "{READING} does not answer every line of {REQUESTS}");
    let wrong: Vec<String> = fitting
        .iter()
        .zip(&chosen)
        .filter(|(fits, (tool, _))| !fits.split(' ').any(|one| one == *tool))
        .map(|(fits, (tool, request))| format!("{tool} instead of {fits} for `{request}`"))
        .collect();
    let (all, right) = (fitting.len(), fitting.len() - wrong.len());
    let is_current = read(DESCRIPTIONS)? == descriptions();
    let note = match is_current {
        true => "the descriptions are those that were read".to_owned(),
        false => format!("the descriptions are no longer those of {DESCRIPTIONS}, which were read"),
    };
    let note = if wrong.is_empty() { note } else { format!("{note}; {}", wrong.join("; ")) };
    let measured = format!("{right} of {all}");
    let figure = Figure::judged(NAME, right >= RIGHT_MIN && is_current, measured, "57 of 60").with_note(note);
    // A word that changes in a description breaks nobody's build.
    Ok(vec![figure.aim()])
}

/// `a<tab>b`, without comments.
fn fields(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once('\t'))
}

fn descriptions() -> String {
    let told = ToolName::ALL.into_iter().map(ToolName::definition);
    told.map(|tool| format!("{}: {}\n", tool.name, tool.description.as_deref().unwrap_or_default())).collect()
}
