//! What a claim speaks of, and which quantity of it: two sources disagree only if they speak of the same.
//!
//! Found by how sentences are written, without a grammar, and never guessed: where it cannot be told, two claims do not
//! speak of the same.

use std::collections::BTreeSet;

use super::pages::PreparedPage;
use crate::{
    hash::QuickSet,
    names::{self, NameKind, NameMention},
    split::is_pronoun,
    value::{Measure, Quantity, QuantityForm, TextDate, TextValues, date, values},
    words::{self, LetterCase, TextWord, WordKind},
};

/// Places of one figure on a page that are looked at.
const STATED_MAX: usize = 64;

/// What stands before a claim and may name what it speaks of.
#[derive(Debug, Clone, Default)]
pub struct ClaimLead {
    /// A part of the same sentence is before it.
    pub is_part: bool,
    /// The parts and sentences before it, the nearest first; empty where it can do without.
    pub before: Vec<String>,
}

/// A claim as far as it says what it speaks of.
#[derive(Debug)]
pub struct ClaimSubject<'a> {
    read: SubjectText<'a>,
    /// Stems of the words that name it, where others than the claim's own do.
    spoken_of: BTreeSet<String>,
    /// Numbers and letters that tell it from its like: the 4 of `Station number 4`.
    identifiers: BTreeSet<String>,
    /// The time that the sentence sets in front: `In 2019, …`.
    period: Vec<TextDate>,
    /// The words of its names, as pages are searched for them.
    names: BTreeSet<String>,
    /// A word that begins its sentence, where any word has a capital: perhaps a name.
    initial: Option<String>,
    is_known: bool,
}

impl<'a> ClaimSubject<'a> {
    pub fn of(text: &'a str, lead: &ClaimLead) -> Self {
        let read = SubjectText::of(text);
        let limit = read.first_figure();
        let begin = read.lead_start(limit);
        let own = read.names_between(begin, limit);
        let leans = read.leans(lead.is_part);
        let mut subject = Self {
            spoken_of: BTreeSet::new(),
            identifiers: read.identifiers.iter().map(|known| known.text.clone()).collect(),
            period: Vec::new(),
            names: own,
            initial: read.initial(begin, limit),
            is_known: true,
            read,
        };
        if !leans && !subject.names.is_empty() {
            return subject;
        }
        let told =
            lead.before.iter().map(|text| SubjectText::of(text)).find(|text| !text.leans(text.is_part()));
        match told {
            Some(told) => subject.take_over(&told),
            None => subject.is_known = !leans,
        }
        subject
    }

    /// What an earlier sentence speaks of is what this one goes on about.
    fn take_over(&mut self, told: &SubjectText<'_>) {
        let phrase = told.phrase();
        self.spoken_of = told.stems(phrase.0, phrase.1);
        self.names.extend(told.names_between(phrase.0, phrase.1));
        self.initial = told.initial(phrase.0, phrase.1).or(self.initial.take());
        let named = told.identifiers.iter().filter(|known| phrase.0 <= known.start && known.end <= phrase.1);
        self.identifiers.extend(named.map(|known| known.text.clone()));
        let in_front = told.values.dates.iter().filter(|date| date.end <= phrase.0);
        self.period = in_front.copied().collect();
    }

