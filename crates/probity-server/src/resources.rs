//! Runs as MCP resources: `research://{id}/report`, `/sources`, `/evidence`, `/rounds/{n}`.
//!
//! A long report is read outline first: `research://{id}/report` then has its headings and its first page,
//! `research://{id}/report/{cursor}` any other. A finished report never changes, and says so.

pub mod address;
pub mod links;

use probity_research::{
    CodedError,
    list::ListFilter,
    principal::RunAccess,
    report::Report,
    status::{RunStatus, RunSummary},
    web::{
        Quote,
        record::{RecordedNote, RecordedSentence, WebRecord},
    },
};
use rmcp::{
    ErrorData,
    model::{
        CacheScope, CompleteRequestParams, CompleteResult, CompletionInfo, ListResourcesResult,
        ReadResourceResult, Reference, ResourceContents, ResourceTemplate,
    },
};
use serde_json::{Value, json};
use tokio::runtime::Handle;

use crate::{
    ledger,
    mcp_server::McpServer,
    outline, paging,
    resources::address::{ResourceAddress, ResourcePart},
    results::{REPORT_CHARACTERS, RoundEntry},
    tasks::protocol_error,
    wire::SourceBody,
};

/// Resources in one page of the list.
const LISTED: usize = 50;
/// Longest sentence above a report; the longest of ours names the claims that keep it from being verified.
const RESERVATION_CHARACTERS_MAX: usize = 1_200;
/// Ids offered while one is being typed.
const COMPLETED_MAX: usize = 20;
/// A finished report is immutable: a day, because clients ask again anyway.
const IMMUTABLE_MS: u64 = 86_400_000;
/// A resource that may still change is fresh for as long as it takes to ask again.
const CHANGING_MS: u64 = 1_000;

pub fn templates() -> Vec<ResourceTemplate> {
    let template = |part: &str, name: &str, description: &str, mime: &str| {
        ResourceTemplate::new(format!("research://{{id}}/{part}"), name)
            .with_description(description)
            .with_mime_type(mime)
    };
    vec![
        template("report", "report", "The report; of a long one the outline and the first page", MARKDOWN),
        template("report/{cursor}", "report-page", "A page or section of a long report", MARKDOWN),
        template("sources", "sources", "Every source of the report", JSON),
        template("evidence", "evidence", "What each citation rests on, and how it was checked", JSON),
        template("rounds/{n}", "round", "What was searched and read in round n", JSON),
    ]
}

const MARKDOWN: &str = "text/markdown";
const JSON: &str = "application/json";

/// Finished reports, newest first.
pub async fn list(
    server: &McpServer,
    reach: &RunAccess,
    cursor: Option<String>,
) -> Result<ListResourcesResult, ErrorData> {
    let offset = paging::offset(cursor.as_deref())
        .ok_or_else(|| ErrorData::invalid_params("this is not a cursor of the list", None))?;
    let filter =
        ListFilter { status: Some(RunStatus::Completed), limit: LISTED + 1, offset, ..ListFilter::default() };
    let mut found = server.list_within(reach, filter).await.map_err(|problem| protocol_error(&problem))?;
    let next_cursor = paging::cut_to_page(&mut found, offset, LISTED);
    let titles = server.titles(&found).await.map_err(|problem| protocol_error(&problem))?;
    let resources = found.iter().map(|summary| {
        let link = links::report(summary);
        match titles.get(&summary.id) {
            Some(title) => link.with_title(title.clone()),
            None => link,
        }
    });
    let mut result = ListResourcesResult::with_all_items(resources.collect())
        .with_ttl_ms(CHANGING_MS)
        .with_cache_scope(CacheScope::Private);
    result.next_cursor = next_cursor;
    Ok(result)
}

pub async fn read(server: &McpServer, reach: &RunAccess, uri: &str) -> Result<ReadResourceResult, ErrorData> {
    let address = ResourceAddress::parse(uri).ok_or_else(|| not_found(uri))?;
    let summary = server.find_within(reach, &address.id.to_string()).await.map_err(|_| not_found(uri))?;
    let _place = server.rendering().await;
    let fresh = if summary.status.is_final() { IMMUTABLE_MS } else { CHANGING_MS };
    let (backend, runtime, named) = (server.shared_backend(), Handle::current(), uri.to_owned());
    let rendered = server.renderer().run(move || {
        let report =
            runtime.block_on(backend.report(&summary)).map_err(|problem| protocol_error(&problem))?;
        let report = report.ok_or_else(|| not_found(&named))?;
        part(&summary, &report, &address, &named)
    });
    let (text, mime) = rendered
        .await
        .ok_or_else(|| ErrorData::internal_error("the report could not be rendered", None))??;
    let contents = ResourceContents::text(text, uri).with_mime_type(mime);
    Ok(ReadResourceResult::new(vec![contents]).with_ttl_ms(fresh).with_cache_scope(CacheScope::Private))
}

