//! The state of a run, rebuilt from its journal. `apply` is the only way it changes.

mod steering;

use crate::{
    approval::{Approval, ApprovalChannel},
    checking::CheckState,
    cost::{Cost, MicroUsd},
    error::{Code, CodedError},
    event::{Event, RunEnding, StoredEvent},
    id::{Digest, RunId, Sequence},
    plan::Plan,
    progress::Progress,
    query::Query,
    rounds::{
        RoundsState, VerificationMode,
        state::{AnswerFacts, CheckedAnswer},
    },
    spending::highest_price,
    stop::{CancelReason, PartialResults, RunStop},
    time::Moment,
    web::state::WebState,
};

#[derive(Debug, Clone, PartialEq)]
pub struct RunState {
    pub id: RunId,
    pub query: Query,
    pub plan: Plan,
    pub phase: RunPhase,
    pub sequence: Sequence,
    pub asked_at: Moment,
    pub updated_at: Moment,
    pub attended_ms: u64,
    /// The provider's id, once known; it stays known after the end.
    pub remote_id: Option<String>,
    pub cursor: Option<String>,
    pub progress: Progress,
    pub partial_report: Option<Digest>,
    /// How many sources it lists.
    pub partial_sources: u32,
    pub cancel: Option<CancelCommand>,
    /// Why nothing is known of the remote run now, if its last poll failed.
    pub failed_look: Option<FailedLook>,
    /// Attended time at which the provider's id was recorded.
    pub started_attended_ms: Option<u64>,
    /// The state of a run in rounds.
    pub rounds_state: Option<Box<RoundsState>>,
    /// The state of a run on the web engine.
    pub web_state: Option<Box<WebState>>,
    /// The state of checking its texts.
    pub check_state: Option<Box<CheckState>>,
    /// The run was moved to another store.
    pub moved_away: bool,
    /// The most that it may cost; grows only when somebody allows more.
    pub reserved: MicroUsd,
    /// It was started again although an earlier start may have been billed.
    pub paid_again: bool,
    /// Its caller got its id instead of its end.
    pub handed_over: bool,
    /// Where it goes on if the user accepts to pay again for a course of several calls: a restored copy does not know
    /// which of them were made since.
    pub interrupted_in: Option<Box<RunPhase>>,
    /// How it had ended before somebody had it polled once more.
    pub ended_before: Option<Box<EndedBefore>>,
}

/// An end that stays the end unless another look brings more.
#[derive(Debug, Clone, PartialEq)]
pub struct EndedBefore {
    pub ending: RunEnding,
    pub cancel: Option<CancelCommand>,
}

impl EndedBefore {
    /// Whether an end after it replaces it: a report in full, or a cancel by the user.
    fn is_replaced_by(&self, stop: RunStop, cancel: Option<&CancelCommand>) -> bool {
        stop == RunStop::Completed || cancel.is_some_and(|command| command.reason == CancelReason::User)
    }

