//! After the check: sentences of our own report that their sources do not bear out are bound to another quotation, replaced
//! by the quotation, or taken out. Everything else keeps its bytes.
//!
//! Rules only, no model: a sentence is never written anew. What a patch brought is seen by checking again; one that made
//! nothing better is undone or becomes a deletion.

use std::collections::BTreeSet;

use probity_types::inquiry::{Block, NodeId, QuoteId, Sentence, SentenceKind};

use super::{
    bank::normalized,
    claims::CitedSentence,
    figures,
    part::InquiryPart,
    patched::{PatchKind, PatchTally, SentencePatch, SentenceStanding},
    section,
    state::InquiryState,
    witness::Witnesses,
    written::WrittenSection,
};
use crate::{
    ledger::{
        Check, ClaimKind, Ledger, Opinion, Verdict,
        verdict::{NotCheckedReason, speaks_against},
    },
    web::passages,
};

/// Words from which a part of a sentence, or a sentence inside a longer claim, is recognised.
const TELLING_WORDS_MIN: usize = 4;
/// Words of a sentence that a conclusion has as well, from which it may rest on it.
const PREMISE_WORDS_MIN: usize = 3;

/// What to change after the first check; empty where nothing is.
pub fn propose(inquiry: &InquiryState, ledger: &Ledger) -> Vec<SentencePatch> {
    // Nothing is taken out on the word of a judge that is not trusted.
    if !ledger.judge_standing.is_trusted() || !inquiry.plan.has(InquiryPart::Patch) {
        return Vec::new();
    }
    let checked = CheckedSentences::of(ledger);
    let witnesses = Witnesses::of(inquiry.context());
    let mut patches: Vec<SentencePatch> = Vec::new();
    for said in said(inquiry) {
        let Some(was) = checked.standing(said.text).filter(|_| !is_side(inquiry, &said)) else { continue };
        let patch = match (was, said.role) {
            (SentenceStanding::Contradicted | SentenceStanding::Absent, SaidRole::Fact) => {
                let another = witnesses.another(said.text, said.quotes);
                Some(another.map_or(PatchKind::Removed, |quote| PatchKind::Rebound { quote }))
            }
            (SentenceStanding::Contradicted | SentenceStanding::Absent, SaidRole::Front)
            | (SentenceStanding::Contradicted, SaidRole::Drawn) => Some(PatchKind::Removed),
            (SentenceStanding::Partly, SaidRole::Fact) => {
                witnesses.carrier(said.text, said.quotes).map(|quote| PatchKind::Quoted { quote })
            }
            // No page has a conclusion that was drawn here.
            (SentenceStanding::Absent, SaidRole::Drawn)
            | (SentenceStanding::Partly, SaidRole::Front | SaidRole::Drawn)
            | (
                SentenceStanding::Unknown | SentenceStanding::Quoted | SentenceStanding::Supported,
                SaidRole::Fact | SaidRole::Front | SaidRole::Drawn,
            ) => None,
        };
        let is_known = patches.iter().any(|known| normalized(&known.text) == normalized(said.text));
        if let Some(patch) = patch.filter(|_| !is_known) {
            patches.push(SentencePatch { text: said.text.to_owned(), was, patch });
        }
    }
    bounded(inquiry, with_conclusions(inquiry, &checked, patches))
}

/// The patches that remain after they were checked; none where all of them made their sentence better. What did not is
/// undone where the sentence could stand as it was, else it becomes a deletion.
pub fn revise(
    inquiry: &InquiryState,
    ledger: &Ledger,
    patches: &[SentencePatch],
) -> Option<Vec<SentencePatch>> {
    let checked = CheckedSentences::of(ledger);
    let is_better = |patch: &SentencePatch| match patch.patch {
        PatchKind::Removed => true,
        PatchKind::Rebound { .. } => checked.standing(&patch.text).is_none_or(|now| now > patch.was),
        PatchKind::Quoted { quote } => {
            let told = section::quotation(&inquiry.bank, quote);
            told.and_then(|told| checked.standing(&told.text)).is_none_or(|now| now > patch.was)
        }
    };
    let revised = patches.iter().filter_map(|patch| {
        if is_better(patch) {
            return Some(patch.clone());
        }
        (patch.was < SentenceStanding::Partly)
            .then(|| SentencePatch { patch: PatchKind::Removed, ..patch.clone() })
    });
    let revised = bounded(inquiry, with_conclusions(inquiry, &checked, revised.collect()));
    (revised != patches).then_some(revised)
}

