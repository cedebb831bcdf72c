//! A model's answer to a call of the second engine, from JSON to types. What is bounded is cut, what names nothing that was
//! shown is dropped, a field of the wrong type is an empty one: one slip of a model costs one item, not the answer.

use std::collections::BTreeSet;

use probity_research::{
    inquiry::{
        Block, BlockKind, BriefAnswer, BriefFacet, BriefRequest, ClaimId, Clarification, FacetId,
        FrontAnswer, FrontRequest, FrontSentence, InferenceMove, LineAnswer, LineQuery, NewNode, NodeId,
        OutlineAnswer, OutlineOperation, OutlineRequest, PromptClaim, QuoteId, QuoteRole, Requirement,
        RequirementId, RequirementKind, SectionAnswer, SectionRequest, Sentence, SentenceKind, SurveyAnswer,
        SurveyQuote, SurveyRequest, SynthesisAnswer, SynthesisPoint, SynthesisRequest, Table, TableCell,
        TableColumn, TableRow, TypedFact,
        answer::{
            BLOCKS_MAX, CLARIFICATIONS_MAX, LINE_QUERIES_MAX, OPERATIONS_MAX, POINTS_MAX, REQUIREMENTS_MAX,
            SURVEY_FACETS_MAX, SURVEY_QUOTES_MAX, TERM_WORDS_MAX, TERMS_MAX,
        },
        fact::{FACT_PART_CHARACTERS_MAX, FACTS_PER_QUOTE_MAX},
    },
    text,
    web::{
        note::QUOTE_BYTES_MAX,
        task::{WebRequest, WebTaskOutput},
    },
};
use serde_json::Value;

use super::json::FoundObject;

/// Longest sentence, question or reason that is kept.
const SENTENCE_CHARACTERS_MAX: usize = 1_200;
/// Longest heading, caption, query or name.
const HEADING_CHARACTERS_MAX: usize = 200;
/// Lists without a bound of their own are cut here: sentences, cells, ids, wishes.
const LIST_MAX: usize = 60;
/// Longest word of a term; longer ones are no words.
const TERM_WORD_CHARACTERS_MAX: usize = 40;
/// A longer word of letters and digits is no name of anything: keys look like that.
const MIXED_WORD_CHARACTERS_MAX: usize = 16;
/// Facets of one brief, whatever it was asked for.
const FACETS_MAX: usize = 20;

/// Why an answer with an object cannot be used: it lacks its main part.
pub(super) type Unusable = &'static str;

pub(super) fn read_object(ask: &WebRequest, found: &FoundObject) -> Result<WebTaskOutput, Unusable> {
    let value = &found.value;
    match ask {
        WebRequest::Brief(ask) => brief(ask, value).map(WebTaskOutput::Briefed),
        WebRequest::Line(_) => line(value).map(WebTaskOutput::Lined),
        WebRequest::Survey(ask) => survey(ask, value).map(WebTaskOutput::Surveyed),
        WebRequest::Outline(ask) => outline(ask, value).map(WebTaskOutput::Outlined),
        WebRequest::Section(ask) => section(ask, value, found.cut).map(WebTaskOutput::Sectioned),
        WebRequest::Synthesis(ask) => synthesis(ask, value).map(WebTaskOutput::Synthesized),
        WebRequest::Front(ask) => front(ask, value).map(WebTaskOutput::Fronted),
        WebRequest::Plan(_)
        | WebRequest::Search(_)
        | WebRequest::Folder { .. }
        | WebRequest::Choose(_)
        | WebRequest::Page { .. }
        | WebRequest::Read(_)
        | WebRequest::Write(_) => Err("nobody asked for this"),
    }
}

