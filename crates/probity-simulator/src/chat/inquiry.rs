//! The honest model's answers to the second engine: facets from the words of the question, quotations that are on the page,
//! facts of the shape "X is N units", an outline with a node for each facet, a sentence for each quotation.
//!
//! Everything comes from the words of the prompt; the same prompt has the same answer. It concludes nothing clever: what
//! is tested with it is how answers are used.

mod facts;
mod lines;

use serde_json::{Value, json};

use super::{
    honest::sentences,
    prompt::{PromptParts, part, shared, without_tags, words},
    request::Asked,
};
pub(super) use lines::as_lines;

/// Words a query has at most.
const QUERY_WORDS_MAX: usize = 8;
const QUOTES_MAX: usize = 12;
const FACTS_MAX: usize = 6;
const LINKS_MAX: usize = 3;
const TERMS_MAX: usize = 3;
const FACETS_MIN: usize = 2;
const FACETS_MAX: usize = 8;
const SECTIONS_MAX: usize = 10;
const POINTS_MAX: usize = 5;
/// Further sides of a question that has too few parts of its own.
const SIDES: [&str; 4] = ["figures", "history", "critics", "news"];

/// The answer to a question of the second engine; none for one of the first.
pub(super) fn value(asked: Asked, prompt: &PromptParts<'_>) -> Option<Value> {
    let user = prompt.user;
    Some(match asked {
        Asked::Brief => brief(prompt),
        Asked::Line => line(user),
        Asked::Survey => survey(user, prompt),
        Asked::Outline => outline(user),
        Asked::Section => section(user),
        Asked::Synthesis => synthesis(prompt, user),
        Asked::Front => front(prompt, user),
        Asked::Plan | Asked::Choose | Asked::Read | Asked::Write | Asked::Judge => return None,
    })
}

/// One line of a part that begins with an id: `[Q7] …`, with the lines below it that begin with none.
#[derive(Debug, Clone, Copy)]
struct ListedItem<'r> {
    id: &'r str,
    text: &'r str,
}

/// The items of a part of the prompt.
fn listed<'r>(user: &'r str, name: &str) -> Vec<ListedItem<'r>> {
    let text = part(user, name);
    let item = |line: &'r str| {
        let (id, text) = line.trim_start().strip_prefix('[')?.split_once("] ")?;
        let is_id = id.len() > 1 && id.starts_with(char::is_alphabetic);
        is_id.then_some(ListedItem { id, text })
    };
    let items: Vec<ListedItem<'r>> = text.lines().filter_map(item).collect();
    if name != "quotes" {
        return items;
    }
    // A quotation stands on the lines below its head.
    let place = |item: &ListedItem<'r>| item.text.as_ptr() as usize - text.as_ptr() as usize;
    let ends = items.iter().skip(1).map(|next| {
        let head = place(next);
        text.get(..head).and_then(|before| before.rfind('\n')).unwrap_or(head)
    });
    let ends: Vec<usize> = ends.chain([text.len()]).collect();
    let whole = |(item, end): (&ListedItem<'r>, usize)| ListedItem {
        text: text.get(place(item)..end).unwrap_or(item.text),
        ..*item
    };
    items.iter().zip(ends).map(whole).collect()
}

/// The number behind some words of the prompt.
fn number_after(user: &str, words: &str, otherwise: usize) -> usize {
    let behind = user.split_once(words).map(|(_, behind)| behind.trim_start()).unwrap_or_default();
    let digits: String = behind.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().unwrap_or(otherwise)
}

