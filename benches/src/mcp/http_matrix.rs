//! Who gets in over HTTP, and what one caller can learn of another's research: every combination, against
//! the real `probity serve`, over plain sockets.

mod doors;
mod served;
mod strangers;

use crate::figure::{Figure, Size};
use served::Served;

/// Everything is small enough for CI.
pub fn measure(_size: Size) -> anyhow::Result<Vec<Figure>> {
    let served = Served::start()?;
    let mut figures = doors::measure(&served)?;
    figures.push(strangers::measure(&served)?);
    Ok(figures)
}

/// What was tried, what got through that should not have, and what did not that should have.
#[derive(Debug, Default)]
struct Count {
    tried: usize,
    controls: usize,
    wrong: Vec<String>,
}

impl Count {
    /// Something that must be refused, or must tell nothing.
    fn refused(&mut self, holds: bool, what: impl FnOnce() -> String) {
        self.tried += 1;
        if !holds {
            self.wrong.push(what());
        }
    }

    /// Something that must work, or refusing proves nothing.
    fn works(&mut self, holds: bool, what: impl FnOnce() -> String) {
        self.controls += 1;
        if !holds {
            self.wrong.push(format!("control: {}", what()));
        }
    }

    fn figure(self, name: &str) -> Figure {
        let got_in = self.wrong.iter().filter(|what| !what.starts_with("control: ")).count();
        let measured = format!("{got_in} of {}", self.tried);
        let reached = self.wrong.is_empty() && self.tried > 0 && self.controls > 0;
        let mut note = format!("{} allowed requests went through beside them", self.controls);
        if !self.wrong.is_empty() {
            let shown: Vec<&str> = self.wrong.iter().take(5).map(String::as_str).collect();
            note = format!("{} wrong: {}", self.wrong.len(), shown.join("; "));
        }
        Figure::judged(name, reached, measured, "0").with_note(note)
    }
}
