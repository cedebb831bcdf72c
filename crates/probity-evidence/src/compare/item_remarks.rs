//! The countable parts of a claim, one by one: numbers, units, dates and names.
//!
//! A part is looked for in the sentence that shares most of the claim, then on the whole page. Where the
//! sentence has another value in the same place, the page contradicts the claim; where nothing is found, it
//! says nothing.

use super::{
    Comparison, ComparisonAspect, ComparisonRemark, ComparisonSource, bounded_dates,
    claim::ClaimFacts,
    denial::{self, DeniedSide},
    derive, exchange, other_scales,
    page_comparison::{BestSentence, sentence_at},
    reading, relative, stated,
};
use crate::{
    names::{self, NameKind, NameMention},
    value::{Measure, Quantity, QuantityBound, QuantityForm, TextDate},
    words::{self, TextWord},
};

/// A sentence that has this share of the claim's words says what the claim says.
const SAID_SHARE_MIN: f32 = 0.9;

/// Share of the claim's other words that a sentence must have before a different value in it contradicts the
/// claim.
const SAME_STATEMENT: f32 = 0.72;
/// The same for names, which pages write in more than one way.
const SAME_STATEMENT_NAME: f32 = 0.8;

pub(super) fn remarks(
    claim: &ClaimFacts<'_>,
    source: &ComparisonSource<'_>,
    best: Option<&BestSentence>,
    weights: &[f32],
) -> Vec<ComparisonRemark> {
    let look = ItemComparer { claim, source, best, weights };
    let numbers = claim.values.numbers.iter().map(|number| look.number(number));
    let dates = claim.values.dates.iter().map(|date| look.date(date));
    let named = claim.names.iter().filter_map(|name| look.name(name));
    numbers.chain(dates).chain(named).collect()
}

struct ItemComparer<'a, 'b> {
    claim: &'a ClaimFacts<'b>,
    source: &'a ComparisonSource<'a>,
    best: Option<&'a BestSentence>,
    weights: &'a [f32],
}

