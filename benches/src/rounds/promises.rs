//! Promises about search in rounds that tests of the real program keep: both engines answer alike, and nothing
//! survives, escapes or tells the key. Where a namespace is possible, the real Gemini CLI has no network but loopback.

use super::network_scope::run_isolated;
use crate::{
    figure::{Figure, MeasurementSize},
    tested::{self, TestedFigure},
};

const fn figure(
    test: &'static str,
    key: &'static str,
    name: &'static str,
    goal: &'static str,
) -> TestedFigure {
    TestedFigure { test, key, name, goal }
}

pub fn both_engines(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    const TEST: &str = "rounds_engines::both_engines_answer_alike";
    let name = "scripts that both engines answer alike over MCP";
    tested::measure(&[figure(TEST, "both_engines", name, "all")], size)
}

pub fn real_cli(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    const TEST: &str = "rounds_real_cli::cases_of_the_real_cli_end_as_they_must";
    let name = "the real Gemini CLI behind the real program: cases that end as they must";
    isolated(&[figure(TEST, "real_cli", name, "all")], size)
}

pub fn supervision(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    const TEST: &str = "child::served::nothing_outlives_its_question_however_it_ends";
    let figures = [
        figure(
            TEST,
            "supervision_left",
            "processes left 5 s after a misbehaving CLI was ended by cancel, drop, kill -9 or itself",
            "0",
        ),
        figure(TEST, "supervision_hung", "questions that got no end from a misbehaving CLI", "0"),
        figure(
            TEST,
            "supervision_grown",
            "memory that the server took while a CLI printed without end",
            "at most 48 MiB: the output that is read, and 32",
        ),
    ];
    tested::measure(&figures, size)
}

pub fn escapes(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let figures = [
        figure(
            "child::escapes::hostile_strings_do_not_act",
            "escapes_strings",
            "hostile strings that act in a prompt to the Gemini CLI or in the name of a model",
            "0",
        ),
        figure(
            "child::escapes::nothing_hostile_adds_a_word_to_the_command_line",
            "escapes_words",
            "hostile questions, sessions, attached texts and models that add a word to its command line",
            "0",
        ),
        figure(
            "child::escapes::the_real_cli_is_talked_into_nothing",
            "escapes_real",
            "files and processes that the real Gemini CLI was talked into by a prompt",
            "0",
        ),
    ];
    isolated(&figures, size)
}

pub fn secrets(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    const TEST: &str = "canary::rounds::the_key_is_nowhere_however_a_search_ends";
    let name = "sightings of the key over every way a search in rounds ends, both engines";
    tested::measure(&[figure(TEST, "secrets", name, "0")], size)
}

/// The tests with no network but this machine's own; the last figure, which the real CLI yields, says so.
fn isolated(figures: &[TestedFigure], size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    // Cargo runs in there too: what it needs is downloaded by then.
    run_isolated(|network| {
        let mut measured = tested::measure(figures, size)?;
        if let Some(last) = measured.last_mut().filter(|figure| !figure.note.is_empty()) {
            last.note = format!("{}; {}", network.words(), last.note);
        }
        Ok(measured)
    })
}
