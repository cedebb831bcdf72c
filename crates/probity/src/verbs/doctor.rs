//! `probity doctor`: looks at everything a research needs, and names the command that mends what is not.
//!
//! Spends nothing, and calls nobody but with `--probe`. Never prints a key.

mod checks;
pub mod clients;
mod evidence;
mod network;
pub mod rounds;
mod storage;
mod updates;
mod web;

use clap::Args;

use crate::{
    context::Context,
    exit::Exit,
    failure::Failure,
    output::Tone,
    wire::{CheckDocument, DoctorDocument, SCHEMA_VERSION},
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
    /// Also ask the provider one question that costs nothing, and start the server of each MCP client
    #[arg(long)]
    pub probe: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Fine,
    Warning,
    Failed,
}

/// Whether the provider is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Provider {
    Asked,
    LeftAlone,
}

/// One row.
#[derive(Debug, Clone)]
pub struct Check {
    group: &'static str,
    name: &'static str,
    verdict: Verdict,
    detail: String,
    fix: Option<String>,
}

impl Check {
    fn fine(group: &'static str, name: &'static str, detail: impl Into<String>) -> Self {
        Self { group, name, verdict: Verdict::Fine, detail: detail.into(), fix: None }
    }

    fn warning(
        group: &'static str,
        name: &'static str,
        detail: impl Into<String>,
        fix: impl Into<String>,
    ) -> Self {
        Self { group, name, verdict: Verdict::Warning, detail: detail.into(), fix: Some(fix.into()) }
    }

    fn failed(
        group: &'static str,
        name: &'static str,
        detail: impl Into<String>,
        fix: impl Into<String>,
    ) -> Self {
        Self { group, name, verdict: Verdict::Failed, detail: detail.into(), fix: Some(fix.into()) }
    }
}

pub async fn run(context: &Context, arguments: &DoctorArguments) -> Result<Exit, Failure> {
    let ask = if arguments.probe { Provider::Asked } else { Provider::LeftAlone };
    let mut checks = Box::pin(checks::all(context, ask)).await;
    checks.sort_by_key(|check| GROUPS.iter().position(|group| *group == check.group));
    let failed = checks.iter().any(|check| check.verdict == Verdict::Failed);
    let exit = if failed { Exit::Failed } else { Exit::Done };
    if arguments.json {
        context.output.json(&document(&checks, exit))?;
    } else {
        context.output.data(&table(context, &checks))?;
    }
    Ok(exit)
}

fn table(context: &Context, checks: &[Check]) -> String {
    let output = &context.output;
    let names = checks.iter().map(|check| check.name.len()).max().unwrap_or(0);
    let mut lines = Vec::new();
    let mut group = "";
    for check in checks {
        if check.group != group {
            if !group.is_empty() {
                lines.push(String::new());
            }
            lines.push(output.out(Tone::Strong, check.group));
            group = check.group;
        }
        let (mark, tone) = mark(check.verdict);
        let line = format!("  {} {:<names$}  {}", output.out(tone, mark), check.name, check.detail);
        lines.push(output.fit_out(&line, names + 6));
        if let Some(fix) = &check.fix {
            lines.push(output.fit_out(&format!("    {:<names$}  → {fix}", ""), names + 8));
        }
    }
    let count = |verdict| checks.iter().filter(|check| check.verdict == verdict).count();
    let (warnings, failures) = (count(Verdict::Warning), count(Verdict::Failed));
    lines.push(String::new());
    lines.push(match (failures, warnings) {
        (0, 0) => "everything is in place".to_owned(),
        (0, warnings) => {
            format!("ready, with {}", crate::words::count(warnings as u64, "warning", "warnings"))
        }
        (failures, _) => format!("{} to mend", crate::words::count(failures as u64, "thing", "things")),
    });
    lines.join("\n")
}

fn mark(verdict: Verdict) -> (&'static str, Tone) {
    match verdict {
        Verdict::Fine => ("✓", Tone::Good),
        Verdict::Warning => ("⚠", Tone::Warning),
        Verdict::Failed => ("✗", Tone::Bad),
    }
}

fn document(checks: &[Check], exit: Exit) -> DoctorDocument {
    let row = |check: &Check| CheckDocument {
        group: check.group,
        name: check.name,
        result: match check.verdict {
            Verdict::Fine => "ok",
            Verdict::Warning => "warning",
            Verdict::Failed => "failed",
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