    /// Words of its names that do not begin a sentence.
    pub fn sure_names(&self) -> impl Iterator<Item = String> + '_ {
        let first = self.read.words.first().map(|word| word.start);
        let inside = self.read.names.iter().filter(|name| is_sure(name.kind));
        inside.flat_map(move |name| {
            let skipped = usize::from(Some(name.start) == first);
            name.tokens.iter().skip(skipped).cloned()
        })
    }

    /// It has a name, or begins with a word that is one elsewhere in the report.
    fn is_named(&self, known: &QuickSet<String>) -> bool {
        !self.names.is_empty() || self.initial.as_ref().is_some_and(|word| known.contains(word))
    }

    /// Both speak of the same. What has no name is told by its section and by the titles of the pages.
    pub fn is_same(
        &self,
        other: &Self,
        known: &QuickSet<String>,
        around: impl FnOnce() -> SubjectSurroundings,
    ) -> bool {
        let same_period = self.period.len() == other.period.len()
            && self.period.iter().zip(&other.period).all(|(mine, theirs)| mine.compatible(theirs));
        let named = self.is_named(known);
        if !self.is_known
            || !other.is_known
            || !same_period
            || self.identifiers != other.identifiers
            || named != other.is_named(known)
        {
            return false;
        }
        let around = around();
        around.same_times
            && match self.identifiers.is_empty() {
                _ if named => true,
                true => around.same_section && around.same_titles,
                false => around.same_section || around.same_titles,
            }
    }

    /// Two figures, each by its bytes, stand for the same of the two claims: the same is said up to them and right
    /// behind them, and neither only names something.
    pub fn is_same_quantity(&self, mine: (usize, usize), other: &Self, theirs: (usize, usize)) -> bool {
        let (left, right) = (self.lead(mine.0), other.lead(theirs.0));
        self.counts(mine.0)
            && other.counts(theirs.0)
            && !left.is_empty()
            && left == right
            && self.read.says_alike_before(mine.0, &other.read, theirs.0)
            && self.read.behind(mine) == other.read.behind(theirs)
            && self.read.names_behind(mine.1) == other.read.names_behind(theirs.1)
    }

    /// What begins here is no identifier.
    pub fn counts(&self, start: usize) -> bool {
        !self.read.identifiers.iter().any(|known| known.start <= start && start < known.end)
    }

    /// Stems of everything that is said up to a place, with what the claim goes on about.
    fn lead(&self, to: usize) -> BTreeSet<String> {
        let own = self.read.stems(self.read.lead_start(to), to);
        own.union(&self.spoken_of).cloned().collect()
    }

    /// Whether a page has this number or date, written as it may be, of what the claim speaks of.
    pub fn is_stated_on(&self, book: &PreparedPage, figure: &str) -> bool {
        let (claimed, found) = (values(figure), book.facts.values());
        let agrees = |theirs: &&Quantity| claimed.numbers.iter().any(|mine| mine.agrees(theirs));
        let numbers = found.numbers.iter().filter(agrees).map(|number| (number.start, number.end));
        let agrees = |theirs: &&TextDate| claimed.dates.iter().any(|mine| mine.agrees(theirs));
        let dates = found.dates.iter().filter(agrees).map(|date| (date.start, date.end));
        numbers.chain(dates).take(STATED_MAX).any(|span| self.is_on(book, span))
    }

    /// Whether a page speaks of it at these bytes: it has its names, and before them the same identifiers.
    pub fn is_on(&self, book: &PreparedPage, span: (usize, usize)) -> bool {
        let title = subject_words(book.title());
        let has_name = |name: &String| book.facts.has_plain(name) || title.contains(words::stem(name));
        if !self.is_known || !self.names.iter().all(has_name) {
            return false;
        }
        let here = identifiers(before_figure(book, span));
        if self.identifiers.is_empty() {
            return here.is_empty();
        }
        if !here.is_empty() {
            return self.identifiers.is_subset(&here);
        }
        self.identifiers.is_subset(&identifiers_around(book, span))
    }
}

/// No number or letter tells apart what two pages speak of at these bytes: one has all that the other has.
pub fn have_same_identifiers(
    (one, span): (&PreparedPage, (usize, usize)),
    (other, other_span): (&PreparedPage, (usize, usize)),
) -> bool {
    let around = |book: &PreparedPage, span: (usize, usize)| -> BTreeSet<String> {
        identifiers_around(book, span).into_iter().chain(identifiers(before_figure(book, span))).collect()
    };
    let (mine, theirs) = (around(one, span), around(other, other_span));
    mine.is_subset(&theirs) || theirs.is_subset(&mine)
}

/// What the sentence of a figure says before it.
fn before_figure(book: &PreparedPage, span: (usize, usize)) -> &str {
    let page = &book.page;
    let place = page.sentences().partition_point(|sentence| sentence.start <= span.0).checked_sub(1);
    let sentence = place.and_then(|place| page.sentences().get(place));
    sentence.and_then(|sentence| page.text().get(sentence.start..span.0)).unwrap_or_default()
}

