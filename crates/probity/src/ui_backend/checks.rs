//! Checks that are started from the page: of a text, of an address, and of a report whose pages are read again.

use probity_evidence::verdict_changes::{VerdictChange, verdict_changes};
use probity_page::backend::{ChangedVerdict, CheckSubject, PlanProposal, UiCheck};
use probity_research::{
    CodedError, RunId,
    approval::{Approval, ApprovalChannel},
    plan::Plan,
    report::Report,
    spending::{self, RepeatRule},
};

use super::{LocalUiBackend, problem};
use crate::{
    checks::{self, CheckInput},
    command_error::without_report,
    input_text,
    settings::{Settings, checks::JudgeChoice},
};

impl LocalUiBackend {
    pub(super) async fn propose_check(&self, wanted: UiCheck) -> Result<PlanProposal, CodedError> {
        let given = self.check_input(&wanted.subject).await?;
        let plan = self.check_plan(&wanted, &given)?;
        let judges = [plan.checks.as_deref().and_then(|checks| checks.judge.as_ref())];
        let by = judges.into_iter().flatten().map(|judge| judge.name.as_str()).next();
        Ok(PlanProposal {
            plan: match by {
                Some(judge) => format!("the cited pages are read, then {judge} judges each claim"),
                None => "the cited pages are read, then rules compare; nobody else is asked".to_owned(),
            },
            cut: None,
            estimate: plan.estimate,
            budget: plan.limits.budget,
        })
    }

    /// The form shows the price before it can be sent, if there is one.
    pub(super) async fn start_check(&self, wanted: UiCheck) -> Result<RunId, CodedError> {
        let given = self.check_input(&wanted.subject).await?;
        let plan = self.check_plan(&wanted, &given)?;
        let up_to = plan.limits.budget.unwrap_or_else(|| spending::highest_price(&plan));
        let approval = Some(Approval::new(ApprovalChannel::Page, Some(up_to)));
        let plan = Plan { approval, handed_over: true, ..plan };
        let started = Box::pin(checks::start(&self.app, &given, plan, RepeatRule::ReturnRunning)).await?;
        Ok(started.summary.id)
    }

    fn check_plan(&self, wanted: &UiCheck, given: &CheckInput) -> Result<Plan, CodedError> {
        let mut settings = self.settings.clone();
        if wanted.by_rules_only {
            settings.checks.judge = JudgeChoice::None;
        }
        let settings = Settings { budget: wanted.budget.or(settings.budget), ..settings };
        checks::plan(&settings, &self.app.keys, given)
    }

    async fn check_input(&self, subject: &CheckSubject) -> Result<CheckInput, CodedError> {
        let of_text = |text: String, ledger, title| CheckInput {
            report: Report { text, ledger, ..Report::default() },
            title,
            follows: None,
            asked_by: None,
        };
        match subject {
            CheckSubject::Text(text) => Ok(of_text(probity_research::text::block(text), None, None)),
            CheckSubject::Address(address) => {
                let read = Box::pin(input_text::read(&self.settings, address)).await.map_err(problem)?;
                let ledger = checks::ledger_of_unread(read.unread.into_iter().collect(), read.skipped);
                Ok(of_text(read.text, ledger, Some(address.clone())))
            }
            CheckSubject::Report(id) => {
                let summary = self.app.store.status(*id)?;
                let old = self.app.report(&summary).await.map_err(problem)?;
                let old = old.filter(|_| summary.status.is_final());
                old.map(|old| checks::again(&summary, old)).ok_or_else(|| problem(without_report(&summary)))
            }
        }
    }

    pub(super) async fn changed_verdicts(
        &self,
        id: RunId,
    ) -> Result<Option<Vec<ChangedVerdict>>, CodedError> {
        let now = self.app.store.status(id)?;
        let Some(before) = now.follows.filter(|_| now.given) else { return Ok(None) };
        // Removed meanwhile: then there is nothing to compare with.
        let Ok(before) = self.app.store.status(before) else { return Ok(None) };
        let ledger = |report: Option<Report>| report.and_then(|report| report.ledger);
        let before = ledger(self.app.report(&before).await.map_err(problem)?);
        let now = ledger(self.app.report(&now).await.map_err(problem)?);
        let (Some(before), Some(now)) = (before, now) else { return Ok(None) };
        Ok(Some(verdict_changes(&before, &now).into_iter().map(changed).collect()))
    }
}

fn changed(change: VerdictChange) -> ChangedVerdict {
    let VerdictChange { claim, words, before, now, worse: _, difference } = change;
    ChangedVerdict { claim: claim.to_string(), words, before, now, difference }
}
