//! Witnesses: what in a claim in free wording does not go with the passages it rests on.
//!
//! They read the claim beside the few sentences that share most with it. None of them decides: a doubt is a remark for
//! the judge, or for the reader where there is no judge.

mod agents;
mod assurance;
mod bearers;
mod conditions;
mod courses;
mod direction;
mod doers;
mod elsewhere;
mod exceptions;
mod exclusion;
mod figure_parts;
mod figures;
mod foreign;
mod naming;
mod offices;
mod order;
mod relative_dates;
mod roles;
mod slots;
mod subjects;
mod swaps;
mod tables;
mod turns;
mod uncased;
mod wording;

use super::{
    Comparison, ComparisonAspect, ComparisonRemark, ComparisonSource,
    claim::ClaimFacts,
    page_comparison::sentence_at,
    reading::{Reading, ReadingWord},
    senses::{Sense, SensePlace, is_kin, senses},
};

/// Passages that are read.
const SENTENCES_MAX: usize = 5;
/// How often a doubt is right: somewhat more often than not.
const DOUBT_PERCENT: u8 = 50;

/// The claim with the sentences that share most with it, best first.
pub(super) struct Scene<'a, 'b> {
    pub claim: &'a ClaimFacts<'b>,
    pub source: &'a ComparisonSource<'a>,
    pub mine: Reading<'a>,
    pub my_senses: Vec<SensePlace>,
    pub sentences: Vec<SceneSentence<'a>>,
}

pub(super) struct SceneSentence<'a> {
    pub reading: Reading<'a>,
    pub senses: Vec<SensePlace>,
    /// Share of the claim's content that it has.
    pub share: f32,
    /// Numbers and dates of the claim that it has.
    pub anchors: usize,
}

impl SceneSentence<'_> {
    /// It is about what the claim is about: it has this share of the claim's words, or half of it and one of its figures.
    pub fn is_about(&self, least: f32) -> bool {
        self.share >= least || (self.anchors > 0 && 2.0 * self.share >= least)
    }
}

impl<'a> Scene<'a, '_> {
    pub fn best(&self) -> Option<&SceneSentence<'a>> {
        self.sentences.first()
    }

    pub fn i_have(&self, sense: Sense) -> bool {
        has(&self.my_senses, sense)
    }
}

pub(super) fn has(places: &[SensePlace], sense: Sense) -> bool {
    places.iter().any(|place| place.sense == sense)
}

pub(super) fn doubt(
    aspect: ComparisonAspect,
    part: (usize, usize),
    span: Option<(usize, usize)>,
    reason: String,
) -> ComparisonRemark {
    ComparisonRemark {
        aspect,
        finding: Comparison::Weakens,
        part,
        span,
        reason,
        confidence: DOUBT_PERCENT,
        is_restated: false,
    }
}

/// Doubts about one claim beside one page, one for each aspect.
pub(super) fn doubts<'a>(
    claim: &'a ClaimFacts<'_>,
    source: &'a ComparisonSource<'a>,
    remarks: &[ComparisonRemark],
    is_foreign: bool,
) -> Vec<ComparisonRemark> {
    let mine = Reading::of_claim(claim, source);
    let my_senses = senses(&mine);
    let mut sentences: Vec<SceneSentence<'a>> = Vec::new();
    for passage in source.passages.iter().take(SENTENCES_MAX) {
        let Some(sentence) = sentence_at(source.page, passage.start) else { continue };
        let reading = Reading::of_sentence(source, &sentence);
        let senses = senses(&reading);
        let is_kin = |token: &ReadingWord| {
            let own = my_senses.iter().filter(|place| place.start == token.start && place.token.is_some());
            own.into_iter().any(|own| senses.iter().any(|theirs| is_kin(own.sense, theirs.sense)))
        };
        let share = reading.share_of(&mine, is_kin);
        let anchors = reading.figures_of(&mine);
        sentences.push(SceneSentence { senses, share, anchors, reading });
    }
    sentences.sort_by(|one, other| other.share.total_cmp(&one.share));
    let scene = Scene { claim, source, mine, my_senses, sentences };
    let mut found = figures::doubts(&scene, remarks);
    found.extend(figure_parts::doubts(&scene, is_foreign));
    found.extend(naming::doubts(&scene, is_foreign));
    if is_foreign {
        found.extend(foreign::doubts(&scene));
    } else {
        found.extend(relative_dates::doubts(&scene));
        found.extend(roles::doubts(&scene));
        found.extend(direction::doubts(&scene));
        found.extend(turns::doubts(&scene));
        found.extend(bearers::doubts(&scene));
        found.extend(wording::doubts(&scene));
        found.extend(exclusion::doubts(&scene));
        found.extend(subjects::doubts(&scene));
        found.extend(tables::doubts(&scene));
        found.extend(courses::doubts(&scene));
        found.extend(assurance::doubts(&scene));
        found.extend(exceptions::doubts(&scene));
        found.extend(slots::doubts(&scene));
        found.extend(conditions::doubts(&scene));
        found.extend(offices::doubts(&scene));
    }
    found.extend(agents::doubts(&scene, is_foreign));
    found.extend(offices::members(&scene));
    found.extend(swaps::doubts(&scene, is_foreign));
    found.extend(order::doubts(&scene, is_foreign));
    if !is_foreign {
        found.extend(doers::doubts(&scene));
        found.extend(elsewhere::doubts(&scene));
    }
    let mut kept: Vec<ComparisonRemark> = Vec::new();
    for remark in found {
        if !kept.iter().any(|known| known.aspect == remark.aspect) {
            kept.push(remark);
        }
    }
    kept
}

#[cfg(test)]
mod tests;
