//! The only module that writes to stdout and stderr.
//!
//! stdout has what people pipe: reports, lists, one JSON document. Everything else goes to stderr.
//! A reader that goes away early (`| head`) is no error.

mod echo_guard;
pub mod live;
pub mod markdown;

use std::{
    io::{self, IsTerminal as _, Write as _},
    os::fd::AsFd,
};

use indicatif::MultiProgress;
use probity_research::Code;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde::Serialize;

use crate::{command_error::CommandError, environment::Environment, format};

/// Columns assumed when a terminal does not say.
const COLUMNS_DEFAULT: usize = 80;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    Good,
    Warning,
    Bad,
    Strong,
    Slanted,
    Quiet,
}

#[derive(Debug, Clone)]
pub struct ConsoleOutput {
    colour_out: bool,
    colour_err: bool,
    asks: bool,
    live: bool,
    bars: MultiProgress,
}

impl ConsoleOutput {
    pub fn new(environment: &Environment) -> Self {
        let colour = !environment.is_set("NO_COLOR");
        let (out, err) = (io::stdout().is_terminal(), io::stderr().is_terminal());
        Self {
            colour_out: colour && out,
            colour_err: colour && err,
            asks: io::stdin().is_terminal() && err,
            live: err,
            bars: MultiProgress::new(),
        }
    }

    /// Whether the user can be asked.
    pub fn can_ask(&self) -> bool {
        self.asks
    }

    /// Text for stdout, ended by a line break.
    pub fn data(&self, text: &str) -> Result<(), CommandError> {
        let end = if text.ends_with('\n') { "" } else { "\n" };
        self.bars.suspend(|| {
            let mut out = io::stdout().lock();
            let written = out
                .write_all(text.as_bytes())
                .and_then(|()| out.write_all(end.as_bytes()))
                .and_then(|()| out.flush());
            delivered(written)
        })
    }

    /// Exactly one document.
    pub fn json(&self, document: &impl Serialize) -> Result<(), CommandError> {
        let text = serde_json::to_string_pretty(document).map_err(|error| {
            CommandError::new(Code::StoreFailed, "could not write the answer as JSON").with_cause(&error)
        })?;
        self.data(&text)
    }

    /// One of many documents, each on a line of its own.
    pub fn json_line(&self, document: &impl Serialize) -> Result<(), CommandError> {
        let text = serde_json::to_string(document).map_err(|error| {
            CommandError::new(Code::StoreFailed, "could not write the answer as JSON").with_cause(&error)
        })?;
        self.data(&text)
    }

    /// Bytes unchanged, for `--raw`.
    pub fn bytes(&self, bytes: &[u8]) -> Result<(), CommandError> {
        let mut out = io::stdout().lock();
        delivered(out.write_all(bytes).and_then(|()| out.flush()))
    }

    /// Lines for the user at the terminal.
    pub fn print_message(&self, text: &str) {
        let fitted: Vec<String> =
            text.split('\n').map(|line| self.fit_err(line, hanging_indent(line))).collect();
        self.bars.suspend(|| to_stderr(&fitted.join("\n")));
    }

    /// Named values under each other.
    pub fn rows(&self, rows: &[(&str, String)]) -> String {
        let line = |(name, value): &(&str, String)| self.fit_err(&format!("  {name:<9} {value}"), 12);
        rows.iter().map(line).collect::<Vec<String>>().join("\n")
    }

    pub fn failure(&self, failure: &CommandError) {
        let mut text = format!(
            "{}: {}",
            self.style_err(Tone::Bad, &format!("error[{}]", failure.problem.code)),
            failure.problem.message
        );
        for cause in failure.causes.iter().filter(|cause| **cause != failure.problem.message) {
            text.push_str(&format!("\n  because: {}", probity_research::text::line(cause, 400)));
        }
        text.push_str(&format!("\n{}: {}", self.style_err(Tone::Good, "hint"), failure.hint));
        text.push_str(&format!(
            "\n{}",
            self.style_err(Tone::Quiet, &format!("more: probity explain {}", failure.problem.code))
        ));
        self.print_message(&text);
    }

    /// What clap prints: help on stdout, a usage error on stderr.
    pub fn usage(&self, error: &clap::Error) {
        if let Err(refused) = error.print() {
            tracing::debug!(%refused, "usage was not written");
        }
    }

