//! The text itself with a short verdict after each claim, and the findings listed below it.

use probity_types::{ledger::Verdict, text};

use super::{CheckedText, VerdictSeverity, severity, verdict_sentence};

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
        let trimmed = upto.trim_end();
        written.push_str(trimmed);
        written.push_str(&format!(" `[{} {}]`", claim.id, mark(&settled.verdict)));
        written.push_str(upto.get(trimmed.len()..).unwrap_or_default());
        done = end;
    }
    written.push_str(whole.get(done..).unwrap_or_default());
    let found: Vec<String> = labelled
        .claims()
        .filter(|(_, settled)| severity(&settled.verdict) > VerdictSeverity::Note)
        .map(|(claim, settled)| {
            let line = format!("{}: {}", verdict_sentence(settled), claim.words);
            format!("- **{}** {}", claim.id, text::line(&line, 500).replace(['[', ']', '<', '>'], " "))
        })
        .collect();
    let mut summary = format!("\n\n---\n\n*{}*\n", labelled.ledger.tally().line());
    if !found.is_empty() {
        summary.push_str(&format!("\n{}\n", found.join("\n")));
    }
    written.trim_end().to_owned() + &summary
}

fn mark(verdict: &Verdict) -> String {
    match verdict {
        Verdict::NotChecked { why } => format!("not checked, {}", why.as_str()),
        other => other.name().replace('-', " "),
    }
}
