//! What a face (command line, server) asks for: start, wait, cancel, resume. Knows no driver and no provider.

use std::{sync::Arc, time::Duration};

use probity_research::{
    Digest, Event, Recorded, Research, ResearchId, Sequence,
    cost::MicroUsd,
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
/// Looks for the end of a paid call before a research is carried away: half a minute.
const LEAVE_TRIES_MAX: u32 = 60;
/// How often a waiting caller looks at the journal itself: the research may be driven by another process.
const WAIT_LOOK_EVERY: Duration = Duration::from_millis(500);

/// Which rules a research began under.
const RELEASE: &str = env!("CARGO_PKG_VERSION");

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
    let plan = Plan { asked_with: Some(RELEASE.to_owned()), ..plan };
    let event = Event::Asked { query, plan };
    let recorded = Recorded { sequence: Sequence(1), at: now, attended_ms: 0, event };
    first(id, recorded).map_err(Problem::from)
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
        self.journal().append(entry).await?;
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
        let digest = self.journal().keep(text.encode()).await?;
        self.start(id, query, plan(digest)).await
    }

    pub async fn load(&self, id: ResearchId) -> Result<Research, Problem> {
        load(self.journal(), id).await.map_err(Problem::from)
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

    /// Puts on disk that it may spend more than it began with; whoever drives it goes by that from its next step on.
    pub async fn raise_budget(&self, id: ResearchId, to: MicroUsd) -> Result<Summary, Problem> {
        self.wish(id, |research| match research.budget() {
            _ if !research.is_due() => Err(Problem::new(
                Code::AlreadyEnded,
                "this research has ended; its budget is not used any more",
            )),
            None => Err(Problem::new(Code::Budget, "this research has no budget: there is nothing to raise")),
            Some(budget) if research.may_raise(to) => {
                tracing::info!(%budget, %to, "budget raised");
                Ok(Some(Event::BudgetRaised { to }))
            }
            Some(budget) => {
                Err(Problem::new(Code::Budget, &format!("its budget is {budget} already; {to} is not more")))
            }
        })
        .await
    }

    /// Puts on disk that it is carried to another store, as soon as no paid call is under way; gives its whole
    /// journal.
    pub async fn leave(&self, id: ResearchId) -> Result<Vec<Recorded>, Problem> {
        for _ in 0..LEAVE_TRIES_MAX {
            let under_way = "a paid call of this research is under way; try again when it is over";
            let left = self
                .wish(id, |research| match () {
                    () if research.away => Ok(None),
                    () if research.may_leave() => Ok(Some(Event::Left)),
                    () if research.is_due() => Err(Problem::new(Code::NotFinished, under_way)),
                    () => Err(Problem::new(
                        Code::AlreadyEnded,
                        "this research has ended; pack it with `probity bundle`",
                    )),
                })
                .await;
            match left {
                Err(problem) if problem.code == Code::NotFinished => {
                    self.clock().sleep(WAIT_LOOK_EVERY).await
                }
                Err(problem) => return Err(problem),
                Ok(_) => return self.journal().load(id).await.map_err(Problem::from),
            }
        }
        Err(Problem::new(
            Code::NotFinished,
            "a paid call of this research is still under way; try again later",
        ))
    }

    /// Takes in a research that was carried here: what is missing of its journal, and that it goes on here.
    pub async fn arrive(&self, id: ResearchId, journal: Vec<Recorded>) -> Result<Summary, Problem> {
        let known = match self.journal().load(id).await {
            Ok(known) => known,
            Err(JournalError::Refused(problem)) if problem.code == Code::NotFound => Vec::new(),
            Err(error) => return Err(error.into()),
        };
        let agrees = known.iter().zip(&journal).all(|(here, there)| here == there);
        if !agrees || known.len() > journal.len() {
            let message = "this store knows the research and tells another story of it; nothing was changed";
            return Err(Problem::new(Code::AlreadyEnded, message));
        }
        let first = journal.first().ok_or_else(|| Problem::new(Code::NotFound, "the journal is empty"))?;
        let mut research = Research::replay(id, std::slice::from_ref(first))
            .map_err(|error| Problem::new(error.code(), &error.to_string()))?;
        for (place, recorded) in journal.into_iter().enumerate() {
            let expected = Sequence(recorded.sequence.0.saturating_sub(1));
            if place > 0 {
                research.apply(&recorded).map_err(|error| Problem::new(error.code(), &error.to_string()))?;
            }
            if place >= known.len() {
                let Recorded { at, attended_ms, event, .. } = recorded;
                let summary = Summary::of(&research);
                let entry = Entry { id, expected, writer: Writer::Guest, at, attended_ms, event, summary };
                self.journal().append(entry).await?;
            }
        }
        self.wish(id, |research| match research.away {
            true => Ok(Some(Event::Arrived)),
            false => Err(Problem::new(Code::AlreadyEnded, "this research did not leave the other store")),
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
        let mut recorder = Recorder::load(self.journal(), self.clock(), id, Writer::Guest).await?;
        for _ in 0..WISH_TRIES_MAX {
            let Some(event) = decide(&recorder.research)? else { break };
            let attended = Duration::from_millis(recorder.research.attended_ms);
            match recorder.append(event, Kind::Decision, attended).await {
                Ok(Appended::Yes) => break,
                Ok(Appended::DecideAgain) => {}
                Err(DriveError::Journal(refused)) => return Err(refused),
                Err(DriveError::LostClaim) => return Err(JournalError::Fenced.into()),
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
