//! The parts that a question asks for, read from its own words. Each of them is told with a source or named as missing;
//! instructions on form, length and language are no parts, since nobody finds them on a page.

use std::collections::BTreeSet;

use super::{
    facet::{self, Facet},
    figures,
    gaps::{self, ABOUT_THE_REPORT, ToldThings},
};
use crate::{text, web::passages};

/// Marks before the lines of a list.
const MARKS: [char; 5] = ['-', '*', '•', '–', ' '];
const TITLE_CHARACTERS_MAX: usize = 90;
/// More of a question is not looked at for a title.
const QUESTION_CHARACTERS_MAX: usize = 4_096;
/// Parts of one question: beyond, it is a list of its own.
const PARTS_MAX: usize = 40;
/// How sentences begin that tell a writer what to do.
const WRITING: &[&str] = &[
    "write",
    "answer",
    "respond",
    "keep",
    "use ",
    "make ",
    "schreib",
    "verfasse",
    "antworte",
    "halte",
    "rédige",
    "écris",
    "réponds",
    "escribe",
    "redacta",
    "responde",
    "scrivi",
    "rispondi",
    "escreva",
    "responda",
    "schrijf",
    "antwoord",
    "napisz",
    "odpowiedz",
    "напиши",
    "ответь",
    "请用",
    "用",
    "写",
    "請用",
];
/// What such a sentence is about: the words, the language or the shape of the report.
const FORM: &[&str] = &[
    " words",
    " pages long",
    " sentences",
    "language",
    "bullet",
    "markdown",
    " wörter",
    " worte",
    " sätze",
    "sprache",
    " mots",
    "langue",
    " palabras",
    "idioma",
    " parole",
    "lingua",
    " palavras",
    " woorden",
    " słów",
    " слов",
    "字",
    "中文",
    "英文",
];
/// Languages that a report may be wanted in, as questions name them.
const LANGUAGE_NAMES: &[&str] = &[
    "english",
    "german",
    "french",
    "spanish",
    "italian",
    "portuguese",
    "dutch",
    "polish",
    "russian",
    "chinese",
    "japanese",
    "korean",
    "arabic",
    "deutsch",
    "englisch",
    "französisch",
    "spanisch",
    "italienisch",
    "français",
    "anglais",
    "español",
    "inglés",
    "italiano",
    "inglese",
    "português",
    "inglês",
    "nederlands",
    "engels",
    "polski",
];
/// What a report is called where nouns have capitals.
const REPORT_NAMES: &[&str] = &["bericht", "antwort", "text", "report", "rapport", "informe", "报告", "報告"];
/// Words that ask and say nothing of what is asked for.
const ASKING: &[&str] = &[
    "known", "say", "also", "tell", "please", "there", "been", "bekannt", "über", "gibt", "welche",
    "welcher", "welches", "wurde", "wird", "werden", "sind", "bitte", "auch", "nenne", "connu", "sabe",
    "conoce",
];
/// How a report treats its sources, with the beginnings of sentences that demand it.
const MANNER_STARTS: &[&str] = &[
    "where ", "show", "say ", "state ", "mark", "note ", "tell", "cite", "wo ", "wenn ", "zeige", "sag",
    "gib an", "nenne",
];
const MANNERS: &[&str] = &[
    "both sides",
    "sources disagree",
    "sources differ",
    "out of date",
    "could not be found",
    "not be found",
    "every source",
    "each source",
    "your sources",
    "beide seiten",
    "quellen widersprechen",
    "sich widersprechen",
    "veraltet",
    "nicht gefunden",
];
/// Beginnings that ask for something and are no part of it, the longest first.
const OPENINGS: &[&str] = &[
    "say also what is known about",
    "say also what is known of",
    "also say what is known about",
    "also say what is known of",
    "say what is known about",
    "say what is known of",
    "include a table of",
    "include a table with",
    "give a table of",
    "add a table of",
    "make a table of",
    "a table of",
    "please compare",
    "compare",
    "please describe",
    "describe",
    "explain",
    "summarize",
    "summarise",
    "discuss",
    "mention",
    "gib eine tabelle des",
    "gib eine tabelle der",
    "gib eine tabelle von",
    "eine tabelle des",
    "eine tabelle der",
    "bitte vergleiche",
    "vergleiche",
    "beschreibe",
    "erkläre",
    "erläutere",
];
/// Beginnings of lists of topics.
const LISTINGS: &[&str] = &["please cover", "cover", "bitte behandle", "behandle", "gehe ein auf"];

/// Whether a sentence only says how the report is to be written.
pub fn is_about_form(text: &str) -> bool {
    let lower = text.trim().to_lowercase();
    let names = gaps::name_words(text);
    let is_language = |name: &String| LANGUAGE_NAMES.contains(&name.as_str());
    let is_formal = |name: &String| {
        is_language(name)
            || REPORT_NAMES.contains(&name.as_str())
            || FORM.iter().any(|words| words.trim() == name.as_str())
    };
    if !names.iter().all(is_formal) || !runs(text).is_empty() {
        return false;
    }
    let starts = |known: &[&str]| known.iter().any(|start| lower.starts_with(start));
    let has = |known: &[&str]| known.iter().any(|words| lower.contains(words));
    let names_language = passages::words(text).iter().any(is_language);
    (starts(WRITING) && (has(FORM) || names_language)) || (starts(MANNER_STARTS) && has(MANNERS))
}