fn brief(ask: &BriefRequest, value: &Value) -> Result<BriefAnswer, Unusable> {
    let facet = |item: &Value| {
        let question = sentence(item, "question");
        let query = heading(item, "query");
        // One is enough to go on with.
        let (question, query) = match (question.is_empty(), query.is_empty()) {
            (true, true) => return None,
            (true, false) => (query.clone(), query),
            (false, true) => (question.clone(), text::line(&question, HEADING_CHARACTERS_MAX)),
            (false, false) => (question, query),
        };
        Some(BriefFacet { question, why: sentence(item, "why"), query })
    };
    let requirement = |item: &Value| {
        let words = named_or_plain(item, "text");
        let kind = RequirementKind::ALL.into_iter().find(|kind| kind.as_str() == word(item, "kind"));
        (!words.is_empty()).then(|| Requirement { text: words, kind: kind.unwrap_or_default() })
    };
    let clarification = |item: &Value| {
        let question = sentence(item, "question");
        (!question.is_empty())
            .then(|| Clarification { question, default_answer: sentence(item, "default_answer") })
    };
    let answer = BriefAnswer {
        reader_wants: sentence(value, "reader_wants"),
        language: language(&word(value, "language")),
        requirements: items(value, "requirements").filter_map(requirement).take(REQUIREMENTS_MAX).collect(),
        facets: items(value, "facets").filter_map(facet).take(FACETS_MAX).collect(),
        clarifications: items(value, "clarifications")
            .filter_map(clarification)
            .take(CLARIFICATIONS_MAX)
            .collect(),
    };
    // Parts that the reader named may be all that there are.
    if answer.facets.is_empty() && ask.facets_min > 0 { Err("`facets` is empty") } else { Ok(answer) }
}

fn line(value: &Value) -> Result<LineAnswer, Unusable> {
    let query = |item: &Value| {
        let query = searchable(&named_or_plain(item, "query"));
        (!query.is_empty()).then(|| LineQuery { query, gap: sentence(item, "gap") })
    };
    let answer = LineAnswer {
        queries: items(value, "queries").filter_map(query).take(LINE_QUERIES_MAX).collect(),
        done: value.get("done").is_some_and(|done| done == &Value::Bool(true) || done == "true"),
        reason: sentence(value, "reason"),
    };
    if answer.queries.is_empty() && !answer.done {
        Err("`queries` is empty and `done` is not true")
    } else {
        Ok(answer)
    }
}

/// The quotations are compared with the page later; here they are only bounded.
fn survey(ask: &SurveyRequest, value: &Value) -> Result<SurveyAnswer, Unusable> {
    let shown: BTreeSet<FacetId> = ask.facets.iter().map(|facet| facet.facet).collect();
    let quote = |item: &Value| {
        let words = item.as_str().or_else(|| item.get("text")?.as_str()).unwrap_or_default();
        if words.trim().is_empty() || words.len() > 2 * QUOTE_BYTES_MAX {
            return None;
        }
        let mut facets = known(ids(item, "facets", FacetId::parse), &shown);
        facets.truncate(SURVEY_FACETS_MAX);
        // A single question needs no id.
        if let ([only], true) = (ask.facets.as_slice(), facets.is_empty()) {
            facets.push(only.facet);
        }
        let role = QuoteRole::ALL.into_iter().find(|role| role.as_str() == word(item, "role"));
        Some(SurveyQuote {
            text: words.to_owned(),
            facets,
            role: role.unwrap_or_default(),
            facts: items(item, "facts").filter_map(fact).take(FACTS_PER_QUOTE_MAX).collect(),
        })
    };
    if !value.get("quotes").is_some_and(Value::is_array) {
        return Err("`quotes` is no list");
    }
    Ok(SurveyAnswer {
        quotes: items(value, "quotes").filter_map(quote).take(SURVEY_QUOTES_MAX).collect(),
        links: links(value, ask.links.len()),
        new_terms: strings(value, "new_terms")
            .into_iter()
            .filter_map(|term| plain_term(&term))
            .take(TERMS_MAX)
            .collect(),
    })
}

