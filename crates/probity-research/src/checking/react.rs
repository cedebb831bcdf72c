//! What a finding means in checking: the bytes to keep and the event to append.

use std::time::Duration;

use super::{
    CheckPlan, Checking, judge,
    task::{CheckBrought, CheckFinding, CheckOutcome, CheckTask},
};
use crate::{
    attention::Attention,
    error::{Code, Problem},
    event::Event,
    ledger::Ledger,
    react::Reaction,
    report::Report,
    web::{
        react::{PageFor, PageToKeep},
        task::BroughtPage,
    },
};

/// Longest wait before a second try: the research has a deadline of its own.
const PAUSE_MAX: Duration = Duration::from_secs(20);

pub fn react(
    plan: &CheckPlan,
    checking: &Checking,
    attention: &mut Attention,
    finding: CheckFinding,
) -> Reaction {
    let CheckFinding { task, brought, bill } = finding;
    let outcome = match brought {
        CheckBrought::Page(page) if page.extract.text.trim().is_empty() => {
            let problem = Problem::new(Code::PageUnreadable, "the page has no readable text");
            CheckOutcome::Failed { problem }
        }
        CheckBrought::Page(page) => {
            let BroughtPage { record, snapshot, extract } = *page;
            let of = PageFor::Check(task);
            return Reaction::KeepPage(Box::new(PageToKeep { of, bill, record, snapshot, extract }));
        }
        CheckBrought::Examined(draft) => return Reaction::KeepDraft(draft),
        CheckBrought::Judged(replies) => {
            let Some(judge) = &plan.judge else { return Reaction::Nothing };
            let ledger = draft(checking, attention).unwrap_or_default();
            let CheckTask::Judge { claims } = &task else { return Reaction::Nothing };
            let answer = |reply: &super::task::JudgeReply| {
                // Only what was asked is heard, each question once.
                claims.contains(&reply.claim).then_some(())?;
                let question = ledger.questions.iter().find(|question| question.claim == reply.claim)?;
                Some(judge::answer(judge, &judge::item(&ledger, question)?, reply))
            };
            let mut answers: Vec<super::task::Answer> = Vec::new();
            for answer in replies.iter().filter_map(answer) {
                if !answers.iter().any(|known| known.claim == answer.claim) {
                    answers.push(answer);
                }
            }
            CheckOutcome::Judged { answers }
        }
        CheckBrought::Failed(problem) => {
            if let (Some(wait), CheckTask::Judge { .. }) = (problem.wait_before_retry(), &task) {
                attention.pause = Some(attention.pause.unwrap_or_default().max(wait.min(PAUSE_MAX)));
            }
            CheckOutcome::Failed { problem }
        }
    };
    Reaction::Append(Event::CheckDone { task, outcome, bill })
}

/// The ledger as the rules began it.
pub fn draft(checking: &Checking, attention: &Attention) -> Option<Ledger> {
    let report = Report::decode(attention.blob(checking.draft?)?).ok()?;
    report.ledger.map(|ledger| *ledger)
}
