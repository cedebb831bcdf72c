//! Whether words that stand where no prose is expected say something: headings, notes, the words beside an address in a
//! list of sources, code, front matter.
//!
//! A guess by finite verbs. Misses what it does not know, so that titles and labels are not taken for claims.

use super::{has_statement_length, kind, script, verbs};

/// Verbs that are nothing else, in the languages that most texts have.
const FINITE: &[&str] = &[
    "is",
    "are",
    "was",
    "were",
    "has",
    "have",
    "had",
    "does",
    "did",
    "will",
    "would",
    "can",
    "cannot",
    "could",
    "became",
    "becomes",
    "began",
    "begins",
    "broke",
    "came",
    "chose",
    "collapses",
    "consists",
    "contains",
    "crosses",
    "depends",
    "drew",
    "drove",
    "exceeds",
    "exists",
    "fell",
    "finds",
    "flew",
    "froze",
    "gave",
    "gets",
    "gives",
    "grew",
    "grows",
    "includes",
    "kills",
    "knew",
    "loses",
    "makes",
    "outperforms",
    "produces",
    "provides",
    "reaches",
    "reduces",
    "remains",
    "requires",
    "rises",
    "rose",
    "said",
    "sank",
    "saw",
    "says",
    "shook",
    "shows",
    "shrank",
    "spoke",
    "stole",
    "threatens",
    "threw",
    "took",
    "went",
    "wins",
    "won",
    "wrote",
    "ist",
    "sind",
    "wurde",
    "wurden",
    "wird",
    "werden",
    "haben",
    "hatte",
    "stürzte",
    "stieg",
    "starb",
    "starben",
    "fiel",
    "sont",
    "était",
    "étaient",
    "fut",
    "fue",
    "fueron",
    "está",
    "están",
    "foi",
    "foram",
    "è",
    "sono",
];
/// Past forms that say what happened, where the word behind them allows it; elsewhere they are adjectives.
const HAPPENED: &[&str] = &[
    "arrived",
    "belonged",
    "burned",
    "closed",
    "collapsed",
    "crashed",
    "declined",
    "decreased",
    "died",
    "disappeared",
    "doubled",
    "dropped",
    "drowned",
    "emerged",
    "ended",
    "exploded",
    "failed",
    "halved",
    "happened",
    "increased",
    "killed",
    "lasted",
    "occurred",
    "opened",
    "peaked",
    "plunged",
    "quadrupled",
    "rebounded",
    "remained",
    "resigned",
    "retired",
    "slumped",
    "soared",
    "started",
    "stayed",
    "stood",
    "succeeded",
    "surged",
    "tripled",
    "vanished",
];
/// Behind a verb and not behind an adjective.
const BEHIND_VERB: &[&str] = &[
    "in", "on", "by", "to", "from", "at", "after", "before", "during", "and", "with", "within", "over",
    "under", "between", "since", "until", "through", "for", "into", "out", "down", "up", "again", "because",
    "despite", "while", "as", "more", "less", "twice", "there", "here",
];
/// Begin what a verb acts upon.
const OBJECTS: &[&str] = &[
    "the",
    "a",
    "an",
    "its",
    "their",
    "his",
    "her",
    "no",
    "all",
    "many",
    "several",
    "hundreds",
    "thousands",
    "millions",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "twenty",
    "thirty",
    "forty",
    "fifty",
    "sixty",
    "seventy",
    "eighty",
    "ninety",
];
/// What follows belongs to a clause that names something and states nothing by itself.
const CLAUSES: &[&str] = &[
    "that", "which", "who", "whom", "whose", "what", "why", "how", "where", "when", "whether", "if", "as",
    "warum", "wie", "was", "wo", "wer", "pourquoi", "comment", "qui", "que", "cómo", "qué", "quién", "por",
];
/// Say when a page was read: what stands before them is its title.
const READ_ON: &[&str] = &["fetched 20", "accessed ", "retrieved ", "abgerufen", "consulté"];
/// Words of a line of code or of a setting that is prose.
const PROSE_WORDS_MIN: usize = 4;
/// Kinds of code that are words to be looked at: drawn, or set as they stand.
const DRAWN: &[&str] = &["mermaid", "dot", "graphviz", "plantuml"];
const LABEL_WORDS_MIN: usize = 3;
/// A byline and a label have no more words.
const BYLINE_WORDS_MAX: usize = 10;
const LABEL_WORDS_MAX: usize = 4;
const NAMING_BYTES_MAX: usize = 200;