/// One part of a run's report, and its media type.
fn part(
    summary: &RunSummary,
    report: &Report,
    address: &ResourceAddress,
    uri: &str,
) -> Result<(String, &'static str), ErrorData> {
    Ok(match &address.part {
        ResourcePart::Report { cursor } => {
            let page = report_page(summary, report, cursor.as_deref());
            (page.map_err(|problem| protocol_error(&problem))?, MARKDOWN)
        }
        ResourcePart::Sources => (sources(report).to_string(), JSON),
        ResourcePart::Evidence => (evidence(report).to_string(), JSON),
        ResourcePart::Round(number) => {
            (round(summary, report, *number).ok_or_else(|| not_found(uri))?.to_string(), JSON)
        }
    })
}

fn report_page(summary: &RunSummary, report: &Report, cursor: Option<&str>) -> Result<String, CodedError> {
    let whole = probity_research::text::into_block(report.text_with_sources());
    let page = outline::page(&whole, outline::parse_cursor(cursor, &whole)?, REPORT_CHARACTERS);
    let mut text = if cursor.is_none() { reservations(summary, report) } else { String::new() };
    if page.is_whole() {
        text.push_str(&page.text);
        return Ok(text);
    }
    if cursor.is_none() {
        text.push_str("<!-- outline; read a section with its cursor as research://{id}/report/{cursor}\n");
        for heading in outline::list_headings(&whole) {
            text.push_str(&format!("{} {}\n", heading.cursor, heading.title.replace("--", "- -")));
        }
        text.push_str("-->\n\n");
    }
    text.push_str(&page.text);
    if let Some(next) = page.next {
        text.push_str(&format!("\n\n<!-- continues at {} -->\n", outline::cursor(next)));
    }
    Ok(text)
}

/// What keeps a text from being taken for a whole and verified report, above it: a reader of the resource sees nothing
/// else of the run.
fn reservations(summary: &RunSummary, report: &Report) -> String {
    let outcome = report.verification();
    let unverified = (!outcome.verified).then(|| outcome.sentence());
    let told = [unverified, summary.reader_note(report.rounds.as_deref())];
    let quoted = |sentence: String| {
        format!("> {}", probity_research::text::line(&sentence, RESERVATION_CHARACTERS_MAX))
    };
    let lines: Vec<String> = told.into_iter().flatten().map(quoted).collect();
    if lines.is_empty() { String::new() } else { format!("{}\n\n", lines.join("\n>\n")) }
}

fn sources(report: &Report) -> Value {
    let listed: Vec<SourceBody> = report.numbered_sources().iter().map(SourceBody::of).collect();
    json!({ "sources": listed })
}

/// Attributed by the provider, not checked yet: said so for each.
pub(crate) fn evidence(report: &Report) -> Value {
    if let Some(checked) = &report.ledger {
        return ledger::ledger_document(report, checked);
    }
    if let Some(record) = &report.web {
        return quoted(report, record);
    }
    let claims: Vec<Value> = report
        .citations
        .iter()
        .map(|citation| {
            let sentence = report.text.get(citation.start..citation.end).unwrap_or_default();
            let source = report.sources.get(citation.source);
            json!({
                "text": probity_research::text::line(sentence, 600),
                "source": source.map(|source| probity_research::text::line(&source.url, 2_000)),
                "verdict": "not checked",
                "why": "attributed by the provider",
            })
        })
        .collect();
    let outcome = report.verification();
    let mut document =
        json!({ "verified": outcome.verified, "verification_basis": outcome.reason, "claims": claims });
    if let (Some(record), Some(object)) = (&report.rounds, document.as_object_mut()) {
        object.insert("model_says_verified".to_owned(), record.model_says().into());
        object.insert("model_only_sources".to_owned(), record.unresolved.clone().into());
    }
    document
}

