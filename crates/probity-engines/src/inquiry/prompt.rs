//! Builds the prompts of the second engine. Foreign text stands in marked parts, on one line each item, and can neither
//! close its part nor form a placeholder. No address is in any of them.

use std::fmt::Display;

use probity_research::{
    inquiry::{
        BlockKind, BriefRequest, FrontRequest, LineRequest, OutlineRequest, PromptClaim, PromptConflict,
        PromptFacet, PromptNode, PromptQuote, PromptRequirement, SectionRequest, SurveyRequest,
        SynthesisRequest, TypedFact,
    },
    text,
    web::task::WebRequest,
};

use crate::prompts::{PromptName, Prompts, fill_template, neutralize};

/// Longest quotation or claim shown; the bank keeps none longer.
const QUOTE_CHARACTERS_MAX: usize = 1_200;
/// Longest of anything else on one line: a question, a heading, a query, a wish.
const ITEM_CHARACTERS_MAX: usize = 400;
/// Longest link text shown to a reader.
const LINK_CHARACTERS_MAX: usize = 100;
/// What an empty part says.
const NOTHING: &str = "(none)";

/// The prompt of a request of the second engine; empty for any other.
pub(super) fn fill_inquiry_prompt(prompts: &Prompts, ask: &WebRequest) -> String {
    let filled =
        |name: PromptName, value: &dyn Fn(&str) -> Option<String>| fill_template(prompts.text(name), value);
    match ask {
        WebRequest::Brief(ask) => filled(PromptName::WebBrief, &|place| brief(ask, place)),
        WebRequest::Line(ask) => filled(PromptName::WebLine, &|place| line(ask, place)),
        WebRequest::Survey(ask) => filled(PromptName::WebSurvey, &|place| survey(ask, place)),
        WebRequest::Outline(ask) => filled(PromptName::WebOutline, &|place| outline(ask, place)),
        WebRequest::Section(ask) => filled(PromptName::WebSection, &|place| section(ask, place)),
        WebRequest::Synthesis(ask) => filled(PromptName::WebSynthesis, &|place| synthesis(ask, place)),
        WebRequest::Front(ask) => filled(PromptName::WebFront, &|place| front(ask, place)),
        WebRequest::Plan(_)
        | WebRequest::Search(_)
        | WebRequest::Folder { .. }
        | WebRequest::Choose(_)
        | WebRequest::Page { .. }
        | WebRequest::Read(_)
        | WebRequest::Write(_) => String::new(),
    }
}

fn brief(ask: &BriefRequest, place: &str) -> Option<String> {
    Some(match place {
        "query" => neutralize(&ask.question),
        "context" => neutralize(ask.context.as_deref().unwrap_or(NOTHING)),
        "depth" => ask.depth.as_str().to_owned(),
        "facets_min" => ask.facets_min.to_string(),
        "facets_max" => ask.facets_max.to_string(),
        "wanted" => texts(&ask.wanted),
        "words" => ask.words.to_string(),
        "language" => language(ask.language.as_deref()),
        "today" => ask.today.clone(),
        _ => return None,
    })
}

fn line(ask: &LineRequest, place: &str) -> Option<String> {
    Some(match place {
        "query" => neutralize(&ask.question),
        "facet" => item(&ask.facet_question),
        "round" => ask.round.to_string(),
        "queries_max" => ask.queries_max.to_string(),
        "today" => ask.today.clone(),
        "asked" => texts(&ask.asked_before),
        "requirements" => requirements(&ask.requirements),
        "wants" => texts(&ask.wants),
        "steer" => texts(&ask.steer),
        "terms" => texts(&ask.terms),
        "conflict" => conflicts(ask.conflict.as_slice()),
        "quotes" => quotes(&ask.quotes, ShownFacts::No),
        _ => return None,
    })
}

fn survey(ask: &SurveyRequest, place: &str) -> Option<String> {
    Some(match place {
        "facets" => lines(ask.facets.iter().map(|facet| {
            let found = facet.searched_for.as_deref().map(|query| format!(" (found by: {})", item(query)));
            format!("[{}] {}{}", facet.facet, item(&facet.question), found.unwrap_or_default())
        })),
        "quotes_max" => ask.quotes_max.to_string(),
        "page" => neutralize(&ask.text),
        "links" => lines(ask.links.iter().enumerate().map(|(number, link)| {
            format!("[{number}] {}", neutralize(&text::line(link, LINK_CHARACTERS_MAX)))
        })),
        _ => return None,
    })
}

