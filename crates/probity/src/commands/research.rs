//! `probity research`: one question, one report; in rounds with `--rounds`. `--detach` leaves the work to a
//! background process and prints the run's id.

use std::path::{Path, PathBuf};

use clap::Args;
use probity_research::{
    Code,
    plan::{EngineName, EngineReason, Plan},
    query::Query,
    rounds::Mode,
    text,
    web::{
        StrategyHints, StrategyLevel, TaskScope, TaskType,
        strategy::{ATTEMPTS_MAX, CONTEXT_BYTES_MAX, WORDS_MAX, WORDS_MIN, parse_language},
    },
};

use crate::{
    app_context,
    approve::{ApprovalArguments, ApprovalRequest},
    command_context::CommandContext,
    command_error::CommandError,
    exit::Exit,
    keys::ProviderKeys,
    plan_file::{self, PlanFile, editor},
    planning::{self, PlanningRequest},
    render::OutputFormat,
    settings::{Settings, raw::RawSettings, rounds::EngineChoice},
    source_arguments::SourceArguments,
    start_run::{self, CliStartOptions, flags},
};

#[derive(Debug, Args)]
pub struct ResearchArguments {
    /// The question, best in quotes
    #[arg(required = true, value_name = "QUESTION")]
    pub question: Vec<String>,
    /// The agent that researches; `probity doctor` lists them
    #[arg(long, value_name = "NAME", conflicts_with = "rounds")]
    pub agent: Option<String>,
    /// Search, verify and correct in rounds until the answer is verified: minutes and cents
    #[arg(long)]
    pub rounds: bool,
    /// Go as deep as the question needs on the web engine
    #[arg(long, conflicts_with_all = ["rounds", "agent"])]
    pub web: bool,
    /// How deep, on the web engine: none, shallow (or quick), medium (or standard), deep, exhaustive
    #[arg(long, value_name = "DEPTH", conflicts_with_all = ["rounds", "agent"])]
    pub depth: Option<String>,
    /// About so many words in the report, on the web engine: 100 to 12000
    #[arg(long, value_name = "N", conflicts_with_all = ["rounds", "agent"], value_parser = clap::value_parser!(u32).range(i64::from(WORDS_MIN)..=i64::from(WORDS_MAX)))]
    pub words: Option<u32>,
    /// The language of the report, on the web engine, such as German or pt-BR; else that of the question
    #[arg(long, value_name = "LANGUAGE", conflicts_with_all = ["rounds", "agent"])]
    pub answer_language: Option<String>,
    /// How large the task is: tiny, normal or large
    #[arg(long, value_name = "SIZE")]
    pub scope: Option<String>,
    /// What kind of task: reference, debug, architecture or research
    #[arg(long = "type", value_name = "KIND")]
    pub kind: Option<String>,
    /// A file with context of your own; it is never sent to a search provider
    #[arg(long, value_name = "FILE", requires = "web")]
    pub context: Option<PathBuf>,
    /// Let words of that context be part of searches
    #[arg(long, requires = "context")]
    pub share_context: bool,
    /// Attempts at most, from 1 to 10; else as many as the depth has
    #[arg(long, value_name = "N", requires = "web", value_parser = clap::value_parser!(u32).range(1..=i64::from(ATTEMPTS_MAX)))]
    pub max_attempts: Option<u32>,
    /// Rounds at most, from 2 to 20
    #[arg(long, value_name = "N", requires = "rounds", allow_negative_numbers = true)]
    pub max_iterations: Option<String>,
    /// What works in rounds: auto, gemini-api, gemini-cli or web
    #[arg(long, value_name = "NAME", requires = "rounds")]
    pub engine: Option<String>,
    /// The model that works in rounds; else the engine chooses
    #[arg(long, value_name = "NAME", requires = "rounds")]
    pub model: Option<String>,
    /// What this research may cost, such as 2.50
    #[arg(long, value_name = "USD")]
    pub budget: Option<String>,
    /// How long it may take, such as 20m; ending takes up to 4 s more, and a start that the provider does not answer is given up after 60 s
    #[arg(long, value_name = "SPAN")]
    pub max_time: Option<String>,
    /// Show the plan and its price first, and ask before starting
    #[arg(long)]
    pub plan: bool,
    /// A text file with depth, words, language and parts of the question that must be looked into
    #[arg(long, value_name = "FILE", conflicts_with_all = ["rounds", "agent", "depth", "words", "answer_language", "edit_plan"])]
    pub plan_file: Option<PathBuf>,
    /// Write such a plan in your editor ($VISUAL or $EDITOR), then see its price, and be asked before starting
    #[arg(long, conflicts_with_all = ["rounds", "agent"])]
    pub edit_plan: bool,
    #[command(flatten)]
    pub approval: ApprovalArguments,
    /// Go on in the background and print the handle at once
    #[arg(long)]
    pub detach: bool,
    /// Print exactly one JSON document on stdout
    #[arg(long)]
    pub json: bool,
    /// Print one typed JSON line per change on stdout, the result as the last
    #[arg(long, conflicts_with_all = ["json", "raw", "detach"])]
    pub stream_json: bool,
    /// Print the provider's whole answer instead of the report
    #[arg(long, conflicts_with_all = ["json", "detach"])]
    pub raw: bool,
    #[command(flatten)]
    pub sources: SourceArguments,
}

