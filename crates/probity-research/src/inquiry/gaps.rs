//! What a report calls missing: only what neither it nor its evidence says.

use std::collections::BTreeSet;

use probity_types::inquiry::{RequirementKind, TypedFact};

use super::{
    bank::{Bank, BankQuote},
    facet::{ChecklistItem, RequirementStatus},
    figures,
};
use crate::{report::ReportPhrases, web::passages};

/// How sentences begin that only say that nothing was found.
const OPENERS: &[&str] = &[
    "not found:",
    "no source was found",
    "no source was found for",
    "no source was found on",
    "no source was found about",
    "no source was found that gives",
    "no source was found that states",
    "no sources were found",
    "no sources were found for",
    "no sources were found on",
    "no sources were found about",
    "no source gives",
    "no source states",
    "no source names",
    "no source reports",
    "no quotation gives",
    "no quotation states",
    "no quotation names",
    "no quotation was found for",
    "no information was found",
    "no information was found for",
    "no information was found on",
    "no information was found about",
    "no figure was found for",
    "no figures were found for",
    "no value was found for",
    "no data was found for",
    "no data were found for",
    "no data was found on",
    "no data were found on",
    "nothing was found",
    "nothing was found for",
    "nothing was found on",
    "nothing was found about",
    "nicht gefunden:",
    "keine quelle nennt",
    "keine quelle wurde gefunden für",
    "keine quelle wurde gefunden zu",
    "es wurde keine quelle gefunden für",
    "es wurde keine quelle gefunden zu",
    "introuvable :",
    "introuvable:",
    "aucune source ne donne",
    "aucune source n'a été trouvée pour",
    "no encontrado:",
    "ninguna fuente indica",
    "no se encontró ninguna fuente sobre",
    "未找到：",
    "未找到:",
    "non è stata trovata alcuna fonte per",
    "nessuna fonte indica",
    "não foi encontrada nenhuma fonte sobre",
    "nenhuma fonte indica",
    "er is geen bron gevonden voor",
    "geen bron noemt",
];
/// A sentence that goes on with one of these says something beside it.
const CONTRASTS: &[&str] = &[
    " but ",
    ";",
    " however",
    " although ",
    " though ",
    " while ",
    " except ",
    " aber ",
    " jedoch ",
    " mais ",
    " pero ",
    "，但",
];
/// Words of demands that are about the report and not about what is to be found.
pub(super) const ABOUT_THE_REPORT: &[&str] = &[
    "include",
    "table",
    "list",
    "give",
    "state",
    "report",
    "provide",
    "compare",
    "show",
    "name",
    "much",
    "many",
    "year",
    "jahr",
    "figure",
    "figures",
    "details",
    "information",
    "facts",
    "statistics",
];
/// How questions begin whose answer is a figure or a date.
const ASKING_STARTS: &[&str] = &["when ", "how ", "wann ", "wie ", "quand ", "combien ", "cuándo ", "cuánto"];
/// Endings that do not make another word: `emission` and `emissions`.
const ENDING_CHARACTERS_MAX: usize = 2;
const STEM_CHARACTERS_MIN: usize = 4;

/// Whether a sentence says nothing beyond that nothing was found.
pub fn says_only_nothing(text: &str) -> bool {
    let lower = text.to_lowercase();
    opener(text.trim()).is_some()
        && !CONTRASTS.iter().any(|contrast| lower.contains(contrast))
        && passages::sentences(text).len() < 2
}

/// What is missing, without the words that say that it is and without numbers of sources.
pub fn without_opener(words: &str) -> &str {
    let mut rest = words.trim();
    while let Some(length) = opener(rest) {
        rest = rest.get(length..).unwrap_or_default().trim_start_matches([':', ',', '.', ' ']);
    }
    without_numbers(rest)
}

