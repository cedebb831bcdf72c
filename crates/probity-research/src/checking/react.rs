//! What an outcome means in checking: the bytes to store and the event to append.

use std::time::Duration;

use super::{
    CheckPlan, CheckState, judge,
    task::{CheckTaskOutcome, CheckTaskOutput, CheckTaskReply},
};
use crate::{
    driver_state::DriverState,
    error::{Code, CodedError},
    event::Event,
    instruction::Reaction,
    ledger::Ledger,
    report::Report,
    web::{
        page_to_store::{PagePurpose, PageToStore},
        task::FetchedPage,
    },
};

/// Longest wait before a retry: the run has a deadline of its own.
const PAUSE_MAX: Duration = Duration::from_secs(20);

pub fn react(
    plan: &CheckPlan,
    checking: &CheckState,
    attention: &mut DriverState,
    finding: CheckTaskReply,
) -> Reaction {
    let CheckTaskReply { task, output: brought, bill } = finding;
    let outcome = match brought {
        CheckTaskOutput::Page(page) if page.extract.text.trim().is_empty() => {
            let problem = CodedError::new(Code::PageUnreadable, "the page has no readable text");
            CheckTaskOutcome::Failed { problem }
        }
        CheckTaskOutput::Page(page) => {
            let FetchedPage { record, snapshot, extract } = *page;
            let of = PagePurpose::Check(task);
            return Reaction::KeepPage(Box::new(PageToStore { of, bill, record, snapshot, extract }));
        }
        CheckTaskOutput::Examined(draft) => return Reaction::KeepDraft(draft),
        CheckTaskOutput::Judged(replies) => {
            let seat = task.seat().0;
            let Some(judge) = plan.judge_at(seat) else { return Reaction::Nothing };
            let ledger = draft(checking, attention).unwrap_or_default();
            let asked = judge::asked(judge, checking.course(seat), &ledger, &task);
            let mut answers: Vec<super::task::JudgeAnswer> = Vec::new();
            for reply in &replies {
                // Only answers to questions that were asked count, each once.
                let item = asked.iter().find(|item| item.claim == reply.claim);
                let answer = item.map(|item| judge::answer(judge, item, reply));
                answers
                    .extend(answer.filter(|answer| !answers.iter().any(|known| known.claim == answer.claim)));
            }
            CheckTaskOutcome::Judged { answers }
        }
        CheckTaskOutput::Failed(problem) => {
            let asks_judge = plan.asked_by(&task).is_some();
            if let Some(wait) = problem.wait_before_retry().filter(|_| asks_judge) {
                attention.pause = Some(attention.pause.unwrap_or_default().max(wait.min(PAUSE_MAX)));
            }
            CheckTaskOutcome::Failed { problem }
        }
    };
    Reaction::Append(Event::CheckDone { task, outcome, bill })
}

/// The ledger as the rules began it.
pub fn draft(checking: &CheckState, attention: &DriverState) -> Option<Ledger> {
    let report = Report::decode(attention.blob(checking.draft?)?).ok()?;
    report.ledger.map(|ledger| *ledger)
}
