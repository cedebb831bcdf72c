//! YAML, as Goose uses it. Lines are inserted below `extensions:` and removed again; a parser checks before
//! and after. What is written in another way than block style is left to the user.

use std::collections::BTreeMap;

use yaml_rust2::{Event, parser::Parser, scanner::TScalarStyle};

use crate::{
    entry::{EntryField, FieldValue, NAME},
    error::Error,
    tree::{ConfigTree, DEPTH_MAX},
};

/// Columns of a level where the file shows none.
const INDENT_COLUMNS: usize = 2;

/// Built from events: aliases are refused before they can multiply, and depth is counted before it overflows
/// the stack.
pub fn parse_tree(body: &str) -> Result<ConfigTree, Error> {
    let mut parser = Parser::new_from_str(body);
    let mut open: Vec<OpenCollection> = Vec::new();
    let mut whole = None;
    let mut documents = 0_usize;
    loop {
        let (event, _) = parser.next_token().map_err(|error| unreadable(&error.to_string()))?;
        let done = match event {
            Event::StreamEnd => break,
            Event::DocumentStart => {
                documents += 1;
                None
            }
            Event::Nothing | Event::StreamStart | Event::DocumentEnd => None,
            Event::Alias(_) => return Err(Error::Edit { why: "it uses aliases".to_owned() }),
            Event::Scalar(text, style, ..) => Some(scalar(text, style)),
            Event::SequenceStart(..) => {
                open.push(OpenCollection::List(Vec::new()));
                None
            }
            Event::MappingStart(..) => {
                open.push(OpenCollection::Map { done: BTreeMap::new(), key: None });
                None
            }
            Event::SequenceEnd | Event::MappingEnd => open.pop().map(OpenCollection::close),
        };
        if open.len() > DEPTH_MAX {
            return Err(Error::TooNested);
        }
        let Some(done) = done else { continue };
        match open.last_mut() {
            Some(above) => above.take(done)?,
            None => whole = Some(done),
        }
    }
    match whole {
        _ if documents > 1 => Err(Error::Edit { why: "it holds several documents".to_owned() }),
        None => Ok(ConfigTree::empty()),
        Some(ConfigTree::Other(word)) if word == "null" => Ok(ConfigTree::empty()),
        Some(map @ ConfigTree::Map(_)) => Ok(map),
        Some(_) => Err(Error::Shape { key: "the whole".to_owned(), expected: "a mapping" }),
    }
}

pub fn add(body: &str, path: &[&str], fields: &[EntryField]) -> Result<String, Error> {
    let key = path.first().copied().unwrap_or_default();
    let end = line_end(body);
    let lines: Vec<&str> = body.split_inclusive('\n').collect();
    let Some(at) = lines.iter().position(|line| is_key(line, 0, key)) else {
        if parse_tree(body)?.get(key).is_some() {
            return Err(another_style(key));
        }
        let ended = if body.is_empty() || body.ends_with('\n') { "" } else { end };
        return Ok(format!("{body}{ended}{key}:{end}{}", block(fields, INDENT_COLUMNS, end)));
    };
    let line = lines.get(at).copied().unwrap_or_default();
    let opened = match value_of(line) {
        "" => ending(line, end),
        "{}" => line.replacen(" {}", "", 1),
        _ => return Err(another_style(key)),
    };
    let below = lines.get(at + 1..).unwrap_or_default();
    let indent = children(below).first().map_or(INDENT_COLUMNS, |line| columns(line));
    let (ahead, behind) = (lines.get(..at).unwrap_or_default().concat(), below.concat());
    Ok(format!("{ahead}{opened}{}{behind}", block(fields, indent, end)))
}

pub fn update(body: &str, path: &[&str], fields: &[EntryField]) -> Result<String, Error> {
    let end = line_end(body);
    let place = find(body, path)?;
    let mut lines: Vec<String> = body.split_inclusive('\n').map(str::to_owned).collect();
    for field in fields {
        let own = lines.get(place.from + 1..place.to).unwrap_or_default();
        let inner = own
            .iter()
            .find(|line| is_content(line))
            .map_or(place.indent + INDENT_COLUMNS, |line| columns(line));
        let at = own.iter().position(|line| is_key(line, inner, field.key));
        let at = at.ok_or_else(|| another_style(field.key))? + place.from + 1;
        let simple = lines.get(at + 1).is_none_or(|next| !is_content(next) || columns(next) <= inner);
        let Some(line) = lines.get_mut(at).filter(|_| simple) else { return Err(another_style(field.key)) };
        *line = format!("{}{}: {}{end}", " ".repeat(inner), field.key, written(&field.value));
    }
    Ok(lines.concat())
}

pub fn remove(body: &str, path: &[&str]) -> Result<String, Error> {
    let place = find(body, path)?;
    let lines: Vec<&str> = body.split_inclusive('\n').collect();
    let others = children(lines.get(place.above + 1..).unwrap_or_default());
    let alone = others.iter().filter(|line| columns(line) == place.indent).count() == 1;
    let kept = lines.iter().enumerate().filter(|(at, _)| *at < place.from || *at >= place.to);
    let text = kept.map(|(at, line)| match alone && at == place.above {
        // Without entries the key would have no value, which is not an empty mapping.
        true => line.replacen(':', ": {}", 1),
        false => (*line).to_owned(),
    });
    Ok(text.collect())
}

