//! The document as a tagged PDF (PDF/UA-1): headings, lists, tables, links and an outline that screen readers follow.
//!
//! Nothing of the outside is asked but fonts: no browser, no clock, no chance. The same document with the same fonts
//! is the same file.

mod body;
mod flow;
mod fonts;
mod paint;
mod text;
mod words;

use std::{borrow::Cow, collections::BTreeSet};

pub use self::fonts::{MissingLetters, PdfFonts};
use self::{
    flow::{Flow, PAGES_MAX},
    text::TextSetter,
    words::{GREY, Ink, PdfBlock, TextSize, UNKNOWN, WordLook, Words},
};
use crate::{Error, ReportDocument};

/// Letters of one script that are named where a font misses them.
const NAMED_MAX: usize = 8;

/// A finished PDF, and what of the text it could not show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PdfFile {
    pub bytes: Vec<u8>,
    pub pages: usize,
    /// Empty where every letter has a font.
    pub missing: Vec<MissingLetters>,
}

impl PdfFile {
    /// `Thai (กขค …), Khmer (ក)`; none where every letter has a font.
    pub fn missing_letters(&self) -> Option<String> {
        let named = |of: &MissingLetters| {
            let more = if of.letters.chars().count() > NAMED_MAX { " …" } else { "" };
            format!("{} ({}{more})", of.script, of.letters.chars().take(NAMED_MAX).collect::<String>())
        };
        let named: Vec<String> = self.missing.iter().map(named).collect();
        (!named.is_empty()).then(|| named.join(", "))
    }
}

/// What a file says of itself beside its text.
struct PdfFacts<'a> {
    title: &'a str,
    description: &'a str,
    /// ISO 639-1
    language: &'a str,
    id: &'a str,
    program: &'a str,
}

pub fn render(document: &ReportDocument, fonts: &PdfFonts) -> Result<PdfFile, Error> {
    let facts = PdfFacts {
        title: if document.title.trim().is_empty() { &document.id } else { &document.title },
        description: &document.question,
        language: document.language.as_deref().unwrap_or("en"),
        id: &document.id,
        program: &document.program,
    };
    let blocks = body::blocks(document);
    match made(&facts, &blocks, fonts) {
        // A broken font of the machine costs its letters, not the file.
        Err(Error::Pdf(_)) => made(&facts, &blocks, &PdfFonts::own()),
        done => done,
    }
}

/// A page with something of everything, to see whether PDFs can be made here and for which scripts.
pub fn sample(fonts: &PdfFonts) -> Result<PdfFile, Error> {
    let facts =
        PdfFacts { title: "Sample", description: "", language: "en", id: "sample", program: "Probity" };
    made(&facts, &body::sample(), fonts)
}

fn made(facts: &PdfFacts<'_>, blocks: &[PdfBlock], fonts: &PdfFonts) -> Result<PdfFile, Error> {
    let mut letters = BTreeSet::from([UNKNOWN]);
    letters.extend(facts.title.chars());
    words::letters(blocks, &mut letters);
    let mut missing = BTreeSet::new();
    // A second time where a font has a letter and still does not draw it: then it is missing too.
    for _ in 0..2 {
        let mut chosen = fonts.choose(&letters, facts.language);
        chosen.missing.append(&mut missing);
        missing.clone_from(&chosen.missing);
        let mut flow = Flow::new(TextSetter::new(chosen));
        flow.document(&with_missing_told(blocks, &missing), facts.title);
        if flow.is_full {
            return Err(Error::TooManyPages { limit: PAGES_MAX });
        }
        if missing.is_superset(&flow.setter.undrawn) {
            let pages = flow.pages.len();
            let bytes = paint::paint(facts, flow)?;
            return Ok(PdfFile { bytes, pages, missing: fonts::by_script(&missing) });
        }
        missing.extend(&flow.setter.undrawn);
    }
    Err(Error::Pdf("the fonts of this machine do not draw the letters that they have".to_owned()))
}

/// Says below the title what is not shown: the file may go where nobody saw the command that made it.
fn with_missing_told<'a>(blocks: &'a [PdfBlock], missing: &BTreeSet<char>) -> Cow<'a, [PdfBlock]> {
    let scripts: Vec<&str> = fonts::by_script(missing).into_iter().map(|of| of.script).collect();
    if scripts.is_empty() {
        return Cow::Borrowed(blocks);
    }
    let mut words = Words::default();
    let text = format!(
        "Not every letter of this report is shown: no font of the machine that made this file has letters of {}. They are \
         written as {UNKNOWN}.",
        scripts.join(", "),
    );
    words.push(&text, WordLook { ink: Some(GREY), bold: true, ..WordLook::default() });
    let mut told = blocks.to_vec();
    told.insert(1.min(told.len()), PdfBlock::Paragraph { words, size: TextSize::Small });
    Cow::Owned(told)
}

/// `8A5700`
fn ink(colour: &str) -> Ink {
    let value = u32::from_str_radix(colour, 16).unwrap_or_default();
    let [_, red, green, blue] = value.to_be_bytes();
    [red, green, blue]
}

#[cfg(test)]
mod tests;
