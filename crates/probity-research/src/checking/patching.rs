//! Between two checks of a report that our own web engine wrote: which of its sentences are changed, and the text composed
//! again. Only sentences of its own inquiry are touched, never a text of somebody else; what is changed is decided in
//! `inquiry::patch`.

use super::CheckState;
use crate::{
    id::Digest,
    inquiry::{InquiryState, patch, patched::SentencePatch},
    instruction::RunFinish,
    report::Report,
    state::{RunPhase, RunState},
    web::{conclude, record::WebStop},
};

/// The changes that a checked text still needs: once those of the check, and once what the second check says of them.
pub fn due(research: &RunState, checking: &CheckState, checked: &Report) -> Option<Vec<SentencePatch>> {
    let inquiry = patchable(research)?;
    let ledger = checked.ledger.as_deref()?;
    match checking.patch_rounds.as_slice() {
        [] => Some(patch::propose(inquiry, ledger)).filter(|patches| !patches.is_empty()),
        [first] => patch::revise(inquiry, ledger, &first.patches),
        [_, _, ..] => None,
    }
}

/// The text with the changes that are recorded for it, to be stored and checked; none where there are none.
pub fn composed(research: &RunState, checking: &CheckState, subject: Digest) -> Option<RunFinish> {
    let round = checking.patch_rounds.last().filter(|round| round.subject == subject)?;
    let inquiry = patchable(research)?;
    let plan = research.plan.web.as_deref()?;
    let mut gathering = research.web_state.as_deref()?.clone();
    gathering.inquiry = Some(Box::new(patch::apply(inquiry, &round.patches)));
    let stop = gathering.stop.unwrap_or(WebStop::Limit);
    Some(conclude::conclude(research, plan, &gathering, stop))
}

/// The inquiry behind a gathered text, if a model wrote it under rules that look its sentences up.
fn patchable(research: &RunState) -> Option<&InquiryState> {
    let is_gathered = match &research.phase {
        RunPhase::Gathered(_) => true,
        RunPhase::Asked
        | RunPhase::Intended { .. }
        | RunPhase::Refused { .. }
        | RunPhase::Uncertain { .. }
        | RunPhase::Running
        | RunPhase::Ended(_) => false,
    };
    let inquiry = research.web_state.as_deref()?.inquiry.as_deref()?;
    (is_gathered && inquiry.plan.looks_up_sentences() && inquiry.is_written()).then_some(inquiry)
}
