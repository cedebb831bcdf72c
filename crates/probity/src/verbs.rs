//! The verbs of the command line, one file each.

pub mod ask;
pub mod bundle;
pub mod config;
pub mod doctor;
pub mod drive;
pub mod explain;
pub mod export;
pub mod fleet;
pub mod keep;
pub mod mcp;
pub mod parse;
pub mod recheck;
pub mod research;
pub mod runs;
pub mod serve;
pub mod store;
pub mod verify;
pub mod worker;

use crate::{arguments::Verb, context::Context, exit::Exit, failure::Failure, wire::FailureDocument};

pub async fn run(context: &Context, verb: &Verb) -> Result<Exit, Failure> {
    match verb {
        Verb::Ask(arguments) => Box::pin(ask::run(context, arguments)).await,
        Verb::Research(arguments) => Box::pin(research::run(context, arguments)).await,
        Verb::Runs(verb) => Box::pin(runs::run(context, verb)).await,
        Verb::Doctor(arguments) => Box::pin(doctor::run(context, arguments)).await,
        Verb::Config(verb) => config::run(context, verb),
        Verb::Bundle(arguments) => Box::pin(bundle::run(context, arguments)).await,
        Verb::Export(arguments) => Box::pin(export::run(context, arguments)).await,
        Verb::Verify(arguments) => Box::pin(verify::run(context, arguments)).await,
        Verb::Recheck(arguments) => Box::pin(recheck::run(context, arguments)).await,
        Verb::Explain(arguments) => Box::pin(explain::run(context, arguments)).await,
        Verb::Store(verb) => store::run(context, verb),
        Verb::Mcp => Box::pin(mcp::run(context)).await,
        Verb::Serve(arguments) => Box::pin(serve::run(context, arguments)).await,
        Verb::Worker(arguments) => Box::pin(worker::run(context, arguments)).await,
        Verb::Fleet(verb) => Box::pin(fleet::run(context, verb)).await,
        Verb::Drive => Box::pin(drive::run(context)).await,
        // Dispatched before anything else is set up.
        Verb::Keep(_) | Verb::Parse => Ok(Exit::Usage),
    }
}

/// Says once what went wrong; scripts get their one document too.
pub fn fail(context: &Context, verb: &Verb, failure: &Failure) -> Exit {
    context.output.failure(failure);
    if wants_json(verb)
        && let Err(unwritten) = context.output.json(&FailureDocument::of(failure))
    {
        context.output.failure(&unwritten);
    }
    failure.exit()
}

fn wants_json(verb: &Verb) -> bool {
    match verb {
        Verb::Ask(arguments) => arguments.json,
        Verb::Research(arguments) => arguments.json,
        Verb::Runs(verb) => verb.wants_json(),
        Verb::Doctor(arguments) => arguments.json,
        Verb::Config(verb) => verb.wants_json(),
        Verb::Verify(arguments) => arguments.wants_json(),
        Verb::Recheck(arguments) => arguments.json,
        Verb::Explain(arguments) => arguments.json,
        Verb::Bundle(arguments) => arguments.wants_json(),
        Verb::Fleet(verb) => verb.wants_json(),
        Verb::Export(_)
        | Verb::Worker(_)
        | Verb::Store(_)
        | Verb::Mcp
        | Verb::Serve(_)
        | Verb::Drive
        | Verb::Keep(_)
        | Verb::Parse => false,
    }
}
