//! The program's exit codes. Stable: scripts branch on them.

use std::process::ExitCode;

use probity_research::{
    Code, CodedError,
    status::{RunStatus, RunSummary},
};

/// One row per code; the page in `docs/generated/` is made from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    Done,
    Failed,
    Usage,
    Unverified,
    Contradicted,
    Capped,
    NoProvider,
    ProviderDown,
    Interrupted,
}

impl Exit {
    pub const ALL: [Self; 9] = [
        Self::Done,
        Self::Failed,
        Self::Usage,
        Self::Unverified,
        Self::Contradicted,
        Self::Capped,
        Self::NoProvider,
        Self::ProviderDown,
        Self::Interrupted,
    ];

    pub fn number(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Failed => 1,
            Self::Usage => 2,
            Self::Unverified => 3,
            Self::Contradicted => 4,
            Self::Capped => 5,
            Self::NoProvider => 6,
            Self::ProviderDown => 7,
            Self::Interrupted => 130,
        }
    }

    pub fn meaning(self) -> &'static str {
        match self {
            Self::Done => {
                "Done. For a research: finished, and the report is on stdout; `--json` says whether it is \
                 verified, and what ended its rounds if there are any. For `verify`: nothing of `--fail-on` was found; the text may still be not verified, which \
                 `--fail-on unverified` rules out."
            }
            Self::Failed => "Failed. The error code on stderr says why.",
            Self::Usage => "The command line or a setting is wrong. Nothing was started.",
            Self::Unverified => {
                "For `bundle verify`: something could not be computed again, so the bundle is not verified."
            }
            Self::Contradicted => {
                "For `verify`: a claim has a verdict of `--fail-on` (contradicted or not in source unless you say \
                 otherwise; also `uncited`, `unreachable`, `contested` and `unverified`). For `recheck` and `watch run`: a claim stands worse than before."
            }
            Self::Capped => {
                "Stopped early by a limit: budget, deadline or the provider's own. What existed is saved. A research on \
                 the web that its deadline ended is `completed` all the same, with its report on stdout."
            }
            Self::NoProvider => {
                "No key, or the provider refuses the key. Nothing was paid to it. A research on the web whose model refuses \
                 the key is `completed` all the same, with a report made of quotations on stdout."
            }
            Self::ProviderDown => {
                "The provider is down, out of quota, or never said whether it started (`unknown`). For `verify`: \
                 the judge did not answer about a claim, unless `--fail-on none` says that nothing fails."
            }
            Self::Interrupted => {
                "Interrupted (Ctrl-C, SIGTERM) or cancelled. The state is saved; an interrupted research goes on at \
                 the provider and can be resumed."
            }
        }
    }

    /// The code of a command that ended with this problem.
    pub fn of_problem(problem: &CodedError) -> Self {
        match problem.code {
            Code::InvalidQuery
            | Code::InvalidArguments
            | Code::UnknownAgent
            | Code::UnknownModel
            | Code::UnknownEngine
            | Code::OutputPath
            | Code::SourceFolder
            | Code::Settings
            | Code::TokenExposed => Self::Usage,
            Code::KeyMissing
            | Code::KeyRefused
            | Code::PermissionDenied
            | Code::CliNotFound
            | Code::CliTooOld
            | Code::CliAuth
            | Code::CliUntrusted
            | Code::BrowserMissing => Self::NoProvider,
            Code::RateLimited
            | Code::QuotaExhausted
            | Code::ProviderUnavailable
            | Code::Network
            | Code::Timeout
            | Code::SearchFailed
            | Code::CreateUncertain => Self::ProviderDown,
            Code::Deadline | Code::Budget | Code::DayLimit | Code::Incomplete => Self::Capped,
            Code::Cancelled => Self::Interrupted,
            Code::BadRequest
            | Code::UnreadableAnswer
            | Code::EmptyReport
            | Code::Expired
            | Code::ProviderFailed
            | Code::UnusableAnswer
            | Code::NoEvidence
            | Code::ExecutionError
            | Code::RoundLost
            | Code::AddressRefused
            | Code::RobotsRefused
            | Code::PageUnreachable
            | Code::PageTooLarge
            | Code::PageUnreadable
            | Code::NothingFound
            | Code::CliInput
            | Code::CliConfiguration
            | Code::CliTurnLimit
            | Code::CliToolFailed
            | Code::CliNoResult
            | Code::CliOutputLimit
            | Code::CliFailed
            | Code::NotFound
            | Code::AlreadyEnded
            | Code::NotFinished
            | Code::LeaseLost
            | Code::EngineUnreachable
            | Code::StoreFull
            | Code::StoreReadOnly
            | Code::StoreCorrupt
            | Code::StoreGone
            | Code::NoBackup
            | Code::StoreWhole
            | Code::StoreDisk
            | Code::StoreBusy
            | Code::StoreNewer
            | Code::StoreFailed
            | Code::AlreadyServing
            | Code::ListenFailed
            | Code::BundleRefused
            | Code::ReleaseRefused
            | Code::BenchFailed
            | Code::ServerGone
            | Code::Unauthorised
            | Code::ScopeMissing
            | Code::KeyReused => Self::Failed,
        }
    }

    /// The code of a command that waited for a run and saw it end like this.
    pub fn of_research(summary: &RunSummary) -> Self {
        match summary.status {
            RunStatus::Completed if summary.is_cut_short => Self::Capped,
            RunStatus::Completed if is_refused(summary) => Self::NoProvider,
            RunStatus::Completed => Self::Done,
            RunStatus::Incomplete | RunStatus::TimedOut | RunStatus::OverBudget => Self::Capped,
            RunStatus::Cancelled => Self::Interrupted,
            RunStatus::Unknown => Self::ProviderDown,
            RunStatus::Failed => summary.problem.as_ref().map_or(Self::Failed, Self::of_problem),
            RunStatus::Expired | RunStatus::Pending | RunStatus::RunningAsync | RunStatus::Cancelling => {
                Self::Failed
            }
        }
    }
}

/// The report is there, and its model was not: the provider refuses the key.
fn is_refused(summary: &RunSummary) -> bool {
    let problem = summary.model_problem.as_ref();
    problem.is_some_and(|problem| Exit::of_problem(problem) == Exit::NoProvider)
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.number())
    }
}

#[cfg(test)]
mod tests {
    use probity_research::{Code, CodedError, RunId, status::RunSummary};
    use serde_json::json;

    use super::Exit;

    #[test]
    fn a_report_that_the_deadline_ended_has_the_exit_code_of_a_limit() {
        let whole: RunSummary = serde_json::from_value(json!({
            "id": RunId::from_random(7), "status": "completed", "due": false, "query": "q", "engine": "web",
            "agent": "none", "asked_at": 0, "updated_at": 9, "ended_at": 9, "progress_percent": 100,
            "progress_estimated": false, "current_action": "", "steps": 0, "searches": 0, "pages": 0,
            "attended_ms": 0, "cost": { "basis": "nothing" }, "sources": 0,
        }))
        .unwrap();
        assert_eq!(Exit::of_research(&whole), Exit::Done);
        assert_eq!(Exit::of_research(&RunSummary { is_cut_short: true, ..whole.clone() }), Exit::Capped);
        for (code, exit) in [
            (Code::KeyRefused, Exit::NoProvider),
            (Code::PermissionDenied, Exit::NoProvider),
            (Code::UnknownModel, Exit::Done),
        ] {
            let model_problem = Some(CodedError::new(code, "no"));
            assert_eq!(Exit::of_research(&RunSummary { model_problem, ..whole.clone() }), exit, "{code}");
        }
    }
}
