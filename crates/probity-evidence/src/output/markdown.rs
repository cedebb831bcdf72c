//! The text itself with a short verdict after each claim; below it the outcome, the claims that need attention with
//! their lines, and how each source fares.

use probity_types::{
    ledger::{AttentionGroup, ClaimKind, Verdict},
    report::claim_list::{ClaimGroup, ClaimList, ListedClaim, SourceSummary},
    text,
};

use super::{CheckedText, listed_sentence};

/// Claims listed in one group below the text, where each claim has its mark anyway.
const LISTED_MAX: usize = 100;
const SOURCES_MAX: usize = 100;

pub fn annotate(labelled: &CheckedText<'_>) -> String {
    let whole = &labelled.report.text;
    let mut written = String::with_capacity(whole.len() * 2);
    let mut done = 0;
    for (claim, settled) in labelled.claims() {
        let end = whole.floor_char_boundary(claim.end.min(whole.len()));
        if end < done {
            continue;
        }
        let upto = whole.get(done..end).unwrap_or_default();
        let words = words_before_mark(whole, upto, end);
        written.push_str(words);
        let inference = if claim.kind == ClaimKind::Inference { "inference, " } else { "" };
        written.push_str(&format!(" `[{} {inference}{}]`", claim.id, mark(&settled.verdict)));
        written.push_str(upto.get(words.len()..).unwrap_or_default());
        done = end;
    }
    written.push_str(whole.get(done..).unwrap_or_default());
    let list = labelled.list();
    let outcome = safe(&labelled.report.verification().sentence());
    let mut parts = vec![
        written.trim_end().to_owned(),
        "---".to_owned(),
        format!("*{outcome}*"),
        format!("*{}*", labelled.ledger.tally().line()),
    ];
    parts.extend(labelled.ledger.not_examined().iter().map(|unread| format!("*Not examined: {unread}*")));
    parts.extend(list.groups.iter().filter(|group| !group.group.holds()).map(group));
    parts.extend(holding(&list));
    parts.extend(sources(&list.sources));
    parts.join("\n\n") + "\n"
}

/// What of `upto`, which ends at `end`, stands before the mark. Behind the last line of a row's cells a mark would be a
/// cell of its own, which no heading has.
fn words_before_mark<'a>(whole: &str, upto: &'a str, end: usize) -> &'a str {
    let trimmed = upto.trim_end();
    let before = whole.get(..end).unwrap_or_default();
    let line = before.rsplit('\n').next().unwrap_or_default();
    match trimmed.strip_suffix('|') {
        Some(cells) if line.trim_start().starts_with('|') && !cells.ends_with('\\') => cells.trim_end(),
        Some(_) | None => trimmed,
    }
}

fn group(group: &ClaimGroup<'_>) -> String {
    let shown = group.claims.iter().take(LISTED_MAX);
    let mut rows: Vec<String> = shown.map(|listed| row(group.group, listed)).collect();
    if let Some(more) = group.claims.len().checked_sub(LISTED_MAX).filter(|more| *more > 0) {
        rows.push(format!("- … {more} more; each has its mark in the text"));
    }
    format!("**{} ({})**\n\n{}", group.group.heading(), group.claims.len(), rows.join("\n"))
}

fn row(group: AttentionGroup, listed: &ListedClaim<'_>) -> String {
    let mut place = vec![format!("line {}", listed.line)];
    place.extend(listed.section.clone());
    place.extend(listed.claim.inference_mark());
    let sources: Vec<String> = listed.sources.iter().map(ToString::to_string).collect();
    if !sources.is_empty() {
        place.push(format!("source {}", sources.join(", ")));
    }
    let words = match group {
        AttentionGroup::Uncited => listed.claim.words.clone(),
        _ => format!("{}: {}", listed_sentence(listed), listed.claim.words),
    };
    format!("- **{}** ({}) {}", listed.claim.id, safe(&place.join("; ")), safe(&text::line(&words, 500)))
}

/// What needs no attention, counted only.
fn holding(list: &ClaimList<'_>) -> Option<String> {
    let held = list.groups.iter().filter(|group| group.group.holds());
    let mut counts: Vec<String> =
        held.map(|group| format!("{}: {}", group.group.heading(), group.claims.len())).collect();
    let aside = list.aside();
    if !aside.is_empty() {
        counts.push(format!("Not counted: {aside}"));
    }
    (!counts.is_empty()).then(|| format!("{}.", counts.join(". ")))
}

fn sources(sources: &[SourceSummary]) -> Option<String> {
    let mut rows: Vec<String> =
        sources.iter().take(SOURCES_MAX).map(|source| format!("- {}", safe(&source.line()))).collect();
    if let Some(more) = sources.len().checked_sub(SOURCES_MAX).filter(|more| *more > 0) {
        rows.push(format!("- … {more} more sources"));
    }
    (!rows.is_empty()).then(|| format!("**Sources**\n\n{}", rows.join("\n")))
}

/// Foreign words in a line of Markdown: nothing in them opens a link or an element.
fn safe(words: &str) -> String {
    text::line(words, 1_000).replace(['[', ']', '<', '>', '`', '*'], " ")
}

fn mark(verdict: &Verdict) -> String {
    match verdict {
        Verdict::NotChecked { why } => format!("not checked, {}", why.as_str()),
        other => other.name().replace('-', " "),
    }
}