impl ItemComparer<'_, '_> {
    fn number(&self, number: &Quantity) -> ComparisonRemark {
        let part = (number.start, number.end);
        let written = self.written(part);
        let found = &self.source.facts.values;
        let remark = |finding, span, confidence, reason: String| ComparisonRemark {
            aspect: ComparisonAspect::Number,
            finding,
            part,
            span,
            reason,
            confidence,
            is_restated: false,
        };
        if number.form == QuantityForm::Version {
            let place = self.source.page.text().find(written);
            return match place {
                Some(start) => remark(
                    Comparison::Agrees,
                    Some((start, start + written.len())),
                    90,
                    format!("the page has {written}"),
                ),
                None => remark(Comparison::Absent, None, 80, format!("the page does not have {written}")),
            };
        }
        let near = |theirs: &&Quantity| self.in_passages(theirs.start);
        let agreeing = found.numbers.iter().filter(near).find(|theirs| number.agrees(theirs));
        // "30 minutes" is not supported by a bare 30 beside a sentence that says "30 seconds".
        let unit_in_place = if self.agrees_bare(number) { self.other_unit_in_place(number) } else { None };
        if let Some(theirs) = agreeing.filter(|_| unit_in_place.is_none()) {
            return self.bounds(number, theirs).unwrap_or_else(|| {
                remark(
                    Comparison::Agrees,
                    Some((theirs.start, theirs.end)),
                    90,
                    format!("the passage has {written}"),
                )
            });
        }
        let text = self.best.map_or("", |best| self.source.page.sentence_text(&best.sentence));
        let denied = denial::denied(self.claim.text, &self.claim.words, number, text);
        // What is denied, or said of the year before, is not what the sentence counts in that place.
        let is_other = denied.is_some() || relative::is_of_year_before(self.claim, self.source, self.best);
        // A count in the place of a share says no other share: 21 of the 60 seats are 35 % of them.
        let is_share = |number: &Quantity| number.unit.measure == Measure::Percent;
        let in_place = if is_other { None } else { self.number_in_place(number) };
        let in_place = in_place.filter(|theirs| is_share(theirs) == is_share(number));
        if let Some(exchanged) = exchange::derivation(number, &self.nearby(), self.source) {
            return remark(Comparison::Agrees, None, 50, exchanged.reason(written));
        }
        // A sentence that says the same with another figure leaves nothing to compute.
        let is_said = self.best.is_some_and(|best| best.share >= SAID_SHARE_MIN) && in_place.is_some();
        if unit_in_place.is_none()
            && !is_said
            && let Some(derivation) = derive::derivation(number, &self.nearby())
        {
            let finding = if derivation.is_sound { Comparison::Agrees } else { Comparison::Weakens };
            return remark(finding, None, 50, derivation.reason(written));
        }
        let sentence = self.best.map(|best| &best.sentence);
        if unit_in_place.is_none()
            && let Some(shown) =
                stated::derivation(self.claim, number, self.source, sentence, denied, is_said)
        {
            return remark(Comparison::Agrees, None, 50, format!("{shown}; claim: {written}"));
        }
        if denied == Some(DeniedSide::Behind) {
            return remark(Comparison::Absent, None, 40, format!("the claim denies {written}"));
        }
        let is_none = number.value == 0.0 && denial::denies(text);
        if is_none || (number.unit.measure == Measure::Percent && stated::has_share(self.source, number)) {
            return remark(Comparison::Agrees, None, 50, format!("the passage says {written} in words"));
        }
        if let Some(other) = other_scales::of(self.claim, number, text, &found.numbers) {
            return remark(Comparison::Absent, None, 40, other.reason(written));
        }
        if let Some(theirs) = unit_in_place.or(in_place) {
            let unit = number.same_figure(theirs);
            let aspect = if unit { ComparisonAspect::Unit } else { ComparisonAspect::Number };
            let reason = format!(
                "the page says {} where the claim says {written}",
                self.on_page((theirs.start, theirs.end))
            );
            return ComparisonRemark {
                aspect,
                ..remark(Comparison::Differs, Some((theirs.start, theirs.end)), 80, reason)
            };
        }
        let other_unit = found
            .numbers
            .iter()
            .filter(near)
            .find(|theirs| number.same_figure(theirs) && number.unit_differs(theirs));
        if let Some(theirs) = found.numbers.iter().find(|theirs| number.agrees(theirs)) {
            return remark(
                Comparison::Agrees,
                Some((theirs.start, theirs.end)),
                60,
                format!("the page has {written}, elsewhere"),
            );
        }
        if let Some(theirs) = other_unit {
            let reason = format!(
                "the page says {} where the claim says {written}",
                self.on_page((theirs.start, theirs.end))
            );
            return ComparisonRemark {
                aspect: ComparisonAspect::Unit,
                ..remark(Comparison::Differs, Some((theirs.start, theirs.end)), 70, reason)
            };
        }
        let as_year = |date: &&TextDate| date.year.is_some_and(|year| f64::from(year) == number.value);
        if let Some(theirs) = found.dates.iter().find(as_year) {
            return remark(
                Comparison::Agrees,
                Some((theirs.start, theirs.end)),
                50,
                format!("the page has {written}"),
            );
        }
        if let Some(theirs) = found.numbers.iter().find(|theirs| number.finer_than(theirs)) {
            let reason = format!("the page says only {}", self.on_page((theirs.start, theirs.end)));
            return remark(Comparison::Weakens, Some((theirs.start, theirs.end)), 60, reason);
        }
        if self.derivable(number.value) {
            return remark(
                Comparison::Absent,
                None,
                40,
                format!("{written} is not on the page, but could be computed from it"),
            );
        }
        let confidence = match number.form {
            // A share in words is compared with shares.
            _ if number.value == 0.5 => 44,
            QuantityForm::Digits => 92,
            QuantityForm::Ordinal => 55,
            QuantityForm::Word | QuantityForm::Version => 50,
        };
        remark(Comparison::Absent, None, confidence, format!("{written} is nowhere on the page"))
    }

