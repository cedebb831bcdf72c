//! `probity report`: a finished run as a file to read, print, cite or work on.

use std::{
    io::Write as _,
    path::{Path, PathBuf},
};

use clap::Args;
use probity_report::{ReportDocument, ReportFormat, bibliography};
use probity_research::{Code, status::RunSummary};

use crate::{
    app_context::AppContext,
    command_context::CommandContext,
    command_error::{CommandError, without_report},
    exit::Exit,
    format,
    identify::{identify, no_runs_error},
    report_document,
    settings::raw::RawSettings,
};

#[derive(Debug, Args)]
pub struct ReportArguments {
    /// An id, the beginning of one, or `last`
    #[arg(default_value = "last", value_name = "ID", add = crate::tab_completion::run_id_candidates())]
    pub id: String,
    #[arg(long, value_name = "FORMAT", default_value = "html", help = format_names())]
    pub format: ReportFormat,
    /// Where to write it; `-` is stdout. Without it a file is made here, never over another
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// List the sources in this citation style instead: apa, mla, chicago, ieee or numbered; Zotero
    /// and Pandoc make all others from `--format csl-json`
    #[arg(long, value_name = "STYLE", conflicts_with_all = ["format", "output"])]
    pub cite: Option<bibliography::CitationStyle>,
}

pub async fn run(context: &CommandContext, arguments: &ReportArguments) -> Result<Exit, CommandError> {
    let settings = context.settings(RawSettings::default())?.settings;
    let app = AppContext::open_to_read(&settings)?.ok_or_else(no_runs_error)?;
    let summary = app.summary(identify(&app, &arguments.id)?)?;
    let document =
        report_document::load_document(&app, &summary).await?.ok_or_else(|| without_report(&summary))?;
    if let Some(style) = arguments.cite {
        context.output.data(&bibliography::styled_lines(&document, style).join("\n"))?;
        return Ok(Exit::Done);
    }
    let rendered = report_document::render(&document, arguments.format).map_err(|problem| {
        CommandError::from(problem)
            .with_hint(format!("read it as a page instead: `probity report {} --format html`", summary.id))
    })?;
    if let Some(note) = &rendered.note {
        context.output.print_message(&format!("note: {note}"));
    }
    let bytes = rendered.bytes;
    match arguments.output.as_deref() {
        Some(path) if path == Path::new("-") => context.output.bytes(&bytes)?,
        Some(path) => {
            std::fs::write(path, &bytes).map_err(|error| unwritten(path, &error))?;
            print_written(context, path, bytes.len());
        }
        None => {
            let path = write_new_file(&document, &summary, arguments.format, &bytes)?;
            print_written(context, &path, bytes.len());
        }
    }
    Ok(Exit::Done)
}

/// As the help tells them: `md, html or json`.
fn format_names() -> String {
    match ReportFormat::names().split_last() {
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => String::new(),
    }
}

fn print_written(context: &CommandContext, path: &Path, bytes: usize) {
    context.output.print_message(&format!("{} ({})", path.display(), format::bytes(bytes as u64)));
}

/// A new file in the working directory, named by day and question; a number keeps it from replacing another.
fn write_new_file(
    document: &ReportDocument,
    summary: &RunSummary,
    format: ReportFormat,
    bytes: &[u8],
) -> Result<PathBuf, CommandError> {
    /// Names tried before giving up: no user keeps more of one report.
    const NAMES_MAX: u32 = 100;
    let stem = file_stem(&document.question, &summary.asked_at.date());
    let mut last = None;
    for number in 1..=NAMES_MAX {
        let count = if number == 1 { String::new() } else { format!("-{number}") };
        let path = PathBuf::from(format!("{stem}{count}.{}", format.extension()));
        match std::fs::File::create_new(&path) {
            Ok(mut file) => {
                file.write_all(bytes).map_err(|error| unwritten(&path, &error))?;
                return Ok(path);
            }
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => last = Some((path, error)),
            Err(error) => return Err(unwritten(&path, &error)),
        }
    }
    let (path, error) =
        last.unwrap_or_else(|| (PathBuf::from(stem), std::io::ErrorKind::AlreadyExists.into()));
    Err(unwritten(&path, &error))
}

/// `2026-11-16-is-the-tower-tall`: letters, digits and dashes of any script, nothing a path could mean.
fn file_stem(question: &str, day: &str) -> String {
    /// Letters of a question in a file's name.
    const LETTERS_MAX: usize = 48;
    let mut stem = String::new();
    for letter in question.chars().flat_map(char::to_lowercase) {
        match letter.is_alphanumeric() {
            true => stem.push(letter),
            false if !stem.is_empty() && !stem.ends_with('-') => stem.push('-'),
            false => {}
        }
        if stem.chars().count() >= LETTERS_MAX {
            break;
        }
    }
    format!("{day}-{}", stem.trim_matches('-'))
}

fn unwritten(path: &Path, error: &std::io::Error) -> CommandError {
    CommandError::new(Code::OutputPath, &format!("could not write {}", path.display()))
        .with_cause(error)
        .with_hint("name a file that you may write: `--output FILE`, or stdout: `--output -`")
}

#[cfg(test)]
mod tests {
    use super::file_stem;

    #[test]
    fn a_question_becomes_a_name_without_any_path_in_it() {
        assert_eq!(file_stem("Is the Tower tall?", "2026-11-16"), "2026-11-16-is-the-tower-tall");
        assert_eq!(file_stem("../../etc/passwd", "2026-11-16"), "2026-11-16-etc-passwd");
        assert_eq!(file_stem("富士山の高さ", "2026-11-16"), "2026-11-16-富士山の高さ");
    }
}
