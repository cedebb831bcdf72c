//! What stays of a text that is longer than somebody asked for.

use probity_types::inquiry::{Block, QuoteId, Sentence, SentenceKind};

use super::{SectionBound, bound_front, conclusions_max, key_points_max};
use crate::{
    inquiry::{
        claims::{CitedSentence, WrittenFront},
        conflict::{Conflict, ConflictValue},
        outline,
        plan::InquiryPlan,
        written::WrittenSection,
    },
    web::strategy::StrategyLevel,
};

fn fact(text: &str, quote: u32) -> Sentence {
    Sentence { text: text.to_owned(), quotes: vec![QuoteId(quote)], kind: SentenceKind::Fact }
}

fn section() -> WrittenSection {
    let sentences = vec![
        fact("Gulls nest on many roofs along the old western shore.", 1),
        fact("The toll of Vega Pier is 38 crowns for every ship.", 2),
        fact("Another page says that it is 45 crowns since this spring.", 3),
        fact("The harbour of Vega Pier was built by the town itself.", 4),
        fact("Visitors like to sit there and to look at the sea.", 5),
    ];
    let blocks = vec![
        Block::Heading { text: "Birds".to_owned() },
        Block::List { items: vec![fact("Terns breed there as well, and so do many other birds.", 6)] },
        Block::Heading { text: "Tolls".to_owned() },
        Block::Paragraph { sentences },
    ];
    WrittenSection { blocks, ..WrittenSection::default() }
}

fn kept(words: u32, conflicts: &[Conflict]) -> Vec<u32> {
    let mut written = section();
    let wanted = "What is the toll of Vega Pier harbour?".to_owned();
    SectionBound { words, wanted, conflicts, asked: &[] }.apply(&mut written);
    let bare = matches!(written.blocks.last(), Some(Block::Heading { .. }));
    assert!(!bare && written.blocks.iter().all(|block| !is_empty(block)), "{written:?}");
    written.sentences().map(|sentence| sentence.quotes[0].0).collect()
}

fn is_empty(block: &Block) -> bool {
    match block {
        Block::Paragraph { sentences } | Block::List { items: sentences } => sentences.is_empty(),
        Block::Heading { .. } | Block::Table(_) => false,
    }
}

fn side(value: &str, quote: u32) -> ConflictValue {
    ConflictValue {
        quote: QuoteId(quote),
        value: value.to_owned(),
        unit: "crowns".to_owned(),
        as_of: String::new(),
    }
}

#[test]
fn what_a_section_wants_stays_and_so_does_every_side_of_a_conflict() {
    assert_eq!(kept(100, &[]), [6, 1, 2, 3, 4, 5]);
    assert_eq!(kept(20, &[]), [2, 4]);
    assert_eq!(kept(1, &[]).len(), 1);
    let conflict = Conflict {
        entity: "Vega Pier".to_owned(),
        attribute: "toll".to_owned(),
        period: String::new(),
        sides: vec![side("38", 2), side("45", 3)],
        facet: None,
        attempts: 0,
    };
    assert_eq!(kept(5, &[conflict]), [2, 3]);
}

#[test]
fn the_front_keeps_its_answer_and_the_points_that_fit() {
    let told = |count: usize| {
        let one = CitedSentence { text: "ten words ".repeat(5), quotes: vec![QuoteId(1)] };
        vec![one; count]
    };
    let sizes = |words: u32| {
        let mut front = WrittenFront { answer: told(3), key_points: told(5), ..WrittenFront::default() };
        bound_front(&mut front, words);
        (front.answer.len(), front.key_points.len())
    };
    assert_eq!([5, 45, 100].map(sizes), [(1, 0), (3, 2), (3, 5)]);
}

#[test]
fn few_words_have_few_points_and_an_unstated_length_has_all() {
    let of = |words| InquiryPlan::new(StrategyLevel::Deep, words, None, 128_000);
    assert_eq!([None, Some(400), Some(2_500)].map(|words| key_points_max(&of(words))), [7, 3, 7]);
    let conclusions = |words| {
        let plan = of(words);
        conclusions_max(&plan, outline::synthesis_words(&plan))
    };
    assert_eq!([Some(400), Some(2_500)].map(conclusions), [4, 13]);
    assert_eq!(conclusions_max(&of(None), 60), 6);
}
