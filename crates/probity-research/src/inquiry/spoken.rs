//! What of a text stands inside quotation marks: someone else's words.

/// Whether a figure of this text stands inside quotation marks.
pub fn is_second_hand(text: &str) -> bool {
    spoken(text).into_iter().any(|(open, close)| text.get(open..close).is_some_and(counts))
}

pub fn counts(text: &str) -> bool {
    text.chars().any(char::is_numeric)
}

/// Byte ranges inside quotation marks; marks that are never closed reach to the end.
pub fn spoken(text: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut open: Option<usize> = None;
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        let is_mark = match c {
            '„' | '“' | '”' | '«' | '»' | '「' | '」' | '『' | '』' => true,
            // Inches are no marks.
            '"' => open.is_some() || !before.is_numeric(),
            _ => false,
        };
        before = c;
        match open.filter(|_| is_mark) {
            Some(start) => {
                found.push((start, at + c.len_utf8()));
                open = None;
            }
            None if is_mark && c != '”' => open = Some(at),
            None => {}
        }
    }
    found.extend(open.map(|start| (start, text.len())));
    found
}

#[cfg(test)]
mod tests {
    use super::is_second_hand;

    #[test]
    fn a_figure_inside_quotation_marks_is_second_hand() {
        for text in [
            "As the Orion Society once wrote: “The pier is 45 m long.”",
            "Die Orion-Gesellschaft schrieb: „Der Pier misst 45 m.“",
            "\"We sold 5 million,\" she said.",
            "As it wrote: “The pier is 45 m long",
        ] {
            assert!(is_second_hand(text), "{text}");
        }
        for text in [
            "The “Orion” pier is 45 m long.",
            "A 5\" pipe carries 45 litres.",
            "The pier is 45 m long, not “long”.",
        ] {
            assert!(!is_second_hand(text), "{text}");
        }
    }
}
