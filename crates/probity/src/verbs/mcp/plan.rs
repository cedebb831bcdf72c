//! What would be done to each client's file, told before it is done, asked for once, and carried out.

use std::path::PathBuf;

use clap::Args;
use probity_clients::{
    Change, Client, Edit, Entry, Error, Places,
    difference::{self, Side},
    hidden::without_values,
};
use probity_research::{Code, text};

use super::{
    clients::{self, Scope},
    file::File,
};
use crate::{
    context::Context,
    exit::Exit,
    failure::Failure,
    output::Tone,
    wire::{
        SCHEMA_VERSION,
        clients::{ClientDocument, ClientsDocument},
    },
    words,
};

/// Longest line of a diff on a screen; a file on one line is no reading matter.
const LINE_CHARACTERS_MAX: usize = 160;

/// How far a command goes.
#[derive(Debug, Clone, Copy)]
pub struct Manner {
    pub verb: &'static str,
    pub asks: bool,
    pub writes: bool,
    pub json: bool,
}

/// Whose files are changed, and how much is asked first.
#[derive(Debug, Clone, Default, Args)]
pub struct Writing {
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

impl Writing {
    pub fn scope(&self) -> Scope {
        Scope::of(self.project)
    }

    pub fn manner(&self, verb: &'static str, json: bool) -> Manner {
        Manner { verb, asks: !self.yes, writes: !self.dry_run, json }
    }
}

/// One client's file and what becomes of it.
pub struct Step {
    pub client: Client,
    pub path: PathBuf,
    pub planned: Result<Planned, Failure>,
}

pub struct Planned {
    pub file: File,
    pub outcome: Outcome,
}

/// What becomes of a file.
pub struct Outcome {
    pub edit: Edit,
    /// What our entry starts: its lines are shown as they are, everybody else's only by their keys.
    pub entry: Entry,
    /// The backup whose bytes the edit brings back.
    pub restores: Option<PathBuf>,
}

/// Reads the file and makes the step with what `edit` says.
pub fn step(
    places: &Places,
    client: Client,
    scope: Scope,
    edit: impl FnOnce(&File) -> Result<Outcome, Failure>,
) -> Step {
    let path = match clients::file(places, client, scope) {
        Ok(path) => path,
        Err(failure) => return Step { client, path: PathBuf::new(), planned: Err(failure) },
    };
    let planned = File::look(&path, scope).and_then(|file| {
        let outcome = edit(&file)?;
        Ok(Planned { file, outcome })
    });
    Step { client, path, planned }
}

/// Shows, asks, writes, and says what comes next.
pub fn carry_out(
    context: &Context,
    places: &Places,
    steps: Vec<Step>,
    manner: Manner,
) -> Result<Exit, Failure> {
    let changes = steps.iter().filter(|step| changes(step)).count();
    if !manner.json {
        for step in &steps {
            context.output.data(&format!("{}\n", told(context, places, step)))?;
        }
    }
    if manner.asks && changes > 0 && manner.writes {
        allowed(context, changes, manner)?;
    }
    let mut documents = Vec::new();
    let mut failed = false;
    for step in steps {
        let outcome = carried(&step, manner);
        failed |= outcome.is_err();
        if let (Err(failure), Ok(_)) = (&outcome, &step.planned) {
            context.output.failure(failure);
        }
        if let (Ok(done), false) = (&outcome, manner.json) {
            done.iter().for_each(|line| context.output.say(line));
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
        context.output.say("nothing was written: this was `--dry-run`");
    }
    Ok(exit)
}

fn changes(step: &Step) -> bool {
    step.planned.as_ref().is_ok_and(|planned| planned.outcome.edit.change != Change::Nothing)
}

fn allowed(context: &Context, changes: usize, manner: Manner) -> Result<(), Failure> {
    let files = words::count(changes as u64, "file", "files");
    if !context.output.can_ask() {
        let message = format!("nothing was written: {files} would change, and there is nobody to ask");
        return Err(Failure::new(Code::InvalidArguments, &message)
            .with_hint(format!("if that is what you want: `probity mcp {} --yes`", manner.verb)));
    }
    if context.output.ask(&format!("Change {files}?")) {
        return Ok(());
    }
    Err(Failure::new(Code::Cancelled, "nothing was written")
        .with_hint(format!("choose clients with `probity mcp {} --client NAME`", manner.verb)))
}

fn told(context: &Context, places: &Places, step: &Step) -> String {
    let output = &context.output;
    let head = format!(
        "{}  {}",
        output.out(Tone::Strong, step.client.title()),
        output.out(Tone::Quiet, &clients::shown(places, &step.path))
    );
    match &step.planned {
        Err(failure) => {
            let why = format!("  {} {}", output.out(Tone::Bad, "✗"), failure.problem.message);
            let next = format!("    → {}", failure.hint);
            format!("{head}\n{}\n{}\n", output.fit_out(&why, 4), indented(&next))
        }
        Ok(planned) => match (planned.outcome.edit.change, &planned.outcome.edit.text) {
            (Change::Nothing, _) => format!("{head}\n  {} nothing to change\n", output.out(Tone::Good, "✓")),
            (Change::Added | Change::Updated | Change::Removed, None) => {
                format!("{head}\n  the file held nothing else and goes\n")
            }
            (Change::Added | Change::Updated | Change::Removed, Some(after)) => {
                format!("{head}\n{}\n", diff(context, step.client, planned, after))
            }
        },
    }
}

/// Hints of several lines keep their indentation.
fn indented(text: &str) -> String {
    text.replace('\n', "\n      ")
}

fn diff(context: &Context, client: Client, planned: &Planned, after: &str) -> String {
    let before = planned.file.text.as_deref().unwrap_or_default();
    let own = probity_clients::lines(client, &planned.outcome.entry);
    let own: Vec<&str> = own.lines().map(|line| line.trim().trim_end_matches(',')).collect();
    let lines = difference::lines(before, after).into_iter().map(|line| {
        let is_ours = own.contains(&line.text.trim().trim_end_matches(','));
        let shown = if is_ours || line.side == Side::Place { line.text } else { without_values(&line.text) };
        let shown = words::fit(&text::block(&shown).replace('\t', "  "), LINE_CHARACTERS_MAX);
        match line.side {
            Side::Place => context.output.out(Tone::Quiet, &format!("  {shown}")),
            Side::Same => format!("    {shown}"),
            Side::Gone => context.output.out(Tone::Bad, &format!("  - {shown}")),
            Side::New => context.output.out(Tone::Good, &format!("  + {shown}")),
        }
    });
    lines.collect::<Vec<String>>().join("\n")
}

/// The lines to say afterwards.
fn carried(step: &Step, manner: Manner) -> Result<Vec<String>, Failure> {
    let title = step.client.title();
    let planned = match &step.planned {
        Ok(planned) => planned,
        Err(failure) => return Err(again(failure)),
    };
    if planned.outcome.edit.change == Change::Nothing || !manner.writes {
        return Ok(Vec::new());
    }
    // What an older entry replaces was kept when that one came.
    let is_kept = planned.outcome.edit.change == Change::Updated && planned.file.newest_backup().is_some();
    if planned.outcome.edit.change != Change::Removed && !is_kept {
        planned.file.back_up()?;
    }
    match &planned.outcome.edit.text {
        Some(text) => planned.file.replace(text)?,
        None => planned.file.delete()?,
    }
    if let Some(backup) = &planned.outcome.restores
        && let Err(error) = std::fs::remove_file(backup)
    {
        tracing::debug!(%error, "the backup stays");
    }
    Ok(vec![match planned.outcome.edit.change {
        Change::Removed if planned.outcome.restores.is_some() || planned.outcome.edit.text.is_none() => {
            format!("{title}: as it was before")
        }
        Change::Removed => format!("{title}: our entry is gone"),
        Change::Added | Change::Updated | Change::Nothing => {
            format!("{title}: done; {}", step.client.next_step())
        }
    }])
}

fn again(failure: &Failure) -> Failure {
    Failure::from(failure.problem.clone()).with_hint(failure.hint.clone())
}

fn document(step: &Step, outcome: &Result<Vec<String>, Failure>, manner: Manner) -> ClientDocument {
    let planned = step.planned.as_ref().ok();
    let change = planned.map(|planned| planned.outcome.edit.change);
    ClientDocument {
        client: step.client.id(),
        file: step.path.display().to_string(),
        change: match (change, outcome) {
            (_, Err(_)) | (None, _) => "failed",
            (Some(Change::Added), Ok(_)) => "added",
            (Some(Change::Updated), Ok(_)) => "updated",
            (Some(Change::Removed), Ok(_)) => "removed",
            (Some(Change::Nothing), Ok(_)) => "nothing",
        },
        command: planned.map(|planned| planned.outcome.entry.command.clone()),
        args: planned.map(|planned| planned.outcome.entry.args.clone()).unwrap_or_default(),
        next: (manner.verb == "install").then(|| step.client.next_step()),
        problem: outcome.as_ref().err().map(|failure| failure.problem.message.clone()),
        fix: outcome.as_ref().err().map(|failure| failure.hint.clone()),
    }
}

/// Why a file is left alone, with what the user can do instead.
pub fn left_alone(client: Client, entry: &Entry, error: &Error) -> Failure {
    let failure = Failure::new(Code::Settings, &error.to_string());
    let lines = probity_clients::lines(client, entry);
    failure.with_hint(match (error, client.own_command(entry)) {
        (Error::Foreign { .. }, _) => {
            format!("if it may go: `probity mcp install --client {} --replace`", client.id())
        }
        (Error::TooLarge { .. }, Some(command)) => format!("let the client do it: `{command}`"),
        (Error::NotReadable { .. }, _) => "mend the file, then run the same command again".to_owned(),
        _ => format!("add these lines by hand:\n{}", lines.trim_end()),
    })
}
