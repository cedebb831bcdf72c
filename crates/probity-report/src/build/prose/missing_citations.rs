//! Providers that cite by offset leave no mark in the text: where a sentence cites and has none, one is
//! added.

use std::collections::BTreeMap;

use crate::document::{ReportBlock, ReportClaim, TextRun, TextSpan};

/// Adds the numbers that claims cite after sentences that have none.
pub fn add_missing_citations(blocks: &mut [ReportBlock], claims: &[ReportClaim]) {
    let cites: BTreeMap<&str, &[u32]> = claims
        .iter()
        .filter(|claim| claim.checkable)
        .map(|claim| (claim.id.as_str(), claim.cites.as_slice()))
        .collect();
    if cites.values().any(|numbers| !numbers.is_empty()) {
        blocks.iter_mut().for_each(|block| in_block(block, &cites));
    }
}

fn in_block(block: &mut ReportBlock, cites: &BTreeMap<&str, &[u32]>) {
    match block {
        ReportBlock::Heading { runs, .. } | ReportBlock::Paragraph { runs } => in_runs(runs, cites),
        ReportBlock::List { items, .. } => {
            items.iter_mut().flat_map(|item| &mut item.blocks).for_each(|block| in_block(block, cites));
        }
        ReportBlock::Quote { blocks } => blocks.iter_mut().for_each(|block| in_block(block, cites)),
        ReportBlock::Table { head, rows } => {
            let cells = head.iter_mut().chain(rows.iter_mut().flatten());
            cells.for_each(|cell| in_runs(&mut cell.runs, cites));
        }
        ReportBlock::Code { .. } | ReportBlock::Rule => {}
    }
}

fn in_runs(runs: &mut [TextRun], cites: &BTreeMap<&str, &[u32]>) {
    let marked: Vec<bool> = runs.iter().map(shows_source).collect();
    let bare: Vec<bool> = runs.iter().map(|run| run.claims.is_empty()).collect();
    for (place, run) in runs.iter_mut().enumerate() {
        // Text between two sentences belongs to the first.
        let own = marked.get(place).copied().unwrap_or_default();
        let behind = bare.get(place + 1).copied().unwrap_or_default()
            && marked.get(place + 1).copied().unwrap_or_default();
        if own || behind {
            continue;
        }
        let mut numbers: Vec<u32> = run
            .claims
            .iter()
            .filter_map(|id| cites.get(id.as_str()))
            .flat_map(|numbers| numbers.iter().copied())
            .collect();
        numbers.sort_unstable();
        numbers.dedup();
        if !numbers.is_empty() {
            run.spans.push(TextSpan { cites: numbers, ..TextSpan::default() });
        }
    }
}

fn shows_source(run: &TextRun) -> bool {
    run.spans.iter().any(|span| !span.cites.is_empty() || span.link.is_some())
}
