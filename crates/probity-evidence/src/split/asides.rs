//! Sentences that stand beside the sources: in footnotes, behind or before the address of an entry of a list. They are
//! claims of the text like any other, and cite the address they stand beside. Also what of a text is not read on purpose.

use std::collections::BTreeMap;

use probity_types::ledger::{InheritedCitation, SkippedKind, SkippedParts};

use super::{
    BlockKind, CitedSource, ReportPieceKind, SplitReport,
    blocks::{MarkdownBlock, is_definition},
    findings, statements,
};
use crate::{
    citations::{CitationMark, CitationTarget, KnownLabels, list, marks},
    words::{WordKind, is_stop_word, stem, words},
};

/// Pages that a footnote takes over.
const CALLED_MAX: usize = 8;

/// The blocks with the sentences of entries as blocks of their own.
pub fn apart(markdown: &str, blocks: &[MarkdownBlock]) -> Vec<MarkdownBlock> {
    let mut found = Vec::with_capacity(blocks.len());
    for block in blocks {
        let said = (block.kind == BlockKind::SourceEntry).then(|| sentences_from(markdown, block)).flatten();
        let Some(from) = said else {
            found.push(*block);
            continue;
        };
        let before = markdown.get(block.start..from).unwrap_or_default().trim_end();
        if !before.is_empty() {
            found.push(MarkdownBlock { end: block.start + before.len(), ..*block });
        }
        found.push(MarkdownBlock {
            kind: BlockKind::Paragraph,
            start: from,
            aside_of: Some(block.start),
            ..*block
        });
    }
    found
}

/// Where the sentences of an entry begin; none where it only names its source.
fn sentences_from(markdown: &str, block: &MarkdownBlock) -> Option<usize> {
    let body = markdown.get(block.start..block.end)?;
    let (_, label) = list::label(body);
    let start = block.start + label;
    let states = match body.starts_with("[^") {
        true => statements::footnote_states,
        false => statements::note_states,
    };
    let found = marks(markdown, start, block.end, &KnownLabels::default());
    let is_address = |mark: &&CitationMark| matches!(mark.target, CitationTarget::Url(_));
    let first = found.iter().find(is_address);
    let head = markdown.get(start..first.map_or(block.end, |mark| mark.start))?;
    let lead = head.len() - head.trim_start().len();
    let is_work = list::names_work(head.trim_start());
    let said = head.trim_end_matches(['(', '（', ':', '-', '–', '—', ' ', '\n']);
    if !is_work && (states(said) || findings::names_state(said)) {
        return Some(start + lead);
    }
    let last = found.iter().rfind(is_address)?;
    let tail = markdown.get(last.end..block.end)?;
    let words = tail.trim_start_matches(['.', ',', ';', ':', '-', '–', '—', ')', ']', ' ', '\n', '\r', '\t']);
    states(words).then(|| block.end - words.len())
}

/// Gives the sentences of footnotes without an address what the sentences cite that call them.
pub fn rest_on_callers(
    split: &mut SplitReport,
    cited: &[CitedSource],
    markdown: &str,
    blocks: &[MarkdownBlock],
) {
    let has_address = |place: &usize| cited.get(*place).is_some_and(|source| !source.url.is_empty());
    let mut notes: BTreeMap<&str, usize> = BTreeMap::new();
    for (place, source) in cited.iter().enumerate().filter(|(_, source)| source.url.is_empty()) {
        if let Some(label) = &source.label {
            notes.entry(label).or_insert(place);
        }
    }
    if notes.is_empty() {
        return;
    }
    let mut called: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for piece in &split.pieces {
        let pages: Vec<usize> = piece.cites.iter().copied().filter(has_address).take(CALLED_MAX).collect();
        for note in piece.cites.iter().filter(|place| !has_address(place)) {
            let known = called.entry(*note).or_default();
            let new: Vec<usize> = pages.iter().copied().filter(|page| !known.contains(page)).collect();
            known.extend(new);
            known.truncate(CALLED_MAX);
        }
    }
    for sentence in &split.sentences {
        let Some(entry) = blocks.get(sentence.block).and_then(|block| block.aside_of) else { continue };
        let (label, _) = list::label(markdown.get(entry..sentence.end).unwrap_or_default());
        let note = label.and_then(|label| notes.get(label.as_str()).copied());
        let Some(pages) = note.and_then(|note| called.get(&note)).filter(|pages| !pages.is_empty()) else {
            continue;
        };
        for piece in split.pieces.get_mut(sentence.claims.clone()).unwrap_or_default() {
            if piece.kind == ReportPieceKind::Fact && piece.cites.is_empty() && !piece.lost_citation {
                piece.inherits.clone_from(pages);
                piece.inherited = Some(InheritedCitation::Section);
            }
        }
    }
}

