//! A chat request as the model reads it: its words, its marked parts, the fields it asks for, and what follows from them.

use std::collections::BTreeSet;

use serde_json::Value;

use super::ResearchTask;
use crate::research::{fact::FactLanguage, tokens::count_tokens};

#[derive(Debug, Clone, Default)]
pub(super) struct ModelPrompt {
    /// All messages, in their order.
    pub(super) whole: String,
    pub(super) fields: BTreeSet<String>,
    pub(super) tools: Vec<Value>,
    /// Whether tools have answered already.
    pub(super) has_tool_results: bool,
    pub(super) output_tokens_max: Option<u64>,
    pub(super) tokens: u64,
}

/// Fields of an answer, and what they mean; the first that is there counts.
const BY_FIELD: [(&str, ResearchTask); 12] = [
    ("sub_questions", ResearchTask::Plan),
    ("facets", ResearchTask::Brief),
    ("indices", ResearchTask::Choose),
    ("new_terms", ResearchTask::Survey),
    ("relevant", ResearchTask::Read),
    ("operations", ResearchTask::Outline),
    ("blocks", ResearchTask::Section),
    ("points", ResearchTask::Synthesis),
    ("key_points", ResearchTask::Front),
    ("sections", ResearchTask::Write),
    ("answers", ResearchTask::Judge),
    ("queries", ResearchTask::Line),
];
/// Words of a free prompt, in the same way: what stands further down is asked for in passing by longer prompts.
const BY_WORDS: [(&[&str], ResearchTask); 4] = [
    (&["learnings", "extract key", "key findings from"], ResearchTask::Learnings),
    (
        &["search queries", "serp queries", "google search", "search query", "sub-queries"],
        ResearchTask::Queries,
    ),
    (
        &[
            "detailed report",
            "write a report",
            "final report",
            "research report",
            "write the report",
            "in-text citation",
        ],
        ResearchTask::Report,
    ),
    (&["follow-up questions", "follow up questions"], ResearchTask::Queries),
];

impl ModelPrompt {
    pub(super) fn read(body: &[u8]) -> Option<Self> {
        let body: Value = serde_json::from_slice(body).ok()?;
        let messages = body.get("messages")?.as_array()?;
        let whole =
            messages.iter().map(|message| text(message.get("content"))).collect::<Vec<_>>().join("\n");
        let schema =
            body.pointer("/response_format/json_schema/schema/properties").and_then(Value::as_object);
        let fields: BTreeSet<String> = match schema {
            Some(schema) => schema.keys().cloned().collect(),
            None => named_fields(&whole),
        };
        let most = |name| body.get(name).and_then(Value::as_u64);
        let tools = body.get("tools").and_then(Value::as_array).cloned().unwrap_or_default();
        let role = |message: &Value| message.get("role").and_then(Value::as_str).map(str::to_owned);
        Some(Self {
            fields,
            tools,
            has_tool_results: messages.iter().filter_map(role).any(|role| role == "tool"),
            output_tokens_max: most("max_tokens").or_else(|| most("max_completion_tokens")),
            tokens: count_tokens(&whole),
            whole,
        })
    }

    pub(super) fn task(&self) -> ResearchTask {
        if !self.tools.is_empty() && !self.has_tool_results {
            return ResearchTask::Tools;
        }
        if let Some((_, task)) = BY_FIELD.iter().find(|(field, _)| self.fields.contains(*field)) {
            return *task;
        }
        let words = self.whole.to_lowercase();
        let found = BY_WORDS.iter().find(|(phrases, _)| phrases.iter().any(|phrase| words.contains(phrase)));
        found.map_or(ResearchTask::Other, |(_, task)| *task)
    }

    /// The text between `<name>` and `</name>`; empty if there is none.
    pub(super) fn part(&self, name: &str) -> &str {
        let (open, close) = (format!("<{name}>\n"), format!("\n</{name}>"));
        let inside = self.whole.split_once(&open).map(|(_, behind)| behind);
        inside.and_then(|inside| inside.split_once(&close)).map_or("", |(inside, _)| inside)
    }

    /// What the user wants to know: the marked question, or the whole prompt.
    pub(super) fn question(&self) -> &str {
        let part = self.part("question");
        if part.is_empty() { quoted_question(&self.whole) } else { part }
    }

