//! Citation marks inside a run: `[3]`, `[1, 4-6]`, `[cite: 2]`, and links whose text is only a number.

use crate::{
    build::sources::SourceTable,
    document::{TextRun, TextSpan},
};

/// Longest mark parsed; a longer pair of brackets contains words.
const MARK_BYTES_MAX: usize = 60;
/// A longer range is an interval of something else.
const RANGE_MAX: u32 = 40;

/// The run with its marks as spans of their own.
pub fn with_citation_marks(run: TextRun, sources: &SourceTable) -> TextRun {
    let spans = run.spans.into_iter().flat_map(|span| split(span, sources)).collect();
    TextRun { claims: run.claims, spans }
}

fn split(span: TextSpan, sources: &SourceTable) -> Vec<TextSpan> {
    if span.code || span.image || span.line_break {
        return vec![span];
    }
    if let Some(link) = &span.link {
        let bare = span.text.trim_matches(|c: char| matches!(c, '[' | ']' | '^' | ' '));
        let is_number = !bare.is_empty() && bare.len() < 4 && bare.bytes().all(|byte| byte.is_ascii_digit());
        return match sources.number(link).filter(|_| is_number) {
            Some(number) => {
                vec![TextSpan { text: format!("[{number}]"), cites: vec![number], ..TextSpan::default() }]
            }
            None => vec![span],
        };
    }
    let mut found = Vec::new();
    let mut rest = span.text.as_str();
    let mut plain = String::new();
    while let Some((before, behind)) = rest.split_once('[') {
        plain.push_str(before);
        match mark(behind, sources) {
            Some((cites, used)) => {
                keep(&mut found, &span, &mut plain);
                let text = format!("[{}]", behind.get(..used.saturating_sub(1)).unwrap_or_default());
                found.push(TextSpan { text, cites, ..TextSpan::default() });
                rest = behind.get(used..).unwrap_or_default();
            }
            None => {
                plain.push('[');
                rest = behind;
            }
        }
    }
    plain.push_str(rest);
    keep(&mut found, &span, &mut plain);
    found
}

fn keep(found: &mut Vec<TextSpan>, look: &TextSpan, plain: &mut String) {
    if !plain.is_empty() {
        found.push(TextSpan { text: std::mem::take(plain), ..look.clone() });
    }
}

/// The numbers of a mark and its bytes after the opening bracket.
fn mark(behind: &str, sources: &SourceTable) -> Option<(Vec<u32>, usize)> {
    let end = behind.bytes().take(MARK_BYTES_MAX).position(|byte| byte == b']')?;
    let inside = behind.get(..end)?.trim();
    let inside = inside.strip_prefix("cite:").unwrap_or(inside);
    let mut numbers = Vec::new();
    for part in inside.split([',', ';']) {
        let part = part.trim().trim_start_matches('^');
        match part.split_once(['-', '–']) {
            Some((first, last)) => {
                let (first, last): (u32, u32) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
                if last < first || last - first > RANGE_MAX {
                    return None;
                }
                numbers.extend(first..=last);
            }
            None => numbers.push(part.parse().ok()?),
        }
    }
    let known = |number: &u32| sources.has(*number);
    (!numbers.is_empty() && numbers.len() < MARK_BYTES_MAX && numbers.iter().all(known))
        .then_some((numbers, end + 1))
}