impl ResearchArguments {
    /// Only the web engine goes as deep, writes as long, in the language and from the sources that its caller names.
    fn wants_web(&self) -> bool {
        self.web
            || self.depth.is_some()
            || self.words.is_some()
            || self.answer_language.is_some()
            || self.plan_file.is_some()
            || self.edit_plan
            || (!self.rounds && self.sources.first_given().is_some())
    }
}

pub async fn run(context: &CommandContext, arguments: &ResearchArguments) -> Result<Exit, CommandError> {
    let query = Query::parse(&arguments.question.join(" "))?;
    let hints = hints(arguments)?;
    let written = written_plan(context, arguments, &query, &hints)?;
    let (hints, parts) = match written {
        Some(written) => (written.apply_to(hints), written.parts),
        None => (hints, Vec::new()),
    };
    if let (Some(flag), Some(_)) = (arguments.sources.first_given(), &arguments.agent) {
        return Err(CommandError::new(
            Code::InvalidArguments,
            &format!("{flag} is for the web engine, not for an agent"),
        )
        .with_hint("choose one of the two: leave out `--agent`, or leave out the flags about sources"));
    }
    let loaded = context.settings(overrides(arguments))?;
    loaded.notes.iter().for_each(|note| context.output.print_message(&format!("note: {note}")));
    let settings = loaded.settings;
    let keys = ProviderKeys::read(&context.environment)?;
    // Without Google's key there is no agent: the engine that `research.engine` chooses goes as deep as it can.
    let without_agent =
        arguments.wants_web() || (!arguments.rounds && keys.gemini.is_none() && arguments.agent.is_none());
    let plan = match (without_agent, arguments.rounds) {
        (true, _) => {
            let has_parts = !parts.is_empty();
            let asking = PlanningRequest { hints, facets: parts, ..PlanningRequest::new(Mode::DeepResearch) };
            let engine =
                if arguments.wants_web() { EngineChoice::Named(EngineName::Web) } else { settings.engine };
            let chosen = Settings { engine, ..settings.clone() };
            let mut plan = planning::plan(&chosen, &keys, arguments.sources.apply_to(asking)?, &query)?;
            if arguments.wants_web() && !arguments.web {
                plan.engine_reason = Some(EngineReason::OnlyWeb);
            }
            if has_parts && plan.web.as_ref().is_none_or(|web| web.inquiry.is_none()) {
                return Err(without_parts());
            }
            app_context::with_history(&settings, plan)?
        }
        (false, true) => {
            let asking = arguments.sources.apply_to(PlanningRequest::new(Mode::DeepSearch))?;
            app_context::with_history(&settings, planning::plan(&settings, &keys, asking, &query)?)?
        }
        (false, false) => with_agent(&settings, &keys, &query)?,
    };
    let wishes = CliStartOptions {
        approval: ApprovalRequest {
            yes: arguments.approval.yes,
            budget: arguments.budget.is_some(),
            plan_shown: arguments.plan || arguments.edit_plan,
        },
        repeat: arguments.approval.repeat(),
        detach: arguments.detach,
        form: OutputFormat::of(arguments.json, arguments.raw).or_stream(arguments.stream_json),
    };
    Box::pin(start_run::start(context, &settings, query, plan, wishes)).await
}

/// The plan that the user wrote, in a file or just now.
fn written_plan(
    context: &CommandContext,
    arguments: &ResearchArguments,
    query: &Query,
    hints: &StrategyHints,
) -> Result<Option<PlanFile>, CommandError> {
    match &arguments.plan_file {
        Some(path) => PlanFile::read(path).map(Some),
        None if arguments.edit_plan => {
            editor::edit(&context.environment, &plan_file::template(query, hints)).map(Some)
        }
        None => Ok(None),
    }
}

