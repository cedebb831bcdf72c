//! PubMed's E-utilities: `esearch` gives ids, `esummary` their records.

use serde_json::{Map, Value, json};

use super::{EngineHealth, RequestMeaning, SearchApiRefusal, SearchApiRequest, free, not_found};
use crate::{
    call::CallMethod,
    web::{
        SmallWebPage,
        index::{IndexHit, IndexQuery},
    },
};

const RESULTS_USUAL: usize = 20;
const RESULTS_MAX: usize = 10_000;
/// The first page's number: PubMed's have eight digits.
const NUMBER_FIRST: usize = 40_000_000;

pub(super) fn read(request: &SearchApiRequest<'_>) -> Result<RequestMeaning, SearchApiRefusal> {
    if request.call.method != CallMethod::Get || request.parameter("db") != Some("pubmed") {
        return Err(not_found());
    }
    match request.path {
        "/entrez/eutils/esearch.fcgi" => free(IndexQuery {
            query: request.parameter("term").unwrap_or_default().to_owned(),
            count: request.count("retmax", RESULTS_USUAL, RESULTS_MAX),
            after: request.parameter("mindate").map(|date| date.replace('/', "-")),
            before: request.parameter("maxdate").map(|date| date.replace('/', "-")),
            ..IndexQuery::default()
        }),
        "/entrez/eutils/esummary.fcgi" => {
            let numbers =
                request.parameter("id").unwrap_or_default().split(',').filter_map(|id| id.parse().ok());
            Ok(RequestMeaning::Look(
                numbers.filter_map(|number: usize| number.checked_sub(NUMBER_FIRST)).collect(),
            ))
        }
        _ => Err(not_found()),
    }
}

pub(super) fn render_reply(found: &[IndexHit<'_>], engines: EngineHealth) -> Value {
    if engines == EngineHealth::AllFailed {
        let error = "Search Backend failed: the database is not available";
        return json!({"header": {"type": "esearch", "version": "0.3"}, "esearchresult": {"ERROR": error}});
    }
    let ids: Vec<String> = found.iter().map(|found| (NUMBER_FIRST + found.place).to_string()).collect();
    json!({
        "header": {"type": "esearch", "version": "0.3"},
        "esearchresult": {"count": ids.len().to_string(), "retmax": ids.len().to_string(), "retstart": "0", "idlist": ids},
    })
}

pub(super) fn summaries(pages: &[(usize, &SmallWebPage)]) -> Value {
    let mut result = Map::new();
    let uids: Vec<String> = pages.iter().map(|(place, _)| (NUMBER_FIRST + place).to_string()).collect();
    for ((_, page), uid) in pages.iter().zip(&uids) {
        let date = page.published.as_deref().unwrap_or("2020-01-01");
        let record = json!({
            "uid": uid,
            "pubdate": date.replace('-', " "),
            "sortpubdate": format!("{} 00:00", date.replace('-', "/")),
            "source": "J Small Web",
            "title": page.title,
            "lang": ["eng"],
            "authors": [{"name": "Author A", "authtype": "Author", "clusterid": ""}],
        });
        result.insert(uid.clone(), record);
    }
    result.insert("uids".to_owned(), json!(uids));
    json!({"header": {"type": "esummary", "version": "0.3"}, "result": result})
}
