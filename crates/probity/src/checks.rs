//! Starts the check of a text: the same for `verify`, `recheck` and MCP clients.

use probity_research::{
    CodedError, RunId,
    checking::{CheckPlan, ExamRule, exam, plan::CLAIMS_PER_CALL},
    cost::MicroUsd,
    estimate::{Complexity, Estimate, EstimateBasis},
    plan::Plan,
    principal::Principal,
    query::Query,
    report::Report,
    spending::RepeatRule,
    text,
};
use probity_runner::RunStart;

use crate::{
    app_context::{self, AppContext},
    keys::ProviderKeys,
    planning,
    settings::Settings,
};

/// Bytes of a report per claim, for the price before anything is read: published reports have one per 150 to 250.
const BYTES_PER_CLAIM: usize = 150;
/// Longest first line that names a check in lists.
const TITLE_CHARACTERS_MAX: usize = 120;

/// A text to be checked.
pub struct CheckInput<'a> {
    pub report: Report,
    /// Its title in lists; else its first line.
    pub title: Option<&'a str>,
    /// The run whose report it is.
    pub follows: Option<RunId>,
    pub asked_by: Option<Principal>,
}

/// The plan of a check, with its price; `stored` is filled in when the text is on disk.
pub fn plan(settings: &Settings, keys: &ProviderKeys, given: &CheckInput<'_>) -> Result<Plan, CodedError> {
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
    given: &CheckInput<'_>,
    plan: Plan,
    repeat: RepeatRule,
) -> Result<RunStart, CodedError> {
    let query = query(given)?;
    let id = app_context::new_id().map_err(|failure| failure.problem)?;
    let with = |digest| Plan { given: Some(digest), ..plan };
    app.researches.check_text(id, query, &given.report, with, repeat).await
}

/// The title of a check in lists.
pub fn query(given: &CheckInput<'_>) -> Result<Query, CodedError> {
    Query::parse(&title(given))
}

fn title(given: &CheckInput<'_>) -> String {
    let first = given
        .report
        .text
        .lines()
        .map(|line| line.trim_start_matches(['#', ' ']))
        .find(|line| !line.is_empty());
    let named = given.title.or(first).unwrap_or("a text");
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
