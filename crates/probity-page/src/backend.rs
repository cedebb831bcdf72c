//! What the page asks of the program: the `UiBackend` trait. Boxed futures: the page is compiled once for
//! every implementation.

use std::{pin::Pin, sync::Arc};

use bytes::Bytes;
use futures_core::Stream;
use probity_report::{ReportDocument, ReportFormat};
use probity_research::{
    CodedError, RunId, RunState, Sequence,
    cost::{Cost, MicroUsd},
    estimate::Estimate,
    inquiry::{SteeringNote, steering::FacetView},
    plan::EngineName,
    query::Query,
    rounds::Mode,
    status::{RunStatus, RunSummary},
    time::Moment,
    trace::Trace,
    web::{StrategyLevel, parent::FollowUpKind},
};

pub type UiFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, CodedError>> + Send + 'a>>;
/// Ends when the run does, or when it can no longer be followed.
pub type RunViewStream = Pin<Box<dyn Stream<Item = RunView> + Send>>;

/// Runs on one page of the library: a screen or two, and far below what a page may weigh.
pub const LIBRARY_PAGE_MAX: usize = 50;

/// What to show of the library.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LibraryQuery {
    /// Part of the question.
    pub text: Option<String>,
    pub status: Option<RunStatus>,
    pub offset: usize,
    /// At most `LIBRARY_PAGE_MAX`.
    pub limit: usize,
}

#[derive(Debug, Clone, PartialEq)]
pub struct LibraryPage {
    pub cards: Vec<LibraryCard>,
    /// All that fit, on every page.
    pub total: usize,
}

/// A run as the library shows it.
#[derive(Debug, Clone, PartialEq)]
pub struct LibraryCard {
    pub summary: RunSummary,
    /// None: unknown, because it is under way or was never checked.
    pub verified: Option<bool>,
}

/// The state of a run at one moment.
#[derive(Debug, Clone, PartialEq)]
pub struct RunView {
    /// Of the newest event that is in it: where a broken stream resumes.
    pub sequence: Sequence,
    pub summary: RunSummary,
    pub trace: Trace,
    /// What it may cost at most; none: nothing bounds it.
    pub budget: Option<MicroUsd>,
    /// Somebody set that amount; otherwise it only guards what is spent unasked.
    pub budget_is_set: bool,
    pub steering: SteeringView,
}

/// What the user can still change in a run, and what was said to it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SteeringView {
    pub takes_notes: bool,
    pub facets: Vec<FacetView>,
    pub notes: Vec<SteeringNote>,
}

impl SteeringView {
    pub fn of(research: &RunState) -> Self {
        Self {
            takes_notes: research.takes_notes(),
            facets: research.facets(),
            notes: research.steering_notes().to_vec(),
        }
    }
}

/// A report as a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportDownload {
    /// Without folders; letters, digits, dots and dashes are kept.
    pub filename: String,
    pub media_type: &'static str,
    pub bytes: Bytes,
}

#[derive(Debug, Clone, PartialEq)]
pub struct CostOverview {
    /// First day that is counted, `YYYY-MM-DD`.
    pub since: String,
    pub total: Cost,
    pub by_day: Vec<CostGroup>,
    pub by_provider: Vec<CostGroup>,
    /// Dearest first, as many as are worth showing.
    pub by_research: Vec<RunCost>,
    pub caps: Vec<SpendLimit>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct CostGroup {
    /// A day or a provider.
    pub name: String,
    pub cost: Cost,
    /// Runs of a day, calls of a provider.
    pub count: u32,
}

#[derive(Debug, Clone, PartialEq)]
pub struct RunCost {
    pub id: RunId,
    pub question: String,
    pub asked_at: Moment,
    pub cost: Cost,
}

/// A bound that the user set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpendLimit {
    pub name: String,
    pub limit: MicroUsd,
    pub used: MicroUsd,
}

/// A setting, its value and where it was set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingEntry {
    pub key: String,
    pub value: SettingValue,
    /// `default`, a file with its line, a variable, a flag.
    pub origin: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SettingValue {
    Shown(String),
    /// Only whether there is one.
    SecretPresent,
    SecretAbsent,
}

/// Who is to work on a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StartManner {
    /// A model in rounds, or our own web engine. No engine takes the user's own setting.
    Rounds { mode: Mode, engine: Option<EngineName> },
    /// An agent of the provider, which writes a long report. No name takes the user's own setting.
    Agent { name: Option<String> },
}

/// A question that the user typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UiStartRequest {
    pub question: Query,
    pub manner: StartManner,
    /// None takes the user's own setting.
    pub budget: Option<MicroUsd>,
    /// None goes as deep as the question needs.
    pub depth: Option<StrategyLevel>,
    pub words: Option<u32>,
    /// None takes the language of the question.
    pub language: Option<String>,
}

/// A further question on a finished research.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UiFollowUp {
    pub parent: RunId,
    pub question: Query,
    pub kind: FollowUpKind,
    /// None takes the user's own setting.
    pub budget: Option<MicroUsd>,
}

/// What would be done and what it may cost, before anything is paid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanProposal {
    /// One sentence: which engine, how deep.
    pub plan: String,
    /// What was left out because the whole would cost too much.
    pub cut: Option<String>,
    /// None: unknown.
    pub estimate: Option<Estimate>,
    pub budget: Option<MicroUsd>,
}

pub trait UiBackend: Send + Sync + 'static {
    fn now(&self) -> Moment;
    fn library(&self, shelf: LibraryQuery) -> UiFuture<'_, LibraryPage>;
    fn run_view(&self, id: RunId) -> UiFuture<'_, RunView>;
    /// None while there is no text.
    fn document(&self, id: RunId) -> UiFuture<'_, Option<Arc<ReportDocument>>>;
    /// `NotFinished` while there is no text; any other problem where this form cannot be made.
    fn download(&self, id: RunId, format: ReportFormat) -> UiFuture<'_, ReportDownload>;
    fn costs(&self) -> UiFuture<'_, CostOverview>;
    fn settings(&self) -> UiFuture<'_, Vec<SettingEntry>>;
    /// The agents that may be asked, the user's own choice first.
    fn agents(&self) -> Vec<String>;
    /// Local: spends nothing.
    fn propose(&self, wanted: UiStartRequest) -> UiFuture<'_, PlanProposal>;
    /// When this returns, the run is on disk.
    fn start(&self, wanted: UiStartRequest) -> UiFuture<'_, RunId>;
    /// Local: spends nothing. Refused where what is stored says nothing on it.
    fn propose_follow_up(&self, wanted: UiFollowUp) -> UiFuture<'_, PlanProposal>;
    /// When this returns, the run is on disk.
    fn start_follow_up(&self, wanted: UiFollowUp) -> UiFuture<'_, RunId>;
    fn cancel(&self, id: RunId) -> UiFuture<'_, ()>;
    /// Tells a run under way what to do otherwise.
    fn steer(&self, id: RunId, note: SteeringNote) -> UiFuture<'_, ()>;
    /// Raises the run's budget to this total.
    fn extend_budget(&self, id: RunId, to: MicroUsd) -> UiFuture<'_, ()>;
    /// Its state after each event later than `after`; at once, if there is a later one already.
    fn watch_run(&self, id: RunId, after: Sequence) -> UiFuture<'_, RunViewStream>;
}
