//! Passages for a claim whose words are not the page's: said in other words, inflected, translated or computed.
//!
//! What is left then: how words begin, names in another script, numbers by their value, and the quantities that a share
//! or a sum is made of. Never refutes anything; it only decides what a judge gets to read.

use crate::{
    compare::PageFacts,
    hash::{QuickMap, QuickSet},
    locate::rarity,
    names,
    page::{IndexedPage, PageSentence, TermId},
    value::{
        self, Measure, Quantity, QuantityForm, TextDate, TextValues,
        share::{ShareWord, shares},
    },
    words::{self, LetterCase, WordKind},
};

/// Words of a claim that are looked up.
const CLAIM_WORDS_MAX: usize = 100;
/// Letters by which a short word and a long one are known: endings are what inflection changes.
const SHORT_FRONT: usize = 4;
const LONG_FRONT: usize = 5;
/// Letters from which a word is long.
const LONG_WORD: usize = 7;
/// Bits of a letter.
const LETTER_BITS: u32 = 21;
/// How much each sign counts beside a word that begins alike.
const NAME: f32 = 1.8;
const NUMBER: f32 = 6.0;
const DATE: f32 = 5.0;
/// A quantity that a share or a sum may be made of, and how much it gains by being about the same.
const QUANTITY: f32 = 1.5;
const SAME_MATTER: f32 = 0.4;
const SAME_MATTER_MAX: f32 = 3.0;
/// Spelled numbers up to this are often no figures: "one of them".
const SMALL: f64 = 3.0;

/// How the words of a page begin, and in which sentences. Made once per page, if a claim needs it.
#[derive(Debug)]
pub struct LooseIndex {
    /// The place of each front's list.
    fronts: QuickMap<u128, u32>,
    /// Where each list ends in `sentences`.
    ends: Vec<usize>,
    sentences: Vec<u32>,
}

/// The fronts of a page while their sentences are found.
#[derive(Debug, Default)]
struct FrontLists {
    fronts: QuickMap<u128, u32>,
    /// For each front, the sentence that was listed last and how many were.
    last: Vec<(Option<u32>, usize)>,
    /// Front and sentence, in the order of the page.
    pairs: Vec<(u32, u32)>,
}

impl LooseIndex {
    pub fn of(page: &IndexedPage) -> Self {
        let mut lists = FrontLists::default();
        // By term: where its fronts begin and end in `of_terms`.
        let mut known: Vec<Option<(usize, usize)>> = vec![None; page.term_count()];
        let mut of_terms: Vec<u32> = Vec::with_capacity(2 * page.term_count());
        for word in page.words() {
            let is_content = word.kind == WordKind::Plain && !page.is_stop_word(word.term);
            if let Some(place) =
                known.get_mut(word.term.place()).filter(|place| is_content && place.is_none())
            {
                let from = of_terms.len();
                lists.add_fronts(page.folded(word.term), &mut of_terms);
                *place = Some((from, of_terms.len()));
            }
        }
        for word in page.words() {
            if let Some((from, to)) = known.get(word.term.place()).copied().flatten() {
                for front in of_terms.get(from..to).unwrap_or_default() {
                    lists.add_sentence(*front, word.sentence);
                }
            }
        }
        lists.finish()
    }

    fn sentences(&self, front: &str) -> &[u32] {
        let Some(place) = self.fronts.get(&packed(front)).map(|place| *place as usize) else { return &[] };
        let start = place.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or(0);
        let end = self.ends.get(place).copied().unwrap_or(start);
        self.sentences.get(start..end).unwrap_or_default()
    }
}

impl FrontLists {
    /// Adds the places of a word's fronts to `places`.
    fn add_fronts(&mut self, folded: &str, places: &mut Vec<u32>) {
        each_form(folded, |form| {
            for letters in [SHORT_FRONT, LONG_FRONT] {
                if let Some(front) = front(form, letters) {
                    let next = u32::try_from(self.last.len()).unwrap_or(u32::MAX);
                    let place = *self.fronts.entry(packed(front)).or_insert(next);
                    if place == next {
                        self.last.push((None, 0));
                    }
                    places.push(place);
                }
            }
        });
    }