/// The identifiers of the title, of the heading and of the sentence before.
fn identifiers_around(book: &PreparedPage, span: (usize, usize)) -> BTreeSet<String> {
    let context = book.context(span.0, span.1);
    let around = [&context.title, &context.heading, &context.before];
    around.into_iter().flat_map(|text| identifiers(text)).collect()
}

/// What else tells whether two claims without a name speak of the same.
#[derive(Debug, Clone, Copy)]
pub struct SubjectSurroundings {
    pub same_section: bool,
    pub same_titles: bool,
    /// Their headings set no different times.
    pub same_times: bool,
}

/// The words and identifiers of a title.
pub fn subject_words(title: &str) -> BTreeSet<String> {
    let read = SubjectText::of(title);
    let mut found = read.stems(0, title.len());
    found.extend(read.identifiers.iter().map(|known| format!("#{}", known.text)));
    found
}

/// Whether two titles name the same: one has all that the other has.
pub fn are_same_titles(one: &BTreeSet<String>, other: &BTreeSet<String>) -> bool {
    !one.is_empty() && !other.is_empty() && (one.is_subset(other) || other.is_subset(one))
}

fn identifiers(text: &str) -> BTreeSet<String> {
    SubjectText::of(text).identifiers.into_iter().map(|known| known.text).collect()
}

/// Stand before a number or a letter that only names something.
const LABELS: &str = "number no nr nummer numero num nos nrs chapter kapitel chapitre capitulo section abschnitt paragraph \
    page pages p pp seite pagina part teil partie figure fig abbildung abb table tabelle tableau volume vol \
    band issue article art artikel line linie ligne linea route gate terminal room phase stage step version \
    model type class block episode season appendix annex anhang note footnote fussnote flight platform track \
    gleis lot item grade zone sector tier";
/// The same, and say nothing of their own.
const NUMBER_WORDS: &str = "number no nr nummer numero num nos nrs";
/// Say how exact a number is, and name nothing.
const APPROXIMATE: &str = "around approximately roughly nearly almost exactly circa ca rund etwa knapp fast genau ungefahr \
    insgesamt mindestens environ presque unos casi least total";
/// Whoever says it is not what it is about.
const SAYING: &str = "say says said writes wrote stated sagt sagte sagen schreibt schrieb";
/// Begin a phrase that names who says it; a comma ends it.
const ACCORDING: &str = "according laut selon según secondo segundo gemäss";
/// Begin a part of a sentence.
const JOINING: &str = "and while whereas but although though however yet und während aber wobei et mais tandis alors y mientras \
    pero aunque e mentre ma enquanto mas en maar terwijl";
/// Begin what a sentence is about.
const DETERMINERS: &str = "the a an der die das den dem ein eine le la les l un une el los las una il lo gli i o os as um uma de \
    het een";
/// Go on with what a name belongs to: `Station 4 of the Velmar line`.
const BELONGING: &str = "of in at near on de del du des von van der im am";

/// Come right behind what a sentence is about.
const AUXILIARIES: &str = "is was has had are were have ist war hat wurde sind waren est était es fue";

fn is_one_of(list: &str, word: &str) -> bool {
    list.as_bytes().split(|byte| *byte == b' ').any(|known| known == word.as_bytes())
}

/// A number or letter that names something, and its bytes.
#[derive(Debug, Clone)]
struct Identifier {
    start: usize,
    end: usize,
    text: String,
}

/// A text with what of it names and what of it counts.
#[derive(Debug)]
struct SubjectText<'a> {
    text: &'a str,
    words: Vec<TextWord>,
    values: TextValues,
    names: Vec<NameMention>,
    /// In the order of the text.
    identifiers: Vec<Identifier>,
    /// Bytes and stems of the words that are neither small words nor values nor announce a number.
    told: Vec<(usize, usize, String)>,
}

