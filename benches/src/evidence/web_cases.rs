//! Planted reports for the web engine: its writer cites notes, so the sentences must be in what its reader quotes.

use super::{
    cases::{CitationForm, PlantedCase, PlantedReport, PlantedReportMaker},
    faults::SentenceFault,
};

/// Kinds that a writer of notes can commit. Addresses it cannot: it names notes by number, the program the pages.
const KINDS: [SentenceFault; 10] = [
    SentenceFault::Number,
    SentenceFault::Name,
    SentenceFault::Date,
    SentenceFault::Negation,
    SentenceFault::QuotedNumber,
    SentenceFault::QuotedName,
    SentenceFault::FabricatedQuotation,
    SentenceFault::UncitedNumber,
    SentenceFault::DanglingLabel,
    SentenceFault::Verbatim,
];
/// Words of a query: two of each of three sentences, as the reader takes what has two words of the question.
const SENTENCES: usize = 3;
const WORDS_EACH: usize = 2;
const WORD_LETTERS_MIN: usize = 6;

/// A report on one article, and the question that makes the reader quote its sentences.
pub fn report(maker: &mut PlantedReportMaker<'_>, number: usize) -> Option<(PlantedReport, String)> {
    for _ in 0..400 {
        let Some(article) = maker.article().filter(|article| article.usable.len() >= SENTENCES) else {
            continue;
        };
        let mut cases: Vec<PlantedCase> = Vec::new();
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
            return Some((
                PlantedReport { name: format!("r{number}"), form: CitationForm::Inline, cases },
                question,
            ));
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
