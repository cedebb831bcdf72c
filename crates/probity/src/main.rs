//! The program: reads the command line, runs one subcommand, and ends with its exit code.

mod app_context;
mod approve;
mod arguments;
mod attach;
mod chat_endpoints;
mod checks;
mod command_context;
mod command_error;
mod commands;
mod detach;
mod engine;
mod environment;
mod error_docs;
mod exit;
mod fleet;
mod follow;
mod follow_up;
mod format;
#[cfg(test)]
mod generated;
mod identify;
mod input_text;
mod keys;
mod library;
mod local_backend;
mod logging;
mod missing_bytes;
mod notify;
mod output;
mod plan_file;
mod planning;
mod release;
mod render;
mod report_document;
mod report_roots;
mod settings;
mod settings_change;
mod shutdown;
mod source_arguments;
mod start_run;
mod tab_completion;
mod typed_input;
mod ui_backend;
mod watch;
mod wire;

use std::{process::ExitCode, time::Duration};

use probity_research::Code;

use crate::{
    arguments::CliCommand, command_context::CommandContext, command_error::CommandError,
    environment::Environment, exit::Exit, output::ConsoleOutput,
};

/// A driver mostly waits for the provider; one thread draws and waits, the other absorbs slow disk access.
/// A thread per core would only make the start dearer.
const WORKERS: usize = 2;
/// Requests take microseconds, and blocking work has threads of its own: a second worker would only be woken
/// for every message to find it answered, at half again the cost of a call.
const WORKERS_SERVING: usize = 1;
/// After so many steps of tasks a thread looks at clocks and connections. A step that renders a large report takes a
/// tenth of a second: by default, six seconds of them would pass before anybody else is heard.
const LOOKS_AFTER_TASKS: u32 = 4;
/// Tasks that no command waited for get this long: a read of stdin cannot be cancelled and must not delay the
/// exit.
const LEFTOVERS_TAKE: Duration = Duration::from_millis(100);

fn main() -> ExitCode {
    let environment = Environment::read();
    if tab_completion::answer_shell(&environment) {
        return Exit::Done.into();
    }
    let output = ConsoleOutput::new(&environment);
    let arguments = match arguments::parse_command_line(environment::command_line()) {
        Ok(arguments) => arguments,
        Err(error) => {
            output.usage(&error);
            return if error.use_stderr() { Exit::Usage.into() } else { Exit::Done.into() };
        }
    };
    if let CliCommand::Keep(arguments) = &arguments.verb {
        return commands::keep::run(arguments);
    }
    if matches!(arguments.verb, CliCommand::Parse) {
        return commands::parse::run();
    }
    let telling = match &arguments.verb {
        CliCommand::Drive => Ok(None),
        verb => match verb.fleet_role() {
            Some(name) => logging::to_stderr_and_collector(&environment, arguments.verbose, &output, name),
            None => {
                logging::to_stderr(&environment, arguments.verbose, &output);
                Ok(None)
            }
        },
    };
    let context = CommandContext { output, environment };
    match telling.and_then(|_until_the_end| run(&context, &arguments.verb)) {
        Ok(exit) => exit.into(),
        Err(failure) => commands::print_failure(&context, &arguments.verb, &failure).into(),
    }
}

fn run(context: &CommandContext, verb: &CliCommand) -> Result<Exit, CommandError> {
    if let CliCommand::Config(verb) = verb {
        return commands::config::run(context, verb);
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(if verb.is_server() { WORKERS_SERVING } else { WORKERS })
        .event_interval(LOOKS_AFTER_TASKS)
        .enable_all()
        .build()
        .map_err(|error| CommandError::new(Code::StoreFailed, "could not start").with_cause(&error))?;
    let ended = runtime.block_on(commands::run(context, verb));
    // A command that starts work waits for it; what is left is a thread that reads an idle stdin.
    runtime.shutdown_timeout(LEFTOVERS_TAKE);
    ended
}