impl<'a> SubjectText<'a> {
    fn of(text: &'a str) -> Self {
        let words = words::words(text);
        let values = values(text);
        let names = names::names(text, &words);
        let named = (0..words.len()).filter(|place| is_identifier(text, &words, &values, *place));
        let mut identifiers: Vec<Identifier> = named
            .filter_map(|place| words.get(place))
            .map(|word| Identifier { start: word.start, end: word.end, text: word.folded.clone() })
            .collect();
        // The third station is another than the fourth.
        let ordinals = values.numbers.iter().filter(|number| number.form == QuantityForm::Ordinal);
        identifiers.extend(ordinals.map(|number| Identifier {
            start: number.start,
            end: number.end,
            text: number.value.to_string(),
        }));
        identifiers.sort_by_key(|known| known.start);
        let told = told(&words, &values, &identifiers);
        Self { text, words, values, names, identifiers, told }
    }

    /// It begins in the middle of a sentence.
    fn is_part(&self) -> bool {
        self.text.trim_start().starts_with(char::is_lowercase)
    }

    /// It does not say itself what it speaks of: `and lies 4 metres above sea level`, `It has 5 platforms`.
    fn leans(&self, is_part: bool) -> bool {
        let joins = |word: &&TextWord| is_part && is_one_of(JOINING, &word.folded);
        let Some(first) = self.words.iter().find(|word| !joins(word)) else { return true };
        let goes_on = is_part
            && first.kind == WordKind::Plain
            && first.case == LetterCase::Lower
            && !is_one_of(DETERMINERS, &first.folded);
        goes_on || is_pronoun(&first.folded)
    }

    fn is_counted(&self, number: &Quantity) -> bool {
        !self.identifiers.iter().any(|known| known.start < number.end && number.start < known.end)
    }

    /// Where the first figure begins that is no time set in front and no identifier; the end if there is none.
    fn first_figure(&self) -> usize {
        let number = self.values.numbers.iter().find(|number| self.is_counted(number));
        let is_named = |start: usize| self.identifiers.iter().any(|known| known.start == start);
        let first = self.told.first().map_or(self.text.len(), |(_, end, _)| *end);
        let date = self.values.dates.iter().find(|date| first <= date.start && !is_named(date.start));
        let starts = (number.map(|number| number.start), date.map(|date| date.start));
        starts.0.into_iter().chain(starts.1).min().unwrap_or(self.text.len())
    }

    /// Where what is said begins, behind the words that name who says it.
    fn lead_start(&self, to: usize) -> usize {
        let before = || self.words.iter().take_while(|word| word.end <= to);
        let saying = before().filter(|word| is_one_of(SAYING, &word.folded)).last();
        if let Some(saying) = saying {
            return saying.end;
        }
        let is_told = before().next().is_some_and(|word| is_one_of(ACCORDING, &word.folded));
        let comma = self.text.get(..to).and_then(|text| text.find(','));
        comma.filter(|_| is_told).unwrap_or(0)
    }

    /// Stems of what is said between two places.
    fn stems(&self, from: usize, to: usize) -> BTreeSet<String> {
        let inside = self.told.iter().filter(|(start, end, _)| from <= *start && *end <= to);
        inside.map(|(_, _, stem)| stem.clone()).collect()
    }

    /// The words of the names between two places.
    fn names_between(&self, from: usize, to: usize) -> BTreeSet<String> {
        let inside =
            self.names.iter().filter(|name| from <= name.start && name.end <= to && is_sure(name.kind));
        inside.flat_map(|name| name.tokens.iter().cloned()).collect()
    }

    /// The only word of a name that begins a sentence between two places.
    fn initial(&self, from: usize, to: usize) -> Option<String> {
        let inside =
            |name: &&NameMention| from <= name.start && name.end <= to && name.kind == NameKind::Initial;
        self.names.iter().find(inside).and_then(|name| name.tokens.first().cloned())
    }