    /// Sentences come in their order: each is listed once if it is not the last one again.
    fn add_sentence(&mut self, front: u32, sentence: u32) {
        let Some((last, count)) = self.last.get_mut(front as usize) else { return };
        if *last != Some(sentence) {
            *last = Some(sentence);
            *count += 1;
            self.pairs.push((front, sentence));
        }
    }

    /// The lists one after the other, all in one allocation.
    fn finish(self) -> LooseIndex {
        // Where each list begins; filling it moves that to where it ends.
        let mut begin = 0_usize;
        let mut ends: Vec<usize> = Vec::with_capacity(self.last.len());
        for (_, count) in &self.last {
            ends.push(begin);
            begin += count;
        }
        let mut sentences = vec![0_u32; self.pairs.len()];
        for (front, sentence) in &self.pairs {
            let Some(end) = ends.get_mut(*front as usize) else { continue };
            sentences.get_mut(*end).into_iter().for_each(|place| *place = *sentence);
            *end += 1;
        }
        LooseIndex { fronts: self.fronts, ends, sentences }
    }
}

/// The letters of a front as a number that no other front has.
fn packed(front: &str) -> u128 {
    let letters = front.chars().take(LONG_FRONT).map(|letter| u128::from(u32::from(letter)));
    letters.fold(1, |all, letter| all << LETTER_BITS | letter)
}

/// What a claim has that outlives other words.
#[derive(Debug)]
pub struct ClaimSigns {
    /// How its words begin, each once, with its weight.
    fronts: Vec<(String, f32)>,
    values: TextValues,
    /// It says a share or a multiple in words: a fifth, twice.
    pub has_share: bool,
}

impl ClaimSigns {
    pub fn of(claim: &str) -> Self {
        let words = words::words(claim);
        let plain: Vec<String> = words.iter().map(|word| names::plain_token(&word.folded)).collect();
        let listed: Vec<ShareWord<'_>> = words
            .iter()
            .zip(&plain)
            .map(|(word, plain)| ShareWord { start: word.start, end: word.end, plain: plain.as_str() })
            .collect();
        let mut fronts: Vec<(String, f32)> = Vec::new();
        for (place, word) in words.iter().enumerate().take(CLAIM_WORDS_MAX) {
            if word.kind != WordKind::Plain || words::is_stop_word(&word.folded) {
                continue;
            }
            // The first word of a sentence has its capital from its place.
            let weight = if word.case != LetterCase::Lower && place > 0 { NAME } else { 1.0 };
            each_form(&word.folded, |form| {
                let letters = if form.chars().count() >= LONG_WORD { LONG_FRONT } else { SHORT_FRONT };
                if let Some(front) = front(form, letters)
                    && !fronts.iter().any(|(known, _)| known == front)
                {
                    fronts.push((front.to_owned(), weight));
                }
            });
        }
        Self { fronts, values: value::values(claim), has_share: !shares(claim, &listed).is_empty() }
    }

    /// Whether every date of the claim is among these.
    pub fn dates_stand(&self, stands: impl Fn(&TextDate) -> bool) -> bool {
        self.values.dates.iter().all(stands)
    }

    /// Whether every figure of the claim is among these.
    pub fn numbers_stand(&self, stands: impl Fn(&Quantity) -> bool) -> bool {
        self.values.numbers.iter().filter(|number| is_figure(number)).all(stands)
    }

    /// Its figures and dates.
    pub fn values_count(&self) -> usize {
        self.values.numbers.iter().filter(|number| is_figure(number)).count() + self.values.dates.len()
    }

