//! Arguments as models write them: taken where their meaning is beyond doubt, else refused in words that can be acted
//! on. Every tool's rules are read from its own input schema. Pure; what a value means is the tool's business.
//!
//! Beyond doubt are `"8"` and `8.0` for a whole number, `"false"` for a boolean, another case or the beginning of a known
//! word, `null` for what may be left out, `taskId` for `task_id`. A refusal names all problems at once, one per line.

mod names;

pub(super) use names::{closest, snake_case};
use probity_research::{Code, CodedError, text, time::Moment};
use rmcp::model::JsonObject;
use serde_json::{Number, Value};

/// Other names of an argument.
pub const ALSO: &str = "x-also";
/// Too much counts as the most, too little as the least.
pub const CLAMPED: &str = "x-clamped";
/// Too little counts as the least; too much is refused.
pub const RAISED: &str = "x-raised";
/// A number is taken for a text: it can mean nothing else.
pub const TAKES_NUMBERS: &str = "x-takes-numbers";
/// Known words that the listed schema does not repeat.
pub const VALUES: &str = "x-values";
/// Accepted, but no part of the list that a model reads.
pub const HIDDEN: &str = "x-hidden";
/// The one form of text that is read here.
pub const DATE: &str = "date";

/// Longest part of a value or name that a refusal repeats.
const SHOWN_CHARACTERS_MAX: usize = 60;
/// Lines of one refusal; a call of nothing but mistakes must not flood.
const PROBLEMS_MAX: usize = 20;
const LINE_CHARACTERS_MAX: usize = 600;
/// Whole numbers up to here are exact in every JSON library.
const EXACT_MAX: f64 = 9_007_199_254_740_992.0;
/// Fewer letters begin too many words.
const PREFIX_CHARACTERS_MIN: usize = 4;

/// The rules for the arguments of one tool.
#[derive(Debug, Clone)]
pub struct ArgumentRules {
    tool: &'static str,
    arguments: Vec<Argument>,
}

/// The arguments as the tool takes them.
#[derive(Debug, Clone, PartialEq)]
pub struct TakenArguments {
    pub values: JsonObject,
    /// One sentence for each number that was out of range and counts as another.
    pub notes: Vec<String>,
}

#[derive(Debug, Clone)]
struct Argument {
    name: String,
    also: Vec<String>,
    kind: ArgumentKind,
    /// Empty: any value.
    values: Vec<String>,
    minimum: Option<i64>,
    maximum: Option<i64>,
    clamped: bool,
    raised: bool,
    required: bool,
    hidden: bool,
    meaning: String,
    example: Value,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ArgumentKind {
    Whole,
    Number,
    Boolean,
    Text,
    TextOrNumber,
    Date,
}

impl ArgumentRules {
    /// `schema` is the whole input schema, with what the listed one leaves out.
    pub fn of(tool: &'static str, schema: &JsonObject) -> Self {
        let required = strings(schema.get("required"));
        let fields = schema.get("properties").and_then(Value::as_object);
        let arguments = fields
            .into_iter()
            .flatten()
            .map(|(name, field)| Argument::of(name, field, required.contains(name)))
            .collect();
        Self { tool, arguments }
    }

    /// The arguments as the tool takes them, or every problem there is with them.
    pub fn read(&self, given: JsonObject) -> Result<TakenArguments, CodedError> {
        let (mut taken, mut notes) = (JsonObject::new(), Vec::new());
        let (mut unknown, mut problems, mut judged) = (Vec::new(), Vec::new(), Vec::new());
        for (written, value) in given {
            let Some(argument) = self.named(&written) else {
                unknown.push((written, value));
                continue;
            };
            if value.is_null() {
                continue;
            }
            if judged.contains(&argument.name.as_str()) {
                let (written, given) = (shown_name(&written), shown(&value));
                let twice = format!("{written}: given {given}, but {} is given twice", argument.name);
                problems.push(format!("{twice}; {}", argument.advice()));
                continue;
            }
            judged.push(&argument.name);
            match argument.take(&value) {
                Some(used) => {
                    notes.extend(argument.note(&value, &used));
                    taken.insert(argument.name.clone(), used);
                }
                None => problems.push(argument.refusal(&value)),
            }
        }
        let mut missing: Vec<&Argument> = self
            .arguments
            .iter()
            .filter(|argument| argument.required && !judged.contains(&argument.name.as_str()))
            .collect();
        for (written, value) in &unknown {
            let meant = self.meant(written, &missing, &judged);
            // What was meant for it is not missing as well.
            missing.retain(|argument| meant.is_none_or(|meant| meant.name != argument.name));
            problems.push(self.unknown(written, value, meant));
        }
        problems.extend(missing.iter().map(|argument| argument.missing()));
        if problems.is_empty() {
            Ok(TakenArguments { values: taken, notes })
        } else {
            Err(refused(&problems))
        }
    }

