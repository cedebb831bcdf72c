//! Planning: what is wanted, which queries come next, which results to read, how an outline grows. Every query is made of
//! words of the prompt.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{
    limits::ResearchLimits,
    material::{content_words, known, pieces, requests},
    prompt::ModelPrompt,
};
use crate::research::{
    fact::FactLanguage,
    find::{entities_in, find_facts, sentences},
    lexicon::{BODY_KINDS, QUANTITIES},
};

/// Words of questions that find nothing.
const ASKING_WORDS: [&str; 12] = [
    "What", "what", "known", "about", "with", "that", "which", "from", "Query", "Query:", "Initial",
    "Original",
];
/// Queries with more words find less.
const QUERY_WORDS_MAX: usize = 8;

pub(super) fn plan(prompt: &ModelPrompt) -> Value {
    let queries = next_queries(prompt, prompt.at_most(" queries", 3));
    let questions: Vec<String> =
        queries.iter().map(|query| format!("What is known about {query}?")).collect();
    json!({"sub_questions": questions, "queries": queries, "enough": queries.is_empty()})
}

pub(super) fn line(prompt: &ModelPrompt) -> Value {
    let queries = next_queries(prompt, prompt.at_most(" queries", 3));
    let done = queries.is_empty();
    let queries: Vec<Value> = queries.iter().map(|query| json!({"query": query, "gap": query})).collect();
    json!({"queries": queries, "done": done, "reason": if done { "nothing is left" } else { "figures are missing" }})
}

pub(super) fn brief(prompt: &ModelPrompt) -> Value {
    let question = prompt.question();
    let most = prompt.at_most(" parts", 6);
    let mut facets: Vec<Value> = Vec::new();
    let mut seen = BTreeSet::new();
    let asked: Vec<String> = subject_queries(question).into_iter().chain(request_queries(question)).collect();
    for query in asked {
        if facets.len() < most && seen.insert(query.clone()) {
            facets.push(json!({"question": format!("What is known about {query}?"), "why": "it is asked for", "query": query}));
        }
    }
    let kind = |line: &str| match line {
        line if line.contains("table") || line.starts_with("Compare") => "format",
        line if line.contains(" words") => "length",
        _ => "content",
    };
    let demands = question
        .lines()
        .skip(1)
        .flat_map(|line| sentences(line).into_iter().filter_map(|place| line.get(place)));
    let mut requirements: Vec<Value> = demands
        .filter(|line| !line.ends_with(':'))
        .map(|line| json!({"text": line.trim_start_matches("- "), "kind": kind(line)}))
        .collect();
    requirements.push(json!({"text": prompt.language().code(), "kind": "language"}));
    json!({
        "reader_wants": sentences(question).first().and_then(|place| question.get(place.clone())).unwrap_or_default(),
        "language": prompt.language().code(), "requirements": requirements, "facets": facets, "clarifications": [],
    })
}

pub(super) fn choose(prompt: &ModelPrompt) -> Value {
    let wanted = content_words(prompt.question());
    let most = prompt.at_most(", by their numbers", prompt.at_most(" results", 8));
    let mut ranked: Vec<(usize, usize)> = Vec::new();
    for (place, piece) in pieces(prompt, prompt.part("candidates")).iter().enumerate() {
        let shared = content_words(piece.text).intersection(&wanted).count();
        let named = entities_in(piece.text).len().min(2);
        ranked.push((shared + named, place));
    }
    ranked.sort_by_key(|(score, place)| (std::cmp::Reverse(*score), *place));
    let chosen: Vec<usize> =
        ranked.into_iter().filter(|(score, _)| *score > 0).take(most).map(|(_, place)| place).collect();
    json!({"indices": chosen})
}