fn fact(item: &Value) -> Option<TypedFact> {
    let part = |name: &str| text::line(&word(item, name), FACT_PART_CHARACTERS_MAX);
    let fact = TypedFact {
        entity: part("entity"),
        attribute: part("attribute"),
        value: part("value"),
        unit: part("unit"),
        period: part("period"),
        as_of: part("as_of"),
    };
    (!fact.value.is_empty()).then_some(fact)
}

/// A few words of letters and digits: a term goes into queries and must be no message.
pub(super) fn plain_term(term: &str) -> Option<String> {
    let words: Vec<&str> = term.split_whitespace().collect();
    let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, '-' | '\'' | '’');
    // `4.5` is a version; a point between letters is an address.
    let is_plain = |word: &&str| {
        word.chars().count() <= TERM_WORD_CHARACTERS_MAX
            && match word.split_once('.') {
                Some((before, behind)) => {
                    before.ends_with(|letter: char| letter.is_ascii_digit())
                        && before.chars().all(is_part)
                        && behind.chars().all(|letter| letter.is_ascii_digit())
                }
                None => word.chars().all(is_part),
            }
    };
    (!words.is_empty() && words.len() <= TERM_WORDS_MAX && words.iter().all(is_plain))
        .then(|| words.join(" "))
}

/// Words to search for, from a model that has seen foreign text: no address, no operator, nothing that looks like a key.
pub(super) fn searchable(words: &str) -> String {
    let is_word = |word: &&str| {
        let marks = ["://", "/", "=", "@", "?", "<", ">", "{", "}", "|", ":", "\\"];
        let mixed =
            word.chars().any(char::is_alphabetic) && word.chars().any(|letter| letter.is_ascii_digit());
        let is_key = mixed && word.chars().count() > MIXED_WORD_CHARACTERS_MAX;
        !is_key && marks.iter().all(|mark| !word.contains(mark))
    };
    // A question mark at the end is one of a question.
    let spoken = words.split_whitespace().map(|word| word.trim_end_matches(['?', ':', ',', ';']));
    let kept: Vec<String> = spoken.filter(is_word).map(without_host).collect();
    text::line(&kept.join(" "), HEADING_CHARACTERS_MAX)
}

/// `evil.example` becomes two words; `4.5` stays.
fn without_host(word: &str) -> String {
    let is_host = word.split('.').count() > 1 && word.chars().all(|letter| !letter.is_ascii_digit());
    if is_host { word.replace('.', " ") } else { word.to_owned() }
}

fn links(value: &Value, shown: usize) -> Vec<usize> {
    let number = |item: &Value| {
        let number = item.as_u64().or_else(|| item.as_str()?.trim_matches(['[', ']']).parse().ok())?;
        usize::try_from(number).ok().filter(|number| *number < shown)
    };
    items(value, "links").filter_map(number).take(LIST_MAX).collect()
}

/// Nodes are compared with the outline where the operations are applied: one may name a node that another one adds.
fn outline(ask: &OutlineRequest, value: &Value) -> Result<OutlineAnswer, Unusable> {
    let bound = ask.nodes.iter().flat_map(|node| node.quotes.iter().copied());
    let shown: BTreeSet<QuoteId> = ask.quotes.iter().map(|quote| quote.id).chain(bound).collect();
    if !value.get("operations").is_some_and(Value::is_array) {
        return Err("`operations` is no list");
    }
    let requirements: BTreeSet<RequirementId> = ask.requirements.iter().map(|one| one.id).collect();
    Ok(OutlineAnswer {
        operations: items(value, "operations")
            .filter_map(|item| operation(item, &shown))
            .take(OPERATIONS_MAX)
            .collect(),
        met: known(ids(value, "met", RequirementId::parse), &requirements),
    })
}

