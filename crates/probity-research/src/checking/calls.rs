//! Which claims of a text go together to a judge.

use std::collections::BTreeMap;

use super::plan::{CLAIMS_PER_CALL, JudgePlan};
use crate::ledger::{ClaimId, JudgeQuestion, Ledger, Passage};

/// Claims of one call where each is shown with little more than the quotation it was written from. Instructions and known
/// claims, which every call has, are then paid for half as often.
const SHORT_CLAIMS_PER_CALL: usize = 16;
/// Bytes of the passages of such a call, with what stands around them: no more than eight claims have that are shown with a
/// short page each.
const SHORT_CALL_BYTES: usize = 8_000;

/// The claims of each call, in their order. The same for the same text: whether some were answered before changes nothing.
pub fn of<'c>(judge: &JudgePlan, ledger: &Ledger, claims: &'c [ClaimId]) -> Vec<&'c [ClaimId]> {
    // What a report of ours was written from is known; a model on this machine takes minutes for eight claims already.
    let is_own = ledger.sources.iter().any(|source| !source.quoted.is_empty());
    if judge.local || !is_own {
        return claims.chunks(CLAIMS_PER_CALL).collect();
    }
    let bytes: BTreeMap<ClaimId, usize> =
        ledger.questions.iter().map(|question| (question.claim, shown_bytes(ledger, question))).collect();
    let mut calls = Vec::new();
    let mut rest = claims;
    while !rest.is_empty() {
        let mut shown = 0_usize;
        let is_short = |claim: &&ClaimId| {
            shown += bytes.get(*claim).copied().unwrap_or(0);
            shown <= SHORT_CALL_BYTES
        };
        let short = rest.iter().take(SHORT_CLAIMS_PER_CALL).take_while(is_short).count();
        let length = short.max(CLAIMS_PER_CALL).min(rest.len());
        let Some((call, behind)) = rest.split_at_checked(length) else { break };
        calls.push(call);
        rest = behind;
    }
    calls
}

/// What a judge reads of the pages beside one claim.
fn shown_bytes(ledger: &Ledger, question: &JudgeQuestion) -> usize {
    let passages = question.passages.iter().filter_map(|place| usize::try_from(*place).ok());
    passages.filter_map(|place| ledger.passages.get(place)).map(passage_bytes).sum()
}

fn passage_bytes(passage: &Passage) -> usize {
    let context = &passage.context;
    // A heading that is the title is told with it.
    let heading = if context.title.starts_with(&context.heading) { 0 } else { context.heading.len() };
    let around = [&context.title, &context.columns, &context.before, &context.after];
    passage.text.len() + heading + around.iter().map(|text| text.len()).sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::{JudgePlan, of};
    use crate::{
        checking::plan::ExamRule,
        cost::MicroUsd,
        ledger::{ClaimId, JudgeQuestion, Ledger, LedgerSource, Passage, PassageContext, SourceState},
    };

    fn judge(local: bool) -> JudgePlan {
        JudgePlan {
            name: "m".to_owned(),
            version: "1".to_owned(),
            local,
            price: MicroUsd(10),
            wrote_it: false,
            endpoint: String::new(),
            exam: ExamRule::Required,
        }
    }

    /// Forty claims, each with a passage of this length; the source was quoted for the report or not.
    fn sizes(bytes: usize, quoted: bool, local: bool) -> Vec<usize> {
        let claims: Vec<ClaimId> = (0..40).map(ClaimId::at).collect();
        let passage = Passage {
            source: 0,
            start: 0,
            end: bytes,
            text: "a".repeat(bytes),
            context: PassageContext::default(),
        };
        let question =
            |claim: &ClaimId| JudgeQuestion { claim: *claim, passages: vec![0], witnesses: Vec::new() };
        let ledger = Ledger {
            sources: vec![LedgerSource {
                url: "https://a.example".to_owned(),
                title: String::new(),
                state: SourceState::unreachable("not needed here"),
                origin: 0,
                quoted: if quoted { vec![(0, bytes)] } else { Vec::new() },
            }],
            passages: vec![passage],
            questions: claims.iter().map(question).collect(),
            ..Ledger::default()
        };
        of(&judge(local), &ledger, &claims).iter().map(|call| call.len()).collect()
    }

    #[test]
    fn short_claims_of_our_own_report_share_a_call_and_no_others() {
        assert_eq!(sizes(200, true, false), [16, 16, 8]);
        assert_eq!(sizes(640, true, false), [12, 12, 12, 4]);
        // Long passages, a stranger's text, and a model on this machine.
        for eights in [sizes(2_000, true, false), sizes(200, false, false), sizes(200, true, true)] {
            assert_eq!(eights, [8; 5]);
        }
    }
}