fn outline(ask: &OutlineRequest, place: &str) -> Option<String> {
    Some(match place {
        "query" => neutralize(&ask.question),
        "reader_wants" => item(&ask.reader_wants),
        "round" => ask.round.to_string(),
        "rounds_max" => ask.rounds_max.to_string(),
        "requirements" => requirements(&ask.requirements),
        "facets" => lines(ask.facets.iter().map(facet_line)),
        "quotes" => quotes(&ask.quotes, ShownFacts::No),
        "outline" => nodes(&ask.nodes, NodeDetail::Evidence),
        "conflicts" => conflicts(&ask.conflicts),
        "sections_max" => ask.sections_max.to_string(),
        "words" => ask.words.to_string(),
        "language" => language(ask.language.as_deref()),
        "steer" => texts(&ask.steer),
        _ => return None,
    })
}

fn section(ask: &SectionRequest, place: &str) -> Option<String> {
    Some(match place {
        "query" => neutralize(&ask.question),
        "reader_wants" => item(&ask.reader_wants),
        "outline" => nodes(&ask.outline, NodeDetail::Heading),
        "section" => nodes(std::slice::from_ref(&ask.node), NodeDetail::Question),
        "quotes" => quotes(&ask.quotes, shown_facts(ask.block)),
        "elsewhere" => lines(
            ask.told_elsewhere
                .iter()
                .map(|told| format!("[{}] told in {}: {}", told.quote, told.node, item(&told.gist))),
        ),
        "conflicts" => conflicts(&ask.conflicts),
        "requirements" => requirements(&ask.requirements),
        "block" => ask.block.as_str().to_owned(),
        "words" => ask.words.to_string(),
        "language" => language(ask.language.as_deref()),
        "steer" => texts(&ask.steer),
        "today" => ask.today.clone(),
        _ => return None,
    })
}

fn synthesis(ask: &SynthesisRequest, place: &str) -> Option<String> {
    Some(match place {
        "query" => neutralize(&ask.question),
        "reader_wants" => item(&ask.reader_wants),
        "claims" => claims(&ask.claims),
        "comparable" => {
            lines(ask.groups.iter().map(|group| format!("- {}: {}", ids(&group.claims), item(&group.about))))
        }
        "requirements" => requirements(&ask.requirements),
        "conflicts" => conflicts(&ask.conflicts),
        "points_max" => ask.points_max.to_string(),
        "words" => ask.words.to_string(),
        "language" => language(ask.language.as_deref()),
        "today" => ask.today.clone(),
        _ => return None,
    })
}

fn front(ask: &FrontRequest, place: &str) -> Option<String> {
    Some(match place {
        "query" => neutralize(&ask.question),
        "reader_wants" => item(&ask.reader_wants),
        "outline" => nodes(&ask.headings, NodeDetail::Heading),
        "claims" => claims(&ask.claims),
        "unmet" => requirements(&ask.unmet),
        "points_max" => ask.points_max.to_string(),
        "words" => ask.words.to_string(),
        "language" => language(ask.language.as_deref()),
        "today" => ask.today.clone(),
        _ => return None,
    })
}

fn language(asked: Option<&str>) -> String {
    asked.map_or_else(|| "the language of the question".to_owned(), item)
}

/// One line that stays in its part.
fn item(words: &str) -> String {
    neutralize(&text::line(words, ITEM_CHARACTERS_MAX))
}

fn lines(items: impl Iterator<Item = String>) -> String {
    let lines: Vec<String> = items.collect();
    if lines.is_empty() { NOTHING.to_owned() } else { lines.join("\n") }
}

fn texts(items: &[String]) -> String {
    lines(items.iter().map(|words| format!("- {}", item(words))))
}

fn ids(items: &[impl Display]) -> String {
    items.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

fn requirements(items: &[PromptRequirement]) -> String {
    lines(items.iter().map(|requirement| {
        let met = if requirement.met { ", met" } else { "" };
        format!("[{}] {}{met}: {}", requirement.id, requirement.kind.as_str(), item(&requirement.text))
    }))
}

fn facet_line(facet: &PromptFacet) -> String {
    let state = if facet.closed { "closed" } else { "open" };
    format!(
        "[{}] {} ({state}; quotations: {}; origins: {} of {} wanted)",
        facet.id,
        item(&facet.question),
        facet.quotes,
        facet.origins,
        facet.origins_wanted
    )
}

/// Whether the values that a reader noted stand below a quotation: for cells they help, elsewhere they repeat it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ShownFacts {
    Yes,
    No,
}

