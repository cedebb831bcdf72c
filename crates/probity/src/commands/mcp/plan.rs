//! What would be done to each client's file: shown first, asked for once, then written.

use std::path::PathBuf;

use clap::Args;
use probity_clients::{
    ClientDirectories, EditKind, Error, FileEdit, McpClient, ServerEntry,
    diff::{self, DiffSide},
    redact::redact_values,
};
use probity_research::{Code, text};

use super::{
    clients::{self, ConfigScope},
    file::ClientFile,
};
use crate::{
    command_context::CommandContext,
    command_error::CommandError,
    exit::Exit,
    format,
    output::Tone,
    wire::{
        SCHEMA_VERSION,
        clients::{ClientDocument, ClientsDocument},
    },
};

/// Longest line of a diff on a screen; a file that is one long line is not readable.
const LINE_CHARACTERS_MAX: usize = 160;

/// How far a command goes.
#[derive(Debug, Clone, Copy)]
pub struct ChangeOptions {
    pub verb: &'static str,
    pub asks: bool,
    pub writes: bool,
    pub json: bool,
}

/// Whose files are changed, and how much is asked first.
#[derive(Debug, Clone, Default, Args)]
pub struct WriteArguments {
    /// Change the files of the project you stand in instead of your own
    #[arg(long)]
    pub project: bool,
    /// Do not ask before writing
    #[arg(long)]
    pub yes: bool,
    /// Show what would change and write nothing
    #[arg(long)]
    pub dry_run: bool,
}

impl WriteArguments {
    pub fn scope(&self) -> ConfigScope {
        ConfigScope::of(self.project)
    }

    pub fn change_options(&self, verb: &'static str, json: bool) -> ChangeOptions {
        ChangeOptions { verb, asks: !self.yes, writes: !self.dry_run, json }
    }
}

/// One client's file and what is done to it.
pub struct ClientStep {
    pub client: McpClient,
    pub path: PathBuf,
    pub planned: Result<FilePlan, CommandError>,
}

pub struct FilePlan {
    pub file: ClientFile,
    pub outcome: FileChange,
}

/// What is done to a file.
pub struct FileChange {
    pub edit: FileEdit,
    /// The command of our entry: its lines are shown as they are, other entries' lines only by their keys.
    pub entry: ServerEntry,
    /// The backup whose bytes the edit restores.
    pub restores: Option<PathBuf>,
}

/// Reads the file and plans the step with the result of `edit`.
pub fn plan_step(
    places: &ClientDirectories,
    client: McpClient,
    scope: ConfigScope,
    edit: impl FnOnce(&ClientFile) -> Result<FileChange, CommandError>,
) -> ClientStep {
    let path = match clients::config_file(places, client, scope) {
        Ok(path) => path,
        Err(failure) => return ClientStep { client, path: PathBuf::new(), planned: Err(failure) },
    };
    let planned = ClientFile::open(&path, scope).and_then(|file| {
        let outcome = edit(&file)?;
        Ok(FilePlan { file, outcome })
    });
    ClientStep { client, path, planned }
}

/// Shows, asks, writes, and says what comes next.
pub fn carry_out(
    context: &CommandContext,
    places: &ClientDirectories,
    steps: Vec<ClientStep>,
    manner: ChangeOptions,
) -> Result<Exit, CommandError> {
    let changes = steps.iter().filter(|step| changes(step)).count();
    if !manner.json {
        for step in &steps {
            context.output.data(&format!("{}\n", describe_step(context, places, step)))?;
        }
    }
    if manner.asks && changes > 0 && manner.writes {
        allowed(context, changes, manner)?;
    }
    let mut documents = Vec::new();
    let mut failed = false;
    for step in steps {
        let outcome = apply_step(&step, manner);
        failed |= outcome.is_err();
        if let (Err(failure), Ok(_)) = (&outcome, &step.planned) {
            context.output.failure(failure);
        }
        if let (Ok(done), false) = (&outcome, manner.json) {
            done.iter().for_each(|line| context.output.print_message(line));
        }
        documents.push(document(&step, &outcome, manner));
    }
    let exit = if failed { Exit::Failed } else { Exit::Done };
    if manner.json {
        context.output.json(&ClientsDocument {
            schema_version: SCHEMA_VERSION,
            success: !failed,
            written: manner.writes,
            clients: documents,
            exit_code: exit.number(),
        })?;
    } else if changes > 0 && !manner.writes {
        context.output.print_message("nothing was written: this was `--dry-run`");
    }
    Ok(exit)
}

fn changes(step: &ClientStep) -> bool {
    step.planned.as_ref().is_ok_and(|planned| planned.outcome.edit.change != EditKind::Nothing)
}

fn allowed(context: &CommandContext, changes: usize, manner: ChangeOptions) -> Result<(), CommandError> {
    let files = format::count(changes as u64, "file", "files");
    if !context.output.can_ask() {
        let message = format!("nothing was written: {files} would change, and there is nobody to ask");
        return Err(CommandError::new(Code::InvalidArguments, &message)
            .with_hint(format!("if that is what you want: `probity mcp {} --yes`", manner.verb)));
    }
    if context.output.confirm(&format!("Change {files}?")) {
        return Ok(());
    }
    Err(CommandError::new(Code::Cancelled, "nothing was written")
        .with_hint(format!("choose clients with `probity mcp {} --client NAME`", manner.verb)))
}