    /// Whether a quantity of the page may be one that the claim's were computed from.
    fn may_use(&self, quantity: &Quantity) -> bool {
        let is_kin = |mine: &Quantity| match mine.unit.measure {
            Measure::Percent | Measure::PercentagePoint => true,
            measure => measure == quantity.unit.measure,
        };
        is_figure(quantity) && (self.has_share || self.values.numbers.iter().any(is_kin))
    }
}

fn is_figure(number: &Quantity) -> bool {
    match number.form {
        QuantityForm::Digits => true,
        QuantityForm::Word | QuantityForm::Ordinal => number.value > SMALL,
        QuantityForm::Version => false,
    }
}

/// The sentences that may say the claim in other words, best first, as places of the page's sentences. `computed` is the
/// sentence that is most about it, where the claim's figures were computed from others.
pub fn locate_loosely(
    claim: &ClaimSigns,
    page: &IndexedPage,
    facts: &PageFacts,
    index: &LooseIndex,
    computed: Option<&PageSentence>,
) -> Vec<usize> {
    let mut scores = vec![0.0_f32; page.sentences().len()];
    for (front, weight) in &claim.fronts {
        let sentences = index.sentences(front);
        let weight = weight * rarity(sentences.len(), page);
        for sentence in sentences {
            add(&mut scores, Some(*sentence as usize), weight);
        }
    }
    let theirs = facts.values();
    for number in &theirs.numbers {
        if claim.values.numbers.iter().any(|claimed| is_figure(claimed) && claimed.agrees(number)) {
            add(&mut scores, sentence_of(page, number.start), NUMBER);
        }
    }
    for date in &theirs.dates {
        if claim.values.dates.iter().any(|claimed| claimed.agrees(date)) {
            add(&mut scores, sentence_of(page, date.start), DATE);
        }
    }
    if let Some(best) = computed {
        let related = related_sentences(page, best);
        let mut last = None;
        for number in theirs.numbers.iter().filter(|number| claim.may_use(number)) {
            let place = sentence_of(page, number.start);
            if place != last {
                let matter = place.and_then(|place| related.get(place)).copied().unwrap_or(0.0);
                add(&mut scores, place, QUANTITY + matter.min(SAME_MATTER_MAX));
            }
            last = place;
        }
    }
    let mut ranked: Vec<(usize, f32)> =
        scores.into_iter().enumerate().filter(|(_, score)| *score > 0.0).collect();
    ranked.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
    ranked.into_iter().map(|(place, _)| place).collect()
}

/// How much each sentence shares with this one.
fn related_sentences(page: &IndexedPage, with: &PageSentence) -> Vec<f32> {
    let mut related = vec![0.0_f32; page.sentences().len()];
    let mut seen: QuickSet<TermId> = QuickSet::default();
    for word in page.words_of(with) {
        let stem = page.stem_of(word.term);
        let tells = matches!(word.kind, WordKind::Plain | WordKind::Dense) && !page.is_stop_word(word.term);
        if tells && seen.insert(stem) {
            let postings = page.postings(stem);
            let amount = SAME_MATTER * rarity(postings.len(), page);
            for (sentence, _) in postings {
                add(&mut related, Some(*sentence as usize), amount);
            }
        }
    }
    related
}

fn sentence_of(page: &IndexedPage, start: usize) -> Option<usize> {
    page.sentences().partition_point(|sentence| sentence.start <= start).checked_sub(1)
}

fn add(scores: &mut [f32], place: Option<usize>, amount: f32) {
    if let Some(score) = place.and_then(|place| scores.get_mut(place)) {
        *score += amount;
    }
}

/// A word as it is looked up: without diacritics and the Arabic article, and in Latin letters where it has others that
/// are written so.
fn each_form(folded: &str, mut take: impl FnMut(&str)) {
    let plain = names::as_plain_token(folded);
    let plain = without_article(&plain);
    take(plain);
    if let Some(latin) = latin(plain) {
        take(&latin);
    }
}

