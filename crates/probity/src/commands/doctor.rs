//! `probity doctor`: checks everything a run needs, and names the command that repairs what is missing.
//!
//! Spends nothing, and makes no network request but with `--probe`. Never prints a key.

mod checks;
pub mod clients;
mod evidence;
pub mod network;
mod pdf;
pub mod rounds;
mod storage;
mod updates;
pub mod web;

use clap::Args;

use crate::{
    command_context::CommandContext,
    command_error::CommandError,
    exit::Exit,
    output::Tone,
    wire::{DoctorCheckDocument, DoctorDocument, SCHEMA_VERSION},
};

/// The groups, in the order they are shown.
const GROUPS: [&str; 8] = [ENVIRONMENT, MODELS, SEARCH, STORAGE, EVIDENCE, MCP_CLIENTS, NETWORK, UPDATES];
const ENVIRONMENT: &str = "Environment";
const MODELS: &str = "Models";
const SEARCH: &str = "Search";
const STORAGE: &str = "Storage";
const EVIDENCE: &str = "Evidence";
const MCP_CLIENTS: &str = "MCP clients";
const NETWORK: &str = "Network";
const UPDATES: &str = "Updates";

#[derive(Debug, Args)]
pub struct DoctorArguments {
    /// Print exactly one JSON document on stdout
    #[arg(long)]
    pub json: bool,
    /// Also ask the providers what costs nothing, and start the server of each MCP client
    #[arg(long)]
    pub probe: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckSeverity {
    Fine,
    Warning,
    Failed,
}

/// Whether the provider is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProviderProbe {
    Asked,
    LeftAlone,
}

/// One row.
#[derive(Debug, Clone)]
pub struct DoctorCheck {
    group: &'static str,
    name: &'static str,
    verdict: CheckSeverity,
    detail: String,
    fix: Option<String>,
}

impl DoctorCheck {
    fn fine(group: &'static str, name: &'static str, detail: impl Into<String>) -> Self {
        Self { group, name, verdict: CheckSeverity::Fine, detail: detail.into(), fix: None }
    }

    /// Whether all is well, and the sentence that says what was found.
    pub fn told(&self) -> (bool, &str) {
        (self.verdict == CheckSeverity::Fine, &self.detail)
    }

    fn warning(
        group: &'static str,
        name: &'static str,
        detail: impl Into<String>,
        fix: impl Into<String>,
    ) -> Self {
        Self { group, name, verdict: CheckSeverity::Warning, detail: detail.into(), fix: Some(fix.into()) }
    }

    fn failed(
        group: &'static str,
        name: &'static str,
        detail: impl Into<String>,
        fix: impl Into<String>,
    ) -> Self {
        Self { group, name, verdict: CheckSeverity::Failed, detail: detail.into(), fix: Some(fix.into()) }
    }
}

pub async fn run(context: &CommandContext, arguments: &DoctorArguments) -> Result<Exit, CommandError> {
    let ask = if arguments.probe { ProviderProbe::Asked } else { ProviderProbe::LeftAlone };
    let mut checks = Box::pin(checks::all(context, ask)).await;
    checks.sort_by_key(|check| GROUPS.iter().position(|group| *group == check.group));
    let failed = checks.iter().any(|check| check.verdict == CheckSeverity::Failed);
    let exit = if failed { Exit::Failed } else { Exit::Done };
    if arguments.json {
        context.output.json(&document(&checks, exit))?;
    } else {
        context.output.data(&table(context, &checks))?;
    }
    Ok(exit)
}

fn table(context: &CommandContext, checks: &[DoctorCheck]) -> String {
    let output = &context.output;
    let names = checks.iter().map(|check| check.name.len()).max().unwrap_or(0);
    let mut lines = Vec::new();
    let mut group = "";
    for check in checks {
        if check.group != group {
            if !group.is_empty() {
                lines.push(String::new());
            }
            lines.push(output.style_out(Tone::Strong, check.group));
            group = check.group;
        }
        let (mark, tone) = mark(check.verdict);
        let line = format!("  {} {:<names$}  {}", output.style_out(tone, mark), check.name, check.detail);
        lines.push(output.fit_out(&line, names + 6));
        if let Some(fix) = &check.fix {
            lines.push(output.fit_out(&format!("    {:<names$}  → {fix}", ""), names + 8));
        }
    }
    let count = |verdict| checks.iter().filter(|check| check.verdict == verdict).count();
    let (warnings, failures) = (count(CheckSeverity::Warning), count(CheckSeverity::Failed));
    lines.push(String::new());
    lines.push(match (failures, warnings) {
        (0, 0) => "everything is in place".to_owned(),
        (0, warnings) => {
            format!("ready, with {}", crate::format::count(warnings as u64, "warning", "warnings"))
        }
        (failures, _) => crate::format::count(failures as u64, "thing does not work", "things do not work"),
    });
    lines.join("\n")
}

fn mark(verdict: CheckSeverity) -> (&'static str, Tone) {
    match verdict {
        CheckSeverity::Fine => ("✓", Tone::Good),
        CheckSeverity::Warning => ("⚠", Tone::Warning),
        CheckSeverity::Failed => ("✗", Tone::Bad),
    }
}

fn document(checks: &[DoctorCheck], exit: Exit) -> DoctorDocument {
    let row = |check: &DoctorCheck| DoctorCheckDocument {
        group: check.group,
        name: check.name,
        result: match check.verdict {
            CheckSeverity::Fine => "ok",
            CheckSeverity::Warning => "warning",
            CheckSeverity::Failed => "failed",
        },
        detail: check.detail.clone(),
        fix: check.fix.clone(),
    };
    DoctorDocument {
        schema_version: SCHEMA_VERSION,
        version: env!("CARGO_PKG_VERSION"),
        healthy: exit == Exit::Done,
        checks: checks.iter().map(row).collect(),
        exit_code: exit.number(),
    }
}
