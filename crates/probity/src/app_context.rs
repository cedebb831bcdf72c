//! The composition root: store, engine and executor, wired once. Every command that reads or drives runs
//! opens one.

use std::{
    sync::Arc,
    time::{Duration, UNIX_EPOCH},
};

use probity_research::{
    Code, CodedError, Digest, RunId,
    agent::AgentName,
    cost::MicroUsd,
    estimate::{self, Estimate, PastRun, estimate},
    plan::{EngineName, Plan},
    ports::{Clock as _, Journal as _},
    principal::RunAccess,
    query::Query,
    report::Report,
    status::{RunStatus, RunSummary},
    time::Moment,
    trace::Trace,
};
use probity_runner::{ExecutorContext as _, LocalExecutor, RunService, RunnerSettings, SystemClock};
use probity_store::{Clocks, LIST_MAX, ListFilter, OpenMode, PurgeChoice, PurgePlaces, Store, StoreOptions};

use crate::{
    command_error::CommandError,
    engine::{LazyEngine, PAGES_FOLDER},
    keys::ProviderKeys,
    report_roots::ReportRoots,
    settings::Settings,
};

/// A backup is at most this old when work ends.
const COPY_EVERY: Duration = Duration::from_secs(24 * 3600);
/// Larger databases are copied by `probity store backup` only: no user should wait for a copy unasked.
const COPY_BYTES_MAX: u64 = 256 * 1024 * 1024;

/// What this process may drive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DriveCapability {
    Everything,
    /// Without Google's key, but with one that the Gemini CLI keeps for itself.
    CliAndWeb,
    /// Without any key of Google's only runs of our own web engine.
    WebOnly,
    /// Reads runs and writes commands; drives nothing.
    Nothing,
}

impl DriveCapability {
    /// Whether a run of this engine can be driven here.
    pub fn can_drive(self, engine: EngineName) -> bool {
        match self {
            Self::Everything => true,
            Self::CliAndWeb => matches!(engine, EngineName::GeminiCli | EngineName::Web),
            Self::WebOnly => engine == EngineName::Web,
            Self::Nothing => false,
        }
    }

    /// The engines whose runs are claimed here; none claims all.
    fn claimed(self) -> Option<Vec<EngineName>> {
        match self {
            Self::Everything | Self::Nothing => None,
            Self::CliAndWeb => Some(vec![EngineName::GeminiCli, EngineName::Web]),
            Self::WebOnly => Some(vec![EngineName::Web]),
        }
    }
}

pub struct AppContext {
    pub store: Store,
    pub researches: RunService<LocalExecutor<Store, LazyEngine, SystemClock>>,
    pub drives: DriveCapability,
    pub keys: ProviderKeys,
    /// Where a purge looks beside the store.
    pub purge_places: PurgePlaces,
}

impl AppContext {
    /// For commands that write. The store is created if it is not there.
    pub fn open(settings: &Settings, keys: Option<ProviderKeys>) -> Result<Self, CommandError> {
        Self::open_as(settings, keys, OpenMode::ReadWrite)
    }

    /// For commands that only read: nothing is created, no lock is taken. `None` when there is no store yet.
    pub fn open_to_read(settings: &Settings) -> Result<Option<Self>, CommandError> {
        if Store::is_new(&settings.store_directory)? {
            return Ok(None);
        }
        match Self::open_as(settings, None, OpenMode::ReadOnly) {
            // An older database is brought up to date by opening it for writing.
            Err(failure) if failure.problem.code == Code::StoreReadOnly => {
                Self::open(settings, None).map(Some)
            }
            other => other.map(Some),
        }
    }

    fn open_as(
        settings: &Settings,
        keys: Option<ProviderKeys>,
        mode: OpenMode,
    ) -> Result<Self, CommandError> {
        let clock = SystemClock::default();
        let drives = match &keys {
            None => DriveCapability::Nothing,
            Some(keys) if keys.gemini.is_some() => DriveCapability::Everything,
            Some(keys) if keys.gemini_cli.is_some() => DriveCapability::CliAndWeb,
            Some(_) => DriveCapability::WebOnly,
        };
        let options = StoreOptions {
            mode,
            claims_only: drives.claimed(),
            ..StoreOptions::new(random_bits()?, Clocks::of(Arc::new(clock)), &settings.reports_directory)
        };
        let store = Store::open(&settings.store_directory, options)?;
        let keys = keys.unwrap_or_default();
        let engine = LazyEngine::new(settings, keys.clone());
        let runner = RunnerSettings { driven_max: settings.driven_max, ..RunnerSettings::default() };
        let executor = LocalExecutor::new(store.clone(), engine, clock, store.owner(), runner);
        let researches = RunService::with_day_limit(executor, settings.budget_per_day);
        let purge_places = PurgePlaces {
            report_roots: ReportRoots::of(settings).for_client(&[]),
            page_cache: Some(settings.store_directory.join(PAGES_FOLDER)),
        };
        Ok(Self { store, researches, drives, keys, purge_places })
    }

    /// Every driver calls this first: without a writer for the journal, nothing would ever be claimed.
    pub fn ensure_writable(&self) -> Result<(), CommandError> {
        self.store.refusal().map_or(Ok(()), |problem| Err(problem.clone().into()))
    }

    pub fn clock(&self) -> &SystemClock {
        self.researches.executor().clock()
    }

