//! The words of a question that say what it is about. For providers that want every word to occur: a page on the
//! colour of the sky need not contain "why".

const SILENT: [&str; 50] = [
    "a", "about", "all", "an", "and", "are", "as", "at", "be", "been", "between", "by", "can", "could",
    "did", "do", "does", "for", "from", "has", "have", "how", "in", "into", "is", "it", "its", "of", "on",
    "or", "should", "that", "the", "their", "there", "these", "this", "to", "was", "were", "what", "when",
    "where", "which", "who", "why", "will", "with", "would", "you",
];

/// The keywords in their order; all words where none is one.
pub(super) fn significant_words(query: &str, words_max: usize) -> Vec<&str> {
    let words = || {
        query
            .split(|c: char| !c.is_alphanumeric() && c != '-')
            .filter(|word| word.chars().any(char::is_alphanumeric))
    };
    let telling: Vec<&str> =
        words().filter(|word| !SILENT.contains(&word.to_lowercase().as_str())).take(words_max).collect();
    if telling.is_empty() { words().take(words_max).collect() } else { telling }
}

#[cfg(test)]
mod tests {
    use super::significant_words;

    #[test]
    fn questions_become_their_subject() {
        assert_eq!(significant_words("Why is the sky blue?", 9), ["sky", "blue"]);
        assert_eq!(significant_words("what is it", 9), ["what", "is", "it"]);
        assert_eq!(
            significant_words("state-of-the-art (LLM) \"agents\" - 2026", 3),
            ["state-of-the-art", "LLM", "agents"]
        );
        assert!(significant_words("???", 9).is_empty());
    }
}