    /// The passages have the figure, but only without a unit.
    fn agrees_bare(&self, number: &Quantity) -> bool {
        let bare = |theirs: &Quantity| theirs.unit.measure == Measure::Count;
        let near = self.source.facts.values.numbers.iter().filter(|theirs| self.in_passages(theirs.start));
        !bare(number) && near.filter(|theirs| number.agrees(theirs)).all(bare)
    }

    /// The same figure with another unit, in the sentence that says the rest.
    fn other_unit_in_place(&self, number: &Quantity) -> Option<&Quantity> {
        let best = self.best.filter(|_| self.same_statement((number.start, number.end)))?;
        let mut here = self.source.facts.values.numbers.iter().filter(|theirs| within(best, theirs.start));
        here.find(|theirs| {
            number.same_figure(theirs) && number.unit_differs(theirs) && !number.agrees(theirs)
        })
    }

    /// "More than 12" beside "12" or "up to 12": the figure agrees, its bound does not.
    fn bounds(&self, number: &Quantity, theirs: &Quantity) -> Option<ComparisonRemark> {
        if !number.same_figure(theirs)
            || number.bound == theirs.bound
            || !self.same_statement((number.start, number.end))
        {
            return None;
        }
        let (finding, confidence) = match (number.bound, theirs.bound) {
            (QuantityBound::Above, QuantityBound::Below) | (QuantityBound::Below, QuantityBound::Above) => {
                (Comparison::Differs, 75)
            }
            (QuantityBound::Above | QuantityBound::Below, QuantityBound::Exact) => (Comparison::Weakens, 50),
            (QuantityBound::Exact, QuantityBound::Above | QuantityBound::Below) => (Comparison::Weakens, 60),
            (QuantityBound::Exact, QuantityBound::About) => (Comparison::Weakens, 45),
            _ => return None,
        };
        let span = (theirs.start.saturating_sub(12), theirs.end);
        let span =
            if self.source.page.text().is_char_boundary(span.0) { span } else { (theirs.start, theirs.end) };
        let reason =
            format!("the page bounds {} otherwise than the claim", self.on_page((theirs.start, theirs.end)));
        Some(ComparisonRemark {
            aspect: ComparisonAspect::Comparison,
            finding,
            part: (number.start, number.end),
            span: Some(span),
            reason,
            confidence,
            is_restated: false,
        })
    }

    /// Another number between the same neighbours, in the sentence that says the rest.
    fn number_in_place(&self, number: &Quantity) -> Option<&Quantity> {
        let best = self.best?;
        if !self.same_statement((number.start, number.end)) {
            return None;
        }
        let claimed = |theirs: &Quantity| {
            self.claim.values.numbers.iter().any(|mine| mine.agrees(theirs) || theirs.agrees(mine))
        };
        let here = self.source.facts.values.numbers.iter().filter(|theirs| within(best, theirs.start));
        let candidates: Vec<&Quantity> =
            here.filter(|theirs| theirs.form != QuantityForm::Version && !claimed(theirs)).collect();
        candidates
            .into_iter()
            .find(|theirs| self.same_place((number.start, number.end), (theirs.start, theirs.end), best))
    }

