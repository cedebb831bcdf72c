//! Whether two rounds say the same: the same figures and negations, and nearly the same words.
//!
//! No proof that either is true; only that a second search did not change the answer.

use std::collections::BTreeSet;

/// Share of the words that must be common to both. Rewording changes a few; another answer changes many.
const WORDS_COMMON_MIN: f64 = 0.8;

/// Words that turn a sentence into its opposite.
const NEGATIONS: &[&str] = &[
    "no", "not", "never", "none", "without", "neither", "nor", "cannot", "false", "nicht", "kein", "keine",
    "nie", "ohne", "ne", "pas", "jamais", "sans", "sin", "nunca",
];

pub fn answers_agree(earlier: &str, later: &str) -> bool {
    let (earlier, later) = (AnswerWords::of(earlier), AnswerWords::of(later));
    earlier.hard == later.hard && earlier.overlap(&later) >= WORDS_COMMON_MIN
}

/// Whether two rounds have the same text, line breaks and emphasis aside. Another address is another text.
pub fn is_same_text(earlier: &str, later: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        let bare = text.split_whitespace().map(|word| word.replace(['*', '#'], ""));
        bare.filter(|word| !word.is_empty() && word != "-").collect()
    };
    words(earlier) == words(later)
}

#[derive(Debug, PartialEq, Eq)]
struct AnswerWords {
    /// Figures and negations: each one has a meaning of its own.
    hard: BTreeSet<String>,
    words: BTreeSet<String>,
}

impl AnswerWords {
    fn of(markdown: &str) -> Self {
        let mut said = Self { hard: BTreeSet::new(), words: BTreeSet::new() };
        for word in without_addresses(markdown).split(|c: char| !(c.is_alphanumeric() || ".,'’%".contains(c)))
        {
            let word = word.trim_matches(|c: char| ".,'’".contains(c)).to_lowercase();
            let is_negation =
                NEGATIONS.contains(&word.as_str()) || word.ends_with("n't") || word.ends_with("n’t");
            if word.chars().any(char::is_numeric) {
                said.hard.insert(word.replace(',', ""));
            } else if is_negation {
                said.hard.insert(word);
            } else if !word.is_empty() {
                said.words.insert(word);
            }
        }
        said
    }

    fn overlap(&self, other: &Self) -> f64 {
        let common = self.words.intersection(&other.words).count();
        let all = self.words.union(&other.words).count();
        if all == 0 { 1.0 } else { common as f64 / all as f64 }
    }
}

/// Links move and are numbered anew; the content is the text around them.
fn without_addresses(markdown: &str) -> String {
    let mut text = markdown.to_owned();
    for address in super::links::addresses(markdown) {
        text = text.replace(&address, " ");
    }
    // `[1](…)` leaves its number behind: a mark, not a figure.
    let mut out = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some((before, after)) = rest.split_once('[') {
        out.push_str(before);
        rest = match after.split_once(']') {
            Some((mark, behind)) if mark.trim().chars().all(|c| c.is_numeric() || c == ',' || c == ' ') => {
                behind
            }
            _ => after,
        };
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::{answers_agree, is_same_text};

    const FIRST: &str = "# TPU\nThe first TPU was deployed in 2015 [1](https://a.example/1). It ran at 700 MHz and \
                         was not sold to others.";

    #[test]
    fn the_same_answer_with_other_marks_and_a_word_changed_agrees() {
        assert!(answers_agree(FIRST, FIRST));
        let reworded = "# TPU\nThe first TPU was deployed in 2015 [2](https://b.example/9). It ran at 700 MHz and \
                        was not sold to anyone.";
        assert!(answers_agree(FIRST, reworded));
    }

    #[test]
    fn only_line_breaks_and_emphasis_leave_a_text_the_same() {
        let broken = FIRST.replace("# TPU\n", "## **TPU**\n\n").replace(" It ran", "\n- *It ran*");
        assert!(is_same_text(FIRST, &broken), "{broken}");
        for (old, new) in
            [("2015", "2016"), ("a.example/1", "a.example/2"), ("was not", "was"), ("TPU", "tpu")]
        {
            assert!(!is_same_text(FIRST, &FIRST.replacen(old, new, 1)), "{old}");
        }
    }

    #[test]
    fn another_figure_a_lost_negation_or_another_answer_does_not() {
        assert!(!answers_agree(FIRST, &FIRST.replace("2015", "2016")));
        assert!(!answers_agree(FIRST, &FIRST.replace("was not sold", "was sold")));
        assert!(!answers_agree(FIRST, "# TPU\nNobody knows when the first one was deployed."));
        assert!(!answers_agree("Revenue rose 12 %.", "Revenue rose 1.2 %."));
    }
}