fn brief(prompt: &PromptParts<'_>) -> Value {
    let question = without_tags(prompt.question);
    let least = number_after(prompt.user, "`facets`:", FACETS_MIN);
    let most = number_after(prompt.user, &format!("`facets`: {least} to"), FACETS_MAX).max(1);
    let topic = words(question);
    let subject: Vec<String> = topic.iter().take(3).cloned().collect();
    let mut facets: Vec<(String, String)> = Vec::new();
    for clause in clauses(question) {
        let mut query = words(clause);
        query.extend(subject.iter().filter(|word| !words(clause).contains(word)).cloned());
        query.truncate(QUERY_WORDS_MAX);
        facets.push((clause.to_owned(), query.join(" ")));
    }
    for side in SIDES.iter().take(least.saturating_sub(facets.len())) {
        facets.push((format!("{} {side}", subject.join(" ")), format!("{} {side}", subject.join(" "))));
    }
    facets.truncate(most);
    let requirements: Vec<Value> =
        clauses(question).into_iter().map(|clause| json!({"text": clause, "kind": "content"})).collect();
    let facets: Vec<Value> = facets
        .into_iter()
        .map(|(question, query)| json!({"question": question, "why": "it is asked for", "query": query}))
        .collect();
    json!({"reader_wants": question, "language": "en", "requirements": requirements, "facets": facets,
        "clarifications": []})
}

/// Parts of a question between its commas and "and"s, those that are about something.
fn clauses(question: &str) -> Vec<&str> {
    let parts = question.split([',', ';', '?', '.']).flat_map(|part| part.split(" and "));
    let found: Vec<&str> = parts.map(str::trim).filter(|part| !words(part).is_empty()).collect();
    if found.is_empty() { vec![question] } else { found }
}

fn line(user: &str) -> Value {
    let facet = words(part(user, "part"));
    let asked = part(user, "asked");
    let most = number_after(user, "Write at most", 3);
    let list = |name: &str| -> Vec<String> {
        let lines = part(user, name).lines().filter_map(|line| line.trim().strip_prefix("- "));
        lines.map(str::to_owned).collect()
    };
    let subject = facet.iter().take(3).cloned().collect::<Vec<_>>().join(" ");
    let (quotes, wanted) = (listed(user, "quotes"), list("wanted"));
    let terms =
        list("terms").into_iter().map(|term| (format!("{term} {subject}"), "a name on a page".to_owned()));
    let wants = wanted.into_iter().map(|want| (words(&want).join(" "), want));
    let conflicts = listed(user, "disagreements").into_iter().map(|conflict| {
        let about = conflict.text.split(':').next().unwrap_or_default();
        (format!("{} primary source", words(about).join(" ")), "which side is right".to_owned())
    });
    let plain = [(subject.clone(), "anything"), (format!("{subject} details"), "more")];
    let plain = plain.into_iter().filter(|_| quotes.is_empty()).map(|(query, gap)| (query, gap.to_owned()));
    let mut queries: Vec<Value> = Vec::new();
    for (query, gap) in conflicts.chain(wants).chain(terms).chain(plain) {
        let query = query.split_whitespace().take(QUERY_WORDS_MAX).collect::<Vec<_>>().join(" ");
        let is_new = !asked.lines().any(|line| line.trim_start_matches("- ") == query);
        if is_new
            && !query.is_empty()
            && queries.len() < most
            && !queries.iter().any(|one| one["query"] == query.as_str())
        {
            queries.push(json!({"query": query, "gap": gap}));
        }
    }
    let done = queries.is_empty();
    json!({"queries": queries, "done": done, "reason": if done { "nothing is left to ask" } else { "" }})
}

fn survey(user: &str, prompt: &PromptParts<'_>) -> Value {
    let facets = listed(user, "questions");
    let most = number_after(user, "up to", QUOTES_MAX);
    let fits = |facet: &ListedItem<'_>, text: &str| {
        let topic = words(without_tags(facet.text));
        // One word in common is chance where the question has several.
        shared(&topic, text) >= if topic.len() >= 3 { 2 } else { 1 }
    };
    let quote = |sentence: &str| {
        let ids: Vec<&str> =
            facets.iter().filter(|facet| fits(facet, sentence)).map(|facet| facet.id).collect();
        let facts: Vec<Value> = facts::of(sentence).into_iter().take(FACTS_MAX).collect();
        (!ids.is_empty()).then(|| json!({"text": sentence, "facets": ids, "role": "finding", "facts": facts}))
    };
    let quotes: Vec<Value> = sentences(prompt.page).into_iter().filter_map(quote).take(most).collect();
    let links: Vec<usize> = prompt
        .links
        .iter()
        .filter(|link| facets.iter().any(|facet| fits(facet, link.text)))
        .take(LINKS_MAX)
        .map(|link| link.number)
        .collect();
    let asked = part(user, "questions").to_lowercase();
    let texts = quotes.iter().filter_map(|quote| quote["text"].as_str());
    let mut terms: Vec<String> = Vec::new();
    for name in texts.flat_map(facts::names) {
        if !asked.contains(&name.to_lowercase()) && !terms.contains(&name) && terms.len() < TERMS_MAX {
            terms.push(name);
        }
    }
    json!({"quotes": quotes, "links": links, "new_terms": terms})
}