/// What is asked for, without the words that ask for it: the heading of a part is its topic.
pub fn topic(text: &str) -> String {
    let text = text.trim();
    let is_list = text.ends_with(['.', '。']) || text.contains([',', '、']);
    if let Some(list) = without_start(text, LISTINGS).filter(|_| is_list) {
        return topics(list).join(", ");
    }
    let Some(rest) = without_start(text, OPENINGS) else { return text.to_owned() };
    let rest = rest.trim_end_matches(['.', '。', ':', ' ']);
    rest.replace(" with that of ", " and that of ").replace(" mit der von ", " und die von ")
}

/// What a report of this question is called: the title that its writer gave, if it says more than that it is a report, else
/// the question or its first sentence, never cut within a word.
pub fn title(written: &str, question: &str) -> String {
    let written = written.trim();
    let bare = |text: &str| text.trim_end_matches(['?', '？', '.', ' ']).to_lowercase();
    let is_bare = written.is_empty() || REPORT_NAMES.contains(&bare(written).as_str());
    let whole = text::line(question, QUESTION_CHARACTERS_MAX);
    // The question keeps its mark: without it a reader takes it for a statement.
    if !is_bare && bare(written) != bare(&whole) {
        return written.to_owned();
    }
    let is_short = |text: &str| text.chars().count() <= TITLE_CHARACTERS_MAX;
    let first = passages::sentences(&whole).first().copied().unwrap_or((0, whole.len()));
    let first = whole.get(first.0..first.1).unwrap_or_default();
    if is_short(&whole) || is_short(first) {
        return if is_short(&whole) { whole } else { first.to_owned() };
    }
    let mut kept = String::new();
    for word in first.split(' ') {
        if kept.chars().count() + word.chars().count() >= TITLE_CHARACTERS_MAX {
            break;
        }
        if !kept.is_empty() {
            kept.push(' ');
        }
        kept.push_str(word);
    }
    if kept.is_empty() {
        kept = first.chars().take(TITLE_CHARACTERS_MAX).collect();
    }
    kept.trim_end_matches([',', ';', ':', '-', ' ']).to_owned()
}

/// The parts that a question asks for beside its first sentence, which the report as a whole answers.
pub fn parts(question: &str) -> Vec<String> {
    let ranges = passages::sentences(question);
    let sentences = ranges.iter().filter_map(|(start, end)| question.get(*start..*end));
    let mut found: Vec<String> = sentences.skip(1).flat_map(demanded).collect();
    found.truncate(PARTS_MAX);
    found
}

/// What one sentence demands: nothing where it is about the form, each topic of a list, else what it asks for.
pub fn demanded(sentence: &str) -> Vec<String> {
    let sentence = sentence.trim().trim_start_matches(MARKS);
    if sentence.ends_with([':', '：']) || is_about_form(sentence) {
        return Vec::new();
    }
    let listed = without_start(sentence, LISTINGS).filter(|rest| figures::names(rest).is_empty());
    let mut found = match listed.filter(|_| without_start(sentence, OPENINGS).is_none()) {
        Some(rest) => topics(rest),
        None => vec![topic(sentence)],
    };
    found.retain(|part| !passages::words(part).is_empty());
    found
}

/// Whether a text only repeats the first sentence of the question.
pub fn is_whole(question: &str, text: &str) -> bool {
    let first = passages::sentences(question).first().copied().unwrap_or((0, question.len()));
    let whole = passages::words(question.get(first.0..first.1).unwrap_or_default());
    let said = passages::words(text);
    said.len() * 3 >= whole.len() * 2 && said.is_subset(&whole)
}

/// Whether a text only repeats the first sentence of a question that goes on with a list of its topics: each of those is a
/// part, and the sentence that announces them is none.
pub fn is_announcement(question: &str, text: &str) -> bool {
    let ranges = passages::sentences(question);
    let mut later = ranges.iter().skip(1).filter_map(|(start, end)| question.get(*start..*end));
    let lists =
        |sentence: &str| sentence.ends_with([':', '：']) || without_start(sentence, LISTINGS).is_some();
    later.any(|sentence| lists(sentence.trim())) && is_whole(question, text)
}

/// The question in parts without a model: what it asks for, by its topics.
pub fn facets(question: &str, most: usize) -> Vec<Facet> {
    let mut named: Vec<Facet> = Vec::new();
    for known in facet::by_rule(question, usize::MAX) {
        let is_part = !is_about_form(&known.question) && !known.question.ends_with([':', '：']);
        let topic = topic(known.question.trim_start_matches(MARKS));
        if is_part && !topic.is_empty() && !named.iter().any(|other| other.question == topic) {
            let query = if topic == known.question { &known.query } else { &topic };
            named.push(Facet::new(&topic, query));
        }
    }
    if named.is_empty() {
        return facet::by_rule(question, most);
    }
    named.truncate(most.max(1));
    named
}