/// Arabic writes the article and small words together with the next word.
fn without_article(plain: &str) -> &str {
    for article in ["وال", "بال", "كال", "فال", "لل", "ال"] {
        if let Some(rest) = plain.strip_prefix(article).filter(|rest| rest.chars().count() >= 3) {
            return rest;
        }
    }
    plain
}

/// A Cyrillic word as names are written in Latin letters; none for any other script.
fn latin(plain: &str) -> Option<String> {
    let is_cyrillic = |letter: char| ('\u{400}'..='\u{45f}').contains(&letter);
    if !plain.starts_with(is_cyrillic) {
        return None;
    }
    let mut written = String::with_capacity(plain.len());
    for letter in plain.chars() {
        written.push_str(match letter {
            'а' => "a",
            'б' => "b",
            'в' => "v",
            'г' | 'ґ' => "g",
            'д' => "d",
            'е' | 'э' | 'ё' | 'є' => "e",
            'ж' => "zh",
            'з' => "z",
            'и' | 'й' | 'ы' | 'і' | 'ї' => "i",
            'к' => "k",
            'л' => "l",
            'м' => "m",
            'н' => "n",
            'о' => "o",
            'п' => "p",
            'р' => "r",
            'с' => "s",
            'т' => "t",
            'у' => "u",
            'ф' => "f",
            'х' => "kh",
            'ц' => "ts",
            'ч' => "ch",
            'ш' => "sh",
            'щ' => "shch",
            'ю' => "yu",
            'я' => "ya",
            _ => "",
        });
    }
    Some(written)
}

/// The first letters of a word that has as many.
fn front(word: &str, letters: usize) -> Option<&str> {
    let (place, letter) = word.char_indices().nth(letters.checked_sub(1)?)?;
    word.get(..place + letter.len_utf8())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn best(claim: &str, text: &str) -> String {
        let page = IndexedPage::new(text);
        let (facts, index) = (PageFacts::of(&page), LooseIndex::of(&page));
        let found = locate_loosely(&ClaimSigns::of(claim), &page, &facts, &index, None);
        let sentence = found.first().and_then(|place| page.sentences().get(*place));
        sentence.map(|sentence| page.sentence_text(sentence)).unwrap_or_default().to_owned()
    }

    #[test]
    fn endings_separators_and_scripts_are_looked_through() {
        let polish = "Zamek stoi nad rzeką. Pomnik wykonała Marta Wilecka. Muzeum jest czynne latem.";
        assert_eq!(
            best("Autorstwo pomnika przypisano Marcie Wileckiej.", polish),
            "Pomnik wykonała Marta Wilecka."
        );
        let russian = "Город стоит на реке. Летом жители добирались туда трамваем. Зимой там тихо.";
        assert_eq!(best("Туда ездили на трамвае.", russian), "Летом жители добирались туда трамваем.");
        let german = "Der Hafen ist alt. Die Quote sank von 9,1 auf 7,3 Prozent. Im Winter friert er zu.";
        assert_eq!(best("The rate fell to 7.3 per cent.", german), "Die Quote sank von 9,1 auf 7,3 Prozent.");
        let other = "Мост длинный. Его построил инженер Самойлов. Он стоит на реке.";
        assert_eq!(best("It was built by Samoilov.", other), "Его построил инженер Самойлов.");
        assert_eq!(best("Nothing of the kind.", other), "");
    }

    #[test]
    fn a_share_brings_the_quantities_it_is_made_of() {
        let text = "The choir was founded in a barn. It has 80 members. It rehearses on Mondays. \
            Of the members 20 are under thirty. The hall was painted green.";
        let page = IndexedPage::new(text);
        let (facts, index) = (PageFacts::of(&page), LooseIndex::of(&page));
        let claim = ClaimSigns::of("A quarter of the singers are under thirty.");
        assert!(claim.has_share);
        let found = locate_loosely(&claim, &page, &facts, &index, page.sentences().get(3));
        assert_eq!(found.first(), Some(&3), "{found:?}");
        assert!(found.iter().take(2).any(|place| *place == 1), "{found:?}");
    }
}