/// What of a text is not read, one entry for each kind.
pub fn skipped(markdown: &str, blocks: &[MarkdownBlock]) -> Vec<SkippedParts> {
    let mut found: Vec<SkippedParts> = Vec::new();
    for block in blocks {
        let text = markdown.get(block.start..block.end).unwrap_or_default();
        let Some((kind, has_sentence)) = not_read(block.kind, text) else { continue };
        let place = found.iter().position(|parts| parts.kind == kind).unwrap_or_else(|| {
            found.push(SkippedParts { kind, count: 0, with_sentences: 0 });
            found.len() - 1
        });
        if let Some(parts) = found.get_mut(place) {
            parts.count = parts.count.saturating_add(1);
            parts.with_sentences = parts.with_sentences.saturating_add(u32::from(has_sentence));
        }
    }
    found
}

/// Whether a block is one that is not read, and whether it holds a sentence.
fn not_read(kind: BlockKind, text: &str) -> Option<(SkippedKind, bool)> {
    match kind {
        BlockKind::Code => {
            let (fence, code) = text.split_once('\n').unwrap_or((text, ""));
            let code = code.trim_end_matches(['`', '~']);
            // A fence that nothing closes is a line of its own, and what follows is read.
            let about = fence.trim_start_matches(['`', '~']);
            (!code.trim().is_empty())
                .then(|| (SkippedKind::CodeBlock, statements::holds_sentence(code, about)))
        }
        BlockKind::FrontMatter => Some((SkippedKind::FrontMatter, statements::settings_hold_sentence(text))),
        BlockKind::SourceEntry => {
            let title = link_title(text)?;
            Some((SkippedKind::LinkTitle, statements::heading_states(title)))
        }
        BlockKind::Heading
        | BlockKind::Paragraph
        | BlockKind::Item
        | BlockKind::Row
        | BlockKind::Quotation => {
            let says = |title: &str| statements::heading_states(title) && is_news(title, text);
            inline_titles(text).any(says).then_some((SkippedKind::LinkTitle, true))
        }
    }
}

/// The titles of `[a](https://a.example/ "…")` within prose.
fn inline_titles(text: &str) -> impl Iterator<Item = &str> {
    text.split("](").skip(1).filter_map(|link| {
        let (address, behind) = link.split_once([' ', '\t'])?;
        let inside = behind.trim_start().strip_prefix(['"', '\''])?;
        let (title, _) = inside.split_once("\")").or_else(|| inside.split_once("')"))?;
        (!address.contains([')', '\n'])).then(|| title.trim())
    })
}

/// The words around a title have less than half of what it says: it is no name of what is cited for them.
fn is_news(title: &str, text: &str) -> bool {
    let around = words(&text.replacen(title, " ", 1));
    let said: Vec<&str> = around.iter().map(|word| stem(&word.folded)).collect();
    let own = words(title);
    let telling = own.iter().filter(|word| word.kind == WordKind::Plain && !is_stop_word(&word.folded));
    let (mut all, mut there) = (0_usize, 0_usize);
    for word in telling {
        all += 1;
        there += usize::from(said.contains(&stem(&word.folded)));
    }
    2 * there < all
}

/// `…` of `[1]: https://a.example/ "…"`.
fn link_title(entry: &str) -> Option<&str> {
    let rest = is_definition(entry).then(|| entry.split_once("]:"))??.1.trim();
    let (_, title) = rest.split_once(char::is_whitespace)?;
    let title = title.trim();
    let inside = title.strip_prefix(['"', '\'', '('])?.strip_suffix(['"', '\'', ')'])?;
    (!inside.trim().is_empty()).then(|| inside.trim())
}

