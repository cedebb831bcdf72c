//! `probity demo`: the real program against simulated providers, on this machine alone.
//!
//! Serves a small web, a search API and a chat model on loopback, and runs this very program against them, one
//! command after another. Needs no key and no network; nothing is written outside one temporary directory.
//! Never reads the user's settings, keys or runs.

mod child;
mod steps;
mod world;

use clap::Args;
use probity_research::Code;
use serde_json::{Value, json};

use crate::{
    command_context::CommandContext, command_error::CommandError, exit::Exit, format, output::Tone,
    wire::SCHEMA_VERSION,
};
use child::ChildExit;
use steps::DemoStep;
use world::DemoWorld;

#[derive(Debug, Args)]
pub struct DemoArguments {
    /// Keep the temporary directory, with the reports as HTML, and say where it is
    #[arg(long)]
    pub keep: bool,
    /// Print exactly one JSON document on stdout: every command with its own document
    #[arg(long)]
    pub json: bool,
}

const BEGIN: &str = "Everything that follows is simulated: a small web of eight pages that we wrote, a search over it, \
    and a model that only repeats what it reads. The program is the real one. No key is used, nothing leaves this \
    machine, nothing is paid; prices are what such calls would cost at gpt-5's list price.";
const END: &str = "That was the demo. All of it was simulated, and none of it is kept: what it names by an id can be looked at \
    after `probity demo --keep`.";
const END_KEPT: &str = "That was the demo. All of it was simulated.";

pub async fn run(context: &CommandContext, arguments: &DemoArguments) -> Result<Exit, CommandError> {
    let stage = DemoWorld::start(&context.environment).await?;
    let steps = steps::all(arguments.keep);
    let ended = match arguments.json {
        true => Box::pin(record_steps(context, &stage, &steps)).await,
        false => Box::pin(show_steps(context, &stage, &steps)).await,
    };
    let kept = match arguments.keep {
        true => Some(stage.keep()),
        false => {
            stage.clear();
            None
        }
    };
    let exit = ended?;
    if !arguments.json {
        print_end(context, kept.as_deref(), exit);
    }
    Ok(exit)
}

/// Each command as a person would type it, with what it prints.
async fn show_steps(
    context: &CommandContext,
    stage: &DemoWorld,
    steps: &[DemoStep],
) -> Result<Exit, CommandError> {
    let output = &context.output;
    output.print_message(&output.style_err(Tone::Strong, "probity demo"));
    output.print_message(BEGIN);
    for (place, step) in steps.iter().enumerate() {
        let counted = format!("{} of {}", place + 1, steps.len());
        output.print_message(&format!(
            "\n{}",
            output.style_err(Tone::Strong, &format!("── {counted}: {}", step.title))
        ));
        output.print_message(&output.style_err(Tone::Quiet, &step.command_line()));
        output.print_message("");
        match child::run_visible(stage, &step.arguments).await? {
            ChildExit::Code(code) if code == step.exit => {}
            ChildExit::Code(code) => return Err(unexpected(step, code, "")),
            ChildExit::Interrupted => return Ok(Exit::Interrupted),
        }
        output.print_message(&format!("\n{}", output.fit_err(step.lesson, 0)));
    }
    Ok(Exit::Done)
}

/// The same for scripts: every command's own document inside one.
async fn record_steps(
    context: &CommandContext,
    stage: &DemoWorld,
    steps: &[DemoStep],
) -> Result<Exit, CommandError> {
    let mut outputs = Vec::new();
    for step in steps.iter().filter(|step| step.has_document) {
        let arguments: Vec<&str> = step.arguments.iter().copied().chain(["--json"]).collect();
        let caught = child::run_captured(stage, &arguments).await?;
        match caught.ended {
            ChildExit::Code(code) if code == step.exit => {}
            ChildExit::Code(code) => return Err(unexpected(step, code, &caught.err)),
            ChildExit::Interrupted => return Ok(Exit::Interrupted),
        }
        let document: Value = serde_json::from_slice(&caught.out)
            .map_err(|error| failed("a command of the demo printed no JSON").with_cause(&error))?;
        outputs.push(json!({ "command": step.command_line(), "exit_code": step.exit, "document": document }));
    }
    context.output.json(&json!({ "schema_version": SCHEMA_VERSION, "simulated": true, "steps": outputs }))?;
    Ok(Exit::Done)
}

fn print_end(context: &CommandContext, kept: Option<&std::path::Path>, exit: Exit) {
    let output = &context.output;
    if exit != Exit::Done {
        output.print_message("the demo was ended early; nothing of it is kept");
        return;
    }
    output.print_message(&format!("\n{}", output.style_err(Tone::Strong, "── now with the real web")));
    match kept {
        Some(path) => {
            output.print_message(&format!("{END_KEPT} Reports, pages and journals: {}", path.display()));
            output
                .print_message(&format!("to look at them: XDG_DATA_HOME={}/data probity ui", path.display()));
        }
        None => output.print_message(END),
    }
    output.print_message("What to type next:");
    let rows = [
        ("now", "probity \"your question\"      no key needed: searched, read and quoted".to_owned()),
        ("check", "probity verify FILE          any text with links, against its pages".to_owned()),
        ("better", "probity doctor               what is set up, and what to add".to_owned()),
    ];
    output.print_message(&output.rows(&rows));
}

fn unexpected(step: &DemoStep, code: i32, said: &str) -> CommandError {
    let what = format!("`{}` ended with {code} instead of {}", step.command_line(), step.exit);
    let last = said.lines().rev().find(|line| line.starts_with("error[")).unwrap_or_default();
    let failure = failed(&what).with_hint("run it with `-v`; `probity doctor` looks at this machine");
    match last {
        "" => failure,
        last => failure.with_cause(&std::io::Error::other(format::fit(last, 200))),
    }
}

fn failed(what: &str) -> CommandError {
    CommandError::new(Code::StoreFailed, what)
}
