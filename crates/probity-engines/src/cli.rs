//! Rounds on the Gemini CLI: each call is a question to a child process that nobody else can find again.
//!
//! What runs is kept in memory only: after a crash it is gone, and the rules count it as lost.

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
    gemini::redirects::Redirects,
    gemini_cli::{Ask, Counted, Ended, GeminiCli, Heard, Running},
};
use probity_research::{
    error::{Code, Problem},
    finding::{Call, Ear, Finding, Reply, RoundCall, Sighting},
    id::ResearchId,
    progress::{NEWS_MAX, News, Progress},
    rounds::{Evidence, RoundsPlan, course::Billed},
    state::Research,
    text,
};

use crate::{
    prompts::{Carried, Prompts},
    sources::name_sources,
};

/// Longest listening without news: deadlines are judged between two of them.
const LISTEN_MAX: Duration = Duration::from_secs(2);
/// After the first news, for what comes with it.
const SETTLE: Duration = Duration::from_millis(300);
/// Longest piece of news shown.
const NEWS_CHARACTERS_MAX: usize = 200;

pub struct CliRounds<T: Transport> {
    cli: GeminiCli,
    redirects: Redirects<T>,
    turns: Mutex<HashMap<ResearchId, Arc<Turn>>>,
    count: AtomicU64,
}

/// One question under way. The lock is held by whoever listens; nobody else waits for it.
struct Turn {
    remote_id: String,
    state: tokio::sync::Mutex<State>,
}

struct State {
    running: Option<Running>,
    progress: Progress,
    /// Kept until it was delivered: a listener may be called away while links are resolved.
    ended: Option<Ended>,
}

impl<T: Transport> CliRounds<T> {
    pub fn new(cli: GeminiCli, redirects: Redirects<T>) -> Self {
        Self { cli, redirects, turns: Mutex::default(), count: AtomicU64::new(1) }
    }

    pub async fn perform(
        &self,
        prompts: &Prompts,
        research: &Research,
        plan: &RoundsPlan,
        call: &Call,
    ) -> Finding {
        match call {
            Call::Ask(round) => Box::pin(self.ask(prompts, research, plan, round)).await,
            Call::Follow { remote_id, .. } => Box::pin(self.follow(research.id, remote_id)).await,
            Call::Cancel { .. } => {
                self.stop(research.id).await;
                Finding::CancelAccepted
            }
            Call::Collect { .. } => Finding::Lost(Problem::new(Code::Cancelled, "the round was stopped")),
            Call::Web(call) => {
                call.refused(Problem::new(Code::UnknownEngine, "the Gemini CLI fetches by itself"))
            }
            Call::Check(call) => {
                call.refused(Problem::new(Code::UnknownEngine, "the Gemini CLI checks no claims"))
            }
            Call::Create { .. } => Finding::Refused(Problem::new(
                Code::UnknownEngine,
                "the Gemini CLI runs no Deep Research agent",
            )),
        }
    }

    /// Nobody attends to this research any more: what runs for it is stopped, and its process with it.
    pub fn forget(&self, id: ResearchId) {
        drop(self.turns().remove(&id));
        self.cli.drop_session(&id.to_string());
    }

    async fn ask(
        &self,
        prompts: &Prompts,
        research: &Research,
        plan: &RoundsPlan,
        call: &RoundCall,
    ) -> Finding {
        self.stop(research.id).await;
        let ask = Ask {
            session: research.id.to_string(),
            prompt: prompts.fill(plan.manner, research.query.as_str(), call, Carried::File),
            model: call.model.clone(),
            attachment: call.invalid.clone(),
        };
        match self.cli.begin(ask).await {
            Ok(running) => {
                let remote_id = format!("cli-{}", self.count.fetch_add(1, Ordering::Relaxed));
                let progress = Progress { remote_status: "running".to_owned(), ..Progress::default() };
                let state = tokio::sync::Mutex::new(State { running: Some(running), progress, ended: None });
                let turn = Arc::new(Turn { remote_id: remote_id.clone(), state });
                self.turns().insert(research.id, turn);
                Finding::Started { remote_id, cursor: None }
            }
            Err(problem) => Finding::Refused(problem),
        }
    }

    async fn follow(&self, id: ResearchId, remote_id: &str) -> Finding {
        let turn = self.turns().get(&id).filter(|turn| turn.remote_id == remote_id).cloned();
        let Some(turn) = turn else {
            let problem = Problem::new(Code::RoundLost, "the process that ran this round is gone");
            return Finding::Lost(problem);
        };
        let mut state = turn.state.lock().await;
        listen(&mut state).await;
        let Some(ended) = &state.ended else {
            return Finding::Seen(Box::new(Sighting {
                progress: state.progress.clone(),
                cursor: None,
                ear: Ear::Open,
                so_far: None,
            }));
        };
        let reply = name_sources(&self.redirects, reply(ended)).await;
        self.turns().remove(&id);
        Finding::Answered(Box::new(reply))
    }

    async fn stop(&self, id: ResearchId) {
        let turn = self.turns().remove(&id);
        if let Some(turn) = turn
            && let Some(running) = turn.state.lock().await.running.take()
        {
            running.stop().await;
        }
    }

    fn turns(&self) -> std::sync::MutexGuard<'_, HashMap<ResearchId, Arc<Turn>>> {
        self.turns.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Until there is news and then a moment longer, until the end, or until the limit.
async fn listen(state: &mut State) {
    let mut limit = LISTEN_MAX;
    while state.ended.is_none() {
        let Some(running) = &mut state.running else { return };
        let Ok(heard) = tokio::time::timeout(limit, running.next()).await else { return };
        match heard {
            Heard::Ended(ended) => {
                state.ended = Some(*ended);
                state.running = None;
            }
            other => {
                take_in(&mut state.progress, other);
                limit = SETTLE;
            }
        }
    }
}

fn take_in(progress: &mut Progress, heard: Heard) {
    let line = |text: &str| text::line(text, NEWS_CHARACTERS_MAX);
    let news = match heard {
        Heard::Searched(query) => {
            progress.searches = progress.searches.saturating_add(1);
            News::Search(line(&query))
        }
        Heard::Fetching(address) => {
            progress.pages = progress.pages.saturating_add(1);
            News::Page(line(&address))
        }
        Heard::Thought(thought) => News::Thought(line(&thought)),
        Heard::Wrote(_) => News::Writing("the answer".to_owned()),
        Heard::Ended(_) => return,
    };
    if progress.news.last() != Some(&news) {
        progress.steps = progress.steps.saturating_add(1);
        if progress.news.len() >= NEWS_MAX {
            progress.news.remove(0);
        }
        progress.news.push(news);
    }
}

fn reply(ended: &Ended) -> Reply {
    let problem = ended.outcome.as_ref().err().cloned();
    // The small calls inside a search are not reported when a process is shared: what is counted is not all.
    let whole = ended.counted == Counted::Everything || ended.queries.is_empty();
    let billed = match ended.usage {
        Some(usage) if whole => Billed::Counted(usage),
        Some(usage) => Billed::AtLeast(usage),
        None => Billed::Unknown,
    };
    Reply {
        text: ended.text.clone(),
        citations: Vec::new(),
        evidence: Evidence {
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
