//! Who gets in over HTTP, and what one caller can learn of another's research: every combination, against
//! the real `probity serve`, over plain sockets.

mod admission;
mod http_server;
mod user_isolation;

use crate::figure::{Figure, MeasurementSize};
use http_server::HttpServerTestBed;

/// Everything is small enough for CI.
pub fn measure(_size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let served = HttpServerTestBed::start()?;
    let mut figures = admission::measure(&served)?;
    figures.push(user_isolation::measure(&served)?);
    Ok(figures)
}

/// What was tried, what got through that should not have, and what did not that should have.
#[derive(Debug, Default)]
struct HttpMatrixTally {
    tried: usize,
    controls: usize,
    wrong: Vec<String>,
}

impl HttpMatrixTally {
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
