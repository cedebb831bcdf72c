//! Words broken into lines, with a font for every letter.

use std::{borrow::Cow, collections::BTreeSet, rc::Rc};

use parley::{
    Alignment, AlignmentOptions, FontContext, FontFamily, FontFamilyName, FontStyle, FontWeight, Layout,
    LayoutContext, LineHeight, OverflowWrap, StyleProperty,
};

use super::{
    fonts::{ChosenFonts, is_drawn},
    words::{BLACK, Ink, LINK, PdfLink, UNKNOWN, Words},
};

/// Bytes and pieces that are broken into lines together: a longer paragraph goes on in a second one, so that no text
/// takes more than its length.
const BYTES_MAX: usize = 16 * 1024;
const PIECES_MAX: usize = 2_000;
/// Raised words against those beside them.
const RAISED: f32 = 0.72;

/// How a block's words look.
#[derive(Debug, Clone, Copy)]
pub struct BlockLook {
    pub size: f32,
    pub bold: bool,
    pub italic: bool,
    /// Of a line, in sizes.
    pub height: f32,
    pub ink: Ink,
}

impl BlockLook {
    pub fn sized(size: f32) -> Self {
        Self { size, bold: false, italic: false, height: 1.32, ink: BLACK }
    }
}

/// What is drawn with a letter beside its shape.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Brush {
    pub ink: Ink,
    /// Place in `SetText::links`.
    pub link: Option<usize>,
    pub is_raised: bool,
    pub is_struck: bool,
    pub line: Option<(&'static str, Ink)>,
}

/// Words in their lines.
pub struct SetText {
    pub text: String,
    pub layout: Layout<Brush>,
    pub links: Vec<PdfLink>,
}

pub struct TextSetter {
    fonts: FontContext,
    layouts: LayoutContext<Brush>,
    families: Vec<FontFamilyName<'static>>,
    /// Letters that no font has.
    pub missing: BTreeSet<char>,
    /// Letters that a font says to have and does not draw in their surroundings; met while setting.
    pub undrawn: BTreeSet<char>,
}

impl TextSetter {
    pub fn new(chosen: ChosenFonts) -> Self {
        let families =
            chosen.families.into_iter().map(|name| FontFamilyName::Named(Cow::Owned(name))).collect();
        Self {
            fonts: chosen.context,
            layouts: LayoutContext::new(),
            families,
            missing: chosen.missing,
            undrawn: BTreeSet::new(),
        }
    }

    pub fn set(&mut self, words: &Words, look: BlockLook, width: f32) -> Vec<Rc<SetText>> {
        parts(words).iter().map(|part| Rc::new(self.set_part(part, look, width))).collect()
    }

    fn set_part(&mut self, words: &Words, look: BlockLook, width: f32) -> SetText {
        let mut text = String::new();
        let mut links = Vec::new();
        let mut styles = Vec::new();
        for (piece, word) in &words.pieces {
            let start = text.len();
            text.extend(piece.chars().filter_map(|letter| match self.missing.contains(&letter) {
                true => replacement(letter),
                false => Some(letter),
            }));
            let link = word.link.as_ref().map(|link| {
                links.push(link.clone());
                links.len() - 1
            });
            let web = matches!(word.link, Some(PdfLink::Web(_)));
            let brush = Brush {
                ink: word.ink.unwrap_or(look.ink),
                link,
                is_raised: word.raised,
                is_struck: word.struck,
                line: match word.line {
                    Some((kind, colour)) => Some((kind, super::ink(colour))),
                    None => web.then_some(("single", LINK)),
                },
            };
            styles.push((start..text.len(), brush, word));
        }
        let mut builder = self.layouts.ranged_builder(&mut self.fonts, &text, 1.0, false);
        builder.push_default(StyleProperty::FontFamily(FontFamily::List(Cow::Borrowed(&self.families))));
        builder.push_default(StyleProperty::FontSize(look.size));
        builder.push_default(StyleProperty::LineHeight(LineHeight::Absolute(look.size * look.height)));
        builder.push_default(StyleProperty::OverflowWrap(OverflowWrap::Anywhere));
        for (range, brush, word) in styles.into_iter().filter(|(range, ..)| !range.is_empty()) {
            if word.bold || look.bold {
                builder.push(StyleProperty::FontWeight(FontWeight::BOLD), range.clone());
            }
            if word.italic || look.italic {
                builder.push(StyleProperty::FontStyle(FontStyle::Oblique(None)), range.clone());
            }
            if word.raised {
                builder.push(StyleProperty::FontSize(look.size * RAISED), range.clone());
            }
            builder.push(StyleProperty::Brush(brush), range);
        }
        let mut layout = builder.build(&text);
        layout.break_all_lines(Some(width));
        layout.align(Alignment::Start, AlignmentOptions::default());
        self.look_for_undrawn(&text, &layout);
        SetText { text, layout, links }
    }

    fn look_for_undrawn(&mut self, text: &str, layout: &Layout<Brush>) {
        for run in layout.lines().flat_map(|line| line.runs().collect::<Vec<_>>()) {
            for cluster in run.clusters().filter(|cluster| cluster.glyphs().any(|glyph| glyph.id == 0)) {
                let letters = text.get(cluster.text_range()).unwrap_or_default();
                self.undrawn.extend(letters.chars().filter(|letter| *letter != '\n'));
            }
        }
    }
}

/// What is drawn instead of a letter that no font has: invisible ones need nothing.
fn replacement(letter: char) -> Option<char> {
    match letter {
        letter if letter.is_whitespace() => Some(' '),
        letter if is_drawn(letter) => Some(UNKNOWN),
        _ => None,
    }
}

fn parts(words: &Words) -> Vec<Words> {
    let mut parts = Vec::new();
    let mut part = Words::default();
    let mut bytes = 0;
    for (piece, look) in &words.pieces {
        let mut rest = piece.as_str();
        while !rest.is_empty() {
            let (now, later) =
                rest.split_at(rest.floor_char_boundary(BYTES_MAX.saturating_sub(bytes).max(4)));
            bytes += now.len();
            part.pieces.push((now.to_owned(), look.clone()));
            rest = later;
            if bytes + 4 > BYTES_MAX || part.pieces.len() >= PIECES_MAX {
                parts.push(std::mem::take(&mut part));
                bytes = 0;
            }
        }
    }
    if !part.pieces.is_empty() {
        parts.push(part);
    }
    parts
}