/// A plan that cannot be kept is not started.
fn without_parts() -> CommandError {
    CommandError::new(
        Code::InvalidArguments,
        "the parts of your plan cannot be kept: that takes a model, and a budget that carries the depth",
    )
    .with_hint("set a model up with `probity setup`, allow more with `--budget`, or leave the parts out")
}

fn hints(arguments: &ResearchArguments) -> Result<StrategyHints, CommandError> {
    let wrong = |flag: &str, text: &str, known: &str| {
        let first = known.split(',').next().unwrap_or(known);
        CommandError::new(Code::InvalidArguments, &format!("{flag} is `{text}`; known: {known}"))
            .with_hint(format!("write it like `{flag} {first}`"))
    };
    let task_scope = match arguments.scope.as_deref() {
        None => None,
        Some("tiny") => Some(TaskScope::Tiny),
        Some("normal") => Some(TaskScope::Normal),
        Some("large") => Some(TaskScope::Large),
        Some(other) => return Err(wrong("--scope", other, "tiny, normal, large")),
    };
    let task_type_hint = match arguments.kind.as_deref() {
        None => None,
        Some("reference") => Some(TaskType::Reference),
        Some("debug") => Some(TaskType::Debug),
        Some("architecture") => Some(TaskType::Architecture),
        Some("research") => Some(TaskType::Research),
        Some(other) => return Err(wrong("--type", other, "reference, debug, architecture, research")),
    };
    let level = match arguments.depth.as_deref() {
        None => None,
        Some(text) => {
            Some(StrategyLevel::parse(text).ok_or_else(|| wrong("--depth", text, StrategyLevel::WORDS))?)
        }
    };
    let language = match arguments.answer_language.as_deref() {
        None => None,
        Some(text) => Some(parse_language(text).ok_or_else(|| {
            let text = text::line(text, 80);
            CommandError::new(
                Code::InvalidArguments,
                &format!("--answer-language is `{text}`, which names no language"),
            )
            .with_hint("write it like `--answer-language German`")
        })?),
    };
    let given = [("--scope", &arguments.scope), ("--type", &arguments.kind)];
    // A wrong value is told first: the flag that is missing would not help.
    if let Some((flag, _)) = given.iter().find(|(_, value)| value.is_some() && !arguments.wants_web()) {
        return Err(CommandError::new(Code::InvalidArguments, &format!("{flag} is for the web engine"))
            .with_hint("choose that engine as well: `--web`"));
    }
    let context_snippet = arguments.context.as_deref().map(context_of).transpose()?;
    Ok(StrategyHints {
        task_scope,
        task_type_hint,
        context_snippet,
        context_may_leave: arguments.share_context,
        max_attempts: arguments.max_attempts,
        level,
        words: arguments.words,
        language,
    })
}

/// The file's text. A longer one is a source: name its folder with `--folder`.
fn context_of(path: &Path) -> Result<String, CommandError> {
    let refused = |why: String| {
        CommandError::new(Code::SourceFolder, &format!("{} {why}", path.display())).with_hint(
            "name a file that you may read: `--context FILE`; a longer one is a source: `--folder FOLDER`",
        )
    };
    let bytes = std::fs::read(path).map_err(|error| refused(format!("cannot be read: {error}")))?;
    if bytes.len() > CONTEXT_BYTES_MAX {
        return Err(refused(format!("has {} bytes; at most {CONTEXT_BYTES_MAX} are taken", bytes.len())));
    }
    Ok(text::block(&String::from_utf8_lossy(&bytes)))
}

fn with_agent(settings: &Settings, keys: &ProviderKeys, query: &Query) -> Result<Plan, CommandError> {
    let price = app_context::estimate_cost(settings, &settings.agent, query)?;
    let checks = planning::check_plan(settings, keys, settings.agent.as_str())?;
    Ok(Plan { estimate: Some(price), checks, ..Plan::new(settings.agent.clone(), settings.limits()) })
}

fn overrides(arguments: &ResearchArguments) -> RawSettings {
    flags(&[
        ("research.agent", arguments.agent.as_ref(), "--agent"),
        ("rounds.max_iterations", arguments.max_iterations.as_ref(), "--max-iterations"),
        ("research.engine", arguments.engine.as_ref(), "--engine"),
        ("rounds.model", arguments.model.as_ref(), "--model"),
        ("budget.max_usd", arguments.budget.as_ref(), "--budget"),
        ("research.deadline", arguments.max_time.as_ref(), "--max-time"),
    ])
}
