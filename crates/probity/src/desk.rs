//! Puts the parts together: store, engine, executor. Every verb that reads or drives researches opens one.

use std::{
    sync::Arc,
    time::{Duration, UNIX_EPOCH},
};

use probity_research::{
    Code, Digest, Problem, ResearchId,
    agent::AgentName,
    cost::MicroUsd,
    estimate::{self, Estimate, Past, estimate},
    plan::EngineName,
    principal::Reach,
    query::Query,
    report::Report,
    seams::{Clock as _, Journal as _},
    status::{Status, Summary},
    time::Moment,
    trace::Trace,
};
use probity_runner::{House as _, LocalExecutor, Researches, RunnerSettings, SystemClock};
use probity_store::{Clocks, LIST_MAX, ListFilter, Mode, OpenOptions, Store};

use crate::{engine::LazyEngine, failure::Failure, keys::Keys, settings::Settings};

/// A backup is at most this old when work ends.
const COPY_EVERY: Duration = Duration::from_secs(24 * 3600);
/// Larger databases are copied by `probity store backup` only: nobody should wait for it unasked.
const COPY_BYTES_MAX: u64 = 256 * 1024 * 1024;

/// What this process carries out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Drives {
    Everything,
    /// Without Google's key only what our own web engine does.
    WebOnly,
    /// It only reads and wishes.
    Nothing,
}

impl Drives {
    /// Whether a research of this engine can be carried out here.
    pub fn can(self, engine: EngineName) -> bool {
        match self {
            Self::Everything => true,
            Self::WebOnly => engine == EngineName::Web,
            Self::Nothing => false,
        }
    }
}

pub struct Desk {
    pub store: Store,
    pub researches: Researches<LocalExecutor<Store, LazyEngine, SystemClock>>,
    pub drives: Drives,
    pub keys: Keys,
}

impl Desk {
    /// For verbs that write. The store is created if it is not there.
    pub fn open(settings: &Settings, keys: Option<Keys>) -> Result<Self, Failure> {
        Self::open_as(settings, keys, Mode::ReadWrite)
    }

    /// For verbs that only read: nothing is created, no lock is taken. `None` when there is no store yet.
    pub fn open_to_read(settings: &Settings) -> Result<Option<Self>, Failure> {
        if !settings.store_directory.join("probity.db").exists() {
            return Ok(None);
        }
        match Self::open_as(settings, None, Mode::ReadOnly) {
            // An older database is brought up to date by opening it for writing.
            Err(failure) if failure.problem.code == Code::StoreReadOnly => {
                Self::open(settings, None).map(Some)
            }
            other => other.map(Some),
        }
    }

    fn open_as(settings: &Settings, keys: Option<Keys>, mode: Mode) -> Result<Self, Failure> {
        let clock = SystemClock::default();
        let drives = match &keys {
            None => Drives::Nothing,
            Some(keys) if keys.gemini.is_some() => Drives::Everything,
            Some(_) => Drives::WebOnly,
        };
        let options = OpenOptions {
            mode,
            claims_only: (drives == Drives::WebOnly).then_some(EngineName::Web),
            ..OpenOptions::new(random()?, Clocks::of(Arc::new(clock)), &settings.reports_directory)
        };
        let store = Store::open(&settings.store_directory, options)?;
        let keys = keys.unwrap_or_default();
        let engine = LazyEngine::new(settings, keys.clone());
        let runner = RunnerSettings { driven_max: settings.driven_max, ..RunnerSettings::default() };
        let executor = LocalExecutor::new(store.clone(), engine, clock, store.owner(), runner);
        Ok(Self { store, researches: Researches::new(executor), drives, keys })
    }

    /// Whoever is about to drive asks this first: without a way to record, nothing would ever be claimed.
    pub fn writable(&self) -> Result<(), Failure> {
        self.store.refusal().map_or(Ok(()), |problem| Err(problem.clone().into()))
    }

    pub fn clock(&self) -> &SystemClock {
        self.researches.executor().clock()
    }