/// The evidence of our own web engine for each sentence: quotations with their position in a snapshot.
fn quoted(report: &Report, record: &WebRecord) -> Value {
    let page = |number: u32| usize::try_from(number).ok().and_then(|number| record.pages.get(number));
    let quotes = |note: &RecordedNote| -> Vec<Value> {
        let page = page(note.page);
        let quote = |quote: &Quote| {
            json!({
                "text": probity_research::text::line(&quote.text, 1_200),
                "start": quote.start,
                "end": quote.end,
                "source": page.map(|page| probity_research::text::line(&page.record.final_url, 2_000)),
                "text_hash": page.map(|page| page.extract),
                "page_hash": page.map(|page| page.snapshot),
                "fetched_at": page.map(|page| page.record.fetched_at.to_string()),
                "origin": page.map(|page| page.origin),
            })
        };
        note.quotes.iter().map(quote).collect()
    };
    let note = |number: &u32| usize::try_from(*number).ok().and_then(|number| record.notes.get(number));
    let claim = |sentence: &RecordedSentence| {
        let text = report.text.get(sentence.start..sentence.end).unwrap_or_default();
        json!({
            "text": probity_research::text::line(text, 600),
            "quotes": sentence.notes.iter().filter_map(note).flat_map(quotes).collect::<Vec<Value>>(),
            "independent_origins": sentence.origins,
            "verdict": "not checked",
            "why": "the quotations stand on the pages; whether they support the sentence was not judged",
        })
    };
    let outcome = report.verification();
    json!({
        "verified": outcome.verified,
        "verification_basis": outcome.reason,
        "trust_class": record.trust_class,
        "claims": record.sentences.iter().map(claim).collect::<Vec<Value>>(),
        "not_checked": record.not_checked,
        "invented_and_dropped": record.invented,
    })
}

/// A run of a remote agent is one round whose steps are not visible.
fn round(summary: &RunSummary, report: &Report, number: u32) -> Option<Value> {
    match &report.rounds {
        Some(record) => {
            let note = record.rounds.iter().find(|note| note.round_number == number)?;
            serde_json::to_value(RoundEntry::of(note, usize::MAX)).ok()
        }
        None => (number == 1).then(|| whole_run(summary, report)),
    }
}

fn whole_run(summary: &RunSummary, report: &Report) -> Value {
    let queries: Vec<String> =
        report.queries.iter().map(|query| probity_research::text::line(query, 300)).collect();
    json!({
        "round": 1,
        "engine": summary.engine,
        "model": summary.agent,
        "search_queries": queries,
        "searches": summary.searches,
        "pages": summary.pages,
        "sources": summary.sources,
    })
}

/// Ids that begin as typed, newest first.
pub async fn complete(
    server: &McpServer,
    reach: &RunAccess,
    request: CompleteRequestParams,
) -> Result<CompleteResult, ErrorData> {
    let about_an_id = match &request.r#ref {
        Reference::Resource(_) => request.argument.name == "id",
        Reference::Prompt(_) => request.argument.name == "task_id",
        _ => false,
    };
    let mut values = Vec::new();
    if about_an_id {
        let filter = ListFilter { limit: probity_research::list::LIST_MAX, ..ListFilter::default() };
        let newest = server.list_within(reach, filter).await.map_err(|problem| protocol_error(&problem))?;
        let typed = request.argument.value.as_str();
        let fitting = newest.iter().map(|summary| summary.id.to_string()).filter(|id| {
            id.starts_with(typed) || id.strip_prefix("res_").is_some_and(|digits| digits.starts_with(typed))
        });
        values = fitting.take(COMPLETED_MAX).collect();
    }
    let info = CompletionInfo::new(values).map_err(|error| ErrorData::internal_error(error, None))?;
    Ok(CompleteResult::new(info))
}

pub(crate) fn not_found(uri: &str) -> ErrorData {
    let shown = probity_research::text::line(uri, 120);
    ErrorData::resource_not_found(format!("there is no resource {shown}"), Some(json!({ "uri": shown })))
}

#[cfg(test)]
mod tests {
    use probity_research::{
        Code, CodedError, RunId,
        report::Report,
        status::{RunStatus, RunSummary},
    };
    use serde_json::json;

    use super::report_page;

    #[test]
    fn a_partial_report_that_nobody_checked_says_so_above_its_text() {
        let mut summary: RunSummary = serde_json::from_value(json!({
            "id": RunId::from_random(7), "status": "completed", "due": false, "query": "why?",
            "engine": "gemini-api", "agent": "a", "asked_at": 0, "updated_at": 9, "ended_at": 9,
            "progress_percent": 100, "progress_estimated": false, "current_action": "", "steps": 0,
            "searches": 0, "pages": 0, "attended_ms": 0, "cost": { "basis": "unknown" }, "sources": 0,
        }))
        .unwrap();
        summary.status = RunStatus::TimedOut;
        summary.problem = Some(CodedError::new(Code::Deadline, "it did not finish before its deadline."));
        let report = Report { text: "It scatters.".to_owned(), ..Report::default() };
        assert_eq!(
            report_page(&summary, &report, None).unwrap(),
            "> Not verified: its claims were not checked against its sources.\n>\n> partial: the research has timed \
             out: it did not finish before its deadline.\n\nIt scatters."
        );
    }
}
