//! Answers to prompts without a schema: lists of queries, learnings, a whole report, calls of tools.

use serde_json::{Value, json};

use super::{
    limits::ResearchLimits,
    material::pieces,
    plan::next_queries,
    prompt::ModelPrompt,
    read,
    write::{Writer, by_quantity, heading, title},
};

/// Lists that a free prompt asks for without a number.
const LIST_USUAL: usize = 3;

/// Queries in the shape that the prompt shows.
pub(super) fn queries(prompt: &ModelPrompt) -> String {
    let count = [" google search", " search queries", " SERP", " queries", " follow", " questions"]
        .iter()
        .map(|word| prompt.at_most(word, 0))
        .find(|count| *count > 0)
        .unwrap_or(LIST_USUAL);
    let queries = next_queries(prompt, count);
    if prompt.whole.contains("Goal:") {
        let pair = |query: &String| format!("Query: {query}\nGoal: Find figures about {query}");
        return queries.iter().map(pair).collect::<Vec<_>>().join("\n\n");
    }
    if prompt.whole.contains("Question:") {
        return queries.iter().map(|query| format!("Question: {query}?")).collect::<Vec<_>>().join("\n");
    }
    json!(queries).to_string()
}

pub(super) fn learnings(prompt: &ModelPrompt, limits: &ResearchLimits) -> String {
    let found = read::learnings(prompt, limits);
    let line = |(fact, source): &(crate::research::fact::FactTuple, Option<String>)| {
        let sentence = fact.sentence(prompt.language(), 0);
        match source {
            Some(source) => format!("Learning [{source}]: {sentence}"),
            None => format!("Learning: {sentence}"),
        }
    };
    let lines: Vec<String> = found.iter().map(line).collect();
    let follow: Vec<String> =
        next_queries(prompt, LIST_USUAL).iter().map(|query| format!("Question: {query}?")).collect();
    [lines, follow].concat().join("\n")
}

/// A report in Markdown; sources as the prompt gives them, by address or by number.
pub(super) fn report(prompt: &ModelPrompt, limits: &ResearchLimits) -> String {
    let writer = Writer::new(prompt, limits, &pieces(prompt, &prompt.whole));
    let cite = |labels: &[String]| {
        let one = |label: &String| {
            if label.starts_with("http") { format!(" ([source]({label}))") } else { format!(" [{label}]") }
        };
        labels.iter().map(one).collect::<String>()
    };
    let table = writer.table().filter(|_| prompt.whole.contains("table"));
    let mut text = format!("# {}\n\n", title(prompt));
    for (quantity, written) in by_quantity(writer.sentences(prompt.words_asked())) {
        text.push_str(&format!("## {}\n\n", heading(quantity, prompt.language())));
        for one in written.iter().filter(|one| !table.as_ref().is_some_and(|table| table.covers(one))) {
            let end = if one.text.ends_with('。') { "。" } else { "." };
            text.push_str(&format!("{}{}{end} ", one.text.trim_end_matches(['.', '。']), cite(&one.labels)));
        }
        text.push_str("\n\n");
    }
    text.push_str(&table.map(|table| table.markdown(cite)).unwrap_or_default());
    let gaps = writer.gaps(prompt.question());
    text.push_str(&gaps.iter().map(|gap| format!("- {gap}\n")).collect::<String>());
    text
}

/// Calls of the first tool that takes a query.
pub(super) fn tools(prompt: &ModelPrompt) -> Vec<Value> {
    let takes = |tool: &Value| {
        let properties = tool.pointer("/function/parameters/properties")?.as_object()?;
        let field = ["query", "queries", "q"].into_iter().find(|name| properties.contains_key(*name))?;
        Some((tool.pointer("/function/name")?.as_str()?.to_owned(), field))
    };
    let Some((name, field)) = prompt.tools.iter().find_map(takes) else { return Vec::new() };
    let queries = next_queries(prompt, LIST_USUAL);
    let call = |(place, query): (usize, &String)| {
        let value = if field == "queries" { json!([query]) } else { json!(query) };
        let arguments = json!({ field: value }).to_string();
        json!({"id": format!("call_{place}"), "type": "function", "function": {"name": name, "arguments": arguments}})
    };
    queries.iter().enumerate().map(call).collect()
}
