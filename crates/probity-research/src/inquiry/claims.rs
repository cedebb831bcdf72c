//! The written facts as numbered claims, and what may be said over them: conclusions and the front of the report.

use std::collections::{BTreeMap, BTreeSet};

use probity_types::inquiry::{
    ClaimId, FrontAnswer, FrontSentence, InferenceMove, NodeId, QuoteId, Sentence, SentenceKind,
    SynthesisAnswer, answer::POINTS_MAX,
};

pub use super::written::Claim;
use super::{
    bank::normalized,
    figures, gaps,
    premises::Premises,
    section::SENTENCE_CHARACTERS_MAX,
    written::{WritingContext, WrittenSection},
};
use crate::{text, web::passages};

const ANSWER_SENTENCES_MAX: usize = 6;
pub const KEY_POINTS_MAX: usize = 7;
/// Citations of one sentence over several claims.
const QUOTES_MAX: usize = 6;
/// Key points by rule, where the model wrote none.
const RULE_POINTS_MAX: usize = 5;
const TITLE_CHARACTERS_MAX: usize = 160;
/// Shared words from which two sentences with the same names and numbers say the same.
const TWIN_PERCENT: usize = 75;

/// A conclusion, with the quotations behind the claims that it rests on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenPoint {
    pub text: String,
    pub quotes: Vec<QuoteId>,
    pub inference_move: InferenceMove,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CitedSentence {
    pub text: String,
    pub quotes: Vec<QuoteId>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WrittenFront {
    pub title: String,
    pub answer: Vec<CitedSentence>,
    pub key_points: Vec<CitedSentence>,
    pub points_heading: String,
}

/// The facts of all sections in the order of the outline; the same until the report ends.
pub fn claims(context: WritingContext<'_>) -> Vec<Claim> {
    let mut found = Vec::new();
    let mut told: BTreeSet<String> = BTreeSet::new();
    for node in context.outline.units() {
        let Some(section) = context.sections.get(&node) else { continue };
        for sentence in section.sentences().filter(|sentence| sentence.kind == SentenceKind::Fact) {
            if told.insert(normalized(&sentence.text)) {
                found.push(Claim { node, text: sentence.text.clone(), quotes: sentence.quotes.clone() });
            }
        }
    }
    found
}

/// The quotations behind each conclusion that the sections draw themselves.
pub fn concluded(context: WritingContext<'_>) -> Vec<BTreeSet<QuoteId>> {
    inferences(context.sections).map(|sentence| sentence.quotes.iter().copied().collect()).collect()
}

fn inferences(sections: &BTreeMap<NodeId, WrittenSection>) -> impl Iterator<Item = &Sentence> {
    let all = sections.values().flat_map(|section| section.sentences());
    all.filter(|sentence| sentence.kind == SentenceKind::Inference)
}

/// Conclusions that rest on enough named claims, bring no number and no name of their own and are drawn nowhere else.
pub fn accept_points(context: WritingContext<'_>, answer: &SynthesisAnswer) -> Vec<WrittenPoint> {
    let claims = claims(context);
    let looked_up = Premises::among(&claims);
    let drawn: BTreeSet<String> = inferences(context.sections)
        .filter(|_| context.looks_up)
        .map(|sentence| normalized(&sentence.text))
        .collect();
    let mut kept: Vec<WrittenPoint> = Vec::new();
    for point in answer.points.iter().take(POINTS_MAX) {
        let text = text::line(&point.text, SENTENCE_CHARACTERS_MAX);
        let needed = match point.inference_move {
            InferenceMove::Implication | InferenceMove::Limit => 1,
            InferenceMove::Compare
            | InferenceMove::Trend
            | InferenceMove::Cause
            | InferenceMove::Outlook
            | InferenceMove::Advice => 2,
        };
        let premises = match context.looks_up {
            true => looked_up.of(&text, &point.rests_on, needed),
            false => premises(&claims, &point.rests_on),
        };
        let premises = match context.tells_every_conflict {
            true => looked_up.related(&text, premises, needed),
            false => premises,
        };
        let evidence: Vec<&str> = premises.iter().map(|claim| claim.text.as_str()).collect();
        let new = figures::brings_new(&text, &evidence.join(" "), context.nouns_are_capitals);
        let plain = normalized(&text);
        let twin = drawn.contains(&plain) || kept.iter().any(|known| normalized(&known.text) == plain);
        if text.is_empty() || premises.len() < needed || new || twin {
            continue;
        }
        kept.push(WrittenPoint { text, quotes: quotes_of(&premises), inference_move: point.inference_move });
    }
    kept
}

/// Title, answer and key points over known claims; nothing where neither answer nor points remain.
pub fn accept_front(context: WritingContext<'_>, answer: &FrontAnswer) -> Option<WrittenFront> {
    let claims = claims(context);
    let all = |sentences: &[FrontSentence], most: usize| -> Vec<CitedSentence> {
        sentences
            .iter()
            .take(most)
            .filter_map(|sentence| front_sentence(context, &claims, sentence))
            .collect()
    };
    let front = WrittenFront {
        title: text::line(&answer.title, TITLE_CHARACTERS_MAX),
        answer: all(&answer.answer, ANSWER_SENTENCES_MAX),
        key_points: all(&answer.key_points, KEY_POINTS_MAX),
        points_heading: text::line(&answer.points_heading, 60),
    };
    (!front.answer.is_empty() || !front.key_points.is_empty()).then_some(front)
}

/// A sentence of the front that a section has as well, in the same or nearly the same words, has its citations.
pub fn with_citations_of_sections(context: WritingContext<'_>, front: WrittenFront) -> WrittenFront {
    let claims = claims(context);
    let cited = |mut said: CitedSentence| {
        if let Some(claim) = twin(&claims, &said.text) {
            said.quotes = claim.quotes.clone();
        }
        said
    };
    WrittenFront {
        answer: front.answer.into_iter().map(cited).collect(),
        key_points: front.key_points.into_iter().map(cited).collect(),
        ..front
    }
}

/// The claim that says the same: the same numbers and names, and nearly the same words.
fn twin<'a>(claims: &'a [Claim], text: &str) -> Option<&'a Claim> {
    let key = normalized(text);
    if let Some(same) = claims.iter().find(|claim| normalized(&claim.text) == key) {
        return Some(same);
    }
    let (words, numbers, names) = (passages::words(text), figures::number_keys(text), gaps::name_words(text));
    // Without names in the sentence nothing tells apart what it is about.
    if names.is_empty() {
        return None;
    }
    let scored = claims.iter().filter_map(|claim| {
        let of_claim = passages::words(&claim.text);
        let shared = words.intersection(&of_claim).count();
        let is_near = shared * 100 >= words.len().max(of_claim.len()) * TWIN_PERCENT;
        let is_same = figures::number_keys(&claim.text) == numbers && gaps::name_words(&claim.text) == names;
        (is_near && is_same).then_some((shared, claim))
    });
    scored.max_by_key(|(shared, _)| *shared).map(|(_, claim)| claim)
}

