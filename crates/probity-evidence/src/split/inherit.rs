//! Citations that sentences without one take over from where they stand: from further on in their paragraph, from the
//! sentence that announces their list, from the heading, caption or note of their table.
//!
//! A weaker reading than a citation of their own, so it is kept apart from it and marked.

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
}

/// Every sentence takes the next citation of its paragraph.
fn paragraph(pieces: &mut [ReportPiece], block: &BlockTrace, note: &[usize]) {
    let mut next = note.to_vec();
    for piece in pieces.get_mut(block.pieces.clone()).unwrap_or_default().iter_mut().rev() {
        match piece.cites.is_empty() {
            true => take(piece, &next, InheritedCitation::Paragraph),
            false => next = piece.cites.iter().take(INHERITED_MAX).copied().collect(),
        }
    }
}

fn list(pieces: &mut [ReportPiece], items: &[BlockTrace], note: &[usize]) {
    for item in items {
        paragraph(pieces, item, &[]);
        let stem = item.stem.and_then(|stem| pieces.get(stem)).map(cited).unwrap_or_default();
        let from = if stem.is_empty() { note.to_vec() } else { stem };
        for piece in pieces.get_mut(item.pieces.clone()).unwrap_or_default() {
            take(piece, &from, InheritedCitation::List);
        }
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

/// Only what a source can say takes a citation over, and only if it has none.
fn take(piece: &mut ReportPiece, from: &[usize], place: InheritedCitation) {
    let says = piece.words.chars().any(char::is_alphanumeric);
    if piece.kind == ReportPieceKind::Fact
        && piece.cites.is_empty()
        && piece.inherits.is_empty()
        && says
        && !from.is_empty()
    {
        piece.inherits = from.iter().take(INHERITED_MAX).copied().collect();
        piece.inherited = Some(place);
    }
}
