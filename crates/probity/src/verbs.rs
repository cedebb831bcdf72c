//! The verbs of the command line, one file each.

pub mod ask;
pub mod bundle;
pub mod completions;
pub mod config;
pub mod demo;
pub mod doctor;
pub mod drive;
pub mod explain;
pub mod export;
pub mod fleet;
pub mod keep;
pub mod man;
pub mod mcp;
pub mod parse;
pub mod privacy;
pub mod recheck;
pub mod report;
pub mod research;
pub mod runs;
pub mod serve;
pub mod setup;
pub mod store;
pub mod ui;
pub mod verify;
pub mod worker;

use crate::{
    arguments::Verb,
    context::Context,
    exit::Exit,
    failure::Failure,
    wire::{FailureDocument, stream::StreamLine},
};

pub async fn run(context: &Context, verb: &Verb) -> Result<Exit, Failure> {
    match verb {
        Verb::Ask(arguments) => Box::pin(ask::run(context, arguments)).await,
        Verb::Research(arguments) => Box::pin(research::run(context, arguments)).await,
        Verb::Runs(verb) => Box::pin(runs::run(context, verb)).await,
        Verb::Setup(arguments) => Box::pin(setup::run(context, arguments)).await,
        Verb::Doctor(arguments) => Box::pin(doctor::run(context, arguments)).await,
        Verb::Config(verb) => config::run(context, verb),
        Verb::Bundle(arguments) => Box::pin(bundle::run(context, arguments)).await,
        Verb::Export(arguments) => Box::pin(export::run(context, arguments)).await,
        Verb::Verify(arguments) => Box::pin(verify::run(context, arguments)).await,
        Verb::Recheck(arguments) => Box::pin(recheck::run(context, arguments)).await,
        Verb::Explain(arguments) => Box::pin(explain::run(context, arguments)).await,
        Verb::Store(verb) => store::run(context, verb),
        Verb::Mcp(arguments) => Box::pin(mcp::run(context, arguments)).await,
        Verb::Serve(arguments) => Box::pin(serve::run(context, arguments)).await,
        Verb::Worker(arguments) => Box::pin(worker::run(context, arguments)).await,
        Verb::Fleet(verb) => Box::pin(fleet::run(context, verb)).await,
        Verb::Report(arguments) => Box::pin(report::run(context, arguments)).await,
        Verb::Ui(arguments) => Box::pin(ui::run(context, arguments)).await,
        Verb::Completions(arguments) => completions::run(context, arguments),
        Verb::Man(arguments) => man::run(context, arguments),
        Verb::Demo(arguments) => Box::pin(demo::run(context, arguments)).await,
        Verb::Privacy(arguments) => Box::pin(privacy::run(context, arguments)).await,
        Verb::Drive => Box::pin(drive::run(context)).await,
        // Dispatched before anything else is set up.
        Verb::Keep(_) | Verb::Parse => Ok(Exit::Usage),
    }
}

/// Says once what went wrong; scripts get their one document too.
pub fn fail(context: &Context, verb: &Verb, failure: &Failure) -> Exit {
    context.output.failure(failure);
    let document = FailureDocument::of(failure);
    let told = match (wants_stream(verb), wants_json(verb)) {
        (true, _) => context.output.json_line(&StreamLine::Failure(document)),
        (false, true) => context.output.json(&document),
        (false, false) => Ok(()),
    };
    if let Err(unwritten) = told {
        context.output.failure(&unwritten);
    }
    failure.exit()
}

fn wants_stream(verb: &Verb) -> bool {
    match verb {
        Verb::Ask(arguments) => arguments.stream_json,
        Verb::Research(arguments) => arguments.stream_json,
        Verb::Runs(verb) => verb.wants_stream(),
        _ => false,
    }
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
        Verb::Demo(arguments) => arguments.json,
        Verb::Privacy(arguments) => arguments.json,
        Verb::Mcp(arguments) => arguments.wants_json(),
        Verb::Export(_)
        | Verb::Setup(_)
        | Verb::Report(_)
        | Verb::Ui(_)
        | Verb::Completions(_)
        | Verb::Man(_)
        | Verb::Worker(_)
        | Verb::Store(_)
        | Verb::Serve(_)
        | Verb::Drive
        | Verb::Keep(_)
        | Verb::Parse => false,
    }
}