/// Where no front was written: the first fact of each section.
pub fn front_by_rule(context: WritingContext<'_>) -> WrittenFront {
    let claims = claims(context);
    let mut nodes: BTreeSet<NodeId> = BTreeSet::new();
    let firsts = claims.iter().filter(|claim| {
        let is_written = context.sections.get(&claim.node).is_some_and(|section| !section.is_quoted);
        is_written && nodes.insert(claim.node)
    });
    let key_points: Vec<CitedSentence> = firsts
        .take(RULE_POINTS_MAX)
        .map(|claim| CitedSentence { text: claim.text.clone(), quotes: claim.quotes.clone() })
        .collect();
    let enough = key_points.len() > 2;
    WrittenFront { key_points: if enough { key_points } else { Vec::new() }, ..WrittenFront::default() }
}

fn front_sentence(
    context: WritingContext<'_>,
    claims: &[Claim],
    said: &FrontSentence,
) -> Option<CitedSentence> {
    let text = text::line(&said.text, SENTENCE_CHARACTERS_MAX);
    if text.is_empty() {
        return None;
    }
    let mut rests_on = premises(claims, &said.claims);
    if rests_on.is_empty() {
        rests_on.extend(closest(claims, &text));
    }
    if has_unsaid_numbers(context, &rests_on, &text) {
        // It may name the wrong claims: the closest one that has its numbers takes their place.
        let says = |claim: &&Claim| !has_unsaid_numbers(context, &[*claim], &text);
        let said: Vec<Claim> = claims.iter().filter(|_| context.looks_up).filter(says).cloned().collect();
        let better = closest(&said, &text)?;
        return Some(CitedSentence { quotes: quotes_of(&[better]), text });
    }
    (!rests_on.is_empty()).then(|| CitedSentence { text, quotes: quotes_of(&rests_on) })
}