/// The inquiry with these sentences changed, to be composed again.
pub fn apply(inquiry: &InquiryState, patches: &[SentencePatch]) -> InquiryState {
    let mut patched = inquiry.clone();
    let nodes: Vec<NodeId> = inquiry.sections.keys().copied().collect();
    for node in nodes {
        let Some(section) = patched.sections.get_mut(&node).filter(|section| !section.is_quoted) else {
            continue;
        };
        let had_text = !section.cited().is_empty();
        change_section(section, inquiry, patches);
        // A heading with nothing under it says nothing: the quotations stand there instead.
        if had_text && section.cited().is_empty() {
            *section = section::quoted(inquiry.context(), node);
        }
    }
    if let Some(front) = &mut patched.front {
        change_cited(&mut front.answer, patches);
        change_cited(&mut front.key_points, patches);
    }
    patched.synthesis.retain(|point| !is_removed(&point.text, patches));
    patched.patched = PatchTally::of(patches);
    patched
}

/// How a sentence came about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SaidRole {
    /// It states what a quotation says.
    Fact,
    /// It states once more what sections state.
    Front,
    /// It concludes.
    Drawn,
}

struct SaidSentence<'a> {
    text: &'a str,
    quotes: &'a [QuoteId],
    role: SaidRole,
}

/// The sentences of a report that a model wrote, those of the sections first.
fn said(inquiry: &InquiryState) -> Vec<SaidSentence<'_>> {
    let written = inquiry.sections.values().filter(|section| !section.is_quoted);
    let told = written.flat_map(|section| section.sentences()).filter_map(|sentence| {
        let role = match sentence.kind {
            SentenceKind::Fact => SaidRole::Fact,
            SentenceKind::Inference => SaidRole::Drawn,
            SentenceKind::Link => return None,
        };
        Some(SaidSentence { text: &sentence.text, quotes: &sentence.quotes, role })
    });
    let front = inquiry.front.iter().flat_map(|front| front.answer.iter().chain(&front.key_points));
    let front =
        front.map(|said| SaidSentence { text: &said.text, quotes: &said.quotes, role: SaidRole::Front });
    let drawn = inquiry.synthesis.iter().map(|point| SaidSentence {
        text: &point.text,
        quotes: &point.quotes,
        role: SaidRole::Drawn,
    });
    told.chain(front).chain(drawn).collect()
}

/// Whether a sentence tells a side of a disagreement: its pages contradict each other, and that is what it says.
fn is_side(inquiry: &InquiryState, said: &SaidSentence<'_>) -> bool {
    let numbers = figures::number_keys(said.text);
    let mut sides = inquiry.conflicts.iter().flat_map(|conflict| &conflict.sides);
    sides.any(|side| {
        said.quotes.contains(&side.quote) && figures::number_keys(&side.value).is_subset(&numbers)
    })
}

