//! While something is drawn live, the terminal does not write `^C` into it: the drawing would be torn.

use std::io::{self, IsTerminal as _};

use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};

/// Puts the terminal back when dropped.
pub struct EchoGuard {
    before: Termios,
}

impl EchoGuard {
    /// `None` when nobody types here.
    pub fn begin() -> Option<Self> {
        if !io::stdin().is_terminal() {
            return None;
        }
        let before = tcgetattr(io::stdin()).ok()?;
        let mut quiet = before.clone();
        quiet.local_modes.remove(LocalModes::ECHOCTL);
        tcsetattr(io::stdin(), OptionalActions::Now, &quiet).ok()?;
        Some(Self { before })
    }
}

impl Drop for EchoGuard {
    fn drop(&mut self) {
        if let Err(error) = tcsetattr(io::stdin(), OptionalActions::Now, &self.before) {
            tracing::debug!(%error, "the terminal was not put back");
        }
    }
}