    /// The same end with what the later look brought.
    fn with(self, later: RunEnding) -> RunEnding {
        let known = self.ending;
        RunEnding {
            report: later.report.or(known.report),
            raw: later.raw.or(known.raw),
            usage: later.usage.or(known.usage),
            cost: if later.cost == Cost::Unknown { known.cost } else { later.cost },
            sources: later.sources.max(known.sources),
            report_bytes_sent: later.report_bytes_sent.or(known.report_bytes_sent),
            ..known
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct CancelCommand {
    pub reason: CancelReason,
    pub partial: PartialResults,
    pub answer: CancelAnswer,
    /// What drivers had attended to the run when the answer came; `None` before.
    pub answered_attended_ms: Option<u64>,
    /// Looks for final results since then from which nothing was learned.
    pub failed_looks: u32,
}

/// A poll from which nothing was learned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedLook {
    pub problem: CodedError,
    /// The largest or last answer that could not be read since one could be.
    pub raw: Option<Digest>,
    pub raw_bytes: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CancelAnswer {
    NotAsked,
    Accepted,
    Refused(CodedError),
}

#[derive(Debug, Clone, PartialEq)]
pub enum RunPhase {
    /// On disk, nothing paid yet.
    Asked,
    /// The paid call may be under way.
    Intended {
        attempt: u32,
    },
    Refused {
        attempt: u32,
        problem: CodedError,
    },
    /// It is unknown whether the paid call was accepted. At rest until the user decides.
    Uncertain {
        attempt: u32,
        problem: CodedError,
    },
    Running,
    /// The text is complete; its claims are being checked. The ending, but for the checks.
    Gathered(Box<RunEnding>),
    Ended(RunEnding),
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReplayError {
    #[error("the journal is empty")]
    Empty,
    #[error("the journal does not start with the question")]
    NoQuestion,
    #[error("event {found:?} follows event {after:?}")]
    Gap { after: Sequence, found: Sequence },
    #[error("event {0:?} does not fit the state before it")]
    DoesNotFit(Sequence),
}

impl ReplayError {
    pub fn code(&self) -> Code {
        Code::StoreCorrupt
    }
}

impl RunState {
    /// State after these events. A gap or an event out of place is damage, never skipped.
    pub fn replay(id: RunId, journal: &[StoredEvent]) -> Result<Self, ReplayError> {
        let (first, rest) = journal.split_first().ok_or(ReplayError::Empty)?;
        let mut research = Self::asked(id, first).ok_or(ReplayError::NoQuestion)?;
        for recorded in rest {
            research.apply(recorded)?;
        }
        Ok(research)
    }

    fn asked(id: RunId, first: &StoredEvent) -> Option<Self> {
        let Event::Asked { query, plan } = &first.event else { return None };
        (first.sequence == Sequence(1)).then(|| Self {
            id,
            query: query.clone(),
            plan: plan.clone(),
            phase: match plan.given {
                None => RunPhase::Asked,
                Some(text) => RunPhase::Gathered(Box::new(RunEnding::of_given(text, first.at))),
            },
            sequence: first.sequence,
            asked_at: first.at,
            updated_at: first.at,
            attended_ms: first.attended_ms,
            remote_id: None,
            cursor: None,
            progress: Progress::default(),
            partial_report: None,
            partial_sources: 0,
            cancel: None,
            failed_look: None,
            started_attended_ms: None,
            rounds_state: plan.rounds.as_ref().filter(|_| plan.web.is_none()).map(|rounds| {
                let checks = plan.checks.is_some();
                let ledger_decides = checks && rounds.verification == VerificationMode::Evidence;
                let asks_model_from = rounds.asks_model_from();
                Box::new(RoundsState { checks, ledger_decides, asks_model_from, ..RoundsState::default() })
            }),
            web_state: plan.web.as_ref().map(|web| Box::new(WebState::begin(web, query.as_str()))),
            check_state: plan.checks.as_ref().map(|_| Box::default()),
            moved_away: false,
            reserved: highest_price(plan),
            paid_again: false,
            handed_over: plan.handed_over,
            interrupted_in: None,
            ended_before: None,
        })
    }

    /// State after one more event.
    pub fn apply(&mut self, recorded: &StoredEvent) -> Result<(), ReplayError> {
        if recorded.sequence != self.sequence.next() {
            return Err(ReplayError::Gap { after: self.sequence, found: recorded.sequence });
        }
        let misfit = ReplayError::DoesNotFit(recorded.sequence);
        match &recorded.event {
            Event::Asked { .. } => return Err(misfit),
            Event::CreateIntended { attempt } => self.phase = RunPhase::Intended { attempt: *attempt },
            Event::CreateRefused { attempt, problem } => {
                self.phase = RunPhase::Refused { attempt: *attempt, problem: problem.clone() };
            }
            Event::CreateUncertain { attempt, problem } => {
                let uncertain = RunPhase::Uncertain { attempt: *attempt, problem: problem.clone() };
                let before = std::mem::replace(&mut self.phase, uncertain);
                let has_course = self.rounds_state.is_some() || self.web_state.is_some();
                let keeps = has_course || matches!(before, RunPhase::Gathered(_));
                self.interrupted_in = keeps.then(|| Box::new(before));
            }
            Event::PayAgainAccepted => self.pay_again(misfit)?,
            Event::RemoteStarted { remote_id, cursor, .. } => {
                self.phase = RunPhase::Running;
                self.remote_id = Some(remote_id.clone());
                self.cursor.clone_from(cursor);
                self.started_attended_ms = Some(recorded.attended_ms);
            }
            Event::Observed { progress, cursor } => {
                self.progress.advance(progress);
                if let Some(course) = &mut self.rounds_state {
                    course.note_searches(progress);
                }
                self.cursor = cursor.clone().or(self.cursor.take());
                self.failed_look = None;
            }
            Event::LookFailed { problem, raw, raw_bytes } => {
                if let Some(command) =
                    self.cancel.as_mut().filter(|command| command.answered_attended_ms.is_some())
                {
                    command.failed_looks = command.failed_looks.saturating_add(1);
                }
                let before = self.failed_look.take().and_then(|look| Some((look.raw?, look.raw_bytes)));
                let kept = raw.map(|raw| (raw, *raw_bytes)).or(before);
                self.failed_look = Some(FailedLook {
                    problem: problem.clone(),
                    raw: kept.map(|(raw, _)| raw),
                    raw_bytes: kept.map_or(0, |(_, bytes)| bytes),
                });
            }
            Event::PartialKept { report, sources } => {
                self.partial_report = Some(*report);
                self.partial_sources = *sources;
            }
            Event::CancelRequested { reason, partial } => {
                self.cancel = Some(CancelCommand {
                    reason: *reason,
                    partial: *partial,
                    answer: CancelAnswer::NotAsked,
                    answered_attended_ms: None,
                    failed_looks: 0,
                });
            }
            Event::CancelAnswered { refusal } => {
                let command = self.cancel.as_mut().ok_or(misfit)?;
                command.answer = refusal.clone().map_or(CancelAnswer::Accepted, CancelAnswer::Refused);
                command.answered_attended_ms = Some(recorded.attended_ms);
            }
            Event::Ended { .. } => self.end(recorded),
            Event::Reopened => self.reopen(misfit)?,
            Event::RoundAnswered { answer, facts, billed, raw } => {
                self.rounds_state.as_mut().ok_or(misfit)?.apply_answer(*answer, facts, *billed);
                self.round_over(*raw, Some(facts));
            }
            Event::RoundStumbled { problem, kept, billed, raw, model, work } => {
                let course = self.rounds_state.as_mut().ok_or(misfit)?;
                course.note_unanswered(work, &self.progress);
                course.apply_failure(problem, *kept, *billed, model.as_deref());
                self.round_over(*raw, None);
            }
            Event::GatherIntended { .. } | Event::GatherDone { .. } | Event::GatherStopped { .. } => {
                self.gather(&recorded.event, misfit)?;
            }
            Event::Gathered(ending) => {
                if let Some(progress) = &ending.progress {
                    self.progress.advance(progress);
                }
                self.progress.report_bytes_sent = ending.report_bytes_sent;
                self.failed_look = None;
                self.phase = RunPhase::Gathered(ending.clone());
            }
            Event::CheckBegun { .. }
            | Event::CheckIntended { .. }
            | Event::CheckDone { .. }
            | Event::Patched { .. }
            | Event::Checked { .. } => self.check(&recorded.event, misfit)?,
            Event::HandedOver => self.handed_over = true,
            Event::Steered { note } => self.steer(note, misfit)?,
            Event::Left if self.can_move() => self.moved_away = true,
            Event::Arrived if self.moved_away => self.moved_away = false,
            Event::BudgetRaised { to } if self.can_raise_budget(*to) => {
                self.plan.limits.budget = Some(*to);
                self.reserved = self.reserved.max(*to);
                self.plan.approval = Some(Approval::new(ApprovalChannel::Flag, Some(*to)));
            }
            Event::Left | Event::Arrived | Event::BudgetRaised { .. } => return Err(misfit),
        }
        self.sequence = recorded.sequence;
        self.updated_at = recorded.at;
        self.attended_ms = self.attended_ms.max(recorded.attended_ms);
        Ok(())
    }

    /// Whether the run can be moved to another store now: not while a paid call may be under way, and not
    /// after its end.
    pub fn can_move(&self) -> bool {
        let intended = matches!(self.phase, RunPhase::Intended { .. });
        let gathering = self.web_state.as_ref().is_some_and(|gathering| !gathering.open.is_empty());
        let checking = self.check_state.as_ref().is_some_and(|checking| !checking.open.is_empty());
        self.is_due() && !intended && !gathering && !checking
    }

    /// Whether the run can get this budget: more than before, and while there is something left to spend it
    /// on. A run without a budget has no need of one.
    pub fn can_raise_budget(&self, to: MicroUsd) -> bool {
        self.is_due() && self.budget().is_some_and(|budget| to > budget)
    }

    /// Whether a driver has something to do.
    pub fn is_due(&self) -> bool {
        if self.moved_away {
            return false;
        }
        match self.phase {
            RunPhase::Asked
            | RunPhase::Intended { .. }
            | RunPhase::Refused { .. }
            | RunPhase::Running
            | RunPhase::Gathered(_) => true,
            RunPhase::Uncertain { .. } => self.cancel.is_some(),
            RunPhase::Ended(_) => false,
        }
    }

    /// What a copy of this journal has to add when it is put in place of a newer one that was lost: the newer one may
    /// have had paid calls which the copy knows nothing of. `None` where nothing can be paid twice: an agent whose id
    /// is known is only followed.
    pub fn event_after_loss(&self) -> Option<Event> {
        let attempt = match &self.phase {
            RunPhase::Ended(_) | RunPhase::Uncertain { .. } => return None,
            RunPhase::Intended { attempt } | RunPhase::Refused { attempt, .. } => *attempt,
            RunPhase::Asked | RunPhase::Running | RunPhase::Gathered(_) => 1,
        };
        let is_followed = self.remote_id.is_some() && self.rounds_state.is_none();
        // Without an estimate nobody knows that it is free.
        let is_free = self.plan.estimate.is_some() && self.reserved == MicroUsd(0);
        if is_followed || is_free || self.moved_away {
            return None;
        }
        let problem = CodedError::new(
            Code::CreateUncertain,
            "an older copy of the database was restored: whether this was sent and paid for since that copy is not known",
        );
        Some(Event::CreateUncertain { attempt, problem })
    }

    /// Whether a start that was refused is sent once more: where that may help, or the user accepted to pay again.
    pub fn is_tried_again(&self, attempt: u32, problem: &CodedError) -> bool {
        let retryable = problem.wait_before_retry().is_some();
        problem.code == Code::CreateUncertain || (retryable && attempt < self.plan.limits.create_attempts_max)
    }

    pub fn ending(&self) -> Option<&RunEnding> {
        match &self.phase {
            RunPhase::Ended(ending) => Some(ending),
            RunPhase::Asked
            | RunPhase::Intended { .. }
            | RunPhase::Refused { .. }
            | RunPhase::Uncertain { .. }
            | RunPhase::Running
            | RunPhase::Gathered(_) => None,
        }
    }

    /// The report to show: the final one, or the partial one.
    pub fn report(&self) -> Option<Digest> {
        match &self.phase {
            RunPhase::Gathered(ending) => ending.report.or(self.partial_report),
            RunPhase::Ended(ending) => ending.report.or(self.partial_report.filter(|_| !self.drops_text())),
            RunPhase::Asked
            | RunPhase::Intended { .. }
            | RunPhase::Refused { .. }
            | RunPhase::Uncertain { .. }
            | RunPhase::Running => self.partial_report,
        }
    }

    /// How many sources the report to show lists.
    pub fn sources(&self) -> u32 {
        let (report, counted) = match &self.phase {
            RunPhase::Gathered(ending) => (ending.report, ending.sources),
            RunPhase::Ended(ending) => (ending.report, ending.sources),
            RunPhase::Asked
            | RunPhase::Intended { .. }
            | RunPhase::Refused { .. }
            | RunPhase::Uncertain { .. }
            | RunPhase::Running => (None, 0),
        };
        match (report, self.report()) {
            (None, Some(_)) => self.partial_sources,
            (Some(_), _) | (None, None) => counted,
        }
    }

    /// Whether the user wanted no text kept of what was there when it was cancelled.
    fn drops_text(&self) -> bool {
        self.cancel.as_ref().is_some_and(|command| command.partial == PartialResults::Drop)
    }

    /// The most that the run may cost, where there is a limit.
    pub fn budget(&self) -> Option<MicroUsd> {
        match &self.plan.web {
            Some(web) => Some(web.budget(&self.plan.limits)),
            None => self.plan.limits.budget,
        }
    }

    /// What is known to have been spent on gathering.
    pub fn spent_before_checks(&self) -> MicroUsd {
        let cost = match (&self.phase, &self.plan.rounds, &self.rounds_state) {
            (RunPhase::Gathered(ending), _, _) => ending.cost,
            (_, Some(plan), Some(course)) => course.cost(plan, &self.updated_at.date()),
            (_, None, _) | (_, _, None) => Cost::Nothing,
        };
        cost.known().unwrap_or_default()
    }

    fn check(&mut self, event: &Event, misfit: ReplayError) -> Result<(), ReplayError> {
        let checking = self.check_state.as_mut().ok_or_else(|| misfit.clone())?;
        match event {
            Event::CheckBegun { subject } => checking.begin(*subject),
            Event::CheckIntended { tasks } => checking.intend(tasks),
            Event::CheckDone { task, outcome, bill } => checking.apply_outcome(task, outcome, bill),
            Event::Patched { subject, patches } => checking.patch(*subject, patches),
            Event::Checked { subject, report, standing } => {
                let course = self.rounds_state.as_mut().ok_or(misfit)?;
                course.apply_check(*subject, CheckedAnswer { report: *report, standing: *standing });
                self.partial_report = Some(*report);
            }
            _ => return Err(misfit),
        }
        Ok(())
    }

    /// The call of a round is over: nothing is under way until the next one is intended.
    fn round_over(&mut self, raw: Option<Digest>, facts: Option<&AnswerFacts>) {
        self.phase = RunPhase::Asked;
        self.remote_id = None;
        self.cursor = None;
        self.failed_look = None;
        self.started_attended_ms = None;
        let counted = std::mem::take(&mut self.progress);
        if let Some(course) = &mut self.rounds_state {
            if let Some(facts) = facts {
                course.before.add_answer(&counted, facts);
            }
            course.last_raw = raw.or(course.last_raw);
            self.partial_report = course.best().map(|best| best.answer);
            self.partial_sources = course.best().map_or(0, |best| best.facts.sources);
        }
    }

    fn gather(&mut self, event: &Event, misfit: ReplayError) -> Result<(), ReplayError> {
        let (Some(plan), Some(gathering)) = (&self.plan.web, &mut self.web_state) else { return Err(misfit) };
        match event {
            Event::GatherIntended { tasks } => gathering.intend(tasks),
            Event::GatherDone { task, outcome, bill } => {
                gathering.apply_outcome(plan, self.query.as_str(), *task, outcome, bill);
            }
            Event::GatherStopped { why } => gathering.stop_now(plan, self.query.as_str(), *why),
            _ => return Err(misfit),
        }
        self.progress.advance(&gathering.progress());
        Ok(())
    }

    fn pay_again(&mut self, misfit: ReplayError) -> Result<(), ReplayError> {
        let RunPhase::Uncertain { attempt, problem } = &self.phase else { return Err(misfit) };
        self.phase = match self.interrupted_in.take() {
            Some(before) => *before,
            None => RunPhase::Refused { attempt: *attempt, problem: problem.clone() },
        };
        self.cancel = None;
        // What the uncertain start may have cost is not set free, and stays a part of the bill that nobody counted.
        self.reserved = self.reserved.plus(highest_price(&self.plan));
        self.paid_again = true;
        self.plan.approval = Some(Approval::new(ApprovalChannel::Flag, Some(self.reserved)));
        Ok(())
    }

    fn reopen(&mut self, misfit: ReplayError) -> Result<(), ReplayError> {
        let Some(ending) = self.ending().filter(|_| self.remote_id.is_some()).cloned() else {
            return Err(misfit);
        };
        self.ended_before = Some(Box::new(EndedBefore { ending, cancel: self.cancel.take() }));
        self.phase = RunPhase::Running;
        self.failed_look = None;
        Ok(())
    }

    fn end(&mut self, recorded: &StoredEvent) {
        if let Event::Ended { stop, report, raw, usage, cost, problem, sources, progress } = &recorded.event {
            if let Some(progress) = progress {
                self.progress.advance(progress);
            }
            let ending = RunEnding {
                stop: *stop,
                at: recorded.at,
                report: *report,
                raw: *raw,
                usage: *usage,
                cost: if self.paid_again { cost.at_least() } else { *cost },
                problem: problem.clone(),
                sources: *sources,
                report_bytes_sent: self.progress.report_bytes_sent,
                progress: None,
            };
            let before =
                self.ended_before.take().filter(|before| !before.is_replaced_by(*stop, self.cancel.as_ref()));
            self.phase = RunPhase::Ended(match before {
                Some(before) => {
                    self.cancel.clone_from(&before.cancel);
                    before.with(ending)
                }
                None => ending,
            });
        }
    }

    /// When the run ended, if this end is appended: one that was polled once more in vain has ended before.
    pub fn end_moment(&self, stop: RunStop, at: Moment) -> Moment {
        let before =
            self.ended_before.as_ref().filter(|before| !before.is_replaced_by(stop, self.cancel.as_ref()));
        before.map_or(at, |before| before.ending.at)
    }

    /// Whether another look at an ended run can bring more: not once the provider has said its last word on it.
    pub fn may_bring_more(&self) -> bool {
        let Some(ending) = self.ending().filter(|_| self.remote_id.is_some()) else { return false };
        let accepted = self.cancel.as_ref().is_none_or(|command| command.answer == CancelAnswer::Accepted);
        let has_last_word = match ending.stop {
            RunStop::Completed | RunStop::Incomplete => true,
            RunStop::Failed => {
                ending.problem.as_ref().is_some_and(|problem| problem.code == Code::ProviderFailed)
            }
            // With the provider's last answer, or without any command of ours: it was cancelled there.
            RunStop::Cancelled | RunStop::TimedOut | RunStop::OverBudget => accepted && ending.raw.is_some(),
            RunStop::Expired => false,
        };
        !has_last_word
    }
}

#[cfg(test)]
mod tests;
