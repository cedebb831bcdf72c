//! Tracks whether a position in a text is inside code. Only chooses between two harmless spellings, so a
//! wrong guess costs looks, never safety.

/// Longest span of code looked for: without a bound a text of nothing but backticks would take minutes.
const SPAN_BYTES_MAX: usize = 512;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CodeContext {
    InCode,
    OutsideCode,
}

#[derive(Debug, Default)]
pub struct CodeTracker {
    /// Character and length of the fence that is open.
    fence: Option<(char, usize)>,
    /// Backticks that opened a span on this line.
    span: Option<usize>,
    in_line: bool,
    /// Bytes of this line that are a fence and need no check.
    skipping: usize,
}

impl CodeTracker {
    /// Called with the text ahead, before each piece is written.
    pub fn look_ahead(&mut self, rest: &str) {
        if !self.in_line {
            self.in_line = true;
            self.span = None;
            self.begin_line(rest);
        }
        if self.skipping > 0 || self.fence.is_some() || !rest.starts_with('`') {
            return;
        }
        let ticks = rest.chars().take_while(|c| *c == '`').count();
        self.span = match self.span {
            Some(open) if open == ticks => None,
            Some(open) => Some(open),
            // A span that does not end on its line is not one.
            None => has_end(rest, ticks).then_some(ticks),
        };
        self.skipping = ticks;
    }

    /// Called with the text that was written.
    pub fn advance(&mut self, passed: &str) {
        self.skipping = self.skipping.saturating_sub(passed.len());
        if passed == "\n" {
            self.in_line = false;
            self.skipping = 0;
        }
    }

    pub fn code_context(&self) -> CodeContext {
        if self.fence.is_some() || self.span.is_some() {
            CodeContext::InCode
        } else {
            CodeContext::OutsideCode
        }
    }

    /// The line that closes a fence that is still open.
    pub fn open_fence(&self) -> Option<String> {
        self.fence.map(|(mark, length)| mark.to_string().repeat(length))
    }

    fn begin_line(&mut self, rest: &str) {
        let line = rest.lines().next().unwrap_or_default();
        let bare = line.trim_start();
        let Some(mark) = bare.chars().next().filter(|c| matches!(c, '`' | '~')) else { return };
        let length = bare.chars().take_while(|c| *c == mark).count();
        let behind = bare.trim_start_matches(mark);
        match self.fence {
            Some((open, least)) if open == mark && length >= least && behind.trim().is_empty() => {
                self.fence = None;
                self.skipping = line.len();
            }
            None if length >= 3 && !(mark == '`' && behind.contains('`')) => {
                self.fence = Some((mark, length));
                self.skipping = line.len();
            }
            _ => {}
        }
    }
}

/// Whether a run of exactly `ticks` backticks follows soon on the same line.
fn has_end(rest: &str, ticks: usize) -> bool {
    let near = rest.get(..rest.floor_char_boundary(SPAN_BYTES_MAX)).unwrap_or_default();
    let line = near.lines().next().unwrap_or_default();
    let inside = line.trim_start_matches('`');
    inside.split(|c| c != '`').any(|run| run.len() == ticks)
}