/// The length of the longest opener at the beginning of a text.
fn opener(text: &str) -> Option<usize> {
    let begins = |opener: &&&str| {
        let is_it = text.get(..opener.len()).is_some_and(|head| head.eq_ignore_ascii_case(opener));
        let behind = text.get(opener.len()..).and_then(|rest| rest.chars().next());
        is_it && behind.is_none_or(|c| !c.is_alphanumeric() || passages::is_dense(c))
    };
    // The program's own opener in each of its languages.
    let own = ReportPhrases::ALL.iter().filter_map(|phrases| {
        let rest = text.strip_prefix(phrases.not_found)?;
        let marked = rest.strip_prefix([':', '：'])?;
        Some(text.len() - marked.len())
    });
    OPENERS.iter().filter(begins).map(|opener| opener.len()).chain(own).max()
}

fn without_numbers(text: &str) -> &str {
    let mut rest = text.trim_end();
    while let Some((before, inside)) = rest.strip_suffix(']').and_then(|open| open.rsplit_once('[')) {
        if inside.is_empty() || !inside.chars().all(|c| c.is_ascii_digit()) {
            break;
        }
        rest = before.trim_end();
    }
    rest
}

/// The words that a text writes like names. In a language that writes every noun so, few are known to be some.
pub fn name_words(text: &str) -> BTreeSet<String> {
    let nouns_are_capitals = figures::has_capital_nouns(text);
    let mut found = figures::name_keys(text, nouns_are_capitals);
    // A name may begin the line: two words with a capital.
    let bare = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_owned();
    let is_capital = |word: &str| word.chars().next().is_some_and(char::is_uppercase);
    let mut words = text.split_whitespace().map(bare);
    if let (Some(first), Some(second)) = (words.next(), words.next())
        && !nouns_are_capitals
        && is_capital(&first)
        && is_capital(&second)
    {
        found.insert(first.to_lowercase());
    }
    found.retain(|name| !passages::words(name).is_empty());
    found
}

/// Everything that a report and its evidence say, to be compared with what is called missing.
#[derive(Debug, Default)]
pub struct ToldThings {
    told: Vec<ToldThing>,
}

#[derive(Debug)]
struct ToldThing {
    lower: String,
    words: BTreeSet<String>,
    numbers: BTreeSet<String>,
}

impl ToldThing {
    fn has(&self, wanted: &str) -> bool {
        self.words.contains(wanted) || self.words.iter().any(|word| is_same_word(word, wanted))
    }

    /// Whether a word stands here in another form or inside a longer one, as nouns of one piece have it.
    fn has_stem(&self, wanted: &str) -> bool {
        let plain: Vec<char> = plain_vowels(wanted).chars().collect();
        if self.has(wanted) || plain.len() < STEM_CHARACTERS_MIN + ENDING_CHARACTERS_MAX {
            return self.has(wanted);
        }
        let stem: String = plain.iter().take(plain.len() - ENDING_CHARACTERS_MAX).collect();
        plain_vowels(&self.lower).contains(&stem)
    }
}

/// A fact as its reader named it. Where the reader named no time, the quotation may.
fn in_words(quote: &BankQuote, fact: &TypedFact) -> String {
    let when = match fact.period.is_empty() && fact.as_of.is_empty() {
        true => figures::number_keys(&quote.text).into_iter().collect::<Vec<String>>().join(" "),
        false => format!("{} {}", fact.period, fact.as_of),
    };
    format!("{} {} {} {} {when}", fact.entity, fact.attribute, fact.value, fact.unit)
}

/// Vowels that a plural changes, as they were.
fn plain_vowels(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            'ä' => 'a',
            'ö' => 'o',
            'ü' => 'u',
            other => other,
        })
        .collect()
}

fn is_same_word(one: &str, other: &str) -> bool {
    let (short, long) = if one.len() < other.len() { (one, other) } else { (other, one) };
    let ending = long.strip_prefix(short).map(|ending| ending.chars().count());
    short.chars().count() >= STEM_CHARACTERS_MIN && ending.is_some_and(|count| count <= ENDING_CHARACTERS_MAX)
}

impl ToldThings {
    /// A sentence, a quotation, or a fact in words.
    pub fn add(&mut self, text: &str) {
        if says_only_nothing(text) {
            return;
        }
        self.told.push(ToldThing {
            lower: text.to_lowercase(),
            words: passages::words(text),
            numbers: figures::number_keys(text),
        });
    }