fn outline(user: &str) -> Value {
    let (nodes, quotes) = (listed(user, "outline"), listed(user, "quotes"));
    let most = number_after(user, "at most", SECTIONS_MAX);
    let mut operations: Vec<Value> = Vec::new();
    let mut count = nodes.iter().filter(|node| !node.text.contains("(part of")).count();
    for facet in listed(user, "facets") {
        let question = facet
            .text
            .split(" (open;")
            .next()
            .unwrap_or_default()
            .split(" (closed;")
            .next()
            .unwrap_or_default();
        let is_for = |quote: &&ListedItem<'_>| {
            let facets = quote.text.split("; for ").nth(1).and_then(|behind| behind.split("):").next());
            facets.and_then(|facets| facets.split(", ").next()).is_some_and(|first| first == facet.id)
        };
        let bound: Vec<&str> = quotes.iter().filter(is_for).map(|quote| quote.id).collect();
        let wants: Vec<&str> = if facet.text.contains("(open; quotations: 0") && bound.is_empty() {
            vec![question]
        } else {
            Vec::new()
        };
        let home =
            nodes.iter().find(|node| node.text.contains(question)).or(nodes.last().filter(|_| count >= most));
        match home {
            Some(node) => {
                if !bound.is_empty() {
                    operations.push(json!({"operation": "bind", "node": node.id, "quotes": bound}));
                }
                if node.text.contains(question) {
                    operations.push(json!({"operation": "want", "node": node.id, "wants": wants}));
                }
            }
            None if count < most => {
                count += 1;
                operations
                    .push(json!({"operation": "add", "heading": heading(question), "question": question,
                    "block": "prose", "quotes": bound, "wants": wants}));
            }
            None => {}
        }
    }
    let met: Vec<&str> = listed(user, "requirements")
        .into_iter()
        .filter(|wanted| {
            let topic = words(wanted.text.split_once(": ").map_or(wanted.text, |(_, text)| text));
            quotes.iter().any(|quote| shared(&topic, quote.text) >= topic.len().clamp(1, 2))
        })
        .map(|wanted| wanted.id)
        .collect();
    json!({"operations": operations, "met": met})
}

fn heading(question: &str) -> String {
    let words: Vec<String> = words(question).into_iter().take(5).collect();
    let text = if words.is_empty() { question.to_owned() } else { words.join(" ") };
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// The words of a quotation as the prompt lists it.
fn quoted<'r>(item: &ListedItem<'r>) -> &'r str {
    let inside = item.text.split_once("):\n").map_or(item.text, |(_, behind)| behind);
    inside.split_once("\n  value: ").map_or(inside, |(inside, _)| inside).trim()
}

fn section(user: &str) -> Value {
    let quotes = listed(user, "quotes");
    let most = number_after(user, "The section has about", 500);
    let (mut told, mut sentences): (usize, Vec<Value>) = (0, Vec::new());
    for quote in &quotes {
        let text = quoted(quote);
        told += text.split_whitespace().count();
        if !sentences.is_empty() && told > most {
            break;
        }
        sentences.push(json!({"text": text, "kind": "fact", "quotes": [quote.id]}));
    }
    if let [first, second, ..] = quotes.as_slice() {
        let text = "Taken together, these statements describe the same matter from different sides.";
        sentences.push(json!({"text": text, "kind": "inference", "quotes": [first.id, second.id]}));
    }
    let question = listed(user, "section").first().map_or("", |node| node.text);
    let thin: Vec<&str> = if quotes.len() < 2 { vec![question] } else { Vec::new() };
    let form = user.split_once("in the form: ").map_or("", |(_, behind)| behind);
    let kind = if form.starts_with("list") { "list" } else { "paragraph" };
    let mut blocks = vec![json!({"kind": kind, "sentences": sentences})];
    if form.starts_with("table") || form.starts_with("comparison") {
        blocks.extend(table(user));
    }
    json!({"blocks": blocks, "thin": thin})
}

