//! The way out of a failure: one sentence that names a command which helps in exactly this state.
//!
//! A code alone says what went wrong; what helps also depends on the run: whether it goes on, whether the provider has
//! it, what was kept of it, and with which command it can be asked again. Decided here for every face.

use crate::{
    cost::{Cost, MicroUsd},
    error::Code,
    rounds::Mode,
    status::{RunStatus, RunSummary},
    text,
};

/// The provider of the agents ends every run after this: more patience brings nothing.
const PROVIDER_TIME_MS: u64 = 60 * 60 * 1000;
/// A longer question is not repeated in a command.
const QUESTION_CHARACTERS_MAX: usize = 120;
/// A question that is left to the person.
const UNSHOWN: &str = "…";
/// The shortest time that is offered after a deadline.
const MINUTES_MIN: u64 = 5;

/// For a person at a terminal: commands stand between backticks, and `…`, `FILE` stand for what only the person knows.
pub fn way_out(code: Code, run: Option<&RunSummary>) -> String {
    match run {
        None => code.hint().to_owned(),
        Some(run) => {
            let way = of_run(code, run);
            match run.report.filter(|_| run.status.is_final()) {
                Some(_) => format!("what there was is in `probity runs show {}`; {way}", run.id),
                None => way,
            }
        }
    }
}

/// For an agent: tools where there is one, else a command for its user.
pub fn tool_way_out(code: Code, run: Option<&RunSummary>) -> String {
    match run {
        None => format!("for the user: {}", code.hint()),
        Some(run) => {
            let way = of_run_for_tools(code, run);
            match run.report.filter(|_| run.status.is_final()) {
                Some(_) => {
                    format!("call get_research_results(task_id='{}') for what there is; {way}", run.id)
                }
                None => way,
            }
        }
    }
}

/// Whether the provider can be asked once more how it went.
fn is_with_provider(run: &RunSummary) -> bool {
    run.remote_id.is_some() && run.rounds.is_none() && !run.given
}

fn of_run(code: Code, run: &RunSummary) -> String {
    let id = run.id;
    if !run.status.is_final() {
        return format!("follow it with `probity runs watch {id}`, which takes it up if nobody drives it");
    }
    if run.status == RunStatus::Unknown {
        return format!(
            "the provider may have started and billed this; to pay for a new start type \
             `probity runs resume {id} --pay-again`"
        );
    }
    if run.is_start_uncertain() {
        let paid_again = again(run, "--again ");
        return format!(
            "the provider may have started and billed this; to pay for a new start type {paid_again}"
        );
    }
    let again = again(run, "");
    match Obstacle::of(code) {
        Obstacle::Key => {
            format!(
                "put a working key into GEMINI_API_KEY, try it with `probity doctor --probe`, then ask again: \
                 {again}"
            )
        }
        Obstacle::Cli if code == Code::CliNotFound => format!(
            "install it with `npm install -g @google/gemini-cli`, or ask without it: {}, for good with \
             PROBITY_RESEARCH__ENGINE=web",
            self::again(run, "--engine web ")
        ),
        Obstacle::Cli => format!(
            "ask without the Gemini CLI: {}; `probity doctor` says what the CLI lacks",
            self::again(run, "--engine web ")
        ),
        Obstacle::Quota => format!("the provider's daily quota is used up; ask again tomorrow: {again}"),
        Obstacle::Line if is_with_provider(run) => {
            format!("the provider has it; look once more with `probity runs resume {id}`")
        }
        Obstacle::Line if run.cost == Cost::Nothing => {
            format!("nothing was started and nothing was paid; when it works again, ask again: {again}")
        }
        Obstacle::Line => format!("when it works again, ask again: {again}"),
        Obstacle::Time => {
            let more = self::again(run, &format!("--max-time {} ", more_time(run)));
            format!("give it more time: {more}; {}", anew(run))
        }
        Obstacle::Money => {
            let more = self::again(run, &format!("--budget {} ", more_money(run)));
            format!("allow more: {more}; {}", anew(run))
        }
        Obstacle::Search => {
            format!(
                "see which search providers answer with `probity doctor --probe`, then ask again: {again}"
            )
        }
        Obstacle::Request => format!(
            "the same request is refused again: change what the provider's message names, then ask: {}",
            self::again(&RunSummary { query: UNSHOWN.to_owned(), ..run.clone() }, "")
        ),
        Obstacle::Answer if run.raw.is_some() => {
            format!("the provider's words are in `probity runs show {id} --raw`; ask again: {again}")
        }
        Obstacle::Stopped if run.cancel_refused => {
            format!(
                "the provider may go on with it; look once more with `probity runs resume {id}`, or ask again: {again}"
            )
        }
        Obstacle::Answer | Obstacle::Stopped => format!("ask again: {again}"),
        Obstacle::Here => code.hint().replace(" ID", &format!(" {id}")),
    }
}

