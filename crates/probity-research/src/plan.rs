//! What one run is allowed to do. Written into its first event and never read from settings again.

use probity_types::estimate::Estimate;
use serde::{Deserialize, Serialize};

use crate::{
    agent::AgentName,
    approval::Approval,
    checking::CheckPlan,
    id::{Digest, RunId},
    principal::Principal,
    rounds::RoundsPlan,
    web::plan::{NO_MODEL, WebPlan},
};

pub use crate::limits::RunLimits;
pub use probity_types::notify::Notify;

/// Which way to gather.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EngineName {
    GeminiApi,
    GeminiCli,
    /// Our own: search providers, the guarded fetcher and any chat model, or none.
    Web,
}

impl EngineName {
    pub const ALL: [Self; 3] = [Self::GeminiApi, Self::GeminiCli, Self::Web];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::GeminiApi => "gemini-api",
            Self::GeminiCli => "gemini-cli",
            Self::Web => "web",
        }
    }

    /// As people call it.
    pub fn title(self) -> &'static str {
        match self {
            Self::GeminiApi => "Gemini API",
            Self::GeminiCli => "Gemini CLI",
            Self::Web => "Probity's own web engine",
        }
    }
}

/// Why a run gathers the way it does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EngineReason {
    /// By a setting, a flag or an argument.
    Named,
    /// Pages, folders, filters, a browser, a depth, a length or a language were asked for.
    OnlyWeb,
    /// `deep_research` goes as deep as the question needs where somebody was chosen to search.
    SearchProvider,
    GeminiKey,
    /// We have no key, the Gemini CLI has one.
    CliKey,
    /// There is neither a key nor the Gemini CLI.
    CliMissing,
    /// The Gemini CLI is there and has no key either.
    CliWithoutKey,
}

impl EngineReason {
    /// `Gemini API, because a key is set`.
    pub fn sentence(self, engine: EngineName) -> String {
        let because = match self {
            Self::Named => "it was asked for by name",
            Self::OnlyWeb => {
                "only it takes a depth, a length, a language, pages, folders, filters or a browser"
            }
            Self::SearchProvider => {
                "a search provider is configured, and it goes as deep as the question needs"
            }
            Self::GeminiKey => "a key is set",
            Self::CliKey => "Probity has no key, and the Gemini CLI has one of its own",
            Self::CliMissing => "no Gemini key is set and no Gemini CLI was found",
            Self::CliWithoutKey => "no Gemini key is set and the Gemini CLI has none of its own",
        };
        format!("{}, because {because}", engine.title())
    }
}

/// Whether the agent runs at once or first proposes a plan to be refined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TurnKind {
    #[default]
    Research,
    Planning,
    /// A follow-up question to a model, with the finished run as its context.
    FollowUp,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    pub engine: EngineName,
    /// Why it is this one; none where there was no choice, or from before it was stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine_reason: Option<EngineReason>,
    pub agent: AgentName,
    #[serde(default)]
    pub turn: TurnKind,
    /// The provider's id of the run that this one continues.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub continues: Option<String>,
    /// The run that this one continues, by our own id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub follows: Option<RunId>,
    /// The principal that asked; none is the machine's own user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked_by: Option<Principal>,
    #[serde(default)]
    pub notify: Notify,
    pub limits: RunLimits,
    /// Work in rounds with a model, instead of one long run of an agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rounds: Option<Box<RoundsPlan>>,
    /// Gather on our own web engine; `rounds` then says by which tool it was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub web: Option<Box<WebPlan>>,
    /// Check every claim before it ends; none: as it was before claims were checked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checks: Option<Box<CheckPlan>>,
    /// A text of the user's own to check, stored under this digest: nothing is gathered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub given: Option<Digest>,
    /// What it was expected to cost when it began: reserved until the counted cost is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimate: Option<Estimate>,
    /// How its start was approved; none: before approvals were stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval: Option<Approval>,
    /// The release that the run began under; none: one from before it was stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked_with: Option<String>,
    /// The caller gets the id at once and never waits for the end in the same call.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub handed_over: bool,
}

impl Plan {
    /// A run in rounds. The agent is not called; it stands for what a Deep Research run would take.
    pub fn for_rounds(engine: EngineName, rounds: RoundsPlan, limits: RunLimits) -> Self {
        Self { engine, rounds: Some(Box::new(rounds)), ..Self::new(AgentName::default(), limits) }
    }

    /// Which engine and why, in words; none where there was no choice.
    pub fn engine_sentence(&self) -> Option<String> {
        self.engine_reason.map(|reason| reason.sentence(self.engine))
    }

    /// The model of the rounds, or the agent.
    pub fn model_or_agent(&self) -> &str {
        if self.given.is_some() {
            return self
                .checks
                .as_ref()
                .and_then(|checks| checks.judge.as_ref())
                .map_or(NO_MODEL, |judge| &judge.name);
        }
        match (&self.web, &self.rounds) {
            (Some(web), _) => web.writer().unwrap_or(NO_MODEL),
            (None, Some(rounds)) => rounds.model_name(),
            (None, None) => self.agent.as_str(),
        }
    }

    /// A run on our own web engine, asked for by the tool that `rounds` names.
    pub fn for_web(rounds: RoundsPlan, web: WebPlan, limits: RunLimits) -> Self {
        Self { web: Some(Box::new(web)), ..Self::for_rounds(EngineName::Web, rounds, limits) }
    }

    /// Nothing is gathered: the stored text is checked.
    pub fn for_check(text: Digest, checks: CheckPlan, limits: RunLimits) -> Self {
        Self {
            engine: EngineName::Web,
            checks: Some(Box::new(checks)),
            given: Some(text),
            ..Self::new(AgentName::default(), limits)
        }
    }

    /// A first run of this agent, asked by the machine's own user.
    pub fn new(agent: AgentName, limits: RunLimits) -> Self {
        Self {
            engine: EngineName::GeminiApi,
            engine_reason: None,
            agent,
            turn: TurnKind::Research,
            continues: None,
            follows: None,
            asked_by: None,
            notify: Notify::WhenDone,
            limits,
            rounds: None,
            web: None,
            checks: None,
            given: None,
            estimate: None,
            approval: None,
            asked_with: None,
            handed_over: false,
        }
    }
}