    /// Asks once; anything but yes is no.
    pub fn confirm(&self, question: &str) -> bool {
        self.bars.suspend(|| {
            let mut err = io::stderr().lock();
            if write!(err, "{question} [y/N] ").and_then(|()| err.flush()).is_err() {
                return false;
            }
            let mut answer = String::new();
            match io::stdin().read_line(&mut answer) {
                Ok(_) => matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"),
                Err(_) => false,
            }
        })
    }

    /// Styled for stderr.
    pub fn style_err(&self, tone: Tone, text: &str) -> String {
        styled(self.colour_err, tone, text)
    }

    /// Styled for stdout.
    pub fn style_out(&self, tone: Tone, text: &str) -> String {
        styled(self.colour_out, tone, text)
    }

    /// Columns of the terminal that stdout goes to; `None` when it goes elsewhere.
    pub fn columns(&self) -> Option<usize> {
        columns_of(io::stdout())
    }

    /// A line for stdout, broken between words where the screen ends.
    pub fn fit_out(&self, line: &str, hang: usize) -> String {
        columns_of(io::stdout()).map_or_else(|| line.to_owned(), |columns| format::wrap(line, columns, hang))
    }

    /// The same for stderr.
    pub fn fit_err(&self, line: &str, hang: usize) -> String {
        columns_of(io::stderr()).map_or_else(|| line.to_owned(), |columns| format::wrap(line, columns, hang))
    }

    /// An empty line between messages and a report on the same screen.
    pub fn print_blank_line(&self) {
        if self.live && io::stdout().is_terminal() {
            self.print_message("");
        }
    }

    /// A writer for log lines that does not break the live display.
    pub fn log(&self) -> LogWriter {
        LogWriter { bars: self.bars.clone() }
    }

    pub fn log_is_coloured(&self) -> bool {
        self.colour_err
    }
}

/// What a pipe takes at once when it says that it takes something: `PIPE_BUF` of Linux, the least of any system is less
/// than a line.
const PIPE_BYTES: usize = 4096;

/// Log lines on stderr, between two drawings of the live display. A line for which there is no room is dropped: a
/// client that starts this program and never reads its log must not hold it up.
#[derive(Debug, Clone)]
pub struct LogWriter {
    bars: MultiProgress,
}

impl io::Write for LogWriter {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        self.bars.suspend(|| {
            let mut stderr = io::stderr().lock();
            let (piece, _) = buffer.split_at(buffer.len().min(PIPE_BYTES));
            if takes_bytes(&stderr) { stderr.write(piece) } else { Ok(buffer.len()) }
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().lock().flush()
    }
}

/// Whether a write would not block; also yes where the system does not say.
fn takes_bytes(end: &impl AsFd) -> bool {
    let mut asked = [PollFd::new(end, PollFlags::OUT)];
    !matches!(poll(&mut asked, Some(&Timespec { tv_sec: 0, tv_nsec: 0 })), Ok(0))
}

/// Text after `hint:` and its like is indented; prose is not, and rows keep their place.
fn hanging_indent(line: &str) -> usize {
    match line.split(' ').next() {
        Some(first) if first.ends_with(':') => 2,
        _ => line.chars().take_while(|character| *character == ' ').count(),
    }
}

fn columns_of(screen: impl io::IsTerminal + std::os::fd::AsFd) -> Option<usize> {
    if !screen.is_terminal() {
        return None;
    }
    let size = rustix::termios::tcgetwinsize(screen).ok()?;
    Some(match usize::from(size.ws_col) {
        0 => COLUMNS_DEFAULT,
        columns => columns,
    })
}

fn styled(colour: bool, tone: Tone, text: &str) -> String {
    let code = match tone {
        Tone::Good => "32",
        Tone::Warning => "33",
        Tone::Bad => "1;31",
        Tone::Strong => "1",
        Tone::Slanted => "3",
        Tone::Quiet => "2",
    };
    if colour { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
}

/// When stderr is closed there is no reader left.
fn to_stderr(line: &str) {
    let mut err = io::stderr().lock();
    if let Err(error) = writeln!(err, "{line}") {
        tracing::trace!(%error, "stderr is closed");
    }
}

fn delivered(written: io::Result<()>) -> Result<(), CommandError> {
    match written {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(CommandError::new(Code::StoreFailed, "could not write to standard output")
            .with_cause(&error)
            .with_hint("the result is kept; read it with `probity runs show last`")),
    }
}
