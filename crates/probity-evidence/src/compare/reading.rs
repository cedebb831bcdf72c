//! A sentence read for its witnesses: tokens without accents and elisions, clauses, and whether it is in another
//! language than the page.

use std::sync::Arc;

use super::{
    ComparisonSource,
    claim::ClaimFacts,
    senses::{WordSenses, senses_of},
};
use crate::{
    names,
    page::PageSentence,
    value::{Quantity, TextDate},
    words::{
        self, LetterCase, TextWord, WordKind,
        stop::{LIKELY_WORDS_MIN, LanguageCounts},
    },
};

/// Tokens of one sentence that are looked at; longer ones are lists or data.
const TOKENS_MAX: usize = 160;
/// The same for its numbers and dates.
const NUMBERS_MAX: usize = 24;
/// Letters that related words share at their front, at least.
const FRONT_MIN: usize = 4;

/// What is known of a word wherever it stands. Of a page's words it is found once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Lexeme {
    /// Folded, without accents, elisions and Arabic articles.
    pub plain: String,
    pub senses: WordSenses,
    /// The languages that have it as a small word.
    languages: u8,
    /// Neither small nor a negation.
    is_telling: bool,
    /// Bytes of its stem.
    stem_end: usize,
}

impl Lexeme {
    pub fn of(folded: &str) -> Self {
        let plain = plain(folded);
        let small = words::stop::small_word(folded);
        let is_telling = !small.is_stop_word
            && !words::is_stop_word(&plain)
            && !words::is_negation(&plain)
            && plain.chars().count() > 1;
        Self {
            senses: senses_of(&plain),
            languages: small.languages,
            stem_end: words::stem(&plain).len(),
            plain,
            is_telling,
        }
    }
}

#[derive(Debug, Clone)]
pub(super) struct ReadingWord {
    pub start: usize,
    pub end: usize,
    lexeme: Arc<Lexeme>,
    pub kind: WordKind,
    pub is_capital: bool,
    /// It says something.
    pub is_content: bool,
    /// Punctuation stands before it that ends a clause.
    pub begins_clause: bool,
}

impl std::ops::Deref for ReadingWord {
    type Target = Lexeme;

    fn deref(&self) -> &Lexeme {
        &self.lexeme
    }
}

/// A word of a text before it is read.
struct UnreadWord {
    start: usize,
    end: usize,
    kind: WordKind,
    case: LetterCase,
    lexeme: Arc<Lexeme>,
}

/// A sentence of a page, or a claim, with its numbers and dates.
#[derive(Debug, Clone)]
pub(super) struct Reading<'a> {
    pub text: &'a str,
    /// Where the text begins on its page.
    pub base: usize,
    pub tokens: Vec<ReadingWord>,
    pub numbers: Vec<&'a Quantity>,
    pub dates: Vec<&'a TextDate>,
    pub is_dense: bool,
    pub is_english: bool,
}

impl<'a> Reading<'a> {
    /// A claim beside one of its pages, which knows most of its words. Without small words it is in the page's language.
    pub fn of_claim(claim: &'a ClaimFacts<'_>, source: &ComparisonSource<'_>) -> Self {
        let lexeme = |folded: &str| match source.page.term(folded) {
            Some(term) => source.facts.lexeme(source.page, term),
            None => Arc::new(Lexeme::of(folded)),
        };
        let words = claim.words.iter().map(|word| UnreadWord {
            start: word.start,
            end: word.end,
            kind: word.kind,
            case: word.case,
            lexeme: lexeme(&word.folded),
        });
        Self::new(
            claim.text,
            0,
            words,
            claim.values.numbers.iter().collect(),
            claim.values.dates.iter().collect(),
            source.facts.is_english,
        )
    }

    pub fn of_sentence(source: &ComparisonSource<'a>, sentence: &PageSentence) -> Self {
        let text = source.page.sentence_text(sentence);
        let values = &source.facts.values;
        let first = values.numbers.partition_point(|number| number.start < sentence.start);
        let numbers = values.numbers.iter().skip(first).take_while(|number| number.start < sentence.end);
        let first = values.dates.partition_point(|date| date.start < sentence.start);
        let dates = values.dates.iter().skip(first).take_while(|date| date.start < sentence.end);
        let words = source.page.words_of(sentence).iter().map(|word| UnreadWord {
            start: word.start,
            end: word.end,
            kind: word.kind,
            case: word.case,
            lexeme: source.facts.lexeme(source.page, word.term),
        });
        Self::new(
            text,
            sentence.start,
            words,
            numbers.take(NUMBERS_MAX).collect(),
            dates.take(NUMBERS_MAX).collect(),
            source.facts.is_english,
        )
    }