    /// The bytes of what a sentence is about: up to the end of its first name, with what that belongs to; without a
    /// name up to the first small word behind a telling one.
    fn phrase(&self) -> (usize, usize) {
        let limit = self.first_figure();
        let from = self.lead_start(limit);
        let telling = |word: &TextWord| word.kind == WordKind::Plain && !words::is_stop_word(&word.folded);
        let inside = || self.words.iter().filter(|word| from <= word.start && word.end <= limit);
        let is_valued = |word: &TextWord| {
            self.values.dates.iter().any(|date| date.start <= word.start && word.end <= date.end)
        };
        let begin = inside().find(|word| telling(word) && !is_valued(word)).map_or(from, |word| word.start);
        let name = self
            .names
            .iter()
            .find(|name| begin <= name.start && name.end <= limit && name.kind != NameKind::Address);
        let end = match name {
            Some(name) => self.belonging(name.end, limit),
            None => {
                let told = inside().filter(|word| begin <= word.start).take_while(|word| telling(word));
                self.belonging(told.last().map_or(begin, |word| word.end), limit)
            }
        };
        (begin, end)
    }

    /// Goes on over numbers, letters and names that belong to what ends here.
    fn belonging(&self, end: usize, limit: usize) -> usize {
        let mut place = self.words.partition_point(|word| word.start < end);
        let mut reached = end;
        while let Some(word) = self.words.get(place).filter(|word| word.end <= limit) {
            let is_identifier = self.identifiers.iter().any(|known| known.start == word.start);
            let is_name = word.kind == WordKind::Plain && word.case != LetterCase::Lower;
            let goes_on = is_one_of(BELONGING, &word.folded)
                || is_one_of(DETERMINERS, &word.folded)
                || is_one_of(LABELS, &word.folded);
            if is_identifier || is_name {
                reached = word.end;
            } else if !goes_on {
                break;
            }
            place += 1;
        }
        // The last noun of `Station 4 of the Velmar line was`, of which a capital says nothing.
        let noun = self.words.get(self.words.partition_point(|word| word.start < reached));
        let behind = self.words.get(self.words.partition_point(|word| word.start < reached) + 1);
        let is_noun = |word: &&TextWord| word.kind == WordKind::Plain && !words::is_stop_word(&word.folded);
        let is_verb = behind.is_some_and(|word| is_one_of(AUXILIARIES, &word.folded));
        noun.filter(is_noun).filter(|word| is_verb && word.end <= limit).map_or(reached, |word| word.end)
    }

    /// The figures before these places are the same, one by one.
    fn says_alike_before(&self, to: usize, other: &Self, other_to: usize) -> bool {
        let numbers = |read: &Self, to: usize| -> Vec<Quantity> {
            let before =
                read.values.numbers.iter().filter(|number| number.end <= to && read.is_counted(number));
            before.cloned().collect()
        };
        let (mine, theirs) = (numbers(self, to), numbers(other, other_to));
        let dates = |read: &Self, to: usize| -> Vec<TextDate> {
            read.values.dates.iter().filter(|date| date.end <= to).copied().collect()
        };
        let (my_dates, their_dates) = (dates(self, to), dates(other, other_to));
        mine.len() == theirs.len()
            && mine.iter().zip(&theirs).all(|(left, right)| left.agrees(right) || right.agrees(left))
            && my_dates.len() == their_dates.len()
            && my_dates.iter().zip(&their_dates).all(|(left, right)| left.compatible(right))
    }

    /// The stem of the word right behind a number, which says what of a thing it measures: `long`, `wide`. Nothing behind a
    /// date.
    fn behind(&self, (start, end): (usize, usize)) -> Option<String> {
        if self.values.dates.iter().any(|date| date.start == start) {
            return None;
        }
        let next = self.words.iter().find(|word| word.start >= end)?;
        let is_beside = self.text.get(end..next.start)?.chars().all(|c| c.is_whitespace() || c == '-');
        let is_telling = next.kind == WordKind::Plain && !words::is_stop_word(&next.folded);
        (is_beside && is_telling).then(|| words::stem(&names::plain_token(&next.folded)).to_owned())
    }

    /// The names in the rest of the clause: a figure for Norway is none for Sweden.
    fn names_behind(&self, end: usize) -> BTreeSet<String> {
        let rest = self.text.get(end..).unwrap_or_default();
        let clause = rest.find([',', ';', '.', ':', '(', '—', '–']).unwrap_or(rest.len());
        self.names_between(end, end + clause)
    }
}

