use proptest::prelude::*;

use super::anchor;
use crate::web::{note::FactKind, task::ReadReply};

const PAGE: &str = "Revenue fell by 12 %\n  in 2025, said  the company — „überraschend“.\nNothing else.";

fn reply(quotes: &[&str], facts: &[(&str, usize)]) -> ReadReply {
    ReadReply {
        quotes: quotes.iter().map(|quote| (*quote).to_owned()).collect(),
        facts: facts.iter().map(|(value, quote)| (FactKind::Number, (*value).to_owned(), *quote)).collect(),
        links: vec![0, 1, 7],
    }
}

#[test]
fn a_quotation_is_the_bytes_of_the_page_whatever_its_spaces() {
    let note = anchor(PAGE, &reply(&["“Revenue fell by 12 % in 2025”"], &[("12 %", 0)]), 2);
    assert_eq!(note.quotes[0].text, "Revenue fell by 12 %\n  in 2025");
    let range = note.quotes[0].start..note.quotes[0].end;
    assert_eq!(PAGE.get(range), Some(note.quotes[0].text.as_str()));
    assert_eq!((note.facts.len(), note.invented), (1, 0));
    assert_eq!(note.links, [0, 1]);
}

#[test]
fn a_changed_number_is_an_invention() {
    let note =
        anchor(PAGE, &reply(&["Revenue rose by 12 %", "Nothing else.", "a"], &[("13 %", 1), ("12", 0)]), 0);
    assert_eq!(note.quotes.len(), 1);
    assert_eq!(note.invented, 4);
    assert!(note.facts.is_empty() && note.links.is_empty());
}

proptest! {
    #[test]
    fn what_is_kept_stands_on_the_page(page in "\\PC{0,80}", quote in "\\PC{0,40}", from in 0_usize..60, to in 0_usize..80) {
        let inside: String = page.chars().skip(from).take(to).collect();
        for said in [quote, inside] {
            let note = anchor(&page, &reply(&[&said], &[]), 0);
            prop_assert_eq!(note.quotes.len() + note.invented as usize, 1);
            for quote in &note.quotes {
                prop_assert_eq!(page.get(quote.start..quote.end), Some(quote.text.as_str()));
            }
        }
    }
}
