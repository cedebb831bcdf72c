//! Bounds on what a child prints: whole lines up to a length, and the head and tail of everything.

use crate::secret::ApiKey;

/// Longest line taken. A tool's result is at most 250,000 characters, escaped in JSON at most six bytes each.
pub const LINE_BYTES_MAX: usize = 2 * 1024 * 1024;

/// A key has at most this many bytes: so much is dropped at a cut, since half a key is a secret too.
const CUT_BYTES: usize = 512;

/// Cuts a stream of bytes into lines.
#[derive(Debug, Default)]
pub struct LineSplitter {
    waiting: Vec<u8>,
    /// Where the search for the next line end goes on.
    seen: usize,
}

/// A line is longer than any valid message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineTooLong;

impl LineSplitter {
    pub fn push(&mut self, bytes: &[u8]) {
        self.waiting.extend_from_slice(bytes);
    }

    /// The next whole line, without its end. Bytes that are no UTF-8 become replacement characters.
    pub fn next_line(&mut self) -> Result<Option<String>, LineTooLong> {
        let end =
            self.waiting.iter().skip(self.seen).position(|byte| *byte == b'\n').map(|at| at + self.seen);
        let Some(end) = end else {
            self.seen = self.waiting.len();
            return if self.waiting.len() > LINE_BYTES_MAX { Err(LineTooLong) } else { Ok(None) };
        };
        if end > LINE_BYTES_MAX {
            return Err(LineTooLong);
        }
        let rest = self.waiting.split_off(end + 1);
        let line = std::mem::replace(&mut self.waiting, rest);
        self.seen = 0;
        Ok(Some(String::from_utf8_lossy(&line).trim_end_matches(['\n', '\r']).to_owned()))
    }

    /// What is left when no more comes.
    pub fn rest(&mut self) -> Option<String> {
        let rest = std::mem::take(&mut self.waiting);
        self.seen = 0;
        (!rest.is_empty() && rest.len() <= LINE_BYTES_MAX)
            .then(|| String::from_utf8_lossy(&rest).into_owned())
    }
}

/// The first and the last of many bytes.
#[derive(Debug)]
pub struct HeadAndTail {
    head: Vec<u8>,
    /// Up to twice as long as it is kept: so each byte is moved at most once.
    tail: Vec<u8>,
    each_bytes_max: usize,
    pushed: u64,
}

impl HeadAndTail {
    pub fn new(each_bytes_max: usize) -> Self {
        Self { head: Vec::new(), tail: Vec::new(), each_bytes_max, pushed: 0 }
    }

    pub fn push(&mut self, bytes: &[u8]) {
        self.pushed += bytes.len() as u64;
        let room = self.each_bytes_max.saturating_sub(self.head.len());
        let (first, rest) = bytes.split_at(room.min(bytes.len()));
        self.head.extend_from_slice(first);
        self.tail.extend(rest.iter().skip(rest.len().saturating_sub(self.each_bytes_max)));
        if self.tail.len() > self.each_bytes_max.saturating_mul(2) {
            self.tail.drain(..self.tail.len().saturating_sub(self.each_bytes_max));
        }
    }

    /// Head and tail as text, without the key.
    pub fn redacted_text(&self, key: &ApiKey) -> String {
        if self.pushed == (self.head.len() + self.tail.len()) as u64 {
            let all: Vec<u8> = self.head.iter().chain(&self.tail).copied().collect();
            return key.redact(&String::from_utf8_lossy(&all));
        }
        let head = self.head.get(..self.head.len().saturating_sub(CUT_BYTES)).unwrap_or_default();
        let tail = self.tail.get(CUT_BYTES.min(self.tail.len())..).unwrap_or_default();
        let hidden = |bytes: &[u8]| key.redact(&String::from_utf8_lossy(bytes));
        format!("{}\n[…]\n{}", hidden(head), hidden(tail))
    }
}

#[cfg(test)]
mod tests {
    use super::{HeadAndTail, LINE_BYTES_MAX, LineSplitter, LineTooLong};
    use crate::secret::ApiKey;

    #[test]
    fn lines_come_whole_however_the_bytes_arrive() {
        let mut lines = LineSplitter::default();
        let mut found = Vec::new();
        for piece in ["{\"a\":", "1}\r\n{\"b\"", ":2}\n\n", "rest"] {
            lines.push(piece.as_bytes());
            while let Ok(Some(line)) = lines.next_line() {
                found.push(line);
            }
        }
        assert_eq!(found, ["{\"a\":1}", "{\"b\":2}", ""]);
        assert_eq!(lines.rest().as_deref(), Some("rest"));
    }

    #[test]
    fn invalid_text_is_kept_as_well_as_it_can_be() {
        let mut lines = LineSplitter::default();
        lines.push(b"a\xff\xfeb\n");
        assert_eq!(lines.next_line(), Ok(Some("a\u{fffd}\u{fffd}b".to_owned())));
    }

    #[test]
    fn an_endless_line_is_refused_in_bounded_memory() {
        let mut lines = LineSplitter::default();
        lines.push(&vec![b'x'; LINE_BYTES_MAX + 1]);
        assert_eq!(lines.next_line(), Err(LineTooLong));
    }

    #[test]
    fn head_and_tail_stay_and_the_middle_goes() {
        let key = ApiKey::parse("AIza-canary").unwrap();
        let mut ends = HeadAndTail::new(1_000);
        for number in 0..10_000 {
            ends.push(format!("line {number}\n").as_bytes());
        }
        let shown = ends.redacted_text(&key);
        assert!(shown.starts_with("line 0\n") && shown.ends_with("line 9999\n"), "{shown}");
        assert!(shown.contains("[…]") && shown.len() < 4_000, "{}", shown.len());
        assert!(ends.head.len() + ends.tail.len() <= 3_000);
    }

    #[test]
    fn a_key_at_the_cut_is_not_shown_in_half() {
        let key = ApiKey::parse("AIza-canary-0123456789").unwrap();
        for before in 900..1_100 {
            let mut ends = HeadAndTail::new(1_000);
            ends.push(" ".repeat(before).as_bytes());
            ends.push(b"AIza-canary-0123456789");
            ends.push(" ".repeat(5_000 + before).as_bytes());
            ends.push(b"AIza-canary-0123456789");
            ends.push(" ".repeat(before).as_bytes());
            let shown = ends.redacted_text(&key);
            assert!(!shown.contains("AIza") && !shown.contains("6789"), "{before}: {shown}");
        }
    }
}