/// With the conclusions that rest on what is taken out: nobody could see any more what they follow from.
fn with_conclusions(
    inquiry: &InquiryState,
    checked: &CheckedSentences,
    mut patches: Vec<SentencePatch>,
) -> Vec<SentencePatch> {
    if !inquiry.plan.names_every_part() {
        return patches;
    }
    let all = said(inquiry);
    let facts = all.iter().filter(|said| said.role == SaidRole::Fact);
    let (gone, left): (Vec<&SaidSentence<'_>>, Vec<&SaidSentence<'_>>) =
        facts.partition(|said| is_removed(said.text, &patches));
    let tables = || inquiry.sections.values().flat_map(|section| section.tables());
    let rows = || tables().flat_map(|table| table.rows.iter().map(move |row| (table, row)));
    let mut told: Vec<BTreeSet<String>> = left.iter().map(|said| passages::words(said.text)).collect();
    told.extend(rows().map(|(table, row)| {
        let headings = table.columns.iter().map(|column| column.heading.as_str());
        passages::words(&format!("{} {} {}", table.caption, row.name, headings.collect::<Vec<_>>().join(" ")))
    }));
    let mut cited: BTreeSet<QuoteId> = left.iter().flat_map(|said| said.quotes).copied().collect();
    cited.extend(rows().flat_map(|(_, row)| &row.cells).flat_map(|cell| &cell.quotes).copied());
    let is_loose = |drawn: &SaidSentence<'_>| {
        let words = passages::words(drawn.text);
        gone.iter().any(|fact| {
            let of_fact = passages::words(fact.text);
            let shared: BTreeSet<String> = of_fact.intersection(&words).cloned().collect();
            let lost = |id: &QuoteId| drawn.quotes.contains(id) && !cited.contains(id);
            let is_untold = !told.iter().any(|other| shared.is_subset(other));
            fact.quotes.iter().any(lost) || (shared.len() >= PREMISE_WORDS_MIN && is_untold)
        })
    };
    let drawn =
        all.iter().filter(|said| said.role == SaidRole::Drawn && patch_of(said.text, &patches).is_none());
    let mut loose: Vec<SentencePatch> = Vec::new();
    for said in drawn.filter(|said| is_loose(said)) {
        if !loose.iter().any(|known| is_same(&known.text, said.text)) {
            let was = checked.standing(said.text).unwrap_or(SentenceStanding::Unknown);
            loose.push(SentencePatch { text: said.text.to_owned(), was, patch: PatchKind::Removed });
        }
    }
    patches.extend(loose);
    patches
}

/// Deletions never leave the report or its answer without a sentence.
fn bounded(inquiry: &InquiryState, mut patches: Vec<SentencePatch>) -> Vec<SentencePatch> {
    let is_fact = |said: &SaidSentence<'_>| said.role == SaidRole::Fact;
    if said(inquiry).iter().filter(|said| is_fact(said)).all(|said| is_removed(said.text, &patches)) {
        return Vec::new();
    }
    let answer = inquiry.front.iter().flat_map(|front| &front.answer);
    let answer: Vec<&CitedSentence> = answer.collect();
    if answer.is_empty() || !answer.iter().all(|said| is_removed(&said.text, &patches)) {
        return patches;
    }
    let of_answer = |patch: &&SentencePatch| answer.iter().any(|said| is_same(&said.text, &patch.text));
    let best = patches.iter().filter(of_answer).map(|patch| patch.was).max();
    let kept = patches.iter().position(|patch| Some(patch.was) == best && of_answer(&patch));
    if let Some(place) = kept {
        patches.remove(place);
    }
    patches
}

fn is_same(one: &str, other: &str) -> bool {
    one == other || normalized(one) == normalized(other)
}

fn patch_of<'p>(text: &str, patches: &'p [SentencePatch]) -> Option<&'p SentencePatch> {
    patches.iter().find(|patch| is_same(&patch.text, text))
}

fn is_removed(text: &str, patches: &[SentencePatch]) -> bool {
    patch_of(text, patches).is_some_and(|patch| patch.patch == PatchKind::Removed)
}

fn change_section(section: &mut WrittenSection, inquiry: &InquiryState, patches: &[SentencePatch]) {
    let mut told: BTreeSet<String> = BTreeSet::new();
    for block in &mut section.blocks {
        if let Block::Paragraph { sentences } | Block::List { items: sentences } = block {
            let changed = sentences.iter().filter_map(|sentence| changed(sentence, inquiry, patches));
            *sentences = changed.filter(|sentence| told.insert(normalized(&sentence.text))).collect();
        }
    }
    section.blocks.retain(|block| match block {
        Block::Paragraph { sentences } | Block::List { items: sentences } => !sentences.is_empty(),
        Block::Heading { .. } | Block::Table(_) => true,
    });
    section.blocks = section::without_bare_headings(std::mem::take(&mut section.blocks));
}

