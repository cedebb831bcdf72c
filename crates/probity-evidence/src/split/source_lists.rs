//! A report without its lists of sources, for readers who want the text alone. Marks of citation stay: they are part of
//! the sentences.

use std::ops::Range;

use super::{
    BlockKind,
    blocks::{MarkdownBlock, blocks, has_address, is_definition, is_labelled, is_rule, names_sources},
};

/// Words between the heading of a list and its entries ("The following pages were read:"), in blocks. More than that is
/// a chapter about sources, and stays.
const INTRODUCTION_MAX: usize = 1;

/// The text without headings that announce sources, the entries under them, footnotes and definitions of addresses.
pub fn without_source_lists(markdown: &str) -> String {
    let found = blocks(markdown);
    let mut kept = String::with_capacity(markdown.len());
    let mut at = 0;
    for cut in cuts(markdown, &found) {
        kept.push_str(markdown.get(at..cut.start).unwrap_or_default());
        at = at.max(cut.end);
    }
    if at == 0 {
        return markdown.to_owned();
    }
    kept.push_str(markdown.get(at..).unwrap_or_default());
    tidied(&kept)
}

/// Whole lines to be left out, in order.
fn cuts(markdown: &str, found: &[MarkdownBlock]) -> Vec<Range<usize>> {
    let mut cuts = Vec::new();
    let mut place = 0;
    while let Some(block) = found.get(place) {
        let rest = found.get(place + 1..).unwrap_or_default();
        let below = match block.kind {
            BlockKind::Heading if names_sources(text(markdown, block)) => section(markdown, rest),
            BlockKind::Paragraph if announces(text(markdown, block)) => list(markdown, rest, is_list),
            BlockKind::SourceEntry => {
                let whole = found.get(place..).unwrap_or_default();
                let entries = list(markdown, whole, |kind| kind == BlockKind::SourceEntry);
                entries.map(|count| count - 1)
            }
            BlockKind::Paragraph if is_inline_list(text(markdown, block)) => Some(0),
            _ => None,
        };
        if let Some(last) = below.and_then(|count| found.get(place + count)) {
            cuts.push(lines(markdown, block.start, last.end));
        }
        place += 1 + below.unwrap_or(0);
    }
    cuts
}

/// Blocks of the section at the beginning of `rest`, if it is a list of sources.
fn section(markdown: &str, rest: &[MarkdownBlock]) -> Option<usize> {
    let count = rest.iter().take_while(|block| block.kind != BlockKind::Heading).count();
    let body = rest.get(..count)?;
    let words = body.iter().filter(|block| !is_list(block.kind)).count();
    let is_of_sources = body.iter().any(|block| is_list(block.kind) && names_one(text(markdown, block)));
    (is_of_sources && words <= INTRODUCTION_MAX).then_some(count)
}

/// Blocks of the list at the beginning of `blocks`, if sources are in it.
fn list(markdown: &str, blocks: &[MarkdownBlock], belongs: impl Fn(BlockKind) -> bool) -> Option<usize> {
    let count = blocks.iter().take_while(|block| belongs(block.kind)).count();
    let entries = blocks.get(..count)?;
    entries.iter().any(|block| names_one(text(markdown, block))).then_some(count)
}

fn is_list(kind: BlockKind) -> bool {
    matches!(kind, BlockKind::SourceEntry | BlockKind::Item | BlockKind::Row)
}

/// Whether an entry has an address or a label: notes have neither.
fn names_one(entry: &str) -> bool {
    has_address(entry) || is_labelled(entry) || is_definition(entry)
}

/// `Sources:` alone on its line.
fn announces(paragraph: &str) -> bool {
    paragraph.trim_end().ends_with([':', '：']) && names_sources(paragraph)
}

/// `Sources: https://…, https://…` in one paragraph.
fn is_inline_list(paragraph: &str) -> bool {
    let plain = paragraph.trim_start_matches(['*', '_']);
    plain.split_once([':', '：']).is_some_and(|(name, rest)| names_sources(name) && has_address(rest))
}

fn text<'a>(markdown: &'a str, block: &MarkdownBlock) -> &'a str {
    markdown.get(block.start..block.end).unwrap_or_default()
}

fn lines(markdown: &str, start: usize, end: usize) -> Range<usize> {
    let before = markdown.get(..start).unwrap_or_default();
    let after = markdown.get(end..).unwrap_or_default();
    let first = before.rfind('\n').map_or(0, |at| at + 1);
    let last = after.find('\n').map_or(markdown.len(), |at| end + at + 1);
    first..last
}

/// Without the gaps and rules that a list left behind.
fn tidied(text: &str) -> String {
    let mut kept: Vec<&str> = Vec::new();
    for line in text.lines() {
        let is_gap = line.trim().is_empty() && kept.last().is_none_or(|last| last.trim().is_empty());
        if !is_gap {
            kept.push(line);
        }
    }
    while kept.last().is_some_and(|last| last.trim().is_empty() || is_rule(last.trim())) {
        kept.pop();
    }
    let mut tidied = kept.join("\n");
    tidied.push('\n');
    tidied
}

#[cfg(test)]
mod tests {
    use super::without_source_lists;

    #[track_caller]
    fn check(report: &str, expected: &str) {
        assert_eq!(without_source_lists(report), expected);
    }

    #[test]
    fn every_list_of_sources_goes_and_every_sentence_stays() {
        check(
            "# Buses\n\nThey cost less [cite: 1].\n\n**Sources:**\n1. [a.example](https://a.example/x)\n2. [b](https://b.example/)\n",
            "# Buses\n\nThey cost less [cite: 1].\n",
        );
        check(
            "# Buses\n\nText [1].\n\n---\n\n## References\n\nThese were read:\n\n- [1] A book, 2020\n- [2] https://b.example/\n\n## Outlook\n\nMore.\n",
            "# Buses\n\nText [1].\n\n---\n\n## Outlook\n\nMore.\n",
        );
        check("Text.[^1]\n\n[^1]: Smith, 2020.\n[a]: https://a.example/\n", "Text.[^1]\n");
        check("Text.\n\nSources: https://a.example/, https://b.example/\n", "Text.\n");
        check(
            "Text.\n\nSources:\n- https://a.example/\n- B, https://b.example/\n\nEnd.\n",
            "Text.\n\nEnd.\n",
        );
        check(
            "Text.\n\n---\n\n## Quellen\n\n| Nr | Adresse |\n|---|---|\n| 1 | https://a.example/ |\n",
            "Text.\n",
        );
    }

    #[test]
    fn what_only_looks_like_a_list_stays() {
        for report in [
            "# Notes\n\n- The figures exclude tax.\n- Prices are of 2024.\n",
            "## Sources\n\nThe river has two sources.\n\nOne lies in the north.\n",
            "1. First step\n2. Second step\n",
            "Sources: none were found.\n",
            "",
        ] {
            check(report, report);
        }
    }
}