fn of_run_for_tools(code: Code, run: &RunSummary) -> String {
    let id = run.id;
    if !run.status.is_final() {
        return format!("call check_research_status(task_id='{id}', wait_seconds=50), then try again");
    }
    let tool = tool(run);
    if run.is_start_uncertain() {
        return format!(
            "it may have been billed; only if the user agrees to pay again: call {tool} with again=true"
        );
    }
    match Obstacle::of(code) {
        Obstacle::Key => {
            format!("for the user: {}; then call {tool} again with the same arguments", code.hint())
        }
        Obstacle::Cli if code == Code::CliNotFound => format!(
            "for the user: install it with `npm install -g @google/gemini-cli`, or start this server with \
             PROBITY_RESEARCH__ENGINE=web, which needs neither the Gemini CLI nor a key; then call {tool} again"
        ),
        Obstacle::Cli => format!("for the user: {}; then call {tool} again", code.hint()),
        Obstacle::Quota => format!("the provider's daily quota is used up; call {tool} again tomorrow"),
        Obstacle::Line if is_with_provider(run) => {
            format!("for the user: look once more with `probity runs resume {id}`; or call {tool} again")
        }
        Obstacle::Line => {
            format!("wait a few minutes for the provider, then call {tool} again with the same arguments")
        }
        Obstacle::Time if tool == "start_deep_research" && run.attended_ms < PROVIDER_TIME_MS => {
            format!("call {tool} again with a higher max_wait_hours; {}", anew(run))
        }
        Obstacle::Money if tool == "start_deep_research" => {
            format!("call {tool} again with a higher confirmed_cost_usd; {}", anew(run))
        }
        Obstacle::Time | Obstacle::Money => {
            format!("call {tool} again with a narrower question; {}", anew(run))
        }
        Obstacle::Search if code == Code::SearchFailed => {
            format!("for the user: {}; then call {tool} again", code.hint())
        }
        Obstacle::Search => {
            format!("call {tool} again with other words; for the user: `probity doctor --probe`")
        }
        Obstacle::Request => format!(
            "the same arguments are refused again; call {tool} with what the provider's message names changed"
        ),
        Obstacle::Answer if tool == "deep_search" => {
            format!(
                "call {tool} again; {}. deep_research asks the same in one prompt, without rounds",
                anew(run)
            )
        }
        Obstacle::Stopped if run.cancel_refused => format!(
            "it may go on at the provider and be billed; for the user: look once more with `probity runs resume {id}`; or \
             call {tool} again; {}",
            anew(run)
        ),
        Obstacle::Answer | Obstacle::Stopped => format!("call {tool} again; {}", anew(run)),
        Obstacle::Here if code == Code::AlreadyEnded => format!("call {tool} to start anew"),
        Obstacle::Here => format!("for the user: {}", code.hint().replace(" ID", &format!(" {id}"))),
    }
}

/// What stood in the way, as far as the way out depends on it.
enum Obstacle {
    Key,
    Cli,
    Quota,
    /// The line to the provider, or the provider itself for a while.
    Line,
    Time,
    Money,
    Search,
    /// The provider refuses what was asked for, however often it is asked.
    Request,
    /// What the provider answered, or that it answered nothing.
    Answer,
    /// Somebody stopped it.
    Stopped,
    /// Something on this machine, or a mistake in what was asked: the code's own hint says it.
    Here,
}

