//! Raised numbers: a mark of a note says nothing, a power and a fraction belong to the number before it.
//!
//! Links and names tell most marks. A bare number is one only where the page has a note of that number.

use std::collections::HashSet;

use super::{
    tag::{Key, Tag},
    tree::{HtmlTree, NodeId, NodeKind, ROOT},
};

/// A mark is no longer ("[note 12]").
const MARK_CHARACTERS_MAX: usize = 12;
/// Nobody numbers more notes than this has digits.
const DIGITS_MAX: usize = 3;
/// No unit is longer, in bytes.
const BASE_BYTES_MAX: usize = 40;
/// Nodes of a block before the number that a note begins with.
const BEFORE_MAX: usize = 32;
/// Elements around a mark that may link or name it.
const AROUND_MAX: usize = 3;
/// Elements in a mark that may link or name it: brackets are often elements of their own.
const INSIDE_MAX: NodeId = 8;
/// Units of one or two letters, and longer ones, that have powers.
const LONG_UNITS: &[&str] = &["mol", "mile", "miles", "sec", "inch", "yard", "yards"];
/// Names of what refers to a note, and of the notes themselves.
const NOTE_NAMES: &[&str] = &[
    "footnote",
    "footnotes",
    "footnoteref",
    "footnotereference",
    "noteref",
    "fn",
    "fnref",
    "ftn",
    "ftnref",
    "endnote",
    "endnotes",
    "doc-noteref",
    "doc-endnotes",
    "fussnote",
    "fussnoten",
];
/// The same where a number is raised; behind a word on its line they name other things too.
const RAISED_NAMES: &[&str] = &[
    "reference",
    "references",
    "ref",
    "refs",
    "note",
    "notes",
    "cite",
    "citation",
    "citations",
    "cit",
    "xref",
];
/// Headings of lists of notes.
const NOTE_HEADINGS: &[&str] = &[
    "notes",
    "footnotes",
    "endnotes",
    "references",
    "sources",
    "anmerkungen",
    "fußnoten",
    "einzelnachweise",
    "quellen",
    "références",
    "notes et références",
    "notas",
    "referencias",
    "note",
];

/// What a raised number is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RaisedText {
    /// Refers to a note.
    NoteMark,
    /// Behind a unit, or behind ten.
    Power,
    /// A number that may be either.
    Number,
    /// The upper part of a fraction behind a whole number.
    Fraction,
    /// The end of the word before it: `19<sup>th</sup>`.
    Word,
}

/// The numbers of the notes of a page.
#[derive(Debug, Default)]
pub struct NoteMarks {
    notes: HashSet<u32>,
}

impl NoteMarks {
    pub fn of(tree: &HtmlTree<'_>) -> Self {
        let mut found = Self::default();
        if !tree.elements().any(|(id, tag)| is_raised(tree, id, tag)) {
            return found;
        }
        let mut is_under_heading = false;
        for (id, tag) in tree.elements() {
            let name = tree
                .attribute(id, Key::Id)
                .or_else(|| (tag == Tag::A).then(|| tree.attribute(id, Key::Name)).flatten());
            found.notes.extend(name.and_then(note_number));
            match tag {
                _ if tag.is_heading() => {
                    let heading = tree.line(id).to_lowercase();
                    is_under_heading = NOTE_HEADINGS.contains(&heading.trim_end_matches(':').trim());
                }
                Tag::Ol if is_under_heading || is_named(tree, id, NOTE_NAMES) || is_in_notes(tree, id) => {
                    let items = (id + 1..tree.node(id).end).filter(|item| tree.node(*item).tag() == Tag::Li);
                    found.notes.extend(items.zip(1..).map(|(_, number)| number));
                }
                Tag::Sup if begins_block(tree, id) => found.notes.extend(digits(&tree.line(id))),
                _ => {}
            }
        }
        found
    }

