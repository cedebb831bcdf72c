//! Rounds on the Gemini CLI: each call is a question to a child process that no other process can find again.
//!
//! Questions under way are in memory only: after a crash they are gone, and the rules count them as lost.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use probity_models::{
    Transport,
    gemini::redirects::RedirectResolver,
    gemini_cli::{CliCall, CliEvent, CliReply, CliRequest, GeminiCli, UsageCoverage},
};
use probity_research::{
    engine_call::{EngineCall, EngineOutcome, Poll, RoundCall, RoundReply, StreamState},
    error::{Code, CodedError},
    id::RunId,
    progress::{NEWS_MAX, Progress, ProgressLine},
    rounds::{RoundsPlan, ToolEvidence, state::CallBilling},
    state::RunState,
    text,
};

use crate::{
    prompts::{CorrectionPlacement, Prompts},
    sources::resolve_sources,
};

/// Longest wait for output of the child process: deadlines are checked between two of them.
const LISTEN_MAX: Duration = Duration::from_secs(2);
/// Wait after the first output, for what comes with it.
const SETTLE: Duration = Duration::from_millis(300);
/// Longest progress line shown.
const NEWS_CHARACTERS_MAX: usize = 200;

pub struct CliRounds<T: Transport> {
    cli: GeminiCli,
    redirects: RedirectResolver<T>,
    turns: Mutex<HashMap<RunId, Arc<CliTurn>>>,
    count: AtomicU64,
}

/// One question under way. The task that listens has the lock; no other task waits for it.
struct CliTurn {
    remote_id: String,
    state: tokio::sync::Mutex<CliTurnState>,
}

struct CliTurnState {
    running: Option<CliCall>,
    progress: Progress,
    /// Kept until it was delivered: a listener may be cancelled while links are resolved.
    ended: Option<CliReply>,
}

impl<T: Transport> CliRounds<T> {
    pub fn new(cli: GeminiCli, redirects: RedirectResolver<T>) -> Self {
        Self { cli, redirects, turns: Mutex::default(), count: AtomicU64::new(1) }
    }

    pub async fn perform(
        &self,
        prompts: &Prompts,
        research: &RunState,
        plan: &RoundsPlan,
        call: &EngineCall,
    ) -> EngineOutcome {
        match call {
            EngineCall::Ask(round) => Box::pin(self.ask(prompts, research, plan, round)).await,
            EngineCall::Follow { remote_id, .. } => Box::pin(self.follow(research.id, remote_id)).await,
            EngineCall::Cancel { .. } => {
                self.stop(research.id).await;
                EngineOutcome::CancelAccepted
            }
            EngineCall::Collect { .. } => {
                EngineOutcome::Lost(CodedError::new(Code::Cancelled, "the round was stopped"))
            }
            EngineCall::Web(call) => {
                call.refused(CodedError::new(Code::UnknownEngine, "the Gemini CLI fetches by itself")).into()
            }
            EngineCall::Check(call) => {
                call.refused(CodedError::new(Code::UnknownEngine, "the Gemini CLI checks no claims")).into()
            }
            EngineCall::Create { .. } => EngineOutcome::Refused(CodedError::new(
                Code::UnknownEngine,
                "the Gemini CLI runs no Deep Research agent",
            )),
        }
    }

    /// No driver attends to this run any more: its questions are stopped, and their child processes with
    /// them.
    pub fn forget(&self, id: RunId) {
        drop(self.turns().remove(&id));
        self.cli.drop_session(&id.to_string());
    }

    async fn ask(
        &self,
        prompts: &Prompts,
        research: &RunState,
        plan: &RoundsPlan,
        call: &RoundCall,
    ) -> EngineOutcome {
        self.stop(research.id).await;
        let ask = CliRequest {
            session: research.id.to_string(),
            prompt: prompts.fill(plan.manner, research.query.as_str(), call, CorrectionPlacement::File),
            model: call.model.clone(),
            attachment: call.invalid.clone(),
        };
        match self.cli.begin(ask).await {
            Ok(running) => {
                let remote_id = format!("cli-{}", self.count.fetch_add(1, Ordering::Relaxed));
                let progress = Progress { remote_status: "running".to_owned(), ..Progress::default() };
                let state =
                    tokio::sync::Mutex::new(CliTurnState { running: Some(running), progress, ended: None });
                let turn = Arc::new(CliTurn { remote_id: remote_id.clone(), state });
                self.turns().insert(research.id, turn);
                EngineOutcome::Started { remote_id, cursor: None }
            }
            Err(problem) => EngineOutcome::Refused(problem),
        }
    }

