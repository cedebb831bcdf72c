//! The questions of `probity setup`, one line each. An empty answer leaves things as they are.

use super::{SetupAnswers, SetupArguments, findings::SetupFindings, judge, model_settings, spend_cap};
use crate::{
    command_context::CommandContext,
    command_error::CommandError,
    keys::file,
    typed_input::{read_hidden_line, read_line},
};

/// Invalid answers accepted before giving up.
const TRIES_MAX: usize = 3;

/// Asks for what neither a flag nor the machine answers.
pub fn ask_missing(
    context: &CommandContext,
    found: &SetupFindings,
    arguments: &SetupArguments,
    answers: &mut SetupAnswers,
) -> Result<(), CommandError> {
    if !found.has_gemini_key() && answers.keys.is_empty() {
        gemini_key(context, answers);
    }
    if !found.has_model() && arguments.model_endpoint.is_none() {
        model(context, found, answers);
    }
    if found.judge.is_none() && answers.keys.is_empty() && answers.settings.is_empty() {
        judge_program(context, found, answers)?;
    }
    if found.settings.budget.is_none() && arguments.spend_cap.is_none() {
        cap(context, answers);
    }
    if arguments.clients.is_none() {
        clients(context, found, answers);
    }
    Ok(())
}

fn gemini_key(context: &CommandContext, answers: &mut SetupAnswers) {
    context.output.print_message(
        "Gemini API key, for Google's research agents (https://aistudio.google.com/apikey).\n\
         Paste it, it is not shown; Enter goes on without one:",
    );
    for _ in 0..TRIES_MAX {
        match read_hidden_line().as_deref().map(str::trim) {
            None | Some("") => return,
            Some(key) if file::is_key(key) => {
                answers.keys.insert("GEMINI_API_KEY".to_owned(), key.to_owned());
                context.output.print_message("taken; it will be stored where only you can read it\n");
                return;
            }
            Some(_) => {
                context.output.print_message("that cannot be a key; once more, or Enter to go on without:")
            }
        }
    }
}

fn model(context: &CommandContext, found: &SetupFindings, answers: &mut SetupAnswers) {
    let offered = found.endpoints.iter().find_map(|endpoint| Some((endpoint, endpoint.models.first()?)));
    let Some((endpoint, model)) = offered else { return };
    let question =
        format!("Let {model} at {} write and judge? Nothing leaves this machine.", endpoint.address);
    if context.output.confirm(&question) {
        answers.settings.extend(model_settings(&endpoint.address, model));
    }
}

/// The entailment program of this machine, or how to get a judge.
fn judge_program(
    context: &CommandContext,
    found: &SetupFindings,
    answers: &mut SetupAnswers,
) -> Result<(), CommandError> {
    let Some(judge) = &found.judge_program else {
        context.output.print_message(&format!("{}\n", judge::HOW));
        return Ok(());
    };
    let question = format!(
        "Let {} judge with the weights {}? Nothing leaves this machine.",
        judge.program.display(),
        judge.weights.display()
    );
    match context.output.confirm(&question) {
        true => answers.settings.extend(judge.settings()?),
        false => context.output.print_message(&format!("{}\n", judge::HOW)),
    }
    Ok(())
}

fn cap(context: &CommandContext, answers: &mut SetupAnswers) {
    context
        .output
        .print_message("Most that one research may cost, in US dollars, such as 5; Enter for no cap:");
    for _ in 0..TRIES_MAX {
        match read_line().as_deref().map(str::trim) {
            None | Some("") => return,
            Some(text) => match spend_cap(text) {
                Ok(cap) => return answers.settings.push(("budget.max_usd", cap)),
                Err(failure) => {
                    context.output.print_message(&format!("{}; once more:", failure.problem.message))
                }
            },
        }
    }
}

fn clients(context: &CommandContext, found: &SetupFindings, answers: &mut SetupAnswers) {
    let open = found.clients_without_entry();
    if open.is_empty() {
        return;
    }
    let names: Vec<&str> = open.iter().map(|client| client.title()).collect();
    let question = format!("Add Probity to {}? You see the changes first.", names.join(", "));
    if context.output.confirm(&question) {
        answers.clients = open;
    }
}
