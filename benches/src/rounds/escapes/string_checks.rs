//! Prompts and names over many hostile strings, read as the CLI reads them and not by our own rule alone.

use anyhow::ensure;
use probity_models::gemini_cli::prompt;
use probity_research::model::ModelName;

use super::{EscapeFindings, hostile_strings};
use crate::simulation::simulation_random::SimulationRandom;

const SEED: u64 = 11;
/// Longer than the shortest line that the CLI's `read_file` cuts.
const LONG_CHARACTERS: usize = 2_500;
/// At which the CLI cuts a line, in UTF-16 units.
const LINE_UNITS_MAX: usize = 2_000;

pub fn check(cases: usize) -> anyhow::Result<EscapeFindings> {
    let dice = SimulationRandom::new(SEED);
    let (mut escapes, mut raw, mut named) = (Vec::new(), 0, 0);
    for _ in 0..cases {
        let (question, page) = (hostile_strings::text(&dice, 12), page(&dice));
        raw += usize::from(acting(&question).is_some());
        for sent in [
            prompt::build_prompt(&question, None),
            prompt::build_prompt(&question, Some(("/run/a@b/x.txt", &page))),
        ] {
            match sent {
                Ok(sent) => escapes.extend(acting(&sent).into_iter().map(|why| format!("{why} in {sent:?}"))),
                Err(problem) => escapes.push(format!("refused although short: {problem}")),
            }
        }
        escapes.extend(torn(&page));
        let name = hostile_strings::name(&dice);
        if let Ok(model) = ModelName::parse(&name) {
            named += 1;
            escapes.extend(no_name(model.as_str()));
        }
    }
    ensure!(raw > cases / 10 && named > 0, "the check is blind: {raw} raw strings act, {named} are names");
    let control = format!(
        "control: {raw} of the same strings act when they are not made inert; {named} names were taken"
    );
    Ok(EscapeFindings { cases: cases * 3, escapes, control })
}

/// Now and then with a line that is too long to be read whole.
fn page(dice: &SimulationRandom) -> String {
    let mut page = hostile_strings::text(dice, 12);
    if dice.chance(10) {
        page.push_str(&"🜁a".repeat(LONG_CHARACTERS));
    }
    page
}

/// What the CLI would do with it beside passing it on: any at sign may name a file, and the first sign that is not
/// blank may begin a command.
fn acting(sent: &str) -> Option<String> {
    if sent.contains('@') {
        return Some("an at sign".to_owned());
    }
    let blank = |letter: char| letter.is_whitespace() || letter.is_control() || letter == '\u{feff}';
    let first = sent.chars().find(|letter| !blank(*letter));
    let commands = first.is_some_and(|first| "/!$?#&".contains(first));
    let ours = prompt::find_escapes(sent);
    (commands || !ours.is_empty()).then(|| format!("a command at the start, {ours:?}"))
}

/// An attached text must reach the model whole.
fn torn(page: &str) -> Option<String> {
    let wrapped = prompt::wrap_lines(page);
    let longest = wrapped.lines().map(|line| line.encode_utf16().count()).max().unwrap_or_default();
    if longest >= LINE_UNITS_MAX {
        return Some(format!("a line of {longest} units is cut when it is read"));
    }
    (prompt::rejoin_lines(&wrapped) != page).then(|| format!("lost in wrapping: {page:?}"))
}

/// One word, never a flag, never a path.
fn no_name(name: &str) -> Option<String> {
    let letters = name.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'.' | b'-'));
    let first = name.bytes().next().is_some_and(|byte| byte.is_ascii_alphanumeric());
    (!letters || !first || name.len() > 64).then(|| format!("taken as a model: {name:?}"))
}