    fn new(
        text: &'a str,
        base: usize,
        words: impl Iterator<Item = UnreadWord>,
        numbers: Vec<&'a Quantity>,
        dates: Vec<&'a TextDate>,
        otherwise_english: bool,
    ) -> Self {
        let mut languages = LanguageCounts::default();
        let mut tokens: Vec<ReadingWord> = Vec::with_capacity(words.size_hint().0.min(TOKENS_MAX));
        let mut end = base;
        for word in words.take(TOKENS_MAX) {
            let between = text.get(end - base..word.start.saturating_sub(base)).unwrap_or_default();
            let begins_clause =
                between.contains([',', ';', ':', '|', '(', ')', '–', '—', '，', '、', '；', '：', '،', '؛']);
            end = word.end;
            languages.add(word.lexeme.languages);
            tokens.push(ReadingWord {
                start: word.start,
                end: word.end,
                kind: word.kind,
                is_capital: word.case != LetterCase::Lower,
                is_content: word.kind == WordKind::Plain && word.lexeme.is_telling,
                lexeme: word.lexeme,
                begins_clause,
            });
        }
        let dense = tokens.iter().filter(|token| token.kind == WordKind::Dense).count();
        let is_dense = 2 * dense > tokens.len();
        let is_english = languages.most(1).map_or(otherwise_english, |language| language == "en");
        Self { text, base, tokens, numbers, dates, is_dense, is_english }
    }

    pub fn span(&self) -> (usize, usize) {
        (self.base, self.base + self.text.len())
    }

    pub fn content(&self) -> impl Iterator<Item = &ReadingWord> {
        self.tokens.iter().filter(|token| token.is_content)
    }

    /// It has a word that is related to this one.
    pub fn has(&self, plain: &str) -> bool {
        // Related words begin alike, which most do not: only then is the stem needed.
        let first = plain.as_bytes().first();
        let mut stem = None;
        self.content().any(|token| {
            if token.plain.as_bytes().first() != first {
                return false;
            }
            let their_stem = token.plain.get(..token.stem_end).unwrap_or(&token.plain);
            let stem = *stem.get_or_insert_with(|| words::stem(plain));
            related_by((&token.plain, their_stem), (plain, stem))
        })
    }

    pub fn has_year(&self, year: i32) -> bool {
        self.dates.iter().any(|date| date.year == Some(year))
    }

    /// How many numbers and dates of the claim it has.
    pub fn figures_of(&self, claim: &Reading<'_>) -> usize {
        let number = |mine: &&&Quantity| self.numbers.iter().any(|theirs| mine.agrees(theirs));
        let date = |mine: &&&TextDate| self.dates.iter().any(|theirs| mine.agrees(theirs));
        claim.numbers.iter().filter(number).count() + claim.dates.iter().filter(date).count()
    }

    /// The share of the other's content that this one has too: words, or pairs of characters. `is_kin` knows of words
    /// that say the same without being related.
    pub fn share_of(&self, claim: &Reading<'_>, is_kin: impl Fn(&ReadingWord) -> bool) -> f32 {
        let (mut all, mut there) = (0.0_f32, 0.0_f32);
        if claim.is_dense {
            for pair in pairs(claim.text) {
                all += 1.0;
                there += f32::from(u8::from(self.text.contains(pair)));
            }
        }
        for token in claim.content() {
            all += 1.0;
            there += f32::from(u8::from(self.has(&token.plain) || is_kin(token)));
        }
        if all > 0.0 { there / all } else { 0.0 }
    }
}

/// Neighbouring characters of scripts without spaces, grammar left out.
pub(super) fn pairs(text: &str) -> impl Iterator<Item = &str> {
    let grammar = |letter: char| ('\u{3040}'..='\u{309f}').contains(&letter);
    let places = text.char_indices().zip(text.char_indices().skip(1));
    places.filter_map(move |((start, first), (next, second))| {
        let telling = words::classes::is_dense(first) && words::classes::is_dense(second);
        let pair = text.get(start..next + second.len_utf8())?;
        (telling && !(grammar(first) && grammar(second))).then_some(pair)
    })
}

/// A token as it is compared: without accents, without `l'`, `d'`, `dell'`, without the Arabic article.
pub(super) fn plain(folded: &str) -> String {
    // Without its accent, "born" would be the French negation.
    if matches!(folded, "né" | "nés") {
        return "nee".to_owned();
    }
    let bare = match folded.split_once('\'') {
        Some((article, rest)) if article.chars().count() <= 5 && rest.chars().count() >= 2 => rest,
        _ => folded,
    };
    let token = names::plain_token(bare);
    match token.chars().next() {
        Some('\u{600}'..='\u{6ff}') => arabic(&token).to_owned(),
        _ => token,
    }
}

/// Without the letters that Arabic writes together with the next word.
fn arabic(token: &str) -> &str {
    for front in ["وال", "بال", "كال", "فال", "لل", "ال", "وس", "و", "س", "ب", "ل", "ف"]
    {
        if let Some(rest) = token.strip_prefix(front).filter(|rest| rest.chars().count() >= 3) {
            return rest;
        }
    }
    token
}

