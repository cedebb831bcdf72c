//! What each error code means, for `probity explain CODE` and for its page in the documentation. A new code does not
//! compile without its sentence.

use probity_research::{Code, CodedError, Retry};

use crate::exit::Exit;

/// Markdown: what happened, what to do, whether it is tried again, and the exit code.
pub fn error_page(code: Code) -> String {
    let what = what_happened(code);
    let again = match code.retry() {
        Retry::Never => "No.".to_owned(),
        Retry::After(wait) => format!(
            "Yes, after {} s at least, while the research has time left. A paid start is never repeated on its own.",
            wait.as_secs()
        ),
    };
    let exit = Exit::of_problem(&CodedError::new(code, "")).number();
    format!(
        "# {code}\n\n{what}\n\n## What to do\n\n{}.\n\n## Tried again by itself?\n\n{again}\n\n## Exit code\n\n{exit}\n",
        sentence(code.hint())
    )
}

fn sentence(hint: &str) -> String {
    let mut letters = hint.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

pub fn what_happened(code: Code) -> &'static str {
    match code {
        Code::InvalidQuery => "The question is empty or too long. Nothing was started and nothing was paid.",
        Code::InvalidArguments => {
            "A tool was called with arguments that do not fit its schema. Nothing was done."
        }
        Code::UnknownAgent => {
            "The agent's name is neither known to this version nor allowed by `gemini.agents`. A misspelt name \
             would otherwise be noticed only by the provider."
        }
        Code::KeyMissing => {
            "There is no API key. Nothing was written and nothing was paid. Keys are read from GEMINI_API_KEY, then \
             GOOGLE_API_KEY, then the private file that `probity setup` writes; never from settings."
        }
        Code::KeyRefused => "The provider does not accept the API key. Nothing was paid.",
        Code::PermissionDenied => {
            "The provider knows the key but does not let it do this. Deep Research needs a key with billing."
        }
        Code::BadRequest => {
            "The provider refused the request. What it says stands in the message, which is kept with the research. \
             The same request is refused again."
        }
        Code::RateLimited => "The provider asks for fewer calls. Probity waits as long as it says.",
        Code::QuotaExhausted => "The provider's quota for this key is used up for the day.",
        Code::ProviderUnavailable => {
            "The provider answers with a server error. A running research is not harmed."
        }
        Code::Network => {
            "The provider could not be reached. A research that was started goes on there and is picked up \
             when the connection is back."
        }
        Code::Timeout => "The provider did not answer in time.",
        Code::UnreadableAnswer => {
            "The provider's answer about a research cannot be read: no JSON, of an unknown shape, too large, cut off, or \
             about another research. Its bytes are kept, and Probity looks again until the research's deadline."
        }
        Code::EmptyReport => {
            "The provider says that it is done but sent no text. An empty report is never shown as a success."
        }
        Code::CreateUncertain => {
            "Probity asked the provider to start a research and did not hear whether it did: no answer came, or one \
             that is no proof, such as 408, 409, 499, any 5xx, a redirect or a proxy's page. If it \
             did, it was billed, and the provider offers no way to find it. Probity therefore never starts it again on \
             its own: that could pay twice."
        }
        Code::UnknownModel => {
            "The name cannot be the name of a model: only lower-case letters, digits, points and dashes, at most \
             64 of them, and no dash or point in front. Nothing was started."
        }
        Code::UnknownEngine => {
            "There is no such engine, or this engine cannot do what was asked. Nothing was started."
        }
        Code::UnusableAnswer => {
            "A model's answer to a round was not the JSON it was asked for, and could not be mended here. Probity \
             has it put into shape by a second call, and asks again if that fails too."
        }
        Code::NoEvidence => {
            "A model answered without having searched or read anything. An answer from memory is not a research: \
             it is not shown as a success."
        }
        Code::ExecutionError => {
            "Every try of a round failed: the main call and its correction, three times over. What the calls cost \
             is counted, and the last answer is kept."
        }
        Code::RoundLost => {
            "Probity or the Gemini CLI ended while a round was under way, and nobody knows what became of it. The \
             round is asked again; the lost call is counted among those that may have been billed."
        }
        Code::CliNotFound => {
            "The Gemini CLI is not installed, or not on the PATH. The message says how to install it; it needs an \
             API key since log-ins with personal accounts ended in June 2026. Nothing was paid."
        }
        Code::CliTooOld => {
            "The Gemini CLI is older than the oldest one whose safety Probity relies on. Nothing was paid."
        }
        Code::CliAuth => "The Gemini CLI could not log in (its exit code 41). It needs GEMINI_API_KEY.",
        Code::CliUntrusted => {
            "The Gemini CLI refuses to work in a folder that it does not trust (its exit code 55). Probity trusts \
             its private folder for it, so this points to a setting of the system."
        }
        Code::CliInput => "The Gemini CLI refused what it was given (its exit code 42).",
        Code::CliConfiguration => {
            "The Gemini CLI refuses its settings, its sandbox or its policy file (its exit codes 44 and 52)."
        }
        Code::CliTurnLimit => "The Gemini CLI stopped at its limit of turns (its exit code 53).",
        Code::CliToolFailed => "A tool of the Gemini CLI failed for good (its exit code 54).",
        Code::CliNoResult => {
            "The Gemini CLI ended, perhaps even with exit code 0, without saying that it is done. That is never \
             taken for a success."
        }
        Code::CliOutputLimit => {
            "The Gemini CLI printed more than Probity reads of one answer; it was stopped."
        }
        Code::CliFailed => "The Gemini CLI failed in a way that has no code of its own. Its words are kept.",
        Code::AddressRefused => {
            "The address leads to this machine, to a private network or to a service that only machines use, or \
             it is written in a way that hides where it leads. Probity never connects to such addresses, \
             whatever a page or a redirect says."
        }
        Code::RobotsRefused => {
            "The site's robots.txt asks programs not to read this page. Probity keeps to it."
        }
        Code::PageUnreachable => {
            "The page did not answer, answered with an error, or took longer than its time. Where an archive \
             has a copy, the copy is read and marked as one."
        }
        Code::PageTooLarge => {
            "The page is larger than Probity takes, packed or unpacked. Nothing of it was kept."
        }
        Code::PageUnreadable => {
            "The bytes are of a kind that Probity does not read, or reading them took more memory or time than a \
             page gets. They were read in a process of their own, which was ended."
        }
        Code::SearchFailed => {
            "A search provider failed, or the engines behind it did. That is not the same as finding nothing, \
             and it is never shown as such."
        }
        Code::NothingFound => {
            "All search providers answered, and none of them knows a page for this question. A further question on a \
             finished research: none of the pages that are stored with it says anything on it, and nothing was started."
        }
        Code::BrowserMissing => "Pages built by scripts need Chromium, which is not installed here.",
        Code::SourceFolder => "A folder of your own that was named as a source cannot be read.",
        Code::Expired => {
            "The provider no longer knows the research. It says so with 404 for longer than the time in which \
             a fresh one may be invisible."
        }
        Code::ProviderFailed => "The provider reports that the research failed. Its words are shown.",
        Code::Incomplete => "The provider stopped before the end. What it had is kept.",
        Code::Deadline => {
            "The research did not finish before its deadline. Probity asked the provider to cancel it, looked for \
             results for a few seconds more, and kept what there was, readable or not."
        }
        Code::Budget => {
            "The research would cost, or did cost, more than its budget. Before the start nothing was paid; \
             later it was cancelled at the provider, and what existed is kept."
        }
        Code::DayLimit => {
            "The limit of a day, `budget.per_day_usd`, is reached, or a tenant's: what the runs of the last 24 hours \
             cost, what those that are running may cost, and this one do not fit under it. Nothing was started and \
             nothing was paid. The limit has no fixed hour: each run stops to count 24 hours after it was asked for."
        }
        Code::Cancelled => "The research was cancelled. What existed is kept unless you asked to drop it.",
        Code::NotFound => "There is no such research in this store.",
        Code::AlreadyEnded => "The research has ended, so there is nothing to cancel or to resume.",
        Code::NotFinished => "The research has not ended yet.",
        Code::LeaseLost => "Another Probity process took this research over. It goes on there.",
        Code::StoreFull => {
            "The disk is full. No new research is started without its record on disk. A running one goes on, \
             and its report is also written as Markdown if the database cannot take it."
        }
        Code::StoreReadOnly => "The data directory cannot be written. Reading works.",
        Code::StoreCorrupt => {
            "What was read from the data directory is not what was written. Probity shows no answer from \
             damaged data."
        }
        Code::StoreGone => {
            "The database or its log is not where it was: removed, moved or replaced, although runs were recorded in \
             it. A process that still has it open takes on no new work, because nothing of it would be found again; \
             a report that comes in then is written as Markdown beside the reports, and of a research that is still \
             with the provider the terminal names the provider's id."
        }
        Code::StoreWhole => {
            "`probity store restore` found nothing to restore: the database is whole. An older backup in its place \
             would lose every research that was started since, paid ones too."
        }
        Code::NoBackup => {
            "There is nothing to restore: the data directory holds no backup that is whole. Backups are made by \
             `probity store backup` and before a new version changes the database."
        }
        Code::StoreDisk => {
            "The disk or the file system under the data directory reports an input/output error. That says nothing \
             against what is stored: once the disk answers again, runs go on where they were."
        }
        Code::StoreBusy => "Another process held the database for longer than Probity waits.",
        Code::StoreNewer => "The database was written by a newer Probity. This one does not touch it.",
        Code::StoreFailed => "The system refused a file operation. The cause is named below the error.",
        Code::OutputPath => {
            "A report was to be written to a place that is not allowed or not possible: outside the directories \
             for reports, through a link that leaves them, or under a name that not every file system takes. \
             Nothing was written."
        }
        Code::Settings => "A setting, a variable or a flag has a name or a value that is not allowed.",
        Code::AlreadyServing => {
            "Another `probity serve` runs on this data directory. Two would drive the same researches, and \
             clients could not tell which one they talk to."
        }
        Code::ListenFailed => {
            "The address cannot be listened on: another program has it, or it is not an address of this machine."
        }
        Code::TokenExposed => {
            "A file with tokens can be read by other users of this machine. Probity does not serve with a token \
             that others may know."
        }
        Code::BundleRefused => {
            "An evidence bundle is damaged, was changed after it was signed, is signed by another key than the one that \
             was named, or holds something that does not follow from its own journal and pages. What it says is not to \
             be relied on."
        }
        Code::ReleaseRefused => {
            "A release is not there, is not signed with the trusted key, is not what was signed, is older than the program \
             that asks, or could not be put in its place. The program that was there still is."
        }
        Code::BenchFailed => {
            "A script of a public benchmark, which runs in your clone of it, failed or could not be started. The reports \
             are written; what the script said stands in the log that the message names."
        }
        Code::ServerGone => {
            "The background server ended while a client was attached to it. Researches are on disk; calls that \
             were open got no answer."
        }
        Code::EngineUnreachable => {
            "A fleet's engine does not answer, so a research cannot be handed to the workers now. It is on disk and is \
             handed over as soon as the engine answers."
        }
        Code::Unauthorised => {
            "The request to a fleet carries no key or token, or one that is not valid: unknown, expired, revoked, or \
             made for another service. Which of these it is, a stranger is not told."
        }
        Code::ScopeMissing => {
            "The key or token is valid but does not allow this. The answer names the scope that is missing."
        }
        Code::KeyReused => {
            "A request came with an `Idempotency-Key` that was used for a different request within the last day. \
             Nothing was started."
        }
    }
}