/// Whether a heading is a sentence that states something, and no title, question or announcement.
pub fn heading_states(words: &str) -> bool {
    let words = words.trim();
    if words.ends_with(['?', '？', ':', '：']) || !has_statement_length(words) {
        return false;
    }
    let tokens = tokens(words);
    // "Was" opens a question in German and is a verb in English; at the beginning it is neither's statement.
    let is_clause = |place: usize, token: &str| match place {
        0 => CLAUSES.contains(&token),
        _ => token != "was" && CLAUSES.contains(&token),
    };
    let end = tokens.iter().enumerate().position(|(place, token)| is_clause(place, token));
    has_verb(tokens.get(..end.unwrap_or(tokens.len())).unwrap_or_default())
}

/// Whether words beside an address, or in a note, are a sentence about the world and no title or name of a work.
pub fn note_states(words: &str) -> bool {
    let words = words.trim();
    let tokens = tokens(words);
    if is_title(words) || tokens.len() < PROSE_WORDS_MIN || !has_verb(&tokens) {
        return false;
    }
    kind::is_whole_sentence(words) || begins_like_sentence(words)
}

/// The same for a footnote. It is written for the reader: a whole sentence in it counts by verbs that titles have too.
pub fn footnote_states(words: &str) -> bool {
    note_states(words) || !is_title(words.trim()) && verbs::footnote_states(words)
}

/// Whether words are set apart like a title, or end with when the page was read that they are the title of.
fn is_title(words: &str) -> bool {
    let is_set_apart = words.starts_with(['*', '_', '"', '“', '„', '«', '[']);
    let lower = words.to_lowercase();
    is_set_apart || READ_ON.iter().any(|read| lower.contains(read))
}

/// Whether a part that is not read holds a sentence. `about` is what a fence says of its code.
pub fn holds_sentence(part: &str, about: &str) -> bool {
    let language = about.trim().to_ascii_lowercase();
    if DRAWN.iter().any(|drawn| language.starts_with(drawn)) {
        return part.split(['[', ']', '(', ')', '{', '}', '"', '|', ':', '\n']).any(is_drawn_label);
    }
    let is_words =
        language.is_empty() || ["text", "txt", "md", "markdown", "plain"].contains(&language.as_str());
    part.lines().any(|line| {
        let line = line.trim();
        let is_remark = line.starts_with(['#', '/', '*', '-', ';', '%', '<']);
        (is_words || !is_remark) && is_prose(line)
    })
}

/// Whether the settings at the beginning of a text hold a sentence, such as its title.
pub fn settings_hold_sentence(settings: &str) -> bool {
    let value = |line: &str| line.split_once(": ").map_or(line, |(_, value)| value).trim().to_owned();
    settings.lines().map(value).any(|value| {
        let value = value.trim_matches(['"', '\'']);
        heading_states(value) || is_prose(value)
    })
}

/// `By Mara Velten, 2026.`: who wrote it, and nothing about the world.
pub fn is_byline(words: &str) -> bool {
    if words.len() > NAMING_BYTES_MAX {
        return false;
    }
    let tokens = tokens(words);
    let is_by = tokens.first().is_some_and(|first| matches!(first.as_str(), "by" | "von" | "par" | "por"));
    let name = words.split_whitespace().nth(1).unwrap_or_default();
    let is_name = name.starts_with(char::is_uppercase) || matches!(name, "a" | "an" | "the" | "our");
    is_by && is_name && (2..=BYLINE_WORDS_MAX).contains(&tokens.len()) && !has_verb(&tokens)
}

