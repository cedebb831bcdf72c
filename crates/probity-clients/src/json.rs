//! JSON with comments and trailing commas. Edits go through a concrete syntax tree, so that every byte which is not
//! ours stays.

use jsonc_parser::{
    JsonValue, ParseOptions,
    cst::{CstInputValue, CstObject, CstObjectProp, CstRootNode},
    parse_to_value,
};

use crate::{
    entry::{EntryField, FieldValue, NAME},
    error::Error,
    tree::{ConfigTree, next_depth},
};

/// Comments and trailing commas are what the clients' own readers take; nothing looser.
const AS_CLIENTS_READ: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_trailing_commas: true,
    allow_loose_object_property_names: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

pub fn parse_tree(body: &str) -> Result<ConfigTree, Error> {
    match parse_to_value(body, &AS_CLIENTS_READ).map_err(|error| unreadable(&error))? {
        None => Ok(ConfigTree::empty()),
        Some(value @ JsonValue::Object(_)) => from_value(value, 0),
        Some(_) => Err(Error::Shape { key: "the whole".to_owned(), expected: "an object" }),
    }
}

pub fn add(body: &str, path: &[&str], fields: &[EntryField]) -> Result<String, Error> {
    let started = with_object(body)?;
    let root = parse(&started)?;
    let servers = walk(&root, path, MissingKeys::Made)?.ok_or(Error::TooNested)?;
    servers.append(NAME, object(fields));
    Ok(root.to_string())
}

pub fn update(body: &str, path: &[&str], fields: &[EntryField]) -> Result<String, Error> {
    let root = parse(body)?;
    let servers = walk(&root, path, MissingKeys::Left)?;
    let entry = servers.and_then(|servers| servers.object_value(NAME));
    let entry = entry.ok_or_else(|| Error::Shape { key: NAME.to_owned(), expected: "an object" })?;
    for field in fields {
        match unique(&entry, field.key)? {
            Some(found) => found.set_value(input(&field.value)),
            None => {
                entry.append(field.key, input(&field.value));
            }
        }
    }
    Ok(root.to_string())
}

pub fn remove(body: &str, path: &[&str]) -> Result<String, Error> {
    let root = parse(body)?;
    let servers = walk(&root, path, MissingKeys::Left)?;
    if let Some(entry) = servers.map(|servers| unique(&servers, NAME)).transpose()?.flatten() {
        entry.remove();
    }
    Ok(root.to_string())
}

/// Whether missing keys of the path are created.
#[derive(Clone, Copy, PartialEq, Eq)]
enum MissingKeys {
    Made,
    Left,
}

/// A file without a value (empty, or comments only) gets one after its content.
fn with_object(body: &str) -> Result<String, Error> {
    if parse(body)?.value().is_some() {
        return Ok(body.to_owned());
    }
    let line = if body.contains("\r\n") { "\r\n" } else { "\n" };
    let kept = body.trim_end();
    let between = if kept.is_empty() { "" } else { line };
    Ok(format!("{kept}{between}{{}}{line}"))
}

fn parse(body: &str) -> Result<CstRootNode, Error> {
    CstRootNode::parse(body, &AS_CLIENTS_READ).map_err(|error| unreadable(&error))
}

fn unreadable(error: &jsonc_parser::errors::ParseError) -> Error {
    Error::NotReadable { format: "JSON", why: error.to_string() }
}

/// The object at the end of the path. A duplicate key is refused: parsers disagree about which counts.
fn walk(root: &CstRootNode, path: &[&str], missing: MissingKeys) -> Result<Option<CstObject>, Error> {
    let shape = |key: &str| Error::Shape { key: key.to_owned(), expected: "an object" };
    let Some(mut here) = root.object_value() else { return Ok(None) };
    for key in path {
        here = match unique(&here, key)? {
            Some(found) => found.object_value().ok_or_else(|| shape(key))?,
            None if missing == MissingKeys::Left => return Ok(None),
            None => {
                let made = here.append(key, CstInputValue::Object(Vec::new()));
                made.object_value().ok_or_else(|| shape(key))?
            }
        };
    }
    unique(&here, NAME)?;
    Ok(Some(here))
}

fn unique(object: &CstObject, key: &str) -> Result<Option<CstObjectProp>, Error> {
    let mut found =
        object.properties().into_iter().filter(|property| property.decoded_name().as_deref() == Some(key));
    let first = found.next();
    match found.next() {
        Some(_) => Err(Error::Twice { key: key.to_owned() }),
        None => Ok(first),
    }
}

fn object(fields: &[EntryField]) -> CstInputValue {
    let pairs = fields.iter().map(|field| (field.key.to_owned(), input(&field.value)));
    CstInputValue::Object(pairs.collect())
}

fn input(value: &FieldValue) -> CstInputValue {
    match value {
        FieldValue::Text(text) => CstInputValue::String(text.clone()),
        FieldValue::Number(number) => CstInputValue::Number(number.to_string()),
        FieldValue::Switch(switch) => CstInputValue::Bool(*switch),
        FieldValue::List(texts) => {
            CstInputValue::Array(texts.iter().map(|text| CstInputValue::String(text.clone())).collect())
        }
    }
}

fn from_value(value: JsonValue<'_>, depth: usize) -> Result<ConfigTree, Error> {
    let below = next_depth(depth)?;
    Ok(match value {
        JsonValue::String(text) => ConfigTree::Text(text.into_owned()),
        JsonValue::Number(number) => ConfigTree::Other(number.to_owned()),
        JsonValue::Boolean(switch) => ConfigTree::Other(switch.to_string()),
        JsonValue::Null => ConfigTree::Other("null".to_owned()),
        JsonValue::Array(items) => {
            let items = items.take_inner().into_iter();
            ConfigTree::List(items.map(|item| from_value(item, below)).collect::<Result<_, _>>()?)
        }
        JsonValue::Object(object) => {
            let pairs = object.take_inner().into_iter();
            let read = |(key, value): (std::borrow::Cow<'_, str>, _)| {
                Ok((key.into_owned(), from_value(value, below)?))
            };
            ConfigTree::Map(pairs.map(read).collect::<Result<_, Error>>()?)
        }
    })
}