    /// What an element is that stands at once behind `before`; none if it is not raised and refers to no note.
    pub fn read(&self, tree: &HtmlTree<'_>, id: NodeId, before: &str) -> Option<RaisedText> {
        let tag = tree.node(id).tag();
        if before.is_empty() || !matches!(tag, Tag::Sup | Tag::A | Tag::Span | Tag::Small | Tag::Font) {
            return None;
        }
        let is_raised = is_raised(tree, id, tag);
        let refers = || (tag == Tag::A && leads_to_place(tree, id)) || is_named(tree, id, NOTE_NAMES);
        if !is_raised && !refers() {
            return None;
        }
        let line = tree.line(id);
        let mark = line.trim();
        if mark.is_empty() || mark.chars().count() > MARK_CHARACTERS_MAX {
            return None;
        }
        if !is_raised {
            // What is raised inside is read by itself.
            let holds_raised = (id..tree.node(id).end).any(|inner| tree.node(inner).tag() == Tag::Sup);
            return (!holds_raised && !numbers(mark).is_empty()).then_some(RaisedText::NoteMark);
        }
        let base = base(before);
        let listed = numbers(mark);
        let is_bracketed = mark.starts_with('[') && mark.ends_with(']');
        if (is_bracketed && (!listed.is_empty() || is_note_label(mark)))
            || refers_to_note(tree, id, mark, base)
        {
            return Some(RaisedText::NoteMark);
        }
        let is_sign = |c: char| matches!(c, '+' | '-' | '−');
        let may_be_number = mark.chars().all(|c| raised(c).is_some() || matches!(c, ',' | ' ' | '.'));
        if !may_be_number || mark.chars().all(is_sign) {
            return Some(RaisedText::Word);
        }
        if is_fraction(tree, id) {
            return Some(RaisedText::Fraction);
        }
        if has_power(base) || mark.starts_with(is_sign) || mark.ends_with(is_sign) {
            return Some(RaisedText::Power);
        }
        let is_noted = !listed.is_empty() && listed.iter().all(|number| self.notes.contains(number));
        let ends_sentence = before.ends_with(['.', ',', ';', ':', '!', '?', '"', '”', '。']);
        let is_list = listed.len() > 1 || (mark.contains(',') && !listed.is_empty());
        if is_noted || is_list || (ends_sentence && !listed.is_empty()) {
            return Some(RaisedText::NoteMark);
        }
        Some(RaisedText::Number)
    }
}

/// Whether links or names around or in a raised text make it a mark.
fn refers_to_note(tree: &HtmlTree<'_>, id: NodeId, mark: &str, base: &str) -> bool {
    if numbers(mark).is_empty() && !is_note_label(mark) {
        return false;
    }
    // A link from a power leads to what powers are.
    let is_linked = |id: NodeId| {
        tree.node(id).tag() == Tag::A
            && tree.attribute(id, Key::Href).is_some()
            && (leads_to_place(tree, id) || !has_power(base))
    };
    let refers =
        |id: NodeId| is_linked(id) || is_named(tree, id, NOTE_NAMES) || is_named(tree, id, RAISED_NAMES);
    let end = tree.node(id).end.min(id + INSIDE_MAX);
    (id..end).any(refers)
        || tree
            .ancestors(id)
            .take(AROUND_MAX)
            .take_while(|around| *around != ROOT && !tree.node(*around).tag().is_block())
            .any(|around| refers(around) && tree.line(around).trim() == mark)
}

/// A digit or a sign as it is written raised.
fn raised(character: char) -> Option<char> {
    Some(match character {
        '0' => '⁰',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        '4'..='9' => char::from_u32(u32::from('⁴') + u32::from(character) - u32::from('4'))?,
        '+' => '⁺',
        '-' | '−' | '–' => '⁻',
        _ => return None,
    })
}

/// A text in raised characters, those that have one.
pub fn in_raised(text: &str) -> String {
    text.chars().map(|c| raised(c).unwrap_or(c)).collect()
}

/// The numbers of a mark: `2`, `[3, 4]`, `(5)`, `2–4`; empty if it is none.
fn numbers(mark: &str) -> Vec<u32> {
    let inside = mark.trim().trim_start_matches(['[', '(']).trim_end_matches([']', ')']);
    let parts: Vec<&str> = inside
        .split(|c: char| matches!(c, ',' | ';' | '-' | '–' | '[' | ']') || c.is_whitespace())
        .filter(|part| !part.is_empty())
        .collect();
    let listed: Vec<u32> = parts.iter().filter_map(|part| digits(part)).collect();
    if listed.len() == parts.len() { listed } else { Vec::new() }
}

fn digits(text: &str) -> Option<u32> {
    let text = text.trim().trim_matches(['[', ']', '(', ')', '.']);
    let fits = (1..=DIGITS_MAX).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    fits.then(|| text.parse().ok()).flatten().filter(|number| *number > 0)
}

