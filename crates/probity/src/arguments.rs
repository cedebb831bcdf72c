//! The command line: subcommands and flags. What they do is in `commands`.

use std::ffi::OsString;

use clap::{Parser, Subcommand};

use crate::commands::{
    ask, bench, bundle, completions, config, demo, doctor, explain, export, fleet, follow_up, keep, man, mcp,
    privacy, recheck, report, research, runs, serve, setup, store, ui, uninstall, update, verify, watch,
    worker,
};
use crate::release;

/// Deep research whose every sentence can be checked.
#[derive(Debug, Parser)]
#[command(name = "probity", version, long_version = release::BUILD, propagate_version = true, disable_help_subcommand = true)]
#[command(after_help = "Start with `probity doctor`, then `probity \"your question\"`.")]
pub struct CliArguments {
    /// Say more on stderr; twice for everything
    #[arg(short, long, global = true, action = clap::ArgAction::Count, display_order = 900)]
    pub verbose: u8,
    #[command(subcommand)]
    pub verb: CliCommand,
}

impl CliCommand {
    /// Serves clients until they disconnect.
    pub fn is_server(&self) -> bool {
        match self {
            Self::Mcp(arguments) => arguments.is_server(),
            Self::Serve(_) => true,
            _ => false,
        }
    }

    /// The name of a fleet's process in metrics and traces.
    pub fn fleet_role(&self) -> Option<&'static str> {
        match self {
            Self::Worker(_) => Some("probity-worker"),
            Self::Serve(arguments) if arguments.fleet => Some("probity-serve"),
            _ => None,
        }
    }
}

#[derive(Debug, Subcommand)]
pub enum CliCommand {
    /// Answer a question now; `probity "your question"` does the same
    Ask(ask::AskArguments),
    /// Research a question and print the report
    Research(research::ResearchArguments),
    /// Ask a further question on a finished research, from the pages that it read
    FollowUp(follow_up::FollowUpArguments),
    /// List, search, show, watch, cancel and resume researches; title, tag and remove them
    #[command(subcommand)]
    Runs(runs::RunsCommand),
    /// Find what is there, ask for what is missing, and store it: keys, models, spend cap, MCP clients
    Setup(setup::SetupArguments),
    /// Check that everything is in place, and say how to mend what is not
    Doctor(doctor::DoctorArguments),
    /// Show the settings and where each comes from
    #[command(subcommand)]
    Config(config::ConfigCommand),
    /// Serve MCP on stdin and stdout, or add Probity to the MCP clients on this machine
    Mcp(mcp::McpArguments),
    /// Serve MCP for many clients over HTTP, and drive what is due
    Serve(serve::ServeArguments),
    /// Check every claim of a text with links against the pages it cites; an exit code for CI
    Verify(verify::VerifyArguments),
    /// Fetch the cited pages of a research again: which claims flipped?
    Recheck(recheck::RecheckArguments),
    /// Watch reports: their pages are read again every few days, and changed verdicts are told
    #[command(subcommand)]
    Watch(watch::WatchCommand),
    /// Show one claim with everything that was checked, or what an error code means
    Explain(explain::ExplainArguments),
    /// Pack a finished research into one signed file, or verify and replay such a file
    Bundle(bundle::BundleArguments),
    /// Write reports the way a benchmark reads them
    Export(export::ExportArguments),
    /// Research the tasks of a public benchmark, and let its own scripts judge the reports
    #[command(subcommand)]
    Bench(bench::BenchCommand),
    /// Copy the database, or go back to a copy
    #[command(subcommand)]
    Store(store::StoreCommand),
    /// Carry out steps of a fleet's researches; any number of these may run
    Worker(worker::WorkerArguments),
    /// Look after a fleet: tables, parts, tenants, keys
    #[command(subcommand)]
    Fleet(fleet::FleetCommand),
    /// Write a report as HTML, PDF, Word, Markdown, JSON or a list of sources to cite
    Report(report::ReportArguments),
    /// Open the local page: library, live runs, reports with their evidence, costs
    Ui(ui::UiArguments),
    /// Print the script that lets your shell complete verbs, flags and research ids
    Completions(completions::CompletionsArguments),
    /// Print the manual page, or write all of them
    Man(man::ManArguments),
    /// See everything at work in seconds: a simulated web on this machine, no key, no network
    Demo(demo::DemoArguments),
    /// Say which hosts a research contacted, what was sent to each, and where its data lies
    Privacy(privacy::PrivacyArguments),
    /// Look for a newer release, verify who signed it, and put it in this program's place
    Update(update::UpdateArguments),
    /// Remove this program, and say what stays
    Uninstall(uninstall::RemovalArguments),
    /// Drive what is due in the background; started by `research --detach`
    #[command(hide = true)]
    Drive,
    /// Run a program confined and end everything it started; started by the Gemini CLI engine
    #[command(hide = true)]
    Keep(keep::KeepArguments),
    /// Read pages that come through stdin, confined; started by the web engine
    #[command(hide = true)]
    Parse,
}

/// Reads the command line. A question in quotes needs no subcommand: no subcommand has a space in it.
pub fn parse_command_line(mut typed: Vec<OsString>) -> Result<CliArguments, clap::Error> {
    let is_flag = |text: &OsString| text.to_string_lossy().starts_with('-');
    let first = typed.iter().skip(1).find(|text| !is_flag(text));
    if first.is_some_and(|text| text.to_string_lossy().trim().contains(char::is_whitespace)) {
        typed.insert(1, OsString::from("ask"));
    }
    CliArguments::try_parse_from(typed)
}

#[cfg(test)]
mod tests {
    use super::{CliCommand, parse_command_line};

    fn typed(words: &[&str]) -> Result<super::CliArguments, clap::Error> {
        parse_command_line(std::iter::once("probity").chain(words.iter().copied()).map(Into::into).collect())
    }

    #[test]
    fn a_question_in_quotes_needs_no_verb() {
        for words in [&["why is the sky blue?"][..], &["-v", "why blue?"], &["--json", "why blue?"]] {
            let CliCommand::Ask(asked) = typed(words).unwrap().verb else { panic!("{words:?}") };
            assert!(asked.question[0].contains("blue?"));
        }
        assert!(matches!(typed(&["research", "why blue?"]).unwrap().verb, CliCommand::Research(_)));
    }

    #[test]
    fn a_mistyped_verb_is_no_question() {
        let refused = typed(&["reserch", "why is the sky blue?"]).unwrap_err().to_string();
        assert!(refused.contains("'research'"), "{refused}");
        assert!(typed(&["sky"]).is_err());
        assert!(typed(&[" sky "]).is_err());
    }

    #[test]
    fn what_belongs_to_rounds_is_refused_elsewhere() {
        assert!(typed(&["research", "--max-iterations", "3", "q"]).is_err());
        assert!(typed(&["research", "--rounds", "--agent", "a", "q"]).is_err());
        assert!(typed(&["research", "--rounds", "--max-iterations", "-1", "--engine", "auto", "q"]).is_ok());
    }
}