/// A row for each entity with a value, a column for each attribute.
fn table(user: &str) -> Option<Value> {
    let mut values: Vec<(&str, &str, &str, &str)> = Vec::new();
    let mut id = "";
    for line in part(user, "quotes").lines() {
        if let Some((found, _)) = line.strip_prefix('[').and_then(|line| line.split_once(']')) {
            id = found;
        }
        if let Some(fact) = line.trim().strip_prefix("value: ") {
            let mut fields = fact.split(" | ");
            if let (Some(entity), Some(attribute), Some(value)) =
                (fields.next(), fields.next(), fields.next())
            {
                values.push((entity, attribute, value, id));
            }
        }
    }
    let distinct = |names: Vec<&'_ str>| {
        let mut kept: Vec<String> = Vec::new();
        for name in names {
            if !kept.iter().any(|known| known == name) {
                kept.push(name.to_owned());
            }
        }
        kept
    };
    let attributes = distinct(values.iter().map(|(_, attribute, ..)| *attribute).collect());
    let entities = distinct(values.iter().map(|(entity, ..)| *entity).collect());
    let cell = |entity: &str, attribute: &str| {
        let found = values.iter().find(|(about, of, ..)| *about == entity && *of == attribute);
        found.map_or_else(
            || json!({"text": "", "quotes": []}),
            |(_, _, value, id)| json!({"text": value, "quotes": [id]}),
        )
    };
    let row = |entity: &String| {
        let cells: Vec<Value> = attributes.iter().map(|attribute| cell(entity, attribute)).collect();
        json!({"name": entity, "cells": cells})
    };
    let named = [json!({"heading": "What", "unit": ""})];
    let columns: Vec<Value> =
        named.into_iter().chain(attributes.iter().map(|name| json!({"heading": name, "unit": ""}))).collect();
    let rows: Vec<Value> = entities.iter().map(row).collect();
    (!rows.is_empty())
        .then(|| json!({"kind": "table", "caption": "Values", "columns": columns, "rows": rows}))
}

/// A claim's node and words: `[C4] in N1, origins 2: text`.
fn claim<'r>(item: &ListedItem<'r>) -> (&'r str, &'r str) {
    let (head, text) = item.text.split_once(": ").unwrap_or(("", item.text));
    (head.split(',').next().unwrap_or_default().trim_start_matches("in "), text)
}

fn synthesis(prompt: &PromptParts<'_>, user: &str) -> Value {
    let claims = listed(user, "claims");
    let first = claims.first().map(claim);
    let other = claims.iter().find(|item| Some(claim(item).0) != first.map(|(node, _)| node));
    let second = other.or(claims.get(1));
    let points: Vec<Value> = match (claims.first(), second) {
        (Some(one), Some(two)) => {
            let text = "Taken together, this suggests that the parts of the question depend on each other.";
            vec![json!({"text": text, "rests_on": [one.id, two.id], "move": "compare"})]
        }
        _ => Vec::new(),
    };
    let subject = words(without_tags(prompt.question)).into_iter().take(2).collect::<Vec<_>>().join(" ");
    json!({"heading": format!("What follows for {subject}"), "points": points})
}

fn front(prompt: &PromptParts<'_>, user: &str) -> Value {
    let claims = listed(user, "claims");
    let most = number_after(user, "at most", POINTS_MAX);
    let told = |item: &ListedItem<'_>| json!({"text": claim(item).1, "claims": [item.id]});
    let answer: Vec<Value> = claims.iter().take(2).map(told).collect();
    let mut nodes: Vec<&str> = Vec::new();
    let mut points: Vec<Value> = Vec::new();
    for item in &claims {
        let (node, _) = claim(item);
        if !nodes.contains(&node) && points.len() < most {
            nodes.push(node);
            points.push(told(item));
        }
    }
    json!({"title": without_tags(prompt.question), "answer": answer, "key_points": points, "points_heading": "Key points"})
}

#[cfg(test)]
mod tests;
