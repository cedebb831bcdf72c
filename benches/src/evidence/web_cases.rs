//! Planted reports for the web engine: its writer cites notes, so the sentences must be in what its reader quotes.

use super::{
    cases::{Case, Form, Maker, Written},
    faults::Fault,
};

/// Kinds that a writer of notes can commit. Addresses it cannot: it names notes by number, the program the pages.
const KINDS: [Fault; 10] = [
    Fault::Number,
    Fault::Name,
    Fault::Date,
    Fault::Negation,
    Fault::QuotedNumber,
    Fault::QuotedName,
    Fault::FabricatedQuotation,
    Fault::UncitedNumber,
    Fault::DanglingLabel,
    Fault::Verbatim,
];
/// Words of a query: two of each of three sentences, as the reader takes what has two words of the question.
const SENTENCES: usize = 3;
const WORDS_EACH: usize = 2;
const WORD_LETTERS_MIN: usize = 6;

/// A report on one article, and the question that makes the reader quote its sentences.
pub fn report(maker: &mut Maker<'_>, number: usize) -> Option<(Written, String)> {
    for _ in 0..400 {
        let Some(article) = maker.article().filter(|article| article.usable.len() >= SENTENCES) else {
            continue;
        };
        let mut cases: Vec<Case> = Vec::new();
        let mut words: Vec<String> = Vec::new();
        for truth in &article.usable {
            let fault = KINDS.get((number + cases.len()) % KINDS.len()).copied()?;
            let own = rare(truth, &article.flat(), &words);
            if cases.len() >= SENTENCES || own.len() < WORDS_EACH {
                continue;
            }
            let Some(case) = maker.changed(fault, article, truth.clone()) else { continue };
            words.extend(own);
            cases.push(case);
        }
        if cases.len() == SENTENCES {
            let question = format!("{} [[report r{number}]]", words.join(" "));
            return Some((Written { name: format!("r{number}"), form: Form::Inline, cases }, question));
        }
    }
    None
}

/// Words of a sentence that the page has nowhere else.
fn rare(sentence: &str, page: &str, taken: &[String]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for word in sentence.split(|letter: char| !letter.is_alphabetic()) {
        let word = word.to_lowercase();
        let once = page
            .to_lowercase()
            .split(|letter: char| !letter.is_alphanumeric())
            .filter(|other| *other == word)
            .count()
            == 1;
        if word.len() >= WORD_LETTERS_MIN && once && !taken.contains(&word) && !found.contains(&word) {
            found.push(word);
        }
    }
    found.truncate(WORDS_EACH);
    found
}
