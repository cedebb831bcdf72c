//! Nothing in a question, a page, an attached text or the name of a model becomes a flag, a command or a file that
//! the Gemini CLI includes: over many hostile strings, at the command line, and with the real CLI.

mod command_line;
mod exec_trace;
mod hostile_strings;
mod real_cli_escapes;
pub mod relay;
mod string_checks;

use crate::{
    figure::{Figure, MeasurementSize},
    output,
};

const STRINGS: &str = "hostile strings that act in a prompt to the Gemini CLI or in the name of a model";
const WORDS: &str =
    "hostile questions, sessions, attached texts and models that add a word to its command line";
const REAL: &str = "files and processes that the real Gemini CLI was talked into by a prompt";

pub fn measure(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    Ok(vec![over_strings(size)?, over_words(size)?, with_the_real_one(size)?])
}

fn over_strings(size: MeasurementSize) -> anyhow::Result<Figure> {
    let found = string_checks::check(size.pick(20_000, 200_000))?;
    print_escapes(&found.escapes);
    let measured = format!("{} of {}", found.escapes.len(), found.cases);
    let note = format!("{}; coverage-guided beside it: `just fuzz cli_prompt 300`", found.control);
    Ok(Figure::judged(STRINGS, found.escapes.is_empty(), measured, "0").with_note(note))
}

fn over_words(size: MeasurementSize) -> anyhow::Result<Figure> {
    let found = command_line::check(size.pick(300, 3_000))?;
    print_escapes(&found.escapes);
    let measured = format!("{} of {}", found.escapes.len(), found.cases);
    Ok(Figure::judged(WORDS, found.escapes.is_empty(), measured, "0").with_note(found.control))
}

fn with_the_real_one(size: MeasurementSize) -> anyhow::Result<Figure> {
    let Some(cli) = super::real_cli_cases::program() else {
        let why = super::real_cli::WHY_NOT;
        output::progress(why);
        return Ok(Figure::skipped(REAL, "0", why));
    };
    let found = real_cli_escapes::check(&cli, size)?;
    print_escapes(&found.escapes);
    let measured = format!("{} of {} prompts", found.escapes.len(), found.cases);
    Ok(Figure::judged(REAL, found.escapes.is_empty(), measured, "0").with_note(found.control))
}

fn print_escapes(escapes: &[String]) {
    /// A broken rule breaks for thousands of strings; a few show which.
    const TOLD_MAX: usize = 10;
    escapes.iter().take(TOLD_MAX).for_each(|line| output::progress(line));
}

/// What a check found.
pub struct EscapeFindings {
    pub cases: usize,
    pub escapes: Vec<String>,
    /// What shows that an escape would have been seen.
    pub control: String,
}