    async fn follow(&self, id: RunId, remote_id: &str) -> EngineOutcome {
        let turn = self.turns().get(&id).filter(|turn| turn.remote_id == remote_id).cloned();
        let Some(turn) = turn else {
            let problem = CodedError::new(Code::RoundLost, "the process that ran this round is gone");
            return EngineOutcome::Lost(problem);
        };
        let mut state = turn.state.lock().await;
        listen(&mut state).await;
        let Some(ended) = &state.ended else {
            return EngineOutcome::Running(Box::new(Poll {
                progress: state.progress.clone(),
                cursor: None,
                stream: StreamState::Open,
                so_far: None,
            }));
        };
        let reply = resolve_sources(&self.redirects, reply(ended)).await;
        self.turns().remove(&id);
        EngineOutcome::Answered(Box::new(reply))
    }

    async fn stop(&self, id: RunId) {
        let turn = self.turns().remove(&id);
        if let Some(turn) = turn
            && let Some(running) = turn.state.lock().await.running.take()
        {
            running.stop().await;
        }
    }

    fn turns(&self) -> std::sync::MutexGuard<'_, HashMap<RunId, Arc<CliTurn>>> {
        self.turns.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Until there is output and then a moment longer, until the end, or until the timeout.
async fn listen(state: &mut CliTurnState) {
    let mut limit = LISTEN_MAX;
    while state.ended.is_none() {
        let Some(running) = &mut state.running else { return };
        let Ok(heard) = tokio::time::timeout(limit, running.next()).await else { return };
        match heard {
            CliEvent::Ended(ended) => {
                state.ended = Some(*ended);
                state.running = None;
            }
            other => {
                record_event(&mut state.progress, other);
                limit = SETTLE;
            }
        }
    }
}

fn record_event(progress: &mut Progress, heard: CliEvent) {
    let line = |text: &str| text::line(text, NEWS_CHARACTERS_MAX);
    let news = match heard {
        CliEvent::Searched(query) => {
            progress.searches = progress.searches.saturating_add(1);
            ProgressLine::Search(line(&query))
        }
        CliEvent::Fetching(address) => {
            progress.pages = progress.pages.saturating_add(1);
            ProgressLine::Page(line(&address))
        }
        CliEvent::Thought(thought) => ProgressLine::Thought(line(&thought)),
        CliEvent::Wrote(_) => ProgressLine::Writing("the answer".to_owned()),
        CliEvent::Ended(_) => return,
    };
    if progress.news.last() != Some(&news) {
        progress.steps = progress.steps.saturating_add(1);
        if progress.news.len() >= NEWS_MAX {
            progress.news.remove(0);
        }
        progress.news.push(news);
    }
}

fn reply(ended: &CliReply) -> RoundReply {
    let problem = ended.outcome.as_ref().err().cloned();
    // The small calls inside a search are not reported when a process is shared: the counts are incomplete.
    let whole = ended.counted == UsageCoverage::Everything || ended.queries.is_empty();
    let billed = match ended.usage {
        Some(usage) if whole => CallBilling::Counted(usage),
        Some(usage) => CallBilling::AtLeast(usage),
        None => CallBilling::Unknown,
    };
    RoundReply {
        text: ended.text.clone(),
        citations: Vec::new(),
        evidence: ToolEvidence {
            sources: ended.sources.clone(),
            queries: ended.queries.clone(),
            pages: ended.pages.clone(),
        },
        billed,
        model: ended.model.clone(),
        redirects: Vec::new(),
        problem,
        raw: ended.raw.clone(),
    }
}
