//! One task of a run on the web engine: its request and its output.

use serde::{Deserialize, Serialize};

use super::{
    bill::Bill,
    note::{FactKind, ReaderNote},
    page::{Extract, ExtractLink, InjectionSign, PageRecord},
    search::{FilterReport, ProviderName, SearchCall, SearchHit, SearchReply},
    strategy::StrategyLevel,
};
use crate::{
    error::CodedError,
    id::Digest,
    inquiry::{
        BriefAnswer, BriefRequest, FacetId, FrontAnswer, FrontRequest, LineAnswer, LineRequest, NodeId,
        OutlineAnswer, OutlineRequest, SectionAnswer, SectionRequest, SurveyAnswer, SurveyNote,
        SurveyRequest, SynthesisAnswer, SynthesisRequest,
    },
    web::cluster::Fingerprint,
};

/// Names a task; the same after a crash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(tag = "task", rename_all = "kebab-case")]
pub enum WebTask {
    /// Which questions to search for next.
    Plan {
        attempt: u32,
    },
    /// One query to one provider; its position in the list of queries.
    Search {
        query: u32,
        provider: ProviderName,
    },
    /// The files in a folder of the user's own.
    Folder {
        folder: u32,
    },
    /// Which of the found pages to read.
    Choose {
        attempt: u32,
    },
    /// Fetch a page; its position in the list of candidates.
    Page {
        candidate: u32,
    },
    /// Read a stored page; its position in the list of pages.
    Read {
        page: u32,
    },
    Write,
    /// `web/2`: the question in parts.
    Brief,
    /// What to search for next on one facet.
    Line {
        facet: FacetId,
        round: u32,
    },
    /// Read a stored page for several facets; its position in the list of pages.
    Survey {
        page: u32,
    },
    /// How the outline changes.
    Outline {
        round: u32,
    },
    /// Write one part of the outline.
    Section {
        node: NodeId,
    },
    /// What follows from the sections together.
    Synthesis,
    /// Title, direct answer, key points.
    Front,
}

/// The request of a task. The engine builds the prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebCall {
    pub task: WebTask,
    /// A second call could be paid for twice: it is never interrupted.
    pub paid: bool,
    pub ask: WebRequest,
}

impl WebCall {
    /// Not even begun: nothing was paid.
    pub fn refused(&self, problem: CodedError) -> WebTaskReply {
        WebTaskReply { task: self.task, output: WebTaskOutput::Failed(problem), bill: Bill::NOTHING }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WebRequest {
    Plan(PlanRequest),
    Search(SearchCall),
    Folder {
        path: String,
        question: String,
        files_max: u32,
    },
    Choose(ChooseRequest),
    /// `service`: a page service may be asked where the page cannot be read directly.
    Page {
        url: String,
        render: bool,
        service: bool,
    },
    Read(ReadRequest),
    Write(WriteRequest),
    Brief(BriefRequest),
    Line(LineRequest),
    Survey(SurveyRequest),
    Outline(OutlineRequest),
    Section(SectionRequest),
    Synthesis(SynthesisRequest),
    Front(FrontRequest),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanRequest {
    pub question: String,
    /// Only what the user lets leave the machine: queries are written from it.
    pub context: Option<String>,
    pub attempt: u32,
    pub queries_max: u32,
    pub asked_before: Vec<String>,
    pub notes: Vec<PromptNote>,
    /// Sub-questions without any quotation so far.
    pub open: Vec<String>,
    pub today: String,
}

/// A page that may be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// As the provider that ranked it best wrote it.
    pub url: String,
    pub title: String,
    pub snippet: String,
    pub published: Option<String>,
    /// Who named it, in the order of `ProviderName`.
    pub providers: Vec<ProviderName>,
    pub score: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChooseRequest {
    pub question: String,
    pub pages_max: u32,
    pub candidates: Vec<Candidate>,
}

/// One page and one question; nothing else is ever sent to the reader.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadRequest {
    pub question: String,
    /// The parts of the page's text that fit a reader, in order.
    pub text: String,
    /// Texts of the page's links, to be named by their position.
    pub links: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WriteRequest {
    pub question: String,
    pub context: Option<String>,
    pub notes: Vec<PromptNote>,
    pub level: StrategyLevel,
    /// Asked for by the caller; else as long as the level has it.
    pub words: Option<u32>,
    /// Asked for by the caller; else that of the question.
    pub language: Option<String>,
    pub today: String,
}

/// A note as planner and writer see it: quotations and values, never the page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptNote {
    /// Position in the list of notes; what the writer cites.
    pub note: u32,
    pub site: String,
    pub published: Option<String>,
    pub question: String,
    pub quotes: Vec<String>,
}

/// The output of a task.
#[derive(Debug, Clone, PartialEq)]
pub struct WebTaskReply {
    pub task: WebTask,
    pub output: WebTaskOutput,
    pub bill: Bill,
}

#[derive(Debug, Clone, PartialEq)]
pub enum WebTaskOutput {
    Planned(QueryPlan),
    Found(SearchReply),
    /// Names of files, best first.
    Files(Vec<String>),
    Chosen(Vec<usize>),
    Page(Box<FetchedPage>),
    Read(ReadReply),
    Written(ReportDraft),
    Briefed(BriefAnswer),
    Lined(LineAnswer),
    Surveyed(SurveyAnswer),
    Outlined(OutlineAnswer),
    Sectioned(SectionAnswer),
    Synthesized(SynthesisAnswer),
    Fronted(FrontAnswer),
    Failed(CodedError),
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct QueryPlan {
    /// Each query with the question it is to answer.
    pub queries: Vec<PlannedQuery>,
    /// The planner sees nothing left to ask.
    #[serde(default)]
    pub enough: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedQuery {
    pub question: String,
    pub query: String,
}

#[derive(Debug, Clone, PartialEq)]
pub struct FetchedPage {
    pub record: PageRecord,
    pub snapshot: Vec<u8>,
    pub extract: Extract,
}

/// As the reader returned it: nothing here is accepted before it is found on the page.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReadReply {
    pub quotes: Vec<String>,
    pub facts: Vec<(FactKind, String, usize)>,
    pub links: Vec<usize>,
}

/// As the writer wrote it: sentences with the notes they rest on.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ReportDraft {
    pub title: String,
    pub sections: Vec<DraftSection>,
    /// What the notes do not answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unanswered: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct DraftSection {
    pub heading: String,
    pub sentences: Vec<DraftSentence>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct DraftSentence {
    pub text: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<u32>,
}

/// The part that the journal stores.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "kebab-case")]
pub enum WebTaskOutcome {
    Planned(QueryPlan),
    Found {
        hits: Vec<SearchHit>,
        #[serde(default)]
        heeded: FilterReport,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        silent_engines: Vec<String>,
    },
    Files {
        names: Vec<String>,
    },
    Chosen {
        candidates: Vec<u32>,
    },
    Page(Box<PageMetadata>),
    Noted(ReaderNote),
    Written(ReportDraft),
    Briefed(BriefAnswer),
    Lined(LineAnswer),
    Surveyed(SurveyNote),
    Outlined(OutlineAnswer),
    Sectioned(SectionAnswer),
    Synthesized(SynthesisAnswer),
    Fronted(FrontAnswer),
    Failed {
        problem: CodedError,
    },
}

/// A page whose bytes and text are stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageMetadata {
    pub record: PageRecord,
    pub snapshot: Digest,
    pub extract: Digest,
    pub title: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    pub fingerprint: Fingerprint,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub signs: Vec<InjectionSign>,
    /// Links that a reader may name by position.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<ExtractLink>,
}