/// Forms of one word: equal, of one stem, or alike for most of their length.
pub(super) fn related(one: &str, other: &str) -> bool {
    one.as_bytes().first() == other.as_bytes().first()
        && related_by((one, words::stem(one)), (other, words::stem(other)))
}

/// The same for words whose stems are known.
fn related_by((one, stem): (&str, &str), (other, other_stem): (&str, &str)) -> bool {
    if one.as_bytes().first() != other.as_bytes().first() {
        return false;
    }
    if one == other || stem == other_stem {
        return true;
    }
    let (mine, theirs) = (one.chars().count(), other.chars().count());
    let shared = one.chars().zip(other.chars()).take_while(|(left, right)| left == right).count();
    // Korean hangs its grammar on words of two syllables.
    let is_hangul = one.starts_with(|letter: char| ('\u{ac00}'..='\u{d7a3}').contains(&letter));
    let least = if is_hangul { 2 } else { FRONT_MIN };
    shared >= least && (is_hangul || 10 * shared >= 6 * mine.max(theirs))
}

/// Scripts that tell languages apart by themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Script {
    Latin,
    Cyrillic,
    Arabic,
    Han,
    Kana,
    Hangul,
    Other,
}

/// Bytes of a page that tell its language.
const LANGUAGE_BYTES: usize = 1_500;

/// Words of a page in small letters that tell whether it has a language's small words.
const LANGUAGE_WORDS: usize = 400;
/// With fewer it may be a list.
const LANGUAGE_WORDS_MIN: usize = 40;
/// One word in so many is a small one, at least, in a text of the language.
const SMALL_WORD_EVERY: usize = 20;
/// Words of a claim that say that it is not in the language of a page that has none of them.
const UNKNOWN_WORDS_MIN: usize = 4;

/// Whether claim and page are written in different scripts.
pub(super) fn is_other_script(claim: &str, source: &ComparisonSource<'_>) -> bool {
    let text = |(start, end): &(usize, usize)| source.page.text().get(*start..*end).unwrap_or_default();
    let theirs = script(sample(source).iter().map(text));
    script([claim].into_iter()).zip(theirs).is_some_and(|(mine, theirs)| mine != theirs)
}

/// The page has next to no small word of the claim's language.
fn lacks_language(source: &ComparisonSource<'_>, language: &str) -> bool {
    let plain = source
        .page
        .words()
        .iter()
        .filter(|word| word.kind == WordKind::Plain && word.case == LetterCase::Lower);
    let (mut all, mut small) = (0_usize, 0_usize);
    for word in plain.take(LANGUAGE_WORDS) {
        all += 1;
        small += usize::from(words::stop::is_small_in(source.page.folded(word.term), language));
    }
    all >= LANGUAGE_WORDS_MIN && small * SMALL_WORD_EVERY < all
}

/// Some words in small letters, none of them on the page, and none a small one of its language.
fn is_of_no_word(claim_words: &[TextWord], source: &ComparisonSource<'_>, language: &str) -> bool {
    let lower = |word: &&TextWord| word.kind == WordKind::Plain && word.case == LetterCase::Lower;
    let mut plain = claim_words.iter().filter(lower);
    plain.clone().count() >= UNKNOWN_WORDS_MIN
        && plain.all(|word| {
            !words::stop::is_small_in(&word.folded, language)
                && !source.facts.has_plain(&names::plain_token(&word.folded))
        })
}

/// Whether claim and page are in different languages, as far as script and small words tell.
pub(super) fn is_foreign(claim: &str, claim_words: &[TextWord], source: &ComparisonSource<'_>) -> bool {
    let page = source.page;
    let sample = sample(source);
    let text = |(start, end): &(usize, usize)| page.text().get(*start..*end).unwrap_or_default();
    let (Some(mine), Some(theirs)) = (script([claim].into_iter()), script(sample.iter().map(text))) else {
        return false;
    };
    if mine != theirs {
        return true;
    }
    if mine != Script::Latin {
        return false;
    }
    let mut page_languages = LanguageCounts::default();
    for (start, end) in &sample {
        let first = page.words().partition_point(|word| word.start < *start);
        let inside = page.words().iter().skip(first).take_while(|word| word.end <= *end);
        inside.for_each(|word| page_languages.add(page.languages_of(word.term)));
    }
    let my_words = claim_words.iter().map(|word| word.folded.as_str());
    match (words::stop::likely_language(my_words), page_languages.most(LIKELY_WORDS_MIN)) {
        (Some(mine), Some(theirs)) => mine != theirs,
        (Some(mine), None) => lacks_language(source, mine),
        (None, Some(theirs)) => is_of_no_word(claim_words, source, theirs),
        (None, None) => false,
    }
}

