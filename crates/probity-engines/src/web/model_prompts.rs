//! Builds the prompts of the four model calls. Foreign text can neither close the part it is in nor form a
//! placeholder.

use probity_research::{
    text,
    web::{
        canonical,
        strategy::StrategyLevel,
        task::{PromptNote, WebRequest, WriteRequest},
    },
};

use crate::prompts::{PromptName, Prompts, fill_template as fill_places, neutralize};

/// Longest link text shown to a reader.
const LINK_CHARACTERS_MAX: usize = 100;

/// The value of each placeholder of a prompt.
type PlaceValues<'a> = Box<dyn Fn(&str) -> Option<String> + 'a>;

pub fn fill_model_prompt(prompts: &Prompts, ask: &WebRequest) -> String {
    let (name, value): (PromptName, PlaceValues<'_>) = match ask {
        WebRequest::Plan(ask) => (
            PromptName::WebPlan,
            Box::new(move |place| {
                Some(match place {
                    "query" => neutralize(&ask.question),
                    "context" => neutralize(ask.context.as_deref().unwrap_or("(none)")),
                    "attempt" => ask.attempt.to_string(),
                    "today" => ask.today.clone(),
                    "queries_max" => ask.queries_max.to_string(),
                    "asked" => list(&ask.asked_before),
                    "open" => list(&ask.open),
                    "notes" => notes(&ask.notes),
                    _ => return None,
                })
            }),
        ),
        WebRequest::Choose(ask) => (
            PromptName::WebChoose,
            Box::new(move |place| {
                Some(match place {
                    "query" => neutralize(&ask.question),
                    "pages_max" => ask.pages_max.to_string(),
                    "candidates" => {
                        let line = |(number, candidate): (usize, &probity_research::web::task::Candidate)| {
                            let site = canonical::site(&candidate.url).unwrap_or_default();
                            let date = candidate.published.as_deref().unwrap_or("no date");
                            neutralize(&format!(
                                "[{number}] {} ({site}, {date}): {}",
                                candidate.title, candidate.snippet
                            ))
                        };
                        ask.candidates.iter().enumerate().map(line).collect::<Vec<_>>().join("\n")
                    }
                    _ => return None,
                })
            }),
        ),
        WebRequest::Read(ask) => (
            PromptName::WebRead,
            Box::new(move |place| {
                Some(match place {
                    "query" => neutralize(&ask.question),
                    "page" => neutralize(&ask.text),
                    "links" => {
                        let line = |(number, link): (usize, &String)| {
                            format!("[{number}] {}", neutralize(&text::line(link, LINK_CHARACTERS_MAX)))
                        };
                        ask.links.iter().enumerate().map(line).collect::<Vec<_>>().join("\n")
                    }
                    _ => return None,
                })
            }),
        ),
        WebRequest::Write(ask) => (
            PromptName::WebWrite,
            Box::new(move |place| {
                Some(match place {
                    "query" => neutralize(&ask.question),
                    "context" => neutralize(ask.context.as_deref().unwrap_or("(none)")),
                    "today" => ask.today.clone(),
                    "length" => length(ask),
                    "notes" => notes(&ask.notes),
                    _ => return None,
                })
            }),
        ),
        // No model is called for the first three; the others are the second engine's.
        WebRequest::Search(_)
        | WebRequest::Folder { .. }
        | WebRequest::Page { .. }
        | WebRequest::Brief(_)
        | WebRequest::Line(_)
        | WebRequest::Survey(_)
        | WebRequest::Outline(_)
        | WebRequest::Section(_)
        | WebRequest::Synthesis(_)
        | WebRequest::Front(_) => return String::new(),
    };
    fill_places(prompts.text(name), value)
}

/// How long the report may be, and in which language; one place, so that prompts of the user's own say both.
fn length(ask: &WriteRequest) -> String {
    let long = match (ask.words, ask.level) {
        (Some(words), _) => format!("about {words} words long"),
        (None, StrategyLevel::None) => "a few sentences long".to_owned(),
        (None, StrategyLevel::Shallow) => "one or two short paragraphs long".to_owned(),
        (None, StrategyLevel::Medium) => "about a page long".to_owned(),
        (None, StrategyLevel::Deep) => "two to four pages long".to_owned(),
        (None, StrategyLevel::Exhaustive) => "four to six pages long".to_owned(),
    };
    match &ask.language {
        Some(language) => {
            format!("{long}; write it in this language, whatever that of the notes: {}", neutralize(language))
        }
        None => long,
    }
}

fn list(items: &[String]) -> String {
    match items.is_empty() {
        true => "(none)".to_owned(),
        false => items.iter().map(|item| format!("- {}", neutralize(item))).collect::<Vec<_>>().join("\n"),
    }
}

fn notes(items: &[PromptNote]) -> String {
    let note = |item: &PromptNote| {
        let date = item.published.as_deref().unwrap_or("no date");
        let quotes: Vec<String> =
            item.quotes.iter().map(|quote| format!("“{}”", text::line(quote, 1_200))).collect();
        neutralize(&format!(
            "[{}] {} ({date}), on: {}\n{}",
            item.note,
            item.site,
            item.question,
            quotes.join("\n")
        ))
    };
    match items.is_empty() {
        true => "(none)".to_owned(),
        false => items.iter().map(note).collect::<Vec<_>>().join("\n\n"),
    }
}