    /// Quotations with the facts that their readers named, in the language of the question; those in doubt say nothing.
    pub fn add_bank(&mut self, bank: &Bank) {
        let own = bank.ids().filter(|id| !bank.may_be_shown(*id)).filter_map(|id| bank.get(id));
        for quote in bank.usable().map(|(_, quote)| quote).chain(own) {
            self.add_quote(quote);
        }
    }

    pub fn add_quote(&mut self, quote: &BankQuote) {
        self.add(&quote.text);
        for fact in &quote.facts {
            self.add(&in_words(quote, fact));
        }
    }

    /// What a sentence with these numbers tells of a quotation that it cites: the facts whose values it has, and a quotation
    /// of which it has every number.
    pub fn add_cited(&mut self, quote: &BankQuote, numbers: &BTreeSet<String>) {
        let has_all = |text: &str| figures::number_keys(text).is_subset(numbers);
        if has_all(&quote.text) {
            self.add(&quote.text);
        }
        for fact in quote.facts.iter().filter(|fact| has_all(&fact.value)) {
            self.add(&in_words(quote, fact));
        }
    }

    /// Whether one thing that is told has this name, these numbers and half of these words, in whatever form.
    pub fn tells(&self, name: &BTreeSet<String>, numbers: &BTreeSet<String>, words: &[String]) -> bool {
        let needed = words.len().div_ceil(2);
        self.told.iter().any(|told| {
            name.iter().all(|word| told.has(word))
                && numbers.is_subset(&told.numbers)
                && words.iter().filter(|word| told.has_stem(word)).count() >= needed
        })
    }

    /// Whether one thing that is told has all names and numbers of what is called missing and most of its other words;
    /// all of them where it names nothing.
    pub fn has(&self, missing: &str) -> bool {
        let names = name_words(missing);
        let numbers = figures::number_keys(missing);
        let wanted: Vec<String> = passages::words(missing)
            .into_iter()
            .filter(|word| !names.contains(word) && !word.chars().all(char::is_numeric))
            .filter(|word| !ABOUT_THE_REPORT.contains(&word.as_str()))
            .collect();
        let needed = if names.is_empty() { wanted.len() } else { (wanted.len() * 2).div_ceil(3) };
        if names.is_empty() && needed < 2 {
            // "When was it opened" is told where a sentence with a figure says "opened"; other single words tell too little.
            let asks = ASKING_STARTS.iter().any(|start| missing.to_lowercase().starts_with(start));
            return asks
                && wanted.iter().any(|word| {
                    self.told.iter().any(|told| told.has_stem(word) && !told.numbers.is_empty())
                });
        }
        self.told.iter().any(|told| {
            names.iter().all(|name| told.lower.contains(name.as_str()))
                && numbers.is_subset(&told.numbers)
                && wanted.iter().filter(|word| told.has(word)).count() >= needed
        })
    }

    /// What of a demand is missing: nothing, all of it, or what it asks for of some of the things that it names.
    pub fn open_parts(&self, missing: &str) -> Vec<String> {
        if missing.is_empty() || self.has(missing) {
            return Vec::new();
        }
        let whole = ChecklistItem {
            text: missing.to_owned(),
            kind: RequirementKind::Content,
            status: RequirementStatus::Open,
        };
        let parts = whole.asked_by_name();
        let all = parts.len();
        let open: Vec<String> =
            parts.into_iter().map(|part| part.text).filter(|part| !self.has(part)).collect();
        if all < 2 || open.len() == all {
            return vec![missing.to_owned()];
        }
        open.into_iter().map(|part| tidy(&part)).collect()
    }
}

/// Words that joined the names which were taken out join nothing.
fn tidy(part: &str) -> String {
    let mut words: Vec<&str> = part.split(' ').collect();
    while words.last().is_some_and(|last| matches!(*last, "and" | "or" | "of" | "in" | "the" | "for")) {
        words.pop();
    }
    let joined = words.join(" ");
    let joined =
        joined.replace(" of and ", " of ").replace(" of the and ", " of ").replace(" for and ", " for ");
    joined.trim_end_matches(',').to_owned()
}

#[cfg(test)]
mod tests;