    /// The prompt without what others wrote: what its author tells the model.
    fn instructions(&self) -> String {
        let mut kept = String::new();
        let mut rest = self.whole.as_str();
        while let Some((before, inside)) = rest.split_once("\n<") {
            kept.push_str(before);
            kept.push('\n');
            let close = inside.split_once('>').map(|(name, _)| format!("\n</{name}>")).unwrap_or_default();
            rest = inside.split_once(&close).filter(|_| !close.is_empty()).map_or("", |(_, behind)| behind);
        }
        kept + rest
    }

    /// Words of text that are asked for: what the instructions say in words, else the question, else in pages.
    pub(super) fn words_asked(&self) -> usize {
        let instructions = self.instructions();
        words_in(&instructions)
            .or_else(|| words_in(self.question()))
            .or_else(|| vague_length(&instructions))
            .unwrap_or(800)
    }

    /// The language of the text that is asked for.
    pub(super) fn language(&self) -> FactLanguage {
        let instructions = self.instructions();
        language_in(&instructions).or_else(|| language_in(self.question())).unwrap_or(FactLanguage::English)
    }

    /// `at most N` before this word, or a usual number.
    pub(super) fn at_most(&self, word: &str, usual: usize) -> usize {
        number_before(&self.whole, word).unwrap_or(usual)
    }
}

/// What is quoted as the task, or stands around the first question mark, between quotation marks or empty lines.
fn quoted_question(whole: &str) -> &str {
    if let Some((task, _)) = whole.split_once("task: \"").and_then(|(_, behind)| behind.split_once('"')) {
        return task;
    }
    let Some(mark) = whole.find('?') else { return whole };
    let start = whole.get(..mark).and_then(|before| before.rfind(['"', '\n'])).map_or(0, |at| at + 1);
    let rest = whole.get(start..).unwrap_or(whole);
    let end = ["\"", "\n\n"].iter().filter_map(|close| rest.find(close)).min();
    rest.get(..end.unwrap_or(rest.len())).unwrap_or(rest)
}

/// Names in backticks behind the last "JSON": the fields of an answer without a schema.
fn named_fields(whole: &str) -> BTreeSet<String> {
    let Some((_, behind)) = whole.rsplit_once("JSON") else { return BTreeSet::new() };
    behind.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

fn words_in(text: &str) -> Option<usize> {
    [" words", "-word", " Wörter"].iter().find_map(|word| number_before(text, word))
}

/// The first number that stands right before these words.
fn number_before(text: &str, words: &str) -> Option<usize> {
    text.match_indices(words).find_map(|(place, _)| {
        let before = text.get(..place)?.trim_end();
        let start =
            before.rfind(|letter: char| !letter.is_ascii_digit() && letter != ',').map_or(0, |at| at + 1);
        before.get(start..)?.replace(',', "").parse().ok()
    })
}

fn vague_length(text: &str) -> Option<usize> {
    const FORMS: [(&str, usize); 6] = [
        ("few sentences", 60),
        ("one or two short paragraphs", 160),
        ("about a page", 480),
        ("two to four pages", 1_500),
        ("3 or more pages", 1_600),
        ("as long as", 2_000),
    ];
    FORMS.iter().find(|(words, _)| text.contains(words)).map(|(_, count)| *count)
}

fn language_in(text: &str) -> Option<FactLanguage> {
    const FORMS: [(&str, FactLanguage); 9] = [
        ("in German", FactLanguage::German),
        ("in Chinese", FactLanguage::Chinese),
        ("in English", FactLanguage::English),
        ("in de,", FactLanguage::German),
        ("in zh,", FactLanguage::Chinese),
        ("in en,", FactLanguage::English),
        ("in de.", FactLanguage::German),
        ("in zh.", FactLanguage::Chinese),
        ("in en.", FactLanguage::English),
    ];
    let found = FORMS.iter().filter_map(|(words, language)| Some((text.find(words)?, *language)));
    found.min_by_key(|(place, _)| *place).map(|(_, language)| language)
}

/// One string, or parts of which those with text count.
fn text(content: Option<&Value>) -> String {
    match content {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => {
            parts.iter().filter_map(|part| part.get("text")?.as_str()).collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}
