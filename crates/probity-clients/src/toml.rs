//! TOML, as Codex uses it. Edits cut and paste text at the parser's offsets: every byte which is not
//! ours stays, line ends and comments included.

use std::ops::Range;

use toml_edit::{Document, Item, Table, TableLike};

use crate::{
    entry::{EntryField, FieldValue, NAME},
    error::Error,
    tree::{ConfigTree, next_depth},
};

pub fn parse_tree(body: &str) -> Result<ConfigTree, Error> {
    table(parse(body)?.as_table(), 0)
}

/// A new table goes to the end of the file: anywhere else, it would take in the keys that follow it.
pub fn add(body: &str, path: &[&str], fields: &[EntryField]) -> Result<String, Error> {
    let document = parse(body)?;
    if path.iter().try_fold(document.as_item(), |item, key| item.get(key)).is_some_and(Item::is_value) {
        return Err(Error::Edit { why: format!("`{}` is written on one line", path.join(".")) });
    }
    let line = line_end(body);
    let kept = body.trim_end_matches(['\n', '\r', ' ', '\t']);
    let ended = if body.is_empty() || body.ends_with('\n') { "" } else { line };
    let gap = if kept.is_empty() || body.ends_with(&format!("{line}{line}")) { "" } else { line };
    let mut block = format!("[{}.{NAME}]{line}", path.join("."));
    for field in fields {
        block.push_str(&format!("{} = {}{line}", field.key, written(&field.value)));
    }
    Ok(format!("{body}{ended}{gap}{block}"))
}

pub fn update(body: &str, path: &[&str], fields: &[EntryField]) -> Result<String, Error> {
    let document = parse(body)?;
    let entry = entry(&document, path)?;
    let mut edits: Vec<(Range<usize>, String)> = Vec::new();
    for field in fields {
        let place = entry.get(field.key).and_then(Item::span);
        let place = place.ok_or_else(|| Error::Edit { why: format!("`{}` is not there", field.key) })?;
        edits.push((place, written(&field.value)));
    }
    // From the end to the start, so that earlier places stay where they are.
    edits.sort_by_key(|(place, _)| std::cmp::Reverse(place.start));
    edits.into_iter().try_fold(body.to_owned(), |text, (place, new)| {
        let (ahead, behind) = (text.get(..place.start), text.get(place.end..));
        match (ahead, behind) {
            (Some(ahead), Some(behind)) => Ok(format!("{ahead}{new}{behind}")),
            _ => Err(Error::Edit { why: "a value lies nowhere".to_owned() }),
        }
    })
}

pub fn remove(body: &str, path: &[&str]) -> Result<String, Error> {
    let document = parse(body)?;
    let own = entry(&document, path)?;
    let mut places = Vec::new();
    spans(own, &mut places)?;
    let mut cut: Vec<Range<usize>> = places.into_iter().map(|place| whole_lines(body, &place)).collect();
    cut.sort_by_key(|place| std::cmp::Reverse(place.start));
    let mut text = body.to_owned();
    for place in cut {
        let ahead = text.get(..place.start).unwrap_or_default();
        let behind = text.get(place.end..).unwrap_or_default();
        // The empty line that set the table apart is removed with it.
        let line = line_end(body);
        let ahead = ahead
            .strip_suffix(line)
            .filter(|ahead| ahead.is_empty() || ahead.ends_with('\n'))
            .unwrap_or(ahead);
        text = format!("{ahead}{behind}");
    }
    Ok(text)
}

fn parse(body: &str) -> Result<Document<&str>, Error> {
    Document::parse(body).map_err(|error| {
        let why = error.message().lines().next().unwrap_or_default().to_owned();
        Error::NotReadable { format: "TOML", why }
    })
}

/// Only a table with a header of its own is edited.
fn entry<'a>(document: &'a Document<&str>, path: &[&str]) -> Result<&'a Table, Error> {
    let found = path.iter().chain([&NAME]).try_fold(document.as_item(), |item, key| item.get(key));
    let own = found.and_then(Item::as_table).filter(|table| !table.is_dotted() && !table.is_implicit());
    own.ok_or_else(|| Error::Edit {
        why: format!("`{}.{NAME}` is not written as a table of its own", path.join(".")),
    })
}

/// From each header to the end of its last value; tables below come with theirs.
fn spans(table: &Table, places: &mut Vec<Range<usize>>) -> Result<(), Error> {
    let lost = || Error::Edit { why: "a table lies nowhere".to_owned() };
    let mut own = table.span().ok_or_else(lost)?;
    for (key, item) in table.iter() {
        if let Some(below) = item.as_table() {
            if below.is_dotted() || below.is_implicit() {
                return Err(Error::Edit { why: format!("`{key}` has keys with dots") });
            }
            spans(below, places)?;
        } else {
            let span = item.span().ok_or_else(lost)?;
            own.end = own.end.max(span.end);
        }
    }
    places.push(own);
    Ok(())
}

fn whole_lines(body: &str, place: &Range<usize>) -> Range<usize> {
    let ahead = body.get(..place.start).unwrap_or_default();
    let start = ahead.rfind('\n').map_or(0, |at| at + 1);
    let behind = body.get(place.end..).unwrap_or_default();
    let end = behind.find('\n').map_or(body.len(), |at| place.end + at + 1);
    start..end
}

fn line_end(body: &str) -> &'static str {
    if body.contains("\r\n") { "\r\n" } else { "\n" }
}

fn written(value: &FieldValue) -> String {
    match value {
        FieldValue::Text(text) => toml_edit::Value::from(text.as_str()).to_string(),
        FieldValue::Number(number) => number.to_string(),
        FieldValue::Switch(switch) => switch.to_string(),
        FieldValue::List(texts) => {
            let texts = texts.iter().map(|text| toml_edit::Value::from(text.as_str()).to_string());
            format!("[{}]", texts.collect::<Vec<String>>().join(", "))
        }
    }
}

fn table(table: &dyn TableLike, depth: usize) -> Result<ConfigTree, Error> {
    let below = next_depth(depth)?;
    let pairs = table.iter().map(|(key, item)| Ok((key.to_owned(), from_item(item, below)?)));
    Ok(ConfigTree::Map(pairs.collect::<Result<_, Error>>()?))
}

fn from_item(item: &Item, depth: usize) -> Result<ConfigTree, Error> {
    match item {
        Item::None => Ok(ConfigTree::Other("null".to_owned())),
        Item::Value(value) => from_value(value, depth),
        Item::Table(inner) => table(inner, depth),
        Item::ArrayOfTables(tables) => {
            let below = next_depth(depth)?;
            Ok(ConfigTree::List(tables.iter().map(|inner| table(inner, below)).collect::<Result<_, _>>()?))
        }
    }
}

fn from_value(value: &toml_edit::Value, depth: usize) -> Result<ConfigTree, Error> {
    use toml_edit::Value as Toml;
    Ok(match value {
        Toml::String(text) => ConfigTree::Text(text.value().clone()),
        Toml::Integer(number) => ConfigTree::Other(number.value().to_string()),
        Toml::Float(number) => ConfigTree::Other(format!("{:?}", number.value())),
        Toml::Boolean(switch) => ConfigTree::Other(switch.value().to_string()),
        Toml::Datetime(date) => ConfigTree::Other(date.value().to_string()),
        Toml::Array(items) => {
            let below = next_depth(depth)?;
            ConfigTree::List(items.iter().map(|item| from_value(item, below)).collect::<Result<_, _>>()?)
        }
        Toml::InlineTable(inner) => table(inner, depth)?,
    })
}
