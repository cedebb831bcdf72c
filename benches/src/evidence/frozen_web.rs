//! A frozen web: the articles of WiCE, each on a host of its own, and what the tests add to them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::labelled_data::{self as data, WiceItem};

/// Sentences of an article in one paragraph of its page.
const PARAGRAPH_SENTENCES: usize = 5;
/// Lengths of a sentence that a report can carry, in bytes.
const SENTENCE_BYTES_MIN: usize = 60;
const SENTENCE_BYTES_MAX: usize = 280;
const SENTENCE_WORDS_MIN: usize = 9;

/// One article, as its page is served.
#[derive(Debug, Clone)]
pub struct FrozenArticle {
    pub host: String,
    pub title: String,
    pub sentences: Vec<String>,
    /// Sentences that a report may take as they are.
    pub usable: Vec<String>,
    /// Words that begin with a capital inside sentences.
    pub names: BTreeSet<String>,
}

/// Articles of both halves; the halves share none.
#[derive(Debug, Clone)]
pub struct FrozenWeb {
    pub articles: Vec<FrozenArticle>,
    /// How many of them, from the first, are of the development half.
    pub development: usize,
}

impl FrozenWeb {
    /// Nothing where the data is absent.
    pub fn load() -> anyhow::Result<Option<Self>> {
        let Some(folder) = data::folder() else { return Ok(None) };
        let mut articles = Vec::new();
        let mut seen = BTreeSet::new();
        let mut development = 0;
        for file in ["claim_dev", "claim_test"] {
            for item in data::wice(&folder, file)? {
                if seen.insert(item.page()) {
                    articles.push(article(&item, articles.len()));
                }
            }
            if file == "claim_dev" {
                development = articles.len();
            }
        }
        Ok(Some(Self { articles, development }))
    }

    /// Places of the half that may be looked at while building, and of the one that figures are told of.
    pub fn half(&self, reported: bool) -> Vec<usize> {
        let all = 0..self.articles.len();
        all.filter(|place| (*place >= self.development) == reported).collect()
    }
}

impl FrozenArticle {
    pub fn url(&self) -> String {
        format!("http://{}/article", self.host)
    }

    pub fn text(&self) -> String {
        paragraphs(&self.sentences)
    }

    /// Everything on the page on one line.
    pub fn flat(&self) -> String {
        self.sentences.join(" ")
    }

    pub fn page(&self) -> Value {
        json!({"url": self.url(), "title": self.title, "text": self.text()})
    }
}

pub fn paragraphs(sentences: &[String]) -> String {
    let paragraphs: Vec<String> =
        sentences.chunks(PARAGRAPH_SENTENCES).map(|sentences| sentences.join(" ")).collect();
    paragraphs.join("\n\n")
}

fn article(item: &WiceItem, place: usize) -> FrozenArticle {
    let tidy = |sentence: &String| sentence.split_whitespace().collect::<Vec<_>>().join(" ");
    let sentences: Vec<String> = item.evidence.iter().map(tidy).filter(|text| !text.is_empty()).collect();
    let mut count: BTreeMap<&str, usize> = BTreeMap::new();
    for sentence in &sentences {
        *count.entry(sentence).or_default() += 1;
    }
    let once = |sentence: &&String| count.get(sentence.as_str()) == Some(&1);
    let usable = sentences.iter().filter(|sentence| is_usable(sentence)).filter(once).cloned().collect();
    let names = sentences.iter().flat_map(|sentence| names(sentence)).map(str::to_owned).collect();
    let title = item.meta.get("claim_title").and_then(Value::as_str).unwrap_or("An article").to_owned();
    FrozenArticle { host: format!("www.frozen-{place}.org"), title, sentences, usable, names }
}

/// A plain English sentence without marks that mean something in Markdown or to a reader of quotations.
fn is_usable(sentence: &str) -> bool {
    let length = (SENTENCE_BYTES_MIN..=SENTENCE_BYTES_MAX).contains(&sentence.len());
    let plain = |letter: char| letter.is_alphanumeric() || " ,.-%$£€'’;:–&/".contains(letter);
    let words = sentence.split_whitespace().count() >= SENTENCE_WORDS_MIN;
    let begins = sentence.starts_with(|letter: char| letter.is_ascii_uppercase());
    // One end, so that it is one sentence to everybody.
    let ends = sentence.ends_with('.') && sentence.matches(". ").count() == 0 && !sentence.contains("..");
    let letters = sentence.chars().filter(|letter| letter.is_ascii_lowercase()).count();
    let is_prose = letters * 10 >= sentence.len() * 6;
    length && words && begins && ends && is_prose && sentence.chars().all(plain) && !sentence.contains("www")
}

/// Words inside a sentence that begin with a capital and are no months, days or titles.
pub fn names(sentence: &str) -> Vec<&str> {
    const NOT_NAMES: &str = "January February March April June July August September October November December \
        Monday Tuesday Wednesday Thursday Friday Saturday Sunday This That They There Their When Where What With From \
        Mrs Miss Lord";
    let word = |word: &&str| {
        let mut letters = word.chars();
        let capital = letters.next().is_some_and(|letter| letter.is_ascii_uppercase());
        word.len() >= 4
            && capital
            && letters.all(|letter| letter.is_ascii_lowercase())
            && !NOT_NAMES.split(' ').any(|other| other == *word)
    };
    let inside = sentence.split([' ', '-', '/']).skip(1);
    inside
        .map(|part| part.trim_matches([',', '.', ';', ':']).trim_end_matches("'s").trim_end_matches("’s"))
        .filter(word)
        .collect()
}
