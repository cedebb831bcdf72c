//! `probity verify`: every claim of a text with links, checked against the pages it cites. For people, and as a gate
//! in CI: the exit code says whether a claim has a verdict that the caller ruled out.

mod gate;

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use gate::{Gate, GateOutcome};
use probity_evidence::output::{CheckedText, junit, markdown, sarif};
use probity_research::{
    Code,
    ledger::{ClaimId, Ledger, NotCheckedReason, SourceState, Verdict},
    ports::Clock as _,
    report::Report,
    status::RunSummary,
};
use probity_runner::{RunStart, RunStartKind, SystemClock};

use crate::{
    app_context::AppContext,
    approve::{self, ApprovalArguments, ApprovalRequest},
    checks::{self, CheckInput},
    command_context::CommandContext,
    command_error::{CommandError, without_report},
    exit::Exit,
    follow::{FollowOutcome, follow},
    format,
    input_text::{self, InputText},
    keys::ProviderKeys,
    output::live::LiveProgress,
    render::{self, OutputFormat, claims, claims::ListLength},
    settings::Settings,
    start_run::{self, flags},
    wire::ResearchDocument,
};

/// What goes to stdout.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum VerifyFormat {
    /// A list of claims, what needs attention first, with lines and sources
    Table,
    /// The text itself with a verdict behind each claim
    Markdown,
    /// One JSON document
    Json,
    /// SARIF 2.1.0, for annotations on a pull request
    Sarif,
    /// JUnit XML, for test reports
    Junit,
}

#[derive(Debug, Args)]
pub struct VerifyArguments {
    /// A file (Markdown, text, HTML, PDF, DOCX), an address, or `-` for stdin
    #[arg(value_name = "FILE|URL|-")]
    pub what: String,
    /// Exit with 4 if a claim has one of these verdicts, or is `uncited`, `unreachable` or `contested`, or the text is
    /// `unverified`; with 7 if the judge does not answer. With `none` neither; a limit that is exceeded still exits with 5
    #[arg(
        long,
        value_name = "VERDICTS",
        value_delimiter = ',',
        default_value = "contradicted,not-in-source"
    )]
    pub fail_on: Vec<String>,
    /// What goes to stdout
    #[arg(long, value_enum, default_value = "table", value_name = "FORM")]
    pub format: VerifyFormat,
    /// The same as `--format json`
    #[arg(long)]
    pub json: bool,
    /// List every claim and source, however many there are
    #[arg(long)]
    pub all: bool,
    /// Ask nobody: rules only, nothing leaves the machine but the fetching of cited pages
    #[arg(long)]
    pub no_judge: bool,
    /// What the judge may cost, such as 0.50
    #[arg(long, value_name = "USD")]
    pub budget: Option<String>,
    /// How long it may take, such as 2m
    #[arg(long, value_name = "SPAN")]
    pub max_time: Option<String>,
    #[command(flatten)]
    pub approval: ApprovalArguments,
}

impl VerifyArguments {
    fn format(&self) -> VerifyFormat {
        if self.json { VerifyFormat::Json } else { self.format }
    }

    pub fn wants_json(&self) -> bool {
        self.format() == VerifyFormat::Json
    }
}

pub async fn run(context: &CommandContext, arguments: &VerifyArguments) -> Result<Exit, CommandError> {
    let gate = Gate::parse(&arguments.fail_on)?;
    let judge = arguments.no_judge.then(|| "none".to_owned());
    let loaded = context.settings(flags(&[
        ("checks.judge", judge.as_ref(), "--no-judge"),
        ("budget.max_usd", arguments.budget.as_ref(), "--budget"),
        ("research.deadline", arguments.max_time.as_ref(), "--max-time"),
    ]))?;
    loaded.notes.iter().for_each(|note| context.output.print_message(&format!("note: {note}")));
    let (settings, input) = read_in_time(loaded.settings, &arguments.what).await?;
    let InputText { text, unread, skipped } = input;
    let ledger = checks::ledger_of_unread(unread.into_iter().collect(), skipped);
    let report = Report { text, ledger, ..Report::default() };
    let given = CheckInput { report, title: Some(arguments.what.clone()), follows: None, asked_by: None };
    let flags = CheckFlags { approval: arguments.approval, budget: arguments.budget.is_some() };
    let Some((summary, report)) = Box::pin(check(context, &settings, &given, flags)).await? else {
        return Ok(Exit::Done);
    };
    let Some((summary, report)) = report.map(|report| (summary, report)) else {
        return Ok(Exit::Interrupted);
    };
    let ledger = report.ledger.as_deref().cloned().unwrap_or_default();
    let outcome = gate.outcome(&report, &ledger);
    print_check(context, arguments, &summary, &report, &ledger, &outcome)?;
    Ok(outcome.exit)
}

