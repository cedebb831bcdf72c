//! Parses server-sent events from a byte stream, wherever its chunks end.
//!
//! Keeps `data` only: the service repeats the event's name inside it. Takes LF, CRLF and CR, comments, frames
//! of several data lines, and a last frame without its empty line. Does not parse the data.

/// Longest frame in bytes. Text frames have a few hundred; a picture as base64 has some millions.
pub const FRAME_BYTES_MAX: usize = 8 * 1024 * 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a frame of the stream has more than {FRAME_BYTES_MAX} bytes")]
pub struct FrameTooLong;

/// The parser's state between two chunks.
#[derive(Debug, Default)]
pub struct SseFrameParser {
    /// Received, from `start` on not yet parsed as a whole line.
    buffer: Vec<u8>,
    start: usize,
    /// Searched for a line end up to here.
    searched: usize,
    /// Data lines of the frame that has not ended yet.
    data: Option<Vec<u8>>,
    first_line_passed: bool,
    /// The last line ended with CR: an LF that follows belongs to it.
    after_return: bool,
}

impl SseFrameParser {
    pub fn push(&mut self, piece: &[u8]) {
        if self.start > 0 {
            self.buffer.drain(..self.start.min(self.buffer.len()));
            self.searched = self.searched.saturating_sub(self.start);
            self.start = 0;
        }
        self.buffer.extend_from_slice(piece);
    }

    /// The data of the next whole frame.
    pub fn next_frame(&mut self) -> Result<Option<Vec<u8>>, FrameTooLong> {
        while let Some(line_end) = self.line_end() {
            let buffer = std::mem::take(&mut self.buffer);
            let frame = self.line(buffer.get(self.start..line_end).unwrap_or_default());
            self.after_return = buffer.get(line_end) == Some(&b'\r');
            self.buffer = buffer;
            self.start = line_end + 1;
            self.searched = self.start;
            if let Some(frame) = frame? {
                return Ok(Some(frame));
            }
        }
        let waiting = self.buffer.len().saturating_sub(self.start);
        let held = self.data.as_ref().map_or(0, Vec::len);
        if waiting + held > FRAME_BYTES_MAX { Err(FrameTooLong) } else { Ok(None) }
    }

    /// The rest when the stream ended: its last frame may lack the empty line, and even the line end.
    pub fn finish(&mut self) -> Result<Option<Vec<u8>>, FrameTooLong> {
        let buffer = std::mem::take(&mut self.buffer);
        let rest = buffer.get(self.start..).unwrap_or_default();
        let rest = if self.after_return { rest.strip_prefix(b"\n").unwrap_or(rest) } else { rest };
        self.start = 0;
        self.searched = 0;
        self.after_return = false;
        if !rest.is_empty()
            && let Some(frame) = self.line(rest)?
        {
            return Ok(Some(frame));
        }
        Ok(self.data.take())
    }

    /// What has come of the data of a frame that has not ended.
    pub fn open_data(&self) -> &[u8] {
        match &self.data {
            Some(data) => data,
            None => {
                let line = self.buffer.get(self.start..).unwrap_or_default();
                data_value(self.without_mark(line)).unwrap_or_default()
            }
        }
    }

    fn line_end(&mut self) -> Option<usize> {
        if self.after_return
            && let Some(next) = self.buffer.get(self.start)
        {
            self.start += usize::from(*next == b'\n');
            self.after_return = false;
        }
        let from = self.searched.max(self.start);
        let found = self.buffer.get(from..)?.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
        self.searched = found.map_or(self.buffer.len(), |offset| from + offset);
        found.map(|offset| from + offset)
    }

    fn line(&mut self, line: &[u8]) -> Result<Option<Vec<u8>>, FrameTooLong> {
        let line = self.without_mark(line);
        self.first_line_passed = true;
        if line.is_empty() {
            return Ok(self.data.take());
        }
        let Some(value) = data_value(line) else { return Ok(None) };
        let data = match &mut self.data {
            Some(data) => {
                data.push(b'\n');
                data
            }
            none => none.insert(Vec::with_capacity(value.len())),
        };
        data.extend_from_slice(value);
        if data.len() > FRAME_BYTES_MAX { Err(FrameTooLong) } else { Ok(None) }
    }

    /// The stream's first line may begin with a byte order mark.
    fn without_mark<'l>(&self, line: &'l [u8]) -> &'l [u8] {
        if self.first_line_passed { line } else { line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line) }
    }
}

/// The value of a `data` line; other fields and comments have none.
fn data_value(line: &[u8]) -> Option<&[u8]> {
    let rest = line.strip_prefix(b"data")?;
    match rest.strip_prefix(b":") {
        Some(value) => Some(value.strip_prefix(b" ").unwrap_or(value)),
        None => rest.is_empty().then_some(rest),
    }
}

#[cfg(test)]
mod tests;
