//! A Gemini CLI that misbehaves on request, for what the real one cannot be made to do.
//!
//! `[[fake NAME key=value]]` in the prompt chooses what it does; without one it answers politely.
#![expect(
    clippy::disallowed_methods,
    reason = "it starts itself again as its own grandchild, and drips by the clock"
)]

mod attack;
mod protocol;
mod say;
mod trouble;

use std::io::Read as _;

/// The version it claims; tests of an old one pass another with FAKE_CLI_VERSION in its name.
const VERSION: &str = "0.61.0";
/// The first argument of a grandchild.
pub const GRANDCHILD: &str = "--grandchild";

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.first().map(String::as_str) {
        Some("--version") => {
            let old = std::env::current_exe().is_ok_and(|program| program.ends_with("old-cli"));
            say::line(if old { "0.1.2" } else { VERSION })
        }
        Some(GRANDCHILD) => trouble::grandchild(arguments.get(1).map_or("", String::as_str)),
        Some("--acp") => protocol::serve(),
        _ => {
            let mut prompt = String::new();
            std::io::stdin().read_to_string(&mut prompt)?;
            say::begin(&prompt)?;
            trouble::act(&prompt, &say::Stream)
        }
    }
}