/// `a`, `†`, `note 3`, `nb 1`: marks that are one by their surroundings only.
fn is_note_label(mark: &str) -> bool {
    let inside = mark.trim().trim_start_matches(['[', '(']).trim_end_matches([']', ')']).trim();
    let is_letter = inside.len() == 1 && inside.bytes().all(|byte| byte.is_ascii_lowercase());
    let is_sign =
        !inside.is_empty() && inside.chars().all(|c| matches!(c, '*' | '†' | '‡' | '§' | '¶' | '#'));
    let is_named = inside.split_once(char::is_whitespace).is_some_and(|(name, number)| {
        matches!(name.to_ascii_lowercase().as_str(), "note" | "nb" | "n" | "fn" | "ref" | "anm." | "a")
            && digits(number).is_some()
    });
    is_letter || is_sign || is_named
}

/// Whether a raised number behind this text is a power.
pub fn is_power(before: &str, number: &str) -> bool {
    has_power(base(before)) && number.chars().all(|c| raised(c).is_some())
}

/// Whether a raised text is nothing but numbers of notes.
pub fn is_mark(text: &str) -> bool {
    !numbers(text).is_empty()
}

/// The word that a raised number stands behind.
fn base(before: &str) -> &str {
    let tail = before.len().saturating_sub(BASE_BYTES_MAX);
    let before = before.get(before.ceil_char_boundary(tail)..).unwrap_or_default();
    before.rsplit(|c: char| !(c.is_alphanumeric() || matches!(c, 'µ' | '°' | 'Å'))).next().unwrap_or_default()
}

/// Ten and units have powers.
fn has_power(base: &str) -> bool {
    let letters = base.chars().count();
    let is_short_unit = (1..=2).contains(&letters) && base.chars().all(char::is_alphabetic);
    base == "10" || is_short_unit || LONG_UNITS.contains(&base.to_lowercase().as_str())
}

/// `2<sup>1</sup>/<sub>2</sub>`.
fn is_fraction(tree: &HtmlTree<'_>, id: NodeId) -> bool {
    let next = tree.node(id).end;
    let text = tree.texts(next).next().unwrap_or_default();
    let is_next_text = tree.node(next).parent == tree.node(id).parent;
    is_next_text && text.trim_start().starts_with(['/', '⁄'])
}

/// Whether a raised number is the first of its block, as in front of a note.
fn begins_block(tree: &HtmlTree<'_>, id: NodeId) -> bool {
    let block = tree.ancestors(id).find(|around| *around == ROOT || tree.node(*around).tag().is_block());
    let says =
        |inner: NodeId| matches!(tree.node(inner).what, NodeKind::Text(text) if !text.trim().is_empty());
    block.is_some_and(|block| {
        let mut before = block + 1..id;
        before.len() <= BEFORE_MAX && !before.any(says)
    })
}

/// A list in a part of the page that is named after its notes.
fn is_in_notes(tree: &HtmlTree<'_>, id: NodeId) -> bool {
    tree.ancestors(id).take(AROUND_MAX).any(|around| {
        around != ROOT && tree.node(around).tag() != Tag::Body && is_named(tree, around, NOTE_NAMES)
    })
}

fn is_named(tree: &HtmlTree<'_>, id: NodeId, names: &[&str]) -> bool {
    tree.attributes(id).iter().any(|attribute| match attribute.key {
        Key::Class => attribute
            .value
            .split_ascii_whitespace()
            .flat_map(|name| name.split(['-', '_']).chain([name]))
            .any(|word| names.iter().any(|name| word.eq_ignore_ascii_case(name))),
        Key::Role => names.contains(&attribute.value),
        _ => false,
    })
}

/// The number in the id of a note: `fn2`, `_ftn2`, `cite_note-name-2`.
fn note_number(id: &str) -> Option<u32> {
    let name = id.trim_end_matches(|c: char| c.is_ascii_digit());
    let number = digits(id.get(name.len()..)?)?;
    let mut words = name.split(|c: char| !c.is_ascii_alphabetic()).filter(|word| !word.is_empty());
    words
        .any(|word| {
            let word = word.to_ascii_lowercase();
            NOTE_NAMES.contains(&word.as_str())
                || matches!(
                    word.as_str(),
                    "note" | "notes" | "ref" | "reference" | "cite" | "en" | "edn" | "anm"
                )
        })
        .then_some(number)
}

fn leads_to_place(tree: &HtmlTree<'_>, id: NodeId) -> bool {
    tree.attribute(id, Key::Href).is_some_and(|href| href.contains('#'))
}

/// `<sup>`, or `vertical-align: super`, as word processors write it.
fn is_raised(tree: &HtmlTree<'_>, id: NodeId, tag: Tag) -> bool {
    tag == Tag::Sup
        || (matches!(tag, Tag::A | Tag::Span | Tag::Small | Tag::Font) && is_styled_raised(tree, id))
}