fn operation(item: &Value, shown: &BTreeSet<QuoteId>) -> Option<OutlineOperation> {
    let node = || NodeId::parse(&word(item, "node"));
    let parent = NodeId::parse(&word(item, "parent"));
    let quotes = || known(ids(item, "quotes", QuoteId::parse), shown);
    Some(match word(item, "operation").as_str() {
        "add" => OutlineOperation::Add { parent, new: new_node(item, shown)? },
        "bind" => OutlineOperation::Bind { node: node()?, quotes: some(quotes())? },
        "want" => OutlineOperation::Want { node: node()?, wants: wants(item) },
        "form" => OutlineOperation::Form { node: node()?, block: block_kind(item)? },
        "retitle" => OutlineOperation::Retitle { node: node()?, heading: filled(heading(item, "heading"))? },
        "merge" => {
            let nodes = ids(item, "nodes", NodeId::parse);
            OutlineOperation::Merge { nodes: (nodes.len() > 1).then_some(nodes)? }
        }
        "split" => {
            let into = items(item, "into").filter_map(|new| new_node(new, shown)).take(LIST_MAX).collect();
            OutlineOperation::Split { node: node()?, into: some(into)? }
        }
        "move" => {
            let position = item.get("position").and_then(Value::as_u64);
            let position = position.and_then(|position| u32::try_from(position).ok()).unwrap_or_default();
            OutlineOperation::Move { node: node()?, parent, position }
        }
        "drop" => OutlineOperation::Drop { node: node()? },
        _ => return None,
    })
}

fn new_node(item: &Value, shown: &BTreeSet<QuoteId>) -> Option<NewNode> {
    Some(NewNode {
        heading: filled(heading(item, "heading"))?,
        question: sentence(item, "question"),
        wants: wants(item),
        block: block_kind(item).unwrap_or_default(),
        quotes: known(ids(item, "quotes", QuoteId::parse), shown),
    })
}

fn wants(item: &Value) -> Vec<String> {
    let wanted = strings(item, "wants").into_iter().map(|want| searchable(&want));
    wanted.filter(|want| !want.is_empty()).take(LIST_MAX).collect()
}

fn block_kind(item: &Value) -> Option<BlockKind> {
    BlockKind::ALL.into_iter().find(|kind| kind.as_str() == word(item, "block"))
}

fn section(ask: &SectionRequest, value: &Value, cut: bool) -> Result<SectionAnswer, Unusable> {
    let shown: BTreeSet<QuoteId> = ask.quotes.iter().map(|quote| quote.id).collect();
    let blocks: Vec<Block> =
        items(value, "blocks").filter_map(|item| block(item, &shown)).take(BLOCKS_MAX).collect();
    let says_something = |block: &Block| !matches!(block, Block::Heading { .. });
    if !blocks.iter().any(says_something) {
        return Err("`blocks` has no sentence");
    }
    let thin = strings(value, "thin").into_iter().map(|one| searchable(&one));
    Ok(SectionAnswer { blocks, thin: thin.filter(|one| !one.is_empty()).take(LIST_MAX).collect(), cut })
}

fn block(item: &Value, shown: &BTreeSet<QuoteId>) -> Option<Block> {
    let sentences = || -> Vec<Sentence> {
        let listed = if item.get("sentences").is_some() { "sentences" } else { "items" };
        items(item, listed).filter_map(|item| written(item, shown)).take(LIST_MAX).collect()
    };
    match word(item, "kind").as_str() {
        "heading" => Some(Block::Heading { text: filled(heading(item, "text"))? }),
        "list" => Some(Block::List { items: some(sentences())? }),
        "table" => table(item, shown).map(Block::Table),
        _ => Some(Block::Paragraph { sentences: some(sentences())? }),
    }
}

/// A sentence; ids that the model wrote into its text are moved to where they belong.
fn written(item: &Value, shown: &BTreeSet<QuoteId>) -> Option<Sentence> {
    let (words, inside) = without_ids(&named_or_plain(item, "text"), QuoteId::parse);
    let mut all = ids(item, "quotes", QuoteId::parse);
    all.extend(ids(item, "rests_on", QuoteId::parse));
    all.extend(inside);
    let kind = sentence_kind(&word(item, "kind"));
    Some(Sentence { text: filled(words)?, quotes: known(all, shown), kind })
}

