//! Citations that sentences without one take over from where they stand: from further on in their paragraph, from the
//! sentence that announces their list or the item that names its sources, from the heading, caption or note of their
//! table, from the heading of their section or the line at its end that names its sources.
//!
//! A weaker reading than a citation of their own, so it is kept apart from it and marked.

use std::ops::Range;

use probity_types::ledger::InheritedCitation;

use super::{
    BlockKind, ReportPiece, ReportPieceKind, SplitReport,
    surroundings::{BlockTrace, announces},
};

/// Words with which the caption or the note of a table begins.
const CAPTIONS: &[&str] = &[
    "table",
    "figure",
    "chart",
    "source",
    "sources",
    "note",
    "notes",
    "data",
    "based on",
    "reference",
    "references",
    "citations",
    "see",
    "siehe",
    "belege",
    "voir",
    "références",
    "referencias",
    "véase",
    "riferimenti",
    "referências",
    "источники",
    "литература",
    "см",
    "参考",
    "参见",
    "參考",
    "数据源",
    "源头",
    "出处",
    "出處",
    "参照",
    "출처",
    "참고",
    "tabelle",
    "abbildung",
    "quelle",
    "quellen",
    "anmerkung",
    "daten",
    "tableau",
    "graphique",
    "remarque",
    "données",
    "tabla",
    "cuadro",
    "gráfico",
    "fuente",
    "fuentes",
    "nota",
    "datos",
    "tabella",
    "fonte",
    "fonti",
    "таблица",
    "источник",
    "примечание",
    "表",
    "图",
    "圖",
    "来源",
    "來源",
    "资料来源",
    "数据来源",
    "注",
    "出典",
    "図",
    "جدول",
    "المصدر",
    "ملاحظة",
];
/// A note that only names sources has no more words than its announcement.
const NOTE_BYTES_MAX: usize = 40;
/// Sources that one sentence takes over; a longer list says nothing about any one of them.
const INHERITED_MAX: usize = 8;

pub fn inherit(split: &mut SplitReport, blocks: &[BlockTrace]) {
    let mut place = 0;
    while let Some(block) = blocks.get(place) {
        let run = match block.kind {
            BlockKind::Item | BlockKind::Row => {
                blocks.iter().skip(place).take_while(|next| next.kind == block.kind).count()
            }
            _ => 1,
        };
        let group = blocks.get(place..place + run).unwrap_or_default();
        let note =
            blocks.get(place + run).map(|next| note(&split.pieces, next, block.kind)).unwrap_or_default();
        match block.kind {
            BlockKind::Paragraph | BlockKind::Quotation => paragraph(&mut split.pieces, block, &note),
            BlockKind::Item => list(&mut split.pieces, group, &note),
            BlockKind::Row => table(&mut split.pieces, group, &note),
            BlockKind::Heading | BlockKind::Code | BlockKind::SourceEntry | BlockKind::FrontMatter => {}
        }
        place += run;
    }
    let is_heading = |block: &BlockTrace| block.kind == BlockKind::Heading;
    for section in blocks.chunk_by(|_, next| !is_heading(next)) {
        self::section(&mut split.pieces, section);
    }
}

/// Every sentence takes the next citation of its paragraph. What is added behind the last one has none: it may be
/// anything.
fn paragraph(pieces: &mut [ReportPiece], block: &BlockTrace, note: &[usize]) {
    let mut next = note.to_vec();
    for piece in pieces.get_mut(block.pieces.clone()).unwrap_or_default().iter_mut().rev() {
        match piece.cites.is_empty() {
            true if piece.lost_citation => next.clear(),
            true => take(piece, &next, InheritedCitation::Paragraph),
            false => next = cited(piece),
        }
    }
}

fn list(pieces: &mut [ReportPiece], items: &[BlockTrace], note: &[usize]) {
    for item in items {
        paragraph(pieces, item, &[]);
    }
    for (item, next) in items.iter().zip(items.iter().skip(1)) {
        heads(pieces, item, next);
    }
    // An item that only names sources names those of the items beside it, and of the one above.
    for item in items {
        let sources = named_sources(pieces, item);
        for beside in items.iter().filter(|beside| !sources.is_empty() && beside.stem == item.stem) {
            take_all(pieces, beside.pieces.clone(), &sources, InheritedCitation::List);
        }
        if let Some(above) = item.stem.filter(|_| !sources.is_empty()) {
            take_all(pieces, above..above + 1, &sources, InheritedCitation::List);
        }
    }
    for item in items {
        // "According to the Gazette:" names who says each of them, as a mark behind each would.
        let reporter =
            item.stem.and_then(|stem| pieces.get(stem)).filter(|stem| super::is_lead_in(&stem.words));
        let said_by = reporter.map(|stem| stem.cites.clone()).unwrap_or_default();
        for piece in pieces.get_mut(item.pieces.clone()).unwrap_or_default() {
            if piece.cites.is_empty() && piece.kind == ReportPieceKind::Fact {
                piece.cites.clone_from(&said_by);
            }
        }
        let stem = item.stem.and_then(|stem| pieces.get(stem)).map(cited).unwrap_or_default();
        let from = if stem.is_empty() { note.to_vec() } else { stem };
        take_all(pieces, item.pieces.clone(), &from, InheritedCitation::List);
    }
}

/// Characters of an item that only heads the items below it.
const HEAD_CHARACTERS_MAX: usize = 60;