/// What to search for next, best first: nothing that was asked, and only words of the prompt.
pub(super) fn next_queries(prompt: &ModelPrompt, most: usize) -> Vec<String> {
    let asked = prompt.part("asked").to_lowercase();
    let question = prompt.question();
    let part = prompt.part("part");
    let scope = if part.is_empty() { question } else { part };
    let told =
        [prompt.part("notes"), prompt.part("quotes"), prompt.part("terms"), prompt.part("disagreements")]
            .join("\n");
    let told = if told.trim().is_empty() && prompt.part("question").is_empty() {
        prompt.whole.clone()
    } else {
        told
    };
    let explained: BTreeSet<String> = find_facts(&told).into_iter().map(|found| found.tuple.entity).collect();
    // A body that is named, and of which nothing is known yet, leads further.
    let is_body = |name: &String| BODY_KINDS.iter().any(|kind| name.ends_with(kind));
    let leads = entities_in(&told)
        .into_iter()
        .map(|(_, name)| name)
        .filter(|name| is_body(name) && !explained.contains(name));
    let topic = topic(question);
    let wants = request_queries(prompt.part("wanted"));
    let open: Vec<String> = request_queries(scope)
        .into_iter()
        .chain(if part.is_empty() { Vec::new() } else { request_queries(question) })
        .filter(|query| !explained.iter().any(|name| query.starts_with(name.as_str())) || part.is_empty())
        .collect();
    let facets = QUANTITIES
        .iter()
        .filter(|quantity| told.contains(quantity.facet[0]))
        .map(|quantity| format!("{topic} {}", quantity.facet[0]));
    let about = QUANTITIES
        .iter()
        .filter(|quantity| scope.contains(quantity.facet[0]))
        .map(|quantity| quantity.facet[0]);
    let about: Vec<&str> = about.collect();
    let places = entities_in(&told).into_iter().map(|(_, name)| name).filter(|name| !is_body(name));
    let more =
        places.flat_map(|name| about.iter().map(move |facet| format!("{name} {facet}")).collect::<Vec<_>>());
    let subjects = subject_queries(scope);
    let all = subjects.into_iter().chain(leads).chain(wants).chain(open).chain(facets).chain(more);
    let mut queries: Vec<String> = Vec::new();
    let whole = prompt.whole.to_lowercase();
    for query in all {
        let query = query.split_whitespace().take(QUERY_WORDS_MAX).collect::<Vec<_>>().join(" ");
        let lower = query.to_lowercase();
        let stands = lower.split(' ').all(|word| whole.contains(word));
        let new = !asked.contains(&lower) && !queries.iter().any(|known| known.to_lowercase() == lower);
        if queries.len() < most && new && stands && !lower.is_empty() {
            queries.push(query);
        }
    }
    queries
}

/// The name that a question is about: capitalised words of its first sentence, behind the first word.
fn topic(question: &str) -> String {
    let first = sentences(question).first().and_then(|place| question.get(place.clone())).unwrap_or_default();
    let names = first.split_whitespace().filter(|word| {
        word.starts_with(|letter: char| letter.is_ascii_uppercase()) && !ASKING_WORDS.contains(word)
    });
    names
        .map(|word| word.trim_matches(|letter: char| !letter.is_alphanumeric()))
        .collect::<Vec<_>>()
        .join(" ")
}

/// One query for each member of the first list of the question, with its topic; the topic alone last.
fn subject_queries(question: &str) -> Vec<String> {
    let topic = topic(question);
    let listing = sentences(question)
        .into_iter()
        .filter_map(|place| question.get(place))
        .find(|sentence| sentence.contains(", "));
    let members = listing.into_iter().flat_map(|sentence| sentence.split([',', '.', '?']));
    let word = |member: &str| member.split_whitespace().last().map(str::to_owned);
    let is_one = |member: &&str| {
        member.split_whitespace().count() <= 2
            && member.chars().all(|letter| letter.is_alphabetic() || letter == ' ')
    };
    let mut queries: Vec<String> = members
        .filter(is_one)
        .filter_map(word)
        .map(|word| format!("{topic} {word}").trim().to_owned())
        .collect();
    if queries.is_empty() {
        let words: Vec<&str> = question
            .split_whitespace()
            .filter(|word| word.len() > 3 && !ASKING_WORDS.contains(word))
            .collect();
        queries.push(words.join(" ").replace(['?', ',', ':', '"'], ""));
    }
    if question.contains("ports") && !topic.is_empty() {
        queries.push(format!("ports {topic} coast"));
    }
    queries
}