pub(super) fn sentence_kind(word: &str) -> SentenceKind {
    match word {
        "inference" => SentenceKind::Inference,
        "link" => SentenceKind::Link,
        _ => SentenceKind::Fact,
    }
}

fn table(item: &Value, shown: &BTreeSet<QuoteId>) -> Option<Table> {
    let column = |column: &Value| TableColumn {
        heading: text::line(&named_or_plain(column, "heading"), HEADING_CHARACTERS_MAX),
        unit: heading(column, "unit"),
    };
    let columns: Vec<TableColumn> = items(item, "columns").map(column).take(LIST_MAX).collect();
    let cell = |cell: &Value| {
        let (words, inside) = without_ids(&named_or_plain(cell, "text"), QuoteId::parse);
        let mut quotes = ids(cell, "quotes", QuoteId::parse);
        quotes.extend(inside);
        TableCell { text: text::line(&words, HEADING_CHARACTERS_MAX), quotes: known(quotes, shown) }
    };
    let row = |row: &Value| {
        let mut cells: Vec<TableCell> =
            items(row, "cells").map(cell).take(columns.len().saturating_sub(1)).collect();
        cells.resize_with(columns.len().saturating_sub(1), TableCell::default);
        Some(TableRow { name: filled(heading(row, "name"))?, cells })
    };
    let rows: Vec<TableRow> = items(item, "rows").filter_map(row).take(LIST_MAX).collect();
    (columns.len() > 1 && !rows.is_empty()).then(|| Table {
        caption: heading(item, "caption"),
        columns,
        rows,
    })
}

fn synthesis(ask: &SynthesisRequest, value: &Value) -> Result<SynthesisAnswer, Unusable> {
    let shown = claim_ids(&ask.claims);
    let point = |item: &Value| {
        let (words, inside) = without_ids(&sentence(item, "text"), ClaimId::parse);
        let mut rests_on = ids(item, "rests_on", ClaimId::parse);
        rests_on.extend(inside);
        let inference_move = InferenceMove::ALL.into_iter().find(|one| one.as_str() == word(item, "move"));
        Some(SynthesisPoint {
            text: filled(words)?,
            rests_on: some(known(rests_on, &shown))?,
            inference_move: inference_move.unwrap_or_default(),
        })
    };
    if !value.get("points").is_some_and(Value::is_array) {
        return Err("`points` is no list");
    }
    let points = items(value, "points").filter_map(point).take(POINTS_MAX).collect();
    Ok(SynthesisAnswer { heading: heading(value, "heading"), points })
}

fn front(ask: &FrontRequest, value: &Value) -> Result<FrontAnswer, Unusable> {
    let shown = claim_ids(&ask.claims);
    let sentences = |name: &str| -> Vec<FrontSentence> {
        let one = |item: &Value| {
            let (words, inside) = without_ids(&named_or_plain(item, "text"), ClaimId::parse);
            let mut claims = ids(item, "claims", ClaimId::parse);
            claims.extend(inside);
            Some(FrontSentence { text: filled(words)?, claims: known(claims, &shown) })
        };
        items(value, name).filter_map(one).take(POINTS_MAX).collect()
    };
    let answer = FrontAnswer {
        title: heading(value, "title"),
        answer: sentences("answer"),
        key_points: sentences("key_points"),
        points_heading: heading(value, "points_heading"),
    };
    if answer.answer.is_empty() && answer.key_points.is_empty() {
        Err("`answer` is empty")
    } else {
        Ok(answer)
    }
}

fn claim_ids(claims: &[PromptClaim]) -> BTreeSet<ClaimId> {
    claims.iter().map(|claim| claim.id).collect()
}

