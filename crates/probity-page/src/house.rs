//! What the page asks of the program behind it. Boxed futures: the page is built once, whatever stands behind it.

use std::{pin::Pin, sync::Arc};

use bytes::Bytes;
use futures_core::Stream;
use probity_report::{Document, Format};
use probity_research::{
    Problem, ResearchId, Sequence,
    cost::{Cost, MicroUsd},
    estimate::Estimate,
    query::Query,
    rounds::Manner,
    status::{Status, Summary},
    time::Moment,
    trace::Trace,
};

pub type Answered<'a, T> = Pin<Box<dyn Future<Output = Result<T, Problem>> + Send + 'a>>;
/// Ends when the research does, or when nobody can follow it any more.
pub type Changes = Pin<Box<dyn Stream<Item = Present> + Send>>;

/// Researches on one page of the library: a screen or two, and far below what a page may weigh.
pub const SHELF_MAX: usize = 50;

/// What to show of the library.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Shelf {
    /// Part of the question.
    pub text: Option<String>,
    pub status: Option<Status>,
    pub offset: usize,
    /// At most `SHELF_MAX`.
    pub limit: usize,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    pub cards: Vec<Card>,
    /// All that fit, on every page.
    pub total: usize,
}

/// A research as the library shows it.
#[derive(Debug, Clone, PartialEq)]
pub struct Card {
    pub summary: Summary,
    /// None: nobody could say, because it runs or was never checked.
    pub verified: Option<bool>,
}

/// How a research stands at one moment.
#[derive(Debug, Clone, PartialEq)]
pub struct Present {
    /// Of the newest event that is in it: where a broken stream goes on.
    pub sequence: Sequence,
    pub summary: Summary,
    pub trace: Trace,
    /// None: it may spend what it needs.
    pub budget: Option<MicroUsd>,
}

/// A report as a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Download {
    /// Without folders; letters, digits, dots and dashes are kept of it.
    pub filename: String,
    pub media_type: &'static str,
    pub bytes: Bytes,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Costs {
    /// First day that is counted, `YYYY-MM-DD`.
    pub since: String,
    pub total: Cost,
    pub by_day: Vec<Spent>,
    pub by_provider: Vec<Spent>,
    /// Dearest first, as many as are worth showing.
    pub by_research: Vec<SpentOnResearch>,
    pub caps: Vec<Cap>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Spent {
    /// A day or a provider.
    pub name: String,
    pub cost: Cost,
    /// Researches of a day, calls of a provider.
    pub count: u32,
}

#[derive(Debug, Clone, PartialEq)]
pub struct SpentOnResearch {
    pub id: ResearchId,
    pub question: String,
    pub asked_at: Moment,
    pub cost: Cost,
}

/// A bound that the user set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cap {
    pub name: String,
    pub limit: MicroUsd,
    pub used: MicroUsd,
}

/// A setting, its value and who set it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
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

/// A question that somebody typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    pub question: Query,
    pub manner: Manner,
    /// None takes the user's own setting.
    pub budget: Option<MicroUsd>,
}

/// What would be done and what it may cost, before anything is paid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    /// One sentence: which engine, how deep.
    pub plan: String,
    /// None: nobody knows.
    pub estimate: Option<Estimate>,
    pub budget: Option<MicroUsd>,
}

pub trait House: Send + Sync + 'static {
    fn now(&self) -> Moment;
    fn library(&self, shelf: Shelf) -> Answered<'_, Found>;
    fn present(&self, id: ResearchId) -> Answered<'_, Present>;
    /// None while there is no text.
    fn document(&self, id: ResearchId) -> Answered<'_, Option<Arc<Document>>>;
    /// `NotFinished` while there is no text; any other problem where this form cannot be made.
    fn download(&self, id: ResearchId, format: Format) -> Answered<'_, Download>;
    fn costs(&self) -> Answered<'_, Costs>;
    fn settings(&self) -> Answered<'_, Vec<Setting>>;
    /// Local: spends nothing.
    fn propose(&self, wanted: Wanted) -> Answered<'_, Proposal>;
    /// When this returns, the research is on disk.
    fn start(&self, wanted: Wanted) -> Answered<'_, ResearchId>;
    fn cancel(&self, id: ResearchId) -> Answered<'_, ()>;
    /// It may spend this much in all from now on.
    fn extend_budget(&self, id: ResearchId, to: MicroUsd) -> Answered<'_, ()>;
    /// How it stands each time after event `after`; at once, if there is a later one already.
    fn changes(&self, id: ResearchId, after: Sequence) -> Answered<'_, Changes>;
}
