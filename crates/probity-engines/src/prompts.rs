//! The prompts: files with a few placeholders, shipped with the program and replaceable by the user.
//!
//! Filled in one pass: an inserted value is never searched for placeholders again.

use std::collections::BTreeMap;

use probity_research::{
    engine_call::RoundCall,
    error::{Code, CodedError},
    rounds::{Mode, RoundHints},
};

use crate::schema::EXAMPLE;

/// Longest prompt file that is taken: a page or two is what a model needs.
pub const PROMPT_BYTES_MAX: usize = 64 * 1024;
/// Longest earlier result or unusable answer put into a prompt, so that rounds do not grow without end.
const RESULT_BYTES_MAX: usize = 200 * 1024;
/// The parts of a prompt that contain foreign text.
const PARTS: [&str; 26] = [
    "items",
    "question",
    "current_result",
    "invalid_output",
    "context",
    "asked",
    "open",
    "notes",
    "candidates",
    "page",
    "links",
    "questions",
    "part",
    "reader",
    "requirements",
    "facets",
    "wanted",
    "wishes",
    "terms",
    "disagreements",
    "quotes",
    "outline",
    "section",
    "elsewhere",
    "unmet",
    "claims",
];
/// Claims or addresses of one kind that one prompt names.
const HINTS_MAX: usize = 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PromptName {
    Search,
    DeepSearch,
    DeepResearch,
    Verify,
    Correction,
    System,
    WebPlan,
    WebChoose,
    WebRead,
    WebWrite,
    WebBrief,
    WebLine,
    WebSurvey,
    WebOutline,
    WebSection,
    WebSynthesis,
    WebFront,
    WebSystem,
    Judge,
}

impl PromptName {
    pub const ALL: [Self; 19] = [
        Self::Search,
        Self::DeepSearch,
        Self::DeepResearch,
        Self::Verify,
        Self::Correction,
        Self::System,
        Self::WebPlan,
        Self::WebChoose,
        Self::WebRead,
        Self::WebWrite,
        Self::WebBrief,
        Self::WebLine,
        Self::WebSurvey,
        Self::WebOutline,
        Self::WebSection,
        Self::WebSynthesis,
        Self::WebFront,
        Self::WebSystem,
        Self::Judge,
    ];