impl Obstacle {
    fn of(code: Code) -> Self {
        match code {
            Code::KeyMissing | Code::KeyRefused | Code::PermissionDenied | Code::CliAuth => Self::Key,
            Code::CliNotFound
            | Code::CliTooOld
            | Code::CliUntrusted
            | Code::CliInput
            | Code::CliConfiguration
            | Code::CliTurnLimit
            | Code::CliToolFailed
            | Code::CliNoResult
            | Code::CliOutputLimit
            | Code::CliFailed => Self::Cli,
            Code::QuotaExhausted => Self::Quota,
            Code::RateLimited
            | Code::ProviderUnavailable
            | Code::Network
            | Code::Timeout
            | Code::EngineUnreachable => Self::Line,
            Code::Deadline => Self::Time,
            Code::Budget => Self::Money,
            Code::SearchFailed | Code::NothingFound => Self::Search,
            Code::BadRequest => Self::Request,
            Code::UnreadableAnswer
            | Code::EmptyReport
            | Code::CreateUncertain
            | Code::UnusableAnswer
            | Code::NoEvidence
            | Code::ExecutionError
            | Code::RoundLost
            | Code::Expired
            | Code::ProviderFailed
            | Code::Incomplete
            | Code::PageUnreachable
            | Code::PageTooLarge
            | Code::PageUnreadable
            | Code::RobotsRefused => Self::Answer,
            // A setting, or an address that was asked for.
            Code::AddressRefused => Self::Here,
            Code::Cancelled => Self::Stopped,
            Code::InvalidQuery
            | Code::InvalidArguments
            | Code::UnknownAgent
            | Code::UnknownModel
            | Code::UnknownEngine
            | Code::BrowserMissing
            | Code::SourceFolder
            | Code::NotFound
            | Code::AlreadyEnded
            | Code::NotFinished
            | Code::LeaseLost
            | Code::StoreFull
            | Code::StoreReadOnly
            | Code::StoreCorrupt
            | Code::StoreGone
            | Code::NoBackup
            | Code::StoreWhole
            | Code::DayLimit
            | Code::StoreDisk
            | Code::StoreBusy
            | Code::StoreNewer
            | Code::StoreFailed
            | Code::OutputPath
            | Code::Settings
            | Code::AlreadyServing
            | Code::ListenFailed
            | Code::TokenExposed
            | Code::BundleRefused
            | Code::ReleaseRefused
            | Code::BenchFailed
            | Code::ServerGone
            | Code::Unauthorised
            | Code::ScopeMissing
            | Code::KeyReused => Self::Here,
        }
    }
}

/// The command that asks the same again, between backticks.
fn again(run: &RunSummary, flags: &str) -> String {
    // Only rounds have a choice of engines.
    let flags = if run.rounds.is_none() && flags.starts_with("--engine") { "" } else { flags };
    if run.given {
        // A text that is stored is checked again from there: a client's text was never in a file.
        return match run.follows.or(run.report.map(|_| run.id)) {
            Some(of) => format!("`probity recheck {flags}{of}`"),
            None => format!("`probity verify {flags}FILE`"),
        };
    }
    if let Some(parent) = run.follows.filter(|_| run.rounds.is_some()) {
        let flags = flags.replace("--engine web ", "");
        return format!("`probity follow-up {flags}{parent} {}`", question(&run.query));
    }
    let verb = match run.rounds.map(|rounds| rounds.manner) {
        Some(Mode::Search) => "ask",
        Some(Mode::DeepSearch) => "research --rounds",
        Some(Mode::DeepResearch) => {
            let asked: String = run.asked_flags.iter().map(|flag| format!("{flag} ")).collect();
            return format!(
                "`probity research --web {asked}{}{}`",
                flags.replace("--engine web ", ""),
                question(&run.query)
            );
        }
        None => "research",
    };
    format!("`probity {verb} {flags}{}`", question(&run.query))
}

/// The question as a shell takes it; one that cannot be shown in a line is left to the person.
fn question(query: &str) -> String {
    let is_plain = text::line(query, QUESTION_CHARACTERS_MAX) == query && !query.contains(['`', '\\']);
    match is_plain {
        true if !query.contains(['"', '$', '!']) => format!("\"{query}\""),
        true => format!("'{}'", query.replace('\'', "'\\''")),
        false => "\"…\"".to_owned(),
    }
}

/// What asking again means for the user's money.
fn anew(run: &RunSummary) -> &'static str {
    match run.cost {
        Cost::Nothing => "it starts anew",
        Cost::FromUsage(_) | Cost::AtLeast(_) | Cost::Unknown => "it starts anew and is paid again",
    }
}

/// The tool that starts the same again.
fn tool(run: &RunSummary) -> &'static str {
    match run.rounds.map(|rounds| rounds.manner) {
        _ if run.given => "check_citations",
        Some(Mode::Search) => "search",
        Some(Mode::DeepSearch) => "deep_search",
        Some(Mode::DeepResearch) => "deep_research",
        None => "start_deep_research",
    }
}

/// Three times what it had.
fn more_time(run: &RunSummary) -> String {
    let took = run.ended_at.unwrap_or(run.updated_at).since_ms(run.asked_at);
    format!("{}m", took.saturating_mul(3).div_ceil(60_000).max(MINUTES_MIN))
}

/// Twice what it could spend, and at least what it may cost; in whole cents.
fn more_money(run: &RunSummary) -> String {
    let reserved = run.reserved.unwrap_or_default();
    let spent = run.cost.known().unwrap_or_default();
    let highest = run.estimate.map_or(MicroUsd(0), |estimate| estimate.cost_max);
    let most = MicroUsd(reserved.max(spent).0.saturating_mul(2)).max(highest);
    format!("{:.2}", (most.0.div_ceil(10_000).max(1)) as f64 / 100.0)
}

#[cfg(test)]
mod tests;
