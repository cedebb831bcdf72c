//! Raised small numbers: marks of notes behind a word, and the numbers that notes at the foot of a page begin with.

use super::{DrawnRun, TextCursor};

/// The letters of a mark have at most this part of the height of those around it.
const SMALLER: f32 = 0.85;
/// A mark stands higher than the line by at least and at most this part of the height of its letters.
const RAISED: std::ops::Range<f32> = 0.15..0.8;
/// Nobody numbers more notes than this has digits.
const DIGITS_MAX: usize = 3;

pub fn is_note_number(text: &str) -> bool {
    (1..=DIGITS_MAX).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
}

impl TextCursor {
    /// Takes a mark as `[^12]` and says so; mends a number at the start of a note in front of its words.
    pub(super) fn take_note_mark(&mut self, run: &str, drawn: DrawnRun, height: f32, length: f32) -> bool {
        let (Some(written), Some((end, _))) = (self.written, self.last) else { return false };
        let is_raised = |small: DrawnRun, tall: DrawnRun| {
            small.height < tall.height * SMALLER
                && RAISED.contains(&((small.baseline - tall.baseline) / tall.height.max(f32::EPSILON)))
        };
        let gap = (self.x - end) / height.max(f32::EPSILON);
        let is_near = (-0.5..1.5).contains(&gap);
        if is_near && is_raised(written, drawn) {
            self.mend_note_number();
            return false;
        }
        if !is_near || !is_raised(drawn, written) || !self.add_marks(run.trim()) {
            return false;
        }
        self.x += length;
        if let Some(last) = &mut self.last {
            last.0 = self.x;
        }
        true
    }

    /// Also of a run like `3,4`, and of a number whose digits are drawn one by one.
    fn add_marks(&mut self, run: &str) -> bool {
        let numbers: Vec<&str> = run.split([',', ' ']).collect();
        let fits =
            |number: &&str| number.len() <= DIGITS_MAX && number.bytes().all(|byte| byte.is_ascii_digit());
        let begins = run.starts_with(|first: char| first.is_ascii_digit());
        if !numbers.iter().all(fits) || (!self.mark_open && (!begins || self.is_exponent())) {
            return false;
        }
        self.switch_link(None);
        for (place, number) in numbers.iter().enumerate().filter(|(_, number)| !number.is_empty()) {
            if place == 0 && self.mark_open {
                self.text.pop();
                self.text.push_str(&format!("{number}]"));
            } else {
                self.text.push_str(&format!("[^{number}]"));
            }
        }
        self.mark_open = run.ends_with(|last: char| last.is_ascii_digit());
        true
    }

    /// `10` and `km` have powers, no notes.
    fn is_exponent(&self) -> bool {
        let word = self.text.rsplit(char::is_whitespace).next().unwrap_or_default();
        word.is_empty()
            || word.ends_with(|last: char| last.is_ascii_digit())
            || (word.chars().count() <= 2 && word.chars().all(char::is_alphabetic))
    }

    /// A line that is nothing but a small number so far, with words beside it that stand lower.
    fn mend_note_number(&mut self) {
        let start = self.text.rfind('\n').map_or(0, |at| at + 1);
        let number = self.text.get(start..).unwrap_or_default().trim().to_owned();
        if !is_note_number(&number) {
            return;
        }
        self.text.truncate(start);
        self.text.push_str(&format!("[^{number}] "));
        // The words go on in this line.
        self.last = Some((self.x, self.line.1));
    }
}
