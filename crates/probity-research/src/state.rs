//! A research as its journal tells it. `apply` is the only way it changes.

use serde::{Deserialize, Serialize};

use crate::{
    checking::Checking,
    cost::{Cost, MicroUsd, Usage},
    error::{Code, Problem},
    event::{Event, Recorded},
    id::{Digest, ResearchId, Sequence},
    plan::Plan,
    progress::Progress,
    query::Query,
    rounds::{
        Course, Verification,
        course::{Checked, Facts},
    },
    stop::{CancelReason, Partial, Stop},
    time::Moment,
    web::gather::Gathering,
};

#[derive(Debug, Clone, PartialEq)]
pub struct Research {
    pub id: ResearchId,
    pub query: Query,
    pub plan: Plan,
    pub phase: Phase,
    pub sequence: Sequence,
    pub asked_at: Moment,
    pub updated_at: Moment,
    pub attended_ms: u64,
    /// The provider's id, once known; it stays known after the end.
    pub remote_id: Option<String>,
    pub cursor: Option<String>,
    pub progress: Progress,
    pub partial_report: Option<Digest>,
    pub cancel: Option<CancelWish>,
    /// Attended time at which the provider's id was recorded.
    pub started_attended_ms: Option<u64>,
    /// Where a research in rounds stands.
    pub course: Option<Box<Course>>,
    /// Where a research on the web engine stands.
    pub gathering: Option<Box<Gathering>>,
    /// Where the checking of its texts stands.
    pub checking: Option<Box<Checking>>,
    /// It was carried to another store.
    pub away: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub struct CancelWish {
    pub reason: CancelReason,
    pub partial: Partial,
    pub answer: CancelAnswer,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CancelAnswer {
    NotAsked,
    Accepted,
    Refused(Problem),
}

#[derive(Debug, Clone, PartialEq)]
pub enum Phase {
    /// On disk, nothing paid yet.
    Asked,
    /// The paid call may be under way.
    Intended {
        attempt: u32,
    },
    Refused {
        attempt: u32,
        problem: Problem,
    },
    /// Nobody knows whether the paid call was accepted. Rests until the user speaks.
    Uncertain {
        attempt: u32,
        problem: Problem,
    },
    Running,
    /// The text is there; its claims are being checked. What the end will say, but for that.
    Gathered(Box<Ending>),
    Ended(Ending),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ending {
    pub stop: Stop,
    pub at: Moment,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<Digest>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw: Option<Digest>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    pub cost: Cost,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<Problem>,
    pub sources: u32,
}

impl Ending {
    /// Somebody's own text: it is there from the beginning and cost nothing.
    fn of_given(text: Digest, at: Moment) -> Self {
        Self {
            stop: Stop::Completed,
            at,
            report: Some(text),
            raw: None,
            usage: None,
            cost: Cost::Nothing,
            problem: None,
            sources: 0,
        }
    }
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

impl Research {
    /// State after these events. A gap or an event out of place is damage, never skipped.
    pub fn replay(id: ResearchId, journal: &[Recorded]) -> Result<Self, ReplayError> {
        let (first, rest) = journal.split_first().ok_or(ReplayError::Empty)?;
        let mut research = Self::asked(id, first).ok_or(ReplayError::NoQuestion)?;
        for recorded in rest {
            research.apply(recorded)?;
        }
        Ok(research)
    }

    fn asked(id: ResearchId, first: &Recorded) -> Option<Self> {
        let Event::Asked { query, plan } = &first.event else { return None };
        (first.sequence == Sequence(1)).then(|| Self {
            id,
            query: query.clone(),
            plan: plan.clone(),
            phase: match plan.given {
                None => Phase::Asked,
                Some(text) => Phase::Gathered(Box::new(Ending::of_given(text, first.at))),
            },
            sequence: first.sequence,
            asked_at: first.at,
            updated_at: first.at,
            attended_ms: first.attended_ms,
            remote_id: None,
            cursor: None,
            progress: Progress::default(),
            partial_report: None,
            cancel: None,
            started_attended_ms: None,
            course: plan.rounds.as_ref().filter(|_| plan.web.is_none()).map(|rounds| {
                let checks = plan.checks.is_some();
                let ledger_decides = checks && rounds.verification == Verification::Evidence;
                Box::new(Course { checks, ledger_decides, ..Course::default() })
            }),
            gathering: plan.web.as_ref().map(|web| Box::new(Gathering::begin(web, query.as_str()))),
            checking: plan.checks.as_ref().map(|_| Box::default()),
            away: false,
        })
    }

    /// State after one more event.
    pub fn apply(&mut self, recorded: &Recorded) -> Result<(), ReplayError> {
        if recorded.sequence != self.sequence.next() {
            return Err(ReplayError::Gap { after: self.sequence, found: recorded.sequence });
        }
        let misfit = ReplayError::DoesNotFit(recorded.sequence);
        match &recorded.event {
            Event::Asked { .. } => return Err(misfit),
            Event::CreateIntended { attempt } => self.phase = Phase::Intended { attempt: *attempt },
            Event::CreateRefused { attempt, problem } => {
                self.phase = Phase::Refused { attempt: *attempt, problem: problem.clone() };
            }
            Event::CreateUncertain { attempt, problem } => {
                self.phase = Phase::Uncertain { attempt: *attempt, problem: problem.clone() };
            }
            Event::PayAgainAccepted => self.pay_again(misfit)?,
            Event::RemoteStarted { remote_id, cursor, .. } => {
                self.phase = Phase::Running;
                self.remote_id = Some(remote_id.clone());
                self.cursor.clone_from(cursor);
                self.started_attended_ms = Some(recorded.attended_ms);
            }
            Event::Observed { progress, cursor } => {
                self.progress.advance(progress);
                self.cursor = cursor.clone().or(self.cursor.take());
            }
            Event::PartialKept { report } => self.partial_report = Some(*report),
            Event::CancelRequested { reason, partial } => {
                self.cancel =
                    Some(CancelWish { reason: *reason, partial: *partial, answer: CancelAnswer::NotAsked });
            }
            Event::CancelAnswered { refusal } => {
                let wish = self.cancel.as_mut().ok_or(misfit)?;
                wish.answer = refusal.clone().map_or(CancelAnswer::Accepted, CancelAnswer::Refused);
            }
            Event::Ended { .. } => self.end(recorded),
            Event::Reopened => self.reopen(misfit)?,
            Event::RoundAnswered { answer, facts, billed, raw } => {
                self.course.as_mut().ok_or(misfit)?.take_answer(*answer, facts, *billed);
                self.round_over(*raw, Some(facts));
            }
            Event::RoundStumbled { problem, kept, billed, raw } => {
                self.course.as_mut().ok_or(misfit)?.take_stumble(problem, *kept, *billed);
                self.round_over(*raw, None);
            }
            Event::GatherIntended { .. } | Event::GatherDone { .. } | Event::GatherStopped { .. } => {
                self.gather(&recorded.event, misfit)?;
            }
            Event::Gathered(ending) => self.phase = Phase::Gathered(ending.clone()),
            Event::CheckBegun { .. }
            | Event::CheckIntended { .. }
            | Event::CheckDone { .. }
            | Event::Checked { .. } => self.check(&recorded.event, misfit)?,
            Event::Left if self.may_leave() => self.away = true,
            Event::Arrived if self.away => self.away = false,
            Event::BudgetRaised { to } if self.may_raise(*to) => self.plan.limits.budget = Some(*to),
            Event::Left | Event::Arrived | Event::BudgetRaised { .. } => return Err(misfit),
        }
        self.sequence = recorded.sequence;
        self.updated_at = recorded.at;
        self.attended_ms = self.attended_ms.max(recorded.attended_ms);
        Ok(())
    }

    /// Whether it can be carried to another store now: not while a paid call may be under way, and not after its
    /// end.
    pub fn may_leave(&self) -> bool {
        let intended = matches!(self.phase, Phase::Intended { .. });
        let gathering = self.gathering.as_ref().is_some_and(|gathering| !gathering.open.is_empty());
        let checking = self.checking.as_ref().is_some_and(|checking| !checking.open.is_empty());
        self.is_due() && !intended && !gathering && !checking
    }

    /// Whether it can be given this much: more than before, and while there is something left to spend it on. A
    /// research without a budget has no need of one.
    pub fn may_raise(&self, to: MicroUsd) -> bool {
        self.is_due() && self.budget().is_some_and(|budget| to > budget)
    }

    /// Whether a driver has something to do here.
    pub fn is_due(&self) -> bool {
        if self.away {
            return false;
        }
        match self.phase {
            Phase::Asked
            | Phase::Intended { .. }
            | Phase::Refused { .. }
            | Phase::Running
            | Phase::Gathered(_) => true,
            Phase::Uncertain { .. } => self.cancel.is_some(),
            Phase::Ended(_) => false,
        }
    }

    pub fn ending(&self) -> Option<&Ending> {
        match &self.phase {
            Phase::Ended(ending) => Some(ending),
            Phase::Asked
            | Phase::Intended { .. }
            | Phase::Refused { .. }
            | Phase::Uncertain { .. }
            | Phase::Running
            | Phase::Gathered(_) => None,
        }
    }

    /// The report to show: the final one, or what was kept on the way.
    pub fn report(&self) -> Option<Digest> {
        match &self.phase {
            Phase::Gathered(ending) => ending.report.or(self.partial_report),
            _ => self.ending().and_then(|ending| ending.report).or(self.partial_report),
        }
    }

    /// What may be spent on it in all, where there is a bound.
    pub fn budget(&self) -> Option<MicroUsd> {
        match &self.plan.web {
            Some(web) => Some(web.budget(&self.plan.limits)),
            None => self.plan.limits.budget,
        }
    }

    /// What is known to have been spent on gathering.
    pub fn spent_before_checks(&self) -> MicroUsd {
        let cost = match (&self.phase, &self.plan.rounds, &self.course) {
            (Phase::Gathered(ending), _, _) => ending.cost,
            (_, Some(plan), Some(course)) => course.cost(plan, &self.updated_at.date()),
            _ => Cost::Nothing,
        };
        cost.known().unwrap_or_default()
    }

    fn check(&mut self, event: &Event, misfit: ReplayError) -> Result<(), ReplayError> {
        let checking = self.checking.as_mut().ok_or_else(|| misfit.clone())?;
        match event {
            Event::CheckBegun { subject } => checking.begin(*subject),
            Event::CheckIntended { tasks } => checking.intend(tasks),
            Event::CheckDone { task, outcome, bill } => checking.take(task, outcome, bill),
            Event::Checked { subject, report, standing } => {
                let course = self.course.as_mut().ok_or(misfit)?;
                course.take_checked(*subject, Checked { report: *report, standing: *standing });
                self.partial_report = Some(*report);
            }
            _ => return Err(misfit),
        }
        Ok(())
    }

    /// The call of a round is over: nothing is under way until the next one is intended.
    fn round_over(&mut self, raw: Option<Digest>, facts: Option<&Facts>) {
        self.phase = Phase::Asked;
        self.remote_id = None;
        self.cursor = None;
        self.started_attended_ms = None;
        let counted = std::mem::take(&mut self.progress);
        if let Some(course) = &mut self.course {
            match facts {
                Some(facts) => course.before.add_answer(&counted, facts),
                None => course.before.add(&counted),
            }
            course.last_raw = raw.or(course.last_raw);
            self.partial_report = course.best().map(|best| best.answer);
        }
    }

    fn gather(&mut self, event: &Event, misfit: ReplayError) -> Result<(), ReplayError> {
        let (Some(plan), Some(gathering)) = (&self.plan.web, &mut self.gathering) else { return Err(misfit) };
        match event {
            Event::GatherIntended { tasks } => gathering.intend(tasks),
            Event::GatherDone { task, outcome, bill } => {
                gathering.take(plan, self.query.as_str(), *task, outcome, bill);
            }
            Event::GatherStopped { why } => gathering.stop(*why),
            _ => return Err(misfit),
        }
        self.progress.advance(&gathering.progress());
        Ok(())
    }

    fn pay_again(&mut self, misfit: ReplayError) -> Result<(), ReplayError> {
        let Phase::Uncertain { attempt, problem } = &self.phase else { return Err(misfit) };
        self.phase = Phase::Refused { attempt: *attempt, problem: problem.clone() };
        self.cancel = None;
        Ok(())
    }

    fn reopen(&mut self, misfit: ReplayError) -> Result<(), ReplayError> {
        if self.ending().is_none() || self.remote_id.is_none() {
            return Err(misfit);
        }
        self.phase = Phase::Running;
        self.cancel = None;
        Ok(())
    }

    fn end(&mut self, recorded: &Recorded) {
        if let Event::Ended { stop, report, raw, usage, cost, problem, sources, progress } = &recorded.event {
            if let Some(progress) = progress {
                self.progress.advance(progress);
            }
            self.phase = Phase::Ended(Ending {
                stop: *stop,
                at: recorded.at,
                report: *report,
                raw: *raw,
                usage: *usage,
                cost: *cost,
                problem: problem.clone(),
                sources: *sources,
            });
        }
    }
}

#[cfg(test)]
mod tests;