fn shown_facts(block: BlockKind) -> ShownFacts {
    match block {
        BlockKind::Table | BlockKind::Comparison => ShownFacts::Yes,
        BlockKind::Prose | BlockKind::List => ShownFacts::No,
    }
}

fn quotes(items: &[PromptQuote], facts: ShownFacts) -> String {
    lines(items.iter().map(|quote| {
        let date = quote.published.as_deref().unwrap_or("no date");
        let copies = match quote.copies {
            0 => String::new(),
            copies => format!("; copies: {copies}"),
        };
        let head = format!(
            "[{}] {} ({date}; {}; origin {}{copies}; for {}):",
            quote.id,
            quote.site,
            quote.role.as_str(),
            quote.origin,
            ids(&quote.facets),
        );
        let values = quote.facts.iter().filter(|_| facts == ShownFacts::Yes).map(fact_line);
        let shown = [head, quoted_lines(&quote.text)].into_iter().chain(values);
        neutralize(&shown.collect::<Vec<_>>().join("\n"))
    }))
}

/// A quotation on lines of its own, the rows of a table as they stand. Each is set in, so that none of them can pass for
/// the head of another quotation.
fn quoted_lines(words: &str) -> String {
    let rows: Vec<String> =
        text::rows(words, QUOTE_CHARACTERS_MAX).iter().map(|row| format!("  {row}")).collect();
    rows.join("\n")
}

fn fact_line(fact: &TypedFact) -> String {
    let value = format!("{} {}", fact.value, fact.unit);
    let mut parts = vec![fact.entity.as_str(), fact.attribute.as_str(), value.trim()];
    parts.extend([fact.period.as_str(), fact.as_of.as_str()].into_iter().filter(|part| !part.is_empty()));
    format!("  value: {}", text::line(&parts.join(" | "), ITEM_CHARACTERS_MAX))
}

/// How much of a node a prompt shows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NodeDetail {
    Heading,
    Question,
    /// With what is bound to it and what it wants.
    Evidence,
}

fn nodes(items: &[PromptNode], detail: NodeDetail) -> String {
    lines(items.iter().map(|node| {
        let indent = if node.parent.is_some() { "  " } else { "" };
        let mut line = format!("{indent}[{}] {}", node.id, item(&node.heading));
        if detail != NodeDetail::Heading && !node.question.is_empty() {
            line = format!("{line}: {}", item(&node.question));
        }
        if detail == NodeDetail::Evidence {
            let parent = node.parent.map(|parent| format!("part of {parent}; ")).unwrap_or_default();
            line = format!("{line} ({parent}{}; quotations: {})", node.block.as_str(), ids(&node.quotes));
        }
        let wants = node.wants.iter().filter(|_| detail == NodeDetail::Evidence);
        [line]
            .into_iter()
            .chain(wants.map(|want| format!("{indent}  wants: {}", item(want))))
            .collect::<Vec<_>>()
            .join("\n")
    }))
}

fn conflicts(items: &[PromptConflict]) -> String {
    lines(items.iter().map(|conflict| {
        let sides = conflict.sides.iter().map(|side| {
            let date = side.published.as_deref().unwrap_or("no date");
            format!("{} says {} {} ({}, {date})", side.quote, side.value, side.unit, side.site)
        });
        let about = [&conflict.entity, &conflict.attribute, &conflict.period]
            .into_iter()
            .filter(|part| !part.is_empty())
            .cloned()
            .collect::<Vec<_>>()
            .join(", ");
        let said = sides.collect::<Vec<_>>().join("; ");
        let perhaps = if conflict.is_suspected { "perhaps, see whether both are about it: " } else { "" };
        neutralize(&text::line(&format!("[{}] {perhaps}{about}: {said}", conflict.id), QUOTE_CHARACTERS_MAX))
    }))
}

fn claims(items: &[PromptClaim]) -> String {
    lines(items.iter().map(|claim| {
        let words = text::line(&claim.text, QUOTE_CHARACTERS_MAX);
        neutralize(&format!("[{}] in {}, origins {}: {words}", claim.id, claim.node, claim.origins))
    }))
}

#[cfg(test)]
mod tests;
