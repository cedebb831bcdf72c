//! `probity follow-up`: a further question on a finished research, answered from the pages that are stored with it; with
//! `--search` by a research that begins with them.

use clap::Args;
use probity_research::{
    Code, RunId,
    query::Query,
    rounds::Mode,
    web::{
        StrategyHints, StrategyLevel,
        parent::FollowUpKind,
        strategy::{WORDS_MAX, WORDS_MIN, parse_language},
    },
};

use crate::{
    app_context::AppContext,
    approve::{ApprovalArguments, ApprovalRequest},
    command_context::CommandContext,
    command_error::CommandError,
    exit::Exit,
    follow_up::{self, FollowUpRequest},
    identify::{identify, no_runs_error},
    keys::ProviderKeys,
    planning::PlanningRequest,
    render::OutputFormat,
    source_arguments::SourceArguments,
    start_run::{self, CliStartOptions, flags},
};

#[derive(Debug, Args)]
pub struct FollowUpArguments {
    /// An id, the beginning of one, or `last`
    #[arg(value_name = "ID", add = crate::tab_completion::run_id_candidates())]
    pub id: String,
    /// The further question, best in quotes
    #[arg(required_unless_present = "refresh", value_name = "QUESTION")]
    pub question: Vec<String>,
    /// Search and read new pages as well; what the research read is not fetched again
    #[arg(long)]
    pub search: bool,
    /// Read its pages again: that is `probity recheck`
    #[arg(long, conflicts_with = "search")]
    pub refresh: bool,
    /// How deep to search: shallow (or quick), medium (or standard), deep, exhaustive
    #[arg(long, value_name = "DEPTH", requires = "search")]
    pub depth: Option<String>,
    /// About so many words in the answer: 100 to 12000
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(i64::from(WORDS_MIN)..=i64::from(WORDS_MAX)))]
    pub words: Option<u32>,
    /// The language of the answer, such as German or pt-BR; else that of the question
    #[arg(long, value_name = "LANGUAGE")]
    pub answer_language: Option<String>,
    /// What it may cost, such as 0.50
    #[arg(long, value_name = "USD")]
    pub budget: Option<String>,
    /// How long it may take, such as 2m
    #[arg(long, value_name = "SPAN")]
    pub max_time: Option<String>,
    /// Show the plan and its price first, and ask before starting
    #[arg(long)]
    pub plan: bool,
    #[command(flatten)]
    pub approval: ApprovalArguments,
    /// Leave the work to a background process and print the id
    #[arg(long)]
    pub detach: bool,
    /// Print exactly one JSON document on stdout
    #[arg(long)]
    pub json: bool,
    /// Print one typed JSON line per change on stdout, the result as the last
    #[arg(long, conflicts_with = "json")]
    pub stream_json: bool,
    #[command(flatten)]
    pub sources: SourceArguments,
}

pub async fn run(context: &CommandContext, arguments: &FollowUpArguments) -> Result<Exit, CommandError> {
    let kind = if arguments.search { FollowUpKind::Search } else { FollowUpKind::Ask };
    if let (FollowUpKind::Ask, Some(flag)) = (kind, arguments.sources.first_given()) {
        return Err(CommandError::new(Code::InvalidArguments, &format!("{flag} is for a search"))
            .with_hint("add `--search`, or leave it out"));
    }
    let hints = hints(arguments)?;
    let loaded = context.settings(flags(&[
        ("budget.max_usd", arguments.budget.as_ref(), "--budget"),
        ("research.deadline", arguments.max_time.as_ref(), "--max-time"),
    ]))?;
    loaded.notes.iter().for_each(|note| context.output.print_message(&format!("note: {note}")));
    let settings = loaded.settings;
    let app = AppContext::open_to_read(&settings)?.ok_or_else(no_runs_error)?;
    let parent = identify(&app, &arguments.id)?;
    if arguments.refresh {
        return Err(is_recheck(parent));
    }
    let query = Query::parse(&arguments.question.join(" "))?;
    let keys = ProviderKeys::read(&context.environment)?;
    let asking = PlanningRequest { hints, ..PlanningRequest::new(Mode::DeepResearch) };
    let wanted = FollowUpRequest { parent, kind, asking: arguments.sources.apply_to(asking)? };
    let planned = Box::pin(follow_up::plan(&app, &settings, &keys, wanted, &query)).await;
    drop(app);
    let plan = planned.map_err(|problem| match problem.code {
        Code::NothingFound => CommandError::from(problem)
            .with_hint(format!("search for it: {}", follow_up::search_command(parent))),
        _ => CommandError::from(problem).with_run_id(parent),
    })?;
    let wishes = CliStartOptions {
        approval: ApprovalRequest {
            yes: arguments.approval.yes,
            budget: arguments.budget.is_some(),
            plan_shown: arguments.plan,
        },
        repeat: arguments.approval.repeat(),
        detach: arguments.detach,
        form: OutputFormat::of(arguments.json, false).or_stream(arguments.stream_json),
    };
    Box::pin(start_run::start(context, &settings, query, plan, wishes)).await
}

fn hints(arguments: &FollowUpArguments) -> Result<StrategyHints, CommandError> {
    let level = arguments.depth.as_deref().map(|text| {
        let wrong = || {
            let known = StrategyLevel::WORDS;
            CommandError::new(Code::InvalidArguments, &format!("--depth is `{text}`; known: {known}"))
                .with_hint("write it like `--depth medium`")
        };
        StrategyLevel::parse(text).ok_or_else(wrong)
    });
    let language = arguments.answer_language.as_deref().map(|text| {
        let wrong = || {
            let message = "--answer-language names no language";
            CommandError::new(Code::InvalidArguments, message)
                .with_hint("write it like `--answer-language German`")
        };
        parse_language(text).ok_or_else(wrong)
    });
    Ok(StrategyHints {
        level: level.transpose()?,
        words: arguments.words,
        language: language.transpose()?,
        ..StrategyHints::default()
    })
}

/// It is there already, and does more: every claim is checked against the pages as they are now.
fn is_recheck(parent: RunId) -> CommandError {
    let message = "reading the pages of a research again is a command of its own; nothing was started";
    CommandError::new(Code::InvalidArguments, message).with_hint(format!("`probity recheck {parent}`"))
}
