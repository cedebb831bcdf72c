//! Small charts of a run, and of the tables in its report, as SVG that follows the page's colours and is a valid file
//! on its own too.
//!
//! Colours are CSS variables with a fallback; every figure is also written as a number, and the whole
//! described in text.

mod bars;
mod timeline;
mod topic;

use probity_types::cost::MicroUsd;

use self::bars::{ChartBar, bars};
use crate::document::{DisplayVerdict, ReportDocument};

pub use self::timeline::timeline;
pub(crate) use self::topic::{TOPIC_CHARTS_MAX, table_charts};

/// Rows of one chart: more are unreadable. The most important come first.
const ROWS_MAX: usize = 24;

/// Claims by verdict.
pub fn verdicts(document: &ReportDocument) -> Option<String> {
    let rows = document.counts.iter().map(|count| ChartBar {
        label: count.verdict.label().to_owned(),
        value: u64::from(count.claims),
        shown: count.claims.to_string(),
        fill: colour(count.verdict),
    });
    bars("Claims by verdict", rows.collect())
}

/// Sites by the claims that cite them; sites that are not independent of each other are grouped under one
/// letter.
pub fn domains(document: &ReportDocument) -> Option<String> {
    let mut rows: Vec<(Option<u32>, &str, u64)> = Vec::new();
    for source in document.sources.iter().filter(|source| !source.host.is_empty()) {
        let known =
            rows.iter_mut().find(|(origin, host, _)| *origin == source.origin && *host == source.host);
        match known {
            Some((_, _, count)) => *count += u64::from(source.cited_by),
            None => rows.push((source.origin, &source.host, u64::from(source.cited_by))),
        }
    }
    let size = |origin: Option<u32>| rows.iter().filter(|row| origin.is_some() && row.0 == origin).count();
    let weight = |origin: Option<u32>| rows.iter().filter(|row| row.0 == origin).map(|row| row.2).max();
    let mut order: Vec<&(Option<u32>, &str, u64)> = rows.iter().collect();
    order.sort_by_key(|row| (std::cmp::Reverse(weight(row.0)), row.0, std::cmp::Reverse(row.2)));
    let mut letters = ('A'..='Z').cycle();
    let mut last = (None, ' ');
    let list = order.into_iter().take(ROWS_MAX).map(|(origin, host, count)| {
        let kin = size(*origin) > 1;
        if kin && last.0 != *origin {
            last = (*origin, letters.next().unwrap_or('A'));
        }
        let label = if kin { format!("{} {host}", last.1) } else { (*host).to_owned() };
        let fill = if kin { "var(--v2,#8a5700)" } else { "var(--link,#1c5793)" };
        ChartBar { label, value: *count, shown: count.to_string(), fill }
    });
    bars("Claims by site (one letter: not independent)", list.collect())
}

/// What each step cost.
pub fn costs(document: &ReportDocument) -> Option<String> {
    let mut rows: Vec<_> = document.costs.iter().filter(|row| row.micro_usd > 0 || row.calls > 0).collect();
    rows.sort_by_key(|row| std::cmp::Reverse(row.micro_usd));
    let list = rows.into_iter().take(ROWS_MAX).map(|row| ChartBar {
        label: row.label.clone(),
        value: row.micro_usd,
        shown: format!(
            "{} · {} {}",
            MicroUsd(row.micro_usd),
            row.calls,
            if row.calls == 1 { "call" } else { "calls" }
        ),
        fill: "var(--v1,#1f6a80)",
    });
    bars("Cost by step", list.collect())
}

fn colour(verdict: DisplayVerdict) -> &'static str {
    match verdict {
        DisplayVerdict::Supported => "var(--v0,#1b6e4c)",
        DisplayVerdict::Quoted | DisplayVerdict::Follows => "var(--v1,#1f6a80)",
        DisplayVerdict::Partly | DisplayVerdict::Qualified => "var(--v2,#8a5700)",
        DisplayVerdict::Contradicted => "var(--v4,#b02318)",
        DisplayVerdict::NotInSource | DisplayVerdict::DoesNotFollow => "var(--v5,#8c3486)",
        DisplayVerdict::NotChecked | DisplayVerdict::CheckFailed => "var(--v6,#626976)",
    }
}

#[cfg(test)]
mod tests;
