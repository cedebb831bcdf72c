//! What a face (command line, server) asks for: start, wait, cancel, resume. Knows no driver and no provider.

use std::{sync::Arc, time::Duration};

use probity_research::{
    Digest, Event, Recorded, Research, ResearchId, Sequence,
    error::{Code, Problem},
    estimate::{affordable, estimate},
    plan::Plan,
    query::Query,
    report::Report,
    seams::{Clock, Entry, Executor, Journal, JournalError, Writer},
    state::Phase,
    status::{Status, Summary},
    stop::{CancelReason, Partial},
    time::Moment,
};

use crate::{
    board::Board,
    recorder::{Appended, DriveError, Kind, Recorder, first, load},
};

/// A wish competes with a driver's appends; each loss means that the driver got on with its work.
const WISH_TRIES_MAX: u32 = 20;
/// How often a waiting caller looks at the journal itself: the research may be driven by another process.
const WAIT_LOOK_EVERY: Duration = Duration::from_millis(500);

/// Whether the user accepts that an uncertain start may be paid for a second time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PayAgain {
    Accepted,
    No,
}

/// An executor with what stands around it: where events go, what time it is, who listens.
pub trait House: Executor {
    type Journal: Journal;
    type Clock: Clock;

    fn journal(&self) -> &Self::Journal;
    fn clock(&self) -> &Self::Clock;
    fn board(&self) -> &Board;
}

/// A research that is about to begin: its first event, not on disk yet.
pub fn first_entry(id: ResearchId, query: Query, plan: Plan, now: Moment) -> Result<Entry, Problem> {
    let price = plan.estimate.unwrap_or_else(|| estimate(&plan.agent, &query, &[]));
    if !affordable(&price, plan.limits.budget) {
        let message =
            format!("the cheapest run of this agent costs about {}, more than the budget", price.cost_min);
        return Err(Problem::new(Code::Budget, &message));
    }
    let event = Event::Asked { query, plan };
    let recorded = Recorded { sequence: Sequence(1), at: now, attended_ms: 0, event };
    first(id, recorded).map_err(problem)
}

pub struct Researches<X> {
    executor: X,
}

impl<X: House> Researches<X> {
    pub fn new(executor: X) -> Self {
        Self { executor }
    }

    /// When this returns, the research is on disk and its id may be told. `id` comes from random bits.
    pub async fn start(&self, id: ResearchId, query: Query, plan: Plan) -> Result<Summary, Problem> {
        let entry = first_entry(id, query, plan, self.clock().now())?;
        let summary = entry.summary.clone();
        self.journal().append(entry).await.map_err(problem)?;
        self.executor.submit(id).await;
        Ok(summary)
    }

    /// Checks a text of somebody's own: it is on disk before the research that names it.
    pub async fn check(
        &self,
        id: ResearchId,
        query: Query,
        text: &Report,
        plan: impl FnOnce(Digest) -> Plan,
    ) -> Result<Summary, Problem> {
        let digest = self.journal().keep(text.encode()).await.map_err(problem)?;
        self.start(id, query, plan(digest)).await
    }

    pub async fn load(&self, id: ResearchId) -> Result<Research, Problem> {
        load(self.journal(), id).await.map_err(problem)
    }

    /// Puts the wish on disk; the driver, wherever it runs, does the rest.
    pub async fn cancel(&self, id: ResearchId, partial: Partial) -> Result<Summary, Problem> {
        self.wish(id, |research| match Status::of(research) {
            Status::Cancelling => Ok(None),
            status if status.is_final() && status != Status::Unknown => {
                let message = format!("this research is already {}", status.as_str().replace('_', " "));
                Err(Problem::new(Code::AlreadyEnded, &message))
            }
            _ => Ok(Some(Event::CancelRequested { reason: CancelReason::User, partial })),
        })
        .await
    }

    /// Looks at an ended run once more, or pays again for an uncertain start if the user said so.
    pub async fn resume(&self, id: ResearchId, pay_again: PayAgain) -> Result<Summary, Problem> {
        self.wish(id, |research| match (&research.phase, pay_again) {
            (Phase::Uncertain { .. }, PayAgain::Accepted) => Ok(Some(Event::PayAgainAccepted)),
            (Phase::Uncertain { problem, .. }, PayAgain::No) => Err(problem.clone()),
            (Phase::Ended(_), _) if Status::of(research) == Status::Completed => {
                Err(Problem::new(Code::AlreadyEnded, "this research is complete"))
            }
            (Phase::Ended(_), _) if research.remote_id.is_some() => Ok(Some(Event::Reopened)),
            (Phase::Ended(_), _) => Err(Problem::new(
                Code::AlreadyEnded,
                "this research ended before the provider took it; ask anew",
            )),
            (
                Phase::Asked
                | Phase::Intended { .. }
                | Phase::Refused { .. }
                | Phase::Running
                | Phase::Gathered(_),
                _,
            ) => Ok(None),
        })
        .await
    }

    /// Waits until the research rests or `limit` has passed, and tells how it stands then.
    pub async fn wait(&self, id: ResearchId, limit: Option<Duration>) -> Result<Summary, Problem> {
        let mut news = self.executor.board().listen(id)?;
        let until = limit.map(|limit| self.clock().monotonic() + limit);
        loop {
            let summary = Summary::of(&self.load(id).await?);
            let left = until.map(|until| until.saturating_sub(self.clock().monotonic()));
            if summary.status.is_final() || left == Some(Duration::ZERO) {
                return Ok(summary);
            }
            let pause = left.unwrap_or(WAIT_LOOK_EVERY).min(WAIT_LOOK_EVERY);
            tokio::select! {
                biased;
                _ = news.changed() => {}
                () = self.clock().sleep(pause) => {}
            }
        }
    }

    /// The newest published state whenever it changes; for live display.
    pub fn listen(
        &self,
        id: ResearchId,
    ) -> Result<tokio::sync::watch::Receiver<Option<Arc<Summary>>>, Problem> {
        self.executor.board().listen(id)
    }

    pub fn executor(&self) -> &X {
        &self.executor
    }

    /// Appends what `decide` wants, deciding anew whenever the driver was faster.
    async fn wish(
        &self,
        id: ResearchId,
        decide: impl Fn(&Research) -> Result<Option<Event>, Problem>,
    ) -> Result<Summary, Problem> {
        let mut recorder =
            Recorder::load(self.journal(), self.clock(), id, Writer::Guest).await.map_err(problem)?;
        for _ in 0..WISH_TRIES_MAX {
            let Some(event) = decide(&recorder.research)? else { break };
            let attended = Duration::from_millis(recorder.research.attended_ms);
            match recorder.append(event, Kind::Decision, attended).await {
                Ok(Appended::Yes) => break,
                Ok(Appended::DecideAgain) => {}
                Err(DriveError::Journal(refused)) => return Err(refused),
                Err(DriveError::LostClaim) => return Err(problem(JournalError::Fenced)),
            }
        }
        self.executor.submit(id).await;
        Ok(Summary::of(&recorder.research))
    }

    fn journal(&self) -> &X::Journal {
        self.executor.journal()
    }

    fn clock(&self) -> &X::Clock {
        self.executor.clock()
    }
}

fn problem(error: JournalError) -> Problem {
    match error {
        JournalError::Refused(problem) => problem,
        JournalError::Conflict | JournalError::Fenced => Problem::new(Code::LeaseLost, &error.to_string()),
    }
}