fn changed(sentence: &Sentence, inquiry: &InquiryState, patches: &[SentencePatch]) -> Option<Sentence> {
    let Some(patch) = patch_of(&sentence.text, patches) else { return Some(sentence.clone()) };
    match patch.patch {
        PatchKind::Removed => None,
        PatchKind::Quoted { quote } => section::quotation(&inquiry.bank, quote),
        PatchKind::Rebound { quote } => Some(Sentence { quotes: vec![quote], ..sentence.clone() }),
    }
}

/// Sentences over claims are never quoted; those that repeat a sentence of a section follow it.
fn change_cited(sentences: &mut Vec<CitedSentence>, patches: &[SentencePatch]) {
    sentences.retain(|said| !is_removed(&said.text, patches));
    for said in sentences {
        if let Some(PatchKind::Rebound { quote }) = patch_of(&said.text, patches).map(|patch| patch.patch) {
            said.quotes = vec![quote];
        }
    }
}

/// The checked claims by their words.
struct CheckedSentences {
    claims: Vec<(String, SentenceStanding)>,
}

impl CheckedSentences {
    fn of(ledger: &Ledger) -> Self {
        let claims = ledger.claims.iter().filter_map(|claim| {
            let standing = standing(&ledger.verdict(claim.id)?.verdict)?;
            // One that is only partly supported for want of a trusted judge would be so in any words.
            let mut checks = ledger.checks_of(claim.id).map(|check| check.opinion);
            let is_doubted = checks.any(|opinion| speaks_against(opinion) || opinion == Opinion::Doubts);
            // Claims that say otherwise refute a conclusion; one that only does not follow stays, and is marked.
            let says_otherwise = |check: &Check| check.opinion == Opinion::Contradicts;
            let is_refuted =
                claim.kind == ClaimKind::Inference && ledger.checks_of(claim.id).any(says_otherwise);
            let standing = match standing {
                SentenceStanding::Partly if !is_doubted => SentenceStanding::Unknown,
                SentenceStanding::Absent if is_refuted => SentenceStanding::Contradicted,
                standing => standing,
            };
            Some((normalized(&claim.words), standing))
        });
        Self { claims: claims.collect() }
    }

    /// The worst that is said of a sentence or of a part of it; none where it is not among the claims.
    fn standing(&self, text: &str) -> Option<SentenceStanding> {
        let key = normalized(text);
        let holds =
            |whole: &str, part: &str| part.split(' ').count() >= TELLING_WORDS_MIN && whole.contains(part);
        let worst = |is_it: &dyn Fn(&str) -> bool| {
            let found = self.claims.iter().filter(|(claim, _)| is_it(claim.as_str()));
            found.map(|(_, standing)| *standing).min()
        };
        // The same words say more than words that are part of others.
        let exact = worst(&|claim: &str| claim == key);
        exact.or_else(|| worst(&|claim: &str| holds(&key, claim) || holds(claim, &key)))
    }
}

fn standing(verdict: &Verdict) -> Option<SentenceStanding> {
    Some(match verdict {
        Verdict::Supported | Verdict::Follows => SentenceStanding::Supported,
        Verdict::Quoted => SentenceStanding::Quoted,
        Verdict::Partly | Verdict::Qualified => SentenceStanding::Partly,
        Verdict::Contradicted => SentenceStanding::Contradicted,
        Verdict::NotInSource | Verdict::DoesNotFollow => SentenceStanding::Absent,
        Verdict::CheckFailed { .. } => SentenceStanding::Unknown,
        Verdict::NotChecked { why } => match why {
            NotCheckedReason::OwnWords | NotCheckedReason::Question => return None,
            NotCheckedReason::Uncited => SentenceStanding::Absent,
            NotCheckedReason::Unreachable
            | NotCheckedReason::Limit
            | NotCheckedReason::NoJudge
            | NotCheckedReason::Budget
            | NotCheckedReason::Deadline
            | NotCheckedReason::NotComputable => SentenceStanding::Unknown,
        },
    })
}

#[cfg(test)]
mod tests;
