//! The lines of one page, from where its drawing commands put each run of letters.
//!
//! Knows lines and gaps between words, not columns: text comes in the order in which it is drawn.

mod note_marks;

pub use note_marks::is_note_number;

use std::collections::BTreeMap;

use lopdf::{Dictionary, Document, Encoding, Object, ObjectId, content::Content};

use super::links::{self, LinkArea, TransformMatrix};

/// Width of a letter of unknown width, in parts of its height.
const LETTER_WIDTH: f32 = 0.5;
/// A gap wider than this part of the height parts two words.
const GAP: f32 = 0.2;
/// A step up or down of more than this part of the height begins a line.
const STEP: f32 = 0.35;
/// Inside a run of letters, in thousandths of the height.
const GAP_IN_RUN: f32 = 180.0;
/// States of the page that are put aside at once; the standard asks for 28.
const KEPT_MAX: usize = 512;

pub fn lines(
    document: &Document,
    page: ObjectId,
    unpacked_bytes_max: usize,
    purpose: ReadingPurpose,
) -> Result<Vec<PageLine>, lopdf::Error> {
    let fonts: BTreeMap<Vec<u8>, PdfFont<'_>> = document
        .get_page_fonts(page)?
        .into_iter()
        .filter_map(|(name, font)| Some((name, PdfFont::of(document, font, unpacked_bytes_max)?)))
        .collect();
    let data = document.get_page_content_with_limit(page, unpacked_bytes_max)?;
    let is_checked = purpose == ReadingPurpose::CheckedText;
    let links = if is_checked { links::page_links(document, page) } else { Vec::new() };
    let mut pen = TextCursor { links, reads_notes: is_checked, ..TextCursor::default() };
    for operation in &Content::decode(&data)?.operations {
        pen.step(&operation.operator, &operation.operands, &fonts);
    }
    pen.switch_link(None);
    let heights = pen.heights.into_iter().chain(std::iter::repeat(0.0));
    Ok(pen
        .text
        .lines()
        .zip(heights)
        .map(|(text, height)| PageLine { text: text.to_owned(), height })
        .collect())
}

/// A line as it is drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct PageLine {
    pub text: String,
    /// Of its tallest letters, on the page.
    pub height: f32,
}

/// What a document is read for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadingPurpose {
    /// A page that others cite: its words alone.
    Source,
    /// A text whose citations are checked: links placed over words and the raised numbers of notes are written as
    /// Markdown writes them, and large letters make a heading.
    CheckedText,
}

struct PdfFont<'a> {
    encoding: Encoding<'a>,
    /// Of the letters from `first` on, in thousandths of the height; empty where the font does not say.
    widths: Vec<f32>,
    first: usize,
    /// Of a font whose letters have two bytes.
    wide: Option<WideLetterWidths>,
}

impl<'a> PdfFont<'a> {
    fn of(document: &'a Document, font: &'a Dictionary, unpacked_bytes_max: usize) -> Option<Self> {
        let encoding = font.get_font_encoding_with_limit(document, unpacked_bytes_max).ok()?;
        let widths = font.get_deref(b"Widths", document).and_then(Object::as_array);
        let widths = widths.map(|list| list.iter().map(number).collect()).unwrap_or_default();
        let first = font.get(b"FirstChar").and_then(Object::as_i64).unwrap_or(0);
        let wide = WideLetterWidths::of(document, font);
        Some(Self { encoding, widths, first: usize::try_from(first).unwrap_or(0), wide })
    }

    /// How far a run of letters goes, in parts of the height.
    fn width(&self, bytes: &[u8], letters: usize) -> f32 {
        if let Some(wide) = &self.wide {
            return wide.width(bytes);
        }
        if self.widths.is_empty() {
            return letters as f32 * LETTER_WIDTH;
        }
        let of = |byte: &u8| {
            let place = usize::from(*byte).checked_sub(self.first)?;
            self.widths.get(place).map(|width| width / 1000.0)
        };
        bytes.iter().map(|byte| of(byte).unwrap_or(LETTER_WIDTH)).sum()
    }
}