    pub fn now(&self) -> Moment {
        self.clock().now()
    }

    pub fn summary(&self, id: ResearchId) -> Result<Summary, Failure> {
        Ok(self.store.status(id)?)
    }

    /// Everything a driver has something to do for, oldest change last.
    pub fn due(&self) -> Result<Vec<Summary>, Failure> {
        let mut due = Vec::new();
        for status in [Status::Cancelling, Status::RunningAsync, Status::Pending, Status::Unknown] {
            let filter = ListFilter { status: Some(status), limit: LIST_MAX, ..ListFilter::default() };
            due.extend(self.store.list(&filter)?.into_iter().filter(|summary| summary.due));
        }
        Ok(due)
    }

    /// A copy a day, so that `probity store restore` has something to go back to. A failed one is a warning:
    /// the work itself is safe in the database.
    pub fn copy_when_old(&self) {
        let health = self.store.health();
        let newest = health.backups.iter().filter_map(|path| path.metadata().ok()?.modified().ok()).max();
        let age = newest.map(|copied| {
            let copied = copied.duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
            self.now().since_ms(Moment(i64::try_from(copied).unwrap_or(i64::MAX)))
        });
        let too_large = health.database_bytes > COPY_BYTES_MAX;
        if too_large || age.is_some_and(|age| Duration::from_millis(age) < COPY_EVERY) {
            return;
        }
        if let Err(problem) = self.store.backup_aside() {
            tracing::warn!(code = %problem.code, message = %problem.message, "no backup was made");
        }
    }

    /// What finished researches within `reach` cost and took with `agent`, newest first.
    pub fn history(&self, reach: &Reach, agent: &AgentName) -> Result<Vec<Past>, Problem> {
        let Some(filter) = estimate::finished(reach) else { return Ok(Vec::new()) };
        Ok(estimate::history(&self.store.list(&filter)?, agent))
    }

    pub async fn budget(&self, id: ResearchId) -> Result<Option<MicroUsd>, Failure> {
        Ok(self.researches.load(id).await?.budget())
    }

    /// The final report, or what was kept on the way.
    pub async fn report(&self, summary: &Summary) -> Result<Option<Report>, Failure> {
        let Some(bytes) = self.kept(summary.report).await? else { return Ok(None) };
        let report = Report::decode(&bytes).map_err(|error| {
            Failure::new(Code::StoreCorrupt, "the stored report is unreadable").because(&error)
        })?;
        Ok(Some(report))
    }

    /// What it did, step by step.
    pub async fn trace(&self, id: ResearchId) -> Result<Option<Trace>, Failure> {
        let journal = self.store.load(id).await?;
        // A journal that cannot be told step by step is told by its summary alone.
        Ok(Trace::of(id, &journal).ok())
    }

    /// The provider's whole answer as it was received.
    pub async fn raw(&self, summary: &Summary) -> Result<Option<Vec<u8>>, Failure> {
        self.kept(summary.raw).await
    }

    async fn kept(&self, digest: Option<Digest>) -> Result<Option<Vec<u8>>, Failure> {
        match digest {
            Some(digest) => Ok(Some(self.store.fetch(digest).await?)),
            None => Ok(None),
        }
    }
}

/// What `query` will likely cost, from the user's own history if there is one.
pub fn expected(settings: &Settings, agent: &AgentName, query: &Query) -> Result<Estimate, Failure> {
    let history = match Desk::open_to_read(settings)? {
        Some(desk) => desk.history(&Reach::Everything, agent)?,
        None => Vec::new(),
    };
    Ok(estimate(agent, query, &history))
}

/// Today, for prices that have a date.
pub fn today() -> String {
    SystemClock::default().now().date()
}

pub fn new_id() -> Result<ResearchId, Failure> {
    random().map(ResearchId::from_random)
}

pub fn random() -> Result<u128, Failure> {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes).map_err(|error| {
        Failure::from(Problem::new(Code::StoreFailed, "the system gives no random numbers")).because(&error)
    })?;
    Ok(u128::from_be_bytes(bytes))
}