fn describe_step(context: &CommandContext, places: &ClientDirectories, step: &ClientStep) -> String {
    let output = &context.output;
    let head = format!(
        "{}  {}",
        output.style_out(Tone::Strong, step.client.title()),
        output.style_out(Tone::Quiet, &clients::display_path(places, &step.path))
    );
    match &step.planned {
        Err(failure) => {
            let why = format!("  {} {}", output.style_out(Tone::Bad, "✗"), failure.problem.message);
            let next = format!("    → {}", failure.hint);
            format!("{head}\n{}\n{}\n", output.fit_out(&why, 4), indented(&next))
        }
        Ok(planned) => match (planned.outcome.edit.change, &planned.outcome.edit.text) {
            (EditKind::Nothing, _) => {
                format!("{head}\n  {} nothing to change\n", output.style_out(Tone::Good, "✓"))
            }
            (EditKind::Added | EditKind::Updated | EditKind::Removed, None) => {
                format!("{head}\n  the file held nothing else and goes\n")
            }
            (EditKind::Added | EditKind::Updated | EditKind::Removed, Some(after)) => {
                format!("{head}\n{}\n", diff(context, step.client, planned, after))
            }
        },
    }
}

/// Hints of several lines keep their indentation.
fn indented(text: &str) -> String {
    text.replace('\n', "\n      ")
}

fn diff(context: &CommandContext, client: McpClient, planned: &FilePlan, after: &str) -> String {
    let before = planned.file.text.as_deref().unwrap_or_default();
    let own = probity_clients::manual_lines(client, &planned.outcome.entry);
    let own: Vec<&str> = own.lines().map(|line| line.trim().trim_end_matches(',')).collect();
    let lines = diff::diff_lines(before, after).into_iter().map(|line| {
        let is_ours = own.contains(&line.text.trim().trim_end_matches(','));
        let shown =
            if is_ours || line.side == DiffSide::Place { line.text } else { redact_values(&line.text) };
        let shown = format::fit(&text::block(&shown).replace('\t', "  "), LINE_CHARACTERS_MAX);
        match line.side {
            DiffSide::Place => context.output.style_out(Tone::Quiet, &format!("  {shown}")),
            DiffSide::Same => format!("    {shown}"),
            DiffSide::Gone => context.output.style_out(Tone::Bad, &format!("  - {shown}")),
            DiffSide::New => context.output.style_out(Tone::Good, &format!("  + {shown}")),
        }
    });
    lines.collect::<Vec<String>>().join("\n")
}

/// The lines to print afterwards.
fn apply_step(step: &ClientStep, manner: ChangeOptions) -> Result<Vec<String>, CommandError> {
    let title = step.client.title();
    let planned = match &step.planned {
        Ok(planned) => planned,
        Err(failure) => return Err(again(failure)),
    };
    if planned.outcome.edit.change == EditKind::Nothing || !manner.writes {
        return Ok(Vec::new());
    }
    // The file before our older entry was backed up when that entry was added.
    let is_kept = planned.outcome.edit.change == EditKind::Updated && planned.file.newest_backup().is_some();
    if planned.outcome.edit.change != EditKind::Removed && !is_kept {
        planned.file.back_up()?;
    }
    match &planned.outcome.edit.text {
        Some(text) => planned.file.replace(text)?,
        None => planned.file.delete()?,
    }
    if let Some(backup) = &planned.outcome.restores
        && let Err(error) = std::fs::remove_file(backup)
    {
        tracing::debug!(%error, "backup was not removed");
    }
    Ok(vec![match planned.outcome.edit.change {
        EditKind::Removed if planned.outcome.restores.is_some() || planned.outcome.edit.text.is_none() => {
            format!("{title}: as it was before")
        }
        EditKind::Removed => format!("{title}: our entry is gone"),
        EditKind::Added | EditKind::Updated | EditKind::Nothing => {
            format!("{title}: done; {}", step.client.next_step())
        }
    }])
}

fn again(failure: &CommandError) -> CommandError {
    CommandError::from(failure.problem.clone()).with_hint(failure.hint.clone())
}

fn document(
    step: &ClientStep,
    outcome: &Result<Vec<String>, CommandError>,
    manner: ChangeOptions,
) -> ClientDocument {
    let planned = step.planned.as_ref().ok();
    let change = planned.map(|planned| planned.outcome.edit.change);
    ClientDocument {
        client: step.client.id(),
        file: step.path.display().to_string(),
        change: match (change, outcome) {
            (_, Err(_)) | (None, _) => "failed",
            (Some(EditKind::Added), Ok(_)) => "added",
            (Some(EditKind::Updated), Ok(_)) => "updated",
            (Some(EditKind::Removed), Ok(_)) => "removed",
            (Some(EditKind::Nothing), Ok(_)) => "nothing",
        },
        command: planned.map(|planned| planned.outcome.entry.command.clone()),
        args: planned.map(|planned| planned.outcome.entry.args.clone()).unwrap_or_default(),
        next: (manner.verb == "install").then(|| step.client.next_step()),
        problem: outcome.as_ref().err().map(|failure| failure.problem.message.clone()),
        fix: outcome.as_ref().err().map(|failure| failure.hint.clone()),
    }
}

/// Why a file is not changed, with what the user can do instead.
pub fn refusal(client: McpClient, entry: &ServerEntry, error: &Error) -> CommandError {
    let failure = CommandError::new(Code::Settings, &error.to_string());
    let lines = probity_clients::manual_lines(client, entry);
    failure.with_hint(match (error, client.own_command(entry)) {
        (Error::Foreign { .. }, _) => {
            format!("if it may go: `probity mcp install --client {} --replace`", client.id())
        }
        (Error::TooLarge { .. }, Some(command)) => format!("let the client do it: `{command}`"),
        (Error::NotReadable { .. }, _) => "mend the file, then run the same command again".to_owned(),
        _ => format!("add these lines by hand:\n{}", lines.trim_end()),
    })
}
