//! Front matter, the line below the title, and where sources disagree.

use super::escape::{text, yaml};
use crate::document::{DisplayVerdict, ReportDocument};

pub fn matter(document: &ReportDocument) -> String {
    let answer = &document.answer;
    let dollars = |micro: u64| format!("{}.{:06}", micro / 1_000_000, micro % 1_000_000);
    let mut lines = vec![
        "---".to_owned(),
        format!("id: {}", yaml(&document.id)),
        format!("title: {}", yaml(&document.title)),
        format!("question: {}", yaml(&document.question)),
        format!("date: {}", yaml(answer.ended_at.as_deref().unwrap_or(&answer.asked_at))),
        format!("status: {}", yaml(&answer.status)),
        format!("engine: {}", yaml(&answer.engine)),
        format!("model: {}", yaml(&answer.model)),
        format!("cost_usd: {}", answer.cost_micro_usd.map_or_else(|| "null".to_owned(), dollars)),
        format!("cost_basis: {}", yaml(&answer.cost_basis)),
        format!("verified: {}", document.verified.verified),
        format!("verification: {}", yaml(&document.verified.reason)),
        format!("factual_sentences: {}", yaml(&document.verified.fraction)),
        format!("verification_rule: {}", yaml(&document.verified.rule)),
        format!("judge: {}", document.verified.judge.as_ref().map_or("null".to_owned(), |judge| yaml(judge))),
        format!("sources: {}", document.sources.len()),
        "claims:".to_owned(),
    ];
    if let Some(second) = &document.verified.second_judge {
        let behind_judge = lines.len().saturating_sub(2);
        lines.insert(behind_judge, format!("second_judge: {}", yaml(second)));
    }
    for verdict in DisplayVerdict::ALL {
        let count =
            document.counts.iter().find(|count| count.verdict == verdict).map_or(0, |count| count.claims);
        if count == 0 && verdict.is_of_inferences() {
            continue;
        }
        lines.push(format!("  {}: {count}", verdict.name()));
    }
    lines.push(format!("written_at: {}", yaml(&document.written_at)));
    lines.push("---".to_owned());
    lines.join("\n")
}

/// `> Not verified: 7 of 9 factual sentences are supported, 2 contradicted. Claims: 11 supported, 2 contradicted. gemini-3-pro, $0.32.`
pub fn line(document: &ReportDocument) -> String {
    let word = if document.verified.verified { "Verified" } else { "Not verified" };
    let counts: Vec<String> =
        document.counts.iter().map(|count| format!("{} {}", count.claims, count.verdict.label())).collect();
    let claims = match counts.is_empty() {
        true => "Its claims were not checked.".to_owned(),
        false => format!("Claims: {}, {}.", counts.join(", "), judged(document)),
    };
    format!(
        "> **{word}**: {}. {claims} {}, {}.",
        text(&document.verified.reason),
        text(&document.answer.model),
        text(&document.answer.cost)
    )
}

/// What to know before reading; empty where there is nothing.
pub fn note(document: &ReportDocument) -> String {
    document.answer.note.as_ref().map(|note| format!("> **Note**: {}", text(note))).unwrap_or_default()
}

/// `judged by gemini-3-pro (which also wrote it)`
fn judged(document: &ReportDocument) -> String {
    let own = if document.verified.judge_wrote_it { " (which also wrote it)" } else { "" };
    let judge = document.verified.judge.as_ref();
    let second = document.verified.second_judge.as_ref();
    let second = second.map(|second| format!("; {}", text(second))).unwrap_or_default();
    judge.map_or("nothing was judged".to_owned(), |judge| format!("judged by {}{own}{second}", text(judge)))
}

pub fn conflicts(document: &ReportDocument) -> Option<String> {
    if document.conflicts.is_empty() {
        return None;
    }
    let rows: Vec<String> = document
        .conflicts
        .iter()
        .map(|conflict| {
            format!(
                "- {} ({}): “{}” (source {}) against “{}” (source {})",
                text(&conflict.about),
                text(&conflict.claims().collect::<Vec<_>>().join(", ")),
                text(conflict.left.passage.trim()),
                conflict.left.source,
                text(conflict.right.passage.trim()),
                conflict.right.source
            )
        })
        .collect();
    Some(format!("## Where sources disagree\n\n{}", rows.join("\n")))
}