    fn named(&self, written: &str) -> Option<&Argument> {
        let name = names::snake_case(written);
        self.arguments.iter().find(|argument| argument.name == name || argument.also.contains(&name))
    }

    /// The argument that somebody meant who wrote `written`; what is given already was not meant.
    fn meant<'a>(&'a self, written: &str, missing: &[&'a Argument], judged: &[&str]) -> Option<&'a Argument> {
        let open = |argument: &&Argument| !argument.hidden && !judged.contains(&argument.name.as_str());
        let candidates: Vec<&str> =
            self.arguments.iter().filter(open).map(|argument| argument.name.as_str()).collect();
        let alike = names::closest(&names::snake_case(written), &candidates);
        let alike = alike.and_then(|name| self.arguments.iter().find(|argument| argument.name == name));
        match (alike, missing) {
            (Some(argument), _) => Some(argument),
            (None, [only]) => Some(only),
            (None, _) => None,
        }
    }

    fn unknown(&self, written: &str, value: &Value, meant: Option<&Argument>) -> String {
        let listed: Vec<&str> =
            self.arguments.iter().filter(|known| !known.hidden).map(|known| known.name.as_str()).collect();
        let question = meant.map(|meant| format!(" did you mean {}?", meant.name)).unwrap_or_default();
        let example = meant.or_else(|| self.arguments.iter().find(|known| known.required));
        let example = example.or(self.arguments.first()).map(Argument::shown_example).unwrap_or_default();
        format!(
            "{}: no argument of {}, given {};{question} allowed: {}; example: {example}",
            shown_name(written),
            self.tool,
            shown(value),
            listed.join(", ")
        )
    }

    /// For a tool that finds a value unfit which the schema cannot judge.
    pub fn refuse(&self, name: &str, given: &str, allowed: &str) -> CodedError {
        let example = self.arguments.iter().find(|argument| argument.name == name);
        let example = example.map(Argument::shown_example).unwrap_or_default();
        let given = shown(&Value::String(given.to_owned()));
        refused(&[format!("{name}: given {given}; allowed: {allowed}; example: {example}")])
    }
}

impl Argument {
    fn of(name: &str, schema: &Value, required: bool) -> Self {
        let is = |key: &str| schema.get(key).and_then(Value::as_bool).unwrap_or(false);
        let kind = match schema.get("type").and_then(Value::as_str) {
            Some("integer") => ArgumentKind::Whole,
            Some("number") => ArgumentKind::Number,
            Some("boolean") => ArgumentKind::Boolean,
            _ if schema.get("format").and_then(Value::as_str) == Some(DATE) => ArgumentKind::Date,
            _ if is(TAKES_NUMBERS) => ArgumentKind::TextOrNumber,
            _ => ArgumentKind::Text,
        };
        let values = [strings(schema.get("enum")), strings(schema.get(VALUES))].concat();
        let shown = schema.get("examples").and_then(|examples| examples.get(0)).or(schema.get("default"));
        let example = shown.cloned().or_else(|| values.first().cloned().map(Value::String));
        let limit = |key: &str| schema.get(key).and_then(whole);
        Self {
            name: name.to_owned(),
            also: strings(schema.get(ALSO)),
            kind,
            values,
            minimum: limit("minimum"),
            maximum: limit("maximum"),
            clamped: is(CLAMPED),
            raised: is(RAISED),
            required,
            hidden: is(HIDDEN),
            meaning: schema.get("description").and_then(Value::as_str).unwrap_or_default().to_owned(),
            example: example.unwrap_or_default(),
        }
    }

    /// The value in the type that the tool reads, if there is no doubt about it.
    fn take(&self, given: &Value) -> Option<Value> {
        match self.kind {
            ArgumentKind::Whole => {
                let number = whole(given)?;
                let number = match self.minimum {
                    _ if self.clamped && number >= 0 => self.nearest(number),
                    Some(minimum) if self.raised => number.max(minimum),
                    _ => number,
                };
                self.admits(number as f64).then(|| Value::from(number))
            }
            ArgumentKind::Number => {
                let number = decimal(given).filter(|number| self.admits(*number))?;
                Number::from_f64(number).map(Value::Number)
            }
            ArgumentKind::Boolean => match given {
                Value::Bool(_) => Some(given.clone()),
                Value::String(word) if word.trim().eq_ignore_ascii_case("true") => Some(Value::Bool(true)),
                Value::String(word) if word.trim().eq_ignore_ascii_case("false") => Some(Value::Bool(false)),
                _ => None,
            },
            ArgumentKind::Text => match given {
                Value::String(word) if !self.values.is_empty() => self.value(word).map(Value::String),
                Value::String(_) => Some(given.clone()),
                _ => None,
            },
            ArgumentKind::TextOrNumber => match given {
                Value::String(_) => Some(given.clone()),
                Value::Number(number) => Some(Value::String(number.to_string())),
                _ => None,
            },
            ArgumentKind::Date => {
                let day = given.as_str()?.trim();
                Moment::of_date(day).map(|_| Value::String(day.to_owned()))
            }
        }
    }