    fn date(&self, date: &TextDate) -> ComparisonRemark {
        let part = (date.start, date.end);
        let written = self.written(part);
        let remark = |finding, span, confidence, reason: String| ComparisonRemark {
            aspect: ComparisonAspect::Date,
            finding,
            part,
            span,
            reason,
            confidence,
            is_restated: false,
        };
        let found = &self.source.facts.values;
        if let Some(theirs) = found
            .dates
            .iter()
            .filter(|theirs| self.in_passages(theirs.start))
            .find(|theirs| date.agrees(theirs))
        {
            return remark(
                Comparison::Agrees,
                Some((theirs.start, theirs.end)),
                90,
                format!("the passage has {written}"),
            );
        }
        if relative::is_of_year_before(self.claim, self.source, self.best)
            || relative::is_yesterday(self.source, date)
        {
            return remark(Comparison::Agrees, None, 45, format!("the page names {written} by its own date"));
        }
        if let Some(theirs) = self.date_in_place(date) {
            let there = (theirs.start, theirs.end);
            let reason = format!("the page says {} where the claim says {written}", self.on_page(there));
            return remark(bounded_dates::finding(self.claim, date, theirs), Some(there), 80, reason);
        }
        if let Some(theirs) = found.dates.iter().find(|theirs| date.agrees(theirs)) {
            return remark(
                Comparison::Agrees,
                Some((theirs.start, theirs.end)),
                60,
                format!("the page has {written}, elsewhere"),
            );
        }
        let year = date.year.map(f64::from);
        if let Some(theirs) =
            found.numbers.iter().find(|theirs| date.parts() == 1 && Some(theirs.value) == year)
        {
            return remark(
                Comparison::Agrees,
                Some((theirs.start, theirs.end)),
                50,
                format!("the page has {written}"),
            );
        }
        let year_there = date.year.is_none() || found.dates.iter().any(|theirs| theirs.year == date.year);
        let day = TextDate { year: None, ..*date };
        if let Some(theirs) =
            found.dates.iter().find(|theirs| date.parts() > 1 && theirs.month.is_some() && day.agrees(theirs))
        {
            // Day and month on the page, the year perhaps only in its head. The year of another date is not theirs.
            let finding = if theirs.year.is_none() { Comparison::Agrees } else { Comparison::Absent };
            return remark(
                finding,
                Some((theirs.start, theirs.end)),
                50,
                format!("the page has {}", self.on_page((theirs.start, theirs.end))),
            );
        }
        if date.parts() == 1 && relative::follows(self.source, date.year) {
            return remark(Comparison::Agrees, None, 40, format!("the page is of {written}"));
        }
        if year_there {
            return remark(
                Comparison::Absent,
                None,
                70,
                format!("the page does not have the day or month of {written}"),
            );
        }
        if year.is_some_and(|year| self.derivable_year(year)) {
            return remark(
                Comparison::Agrees,
                None,
                45,
                format!("{written} is not on the page, but follows from its years"),
            );
        }
        remark(Comparison::Absent, None, 88, format!("{written} is nowhere on the page"))
    }

    fn date_in_place(&self, date: &TextDate) -> Option<&TextDate> {
        let best = self.best?;
        if !self.same_statement((date.start, date.end)) {
            return None;
        }
        let known = |theirs: &&TextDate| self.claim.values.dates.iter().any(|mine| mine.compatible(theirs));
        let mut here = self
            .source
            .facts
            .values
            .dates
            .iter()
            .filter(|theirs| within(best, theirs.start) && !known(theirs));
        let first = here.next()?;
        let alone = here.next().is_none() && self.claim.values.dates.len() == 1;
        (alone || self.same_place((date.start, date.end), (first.start, first.end), best)).then_some(first)
    }

    fn name(&self, name: &NameMention) -> Option<ComparisonRemark> {
        let part = (name.start, name.end);
        let written = self.written(part);
        let remark = |finding, span, confidence, reason: String| ComparisonRemark {
            aspect: ComparisonAspect::Name,
            finding,
            part,
            span,
            reason,
            confidence,
            is_restated: false,
        };
        let missing = name.tokens.iter().filter(|token| !self.has_token(name, token)).count();
        if name.kind == NameKind::Initial {
            // Any word has a capital there; its absence is counted with the other words.
            return None;
        }
        // "Twelve people, none of them in Arle" names Arle for what did not happen there.
        if missing == 0 && denial::is_denied(&self.claim.words, name.start, denial::CONTRAST_REACH) {
            return Some(remark(
                Comparison::Agrees,
                None,
                40,
                format!("the page names {written}, elsewhere"),
            ));
        }
        if let Some((start, end)) = self.name_in_place(name) {
            let confidence = if missing == name.tokens.len() { 80 } else { 62 };
            let reason =
                format!("the page names {} where the claim names {written}", self.on_page((start, end)));
            return Some(remark(Comparison::Differs, Some((start, end)), confidence, reason));
        }
        if let Some((start, end)) = self.other_part_in_place(name) {
            let reason =
                format!("the page names {} where the claim names {written}", self.on_page((start, end)));
            return Some(remark(Comparison::Differs, Some((start, end)), 70, reason));
        }
        if missing == 0 || self.has_acronym(name) {
            return Some(remark(Comparison::Agrees, None, 60, format!("the page names {written}")));
        }
        // A page in another script writes the name otherwise.
        if name.kind != NameKind::Address && reading::is_other_script(self.claim.text, self.source) {
            return None;
        }
        let whole = missing == name.tokens.len();
        let confidence = match (name.kind, whole) {
            (NameKind::Address, _) => 90,
            (_, true) if self.same_statement(part) => 90,
            (NameKind::Katakana, true) => 75,
            (_, true) if name.tokens.len() > 1 => 82,
            (_, true) => 58,
            // A surname for a full name is the same person.
            (_, false) => 35,
        };
        Some(remark(Comparison::Absent, None, confidence, format!("the page does not name {written}")))
    }