    pub fn now(&self) -> Moment {
        self.clock().now()
    }

    pub fn summary(&self, id: RunId) -> Result<RunSummary, CommandError> {
        Ok(self.store.status(id)?.seen_at(self.now()))
    }

    /// Whether a living process drives this run at the moment; `None` where there is nothing to drive.
    pub fn is_driven(&self, summary: &RunSummary) -> Result<Option<bool>, CommandError> {
        Ok(if summary.due { Some(self.store.is_driven(summary.id)?) } else { None })
    }

    /// All runs that a driver has something to do for, oldest change last.
    pub fn due_runs(&self) -> Result<Vec<RunSummary>, CommandError> {
        let mut due = Vec::new();
        for status in [RunStatus::Cancelling, RunStatus::RunningAsync, RunStatus::Pending, RunStatus::Unknown]
        {
            let filter = ListFilter { status: Some(status), limit: LIST_MAX, ..ListFilter::default() };
            due.extend(self.store.list(&filter)?.into_iter().filter(|summary| summary.due));
        }
        Ok(due)
    }

    /// One backup a day, so that `probity store restore` has something to go back to. A failed backup is a
    /// warning: the runs themselves are safe in the database.
    pub fn back_up_when_due(&self) {
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
            tracing::warn!(code = %problem.code, cause = %problem.message, "no backup was made");
        }
    }

    /// Purges what was in the trash long enough. Beside a run that is driven it waits for the next time.
    pub async fn purge_expired(&self) {
        match self.store.purge(PurgeChoice::Expired, self.purge_places.clone()).await {
            Ok(_) => {}
            Err(problem) if problem.code == Code::NotFinished => {}
            Err(problem) => {
                tracing::warn!(code = %problem.code, cause = %problem.message, "the trash was not purged");
            }
        }
    }

    /// What finished runs within `reach` cost and took with `agent`, newest first.
    pub fn history(&self, reach: &RunAccess, agent: &AgentName) -> Result<Vec<PastRun>, CodedError> {
        Ok(estimate::past_runs(&self.finished(reach)?, agent))
    }

    /// The plan with the price that finished runs of its kind within `reach` had.
    pub fn with_history(&self, reach: &RunAccess, plan: Plan) -> Result<Plan, CodedError> {
        Ok(estimate::with_history(plan, &self.finished(reach)?))
    }

    fn finished(&self, reach: &RunAccess) -> Result<Vec<RunSummary>, CodedError> {
        let Some(filter) = estimate::finished_runs_filter(reach) else { return Ok(Vec::new()) };
        self.store.list(&filter)
    }

    pub async fn budget(&self, id: RunId) -> Result<Option<MicroUsd>, CommandError> {
        Ok(self.researches.load(id).await?.plan.limits.budget)
    }

    /// The final report, or the newest text stored on the way.
    pub async fn report(&self, summary: &RunSummary) -> Result<Option<Report>, CommandError> {
        let Some(bytes) = self.read_blob(summary.report).await? else { return Ok(None) };
        let report = Report::decode(&bytes).map_err(|error| {
            CommandError::new(Code::StoreCorrupt, "the stored report is unreadable").with_cause(&error)
        })?;
        Ok(Some(report.of_run(summary.status)))
    }

    /// The steps of the run, in their order.
    pub async fn trace(&self, id: RunId) -> Result<Option<Trace>, CommandError> {
        let journal = self.store.load(id).await?;
        // A journal that cannot be rebuilt step by step is shown by its summary alone.
        Ok(Trace::of(id, &journal).ok())
    }

    /// The provider's whole answer as it was received.
    pub async fn raw_answer(&self, summary: &RunSummary) -> Result<Option<Vec<u8>>, CommandError> {
        self.read_blob(summary.raw).await
    }

    async fn read_blob(&self, digest: Option<Digest>) -> Result<Option<Vec<u8>>, CommandError> {
        match digest {
            Some(digest) => Ok(Some(self.store.fetch_blob(digest).await?)),
            None => Ok(None),
        }
    }
}

/// What `query` will likely cost, from the user's own history if there is one.
pub fn estimate_cost(
    settings: &Settings,
    agent: &AgentName,
    query: &Query,
) -> Result<Estimate, CommandError> {
    let history = match AppContext::open_to_read(settings)? {
        Some(app) => app.history(&RunAccess::Everything, agent)?,
        None => Vec::new(),
    };
    Ok(estimate(agent, query, &history))
}

/// The plan with the price that the user's own finished runs of its kind had, if there are enough of them.
pub fn with_history(settings: &Settings, plan: Plan) -> Result<Plan, CommandError> {
    match AppContext::open_to_read(settings)? {
        Some(app) => Ok(app.with_history(&RunAccess::Everything, plan)?),
        None => Ok(plan),
    }
}

/// Today, for prices that have a date.
pub fn today() -> String {
    SystemClock::default().now().date()
}

pub fn new_id() -> Result<RunId, CommandError> {
    random_bits().map(RunId::from_random)
}

pub fn random_bits() -> Result<u128, CommandError> {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes).map_err(|error| {
        CommandError::from(CodedError::new(Code::StoreFailed, "the system gives no random numbers"))
            .with_cause(&error)
    })?;
    Ok(u128::from_be_bytes(bytes))
}
