//! What the program itself writes into a report about its own work: no author claims it, so nothing of it is checked.
//!
//! Only at places where a writer's text cannot be: under its own headings at the very end, and in its own first words.

use probity_types::report::ReportPhrases;

use super::{
    BlockKind,
    blocks::{MarkdownBlock, names_sources},
};

/// How its remarks in quotation blocks begin that are in English alone.
const REMARKS: &[&str] = &["No search was made:", "**Verified**:", "**Not verified**:"];

/// Marks the program's own blocks. A section of that name counts only if nothing but such sections and lists of sources
/// follows: a writer who takes the name for a chapter is checked.
pub fn mark(markdown: &str, blocks: &mut [MarkdownBlock]) {
    let text = |block: &MarkdownBlock| markdown.get(block.start..block.end).unwrap_or_default();
    let is_own = |block: &MarkdownBlock| {
        let heading = text(block).trim().to_lowercase();
        let mut headings = ReportPhrases::ALL
            .iter()
            .flat_map(|phrases| [phrases.unanswered, phrases.about, phrases.not_looked_up]);
        headings.any(|own| own.to_lowercase() == heading)
    };
    let mut own_from = blocks.len();
    for (place, block) in blocks.iter().enumerate().rev() {
        if block.kind != BlockKind::Heading {
            continue;
        }
        if is_own(block) {
            own_from = place;
        } else if !names_sources(text(block)) {
            break;
        }
    }
    let has_citation = |block: &MarkdownBlock| text(block).contains("http") || text(block).contains('[');
    for (place, block) in blocks.iter_mut().enumerate() {
        let is_text = matches!(block.kind, BlockKind::Paragraph | BlockKind::Item | BlockKind::Quotation);
        let is_remark = block.kind == BlockKind::Quotation
            && REMARKS
                .iter()
                .copied()
                .chain(ReportPhrases::ALL.iter().flat_map(remarks))
                .any(|remark| markdown.get(block.start..).is_some_and(|rest| rest.starts_with(remark)));
        block.is_notice = is_text && (is_remark || place > own_from && !has_citation(block));
    }
}

/// What the program says of a part that no model wrote.
fn remarks(phrases: &ReportPhrases) -> [&'static str; 4] {
    [phrases.quoted, phrases.own_files_quoted, phrases.made_of_quotations, phrases.nothing_found]
}