    fn has_token(&self, name: &NameMention, token: &str) -> bool {
        match name.kind {
            NameKind::Katakana => self.source.page.text().contains(token),
            NameKind::Address => contains_folded(self.source.page.text(), token),
            NameKind::Capitals | NameKind::Initial | NameKind::Acronym => {
                let facts = self.source.facts;
                facts.has_plain(token)
                    || facts.has_front(token)
                    || facts.has_plain(words::stem(token))
                    || facts.has_initials(token)
            }
        }
    }

    /// The claim writes out what the page abbreviates.
    fn has_acronym(&self, name: &NameMention) -> bool {
        let initials = names::initials(&name.tokens);
        // Otto Falkenrath is not named by the word "of".
        name.kind == NameKind::Capitals
            && name.tokens.len() >= 2
            && !words::is_stop_word(&initials)
            && self.source.facts.has_plain(&initials)
    }

    /// Another name between the same neighbours, in the sentence that says the rest.
    fn name_in_place(&self, name: &NameMention) -> Option<(usize, usize)> {
        let best = self.best?;
        let share = best.share_without(self.claim, self.weights, (name.start, name.end));
        if share < SAME_STATEMENT_NAME || matches!(name.kind, NameKind::Address) {
            return None;
        }
        let text = self.source.page.sentence_text(&best.sentence);
        let read = words::words(text);
        let theirs = names::names(text, &read);
        let shares = |one: &NameMention, other: &NameMention| {
            one.tokens.iter().any(|token| other.tokens.iter().any(|known| alike(token, known)))
        };
        if theirs.iter().any(|their| shares(their, name)) || self.mentioned(name, &read) {
            return None;
        }
        let free = theirs.iter().filter(|their| !self.claim.names.iter().any(|mine| shares(their, mine)));
        let mut candidates = free.filter(|their| their.kind != NameKind::Address);
        let shift = best.sentence.start;
        candidates
            .find(|their| {
                self.same_place((name.start, name.end), (their.start + shift, their.end + shift), best)
            })
            .map(|their| (their.start + shift, their.end + shift))
    }

    /// A name of as many words, all the same but one that is nowhere on the page, in the sentence that says the rest.
    fn other_part_in_place(&self, name: &NameMention) -> Option<(usize, usize)> {
        let best = self.best?;
        let share = best.share_without(self.claim, self.weights, (name.start, name.end));
        // German nouns have capitals too: `Ordner` for `Verzeichnis` is no other name.
        let noun = || name.kind != NameKind::Capitals || names::is_german(&self.claim.words);
        if share < SAME_STATEMENT_NAME || name.tokens.len() < 2 || noun() {
            return None;
        }
        let text = self.source.page.sentence_text(&best.sentence);
        let declines = names::declines(&self.claim.words);
        let same = |one: &str, other: &str| alike(one, other) || (declines && names::is_declined(one, other));
        let one_other = |their: &&NameMention| {
            let pairs = name.tokens.iter().zip(&their.tokens);
            let other: Vec<&String> =
                pairs.filter(|(mine, theirs)| !same(mine, theirs)).map(|(mine, _)| mine).collect();
            their.tokens.len() == name.tokens.len()
                && matches!(other.as_slice(), [only] if !self.has_token(name, only))
        };
        let shift = best.sentence.start;
        names::names(text, &words::words(text))
            .iter()
            .find(one_other)
            .map(|their| (their.start + shift, their.end + shift))
    }