/// A text that asks for something, as it is looked for in what is told.
pub struct AskedPart {
    pub text: String,
    words: Vec<String>,
    numbers: BTreeSet<String>,
    /// Where the names stand that only their capitals tell.
    names: Vec<(usize, usize)>,
}

impl AskedPart {
    pub fn new(text: &str) -> Self {
        let names = runs(text);
        let of_names: BTreeSet<String> = names
            .iter()
            .filter_map(|(start, end)| text.get(*start..*end))
            .flat_map(passages::words)
            .collect();
        let words = passages::words(text).into_iter().filter(|word| {
            !of_names.contains(word)
                && !word.chars().all(char::is_numeric)
                && !ABOUT_THE_REPORT.contains(&word.as_str())
                && !ASKING.contains(&word.as_str())
        });
        Self {
            text: text.to_owned(),
            words: words.collect(),
            numbers: figures::number_keys(text),
            names: if figures::names(text).is_empty() { names } else { Vec::new() },
        }
    }

    /// What of it is not told: nothing, all of it, or what it asks for of some of the things that it names.
    pub fn open(&self, told: &ToldThings) -> Vec<String> {
        if !figures::names(&self.text).is_empty() {
            return told.open_parts(&self.text);
        }
        if self.names.is_empty() {
            let is_told = self.words.is_empty() || told.tells(&BTreeSet::new(), &self.numbers, &self.words);
            return if is_told { Vec::new() } else { vec![self.text.clone()] };
        }
        let is_open = |name: &(usize, usize)| {
            !told.tells(&passages::words(self.name_at(*name)), &self.numbers, &self.words)
        };
        let open: Vec<(usize, usize)> = self.names.iter().copied().filter(is_open).collect();
        if open.len() == self.names.len() {
            return vec![self.text.clone()];
        }
        // The others are told: only these are named.
        let rest = self.words.join(" ");
        open.into_iter().map(|name| format!("{} ({rest})", self.name_at(name))).collect()
    }

    /// Whether it names things, so that pages can be recognised by them.
    pub fn is_named(&self) -> bool {
        !self.names.is_empty() || !figures::names(&self.text).is_empty()
    }

    fn name_at(&self, (start, end): (usize, usize)) -> &str {
        self.text.get(start..end).unwrap_or_default()
    }

    /// Whether another text asks for the same: all words of one are those of the other.
    pub fn is_part_of(&self, other: &Self) -> bool {
        let (one, two) = (passages::words(&self.text), passages::words(&other.text));
        one.is_subset(&two) || two.is_subset(&one)
    }

    /// Whether a query may have asked for it: one that has half of its words.
    pub fn is_asked_by(&self, query: &str) -> bool {
        let wanted = passages::words(&self.text);
        passages::shared(&wanted, query) * 2 >= wanted.len()
    }
}

/// What stands behind one of these beginnings.
fn without_start<'a>(text: &'a str, starts: &[&str]) -> Option<&'a str> {
    let text = text.trim();
    let behind = starts.iter().find_map(|start| {
        let head = text.get(..start.len())?;
        let rest = text.get(start.len()..)?;
        let ends = rest.is_empty() || rest.starts_with([' ', ':']);
        (ends && head.to_lowercase() == **start).then_some(rest)
    })?;
    Some(behind.trim_start_matches([' ', ':']))
}

/// The topics of a list.
fn topics(list: &str) -> Vec<String> {
    let list = list.trim_end_matches(['.', '。', '!', ' ']);
    let plain = list.replace(" and ", ",").replace(" und ", ",").replace(" or ", ",").replace(" oder ", ",");
    let parts = plain.split([',', ';', '、', '，']).map(str::trim);
    let is_topic =
        |part: &&str| !part.is_empty() && !part.starts_with("whatever") && !part.starts_with("was ");
    parts.filter(is_topic).map(str::to_owned).collect()
}

/// Byte ranges of two or more words with a capital one after the other: names also where every noun has a capital.
fn runs(text: &str) -> Vec<(usize, usize)> {
    let mut found: Vec<(usize, usize, usize)> = Vec::new();
    let (mut at, mut goes_on, mut begins) = (0, false, true);
    for piece in text.split_inclusive(char::is_whitespace) {
        let word = piece.trim_end();
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        let start = at + word.find(bare).unwrap_or_default();
        let is_capital = !begins && bare.chars().next().is_some_and(char::is_uppercase);
        if is_capital {
            match found.last_mut().filter(|_| goes_on) {
                Some((_, end, count)) => (*end, *count) = (start + bare.len(), *count + 1),
                None => found.push((start, start + bare.len(), 1)),
            }
        }
        goes_on = is_capital && word.ends_with(bare);
        begins = word.ends_with(['.', '!', '?', ':']);
        at += piece.len();
    }
    found.into_iter().filter(|(_, _, count)| *count > 1).map(|(start, end, _)| (start, end)).collect()
}

#[cfg(test)]
mod tests;
