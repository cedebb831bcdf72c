//! PubMed's E-utilities: `esearch` gives numbers, `esummary` what is behind them.

use serde_json::{Map, Value, json};

use super::{Engines, Meaning, Refusal, Request, free, not_here};
use crate::{
    call::Method,
    web::{
        Page,
        index::{Asked, Found},
    },
};

const RESULTS_USUAL: usize = 20;
const RESULTS_MAX: usize = 10_000;
/// The first page's number: PubMed's have eight digits.
const NUMBER_FIRST: usize = 40_000_000;

pub(super) fn read(request: &Request<'_>) -> Result<Meaning, Refusal> {
    if request.call.method != Method::Get || request.parameter("db") != Some("pubmed") {
        return Err(not_here());
    }
    match request.path {
        "/entrez/eutils/esearch.fcgi" => free(Asked {
            query: request.parameter("term").unwrap_or_default().to_owned(),
            count: request.count("retmax", RESULTS_USUAL, RESULTS_MAX),
            after: request.parameter("mindate").map(|date| date.replace('/', "-")),
            before: request.parameter("maxdate").map(|date| date.replace('/', "-")),
            ..Asked::default()
        }),
        "/entrez/eutils/esummary.fcgi" => {
            let numbers =
                request.parameter("id").unwrap_or_default().split(',').filter_map(|id| id.parse().ok());
            Ok(Meaning::Look(numbers.filter_map(|number: usize| number.checked_sub(NUMBER_FIRST)).collect()))
        }
        _ => Err(not_here()),
    }
}

pub(super) fn tell(found: &[Found<'_>], engines: Engines) -> Value {
    if engines == Engines::AllFailed {
        let error = "Search Backend failed: the database is not available";
        return json!({"header": {"type": "esearch", "version": "0.3"}, "esearchresult": {"ERROR": error}});
    }
    let ids: Vec<String> = found.iter().map(|found| (NUMBER_FIRST + found.place).to_string()).collect();
    json!({
        "header": {"type": "esearch", "version": "0.3"},
        "esearchresult": {"count": ids.len().to_string(), "retmax": ids.len().to_string(), "retstart": "0", "idlist": ids},
    })
}

pub(super) fn summaries(pages: &[(usize, &Page)]) -> Value {
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
