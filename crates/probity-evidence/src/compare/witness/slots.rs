//! A figure or a share that stands between the same words as another one of the page: "ordered six boats" for "ordered
//! four boats". Small counts in words among them, which stand anywhere on a page and are not looked for by themselves.

use super::{
    Scene, SceneSentence, doubt,
    figures::read_shares,
    roles::{JOINTS, own_words},
};
use crate::{
    compare::{
        ComparisonAspect, ComparisonRemark,
        reading::{Reading, ReadingWord, related},
        senses::{QUANTITY, Sense},
    },
    value::{Quantity, QuantityForm, share::TextShare},
    words::classes,
};

/// Share of the claim that a sentence must have for its figures to stand in the claim's places.
const SAME_WORDING: f32 = 0.45;
/// How far two shares may be off that are the same.
const SHARE_SLACK: f64 = 0.01;
/// Characters of a script without spaces before a figure that make its place.
const DENSE_LETTERS: usize = 2;

pub(super) fn doubts(scene: &Scene<'_, '_>) -> Vec<ComparisonRemark> {
    // What is denied, and by how much one is more than another, may be another figure than the page's.
    let is_difference = scene.i_have(Sense::Than)
        && scene.my_senses.iter().any(|place| matches!(place.sense, Sense::Pole(QUANTITY, _)));
    if scene.i_have(Sense::Not) || is_difference {
        return Vec::new();
    }
    let number = scene.mine.numbers.iter().find_map(|number| other_number(scene, number));
    let share = || other_share(scene).or_else(|| share_of_another(scene));
    number.or_else(share).into_iter().collect()
}

fn remark(
    scene: &Scene<'_, '_>,
    mine: (usize, usize),
    theirs: (usize, usize),
    span: (usize, usize),
) -> ComparisonRemark {
    let shown = scene.source.page.text().get(theirs.0..theirs.1).unwrap_or_default();
    let written = scene.claim.text.get(mine.0..mine.1).unwrap_or_default();
    let reason = format!("the page says {shown} in the place of {written}");
    doubt(ComparisonAspect::Number, mine, Some(span), reason)
}

fn near<'s, 'a>(scene: &'s Scene<'a, '_>) -> impl Iterator<Item = &'s SceneSentence<'a>> {
    scene.sentences.iter().filter(|sentence| sentence.share >= SAME_WORDING)
}

/// Counts and amounts; a place in a row, a version or a part of a date is none.
fn is_counted(reading: &Reading<'_>, number: &Quantity) -> bool {
    let dated = reading.dates.iter().any(|date| date.start <= number.start && number.start < date.end);
    matches!(number.form, QuantityForm::Digits | QuantityForm::Word) && !dated && number.value != 0.5
}

fn other_number(scene: &Scene<'_, '_>, number: &Quantity) -> Option<ComparisonRemark> {
    if !is_counted(&scene.mine, number) {
        return None;
    }
    let part = (number.start, number.end);
    let mut found: Option<ComparisonRemark> = None;
    for sentence in near(scene) {
        let reading = &sentence.reading;
        for theirs in reading.numbers.iter().filter(|theirs| is_counted(reading, theirs)) {
            let place = (theirs.start, theirs.end);
            let same = is_same_place(&scene.mine, part, reading, place);
            if number.agrees(theirs) || number.same_figure(theirs) {
                // It is the claim's figure where it stands in its place, or beside a word of the claim.
                let own = own_words(reading, theirs);
                let fits = !reading.is_dense && own.words.iter().any(|word| scene.mine.has(word));
                if same || fits {
                    return None;
                }
                continue;
            }
            let claimed = scene.mine.numbers.iter().any(|mine| mine.agrees(theirs) && mine.start < part.0);
            if same && !claimed && number.unit.measure == theirs.unit.measure {
                found = found.or_else(|| Some(remark(scene, part, place, reading.span())));
            }
        }
    }
    found
}

/// "One third of the costs" for "two thirds of the costs", wherever else the page has a third.
fn other_share(scene: &Scene<'_, '_>) -> Option<ComparisonRemark> {
    if scene.mine.is_dense {
        return None;
    }
    let mine = read_shares(&scene.mine);
    let claimed = mine.first()?;
    let part = (claimed.start, claimed.end);
    let mut found: Option<ComparisonRemark> = None;
    for sentence in near(scene) {
        let reading = &sentence.reading;
        for theirs in read_shares(reading) {
            let place = (theirs.start, theirs.end);
            if !is_same_place(&scene.mine, part, reading, place) {
                continue;
            }
            if (theirs.value - claimed.value).abs() <= SHARE_SLACK {
                return None;
            }
            found = found.or_else(|| Some(remark(scene, part, place, reading.span())));
        }
    }
    found
}