/// Reads the text. One that is a page may be slow: that time is part of what the check may take.
async fn read_in_time(settings: Settings, what: &str) -> Result<(Settings, InputText), CommandError> {
    if !input_text::is_address(what) {
        let input = input_text::read(&settings, what).await?;
        return Ok((settings, input));
    }
    let clock = SystemClock::default();
    let late = || {
        let message = format!("{what} was not read within {}", format::span(settings.deadline));
        CommandError::new(Code::Deadline, &message)
            .with_hint(format!("give it more time: `probity verify --max-time 5m {}`", shell_word(what)))
    };
    let reading = Box::pin(input_text::read(&settings, what));
    let input = tokio::time::timeout(settings.deadline, reading).await.map_err(|_| late())??;
    let deadline = settings.deadline.saturating_sub(clock.monotonic());
    Ok((Settings { deadline, ..settings }, input))
}

/// Whether there was no time to check something: then nobody may take the rest for the whole.
fn ran_out_of_time(ledger: &Ledger) -> bool {
    let late = Verdict::NotChecked { why: NotCheckedReason::Deadline };
    ledger.settled.iter().any(|settled| settled.verdict == late)
}

/// Whether a limit left something of the text or of its pages out: the same holds for that.
fn is_cut(ledger: &Ledger) -> bool {
    !ledger.unread.is_empty() || beyond_limit(ledger) > 0
}

/// Claims whose pages are beyond the limit of pages.
fn beyond_limit(ledger: &Ledger) -> usize {
    let beyond = Verdict::NotChecked { why: NotCheckedReason::Limit };
    ledger.settled.iter().filter(|settled| settled.verdict == beyond).count()
}

/// What was typed about the money of a check.
#[derive(Debug, Clone, Copy)]
pub struct CheckFlags {
    pub approval: ApprovalArguments,
    /// `--budget` was typed.
    pub budget: bool,
}

/// Starts the check and waits until it rests; nothing if the user did not want it started, and no report if
/// the user interrupts.
pub async fn check(
    context: &CommandContext,
    settings: &Settings,
    given: &CheckInput,
    flags: CheckFlags,
) -> Result<Option<(RunSummary, Option<Report>)>, CommandError> {
    let keys = ProviderKeys::read(&context.environment)?;
    let plan = checks::plan(settings, &keys, given)?;
    let query = checks::query(given)?;
    let request = ApprovalRequest { yes: flags.approval.yes, budget: flags.budget, plan_shown: false };
    let rows = || start_run::plan_rows(&query, &plan);
    let Some(approval) = approve::approve(context, settings, &plan, request, rows)? else {
        return Ok(None);
    };
    let plan = approve::approved(plan, approval);
    let budget = plan.limits.budget;
    let app = AppContext::open(settings, Some(keys))?;
    let RunStart { summary: started, kind } =
        Box::pin(checks::start(&app, given, plan, flags.approval.repeat())).await?;
    if kind == RunStartKind::Running {
        start_run::print_running(context, &started);
    }
    let mut live = LiveProgress::begin(&context.output, &started, budget, app.now(), OutputFormat::Markdown)?;
    let followed = Box::pin(follow(&app, started.id, &mut live, None)).await;
    live.end();
    match followed? {
        FollowOutcome::Rests(summary) => {
            let report = app.report(&summary).await?.filter(|report| report.ledger.is_some());
            let Some(report) = report else {
                return Err(without_report(&summary));
            };
            render::print_problem(&context.output, &summary);
            Ok(Some((*summary, Some(report))))
        }
        FollowOutcome::Left(summary) | FollowOutcome::OutOfTime(summary) => {
            render::print_left_running(&context.output, &summary, OutputFormat::Markdown)?;
            Ok(Some((*summary, None)))
        }
    }
}

