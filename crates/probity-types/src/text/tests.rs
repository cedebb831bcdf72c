use proptest::prelude::*;

use super::{block, line, rows, short};

#[test]
fn a_terminal_cannot_be_steered() {
    assert_eq!(line("a\u{1b}]8;;http://x\u{7}b\u{202e}c\u{200b}\r\n  d\u{E0041}", 80), "a]8;;http://xbc d");
    assert_eq!(block("# T\u{1b}[31m\n\n- x\r"), "# T[31m\n\n- x");
}

#[test]
fn rows_stay_rows_within_their_characters() {
    assert_eq!(rows("a |  b\n\nc | d\u{200b}\n", 80), ["a | b", "c | d"]);
    assert_eq!(rows("abcdef\nghijkl\nmno", 9), ["abcdef", "gh…"]);
}

#[test]
fn cutting_counts_characters() {
    assert_eq!(short("größer", 4), "grö…");
    assert_eq!(short("abc", 3), "abc");
}

proptest! {
    // Biased towards the characters that matter: uniform strings almost never draw them.
    #[test]
    fn nothing_that_acts_survives(text in "[a-c \u{1b}\u{7}\u{202a}-\u{202e}\u{200b}-\u{200f}\u{80}-\u{9f}\u{E0020}-\u{E0060}\n\t]{0,60}") {
        let shown = line(&text, 20);
        prop_assert!(!shown.chars().any(super::acts));
        prop_assert!(shown.chars().count() <= 20);
        let kept_letters = text.chars().filter(|c| ('a'..='c').contains(c)).count();
        prop_assert_eq!(block(&text).chars().filter(|c| ('a'..='c').contains(c)).count(), kept_letters);
    }

    // Runs of plain letters are taken at once; the line is the same as character by character.
    #[test]
    fn a_line_is_its_words_cut_once(text in "[a-dé \u{200b}\u{1b}\n]{0,40}", characters_max in 0_usize..16) {
        let seen: String = text.chars().filter(|c| c.is_whitespace() || !super::acts(*c)).collect();
        let words: Vec<&str> = seen.split_whitespace().collect();
        prop_assert_eq!(line(&text, characters_max), short(&words.join(" "), characters_max));
    }
}
