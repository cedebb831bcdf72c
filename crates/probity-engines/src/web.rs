//! The web engine: searches, fetches, reads and writes what the rules ask for, one call at a time.
//!
//! Planner, chooser, reader and writer are separate calls that share nothing. Only the reader sees a page, and one
//! page; none of them has a tool, a key or an address.

mod check;
mod model_answers;
mod model_prompts;
mod page;
mod schema;

use std::{path::Path, sync::Arc, time::Duration};

use probity_extract::ParserPool;
use probity_models::{
    Transport,
    chat::{ChatCall, ChatClient, ChatError},
};
use probity_research::{
    engine_call::EngineOutcome,
    error::{Code, CodedError},
    inquiry::ModelRole,
    state::RunState,
    time::Moment,
    web::{
        Bill,
        plan::WebPlan,
        task::{WebCall, WebRequest, WebTask, WebTaskOutput, WebTaskReply},
    },
};
use probity_web::{
    archive::WebArchive,
    browser::Browser,
    fetch::{AddressGuard, Fetcher},
    local::{LocalFolder, LocalLimits, rank},
    page_service::PageService,
    search::SearchClient,
};

use crate::{
    judge::Judge,
    prompts::{PromptName, Prompts},
};
use schema::ModelCallKind;

/// One call of a model. A writer with eighty notes takes a minute; a small local model takes longer.
const CALL_TIME_MAX: Duration = Duration::from_secs(180);
/// Bytes of a file that are read before one is chosen: its beginning says what it is about.
const FILE_PREVIEW_BYTES: usize = 64 * 1024;

/// The parts, as the program puts them together.
pub struct WebEngine<T: Transport> {
    pub fetcher: Arc<Fetcher>,
    pub search: SearchClient,
    pub parser: ParserPool,
    /// Asked for pages that are gone.
    pub archive: Option<WebArchive>,
    /// Asked for pages that cannot be read directly, where the rules allow it.
    pub page_service: Option<PageService>,
    /// Renders pages whose text is made by scripts, or why it cannot.
    pub browser: Result<Browser<AddressGuard>, CodedError>,
    /// None: the rules do without.
    pub chat: Option<ChatClient<T>>,
    /// Take a part of the chat model's work.
    pub roles: RoleClients<T>,
    /// Asked whether passages support claims.
    pub judge: Option<Judge<T>>,
    /// Asked about what the judge calls supported.
    pub second_judge: Option<Judge<T>>,
    pub now: Box<dyn Fn() -> Moment + Send + Sync>,
}

/// The models of roles that have one of their own.
pub struct RoleClients<T: Transport> {
    pub planner: Option<ChatClient<T>>,
    pub reader: Option<ChatClient<T>>,
    pub writer: Option<ChatClient<T>>,
}

impl<T: Transport> RoleClients<T> {
    /// None of them.
    pub fn none() -> Self {
        Self { planner: None, reader: None, writer: None }
    }

    pub(crate) fn of(&self, task: &WebTask) -> Option<&ChatClient<T>> {
        match ModelRole::of(task)? {
            ModelRole::Planner => self.planner.as_ref(),
            ModelRole::Reader => self.reader.as_ref(),
            ModelRole::Writer => self.writer.as_ref(),
            // Claims are judged by whom the checks name.
            ModelRole::Judge => None,
        }
    }
}

impl<T: Transport> WebEngine<T> {
    pub async fn perform(
        &self,
        prompts: &Prompts,
        research: &RunState,
        plan: &WebPlan,
        call: &WebCall,
    ) -> EngineOutcome {
        let (brought, bill) = match &call.ask {
            WebRequest::Search(search) => match self.search.ask(search).await {
                Ok(answer) => {
                    let bill = answer.bill;
                    (WebTaskOutput::Found(answer), bill)
                }
                Err(failure) => (WebTaskOutput::Failed(failure.problem), failure.bill),
            },
            WebRequest::Page { url, render, service } => self.page(plan, url, *render, *service).await,
            WebRequest::Folder { path, question, files_max } => {
                (self.folder(path, question, *files_max), Bill::NOTHING)
            }
            WebRequest::Plan(_) | WebRequest::Choose(_) | WebRequest::Read(_) | WebRequest::Write(_) => {
                self.model(prompts, call).await
            }
            WebRequest::Brief(_)
            | WebRequest::Line(_)
            | WebRequest::Survey(_)
            | WebRequest::Outline(_)
            | WebRequest::Section(_)
            | WebRequest::Synthesis(_)
            | WebRequest::Front(_) => Box::pin(self.inquire(prompts, plan, call)).await,
        };
        tracing::debug!(research = %research.id, task = ?call.task, failed = matches!(brought, WebTaskOutput::Failed(_)));
        EngineOutcome::Web(Box::new(WebTaskReply { task: call.task, output: brought, bill }))
    }

    async fn model(&self, prompts: &Prompts, WebCall { task, ask, .. }: &WebCall) -> (WebTaskOutput, Bill) {
        let (Some(chat), Some(kind)) = (&self.chat, ModelCallKind::of(ask)) else {
            let problem = CodedError::new(Code::KeyMissing, "no chat model is configured any more");
            return (WebTaskOutput::Failed(problem), Bill::NOTHING);
        };
        let chat = self.roles.of(task).unwrap_or(chat);
        let call = ChatCall {
            system: prompts.text(PromptName::WebSystem).to_owned(),
            user: model_prompts::fill_model_prompt(prompts, ask),
            schema: Some(kind.schema()),
            schema_name: kind.name(),
            output_tokens_max: kind.output_tokens_max(),
            deadline: CALL_TIME_MAX,
        };
        match Box::pin(chat.ask(call)).await {
            Ok(reply) => (model_answers::parse_answer(kind, &reply.text), reply.bill),
            Err(ChatError { problem, bill }) => (WebTaskOutput::Failed(problem), bill),
        }
    }

    /// Names of the files that fit the question best.
    fn folder(&self, path: &str, question: &str, files_max: u32) -> WebTaskOutput {
        let limits = LocalLimits::default();
        let files = LocalFolder::open(Path::new(path)).and_then(|folder| {
            let listing = folder.files(&limits)?;
            let preview = |file| {
                let read = folder.read(file, &limits, (self.now)()).ok()?;
                let start = read.bytes.get(..read.bytes.len().min(FILE_PREVIEW_BYTES)).unwrap_or_default();
                Some(String::from_utf8_lossy(start).into_owned())
            };
            let texts: Vec<String> = listing
                .files
                .iter()
                .map(|file| format!("{} {}", file.name, preview(file).unwrap_or_default()))
                .collect();
            let most = usize::try_from(files_max).unwrap_or(usize::MAX);
            let best = rank(question, &texts).into_iter().take(most);
            Ok(best
                .filter_map(|ranked| listing.files.get(ranked.index))
                .map(|file| file.name.clone())
                .collect())
        });
        match files {
            Ok(names) => WebTaskOutput::Files(names),
            Err(problem) => WebTaskOutput::Failed(problem),
        }
    }
}
