//! The SDK's types, read from their dump, and a checker for JSON against them.
//!
//! Strict where the SDK is lenient: an unknown field, an unknown literal and a missing field are faults.

use std::collections::BTreeMap;

use serde_json::Value;

/// Fields the service sends although the dumped type does not have them: the canonical fixtures do too, and
/// Python writes `schema` with an underscore.
const ALSO_SENT: [(&str, &str); 2] =
    [("InteractionTypedDict", "object"), ("TextResponseFormatParam", "schema")];

#[derive(Debug, Clone, PartialEq)]
enum Type {
    /// A name, with its arguments in brackets.
    Named(String, Vec<Type>),
    Text(String),
}

#[derive(Debug, Default)]
pub struct Types {
    classes: BTreeMap<String, BTreeMap<String, Type>>,
    aliases: BTreeMap<String, Type>,
}

impl Types {
    /// Reads a dump: `class Name:` with indented fields, and `Name = …`.
    pub fn read(dump: &str) -> Self {
        let mut types = Self::default();
        let mut class = String::new();
        for line in dump.lines() {
            let line = line.trim_end_matches('#').trim_end();
            if let Some(name) = line.strip_prefix("class ").and_then(|rest| rest.strip_suffix(':')) {
                class = name.to_owned();
                types.classes.entry(class.clone()).or_default();
            } else if let Some((name, kind)) =
                line.strip_prefix("   ").and_then(|field| field.split_once(": "))
            {
                types.classes.get_mut(&class).unwrap().insert(name.to_owned(), parse(kind));
            } else if let Some((name, kind)) = line.split_once(" = ").filter(|(name, _)| !name.contains(' '))
            {
                let kind = match kind.strip_prefix("TypeAliasType(").and_then(|rest| rest.split_once(", ")) {
                    Some((_, inner)) => inner.strip_suffix(')').unwrap(),
                    None => kind,
                };
                if !kind.starts_with('{') {
                    types.aliases.insert(name.to_owned(), parse(kind));
                }
            }
        }
        types
    }

    /// Every way in which a value is not of this type.
    pub fn faults(&self, name: &str, value: &Value) -> Vec<String> {
        let mut faults = Vec::new();
        self.check(&Type::Named(name.to_owned(), Vec::new()), value, "$", &mut faults);
        faults
    }

    fn check(&self, kind: &Type, value: &Value, path: &str, faults: &mut Vec<String>) {
        let Type::Named(name, arguments) = kind else { return };
        let plain = match name.as_str() {
            "NotRequired" => return self.check(&arguments[0], value, path, faults),
            "Union" => return self.check_union(arguments, value, path, faults),
            "List" => {
                let Some(items) = value.as_array() else {
                    return faults.push(format!("{path} is not a list"));
                };
                for item in items {
                    self.check(&arguments[0], item, &format!("{path}[]"), faults);
                }
                return;
            }
            "Dict" => {
                let Some(items) = value.as_object() else {
                    return faults.push(format!("{path} is not a map"));
                };
                for (key, item) in items {
                    self.check(&arguments[1], item, &format!("{path}.{key}"), faults);
                }
                return;
            }
            "Any" => true,
            "Literal" => arguments.iter().any(|one| matches!(one, Type::Text(text) if value == text)),
            "str" => value.is_string(),
            "int" => value.is_u64() || value.is_i64(),
            "float" => value.is_number(),
            "bool" => value.is_boolean(),
            // Clients take these; the simulator must not need them.
            "UnrecognizedStr" | "Base64FileInput" => false,
            _ => {
                if let Some(alias) = self.aliases.get(name) {
                    return self.check(alias, value, path, faults);
                }
                return self.check_class(name, value, path, faults);
            }
        };
        if !plain {
            faults.push(format!("{path} is {value}, not {name}"));
        }
    }

    fn check_union(&self, members: &[Type], value: &Value, path: &str, faults: &mut Vec<String>) {
        let tag = value.get("type").or_else(|| value.get("event_type"));
        if let Some(tag) = tag {
            let tagged = members.iter().find(|member| self.tag_of(member).is_some_and(|own| own == tag));
            if let Some(member) = tagged {
                return self.check(member, value, path, faults);
            }
        }
        let fits = members.iter().any(|member| {
            let mut own = Vec::new();
            self.check(member, value, path, &mut own);
            own.is_empty()
        });
        if !fits {
            faults.push(format!("{path} is none of the {} it may be: {value}", members.len()));
        }
    }

    fn tag_of(&self, member: &Type) -> Option<&str> {
        let Type::Named(name, _) = member else { return None };
        let fields = self.classes.get(name)?;
        let Type::Named(_, literals) = fields.get("type").or_else(|| fields.get("event_type"))? else {
            return None;
        };
        match literals.first()? {
            Type::Text(text) => Some(text),
            Type::Named(..) => None,
        }
    }

    fn check_class(&self, name: &str, value: &Value, path: &str, faults: &mut Vec<String>) {
        let Some(fields) = self.classes.get(name) else {
            return faults.push(format!("no type {name} in the dump"));
        };
        let Some(object) = value.as_object() else { return faults.push(format!("{path} is not a {name}")) };
        // A class without fields stands for any object.
        for (field, inner) in object.iter().filter(|_| !fields.is_empty()) {
            match fields.get(field) {
                Some(kind) => self.check(kind, inner, &format!("{path}.{field}"), faults),
                None if ALSO_SENT.contains(&(name, field.as_str())) => {}
                None => faults.push(format!("{path}: {name} has no field {field}")),
            }
        }
        for (field, kind) in fields {
            let required = !matches!(kind, Type::Named(name, _) if name == "NotRequired");
            if required && !object.contains_key(field) {
                faults.push(format!("{path}: {name} needs {field}"));
            }
        }
    }
}

fn parse(text: &str) -> Type {
    let text = text.trim();
    if let Some(quoted) = text.strip_prefix('\'') {
        return Type::Text(quoted.trim_end_matches('\'').to_owned());
    }
    match text.split_once('[') {
        Some((name, rest)) => Type::Named(
            name.to_owned(),
            split(rest.strip_suffix(']').unwrap_or(rest)).into_iter().map(parse).collect(),
        ),
        None => Type::Named(text.to_owned(), Vec::new()),
    }
}

/// Splits at the commas that are in no brackets and no quotes.
fn split(text: &str) -> Vec<&str> {
    let (mut depth, mut quoted, mut start) = (0, false, 0);
    let mut parts = Vec::new();
    for (index, letter) in text.char_indices() {
        match letter {
            '\'' => quoted = !quoted,
            '[' if !quoted => depth += 1,
            ']' if !quoted => depth -= 1,
            ',' if !quoted && depth == 0 => {
                parts.push(text.get(start..index).unwrap());
                start = index + 1;
            }
            _ => {}
        }
    }
    parts.push(text.get(start..).unwrap());
    parts.into_iter().filter(|part| !part.trim().is_empty()).collect()
}
