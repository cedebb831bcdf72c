//! One task in checking a report: its request and its output.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{
    error::CodedError,
    id::Digest,
    ledger::{ClaimContext, ClaimId, Opinion, PassageContext},
    report::Report,
    time::Moment,
    web::{
        bill::Bill,
        task::{FetchedPage, PageMetadata},
    },
};

/// Names a task; the same after a crash.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "check", rename_all = "kebab-case")]
pub enum CheckTask {
    /// Fetch a cited page, or find it in an archive.
    Page { url: String },
    /// Split the report, find passages, compare by rule.
    Examine,
    /// Put these claims to the judge.
    Judge { claims: Vec<ClaimId> },
    /// Put these questions of the exam to the judge, before anything it says counts.
    Exam { batch: u32 },
    /// Answers to the same questions that were bought before.
    Recall,
    /// The same for the second judge.
    Second { task: Box<CheckTask> },
}

impl CheckTask {
    /// The judge that it is for, and what it is for whichever judge.
    pub fn seat(&self) -> (JudgeSeat, &Self) {
        match self {
            Self::Second { task } => (JudgeSeat::Second, task),
            Self::Page { .. } | Self::Examine | Self::Judge { .. } | Self::Exam { .. } | Self::Recall => {
                (JudgeSeat::First, self)
            }
        }
    }
}

/// Which of the judges of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JudgeSeat {
    First,
    /// Asked about what the first one calls supported.
    Second,
}

impl JudgeSeat {
    /// The task as it is put to this judge.
    pub fn task(self, task: CheckTask) -> CheckTask {
        match self {
            Self::First => task,
            Self::Second => CheckTask::Second { task: Box::new(task) },
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct CheckCall {
    pub task: CheckTask,
    /// A second call could be paid for twice: it is never interrupted.
    pub paid: bool,
    pub ask: CheckRequest,
}

impl CheckCall {
    /// Not even begun: nothing was paid.
    pub fn refused(&self, problem: CodedError) -> CheckTaskReply {
        let output = CheckTaskOutput::Failed(problem);
        CheckTaskReply { task: self.task.clone(), output, bill: Bill::NOTHING }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub enum CheckRequest {
    Page { url: String },
    Examine(Box<ExamineRequest>),
    Judge(JudgeRequest),
}

/// A report with every page it cites.
#[derive(Debug, Clone, PartialEq)]
pub struct ExamineRequest {
    pub report: Report,
    pub pages: Vec<CitedPage>,
    pub at: Moment,
    pub judging: JudgeLocation,
    /// It is the user's own text, not a report of ours.
    pub given: bool,
    /// Claims that are examined; the text after them is said not to be.
    pub claims_max: usize,
}

/// Which judge is asked about what the rules leave open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JudgeLocation {
    Absent,
    /// On this machine: it may see the user's own files.
    Local,
    Remote,
}

/// A page that the report names, as it was stored or why it was not.
#[derive(Debug, Clone, PartialEq)]
pub struct CitedPage {
    /// As the report names it.
    pub url: String,
    pub page: Result<StoredPage, String>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct StoredPage {
    pub metadata: PageMetadata,
    /// Its text, as `Extract::encode` stores it.
    pub extract: Arc<[u8]>,
    /// Parts of its text that a reader quoted when the report was written.
    pub quoted: Vec<(usize, usize)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JudgeRequest {
    pub items: Vec<JudgeItem>,
}

/// One claim and the passages it most likely rests on, each with what a reader sees around it; nothing else is ever sent
/// to the judge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JudgeItem {
    pub claim: ClaimId,
    pub words: String,
    pub context: ClaimContext,
    /// The only texts that a judge may quote.
    pub passages: Vec<String>,
    /// What the rules noticed, in words: remarks for the judge, who decides.
    pub witnesses: Vec<String>,
    /// What stands around each of `passages`; none where nothing is known.
    pub passage_contexts: Vec<PassageContext>,
    /// Page and first byte of each of `passages`, which come best first; none where nothing is known.
    pub passage_places: Vec<(u32, usize)>,
    /// It is asked whether it follows from claims of its own text, which stand in `passages`.
    pub is_inference: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub struct CheckTaskReply {
    pub task: CheckTask,
    pub output: CheckTaskOutput,
    pub bill: Bill,
}

#[derive(Debug, Clone, PartialEq)]
pub enum CheckTaskOutput {
    Page(Box<FetchedPage>),
    /// The report with its citations repaired and its ledger begun.
    Examined(Box<Report>),
    Judged(Vec<JudgeReply>),
    Failed(CodedError),
}

/// As the judge answered: nothing here is accepted before its quotation is found on the page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JudgeReply {
    pub claim: ClaimId,
    pub opinion: Opinion,
    pub quotations: Vec<String>,
    pub confidence: u8,
    pub reason: String,
}

/// The part that the journal stores.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "kebab-case")]
pub enum CheckTaskOutcome {
    Page(Box<PageMetadata>),
    Examined { draft: Digest, questions: u32 },
    Judged { answers: Vec<JudgeAnswer> },
    Failed { problem: CodedError },
}

/// A judge's opinion on one claim, with the positions on stored pages that it named.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgeAnswer {
    pub claim: ClaimId,
    /// Names the question: claim, passages and judge. The same question is never bought twice.
    pub key: Digest,
    pub opinion: Opinion,
    /// Passage of the question, and the byte range in it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<(u32, usize, usize)>,
    pub confidence: u8,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// When it was given, where it was kept and is used again; none for an answer to this very text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judged_at: Option<Moment>,
}