#[cfg(test)]
mod tests {
    use probity_types::ledger::skipped::in_words;

    use crate::split::{ReportPieceKind, split};

    /// What the text claims, each with its addresses.
    #[track_caller]
    fn check(markdown: &str, expected: &[&str]) {
        let found = split(markdown, &[], &[]);
        let claims = found.pieces.iter().filter(|piece| piece.kind != ReportPieceKind::Structure);
        let told: Vec<String> = claims
            .map(|piece| {
                let urls: Vec<&str> =
                    piece.cites.iter().map(|place| found.cited[*place].url.as_str()).collect();
                format!("{} <{}>", piece.words, urls.join(" "))
            })
            .collect();
        assert_eq!(told, expected, "{markdown}");
    }

    const OPENED: &str = "It opened in 1931. <http://a.example/x>";

    #[test]
    fn sentences_of_footnotes_are_claims_on_their_own_address() {
        check(
            "It opened in 1931.[^1]\n\n[^1]: http://a.example/x. The bridge collapsed in 1950 and killed forty people.",
            &[OPENED, "The bridge collapsed in 1950 and killed forty people. <http://a.example/x>"],
        );
        check(
            "It opened in 1931 [1](http://a.example/x).[^2]\n\n[^2]: It collapsed in 1950 and killed forty people.",
            &["It opened in 1931. <http://a.example/x >", "It collapsed in 1950 and killed forty people. <>"],
        );
        check(
            "It opened in 1931 [1](http://a.example/x).[^2]\n\n[^2]: The mayor stayed at home in protest. [2](http://b.example/y)",
            &[
                "It opened in 1931. <http://a.example/x http://b.example/y>",
                "The mayor stayed at home in protest. <http://b.example/y>",
            ],
        );
        check(
            "It opened in 1931.[^1]\n\n[^1]: City of Pell, annual report of the works, 2020. http://a.example/x",
            &[OPENED],
        );
    }

    #[test]
    fn a_footnote_without_an_address_rests_on_what_its_caller_cites() {
        for note in ["The mayor stayed at home in protest.", "Die Bürgermeisterin lehnte den Entwurf ab."] {
            let text = format!("It opened in 1931 [1](http://a.example/x).[^2]\n\n[^2]: {note}");
            let found = split(&text, &[], &[]);
            let piece = found.pieces.iter().find(|piece| piece.words == note).unwrap();
            assert_eq!(piece.kind, ReportPieceKind::Fact, "{note}");
            assert!(piece.cites.is_empty(), "{note}");
            let pages: Vec<&str> =
                piece.inherits.iter().map(|place| found.cited[*place].url.as_str()).collect();
            assert_eq!(pages, ["http://a.example/x"], "{note}");
        }
    }

    #[test]
    fn headings_of_other_languages_state_and_rest_on_the_text() {
        let text = "## Ein Sturm machte den Hafen von Pell unbrauchbar\n\nDer Hafen von Pell hat \
            zwei Becken [1](http://a.example/x).\n\n## Der Hafen von Pell\n";
        let found = split(text, &[], &[]);
        let kinds: Vec<ReportPieceKind> = found.pieces.iter().map(|piece| piece.kind).collect();
        assert_eq!(
            kinds,
            [ReportPieceKind::Fact, ReportPieceKind::Fact, ReportPieceKind::Structure],
            "{:#?}",
            found.pieces
        );
        assert_eq!(found.pieces[0].inherits, [0]);
    }

