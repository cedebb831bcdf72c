//! A Gemini CLI that misbehaves on request, for what the real one cannot be made to do.
//!
//! `[[fake NAME key=value]]` in the prompt chooses what it does; without one it answers normally.
#![expect(
    clippy::disallowed_methods,
    reason = "it starts itself again as its own grandchild, and drips by the clock"
)]

mod answer_writer;
mod attack;
mod misbehaviour;
mod protocol;

use std::io::Read as _;

const VERSION: &str = "0.61.0";
/// What it claims to be when it is called `old-cli`.
const OLD_VERSION: &str = "0.1.2";
/// The first argument of a grandchild.
pub const GRANDCHILD: &str = "--grandchild";

fn main() -> anyhow::Result<()> {
    let mut words = std::env::args();
    let called = words.next().unwrap_or_default();
    let arguments: Vec<String> = words.collect();
    match arguments.first().map(String::as_str) {
        Some("--version") => {
            answer_writer::write_line(if called.ends_with("old-cli") { OLD_VERSION } else { VERSION })
        }
        Some(GRANDCHILD) => misbehaviour::grandchild(),
        Some("--acp") if called.ends_with("plain-cli") => anyhow::bail!("Unknown argument: acp"),
        Some("--acp") => protocol::serve(),
        _ => {
            let mut prompt = String::new();
            std::io::stdin().read_to_string(&mut prompt)?;
            answer_writer::write_start(&prompt)?;
            misbehaviour::misbehave(&prompt, &answer_writer::JsonLinesWriter)
        }
    }
}
