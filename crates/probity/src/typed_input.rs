//! What the user types or pipes in: a line of a terminal, hidden where it is a secret, or all that comes through stdin.

use std::io::{self, BufRead as _, IsTerminal as _, Read as _};

use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};

/// Longest line that is read as an answer; no key is longer.
const ANSWER_BYTES_MAX: u64 = 4 * 1024;
/// A larger input is no value of a setting and no key.
const PIPED_BYTES_MAX: u64 = 64 * 1024;

/// `None` at the end of the input.
pub fn read_line() -> Option<String> {
    let mut text = String::new();
    let read = io::stdin().lock().take(ANSWER_BYTES_MAX).read_line(&mut text);
    read.ok().filter(|bytes| *bytes > 0).map(|_| text)
}

/// The same, while the terminal shows nothing of it.
pub fn read_hidden_line() -> Option<String> {
    let hidden = HiddenInput::begin();
    let answer = read_line();
    drop(hidden);
    answer
}

/// All that is piped in; `None` where it cannot be read as text.
pub fn read_piped() -> Option<String> {
    let mut text = String::new();
    let read = io::stdin().lock().take(PIPED_BYTES_MAX).read_to_string(&mut text);
    read.ok().map(|_| text)
}

/// Whether somebody types.
pub fn is_typed() -> bool {
    io::stdin().is_terminal()
}

/// The terminal does not echo what is typed until this is dropped.
struct HiddenInput {
    before: Termios,
}

impl HiddenInput {
    fn begin() -> Option<Self> {
        let before = tcgetattr(io::stdin()).ok()?;
        let mut quiet = before.clone();
        quiet.local_modes.remove(LocalModes::ECHO);
        quiet.local_modes.insert(LocalModes::ECHONL);
        tcsetattr(io::stdin(), OptionalActions::Flush, &quiet).ok()?;
        Some(Self { before })
    }
}

impl Drop for HiddenInput {
    fn drop(&mut self) {
        if let Err(error) = tcsetattr(io::stdin(), OptionalActions::Now, &self.before) {
            tracing::debug!(%error, "terminal echo was not restored");
        }
    }
}
