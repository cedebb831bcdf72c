//! What a shell offers when the user presses Tab: subcommands and flags from the command line's own
//! definition, and ids of runs from the store. Prints no error and changes nothing, whatever goes wrong: the
//! user is typing.

use clap::CommandFactory as _;
use clap_complete::{
    CompleteEnv,
    engine::{ArgValueCandidates, CompletionCandidate},
};
use probity_research::text;
use probity_store::ListFilter;

use crate::{
    app_context::AppContext,
    arguments::CliArguments,
    command_context::CommandContext,
    environment::{self, Environment},
    keys::file as key_file,
    output::ConsoleOutput,
    settings::{definitions, raw::RawSettings},
};

/// The variable by which a shell's script asks; its value is the name of the shell.
pub const VARIABLE: &str = "PROBITY_COMPLETE";
/// Ids offered: as many as anyone reads.
const OFFERED_MAX: usize = 20;
/// Longest question beside an id.
const QUESTION_CHARACTERS_MAX: usize = 60;

/// Answers a shell that asks for completions, and says whether one did.
pub fn answer_shell(environment: &Environment) -> bool {
    if !environment.is_set(VARIABLE) {
        return false;
    }
    let here = environment::working_directory();
    let asked = CompleteEnv::with_factory(CliArguments::command).var(VARIABLE);
    // A shell that could not be answered gets no completions.
    asked.try_complete(environment::command_line(), here.as_deref()).unwrap_or(true)
}

/// For every argument that takes the id of a run.
pub fn run_id_candidates() -> ArgValueCandidates {
    ArgValueCandidates::new(|| newest_run_ids().unwrap_or_default())
}

/// For every argument that takes the name of a setting or of a key.
pub fn setting_candidates() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let names = definitions::all().map(|known| known.key).chain(key_file::names());
        names.map(CompletionCandidate::new).collect()
    })
}

fn newest_run_ids() -> Option<Vec<CompletionCandidate>> {
    let environment = Environment::read();
    let context = CommandContext { output: ConsoleOutput::new(&environment), environment };
    let settings = context.settings(RawSettings::default()).ok()?.settings;
    let app = AppContext::open_to_read(&settings).ok()??;
    let listed = app.store.list(&ListFilter { limit: OFFERED_MAX, ..ListFilter::default() }).ok()?;
    let mut offered = vec![CompletionCandidate::new("last").help(Some("the newest".into()))];
    offered.extend(listed.iter().map(|summary| {
        let question = text::line(&summary.query, QUESTION_CHARACTERS_MAX);
        CompletionCandidate::new(summary.id.to_string()).help(Some(question.into()))
    }));
    Some(offered)
}
