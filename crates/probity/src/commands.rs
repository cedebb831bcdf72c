//! The subcommands of the program, one file each.

pub mod ask;
pub mod bench;
pub mod bundle;
pub mod completions;
pub mod config;
pub mod demo;
pub mod doctor;
pub mod drive;
pub mod explain;
pub mod export;
pub mod fleet;
pub mod follow_up;
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
pub mod uninstall;
pub mod update;
pub mod verify;
pub mod watch;
pub mod worker;

use crate::{
    arguments::CliCommand,
    command_context::CommandContext,
    command_error::CommandError,
    exit::Exit,
    wire::{FailureDocument, stream::StreamLine},
};

pub async fn run(context: &CommandContext, verb: &CliCommand) -> Result<Exit, CommandError> {
    match verb {
        CliCommand::Ask(arguments) => Box::pin(ask::run(context, arguments)).await,
        CliCommand::Research(arguments) => Box::pin(research::run(context, arguments)).await,
        CliCommand::FollowUp(arguments) => Box::pin(follow_up::run(context, arguments)).await,
        CliCommand::Runs(verb) => Box::pin(runs::run(context, verb)).await,
        CliCommand::Setup(arguments) => Box::pin(setup::run(context, arguments)).await,
        CliCommand::Doctor(arguments) => Box::pin(doctor::run(context, arguments)).await,
        CliCommand::Config(verb) => config::run(context, verb),
        CliCommand::Bundle(arguments) => Box::pin(bundle::run(context, arguments)).await,
        CliCommand::Bench(verb) => Box::pin(bench::run(context, verb)).await,
        CliCommand::Export(arguments) => Box::pin(export::run(context, arguments)).await,
        CliCommand::Verify(arguments) => Box::pin(verify::run(context, arguments)).await,
        CliCommand::Recheck(arguments) => Box::pin(recheck::run(context, arguments)).await,
        CliCommand::Watch(verb) => Box::pin(watch::run(context, verb)).await,
        CliCommand::Explain(arguments) => Box::pin(explain::run(context, arguments)).await,
        CliCommand::Store(verb) => store::run(context, verb),
        CliCommand::Mcp(arguments) => Box::pin(mcp::run(context, arguments)).await,
        CliCommand::Serve(arguments) => Box::pin(serve::run(context, arguments)).await,
        CliCommand::Worker(arguments) => Box::pin(worker::run(context, arguments)).await,
        CliCommand::Fleet(verb) => Box::pin(fleet::run(context, verb)).await,
        CliCommand::Report(arguments) => Box::pin(report::run(context, arguments)).await,
        CliCommand::Ui(arguments) => Box::pin(ui::run(context, arguments)).await,
        CliCommand::Completions(arguments) => completions::run(context, arguments),
        CliCommand::Man(arguments) => man::run(context, arguments),
        CliCommand::Demo(arguments) => Box::pin(demo::run(context, arguments)).await,
        CliCommand::Privacy(arguments) => privacy::run(context, arguments),
        CliCommand::Update(arguments) => Box::pin(update::run(context, arguments)).await,
        CliCommand::Uninstall(arguments) => uninstall::run(context, arguments),
        CliCommand::Drive => Box::pin(drive::run(context)).await,
        // Dispatched before anything else is set up.
        CliCommand::Keep(_) | CliCommand::Parse => Ok(Exit::Usage),
    }
}

/// Prints the failure once; scripts get their one document too.
pub fn print_failure(context: &CommandContext, verb: &CliCommand, failure: &CommandError) -> Exit {
    context.output.failure(failure);
    let document = FailureDocument::of(failure);
    let printed = match (wants_stream(verb), wants_json(verb)) {
        (true, _) => context.output.json_line(&StreamLine::Failure(document)),
        (false, true) => context.output.json(&document),
        (false, false) => Ok(()),
    };
    if let Err(unwritten) = printed {
        context.output.failure(&unwritten);
    }
    failure.exit()
}

fn wants_stream(verb: &CliCommand) -> bool {
    match verb {
        CliCommand::Ask(arguments) => arguments.stream_json,
        CliCommand::Research(arguments) => arguments.stream_json,
        CliCommand::FollowUp(arguments) => arguments.stream_json,
        CliCommand::Runs(verb) => verb.wants_stream(),
        _ => false,
    }
}

fn wants_json(verb: &CliCommand) -> bool {
    match verb {
        CliCommand::Ask(arguments) => arguments.json,
        CliCommand::Research(arguments) => arguments.json,
        CliCommand::FollowUp(arguments) => arguments.json,
        CliCommand::Runs(verb) => verb.wants_json(),
        CliCommand::Doctor(arguments) => arguments.json,
        CliCommand::Config(verb) => verb.wants_json(),
        CliCommand::Verify(arguments) => arguments.wants_json(),
        CliCommand::Recheck(arguments) => arguments.json,
        CliCommand::Watch(verb) => verb.wants_json(),
        CliCommand::Explain(arguments) => arguments.json,
        CliCommand::Bundle(arguments) => arguments.wants_json(),
        CliCommand::Fleet(verb) => verb.wants_json(),
        CliCommand::Demo(arguments) => arguments.json,
        CliCommand::Privacy(arguments) => arguments.json,
        CliCommand::Mcp(arguments) => arguments.wants_json(),
        CliCommand::Bench(_)
        | CliCommand::Export(_)
        | CliCommand::Setup(_)
        | CliCommand::Report(_)
        | CliCommand::Ui(_)
        | CliCommand::Completions(_)
        | CliCommand::Man(_)
        | CliCommand::Worker(_)
        | CliCommand::Store(_)
        | CliCommand::Serve(_)
        | CliCommand::Update(_)
        | CliCommand::Uninstall(_)
        | CliCommand::Drive
        | CliCommand::Keep(_)
        | CliCommand::Parse => false,
    }
}
