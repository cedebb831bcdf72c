//! Which parts of a reader's answer are really on the page. A quotation that is not is dropped and counted.

use super::{
    note::{FACTS_MAX, NoteFact, QUOTE_BYTES_MAX, QUOTES_MAX, Quote, ReaderNote},
    task::ReadReply,
};

/// Shorter ones are on every page and prove nothing.
const QUOTE_CHARACTERS_MIN: usize = 8;

/// `links` is the number of links that the reader was shown.
pub fn anchor(text: &str, reply: &ReadReply, links: usize) -> ReaderNote {
    let mut note = ReaderNote::default();
    let page = SqueezedText::of(text);
    // The new position of each quotation of the reply, so that facts can point to it.
    let mut places = Vec::new();
    for said in reply.quotes.iter().take(QUOTES_MAX) {
        let found = page.find(text, said);
        places.push(found.is_some().then_some(note.quotes.len()));
        match found {
            Some(quote) => note.quotes.push(quote),
            None => note.invented = note.invented.saturating_add(1),
        }
    }
    for (kind, value, quote) in reply.facts.iter().take(FACTS_MAX) {
        let place = places.get(*quote).copied().flatten();
        let stands =
            place.and_then(|place| note.quotes.get(place)).is_some_and(|quote| holds(&quote.text, value));
        match place.filter(|_| stands) {
            Some(quote) => note.facts.push(NoteFact { kind: *kind, value: squeeze(value), quote }),
            None => note.invented = note.invented.saturating_add(1),
        }
    }
    note.links = reply.links.iter().copied().filter(|place| *place < links).collect();
    note.links.dedup();
    note
}

pub(crate) fn holds(quote: &str, value: &str) -> bool {
    let value = squeeze(value);
    !value.is_empty() && squeeze(quote).contains(&value)
}

/// White space of any kind and length counts as one space.
fn squeeze(text: &str) -> String {
    text.split_whitespace().collect::<Vec<&str>>().join(" ")
}

/// A text with its white space squeezed, and the former position of each byte.
pub(crate) struct SqueezedText {
    text: String,
    places: Vec<usize>,
}

impl SqueezedText {
    pub(crate) fn of(text: &str) -> Self {
        let mut squeezed =
            Self { text: String::with_capacity(text.len()), places: Vec::with_capacity(text.len()) };
        let mut spaced = true;
        for (at, c) in text.char_indices() {
            let shown = if c.is_whitespace() { ' ' } else { c };
            if shown == ' ' && spaced {
                continue;
            }
            spaced = shown == ' ';
            squeezed.text.push(shown);
            squeezed.places.extend((0..shown.len_utf8()).map(|byte| at + byte));
        }
        squeezed
    }

    /// The quotation as the page has it, byte for byte.
    pub(crate) fn find(&self, text: &str, said: &str) -> Option<Quote> {
        let wanted = squeeze(said.trim().trim_matches(['"', '“', '”', '„', '«', '»']));
        if wanted.chars().count() < QUOTE_CHARACTERS_MIN || wanted.len() > QUOTE_BYTES_MAX {
            return None;
        }
        let at = self.text.find(&wanted)?;
        let start = *self.places.get(at)?;
        let last = *self.places.get(at + wanted.len() - 1)?;
        let end = text.ceil_char_boundary(last + 1);
        let words = text.get(start..end)?;
        Some(Quote { start, end, text: words.to_owned() })
    }
}

#[cfg(test)]
mod tests;
