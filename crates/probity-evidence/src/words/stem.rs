//! A word without its ending, for finding passages only: `rising` and `rises` are about the same, and so, wrongly,
//! are some others. What must be equal is never compared by stem.

/// Shorter remains say too little.
const STEM_BYTES_MIN: usize = 3;

/// What English hangs on a word to make another of its forms. Longer lists (`ation`, `ness`, `al`) were tried and
/// found fewer passages.
const ENDINGS: &[&str] = &["ing", "ed", "ly", "er", "or"];

/// The front part of a folded English word that its other forms share. Other scripts come back as they are.
pub fn stem(folded: &str) -> &str {
    let word = folded.strip_suffix("'s").or_else(|| folded.strip_suffix('\'')).unwrap_or(folded);
    if !word.is_ascii() || word.len() <= STEM_BYTES_MIN || !word.bytes().all(|byte| byte.is_ascii_lowercase())
    {
        return word;
    }
    // Until nothing is left to cut, so that the stem of a stem is itself.
    let mut word = word;
    loop {
        let shorter = without_last_vowel(without_tense(without_plural(word)));
        if shorter.len() == word.len() {
            return word;
        }
        word = shorter;
    }
}

fn cut<'a>(word: &'a str, ending: &str) -> Option<&'a str> {
    word.strip_suffix(ending).filter(|rest| rest.len() >= STEM_BYTES_MIN)
}

fn without_plural(word: &str) -> &str {
    for ending in ["us", "ss", "is"] {
        if word.ends_with(ending) {
            return word;
        }
    }
    if let Some(rest) = cut(word, "ies") {
        return rest;
    }
    for ending in ["ses", "xes", "zes", "ches", "shes"] {
        if word.ends_with(ending) {
            return cut(word, "es").unwrap_or(word);
        }
    }
    cut(word, "s").unwrap_or(word)
}

fn without_tense(word: &str) -> &str {
    if let Some(rest) = cut(word, "ied") {
        return rest;
    }
    for ending in ENDINGS {
        if let Some(rest) = cut(word, ending).filter(|rest| has_vowel(rest)) {
            return without_double(rest);
        }
    }
    word
}

/// `stopp` is `stop`; `fall` and `miss` stay.
fn without_double(word: &str) -> &str {
    let mut ends = word.bytes().rev();
    match (ends.next(), ends.next()) {
        (Some(last), Some(before)) if last == before && !b"lsz".contains(&last) && !is_vowel(last) => {
            word.get(..word.len() - 1).unwrap_or(word)
        }
        _ => word,
    }
}

/// `make` and `making`, `city` and `cities` meet without their last vowel.
fn without_last_vowel(word: &str) -> &str {
    cut(word, "e").or_else(|| cut(word, "y")).or_else(|| cut(word, "i")).unwrap_or(word)
}

fn has_vowel(word: &str) -> bool {
    word.bytes().any(|byte| is_vowel(byte) || byte == b'y')
}

fn is_vowel(byte: u8) -> bool {
    b"aeiou".contains(&byte)
}