    pub fn file_name(self) -> &'static str {
        match self {
            Self::Search => "search-prompt.md",
            Self::DeepSearch => "deep-search-prompt.md",
            Self::DeepResearch => "deep-research-prompt.md",
            Self::Verify => "verify-prompt.md",
            Self::Correction => "correction-prompt.md",
            Self::System => "system-prompt.md",
            Self::WebPlan => "web-plan-prompt.md",
            Self::WebChoose => "web-choose-prompt.md",
            Self::WebRead => "web-read-prompt.md",
            Self::WebWrite => "web-write-prompt.md",
            Self::WebBrief => "web-brief-prompt.md",
            Self::WebLine => "web-line-prompt.md",
            Self::WebSurvey => "web-survey-prompt.md",
            Self::WebOutline => "web-outline-prompt.md",
            Self::WebSection => "web-section-prompt.md",
            Self::WebSynthesis => "web-synthesis-prompt.md",
            Self::WebFront => "web-front-prompt.md",
            Self::WebSystem => "web-system-prompt.md",
            Self::Judge => "judge-prompt.md",
        }
    }

    fn default_text(self) -> &'static str {
        match self {
            Self::Search => include_str!("../prompts/search-prompt.md"),
            Self::DeepSearch => include_str!("../prompts/deep-search-prompt.md"),
            Self::DeepResearch => include_str!("../prompts/deep-research-prompt.md"),
            Self::Verify => include_str!("../prompts/verify-prompt.md"),
            Self::Correction => include_str!("../prompts/correction-prompt.md"),
            Self::System => include_str!("../prompts/system-prompt.md"),
            Self::WebPlan => include_str!("../prompts/web-plan-prompt.md"),
            Self::WebChoose => include_str!("../prompts/web-choose-prompt.md"),
            Self::WebRead => include_str!("../prompts/web-read-prompt.md"),
            Self::WebWrite => include_str!("../prompts/web-write-prompt.md"),
            Self::WebBrief => include_str!("../prompts/web-brief-prompt.md"),
            Self::WebLine => include_str!("../prompts/web-line-prompt.md"),
            Self::WebSurvey => include_str!("../prompts/web-survey-prompt.md"),
            Self::WebOutline => include_str!("../prompts/web-outline-prompt.md"),
            Self::WebSection => include_str!("../prompts/web-section-prompt.md"),
            Self::WebSynthesis => include_str!("../prompts/web-synthesis-prompt.md"),
            Self::WebFront => include_str!("../prompts/web-front-prompt.md"),
            Self::WebSystem => include_str!("../prompts/web-system-prompt.md"),
            Self::Judge => include_str!("../prompts/judge-prompt.md"),
        }
    }

    /// Placeholders without which the prompt cannot work.
    fn required_places(self) -> &'static [&'static str] {
        match self {
            Self::Search | Self::DeepSearch | Self::DeepResearch => &["query"],
            Self::Verify => &["query", "current_result"],
            Self::Correction => &["where"],
            Self::WebPlan => &["query", "notes", "open"],
            Self::WebChoose => &["query", "candidates"],
            Self::WebRead => &["query", "page"],
            Self::WebWrite => &["query", "notes"],
            Self::WebBrief => &["query", "facets_max"],
            Self::WebLine => &["query", "facet", "quotes"],
            Self::WebSurvey => &["facets", "page"],
            Self::WebOutline => &["query", "outline", "quotes"],
            Self::WebSection => &["query", "section", "quotes"],
            Self::WebSynthesis | Self::WebFront => &["query", "claims"],
            Self::Judge => &["items"],
            Self::System | Self::WebSystem => &[],
        }
    }
}

/// How an unusable answer reaches the model that corrects it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CorrectionPlacement {
    /// The prompt contains it.
    Inline,
    /// A file contains it; `{{path}}` is a placeholder for its path until the file exists.
    File,
}

#[derive(Debug, Clone)]
pub struct Prompts {
    texts: BTreeMap<PromptName, String>,
    replaced: Vec<PromptName>,
}

impl Default for Prompts {
    fn default() -> Self {
        let texts = PromptName::ALL.into_iter().map(|name| (name, name.default_text().to_owned())).collect();
        Self { texts, replaced: Vec::new() }
    }
}

impl Prompts {
    /// Takes the user's text for one of them.
    pub fn replace(&mut self, name: PromptName, text: &str) -> Result<(), CodedError> {
        let refused =
            |why: String| CodedError::new(Code::Settings, &format!("the prompt {} {why}", name.file_name()));
        if text.len() > PROMPT_BYTES_MAX {
            return Err(refused(format!("has {} bytes; at most {PROMPT_BYTES_MAX} are taken", text.len())));
        }
        if let Some(place) =
            name.required_places().iter().find(|place| !text.contains(&format!("{{{{{place}}}}}")))
        {
            return Err(refused(format!("lacks {{{{{place}}}}}")));
        }
        self.texts.insert(name, text.to_owned());
        self.replaced.push(name);
        Ok(())
    }

    /// The prompts that the user replaced.
    pub fn replaced(&self) -> &[PromptName] {
        &self.replaced
    }

    pub fn text(&self, name: PromptName) -> &str {
        self.texts.get(&name).map_or(name.default_text(), String::as_str)
    }

