//! Reads what a model answered to a round: the JSON it was asked for, found in whatever it wrote around it.
//!
//! Schema first, local repair second. What is still unusable goes to the correction prompt.

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::report::{Report, SourceLink};

/// Longest answer that is read. A model writes at most 65,536 tokens; a megabyte is four times that.
pub const ANSWER_BYTES_MAX: usize = 1024 * 1024;
/// Deeper nesting than any answer needs; repairing works recursively and must not run out of stack.
const DEPTH_MAX: usize = 64;

/// The output of tools in one round: facts of the wire, not of the model's text.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ToolEvidence {
    pub sources: Vec<SourceLink>,
    pub queries: Vec<String>,
    /// Pages that were fetched and read.
    pub pages: Vec<String>,
}

impl ToolEvidence {
    pub fn is_empty(&self) -> bool {
        self.sources.is_empty() && self.queries.is_empty() && self.pages.is_empty()
    }

    /// Adds the output of another call of the same search; each thing once.
    pub fn add(&mut self, other: &Self) {
        for source in &other.sources {
            if !self.sources.iter().any(|known| known.url == source.url) {
                self.sources.push(source.clone());
            }
        }
        add_new(&mut self.queries, &other.queries);
        add_new(&mut self.pages, &other.pages);
    }
}

fn add_new(list: &mut Vec<String>, more: &[String]) {
    for item in more {
        if !list.contains(item) {
            list.push(item.clone());
        }
    }
}

/// The answer of one round as it is stored. Reads as a `Report` too, so that the best one so far can be shown.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RoundAnswer {
    #[serde(flatten)]
    pub report: Report,
    pub pages: Vec<String>,
    pub model_says_verified: bool,
    #[serde(default)]
    pub model: Option<String>,
    /// Addresses in the text that no tool returned, in this round or before.
    pub unresolved: Vec<String>,
    /// Sources that the model says it visited and that no tool returned.
    pub claimed: Vec<String>,
}

impl RoundAnswer {
    pub fn encode(&self) -> Vec<u8> {
        serde_json::to_vec(self).unwrap_or_default()
    }

    pub fn decode(bytes: &[u8]) -> Option<Self> {
        serde_json::from_slice(bytes).ok()
    }

    pub fn evidence(&self) -> ToolEvidence {
        ToolEvidence {
            sources: self.report.sources.clone(),
            queries: self.report.queries.clone(),
            pages: self.pages.clone(),
        }
    }
}

/// An answer that could not be parsed, kept for its correction together with its tools' output.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct InvalidAnswer {
    pub text: String,
    pub evidence: ToolEvidence,
}

impl InvalidAnswer {
    pub fn encode(&self) -> Vec<u8> {
        serde_json::to_vec(self).unwrap_or_default()
    }

    pub fn decode(bytes: &[u8]) -> Option<Self> {
        serde_json::from_slice(bytes).ok()
    }
}

/// What the model was asked to write.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct ModelAnswer {
    #[serde(default = "yes")]
    pub success: bool,
    pub verified: bool,
    pub report: String,
    #[serde(default)]
    pub metadata: ModelSources,
}

fn yes() -> bool {
    true
}

/// Sources as the model names them, not confirmed by any tool.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
pub struct ModelSources {
    #[serde(default)]
    pub sources_visited: Vec<String>,
    #[serde(default)]
    pub search_queries_used: Vec<String>,
}

/// Why an answer cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AnswerError {
    #[error("the answer is empty")]
    Empty,
    #[error("the answer is longer than {ANSWER_BYTES_MAX} bytes")]
    TooLong,
    #[error("the answer breaks off in the middle")]
    Cut,
    #[error("the answer holds no JSON object")]
    NoJson,
    #[error("the JSON does not have the fields that were asked for")]
    OtherShape,
    #[error("the JSON has no report")]
    NoReport,
}

pub fn parse_model_answer(text: &str) -> Result<ModelAnswer, AnswerError> {
    extract_json::<ModelAnswer>(text).and_then(whole)
}

/// The JSON object of this type in whatever text a model wrote around it.
pub fn extract_json<A: DeserializeOwned>(text: &str) -> Result<A, AnswerError> {
    let text = text.trim();
    if text.is_empty() {
        return Err(AnswerError::Empty);
    }
    if text.len() > ANSWER_BYTES_MAX {
        return Err(AnswerError::TooLong);
    }
    let candidates: Vec<&str> = [Some(text), fenced(text), braced(text)].into_iter().flatten().collect();
    let mut other_shape = false;
    for candidate in &candidates {
        match serde_json::from_str::<A>(candidate) {
            Ok(answer) => return Ok(answer),
            Err(error) => other_shape |= error.is_data() && candidate.starts_with('{'),
        }
    }
    if other_shape {
        return Err(AnswerError::OtherShape);
    }
    let open = from_first_brace(fenced(text).unwrap_or(text)).ok_or(AnswerError::NoJson)?;
    repaired(open)
}

fn whole(spoken: ModelAnswer) -> Result<ModelAnswer, AnswerError> {
    if spoken.report.trim().is_empty() { Err(AnswerError::NoReport) } else { Ok(spoken) }
}

/// A missing bracket or a comma too many is repaired; a text that ends inside a string has lost something,
/// and closing the string would pass a cut report off as a complete one.
fn repaired<A: DeserializeOwned>(text: &str) -> Result<A, AnswerError> {
    let shape = JsonNesting::of(text);
    if shape.depth_max > DEPTH_MAX {
        return Err(AnswerError::OtherShape);
    }
    if shape.ends_in_string {
        return Err(AnswerError::Cut);
    }
    let object = braced(text).filter(|_| shape.depth_at_end == 0).unwrap_or(text);
    let mended = jsonrepair_rs::jsonrepair(object).map_err(|_| AnswerError::NoJson)?;
    serde_json::from_str(&mended).map_err(|_| AnswerError::OtherShape)
}

/// Inside the first ``` fence, if there is one; a fence that is never closed runs to the end.
fn fenced(text: &str) -> Option<&str> {
    let (_, opened) = text.split_once("```")?;
    let body = opened.strip_prefix("json").or(opened.strip_prefix("JSON")).unwrap_or(opened);
    // The report itself may contain fences: the last one closes.
    Some(body.rsplit_once("```").map_or(body, |(inside, _)| inside).trim())
}

fn braced(text: &str) -> Option<&str> {
    let (from, to) = (text.find('{')?, text.rfind('}')?);
    text.get(from..=to)
}

fn from_first_brace(text: &str) -> Option<&str> {
    text.get(text.find('{')?..)
}

/// The nesting of a piece of JSON, from its quotes and brackets alone.
struct JsonNesting {
    depth_max: usize,
    depth_at_end: usize,
    ends_in_string: bool,
}

impl JsonNesting {
    fn of(text: &str) -> Self {
        let (mut depth, mut depth_max, mut in_string, mut escaped) = (0_usize, 0, false, false);
        for byte in text.bytes() {
            match byte {
                _ if escaped => escaped = false,
                b'\\' if in_string => escaped = true,
                b'"' => in_string = !in_string,
                b'{' | b'[' if !in_string => {
                    depth += 1;
                    depth_max = depth_max.max(depth);
                }
                b'}' | b']' if !in_string => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        Self { depth_max, depth_at_end: depth, ends_in_string: in_string }
    }
}

#[cfg(test)]
mod tests;