/// Our lines: from `from` up to, not including, `to`, below the key in line `above`.
struct EntryLines {
    above: usize,
    from: usize,
    to: usize,
    indent: usize,
}

fn find(body: &str, path: &[&str]) -> Result<EntryLines, Error> {
    let key = path.first().copied().unwrap_or_default();
    let lines: Vec<&str> = body.split_inclusive('\n').collect();
    let above = lines.iter().position(|line| is_key(line, 0, key)).ok_or_else(|| another_style(key))?;
    let below = lines.get(above + 1..).unwrap_or_default();
    let indent = children(below).first().map(|line| columns(line)).ok_or_else(|| another_style(key))?;
    let first =
        below.iter().position(|line| is_key(line, indent, NAME)).ok_or_else(|| another_style(NAME))?;
    let from = above + 1 + first;
    let rest = lines.get(from + 1..).unwrap_or_default();
    // Empty lines and comments after our last key belong to the next entry.
    let own = rest.iter().take_while(|line| !is_content(line) || columns(line) > indent);
    let last = own.enumerate().filter(|(_, line)| is_content(line)).map(|(at, _)| at + 1).last().unwrap_or(0);
    Ok(EntryLines { above, from, to: from + 1 + last, indent })
}

/// Lines with content that are below a key of the first column.
fn children<'a>(below: &[&'a str]) -> Vec<&'a str> {
    let content = below.iter().filter(|line| is_content(line));
    content.take_while(|line| columns(line) > 0).copied().collect()
}

fn block(fields: &[EntryField], indent: usize, end: &str) -> String {
    let mut text = format!("{}{NAME}:{end}", " ".repeat(indent));
    for field in fields {
        let margin = " ".repeat(indent + INDENT_COLUMNS);
        text.push_str(&format!("{margin}{}: {}{end}", field.key, written(&field.value)));
    }
    text
}

/// Texts in double quotes, which can contain everything.
fn written(value: &FieldValue) -> String {
    match value {
        FieldValue::Text(text) => quoted(text),
        FieldValue::Number(number) => number.to_string(),
        FieldValue::Switch(switch) => switch.to_string(),
        FieldValue::List(texts) => {
            format!("[{}]", texts.iter().map(|text| quoted(text)).collect::<Vec<String>>().join(", "))
        }
    }
}

fn quoted(text: &str) -> String {
    let mut quoted = String::from('"');
    for letter in text.chars() {
        match letter {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            letter if letter.is_control() => quoted.push_str(&format!("\\u{:04x}", u32::from(letter))),
            letter => quoted.push(letter),
        }
    }
    quoted.push('"');
    quoted
}

/// A line that begins with this key in this column.
fn is_key(line: &str, column: usize, key: &str) -> bool {
    let rest =
        line.get(column..).and_then(|rest| rest.strip_prefix(key)).and_then(|rest| rest.strip_prefix(':'));
    columns(line) == column && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\n', '\r']))
}

/// What follows the colon, without a comment.
fn value_of(line: &str) -> &str {
    let behind = line.split_once(':').map_or("", |(_, behind)| behind).trim();
    if behind.starts_with('#') { "" } else { behind.split(" #").next().unwrap_or_default().trim() }
}

fn ending(line: &str, end: &str) -> String {
    if line.ends_with('\n') { line.to_owned() } else { format!("{line}{end}") }
}

fn is_content(line: &str) -> bool {
    let text = line.trim();
    !text.is_empty() && !text.starts_with('#')
}

fn columns(line: &str) -> usize {
    line.bytes().take_while(|byte| *byte == b' ').count()
}

fn line_end(body: &str) -> &'static str {
    if body.contains("\r\n") { "\r\n" } else { "\n" }
}

fn another_style(key: &str) -> Error {
    Error::Edit { why: format!("`{key}` is not in block style") }
}

fn unreadable(why: &str) -> Error {
    Error::NotReadable { format: "YAML", why: why.lines().next().unwrap_or_default().to_owned() }
}

/// A collection whose end has not come yet.
enum OpenCollection {
    List(Vec<ConfigTree>),
    Map { done: BTreeMap<String, ConfigTree>, key: Option<String> },
}

impl OpenCollection {
    fn take(&mut self, value: ConfigTree) -> Result<(), Error> {
        match self {
            Self::List(items) => items.push(value),
            Self::Map { done, key } => match (key.take(), value) {
                (None, ConfigTree::Text(text) | ConfigTree::Other(text)) => *key = Some(text),
                (None, _) => return Err(Error::Edit { why: "a key is not a word".to_owned() }),
                (Some(key), value) => {
                    if done.contains_key(&key) {
                        return Err(Error::Twice { key });
                    }
                    done.insert(key, value);
                }
            },
        }
        Ok(())
    }

    fn close(self) -> ConfigTree {
        match self {
            Self::List(items) => ConfigTree::List(items),
            Self::Map { done, .. } => ConfigTree::Map(done),
        }
    }
}

/// Plain words may be numbers, switches or nothing: those are only compared.
fn scalar(text: String, style: TScalarStyle) -> ConfigTree {
    let plain = style == TScalarStyle::Plain;
    match text.as_str() {
        "" | "~" | "null" | "Null" | "NULL" if plain => ConfigTree::Other("null".to_owned()),
        "true" | "false" | "True" | "False" | "TRUE" | "FALSE" if plain => ConfigTree::Other(text),
        _ if plain && text.parse::<f64>().is_ok() => ConfigTree::Other(text),
        _ => ConfigTree::Text(text),
    }
}
