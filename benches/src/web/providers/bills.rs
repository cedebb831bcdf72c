//! Every provider with every fault: nothing is sent twice, and a bill of nothing is said only where nobody pays.

use probity_research::web::{Bill, BillBasis, ProviderName, SearchCall, SearchDepth, SearchFilters};
use probity_simulator::{Simulator, WebFault, WebFaultKind, web::Provider};

use super::probity_search;
use crate::figure::Figure;

const FAULTS: [WebFaultKind; 9] = [
    WebFaultKind::Status(400),
    WebFaultKind::Status(401),
    WebFaultKind::Status(500),
    WebFaultKind::RetryAfter(30),
    WebFaultKind::Cap,
    WebFaultKind::Garbage,
    WebFaultKind::Html,
    WebFaultKind::Lost,
    WebFaultKind::Drop,
];

pub async fn measure(simulator: &Simulator) -> anyhow::Result<Vec<Figure>> {
    let (mut trials, mut wrong) = (0, Vec::new());
    for provider in Provider::ALL.iter().copied() {
        for kind in FAULTS {
            trials += 1;
            if let Some(words) = trial(simulator, provider, kind).await? {
                wrong.push(format!("{} {kind:?}: {words}", provider.as_str()));
            }
        }
    }
    let measured = format!("{} of {trials} searches told wrongly or sent twice", wrong.len());
    let goal = "none of 117";
    let bills = Figure::judged("bills of failed searches", wrong.is_empty() && trials == 117, measured, goal)
        .with_note(wrong.join("; "));
    Ok(vec![bills, control()])
}

/// What is wrong with one failed search, if anything is.
async fn trial(
    simulator: &Simulator,
    provider: Provider,
    kind: WebFaultKind,
) -> anyhow::Result<Option<String>> {
    let handle = simulator.handle();
    handle.with_web(|web, _| web.start_over());
    handle.add_web_fault(WebFault { provider, kind, times: 1 });
    let Some(name) = ProviderName::parse(provider.as_str()) else { anyhow::bail!("unknown {provider:?}") };
    let call = SearchCall {
        provider: name,
        query: "solar panels".to_owned(),
        max_results: 5,
        depth: SearchDepth::Basic,
        filters: SearchFilters::default(),
    };
    // A search of its own: pauses between calls are not what is measured here.
    let outcome = probity_search::search(simulator.base_url())?.ask(&call).await;
    let ledger = handle.web_ledger();
    let Err(failure) = outcome else { return Ok(Some("is told as an answer".to_owned())) };
    Ok(judge(&failure.bill, ledger.charged_micro_usd(), ledger.requests().len()))
}

fn judge(bill: &Bill, charged_micro_usd: u64, requests: usize) -> Option<String> {
    match (requests, charged_micro_usd, bill.basis) {
        (1, 1.., BillBasis::Nothing) => Some("somebody paid and the bill says nobody".to_owned()),
        (1, ..) => None,
        (requests, ..) => Some(format!("{requests} requests")),
    }
}

/// Planted wrong bills and repetitions.
fn control() -> Figure {
    let planted = [(Bill::NOTHING, 8_000, 1), (Bill::UNKNOWN, 8_000, 2), (Bill::UNKNOWN, 0, 0)];
    let seen =
        planted.iter().filter(|(bill, charged, requests)| judge(bill, *charged, *requests).is_some()).count();
    let honest = judge(&Bill::UNKNOWN, 8_000, 1).is_none() && judge(&Bill::NOTHING, 0, 1).is_none();
    let measured = format!("{seen} of 3 seen");
    Figure::judged("control of the bills' check", seen == 3 && honest, measured, "3 of 3 planted faults seen")
}
