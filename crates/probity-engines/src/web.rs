//! The web engine: searches, fetches, reads and writes what the rules ask for, one call at a time.
//!
//! Planner, chooser, reader and writer are separate calls that share nothing. Only the reader sees a page, and one
//! page; none of them has a tool, a key or an address.

mod answer;
mod check;
mod page;
mod schema;
mod words;

use std::{path::Path, sync::Arc, time::Duration};

use probity_extract::Parser;
use probity_models::{
    Transport,
    chat::{Chat, ChatCall, ChatFailure},
};
use probity_research::{
    error::{Code, Problem},
    finding::Finding,
    state::Research,
    time::Moment,
    web::{
        Bill,
        plan::WebPlan,
        task::{Ask, Brought, WebCall, WebFinding},
    },
};
use probity_web::{
    archive::Archive,
    browser::Browser,
    fetch::{Fetcher, Guard},
    local::{Folder, LocalLimits, rank},
    search::Search,
};

use crate::{
    judge::Judge,
    prompts::{PromptName, Prompts},
};
use schema::Kind;

/// One call of a model. A writer with eighty notes takes a minute; a small local model takes longer.
const CALL_TIME_MAX: Duration = Duration::from_secs(180);
/// Of a file whose text is looked at before one is chosen, in bytes: its beginning says what it is about.
const FILE_GLANCE_BYTES: usize = 64 * 1024;

/// The parts, as the program puts them together.
pub struct WebEngine<T: Transport> {
    pub fetcher: Arc<Fetcher>,
    pub search: Search,
    pub parser: Parser,
    /// Looked into for pages that are gone.
    pub archive: Option<Archive>,
    /// Builds pages whose text scripts make, or why it cannot.
    pub browser: Result<Browser<Guard>, Problem>,
    /// None: the rules do without.
    pub chat: Option<Chat<T>>,
    /// Asked whether passages say what claims say.
    pub judge: Option<Judge<T>>,
    pub now: Box<dyn Fn() -> Moment + Send + Sync>,
}

impl<T: Transport> WebEngine<T> {
    pub async fn perform(
        &self,
        prompts: &Prompts,
        research: &Research,
        plan: &WebPlan,
        call: &WebCall,
    ) -> Finding {
        let (brought, bill) = match &call.ask {
            Ask::Search(search) => match self.search.ask(search).await {
                Ok(answer) => {
                    let bill = answer.bill;
                    (Brought::Found(answer), bill)
                }
                Err(failure) => (Brought::Failed(failure.problem), failure.bill),
            },
            Ask::Page { url, render } => (self.page(plan, url, *render).await, Bill::NOTHING),
            Ask::Folder { path, question, files_max } => {
                (self.folder(path, question, *files_max), Bill::NOTHING)
            }
            Ask::Plan(_) | Ask::Choose(_) | Ask::Read(_) | Ask::Write(_) => {
                self.model(prompts, &call.ask).await
            }
        };
        tracing::debug!(research = %research.id, task = ?call.task, failed = matches!(brought, Brought::Failed(_)));
        Finding::Web(Box::new(WebFinding { task: call.task, brought, bill }))
    }

    async fn model(&self, prompts: &Prompts, ask: &Ask) -> (Brought, Bill) {
        let (Some(chat), Some(kind)) = (&self.chat, Kind::of(ask)) else {
            let problem = Problem::new(Code::KeyMissing, "no chat model is configured any more");
            return (Brought::Failed(problem), Bill::NOTHING);
        };
        let call = ChatCall {
            system: prompts.text(PromptName::WebSystem).to_owned(),
            user: words::fill(prompts, ask),
            schema: Some(kind.schema()),
            schema_name: kind.name(),
            output_tokens_max: kind.output_tokens_max(),
            deadline: CALL_TIME_MAX,
        };
        match Box::pin(chat.ask(call)).await {
            Ok(reply) => (answer::read(kind, &reply.text), reply.bill),
            Err(ChatFailure { problem, bill }) => (Brought::Failed(problem), bill),
        }
    }

    /// Names of the files that fit the question best.
    fn folder(&self, path: &str, question: &str, files_max: u32) -> Brought {
        let limits = LocalLimits::default();
        let files = Folder::open(Path::new(path)).and_then(|folder| {
            let listing = folder.files(&limits)?;
            let glance = |file| {
                let read = folder.read(file, &limits, (self.now)()).ok()?;
                let start = read.bytes.get(..read.bytes.len().min(FILE_GLANCE_BYTES)).unwrap_or_default();
                Some(String::from_utf8_lossy(start).into_owned())
            };
            let texts: Vec<String> = listing
                .files
                .iter()
                .map(|file| format!("{} {}", file.name, glance(file).unwrap_or_default()))
                .collect();
            let most = usize::try_from(files_max).unwrap_or(usize::MAX);
            let best = rank(question, &texts).into_iter().take(most);
            Ok(best
                .filter_map(|ranked| listing.files.get(ranked.index))
                .map(|file| file.name.clone())
                .collect())
        });
        match files {
            Ok(names) => Brought::Files(names),
            Err(problem) => Brought::Failed(problem),
        }
    }
}