/// The passages say most about the language of what matters; the head of a page may be a menu.
fn sample(source: &ComparisonSource<'_>) -> Vec<(usize, usize)> {
    let text = source.page.text();
    let mut left = LANGUAGE_BYTES;
    let mut found: Vec<(usize, usize)> = Vec::new();
    let mut take = |start: usize, end: usize| {
        let end = text.floor_char_boundary(end.min(start + left));
        left -= end.saturating_sub(start);
        found.push((start, end));
        left
    };
    for passage in source.passages.iter().take(3) {
        take(passage.start, passage.end);
    }
    if take(0, 0) > LANGUAGE_BYTES - LANGUAGE_BYTES / 4 {
        take(0, LANGUAGE_BYTES.min(text.len()));
    }
    found
}

fn script<'t>(texts: impl Iterator<Item = &'t str>) -> Option<Script> {
    let mut counts = [0_usize; 7];
    let mut latin = 0_usize;
    let others = texts.filter(|text| {
        // Most texts have letters `a` to `z` alone, which need no second look.
        let is_ascii = text.is_ascii();
        latin += if is_ascii { text.bytes().filter(u8::is_ascii_alphabetic).count() } else { 0 };
        !is_ascii
    });
    for letter in others.flat_map(str::chars).filter(|letter| letter.is_alphabetic()) {
        let script = match letter {
            'a'..='z' | 'A'..='Z' | '\u{c0}'..='\u{24f}' => Script::Latin,
            '\u{400}'..='\u{52f}' => Script::Cyrillic,
            '\u{600}'..='\u{6ff}' => Script::Arabic,
            '\u{3040}'..='\u{30ff}' => Script::Kana,
            '\u{ac00}'..='\u{d7a3}' => Script::Hangul,
            _ if words::classes::is_dense(letter) => Script::Han,
            _ => Script::Other,
        };
        if let Some(count) = counts.get_mut(script as usize) {
            // A character of a dense script is as much as a syllable or two.
            *count += if matches!(script, Script::Han | Script::Kana | Script::Hangul) { 2 } else { 1 };
        }
    }
    counts.get_mut(Script::Latin as usize).into_iter().for_each(|count| *count += latin);
    // Japanese is told by its kana, however much Han it has.
    let kana = counts.get(Script::Kana as usize).copied().unwrap_or(0);
    let han = counts.get(Script::Han as usize).copied().unwrap_or(0);
    let all = [
        Script::Latin,
        Script::Cyrillic,
        Script::Arabic,
        Script::Han,
        Script::Kana,
        Script::Hangul,
        Script::Other,
    ];
    let (most, script) = counts.into_iter().zip(all).max_by_key(|(count, _)| *count)?;
    match script {
        _ if most == 0 => None,
        Script::Han if 6 * kana > han => Some(Script::Kana),
        script => Some(script),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        compare::{ComparisonContext, PageFacts},
        page::IndexedPage,
    };

    /// What a page knows of its words is what reading them again would find.
    #[test]
    fn a_sentence_of_a_page_reads_like_the_same_claim() {
        // A page without a word: nothing that the claim needs is known before.
        let empty = IndexedPage::new("");
        let no_facts = PageFacts::of(&empty);
        let context = ComparisonContext::default();
        let nowhere = ComparisonSource { page: &empty, facts: &no_facts, passages: &[], context };
        for text in [
            "The harbour's 52,000 containers, not all of them full, rose by 12 % (2019).",
            "L'usine d'Arvik n'a pas fermé; elle a été agrandie.",
            "Der Bürgermeister lehnte die Straße ab: zu teuer.",
            "وافق المجلس على الجسر الجديد، ولم يغلق القديم.",
            "市议会昨天批准了新桥项目，没有推迟。",
        ] {
            let page = IndexedPage::new(&format!("Before it. {text} After it."));
            let facts = PageFacts::of(&page);
            let source = ComparisonSource { page: &page, facts: &facts, passages: &[], context };
            let sentence = page.sentences().iter().find(|one| page.sentence_text(one) == text).unwrap();
            let claim = ClaimFacts::of(text);
            let told = |reading: &Reading<'_>| {
                let word = |token: &ReadingWord| {
                    let place = (token.start - reading.base, token.end - reading.base);
                    let lexeme = Lexeme::clone(token);
                    (place, lexeme, token.is_content, token.is_capital, token.begins_clause)
                };
                reading.tokens.iter().map(word).collect::<Vec<_>>()
            };
            let read = told(&Reading::of_sentence(&source, sentence));
            assert_eq!(read, told(&Reading::of_claim(&claim, &nowhere)), "{text}");
            assert_eq!(read, told(&Reading::of_claim(&claim, &source)), "{text}");
        }
    }
}