/// `Year Event`: a few words that each begin with a capital, without a figure and without an end, name what follows.
pub fn is_label(words: &str) -> bool {
    if words.len() > NAMING_BYTES_MAX {
        return false;
    }
    let words = words.trim();
    let parts: Vec<&str> = words.split_whitespace().collect();
    let is_title =
        |part: &&str| part.starts_with(char::is_uppercase) && part.chars().all(char::is_alphabetic);
    (2..=LABEL_WORDS_MAX).contains(&parts.len()) && parts.iter().all(is_title) && !has_verb(&tokens(words))
}

/// Words in lower case. Letters that are all capitals are a name ("WHO", "IS"), as far as others are not.
fn tokens(words: &str) -> Vec<String> {
    let is_loud = !words.contains(char::is_lowercase);
    let token = |word: &str| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        let is_name = !is_loud && word.chars().count() > 1 && !word.contains(char::is_lowercase);
        match is_name && word.contains(char::is_uppercase) {
            true => word.to_owned(),
            false => word.to_lowercase().replace('’', "'"),
        }
    };
    words.split_whitespace().map(token).filter(|word| !word.is_empty()).collect()
}

/// Whether a verb stands behind its subject.
fn has_verb(tokens: &[String]) -> bool {
    tokens.iter().enumerate().skip(1).any(|(place, token)| {
        let before = tokens.get(place - 1).map(String::as_str).unwrap_or_default();
        let behind = tokens.get(place + 1).map(String::as_str);
        let goes_on = behind.is_none_or(|next| {
            BEHIND_VERB.contains(&next) || next.ends_with("ly") || next.starts_with(char::is_numeric)
        });
        let acts = behind.is_some_and(|next| OBJECTS.contains(&next));
        let is_bare = matches!(before, "to" | "must" | "free" | "last" | "the" | "a");
        (FINITE.contains(&token.as_str()) || token.ends_with("n't")) && !is_bare
            || HAPPENED.contains(&token.as_str()) && (goes_on || acts)
            || token.ends_with("ed") && token.len() > 4 && acts
    })
}

fn begins_like_sentence(words: &str) -> bool {
    let first = words.split_whitespace().next().unwrap_or_default();
    let capitals =
        words.split_whitespace().skip(1).filter(|word| word.starts_with(char::is_uppercase)).count();
    let begins =
        matches!(first, "The" | "A" | "An" | "It" | "In" | "This" | "Its" | "They" | "He" | "She" | "Der")
            || matches!(first, "Die" | "Das" | "Le" | "La" | "Les" | "El" | "Los" | "Il");
    begins && 2 * capitals < words.split_whitespace().count() && !words.contains([':', '|'])
}

fn is_drawn_label(label: &str) -> bool {
    let words = label.split_whitespace().filter(|word| word.contains(char::is_alphabetic)).count();
    words >= LABEL_WORDS_MIN && !label.contains(['>', '=', ';'])
}

fn is_prose(line: &str) -> bool {
    let line = line.trim_start_matches(['#', '/', '*', '-', ';', '%', '<', '!', '>', ' ']);
    let words: Vec<&str> = line.split_whitespace().collect();
    let is_word = |word: &&&str| {
        let word = word.trim_matches(|c: char| c.is_ascii_punctuation());
        !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || matches!(c, '\'' | '’' | '-'))
    };
    let is_code =
        line.contains(['{', '}', '=', '<', '`', '\\', '|']) || line.contains("()") || line.ends_with(';');
    let dense = line.chars().filter(|c| script::is_dense(*c)).count() >= 2 * PROSE_WORDS_MIN;
    let is_text =
        words.len() >= PROSE_WORDS_MIN && 10 * words.iter().filter(is_word).count() >= 8 * words.len();
    !is_code
        && (is_text && (kind::is_whole_sentence(line) || has_verb(&tokens(line)))
            || dense && kind::is_whole_sentence(line))
}