fn print_check(
    context: &CommandContext,
    arguments: &VerifyArguments,
    summary: &RunSummary,
    report: &Report,
    ledger: &Ledger,
    outcome: &GateOutcome,
) -> Result<(), CommandError> {
    let output = &context.output;
    let path = label(&arguments.what);
    let labelled = CheckedText { path: &path, report, ledger };
    match arguments.format() {
        VerifyFormat::Table => {
            let whole = format!("probity verify {} --all", shell_word(&arguments.what));
            let length = if arguments.all { ListLength::Whole } else { ListLength::Short { whole: &whole } };
            output.data(&claims::table(output, report, ledger, length))?;
        }
        VerifyFormat::Markdown => output.data(&markdown::annotate(&labelled))?,
        VerifyFormat::Json => output.json(&ResearchDocument::of(summary, Some(report), outcome.exit))?,
        VerifyFormat::Sarif => output.data(&sarif::document(&labelled))?,
        VerifyFormat::Junit => output.data(&junit::document(&labelled, &outcome.failed))?,
    }
    for unread in ledger.not_examined() {
        output.print_message(&format!("not examined: {unread}"));
    }
    if beyond_limit(ledger) > 0 {
        let why = ledger.sources.iter().find_map(|source| match &source.state {
            SourceState::Unreachable { why, .. }
                if source.state.why_untried() == Some(NotCheckedReason::Limit) =>
            {
                Some(why.as_str())
            }
            SourceState::Unreachable { .. } | SourceState::Kept { .. } => None,
        });
        let claims = match beyond_limit(ledger) {
            1 => "1 claim was".to_owned(),
            more => format!("{more} claims were"),
        };
        output.print_message(&format!("{claims} not checked, pages {}", why.unwrap_or("beyond a limit")));
    }
    if outcome.exit == Exit::ProviderDown {
        outcome.failed.whole.iter().for_each(|(_, why)| output.print_message(why));
    }
    if ran_out_of_time(ledger) {
        output.print_message("the deadline was reached before everything was checked");
    }
    if let Some(note) = &summary.note {
        output.print_message(&format!("note: {note}"));
    }
    output.print_message(&claims::summary_line(output, summary, report, ledger));
    if let Some(claim) = worst_claim(ledger) {
        output.print_message(&format!("to look at one: probity explain {claim} --of {}", summary.id));
    }
    Ok(())
}

/// The first of the claims that most need to be looked at.
fn worst_claim(ledger: &Ledger) -> Option<ClaimId> {
    let groups = ledger.attention();
    let of_groups = ledger.claims.iter().zip(groups).filter_map(|(claim, group)| Some((group?, claim.id)));
    of_groups.min().map(|(_, claim)| claim)
}

/// The path for annotations: the file as it was named, never outside the folder.
fn label(what: &str) -> String {
    let path = Path::new(what);
    let outside = path.is_absolute() || path.components().any(|part| part.as_os_str() == "..");
    match what {
        "-" => "stdin".to_owned(),
        _ if outside => path.file_name().map(PathBuf::from).unwrap_or_default().display().to_string(),
        _ => what.trim_start_matches("./").to_owned(),
    }
}

/// Typed as one word of a command line, for a hint.
fn shell_word(what: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | ':' | '~' | '=' | '+');
    match !what.is_empty() && what.chars().all(plain) {
        true => what.to_owned(),
        false => format!("'{}'", probity_research::text::line(&what.replace('\'', "'\\''"), 300)),
    }
}
