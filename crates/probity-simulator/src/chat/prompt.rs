//! The parts of a prompt, found by their markers: `<question>…</question>`, `BEGIN PAGE … END PAGE`, `## Notes`,
//! `Question: …`. The author of the prompt chose one of these; a part that is not marked is empty.

use super::request::ChatRequest;

/// Words too common to say what a text is about.
const COMMON: [&str; 43] = [
    "about", "after", "also", "been", "before", "between", "could", "does", "from", "have", "into", "just",
    "many", "more", "most", "much", "only", "other", "over", "should", "some", "such", "than", "that",
    "their", "them", "then", "there", "these", "they", "this", "were", "what", "when", "where", "which",
    "while", "with", "would", "your", "will", "whose", "those",
];
/// Shorter words say little.
const WORD_CHARACTERS_MIN: usize = 4;

/// Names that mark the parts; the first of a list that is there counts.
const QUESTION: &[&str] = &["sub-question", "subquestion", "sub_question", "question", "goal", "query"];
const PAGE: &[&str] = &["page", "text", "document", "source"];
const ITEMS: &[&str] = &["candidates", "results", "hits", "items"];
const LINKS: &[&str] = &["links"];
const NOTES: &[&str] = &["notes", "findings", "known", "evidence"];
const ASKED: &[&str] = &["queries", "asked", "searched"];

#[derive(Debug)]
pub(super) struct PromptParts<'r> {
    /// System text and user text.
    pub(super) whole: String,
    pub(super) user: &'r str,
    pub(super) question: &'r str,
    pub(super) page: &'r str,
    /// Search results to choose from, with their numbers.
    pub(super) items: Vec<NumberedItem<'r>>,
    pub(super) links: Vec<NumberedItem<'r>>,
    pub(super) notes: Vec<NumberedItem<'r>>,
    /// Queries that were asked before.
    pub(super) asked_before: &'r str,
}

/// One line of a numbered list, and what follows it up to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NumberedItem<'r> {
    pub(super) number: usize,
    pub(super) text: &'r str,
}

impl<'r> PromptParts<'r> {
    pub(super) fn read(request: &'r ChatRequest) -> Self {
        let user = request.user.as_str();
        let part = |names| section(user, names).unwrap_or_default();
        let question = part(QUESTION);
        let items = part(ITEMS);
        Self {
            whole: format!("{}\n{user}", request.system),
            user,
            question: if question.is_empty() { first_line(user) } else { question },
            page: part(PAGE),
            items: numbered(if items.is_empty() { user } else { items }),
            links: numbered(part(LINKS)),
            notes: numbered(part(NOTES)),
            asked_before: part(ASKED),
        }
    }

    /// What the question is about, in its order.
    pub(super) fn topic(&self) -> Vec<String> {
        words(without_tags(self.question))
    }
}

fn first_line(text: &str) -> &str {
    text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default()
}

/// A question without the tag that scripts the model.
pub(super) fn without_tags(text: &str) -> &str {
    text.split_once("[[").map_or(text, |(before, _)| before).trim()
}

/// The words of a text that say what it is about, lower case, each once.
pub(super) fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in text.split(|letter: char| !letter.is_alphanumeric()) {
        let word = word.to_lowercase();
        let fits =
            word.chars().count() >= WORD_CHARACTERS_MIN || word.chars().any(|letter| letter.is_ascii_digit());
        if fits && !COMMON.contains(&word.as_str()) && !words.contains(&word) {
            words.push(word);
        }
    }
    words
}

/// How many of these words a text has.
pub(super) fn shared(topic: &[String], text: &str) -> usize {
    let there = words(text);
    topic.iter().filter(|word| there.contains(word)).count()
}

/// The part of a prompt with this name; empty if there is none.
pub(super) fn part<'r>(user: &'r str, name: &str) -> &'r str {
    section(user, &[name]).unwrap_or_default()
}

/// The text after the opening marker of a name, up to its closing marker or the next opening one of any name.
fn section<'r>(text: &'r str, names: &[&str]) -> Option<&'r str> {
    names.iter().find_map(|name| section_named(text, name)).filter(|found| !found.trim().is_empty())
}

fn section_named<'r>(text: &'r str, name: &str) -> Option<&'r str> {
    let mut offset = 0;
    let mut start = None;
    let mut tagged = false;
    for line in text.split_inclusive('\n') {
        let marker = PromptMarker::of(line);
        match (start, marker) {
            (None, Some(PromptMarker::Open { name: found, rest, tag })) if found == name => {
                start = Some(offset + line.find(rest).filter(|_| !rest.is_empty()).unwrap_or(line.len()));
                tagged = tag;
                if let Some((inside, _)) = rest.split_once(&format!("</{name}")).filter(|_| tag) {
                    return Some(inside.trim());
                }
            }
            (Some(from), Some(PromptMarker::Close { name: found })) if found == name => {
                return text.get(from..offset).map(str::trim);
            }
            // A page may well have headings: only a part without a closing marker ends at the next one.
            (Some(from), Some(PromptMarker::Open { .. })) if !tagged => {
                return text.get(from..offset).map(str::trim);
            }
            _ => {}
        }
        offset += line.len();
    }
    text.get(start?..).map(str::trim)
}

#[derive(Debug, PartialEq, Eq)]
enum PromptMarker<'r> {
    /// `tag` markers have a closing one.
    Open {
        name: String,
        rest: &'r str,
        tag: bool,
    },
    Close {
        name: String,
    },
}