/// Whether a text has a number that neither these claims nor their quotations have.
fn has_unsaid_numbers(context: WritingContext<'_>, rests_on: &[&Claim], text: &str) -> bool {
    let told: Vec<&str> = rests_on.iter().map(|claim| claim.text.as_str()).collect();
    let quoted: Vec<&str> = rests_on
        .iter()
        .flat_map(|claim| &claim.quotes)
        .filter_map(|id| context.bank.get(*id))
        .map(|quote| quote.text.as_str())
        .collect();
    let evidence = [told.join(" "), quoted.join(" ")].join(" ");
    let numbers = figures::number_keys(&evidence);
    figures::number_keys(text).iter().any(|number| !numbers.contains(number))
}

fn premises<'a>(claims: &'a [Claim], ids: &[ClaimId]) -> Vec<&'a Claim> {
    let mut places: Vec<usize> = ids.iter().filter_map(|id| id.index()).collect();
    places.sort_unstable();
    places.dedup();
    places.into_iter().filter_map(|place| claims.get(place)).collect()
}

/// The claim that shares the most words, at least half of them.
fn closest<'a>(claims: &'a [Claim], text: &str) -> Option<&'a Claim> {
    let wanted = passages::words(text);
    let needed = wanted.len().div_ceil(2).max(1);
    let scored = claims.iter().map(|claim| (passages::shared(&wanted, &claim.text), claim));
    scored.filter(|(shared, _)| *shared >= needed).max_by_key(|(shared, _)| *shared).map(|(_, claim)| claim)
}

fn quotes_of(claims: &[&Claim]) -> Vec<QuoteId> {
    let mut quotes: Vec<QuoteId> = Vec::new();
    for id in claims.iter().flat_map(|claim| &claim.quotes) {
        if !quotes.contains(id) && quotes.len() < QUOTES_MAX {
            quotes.push(*id);
        }
    }
    quotes
}

#[cfg(test)]
mod tests {
    use probity_types::inquiry::{NodeId, QuoteId};

    use super::{Claim, twin};

    #[test]
    fn a_sentence_finds_the_one_that_says_the_same() {
        let said = [
            "The timber emission at Holansund Basin stood at 272 tonnes in 2020.",
            "The timber emission at Varnum Basin stood at 272 tonnes in 2020.",
        ];
        let claims =
            said.map(|text| Claim { node: NodeId(1), text: text.to_owned(), quotes: vec![QuoteId(1)] });
        let found = |text: &str| twin(&claims, text).map(|claim| claim.text.as_str());
        assert_eq!(found("the timber emission at Varnum Basin stood at 272 tonnes in 2020"), Some(said[1]));
        assert_eq!(found("In 2020 the timber emission at Holansund Basin was 272 tonnes."), Some(said[0]));
        assert_eq!(found("In 2021 the timber emission at Holansund Basin was 272 tonnes."), None);
        assert_eq!(found("In 2020 the timber emission at Orion Basin was 272 tonnes."), None);
    }
}
