//! Metadata of the answer: engine, dates, cost, verified or not.

use probity_types::{
    ledger::{Restatement, verification::RULE},
    report::Report,
    status::RunSummary,
    text,
};

use super::{REMARKS_MAX, remark};
use crate::document::{AnswerMetadata, CostRow, ReportVerification};

const NAME_CHARACTERS_MAX: usize = 120;
const QUERY_CHARACTERS_MAX: usize = 300;
/// Steps of a bill; what a run pays for has some ten names.
const COSTS_MAX: usize = 40;
/// Claims named in a list; the rest is found by its verdict.
const NAMED_MAX: usize = 200;

pub fn answer(summary: &RunSummary, report: &Report) -> AnswerMetadata {
    let model = report.rounds.as_ref().map_or(&summary.agent, |record| &record.model);
    AnswerMetadata {
        status: summary.status.as_str().to_owned(),
        engine: text::line(&summary.engine, NAME_CHARACTERS_MAX),
        model: text::line(model, NAME_CHARACTERS_MAX),
        asked_at: summary.asked_at.to_string(),
        ended_at: summary.ended_at.map(|at| at.to_string()),
        took_seconds: summary.ended_at.map(|at| at.since_ms(summary.asked_at) / 1000),
        cost_micro_usd: summary.cost.known().map(|amount| amount.0),
        cost_basis: summary.cost.basis().to_owned(),
        cost: summary.cost.to_string(),
        searches: summary.searches,
        pages: summary.pages,
        note: summary.reader_note(report.rounds.as_deref()).map(remark),
        problem: summary.problem.as_ref().map(|problem| remark(&problem.message)),
    }
}

pub fn verified(report: &Report) -> ReportVerification {
    let checked = report.ledger.as_ref().and_then(|ledger| ledger.verification.as_ref());
    let outcome = report.verification();
    let ledger = report.ledger.as_deref();
    let facts = outcome.facts.unwrap_or_default();
    let named = |list: &[probity_types::ledger::ClaimId]| {
        list.iter().take(NAMED_MAX).map(ToString::to_string).collect::<Vec<_>>()
    };
    ReportVerification {
        verified: outcome.verified,
        reason: remark(&outcome.reason),
        rule: outcome.rule.unwrap_or(RULE).to_owned(),
        evidence_holds: checked.map(|checked| checked.evidence_holds),
        model_says: checked.and_then(|checked| checked.model_says),
        factual: facts.factual,
        factual_supported: facts.supported,
        fraction: outcome.facts.map(|facts| facts.line()).unwrap_or_default(),
        restated: checked.map(|checked| restated(&checked.restated)).unwrap_or_default(),
        load_bearing: checked.map_or(0, |checked| checked.load_bearing),
        load_bearing_supported: checked.map_or(0, |checked| checked.load_bearing_supported),
        contradicted: checked.map_or(0, |checked| checked.contradicted),
        contested: checked.map_or(0, |checked| checked.contested),
        failing: checked.map(|checked| named(&checked.failing)).unwrap_or_default(),
        single_origin: checked.map(|checked| named(&checked.single_origin)).unwrap_or_default(),
        judge: outcome.judge.map(|judge| text::line(judge.name, NAME_CHARACTERS_MAX)),
        judge_wrote_it: outcome.judge.is_some_and(|judge| judge.wrote_it),
        judge_standing: match (outcome.judge, ledger) {
            (Some(_), Some(ledger)) => ledger.judge_standing.word(ledger.judge_exam).to_owned(),
            _ => String::new(),
        },
        judge_exam: ledger.and_then(|ledger| ledger.judge_exam).map(|exam| exam.line()),
        second_judge: ledger.and_then(|ledger| ledger.second_judge.as_ref()).map(|second| second.line()),
    }
}

fn restated(list: &[Restatement]) -> Vec<String> {
    list.iter().take(NAMED_MAX).map(|one| one.claim.to_string()).collect()
}

/// What the engine reports as not done.
pub fn remarks(report: &Report) -> Vec<String> {
    let of_web = report.web.iter().flat_map(|web| &web.not_checked).map(String::as_str);
    let invented = report.web.as_ref().filter(|web| web.invented > 0).map(|web| {
        format!("{} quotations that a model returned stand on no page and were thrown away", web.invented)
    });
    let receipt = report.web.as_ref().and_then(|web| web.receipt.as_ref()).map(|receipt| receipt.line());
    let own = [invented, receipt].into_iter().flatten();
    let mut remarks: Vec<String> = of_web.take(REMARKS_MAX).map(remark).chain(own.map(remark)).collect();
    if report.ledger.is_none() && !report.is_draft {
        remarks.push("The claims of this report were not checked against its sources.".to_owned());
    }
    remarks
}

pub fn queries(report: &Report) -> Vec<String> {
    let of_rounds =
        report.rounds.iter().flat_map(|rounds| &rounds.rounds).flat_map(|round| &round.search_queries);
    let of_web = report.web.iter().flat_map(|web| &web.searches).map(|search| &search.query);
    let mut seen = Vec::new();
    for query in report.queries.iter().chain(of_rounds).chain(of_web) {
        let query = text::line(query, QUERY_CHARACTERS_MAX);
        if seen.len() < REMARKS_MAX && !query.is_empty() && !seen.contains(&query) {
            seen.push(query);
        }
    }
    seen
}

pub fn costs(rows: &[CostRow]) -> Vec<CostRow> {
    let row = |row: &CostRow| CostRow { label: text::line(&row.label, NAME_CHARACTERS_MAX), ..row.clone() };
    rows.iter().take(COSTS_MAX).map(row).collect()
}