    #[test]
    fn remarks_in_a_list_of_sources_are_claims_and_titles_are_not() {
        check(
            "It opened in 1931 [1].\n\n## Sources\n\n1. http://a.example/x The bridge collapsed in 1950 and killed forty people.",
            &[OPENED, "The bridge collapsed in 1950 and killed forty people. <http://a.example/x>"],
        );
        check(
            "It opened in 1931 [1](http://a.example/x).\n\n## Further reading\n\n- The bridge collapsed in 1950 and killed forty people (http://b.example/y)",
            &[OPENED, "The bridge collapsed in 1950 and killed forty people <http://b.example/y>"],
        );
        for entry in [
            "1. [The bridge is open](http://a.example/x)",
            "1. Dorrin Bridge is open - City News http://a.example/x",
            "1. Velten, M. (1931). The bridge is open. Pell Press. http://a.example/x",
            "1. *The bridge was opened in 1931*, http://a.example/x",
            "1. http://a.example/x How the bridge was built",
        ] {
            check(&format!("It opened in 1931 [1].\n\n## Sources\n\n{entry}"), &[OPENED]);
        }
    }

    #[test]
    fn a_title_within_prose_may_say_more_than_its_sentence() {
        let skipped = |title: &str| {
            let text = format!("The Dorrin Bridge opened in 1931 [1](http://a.example/x \"{title}\").");
            in_words(&split(&text, &[], &[]).skipped)
        };
        assert_eq!(
            skipped("The hall burned down in 1950 and nobody was insured"),
            "1 title of a link (with sentences)"
        );
        assert_eq!(skipped("Die Halle wurde 1950 zerstört"), "1 title of a link (with sentences)");
        for title in [
            "The Dorrin Bridge was opened",
            "City News",
            "Press release by the city about the bridge, as retrieved by us",
            "Amtsblatt der Stadt Pell",
        ] {
            assert_eq!(skipped(title), "", "{title}");
        }
    }

    #[test]
    fn headings_that_state_are_claims() {
        check(
            "# The Dorrin Bridge collapsed in 1950\n\n## History\n\nIt opened in 1931 [1](http://a.example/x).",
            &["The Dorrin Bridge collapsed in 1950 <>", OPENED],
        );
    }

    #[test]
    fn a_table_of_one_row_is_read_and_headers_are_not() {
        check("| Pell | 40 dead |\n|---|---|\n", &["Pell; 40 dead <>"]);
        check("| Year | Event |\n|---|---|\n", &[]);
        check("| Year | Event |\n|---|---|\n| 1950 | Collapse |\n", &["Year: 1950; Event: Collapse <>"]);
    }

    #[test]
    fn pictures_are_claims_apart_from_what_stands_below() {
        check(
            "![The bridge after it collapsed in 1950](http://a.example/i.png)\n*The bridge in 1931.*",
            &["The bridge after it collapsed in 1950 <>", "The bridge in 1931. <>"],
        );
        check("<img src=x.png alt=\"The bridge after it collapsed\">", &["The bridge after it collapsed <>"]);
    }

    #[test]
    fn addresses_are_read_as_browsers_read_them() {
        check(
            "Lit in 1902 [2](http://d.example/k?a=1&amp;b=2).",
            &["Lit in 1902. <http://d.example/k?a=1&b=2>"],
        );
        check(
            "Lit in 1902 [2].\n\n[2]: http://d.example/k?a=1&#38;b=2",
            &["Lit in 1902. <http://d.example/k?a=1&b=2>"],
        );
    }

    #[test]
    fn bylines_and_labels_claim_nothing() {
        check(
            "By a rival desk, 2026.\n\nYear Event\n\nIt opened in 1931 [1](http://a.example/x).",
            &[OPENED],
        );
    }

    #[test]
    fn what_is_not_read_is_counted_and_sentences_in_it_are_seen() {
        let skipped = |markdown: &str| in_words(&split(markdown, &[], &[]).skipped);
        assert_eq!(
            skipped("It is.\n\n```\nx = 1\n```\n\n~~~python\n# It is a test.\ny = 2\n~~~\n"),
            "2 code blocks"
        );
        assert_eq!(skipped("```\nThe bridge collapsed in 1950.\n```\n"), "1 code block (with sentences)");
        assert_eq!(
            skipped(
                "---\ntitle: The bridge collapsed in 1950\n---\n\nIt is [1].\n\n[1]: http://a.example/ \"A page\"\n"
            ),
            "front matter (with sentences), 1 title of a link"
        );
        assert_eq!(skipped("It is [1](http://a.example/)."), "");
    }
}