/// Widths of letters with two bytes each, in thousandths of the height. Browsers print with such fonts, and put every
/// letter where it belongs one by one.
struct WideLetterWidths {
    widths: BTreeMap<u16, f32>,
    other: f32,
}

impl WideLetterWidths {
    /// The default width of a font that declares none.
    const OTHER: f32 = 1000.0;

    fn of(document: &Document, font: &Dictionary) -> Option<Self> {
        let two_bytes =
            font.get(b"Encoding").and_then(Object::as_name).is_ok_and(|name| name == b"Identity-H");
        let parts = font.get_deref(b"DescendantFonts", document).and_then(Object::as_array).ok()?;
        let (_, own) = document.dereference(parts.first().filter(|_| two_bytes)?).ok()?;
        let own = own.as_dict().ok()?;
        let other = own.get_deref(b"DW", document).map_or(Self::OTHER, number);
        let list = own.get_deref(b"W", document).and_then(Object::as_array).ok()?;
        let mut widths = BTreeMap::new();
        let mut rest = list.iter();
        // `first [widths]` or `first last width`, over and over.
        while let (Some(first), Some(second)) = (rest.next(), rest.next()) {
            let Some(first) = code(first) else { break };
            match second {
                Object::Array(each) => widths.extend((first..=u16::MAX).zip(each.iter().map(number))),
                last => {
                    let (Some(last), Some(width)) = (code(last), rest.next()) else { break };
                    widths.extend((first..=last).map(|letter| (letter, number(width))));
                }
            }
        }
        Some(Self { widths, other })
    }

    fn width(&self, bytes: &[u8]) -> f32 {
        let of = |pair: &[u8; 2]| self.widths.get(&u16::from_be_bytes(*pair)).copied().unwrap_or(self.other);
        bytes.as_chunks::<2>().0.iter().map(of).sum::<f32>() / 1000.0
    }
}

fn code(object: &Object) -> Option<u16> {
    object.as_i64().ok().and_then(|code| u16::try_from(code).ok())
}

#[derive(Debug, Default)]
struct TextCursor {
    text: String,
    font: Vec<u8>,
    size: f32,
    /// How the page stretches letters: from the matrix.
    stretch: (f32, f32),
    /// Begin of the line.
    line: (f32, f32),
    leading: f32,
    /// The position of the next letter.
    x: f32,
    /// The end of the last letter, and its line.
    last: Option<(f32, f32)>,
    /// The transformation to the page, and the saved ones.
    matrix: TransformMatrix,
    kept: Vec<TransformMatrix>,
    links: Vec<LinkArea>,
    /// The address of the link that is being written.
    open: Option<String>,
    /// Of each line in `text`.
    heights: Vec<f32>,
    reads_notes: bool,
    /// The last run of letters that is no mark of a note.
    written: Option<DrawnRun>,
    /// The last run was such a mark.
    mark_open: bool,
}

/// Where letters stand on the page, whatever the matrix.
#[derive(Debug, Clone, Copy)]
struct DrawnRun {
    height: f32,
    baseline: f32,
}

impl TextCursor {
    fn step(&mut self, operator: &str, operands: &[Object], fonts: &BTreeMap<Vec<u8>, PdfFont<'_>>) {
        let value = |place: usize| operands.get(place).map_or(0.0, number);
        match operator {
            "BT" => {
                self.stretch = (1.0, 1.0);
                self.move_to((0.0, 0.0));
            }
            "Tf" => {
                self.font =
                    operands.first().and_then(|name| name.as_name().ok()).unwrap_or_default().to_vec();
                self.size = value(1);
            }
            "q" if self.kept.len() < KEPT_MAX => self.kept.push(self.matrix),
            "Q" => self.matrix = self.kept.pop().unwrap_or(self.matrix),
            "cm" => {
                self.matrix = self.matrix.after([value(0), value(1), value(2), value(3), value(4), value(5)])
            }
            "TL" => self.leading = value(0),
            "Td" => self.shift(value(0), value(1)),
            "TD" => {
                self.leading = -value(1);
                self.shift(value(0), value(1));
            }
            "Tm" => {
                self.stretch = (value(0), value(3));
                self.move_to((value(4), value(5)));
            }
            "T*" => self.shift(0.0, -self.leading),
            "Tj" => self.show(operands.first(), fonts),
            "'" => {
                self.shift(0.0, -self.leading);
                self.show(operands.first(), fonts);
            }
            "\"" => {
                self.shift(0.0, -self.leading);
                self.show(operands.get(2), fonts);
            }
            "TJ" => self.show_all(operands, fonts),
            _ => {}
        }
    }

