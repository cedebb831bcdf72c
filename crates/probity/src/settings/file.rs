//! Reads one settings file: TOML with known sections and keys only, each value with its line.

use std::{fs, io, path::Path};

use probity_research::Code;
use toml::de::{DeTable, DeValue};

use crate::{
    command_error::CommandError,
    settings::{
        definitions,
        raw::{RawSettings, RawValue, SettingOrigin, did_you_mean},
    },
};

/// A settings file larger than this is refused: the longest sensible one has a page.
const FILE_BYTES_MAX: u64 = 256 * 1024;

/// `None` when there is no such file.
pub fn read(path: &Path) -> Result<Option<RawSettings>, CommandError> {
    read_text(path)?.map(|text| parse(path, &text)).transpose()
}

/// What of the file can be used, and what is wrong with the rest.
pub fn read_usable(path: &Path) -> (Option<RawSettings>, Vec<CommandError>) {
    match read_text(path) {
        Ok(None) => (None, Vec::new()),
        Ok(Some(text)) => {
            let (raw, problems) = parse_usable(path, &text);
            (Some(raw), problems)
        }
        Err(problem) => (None, vec![problem]),
    }
}

fn read_text(path: &Path) -> Result<Option<String>, CommandError> {
    let doing = |error: &io::Error| {
        CommandError::new(Code::Settings, &format!("could not read {}", path.display())).with_cause(error)
    };
    match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => return Ok(None),
        Err(error) => return Err(doing(&error)),
        Ok(found) if found.len() > FILE_BYTES_MAX => {
            let message = format!("{} has more than {FILE_BYTES_MAX} bytes", path.display());
            return Err(CommandError::new(Code::Settings, &message));
        }
        Ok(_) => {}
    }
    fs::read_to_string(path).map(Some).map_err(|error| doing(&error))
}

/// All of it, or the first thing that is wrong.
pub fn parse(path: &Path, text: &str) -> Result<RawSettings, CommandError> {
    let (raw, problems) = parse_usable(path, text);
    problems.into_iter().next().map_or(Ok(raw), Err)
}

fn parse_usable(path: &Path, text: &str) -> (RawSettings, Vec<CommandError>) {
    let mut raw = RawSettings::default();
    let table = match DeTable::parse(text) {
        Ok(table) => table,
        Err(error) => {
            let line = error.span().map_or(1, |span| line_of(text, span.start));
            let message = format!("{}:{line}: {}", path.display(), error.message());
            return (raw, vec![CommandError::new(Code::Settings, &message)]);
        }
    };
    let mut problems = Vec::new();
    for (section, inner) in table.get_ref() {
        let line = line_of(text, section.span().start);
        let Some(inner) = inner.get_ref().as_table() else {
            problems.push(refused(path, line, section.get_ref()));
            continue;
        };
        for (name, value) in inner {
            let line = line_of(text, name.span().start);
            let key = format!("{}.{}", section.get_ref(), name.get_ref());
            let Some(known) = definitions::find(&key) else {
                problems.push(refused(path, line, &key));
                continue;
            };
            let Some(texts) = texts(value.get_ref()) else {
                let message = format!("{}:{line}: `{key}` is not {}", path.display(), known.kind.expected());
                problems.push(CommandError::new(Code::Settings, &message));
                continue;
            };
            raw.values.insert(
                known.key,
                RawValue { texts, origin: SettingOrigin::File { path: path.into(), line } },
            );
        }
    }
    (raw, problems)
}

fn texts(value: &DeValue<'_>) -> Option<Vec<String>> {
    match value {
        DeValue::String(text) => Some(vec![text.to_string()]),
        DeValue::Integer(number) if number.radix() == 10 => Some(vec![number.as_str().to_owned()]),
        DeValue::Float(number) => Some(vec![number.as_str().to_owned()]),
        DeValue::Array(items) => {
            items.iter().map(|item| item.get_ref().as_str().map(str::to_owned)).collect()
        }
        DeValue::Boolean(switch) => Some(vec![switch.to_string()]),
        DeValue::Integer(_) | DeValue::Datetime(_) | DeValue::Table(_) => None,
    }
}

fn refused(path: &Path, line: usize, key: &str) -> CommandError {
    let place = format!("{}:{line}", path.display());
    if key.to_lowercase().contains("key") {
        let message = format!("{place}: keys are not read from files");
        return CommandError::new(Code::Settings, &message).with_hint(
            "delete the line, change the key if the file was shared, and set GEMINI_API_KEY instead",
        );
    }
    let names: Vec<String> = definitions::all().map(|known| known.key.to_owned()).collect();
    CommandError::new(
        Code::Settings,
        &format!("{place}: there is no setting `{key}`{}", did_you_mean(key, &names)),
    )
}

fn line_of(text: &str, offset: usize) -> usize {
    text.bytes().take(offset).filter(|byte| *byte == b'\n').count() + 1
}