impl<'r> PromptMarker<'r> {
    fn of(line: &'r str) -> Option<Self> {
        let line = line.trim();
        if let Some(inside) = line.strip_prefix("</") {
            return Some(Self::Close { name: first_word(inside) });
        }
        if let Some(inside) = line.strip_prefix('<') {
            let (head, rest) = inside.split_once('>')?;
            return Some(Self::Open { name: first_word(head), rest: rest.trim(), tag: true });
        }
        let bare = line.trim_start_matches(['=', '-', '#', '*', '[', ' ']);
        let decorated = bare.len() < line.len();
        if let Some(behind) = bare.strip_prefix("BEGIN ").or_else(|| bare.strip_prefix("begin ")) {
            return Some(Self::Open { name: first_word(behind), rest: "", tag: true });
        }
        if let Some(behind) = bare.strip_prefix("END ").or_else(|| bare.strip_prefix("end ")) {
            return Some(Self::Close { name: first_word(behind) });
        }
        let name = first_word(bare);
        let known = [QUESTION, PAGE, ITEMS, LINKS, NOTES, ASKED].concat();
        if !known.contains(&name.as_str()) {
            return None;
        }
        match bare.split_once(':') {
            Some((head, rest)) if head.split_whitespace().count() <= 3 => {
                Some(Self::Open { name, rest: rest.trim(), tag: false })
            }
            _ if decorated && bare.split_whitespace().count() <= 4 => {
                Some(Self::Open { name, rest: "", tag: false })
            }
            _ => None,
        }
    }
}

fn first_word(text: &str) -> String {
    let is_part = |letter: &char| letter.is_alphabetic() || matches!(letter, '-' | '_');
    let word: String = text.chars().take_while(is_part).collect();
    word.trim_end_matches(['-', '_']).to_lowercase()
}

/// Lines that begin with a number: `[3] …`, `3. …`, `3) …`, `3: …`, `note 3: …`.
fn numbered(text: &str) -> Vec<NumberedItem<'_>> {
    let mut found: Vec<(usize, usize, usize)> = Vec::new();
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        if let Some((number, skipped)) = number_of(line) {
            found.push((number, offset, offset + skipped));
        }
        offset += line.len();
    }
    let ends = found.iter().skip(1).map(|(_, start, _)| *start).chain([text.len()]).collect::<Vec<_>>();
    let pieces = found.iter().zip(ends);
    pieces
        .filter_map(|((number, _, from), to)| {
            Some(NumberedItem { number: *number, text: text.get(*from..to)?.trim() })
        })
        .collect()
}

/// The number a line begins with, and how many bytes come before its text.
fn number_of(line: &str) -> Option<(usize, usize)> {
    let start = line.trim_start_matches([' ', '-', '*', '[', '(', '#', '<']);
    let lower =
        start.trim_start_matches(|letter: char| letter.is_ascii_alphabetic()).trim_start_matches([' ', '#']);
    // `page 3:` is a number of a list, `In 1932 …` is a sentence.
    let start = if start.len() - lower.len() <= "result ".len() { lower } else { start };
    let digits: String = start.chars().take_while(char::is_ascii_digit).collect();
    let behind = start.strip_prefix(digits.as_str())?;
    let text = behind.trim_start_matches([']', '.', ')', ':', '>']);
    if digits.is_empty() || text.len() == behind.len() {
        return None;
    }
    Some((digits.parse().ok()?, line.len() - text.trim_start().len()))
}

#[cfg(test)]
mod tests {
    use super::{NumberedItem, numbered, section, words};

    #[test]
    fn parts_are_found_by_whatever_marker_they_have() {
        for text in [
            "<question>\nWhy is it?\n</question>\n<page>\nText.\n## A heading\nMore.\n</page>",
            "<question id=\"x1\">Why is it?</question>\n<page-7f>\nText.\n## A heading\nMore.\n</page-7f>",
            "=== BEGIN QUESTION 7f ===\nWhy is it?\n=== END QUESTION 7f ===\n--- BEGIN PAGE ---\nText.\n## A heading\nMore.\n--- END PAGE ---",
            "## Question\nWhy is it?\n## Page text\nText.\n## A heading\nMore.",
            "Question: Why is it?\nPage:\nText.\n## A heading\nMore.",
        ] {
            assert_eq!(section(text, &["question"]), Some("Why is it?"), "{text}");
            assert_eq!(section(text, &["page"]), Some("Text.\n## A heading\nMore."), "{text}");
        }
        assert_eq!(section("nothing here", &["page"]), None);
    }

    #[test]
    fn numbered_lines_of_every_kind_are_items() {
        let one = |number, text| NumberedItem { number, text };
        let expected = vec![one(0, "First\nhttps://a.example"), one(1, "Second")];
        for text in [
            "[0] First\nhttps://a.example\n[1] Second",
            "0. First\nhttps://a.example\n1. Second\n",
            "- note 0: First\nhttps://a.example\n- note 1: Second\n",
        ] {
            assert_eq!(numbered(text), expected, "{text}");
        }
        assert_eq!(numbered("In 1932 it opened.\n12 lanes."), []);
    }

    #[test]
    fn words_say_what_a_text_is_about() {
        assert_eq!(
            words("When was the Harbour Bridge in Zürich opened? 1932?"),
            ["harbour", "bridge", "zürich", "opened", "1932"]
        );
    }
}