/// Two letters, or nothing.
pub(super) fn language(code: &str) -> Option<String> {
    let code: String = code.trim().chars().take(2).collect::<String>().to_lowercase();
    (code.len() == 2 && code.bytes().all(|byte| byte.is_ascii_lowercase())).then_some(code)
}

/// A text without the groups of ids in brackets that a model put into it, and these ids.
pub(super) fn without_ids<I>(words: &str, parse: fn(&str) -> Option<I>) -> (String, Vec<I>) {
    let (mut kept, mut found, mut rest) = (String::new(), Vec::new(), words);
    while let Some(start) = rest.find(['[', '(']) {
        let (before, group) = rest.split_at(start);
        let closer = if group.starts_with('[') { ']' } else { ')' };
        let Some(end) = group.find(closer) else { break };
        let inside = group.get(1..end).unwrap_or_default();
        let parts: Vec<&str> = inside.split([',', ';', ' ']).filter(|part| !part.is_empty()).collect();
        // A bare number in brackets may be a year; an id has its letter.
        let is_id = |part: &&&str| part.starts_with(char::is_alphabetic);
        let ids: Option<Vec<I>> =
            parts.iter().map(|part| Some(part).filter(is_id).and_then(|part| parse(part))).collect();
        match ids.filter(|ids| !ids.is_empty()) {
            Some(ids) => {
                found.extend(ids);
                kept.push_str(before.trim_end());
            }
            None => {
                kept.push_str(before);
                kept.push_str(group.get(..=end).unwrap_or_default());
            }
        }
        rest = group.get(end + 1..).unwrap_or_default();
    }
    kept.push_str(rest);
    (text::line(&kept, SENTENCE_CHARACTERS_MAX), found)
}

/// Those that were shown, each once, in their order.
pub(super) fn known<I: Ord + Copy>(ids: Vec<I>, shown: &BTreeSet<I>) -> Vec<I> {
    let mut kept: Vec<I> = Vec::new();
    for id in ids.into_iter().take(LIST_MAX) {
        if shown.contains(&id) && !kept.contains(&id) {
            kept.push(id);
        }
    }
    kept
}

fn items<'v>(value: &'v Value, name: &str) -> impl Iterator<Item = &'v Value> {
    value.get(name).and_then(Value::as_array).into_iter().flatten()
}

/// Texts and numbers of a list, or a single text.
fn strings(value: &Value, name: &str) -> Vec<String> {
    match value.get(name) {
        Some(Value::Array(items)) => items.iter().map(plain).filter(|text| !text.is_empty()).collect(),
        Some(Value::String(text)) if !text.trim().is_empty() => vec![text.clone()],
        Some(_) | None => Vec::new(),
    }
}

fn ids<I>(value: &Value, name: &str, parse: fn(&str) -> Option<I>) -> Vec<I> {
    let texts = strings(value, name);
    texts.iter().flat_map(|text| text.split([',', ';'])).filter_map(parse).collect()
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => String::new(),
    }
}

fn word(value: &Value, name: &str) -> String {
    value.get(name).map(plain).unwrap_or_default().trim().to_owned()
}

fn sentence(value: &Value, name: &str) -> String {
    text::line(&word(value, name), SENTENCE_CHARACTERS_MAX)
}

fn heading(value: &Value, name: &str) -> String {
    let words = word(value, name);
    text::line(words.trim_start_matches(['#', ' ']), HEADING_CHARACTERS_MAX)
}

/// A field of an object, or the text that stands where an object was asked for.
fn named_or_plain(item: &Value, name: &str) -> String {
    let words = item.as_str().map_or_else(|| word(item, name), str::to_owned);
    text::line(&words, SENTENCE_CHARACTERS_MAX)
}

fn filled(text: String) -> Option<String> {
    (!text.is_empty()).then_some(text)
}

fn some<I>(items: Vec<I>) -> Option<Vec<I>> {
    (!items.is_empty()).then_some(items)
}

#[cfg(test)]
mod tests;
