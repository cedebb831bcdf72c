//! Starts the check of a text: the same for `verify`, `recheck` and MCP clients.

use probity_research::{
    CodedError, RunId,
    checking::{CheckPlan, ExamRule, exam, plan::CLAIMS_PER_CALL},
    cost::MicroUsd,
    estimate::{Complexity, Estimate, EstimateBasis},
    ledger::{Ledger, SkippedParts},
    plan::Plan,
    principal::Principal,
    query::Query,
    report::Report,
    spending::RepeatRule,
    status::RunSummary,
    text,
};
use probity_runner::RunStart;

use crate::{
    app_context::{self, AppContext},
    input_text,
    keys::ProviderKeys,
    planning,
    settings::Settings,
};

/// Bytes of a report per claim, for the price before anything is read: published reports have one per 150 to 250.
const BYTES_PER_CLAIM: usize = 150;
/// Longest first line that names a check in lists.
const TITLE_CHARACTERS_MAX: usize = 120;

/// A text to be checked.
pub struct CheckInput {
    pub report: Report,
    /// Its title in lists; else its first line.
    pub title: Option<String>,
    /// The run whose report it is.
    pub follows: Option<RunId>,
    pub asked_by: Option<Principal>,
}

/// The check of a stored report whose pages are read again.
pub fn again(summary: &RunSummary, old: Report) -> CheckInput {
    let before = old.ledger.map(|ledger| *ledger).unwrap_or_default();
    // What of the document was not read the first time is not here now either.
    let mut unread = before.unread;
    unread.retain(|line| input_text::is_of_document(line));
    let report = Report {
        text: old.text,
        citations: old.citations,
        sources: old.sources,
        ledger: ledger_of_unread(unread, before.skipped),
        ..Report::default()
    };
    CheckInput { report, title: Some(summary.query.clone()), follows: Some(summary.id), asked_by: None }
}

/// With the text, so that every face of the check says what was not read, later too.
pub fn ledger_of_unread(unread: Vec<String>, skipped: Vec<SkippedParts>) -> Option<Box<Ledger>> {
    let is_whole = unread.is_empty() && skipped.is_empty();
    (!is_whole).then(|| Box::new(Ledger { unread, skipped, ..Ledger::default() }))
}

/// The plan of a check, with its price; `stored` is filled in when the text is on disk.
pub fn plan(settings: &Settings, keys: &ProviderKeys, given: &CheckInput) -> Result<Plan, CodedError> {
    let checks = planning::check_plan(&enabled(settings), keys, "")?;
    let checks = checks.map_or_else(CheckPlan::without_judge, |checks| *checks);
    let price = price(&checks, given.report.text.len());
    let nothing = probity_research::Digest([0; 32]);
    Ok(Plan {
        estimate: Some(price),
        follows: given.follows,
        asked_by: given.asked_by.clone(),
        ..Plan::for_check(nothing, checks, settings.limits())
    })
}

/// What the check of a text will likely cost.
pub fn estimate(settings: &Settings, keys: &ProviderKeys, text: &str) -> Result<Estimate, CodedError> {
    let checks = planning::check_plan(&enabled(settings), keys, "")?;
    Ok(price(&checks.map_or_else(CheckPlan::without_judge, |checks| *checks), text.len()))
}

/// A user who asks for a check gets one, whatever is set for runs.
fn enabled(settings: &Settings) -> Settings {
    let mut settings = settings.clone();
    settings.checks.enabled = true;
    settings
}

/// When this returns, text and run are on disk.
pub async fn start(
    app: &AppContext,
    given: &CheckInput,
    plan: Plan,
    repeat: RepeatRule,
) -> Result<RunStart, CodedError> {
    let query = query(given)?;
    let id = app_context::new_id().map_err(|failure| failure.problem)?;
    let with = |digest| Plan { given: Some(digest), ..plan };
    app.researches.check_text(id, query, &given.report, with, repeat).await
}

/// The title of a check in lists.
pub fn query(given: &CheckInput) -> Result<Query, CodedError> {
    Query::parse(&title(given))
}

fn title(given: &CheckInput) -> String {
    let first = given
        .report
        .text
        .lines()
        .map(|line| line.trim_start_matches(['#', ' ']))
        .find(|line| !line.is_empty());
    let named = given.title.as_deref().or(first).unwrap_or("a text");
    text::line(&format!("check of {named}"), TITLE_CHARACTERS_MAX)
}

fn price(checks: &CheckPlan, bytes: usize) -> Estimate {
    let claims = (bytes / BYTES_PER_CLAIM + 1).div_ceil(CLAIMS_PER_CALL);
    // A judge sits its exam once; whether it has is known when the run asks the store.
    let calls = match checks.judge.as_ref().map(|judge| judge.exam) {
        Some(ExamRule::Required) => claims + exam::BATCHES,
        Some(ExamRule::Trusted) | None => claims,
    };
    let each = checks.price_per_call();
    let most = MicroUsd(each.0.saturating_mul(u64::try_from(calls).unwrap_or(u64::MAX)));
    Estimate {
        complexity: Complexity::Simple,
        cost_min: MicroUsd(0),
        cost_likely: MicroUsd(most.0 / 2),
        cost_max: most,
        minutes_min: 0,
        minutes_likely: 1,
        minutes_max: 15,
        basis: EstimateBasis::Assumed,
    }
}
