//! What the page asks of the program: the `UiBackend` trait. Boxed futures: the page is compiled once for
//! every implementation.

use std::{collections::BTreeMap, pin::Pin, sync::Arc};

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
    shelf::{ShelfEntry, ShelfPart, Tag, TagEdit, Title},
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
    /// Words in question, title or report.
    pub text: Option<String>,
    pub status: Option<RunStatus>,
    pub tag: Option<Tag>,
    pub part: ShelfPart,
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
    pub shelf: ShelfEntry,
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

/// The settings screen: what can be changed here, what can be tried, and everything that is set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsView {
    /// The user's own file, which changes are written to.
    pub file: String,
    pub groups: Vec<SettingGroup>,
    pub keys: Vec<KeyField>,
    pub trials: Vec<SettingTrial>,
    pub entries: Vec<SettingEntry>,
    /// Settings whose value is another one than this process was started with.
    pub changed_since_start: Vec<String>,
}

/// Settings that are saved together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingGroup {
    pub title: &'static str,
    pub about: &'static str,
    pub fields: Vec<SettingField>,
}

/// A setting that can be changed here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingField {
    pub key: &'static str,
    pub label: &'static str,
    pub meaning: &'static str,
    /// The only values there are; none: any text.
    pub choices: Vec<&'static str>,
    /// What the user's own file says; empty: nothing.
    pub written: String,
    /// The value that counts; empty: none.
    pub value: String,
    pub origin: String,
    /// What goes before the user's own file.
    pub overridden_by: Option<String>,
    /// What is done where the field is left empty.
    pub when_empty: String,
}

/// A provider's key. It is written and never shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyField {
    pub name: &'static str,
    pub meaning: String,
    pub is_set: bool,
    /// It is in the user's key file, from which it can be removed.
    pub is_stored: bool,
    pub origin: String,
}

/// Something that can be tried with one small call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingTrial {
    /// What the form sends.
    pub name: String,
    pub label: String,
    pub cost: String,
}

/// What became of a trial.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrialOutcome {
    pub is_good: bool,
    pub sentence: String,
}

/// What the user did with a key.
#[derive(Clone, PartialEq, Eq)]
pub enum KeyChange {
    Store(String),
    Remove,
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
    pub sources: UiSources,
}

/// What is to be read, as typed; nothing: the whole web.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UiSources {
    pub sites: Vec<String>,
    pub without_sites: Vec<String>,
    /// Days, `YYYY-MM-DD`.
    pub after: Option<String>,
    pub before: Option<String>,
    /// Addresses that are read first.
    pub pages: Vec<String>,
    /// Of this machine.
    pub folders: Vec<String>,
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

/// What is checked against the pages that it cites.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CheckSubject {
    /// A text of the user's own, with its links.
    Text(String),
    /// A page that is the text.
    Address(String),
    /// The report of a run that has ended: its pages are read again.
    Report(RunId),
}

/// A check that the user asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UiCheck {
    pub subject: CheckSubject,
    /// Nobody else is asked: rules alone.
    pub by_rules_only: bool,
    /// None takes the user's own setting.
    pub budget: Option<MicroUsd>,
}

/// A claim whose verdict another check of the same text changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedVerdict {
    pub claim: String,
    pub words: String,
    pub before: String,
    pub now: String,
    /// `-` what the page said, `+` what it says now.
    pub difference: String,
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
    fn settings(&self) -> UiFuture<'_, SettingsView>;
    /// By key, as typed; an empty text takes the setting out of the user's own file. Nothing is written unless all of
    /// it can be read. Answers what was done, in a sentence.
    fn change_settings(&self, typed: BTreeMap<String, String>) -> UiFuture<'_, String>;
    /// Answers what was done, in a sentence without the key.
    fn change_key(&self, name: String, change: KeyChange) -> UiFuture<'_, String>;
    /// One small call with the settings as they are now; it may cost what its `SettingTrial` said.
    fn try_setting(&self, name: String) -> UiFuture<'_, TrialOutcome>;
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
    /// What the check will cost; spends nothing, though it reads an address.
    fn propose_check(&self, wanted: UiCheck) -> UiFuture<'_, PlanProposal>;
    /// When this returns, the text and the run are on disk.
    fn start_check(&self, wanted: UiCheck) -> UiFuture<'_, RunId>;
    /// What the check of a report says otherwise than the report did; none for any other run.
    fn changed_verdicts(&self, id: RunId) -> UiFuture<'_, Option<Vec<ChangedVerdict>>>;
    fn cancel(&self, id: RunId) -> UiFuture<'_, ()>;
    /// Tells a run under way what to do otherwise.
    fn steer(&self, id: RunId, note: SteeringNote) -> UiFuture<'_, ()>;
    /// What the user said of a run.
    fn shelf_entry(&self, id: RunId) -> UiFuture<'_, ShelfEntry>;
    /// None shows the question again.
    fn rename(&self, id: RunId, title: Option<Title>) -> UiFuture<'_, ()>;
    fn edit_tags(&self, id: RunId, edit: TagEdit) -> UiFuture<'_, ()>;
    /// What a removal takes away and what it cannot, a sentence each; refused while the run is under way.
    fn removal_notice(&self, id: RunId) -> UiFuture<'_, Vec<String>>;
    /// Puts it into the trash.
    fn remove(&self, id: RunId) -> UiFuture<'_, ()>;
    fn restore(&self, id: RunId) -> UiFuture<'_, ()>;
    /// Raises the run's budget to this total.
    fn extend_budget(&self, id: RunId, to: MicroUsd) -> UiFuture<'_, ()>;
    /// Its state after each event later than `after`; at once, if there is a later one already.
    fn watch_run(&self, id: RunId, after: Sequence) -> UiFuture<'_, RunViewStream>;
}