/// An item with others below it that is no sentence and has no figure heads them: it claims nothing.
fn heads(pieces: &mut [ReportPiece], item: &BlockTrace, next: &BlockTrace) {
    let [piece] = pieces.get_mut(item.pieces.clone()).unwrap_or_default() else { return };
    let words = piece.words.trim();
    let is_sentence = words.ends_with(['.', '!', '。', '！', ';', '；'])
        || words.contains([',', '，', '；'])
        || words.chars().count() > HEAD_CHARACTERS_MAX;
    let is_plain = piece.kind == ReportPieceKind::Fact && piece.cites.is_empty() && !piece.has_number;
    if next.stem == Some(item.pieces.start) && is_plain && piece.quotations.is_empty() && !is_sentence {
        piece.kind = ReportPieceKind::OwnWords;
        piece.load_bearing = false;
    }
}

/// The sources of an item that says nothing else, or that ends with them in brackets: "(Sources: …)".
fn named_sources(pieces: &[ReportPiece], item: &BlockTrace) -> Vec<usize> {
    let own = pieces.get(item.pieces.clone()).unwrap_or_default();
    let Some(last) = own.last().filter(|last| !last.cites.is_empty()) else { return Vec::new() };
    let words = last.words.trim();
    let bracket = words.trim_end_matches(['.', '。', ' ']).strip_suffix([')', '）']);
    let at_end = bracket.and_then(|rest| rest.rsplit_once(['(', '（'])).map_or("", |(_, inside)| inside);
    let only = own.len() == 1 && is_caption(words) && words.contains([':', '：']);
    let named = only || is_caption(at_end) && at_end.len() <= NOTE_BYTES_MAX;
    if named { cited(last) } else { Vec::new() }
}

/// What the heading cites, or the line that ends the section with its sources.
fn section(pieces: &mut [ReportPiece], blocks: &[BlockTrace]) {
    let heading = blocks.first().filter(|first| first.kind == BlockKind::Heading);
    let cites = heading.and_then(|heading| pieces.get(heading.pieces.start)).map(cited).unwrap_or_default();
    let last = blocks.iter().rev().find(|block| !block.pieces.is_empty());
    let named = last.map(|last| note(pieces, last, BlockKind::Paragraph)).unwrap_or_default();
    for from in [cites, named] {
        for block in blocks {
            take_all(pieces, block.pieces.clone(), &from, InheritedCitation::Section);
        }
    }
}

fn take_all(pieces: &mut [ReportPiece], range: Range<usize>, from: &[usize], place: InheritedCitation) {
    for piece in pieces.get_mut(range).unwrap_or_default() {
        take(piece, from, place);
    }
}

fn table(pieces: &mut [ReportPiece], rows: &[BlockTrace], note: &[usize]) {
    let header = rows.iter().find(|row| row.is_header).and_then(|row| pieces.get(row.pieces.start));
    let mut from = header.map(|header| header.cites.clone()).unwrap_or_default();
    let first = rows.first();
    if from.is_empty() {
        let stem = first.and_then(|row| row.stem).and_then(|stem| pieces.get(stem));
        from = stem.filter(|stem| announces(stem) || is_caption(&stem.words)).map(cited).unwrap_or_default();
    }
    if from.is_empty() {
        from = note.to_vec();
    }
    if from.is_empty() {
        let heading = first.and_then(|row| row.heading).and_then(|heading| pieces.get(heading));
        from = heading.map(|heading| heading.cites.clone()).unwrap_or_default();
    }
    if from.is_empty() {
        // "The following shows the three towns [1].": the sentence right above names the source of what it shows.
        let above = first.and_then(|row| row.stem).and_then(|stem| pieces.get(stem));
        from = above.map(|above| above.cites.clone()).unwrap_or_default();
    }
    for row in rows {
        for piece in pieces.get_mut(row.pieces.clone()).unwrap_or_default() {
            take(piece, &from, InheritedCitation::Table);
        }
    }
}

/// The sources of a block that only names those of the block before it.
fn note(pieces: &[ReportPiece], block: &BlockTrace, of: BlockKind) -> Vec<usize> {
    let is_text = matches!(block.kind, BlockKind::Paragraph | BlockKind::Quotation);
    let own = pieces.get(block.pieces.clone()).unwrap_or_default();
    let words: usize = own.iter().map(|piece| piece.words.len()).sum();
    let Some(first) = own.first().filter(|first| is_text && is_caption(&first.words)) else {
        return Vec::new();
    };
    let names_only = words <= NOTE_BYTES_MAX && first.words.trim_end().ends_with([':', '：', '.']);
    if of != BlockKind::Row && !names_only {
        return Vec::new();
    }
    let mut found = Vec::new();
    for place in own.iter().flat_map(|piece| &piece.cites) {
        if found.len() < INHERITED_MAX && !found.contains(place) {
            found.push(*place);
        }
    }
    found
}

fn is_caption(words: &str) -> bool {
    let lower = words.trim_start_matches(|c: char| !c.is_alphabetic()).to_lowercase();
    CAPTIONS.iter().any(|word| {
        lower.strip_prefix(word).is_some_and(|rest| {
            word.chars().next().is_some_and(super::script::is_dense) || !rest.starts_with(char::is_alphabetic)
        })
    })
}

fn cited(piece: &ReportPiece) -> Vec<usize> {
    let places = if piece.cites.is_empty() { &piece.inherits } else { &piece.cites };
    places.iter().take(INHERITED_MAX).copied().collect()
}

/// Only what a source can say takes a citation over, and only if it has none and had none.
fn take(piece: &mut ReportPiece, from: &[usize], place: InheritedCitation) {
    let says = piece.words.chars().any(char::is_alphanumeric);
    if piece.kind == ReportPieceKind::Fact
        && piece.cites.is_empty()
        && !piece.lost_citation
        && piece.inherits.is_empty()
        && says
        && !from.is_empty()
    {
        piece.inherits = from.iter().take(INHERITED_MAX).copied().collect();
        piece.inherited = Some(place);
    }
}
