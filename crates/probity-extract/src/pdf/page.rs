//! The lines of one page, from where its drawing commands put each run of letters.
//!
//! Knows lines and gaps between words, not columns: text comes in the order in which it is drawn.

use std::collections::BTreeMap;

use lopdf::{Dictionary, Document, Encoding, Object, ObjectId, content::Content};

/// Width of a letter of unknown width, in parts of its height.
const LETTER_WIDTH: f32 = 0.5;
/// A gap wider than this part of the height parts two words.
const GAP: f32 = 0.2;
/// A step up or down of more than this part of the height begins a line.
const STEP: f32 = 0.35;
/// Inside a run of letters, in thousandths of the height.
const GAP_IN_RUN: f32 = 180.0;

pub fn text(document: &Document, page: ObjectId, unpacked_bytes_max: usize) -> Result<String, lopdf::Error> {
    let fonts: BTreeMap<Vec<u8>, Font<'_>> = document
        .get_page_fonts(page)?
        .into_iter()
        .filter_map(|(name, font)| Some((name, Font::of(document, font, unpacked_bytes_max)?)))
        .collect();
    let data = document.get_page_content_with_limit(page, unpacked_bytes_max)?;
    let mut pen = Pen::default();
    for operation in &Content::decode(&data)?.operations {
        pen.step(&operation.operator, &operation.operands, &fonts);
    }
    Ok(pen.text)
}

struct Font<'a> {
    encoding: Encoding<'a>,
    /// Of the letters from `first` on, in thousandths of the height; empty where the font does not say.
    widths: Vec<f32>,
    first: usize,
}

impl<'a> Font<'a> {
    fn of(document: &'a Document, font: &'a Dictionary, unpacked_bytes_max: usize) -> Option<Self> {
        let encoding = font.get_font_encoding_with_limit(document, unpacked_bytes_max).ok()?;
        let widths = font.get_deref(b"Widths", document).and_then(Object::as_array);
        let widths = widths.map(|list| list.iter().map(number).collect()).unwrap_or_default();
        let first = font.get(b"FirstChar").and_then(Object::as_i64).unwrap_or(0);
        Some(Self { encoding, widths, first: usize::try_from(first).unwrap_or(0) })
    }

    /// How far a run of letters goes, in parts of the height.
    fn width(&self, bytes: &[u8], letters: usize) -> f32 {
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

#[derive(Debug, Default)]
struct Pen {
    text: String,
    font: Vec<u8>,
    size: f32,
    /// How the page stretches letters: from the matrix.
    stretch: (f32, f32),
    /// Begin of the line.
    line: (f32, f32),
    leading: f32,
    /// Where the next letter goes.
    x: f32,
    /// Where the last one ended, and the line it stood on.
    last: Option<(f32, f32)>,
}

impl Pen {
    fn step(&mut self, operator: &str, operands: &[Object], fonts: &BTreeMap<Vec<u8>, Font<'_>>) {
        let value = |place: usize| operands.get(place).map_or(0.0, number);
        match operator {
            "BT" => {
                self.stretch = (1.0, 1.0);
                self.go((0.0, 0.0));
            }
            "Tf" => {
                self.font =
                    operands.first().and_then(|name| name.as_name().ok()).unwrap_or_default().to_vec();
                self.size = value(1);
            }
            "TL" => self.leading = value(0),
            "Td" => self.shift(value(0), value(1)),
            "TD" => {
                self.leading = -value(1);
                self.shift(value(0), value(1));
            }
            "Tm" => {
                self.stretch = (value(0), value(3));
                self.go((value(4), value(5)));
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

    fn go(&mut self, place: (f32, f32)) {
        self.line = place;
        self.x = place.0;
    }

    fn shift(&mut self, x: f32, y: f32) {
        self.go((self.line.0 + x * self.stretch.0, self.line.1 + y * self.stretch.1));
    }

    fn show_all(&mut self, operands: &[Object], fonts: &BTreeMap<Vec<u8>, Font<'_>>) {
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

    fn show(&mut self, string: Option<&Object>, fonts: &BTreeMap<Vec<u8>, Font<'_>>) {
        let (Some(Object::String(bytes, _)), Some(font)) = (string, fonts.get(&self.font)) else { return };
        let Ok(run) = Document::decode_text(&font.encoding, bytes) else { return };
        let (width, height) = (self.size * self.stretch.0, (self.size * self.stretch.1).abs());
        if let Some((x, y)) = self.last {
            if (y - self.line.1).abs() > STEP * height {
                self.text.push('\n');
            } else if self.x - x > GAP * height || self.x < x - height {
                self.space();
            }
        }
        self.text.push_str(&run);
        self.x += width * font.width(bytes, run.chars().count());
        self.last = Some((self.x, self.line.1));
    }

    fn space(&mut self) {
        if !self.text.ends_with(char::is_whitespace) {
            self.text.push(' ');
        }
    }
}

fn number(object: &Object) -> f32 {
    object.as_float().unwrap_or(0.0)
}
