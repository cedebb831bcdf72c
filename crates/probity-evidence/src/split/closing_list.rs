//! A numbered list of pages at the end of a text whose numbers the text cites: its sources, without a heading.

use super::{
    BlockKind,
    blocks::{MarkdownBlock, has_address},
    statements,
};

/// A longer entry says something about its page.
const TITLE_CHARACTERS_MAX: usize = 200;

/// Makes the list at the end a list of sources if each of its entries is a title with an address.
pub fn mark_closing_list(markdown: &str, found: &mut [MarkdownBlock]) {
    let has_sources = found.iter().any(|block| block.kind == BlockKind::SourceEntry);
    let last_other = found.iter().rposition(|block| block.kind != BlockKind::Item);
    let Some(items) = found.get_mut(last_other.map_or(0, |last| last + 1)..).filter(|_| !has_sources) else {
        return;
    };
    let Some(first) = items.first() else { return };
    let before = markdown.get(..first.start).unwrap_or_default();
    let is_cited = (1..=items.len()).any(|number| before.contains(&format!("[{number}]")));
    let is_list = || (1..).zip(&*items).all(|(number, item)| is_source(markdown, item, number));
    if is_cited && is_list() {
        for item in items {
            item.kind = BlockKind::SourceEntry;
            item.start = line_start(markdown, item);
        }
    }
}

fn is_source(markdown: &str, item: &MarkdownBlock, number: usize) -> bool {
    let mark = markdown.get(line_start(markdown, item)..item.start).unwrap_or_default().trim();
    let body = markdown.get(item.start..item.end).unwrap_or_default();
    let is_address = |part: &&str| part.contains("://");
    let parts = body.split(|c: char| c.is_whitespace() || "()<>[]".contains(c));
    let title = parts.filter(|part| !is_address(part)).collect::<Vec<&str>>().join(" ");
    mark.strip_suffix(['.', ')']) == Some(number.to_string().as_str())
        && has_address(body)
        && title.chars().count() <= TITLE_CHARACTERS_MAX
        && !statements::heading_states(&title)
}

/// Where its line begins, without spaces: the number of an entry is its label.
fn line_start(markdown: &str, item: &MarkdownBlock) -> usize {
    let before = markdown.get(..item.start).unwrap_or_default();
    let line = before.rfind('\n').map_or(0, |at| at + 1);
    let mark = before.get(line..).unwrap_or_default();
    line + (mark.len() - mark.trim_start().len())
}

#[cfg(test)]
mod tests {
    use crate::split::{ReportPieceKind, split};

    /// How many facts a text has, and the addresses that its first fact cites.
    fn read(text: &str) -> (usize, Vec<String>) {
        let split = split(text, &[], &[]);
        let facts: Vec<_> = split.pieces.iter().filter(|piece| piece.kind == ReportPieceKind::Fact).collect();
        let cites = facts[0].cites.iter().map(|place| split.cited[*place].url.clone()).collect();
        (facts.len(), cites)
    }

    #[test]
    fn a_numbered_list_of_pages_at_the_end_is_the_list_of_sources() {
        let said = "The mill made 40 tonnes [2]. It burned down in 1901 [1].\n\n";
        for list in [
            "1. Mill – https://a.org/1\n2. Harbour Gazette, 2019: https://a.org/2\n",
            "---\n\n1. [Mill](https://a.org/1)\n2. [Harbour Gazette](https://a.org/2)\n",
            "1) https://a.org/1\n2) https://a.org/2\n",
        ] {
            assert_eq!(read(&format!("{said}{list}")), (2, vec!["https://a.org/2".to_owned()]), "{list}");
        }
        for list in [
            "1. The mill was sold in 1910 (https://a.org/1).\n2. It was torn down in 1920 (https://a.org/2).\n",
            "1. Arden bought it in 1910.\n2. It was torn down in 1920.\n",
        ] {
            assert_eq!(read(&format!("{said}{list}")).0, 4, "{list}");
        }
    }
}