/// Bytes and stems of the telling words of a text.
fn told(words: &[TextWord], values: &TextValues, identifiers: &[Identifier]) -> Vec<(usize, usize, String)> {
    let numbers: Vec<(usize, usize)> =
        values.numbers.iter().map(|number| (number.start, number.end)).collect();
    let dates: Vec<(usize, usize)> = values.dates.iter().map(|date| (date.start, date.end)).collect();
    let named: Vec<(usize, usize)> = identifiers.iter().map(|known| (known.start, known.end)).collect();
    let is_valued = |word: &TextWord| covers(&numbers, word) || covers(&dates, word) || covers(&named, word);
    let announces = |word: &TextWord| {
        let next = named.get(named.partition_point(|(start, _)| *start < word.end));
        is_one_of(NUMBER_WORDS, &word.folded) && next.is_some_and(|(start, _)| *start <= word.end + 2)
    };
    words
        .iter()
        .filter(|word| word.kind == WordKind::Plain && !words::is_stop_word(&word.folded))
        .map(|word| (word, names::plain_token(&word.folded)))
        .filter(|(word, plain)| !is_one_of(APPROXIMATE, plain) && !announces(word) && !is_valued(word))
        .map(|(word, plain)| (word.start, word.end, words::stem(&plain).to_owned()))
        .collect()
}

/// Whether a word is in one of these spans, which ascend.
fn covers(spans: &[(usize, usize)], word: &TextWord) -> bool {
    let place = spans.partition_point(|(start, _)| *start <= word.start).checked_sub(1);
    place.and_then(|place| spans.get(place)).is_some_and(|(_, end)| word.end <= *end)
}

/// What is a name wherever it stands.
fn is_sure(kind: NameKind) -> bool {
    match kind {
        NameKind::Capitals | NameKind::Acronym | NameKind::Katakana => true,
        NameKind::Initial | NameKind::Address => false,
    }
}

/// Whether a word is a number or a letter that names something: `number 4`, `Station 4`, `A380`, `Line B`.
fn is_identifier(text: &str, words: &[TextWord], values: &TextValues, place: usize) -> bool {
    let Some(word) = words.get(place) else { return false };
    let is_letter =
        word.kind == WordKind::Plain && word.case != LetterCase::Lower && word.folded.chars().count() == 1;
    if word.kind != WordKind::Number && !is_letter {
        return false;
    }
    let before = place.checked_sub(1).and_then(|before| words.get(before));
    let gap = before.and_then(|before| text.get(before.end..word.start)).unwrap_or_default();
    let is_blank = gap.chars().all(|c| matches!(c, ' ' | '\u{a0}' | '-' | '#' | '№'));
    let is_short_form = gap.chars().all(|c| matches!(c, ' ' | '\u{a0}' | '.' | '#'));
    let labelled = before.is_some_and(|before| {
        let plain = names::plain_token(&before.folded);
        before.kind == WordKind::Plain && is_one_of(LABELS, &plain) && (is_blank || is_short_form)
    });
    let noun = before.is_some_and(|before| {
        let plain = names::plain_token(&before.folded);
        before.kind == WordKind::Plain
            && before.case != LetterCase::Lower
            && is_blank
            && !words::is_stop_word(&before.folded)
            && !is_one_of(APPROXIMATE, &plain)
            && date::month(&plain).is_none()
    });
    if is_letter {
        return labelled || noun;
    }
    let last = values.numbers.partition_point(|number| number.start <= word.start).checked_sub(1);
    let number = last.and_then(|last| values.numbers.get(last)).filter(|number| word.end <= number.end);
    let last = values.dates.partition_point(|date| date.start <= word.start).checked_sub(1);
    let is_dated = last.and_then(|last| values.dates.get(last)).is_some_and(|date| word.end <= date.end);
    // With a unit or a scale it counts something, whatever stands before it.
    let is_measured =
        number.is_some_and(|number| number.unit.measure != Measure::Count || number.end > word.end);
    let is_sign = text.get(..word.start).is_some_and(|text| text.ends_with(['#', '№']));
    !is_measured && (labelled || is_sign || !is_dated && (noun || number.is_none()))
}

#[cfg(test)]
mod tests;