    /// The sentence has one of the name's words, however written.
    fn mentioned(&self, name: &NameMention, read: &[TextWord]) -> bool {
        read.iter()
            .any(|word| name.tokens.iter().any(|token| alike(token, &names::plain_token(&word.folded))))
            || (name.kind == NameKind::Katakana
                && self.best.is_some_and(|best| {
                    self.source.page.sentence_text(&best.sentence).contains(name.tokens.concat().as_str())
                }))
    }

    fn same_statement(&self, part: (usize, usize)) -> bool {
        self.best.is_some_and(|best| best.share_without(self.claim, self.weights, part) >= SAME_STATEMENT)
    }

    /// The words on either side are the same: one that tells something, or both.
    fn same_place(&self, mine: (usize, usize), theirs: (usize, usize), best: &BestSentence) -> bool {
        let claim_words = || self.claim.words.iter().map(|word| (word.start, word.end, word.folded.as_str()));
        let page = self.source.page;
        let page_words = || {
            page.words_of(&best.sentence).iter().map(|word| (word.start, word.end, page.folded(word.term)))
        };
        let (left, right) = neighbour_words(claim_words(), mine);
        let (their_left, their_right) = neighbour_words(page_words(), theirs);
        let same = |one: Option<&str>, other: Option<&str>| one.map(words::stem) == other.map(words::stem);
        let telling = |word: Option<&str>| {
            word.is_some_and(|word| !words::is_stop_word(word) && word.chars().count() > 1)
        };
        let (left_same, right_same) = (same(left, their_left), same(right, their_right));
        (left_same && (right_same || telling(left))) || (right_same && telling(right))
    }

    fn in_passages(&self, start: usize) -> bool {
        self.source.passages.iter().any(|passage| passage.start <= start && start < passage.end)
    }

    /// The numbers of the sentence that says most of it and of its neighbours, each with its sentence.
    fn nearby(&self) -> Vec<derive::NearbyNumber<'_>> {
        self.best.map_or_else(Vec::new, |best| derive::nearby(self.source, &best.sentence))
    }

    /// A sum, difference, ratio or percentage change of numbers or years in the passages.
    fn derivable(&self, value: f64) -> bool {
        derive::follows(&self.source.facts.values, |start| self.in_passages(start), value)
    }

    /// A year of the passages, so many of their years before or after it.
    fn derivable_year(&self, year: f64) -> bool {
        let values = &self.source.facts.values;
        derive::year_follows(values, self.source.page.text(), |start| self.in_passages(start), year)
    }

    fn written(&self, part: (usize, usize)) -> &str {
        self.claim.text.get(part.0..part.1).unwrap_or_default()
    }

    fn on_page(&self, span: (usize, usize)) -> &str {
        self.source.page.text().get(span.0..span.1).unwrap_or_default()
    }
}

fn within(best: &BestSentence, start: usize) -> bool {
    best.sentence.start <= start && start < best.sentence.end
}

/// Equal, or one is the beginning of the other and long enough to be told by it.
fn alike(one: &str, other: &str) -> bool {
    one == other || (one.len().min(other.len()) >= 4 && (one.starts_with(other) || other.starts_with(one)))
}

/// The words right before and right after a part.
pub(crate) fn neighbour_words<'a>(
    words: impl Iterator<Item = (usize, usize, &'a str)>,
    part: (usize, usize),
) -> (Option<&'a str>, Option<&'a str>) {
    let (mut left, mut right) = (None, None);
    for (start, end, folded) in words {
        if end <= part.0 {
            left = Some(folded);
        } else if start >= part.1 {
            right = Some(folded);
            break;
        }
    }
    (left, right)
}

fn contains_folded(text: &str, token: &str) -> bool {
    text.contains(token) || text.to_lowercase().contains(token)
}

/// The sentence of a place on the page; for remarks that point at one.
pub(super) fn span_of(source: &ComparisonSource<'_>, start: usize) -> Option<(usize, usize)> {
    sentence_at(source.page, start).map(|sentence| (sentence.start, sentence.end))
}
