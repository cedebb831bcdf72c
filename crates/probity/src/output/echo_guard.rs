//! While the live display is drawn, the terminal does not echo `^C` into it: the drawing would be broken.

use std::io::{self, IsTerminal as _};

use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};

/// Restores the terminal when dropped.
pub struct EchoGuard {
    before: Termios,
}

impl EchoGuard {
    /// `None` when stdin is no terminal.
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
            tracing::debug!(%error, "terminal echo was not restored");
        }
    }
}