fn is_styled_raised(tree: &HtmlTree<'_>, id: NodeId) -> bool {
    tree.attribute(id, Key::Style).is_some_and(|style| {
        style.split(';').filter_map(|declaration| declaration.split_once(':')).any(|(name, value)| {
            name.trim().eq_ignore_ascii_case("vertical-align") && value.trim().eq_ignore_ascii_case("super")
        })
    })
}

#[cfg(test)]
mod tests {
    use crate::html::extract;

    /// What is read of a paragraph, on a page with a note of the number 2.
    #[track_caller]
    fn check(line: &str, expected: &str) {
        let page = format!("<p>{line}</p><p id=fn2>See the yearbook.</p>");
        assert_eq!(extract(&page, "").text.lines().next().unwrap(), expected, "{line}");
    }

    #[test]
    fn a_mark_of_a_note_is_no_part_of_the_number_before_it() {
        check("It has 14<sup>2</sup> rooms.", "It has 14 rooms.");
        check(
            "It has 14<sup>[3]</sup> rooms for 86 million<sup>[4, 5]</sup>.",
            "It has 14 rooms for 86 million.",
        );
        check("It has 14<sup><a href='#n9'>9</a></sup> rooms.", "It has 14 rooms.");
        check("It has 14<a href='#n9'><sup>9</sup></a> rooms.", "It has 14 rooms.");
        check("It has 14<a href='#n9'>9</a> rooms.", "It has 14 rooms.");
        check("It has 14<sup><a href=https://a.org/>9</a></sup> rooms.", "It has 14 rooms.");
        check("It has 14<sup class=footnote>9</sup> rooms.", "It has 14 rooms.");
        check("It has 14<span class=footnote-ref>9</span> rooms.", "It has 14 rooms.");
        check("It has 14<sup>8,9</sup> rooms.<sup>9</sup> It is old.", "It has 14 rooms. It is old.");
        check(
            "It has 14<sup class=reference id=cite_ref-7><a href='/wiki/X#cite_note-7'><span>&#91;</span>7<span>&#93;</span></a></sup> rooms.",
            "It has 14 rooms.",
        );
        check(
            "It has 14<span style='font-size:8pt; vertical-align: super'>2</span> rooms.",
            "It has 14 rooms.",
        );
        check("It has 14<sup><a href='#n1'>note 1</a></sup> rooms.", "It has 14 rooms.");
    }

    #[test]
    fn notes_are_known_by_their_ids_lists_and_raised_numbers() {
        for notes in [
            "<ol class=footnotes><li>One.<li>Two.<li>Three.</ol>",
            "<section class=footnotes><hr><ol><li>One.<li>Two.<li>Three.</ol></section>",
            "<h2>References</h2><ol><li>One.<li>Two.<li>Three.</ol>",
            "<p><sup>3</sup> Three.</p>",
            "<p><a name=_ftn3></a>Three.</p>",
            "<li id=cite_note-yearbook-3>Three.",
        ] {
            let page = format!("<p>It has 14<sup>3</sup> rooms.</p>{notes}");
            assert_eq!(extract(&page, "").text.lines().next().unwrap(), "It has 14 rooms.", "{notes}");
        }
        // The number in front of a note is read with it.
        assert_eq!(extract("<p><sup>3</sup> Three.</p>", "").text, "3 Three.");
    }

    #[test]
    fn powers_fractions_and_ends_of_words_stay() {
        check("It has 10<sup>6</sup> m<sup>2</sup>, or 1 km<sup>2</sup>.", "It has 10⁶ m², or 1 km².");
        check("It is 10<sup>2</sup> long, 10<sup>&minus;3</sup> wide.", "It is 10² long, 10⁻³ wide.");
        check("It has 14<sup>5</sup> forms.", "It has 14⁵ forms.");
        check("About 5 mol<sup>-1</sup> of Ca<sup>2+</sup>.", "About 5 mol⁻¹ of Ca²⁺.");
        check("It is 2<sup>1</sup>/<sub>2</sub> miles long.", "It is 2 1/2 miles long.");
        check("On the 19<sup>th</sup> of May.", "On the 19th of May.");
        check("By <sup>14</sup>C it is old.", "By 14C it is old.");
        check("See <a href='#n9'>9</a> and m<sup><a href=/square>2</a></sup>.", "See 9 and m².");
        check("It fell.<sup>[citation needed]</sup>", "It fell.[citation needed]");
    }
}
