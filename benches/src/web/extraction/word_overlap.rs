//! How much of one text is in another, by words.

use std::collections::HashMap;

/// The balance of what was found and of what should not have been, from 0 to 1.
pub fn f1(truth: &str, found: &str) -> f64 {
    let (truth, found) = (counts(truth), counts(found));
    let shared: usize =
        truth.iter().map(|(word, count)| found.get(word).map_or(0, |other| *other.min(count))).sum();
    let (of_truth, of_found) = (truth.values().sum::<usize>(), found.values().sum::<usize>());
    if shared == 0 {
        return 0.0;
    }
    let (precision, recall) = (shared as f64 / of_found as f64, shared as f64 / of_truth as f64);
    2.0 * precision * recall / (precision + recall)
}

fn counts(text: &str) -> HashMap<&str, usize> {
    let mut counts = HashMap::new();
    for word in text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty()) {
        *counts.entry(word).or_default() += 1;
    }
    counts
}

/// Everything outside `<` and `>`, and outside scripts and styles.
pub fn between_tags(html: &str) -> String {
    let mut text = String::new();
    let mut raw = false;
    for piece in html.split('<') {
        let (tag, after) = piece.split_once('>').unwrap_or(("", piece));
        raw = if raw { !tag.starts_with('/') } else { tag.starts_with("script") || tag.starts_with("style") };
        if !raw {
            text.push_str(after);
            text.push(' ');
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{between_tags, f1};

    #[test]
    fn the_score_sees_what_is_missing_and_what_is_too_much() {
        assert!((f1("a b c d", "a b c d") - 1.0).abs() < 1e-9);
        assert!((f1("a b c d", "a b") - 2.0 / 3.0).abs() < 1e-9);
        assert!((f1("a b", "a b c d") - 2.0 / 3.0).abs() < 1e-9);
        assert!(f1("a b", "") == 0.0 && f1("a", "b") == 0.0);
        assert_eq!(
            between_tags("<p>a</p><script>x<y</script><b>c").split_whitespace().collect::<Vec<_>>(),
            ["a", "c"]
        );
    }
}