/// "The state paid half" where the page gives half to the region and a third to the state.
fn share_of_another(scene: &Scene<'_, '_>) -> Option<ComparisonRemark> {
    let mine = read_shares(&scene.mine);
    let [claimed] = mine.as_slice() else { return None };
    let is_subject =
        |token: &&ReadingWord| token.is_content && (token.end <= claimed.start || claimed.end <= token.start);
    let subject = scene.mine.tokens.iter().find(is_subject).filter(|_| !scene.mine.is_dense)?;
    for sentence in scene.sentences.iter().filter(|sentence| sentence.reading.has(&subject.plain)) {
        let reading = &sentence.reading;
        // The part of the sentence in which a place lies: so many parts begin before it.
        let part_at = |start: usize| {
            let before = reading.tokens.iter().filter(|token| token.start <= start);
            before.filter(|token| token.begins_clause || JOINTS.contains(&token.plain.as_str())).count()
        };
        let named = reading.tokens.iter().filter(|token| related(&token.plain, &subject.plain));
        let named: Vec<usize> = named.map(|token| part_at(token.start)).collect();
        let (own, others): (Vec<TextShare>, Vec<TextShare>) = read_shares(reading)
            .into_iter()
            .partition(|theirs| (theirs.value - claimed.value).abs() <= SHARE_SLACK);
        let is_own = own.is_empty() || own.iter().any(|own| named.contains(&part_at(own.start)));
        let other = others.iter().find(|other| named.contains(&part_at(other.start)));
        if let Some(other) = other.filter(|_| !is_own) {
            let (part, place) = ((claimed.start, claimed.end), (other.start, other.end));
            return Some(remark(scene, part, place, reading.span()));
        }
    }
    None
}

/// Both stand between the same words, one of which tells something.
fn is_same_place(
    mine: &Reading<'_>,
    part: (usize, usize),
    theirs: &Reading<'_>,
    place: (usize, usize),
) -> bool {
    if mine.is_dense {
        return theirs.is_dense && is_same_dense_place(mine, part, theirs, place);
    }
    let (my_second, my_left, my_right) = around(mine, part);
    let (second, left, right) = around(theirs, place);
    let same = |one: Option<&ReadingWord>, other: Option<&ReadingWord>| {
        one.zip(other).is_some_and(|(one, other)| related(&one.plain, &other.plain))
    };
    let tells = |token: Option<&ReadingWord>| token.is_some_and(|token| token.is_content);
    let follows = same(my_right, right) || (my_right.is_none() && right.is_none());
    let led = tells(my_left) || (same(my_second, second) && tells(my_second));
    same(my_left, left) && follows && led
}

/// The two tokens before a place and the one behind it.
fn around<'r>(
    reading: &'r Reading<'_>,
    (start, end): (usize, usize),
) -> (Option<&'r ReadingWord>, Option<&'r ReadingWord>, Option<&'r ReadingWord>) {
    let tokens = &reading.tokens;
    let at = tokens.partition_point(|token| token.end <= start);
    let behind = tokens.partition_point(|token| token.start < end);
    let before = |steps: usize| at.checked_sub(steps).and_then(|at| tokens.get(at));
    (before(2), before(1), tokens.get(behind))
}

/// The same two characters before it and the same one behind it, in a script without spaces.
fn is_same_dense_place(
    mine: &Reading<'_>,
    part: (usize, usize),
    theirs: &Reading<'_>,
    place: (usize, usize),
) -> bool {
    let sides = |reading: &Reading<'_>, (start, end): (usize, usize)| {
        let before = reading.text.get(..start.saturating_sub(reading.base)).unwrap_or_default();
        let behind = reading.text.get(end.saturating_sub(reading.base)..).unwrap_or_default();
        let left: Vec<char> = before.chars().rev().take(DENSE_LETTERS).collect();
        (left, behind.chars().next())
    };
    let (left, right) = sides(mine, part);
    let is_telling = left.len() == DENSE_LETTERS && left.iter().all(|letter| classes::is_dense(*letter));
    is_telling && sides(theirs, place) == (left, right)
}
