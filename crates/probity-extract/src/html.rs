//! HTML: the text a reader came for, and what the page says about itself.

mod pieces;
mod scan;
mod select;
mod tag;
mod tree;
mod visible;
mod words;

use probity_research::web::page::{Block, Extract};

use self::tree::Tree;

pub fn extract(page: &str, _url: &str) -> Extract {
    let tree = Tree::of(page);
    let hidden = visible::hidden(&tree);
    let pieces = pieces::pieces(&tree, &hidden.is_hidden);
    let kept = select::select(&tree, &pieces);
    let mut extract = Extract { truncated: tree.truncated, ..Extract::default() };
    for (piece, _) in pieces.list.iter().zip(&kept).filter(|(_, kept)| **kept) {
        if !extract.text.is_empty() {
            extract.text.push('\n');
        }
        let start = extract.text.len();
        extract.text.push_str(pieces.text_of(piece));
        extract.blocks.push(Block {
            kind: piece.kind,
            start,
            end: extract.text.len(),
            source: Some(piece.source),
            page: None,
        });
    }
    extract
}