    fn move_to(&mut self, place: (f32, f32)) {
        self.line = place;
        self.x = place.0;
    }

    fn shift(&mut self, x: f32, y: f32) {
        self.move_to((self.line.0 + x * self.stretch.0, self.line.1 + y * self.stretch.1));
    }

    fn show_all(&mut self, operands: &[Object], fonts: &BTreeMap<Vec<u8>, PdfFont<'_>>) {
        let Some(parts) = operands.first().and_then(|list| list.as_array().ok()) else { return };
        for part in parts {
            if matches!(part, Object::String(..)) {
                self.show(Some(part), fonts);
                continue;
            }
            let back = number(part);
            self.x -= back / 1000.0 * self.size * self.stretch.0;
            if back < -GAP_IN_RUN {
                self.space();
                self.last = Some((self.x, self.line.1));
            } else if let Some(last) = &mut self.last {
                last.0 = self.x;
            }
        }
    }

    fn show(&mut self, string: Option<&Object>, fonts: &BTreeMap<Vec<u8>, PdfFont<'_>>) {
        let (Some(Object::String(bytes, _)), Some(font)) = (string, fonts.get(&self.font)) else { return };
        let Ok(run) = Document::decode_text(&font.encoding, bytes) else { return };
        let (width, height) = (self.size * self.stretch.0, (self.size * self.stretch.1).abs());
        let length = width * font.width(bytes, run.chars().count());
        let drawn = DrawnRun {
            height: height * self.matrix.vertical_scale(),
            baseline: self.matrix.apply(self.x, self.line.1).1,
        };
        if self.reads_notes && !run.trim().is_empty() && self.take_note_mark(&run, drawn, height, length) {
            return;
        }
        if let Some((x, y)) = self.last {
            if (y - self.line.1).abs() > STEP * height {
                self.text.push('\n');
                self.heights.push(0.0);
            } else if self.x - x > GAP * height || self.x < x - height {
                self.space();
            }
        }
        let middle = self.matrix.apply(self.x + length / 2.0, self.line.1);
        let link = self.links.iter().find(|link| link.covers(middle)).map(|link| link.url.clone());
        // White space between the words of a link does not end it.
        let link = if run.trim().is_empty() { self.open.clone() } else { link };
        self.switch_link(link);
        self.text.push_str(&run);
        if !run.trim().is_empty() {
            self.written = Some(drawn);
            self.mark_open = false;
            match self.heights.last_mut() {
                Some(tallest) => *tallest = tallest.max(drawn.height),
                None => self.heights.push(drawn.height),
            }
        }
        self.x += length;
        self.last = Some((self.x, self.line.1));
    }

    /// Ends the link that is being written and begins another one, or none. White space stays outside.
    fn switch_link(&mut self, link: Option<String>) {
        if self.open == link {
            return;
        }
        if let Some(url) = self.open.take() {
            let length = self.text.trim_end().len();
            let space = self.text.split_off(length);
            self.text.push_str(&format!("]({url}){space}"));
        }
        if link.is_some() {
            self.text.push('[');
        }
        self.open = link;
    }

    fn space(&mut self) {
        if !self.text.ends_with(char::is_whitespace) {
            self.text.push(' ');
        }
    }
}

pub fn number(object: &Object) -> f32 {
    object.as_float().unwrap_or(0.0)
}