#[cfg(test)]
mod tests {
    use super::{heading_states, holds_sentence, is_byline, is_label, note_states, settings_hold_sentence};

    #[track_caller]
    fn check(says: fn(&str) -> bool, yes: &[&str], no: &[&str]) {
        let wrong: Vec<_> = yes.iter().filter(|words| !says(words)).collect();
        assert!(wrong.is_empty(), "should say something: {wrong:?}");
        let wrong: Vec<_> = no.iter().filter(|words| says(words)).collect();
        assert!(wrong.is_empty(), "should say nothing: {wrong:?}");
    }

    #[test]
    fn a_heading_with_a_verb_states_and_a_title_does_not() {
        check(
            heading_states,
            &[
                "The Dorrin Bridge collapsed in 1950",
                "The bridge collapsed in 1950 and killed forty people",
                "The Bridge Was Opened in 1931",
                "Mara Velten designed the town hall",
                "Solar power is cheaper",
                "Die Brücke wurde 1931 eröffnet",
            ],
            &[
                "Dorrin Bridge",
                "Results and discussion",
                "How the bridge was built",
                "What is known about it",
                "Why it matters",
                "Reasons why the bridge was closed",
                "Who was Mara Velten?",
                "Lessons learned from the collapse",
                "Costs caused by increased demand",
                "The approach used in 2020",
                "Features that are missing",
                "Was ist bekannt",
                "WHO guidance on tea",
                "Things to have at hand",
                "About this report",
                "Not looked up",
            ],
        );
    }

    #[test]
    fn notes_state_and_entries_name() {
        check(
            note_states,
            &[
                "The bridge collapsed in 1950 and killed forty people.",
                "It collapsed in 1950 and killed forty people",
                "The bridge collapsed in 1950 and killed forty people",
            ],
            &[
                "Smith, A. The bridge",
                "See the city's page",
                "City of Pell, annual report, 2020, p. 5.",
                "Dorrin Bridge is closed | City News",
                "*The bridge that was lost*",
                "Ibid.",
                "The bridge was opened (fetched 2026-01-02,",
                "A book, 2020",
            ],
        );
    }

    #[test]
    fn code_and_settings_hold_sentences_or_not() {
        for (code, about) in [
            ("The bridge collapsed in 1950 and killed forty people.", ""),
            ("The bridge collapsed in 1950 and killed forty people.", "python"),
            ("# The bridge was closed in 1950", "text"),
            ("graph TD; A[Bridge opened]-->B[Collapsed 1950, forty dead]", "mermaid"),
        ] {
            assert!(holds_sentence(code, about), "{code}");
        }
        for (code, about) in [
            ("let total = 5;\nprintln!(\"{total}\");", ""),
            ("# This function is called twice.\ndef f(a, b):\n    return a", "python"),
            ("cargo build --release", "console"),
            ("graph TD; A-->B", "mermaid"),
            ("x  = 1", ""),
        ] {
            assert!(!holds_sentence(code, about), "{code}");
        }
        assert!(settings_hold_sentence("---\ntitle: The bridge collapsed in 1950\n---\n"));
        assert!(!settings_hold_sentence("---\ntitle: Dorrin Bridge\ndate: 2026-01-02\ntags: [a, b]\n---\n"));
    }

    #[test]
    fn bylines_and_labels_are_no_claims() {
        check(
            is_byline,
            &["By a rival desk, 2026.", "By Mara Velten", "Von Mara Velten, Pell"],
            &["By 1950 the bridge was closed.", "By then it stood.", "The bridge by Mara Velten."],
        );
        check(
            is_label,
            &["Year Event", "Town Hall Pell"],
            &["Forty dead", "Pell has 40", "Year", "It fell."],
        );
    }
}