    /// What is said where another number is used than the one that was given.
    fn note(&self, given: &Value, used: &Value) -> Option<String> {
        let is_other = self.kind == ArgumentKind::Whole && whole(given) != whole(used);
        is_other.then(|| {
            format!("{}: given {}, {used} is used; allowed: {}.", self.name, shown(given), self.allowed())
        })
    }

    fn nearest(&self, number: i64) -> i64 {
        let number = self.maximum.map_or(number, |maximum| number.min(maximum));
        self.minimum.map_or(number, |minimum| number.max(minimum))
    }

    fn admits(&self, number: f64) -> bool {
        self.minimum.is_none_or(|minimum| number >= minimum as f64)
            && self.maximum.is_none_or(|maximum| number <= maximum as f64)
    }

    /// The known word: in any case, or the first words of one alone.
    fn value(&self, written: &str) -> Option<String> {
        let written = names::folded(written);
        let same = self.values.iter().find(|value| names::folded(value) == written);
        let begins = |value: &&String| {
            written.chars().count() >= PREFIX_CHARACTERS_MIN
                && names::folded(value)
                    .strip_prefix(written.as_str())
                    .is_some_and(|rest| rest.starts_with('_'))
        };
        same.cloned().or_else(|| {
            let mut longer = self.values.iter().filter(begins);
            longer.next().filter(|_| longer.next().is_none()).cloned()
        })
    }

    fn refusal(&self, given: &Value) -> String {
        let known: Vec<&str> = self.values.iter().map(String::as_str).collect();
        let meant = given.as_str().and_then(|word| names::closest(&names::folded(word), &known));
        let question = meant.map(|meant| format!(" did you mean {meant}?")).unwrap_or_default();
        format!("{}: given {};{question} {}", self.name, shown(given), self.advice())
    }

    fn missing(&self) -> String {
        format!("{}: required, given nothing; {}", self.name, self.advice())
    }

    fn advice(&self) -> String {
        let meaning = if self.meaning.is_empty() { String::new() } else { format!(" ({})", self.meaning) };
        format!("allowed: {}{meaning}; example: {}", self.allowed(), self.shown_example())
    }

    fn allowed(&self) -> String {
        let range = match (self.minimum, self.maximum) {
            (Some(minimum), Some(maximum)) => format!(" from {minimum} to {maximum}"),
            (Some(minimum), None) => format!(", {minimum} or more"),
            (None, Some(maximum)) => format!(", at most {maximum}"),
            (None, None) => String::new(),
        };
        match self.kind {
            ArgumentKind::Whole => format!("a whole number{range}"),
            ArgumentKind::Number => format!("a number{range}"),
            ArgumentKind::Boolean => "true or false".to_owned(),
            ArgumentKind::Text if !self.values.is_empty() => format!("one of {}", self.values.join(", ")),
            ArgumentKind::Text | ArgumentKind::TextOrNumber => "a text".to_owned(),
            ArgumentKind::Date => "a date, YYYY-MM-DD".to_owned(),
        }
    }

    fn shown_example(&self) -> String {
        format!("{{\"{}\": {}}}", self.name, self.example)
    }
}

/// One refusal of all that does not fit.
fn refused(problems: &[String]) -> CodedError {
    let mut lines: Vec<String> =
        problems.iter().take(PROBLEMS_MAX).map(|line| text::line(line, LINE_CHARACTERS_MAX)).collect();
    if problems.len() > PROBLEMS_MAX {
        lines.push(format!("and {} more", problems.len() - PROBLEMS_MAX));
    }
    CodedError { message: lines.join("\n"), ..CodedError::new(Code::InvalidArguments, "") }
}

/// A value as JSON, cut and without characters that act.
fn shown(value: &Value) -> String {
    match value {
        // Cut before the quotation marks, so that both stay.
        Value::String(word) => Value::String(text::line(word, SHOWN_CHARACTERS_MAX)).to_string(),
        other => text::line(&other.to_string(), SHOWN_CHARACTERS_MAX),
    }
}

fn shown_name(written: &str) -> String {
    text::line(written, SHOWN_CHARACTERS_MAX)
}

fn strings(list: Option<&Value>) -> Vec<String> {
    let words = list.and_then(Value::as_array).into_iter().flatten();
    words.filter_map(Value::as_str).map(str::to_owned).collect()
}

fn whole(value: &Value) -> Option<i64> {
    if let Some(number) = value.as_i64() {
        return Some(number);
    }
    let number = decimal(value)?;
    (number.fract() == 0.0 && number.abs() <= EXACT_MAX).then_some(number as i64)
}

/// Digits with a point, as JSON has them; `1e3`, `1,000` and `NaN` are somebody else's.
fn decimal(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => number.as_f64(),
        Value::String(word) => {
            let word = word.trim();
            let plain = word.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | '-'));
            word.parse().ok().filter(|_| plain)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests;