/// One query for each thing that is asked for by name.
fn request_queries(text: &str) -> Vec<String> {
    let query = |(entity, attribute, _): (String, crate::research::fact::FactAttribute, &str)| {
        format!("{entity} {}", attribute.words(FactLanguage::English))
    };
    requests(text).into_iter().map(query).collect()
}

/// Sections by the quantity their quotations speak of; a table where one is asked for.
pub(super) fn outline(prompt: &ModelPrompt, limits: &ResearchLimits) -> Value {
    let language = prompt.language();
    let nodes: Vec<(String, String)> = pieces(prompt, prompt.part("outline"))
        .iter()
        .map(|piece| (piece.label.clone(), piece.text.to_owned()))
        .collect();
    let quotes = pieces(prompt, prompt.part("quotes"));
    let mut table: Vec<String> = Vec::new();
    let mut groups: Vec<Vec<String>> = vec![Vec::new(); QUANTITIES.len()];
    let columns = requests(
        &prompt.question().lines().filter(|line| line.contains("table")).collect::<Vec<_>>().join("\n"),
    )
    .into_iter()
    .map(|(entity, attribute, _)| (entity, attribute))
    .collect::<BTreeSet<_>>();
    for piece in &quotes {
        let facts = known(prompt, std::slice::from_ref(piece), limits, limits.writer_recall);
        let Some(first) = facts.first() else { continue };
        if facts.iter().any(|fact| columns.contains(&(fact.tuple.entity.clone(), fact.tuple.attribute))) {
            table.push(piece.label.clone());
        } else if let Some(group) = groups.get_mut(first.tuple.attribute.quantity) {
            group.push(piece.label.clone());
        }
    }
    let most = prompt.at_most(" sections", 8).saturating_sub(usize::from(!table.is_empty())).max(1);
    let mut operations: Vec<Value> = Vec::new();
    let mut count = nodes.len();
    let mut put = |heading: String, block: &str, quotes: Vec<String>| {
        let known = nodes.iter().find(|(_, text)| text.contains(&heading));
        if quotes.is_empty() {
            return;
        }
        match (known, nodes.last()) {
            (Some((node, _)), _) => {
                operations.push(json!({"operation": "bind", "node": node, "quotes": quotes}))
            }
            (None, Some((last, _))) if count >= most => {
                operations.push(json!({"operation": "bind", "node": last, "quotes": quotes}));
            }
            _ => {
                count += 1;
                operations.push(json!({
                    "operation": "add", "heading": heading, "question": heading, "block": block, "quotes": quotes, "wants": [],
                }));
            }
        }
    };
    for (group, quantity) in groups.into_iter().zip(&QUANTITIES) {
        put(language.of(&quantity.facet).to_owned(), "prose", group);
    }
    put(language.of(&["Figures side by side", "Zahlen im Vergleich", "数据对照"]).to_owned(), "table", table);
    let told: BTreeSet<(String, crate::research::fact::FactAttribute)> = quotes
        .iter()
        .flat_map(|piece| find_facts(piece.text))
        .map(|found| (found.tuple.entity, found.tuple.attribute))
        .collect();
    let met: Vec<String> = pieces(prompt, prompt.part("requirements"))
        .iter()
        .filter(|piece| {
            requests(piece.text).into_iter().any(|(entity, attribute, _)| told.contains(&(entity, attribute)))
        })
        .map(|piece| piece.label.clone())
        .collect();
    json!({"operations": operations, "met": met})
}