    /// The complete prompt of one call.
    pub fn fill(&self, manner: Mode, query: &str, call: &RoundCall, carried: CorrectionPlacement) -> String {
        let template = match (&call.invalid, &call.current, manner) {
            (Some(_), ..) => PromptName::Correction,
            (None, Some(_), _) => PromptName::Verify,
            (None, None, Mode::Search) => PromptName::Search,
            (None, None, Mode::DeepSearch) => PromptName::DeepSearch,
            (None, None, Mode::DeepResearch) => PromptName::DeepResearch,
        };
        let text = |text: &Option<String>| neutralize(bounded(text.as_deref().unwrap_or_default()));
        let filled = fill_template(self.text(template), |place| {
            Some(match place {
                "query" => neutralize(query),
                "current_result" => text(&call.current),
                "problems" => problems(&call.hints),
                "where" => placement_text(carried).to_owned(),
                "invalid_output" => text(&call.invalid),
                "round" => call.round.to_string(),
                "rounds_max" => call.rounds_max.to_string(),
                "schema" => EXAMPLE.to_owned(),
                _ => return None,
            })
        });
        match (&call.invalid, carried) {
            (Some(_), CorrectionPlacement::Inline) => {
                format!("{filled}\n<invalid_output>\n{}\n</invalid_output>\n", text(&call.invalid))
            }
            _ => filled,
        }
    }
}

fn placement_text(carried: CorrectionPlacement) -> &'static str {
    match carried {
        CorrectionPlacement::Inline => "It stands below, inside `<invalid_output>`.",
        CorrectionPlacement::File => {
            "It stands in the file {{path}}, with its long lines broken; read that file with your tool for reading \
             files. The same text follows this prompt."
        }
    }
}

/// Problems of the current result: untraced addresses, claims that failed a check, pages that could not be read. A
/// claim that stands is not among them: it is to be left as it is.
fn problems(hints: &RoundHints) -> String {
    let list = |items: &[String]| {
        let named: Vec<String> =
            items.iter().take(HINTS_MAX).map(|item| format!("- {}", neutralize(item))).collect();
        named.join("\n")
    };
    let mut parts = Vec::new();
    if !hints.untraced.is_empty() {
        parts.push(format!(
            "These addresses in the current result were returned by no search and no fetch. Find pages that say the \
             same and cite those, or remove the statements:\n{}",
            list(&hints.untraced)
        ));
    }
    if !hints.failing.is_empty() {
        parts.push(format!(
            "These statements did not stand up to being checked against the pages they cite. Look for pages that say \
             exactly this, and for pages that say otherwise; correct each statement, cite what you found, or remove \
             it:\n{}",
            list(&hints.failing)
        ));
    }
    if !hints.unreadable.is_empty() {
        parts.push(format!(
            "These cited pages could not be read, so nobody can check what rests on them. Look for another source of \
             the same statement that anyone can read without an account and without scripts (the original document, \
             an open copy, another publisher) and cite that instead; do not cite these again:\n{}",
            list(&hints.unreadable)
        ));
    }
    if !hints.single_origin.is_empty() {
        parts.push(format!(
            "These statements stand, on one origin. Where you find an independent page that says the same, cite it \
             too; otherwise leave them as they are:\n{}",
            list(&hints.single_origin)
        ));
    }
    parts.join("\n\n")
}

fn bounded(text: &str) -> &str {
    text.get(..text.floor_char_boundary(RESULT_BYTES_MAX)).unwrap_or_default()
}

/// Foreign text that can neither close the part it is in nor form a placeholder.
pub(crate) fn neutralize(text: &str) -> String {
    let closed = PARTS
        .iter()
        .fold(text.to_owned(), |text, part| text.replace(&format!("</{part}"), &format!("< /{part}")));
    closed.replace("{{", "{ {")
}

/// Replaces each `{{placeholder}}` that `value` knows; others stay as they are.
pub(crate) fn fill_template(template: &str, value: impl Fn(&str) -> Option<String>) -> String {
    let mut filled = String::with_capacity(template.len());
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("{{") {
        filled.push_str(before);
        match after.split_once("}}").and_then(|(place, behind)| Some((value(place.trim())?, behind))) {
            Some((text, behind)) => {
                filled.push_str(&text);
                rest = behind;
            }
            None => {
                filled.push_str("{{");
                rest = after;
            }
        }
    }
    filled.push_str(rest);
    filled
}

#[cfg(test)]
mod tests;
