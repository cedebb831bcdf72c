//! The program: reads the command line, hands it to one verb, and ends with that verb's exit code.

mod arguments;
mod attach;
mod completing;
mod context;
mod desk;
mod detach;
mod documents;
mod engine;
mod environment;
mod exit;
mod explained;
mod failure;
mod fleet;
mod follow;
#[cfg(test)]
mod generated;
mod house;
mod identify;
mod keys;
mod logging;
mod notify;
mod office;
mod output;
mod planning;
mod proofs;
mod reporting;
mod settings;
mod sources;
mod starting;
mod telling;
mod verbs;
mod wire;
mod words;

use std::{process::ExitCode, time::Duration};

use probity_research::Code;

use crate::{
    arguments::Verb, context::Context, environment::Environment, exit::Exit, failure::Failure, output::Output,
};

/// Driving is waiting for the provider; one thread draws and waits, the other lets a slow disk be slow.
/// A thread per core would only make the start dearer.
const WORKERS: usize = 2;
/// Answers take microseconds, and whatever is slow has threads of its own: a second worker would only be woken
/// for every message to find it answered, at half again the cost of a call.
const WORKERS_SERVING: usize = 1;
/// What no verb waited for gets this long: a read of stdin that cannot be called back must not hold us.
const LEFTOVERS_TAKE: Duration = Duration::from_millis(100);

fn main() -> ExitCode {
    let environment = Environment::read();
    if completing::answer(&environment) {
        return Exit::Done.into();
    }
    let output = Output::new(&environment);
    let arguments = match arguments::read(environment::command_line()) {
        Ok(arguments) => arguments,
        Err(error) => {
            output.usage(&error);
            return if error.use_stderr() { Exit::Usage.into() } else { Exit::Done.into() };
        }
    };
    if let Verb::Keep(arguments) = &arguments.verb {
        return verbs::keep::run(arguments);
    }
    if matches!(arguments.verb, Verb::Parse) {
        return verbs::parse::run();
    }
    let telling = match &arguments.verb {
        Verb::Drive => Ok(None),
        verb => match verb.name_in_a_fleet() {
            Some(name) => logging::to_stderr_and_collector(&environment, arguments.verbose, &output, name),
            None => {
                logging::to_stderr(&environment, arguments.verbose, &output);
                Ok(None)
            }
        },
    };
    let context = Context { output, environment };
    match telling.and_then(|_until_the_end| run(&context, &arguments.verb)) {
        Ok(exit) => exit.into(),
        Err(failure) => verbs::fail(&context, &arguments.verb, &failure).into(),
    }
}

fn run(context: &Context, verb: &Verb) -> Result<Exit, Failure> {
    if let Verb::Config(verb) = verb {
        return verbs::config::run(context, verb);
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(if verb.serves() { WORKERS_SERVING } else { WORKERS })
        .enable_all()
        .build()
        .map_err(|error| Failure::new(Code::StoreFailed, "could not start").because(&error))?;
    let ended = runtime.block_on(verbs::run(context, verb));
    // Whoever starts work waits for it; what is left is a thread that reads a stdin nobody writes to.
    runtime.shutdown_timeout(LEFTOVERS_TAKE);
    ended
}
