//! Where sentences end. A line break always ends one; a full stop does unless it belongs to an abbreviation, an
//! initial or a number.

/// A sentence longer than this is a table or data; it is cut at a space so that passages stay readable.
pub const SENTENCE_BYTES_MAX: usize = 2_000;

/// Written with a point that ends nothing, in small letters: titles, months, units of books, Latin. What may well
/// end a sentence (`etc.`, `Inc.`) is not here: it does when a capital letter follows.
const ABBREVIATIONS: &[&str] = &[
    "mr", "mrs", "ms", "dr", "prof", "st", "sr", "jr", "hon", "rev", "gen", "col", "lt", "sgt", "capt",
    "cmdr", "maj", "gov", "sen", "rep", "pres", "vs", "v", "no", "nos", "vol", "vols", "fig", "figs", "eq",
    "sec", "ch", "pp", "p", "ed", "eds", "trans", "approx", "ca", "c", "cf", "al", "jan", "feb", "mar",
    "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec", "mt", "ft", "e.g", "i.e", "eg", "ie",
    "viz", "z.b", "bzw", "d.h", "u.a", "nr", "str", "abs", "bd", "hr", "fr", "geb", "gest", "mio", "mrd",
    "tel", "p.ex", "mme", "mlle", "art", "ex", "sra", "srta", "dra", "núm", "pág", "г", "гг", "в", "вв", "т",
    "тыс", "млн", "млрд", "руб", "им", "ул", "стр", "см",
];

/// German words after which a number with a point counts days or centuries.
const ORDINAL_BEFORE: &[&str] =
    &["am", "Am", "der", "den", "dem", "vom", "Vom", "zum", "bis", "im", "Im", "des"];

/// Byte ranges of the sentences of a text, without the white space around them.
pub fn sentences(text: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut start = 0_usize;
    let mut next = 0_usize;
    loop {
        // Most bytes end nothing: they are gone over without being decoded, until a sentence is too long.
        let room = SENTENCE_BYTES_MAX.saturating_sub(next - start);
        let rest = text.as_bytes().get(next..).unwrap_or_default().iter().take(room);
        next +=
            rest.take_while(|byte| byte.is_ascii() && !matches!(byte, b'\n' | b'.' | b'!' | b'?')).count();
        let at = next;
        let Some(character) = text.get(at..).and_then(|rest| rest.chars().next()) else { break };
        let mut end = at + character.len_utf8();
        next = end;
        let stops = match character {
            '\n' | '\u{2028}' | '\u{2029}' => true,
            '。' | '！' | '？' | '｡' => {
                end = closed(text, end);
                true
            }
            '.' | '!' | '?' | '।' | '۔' | '؟' | '…' => {
                let after = closed(text, end);
                let stops = ends_here(text, start, at, after, character);
                if stops {
                    end = after;
                }
                stops
            }
            _ => at - start >= SENTENCE_BYTES_MAX && character.is_whitespace(),
        };
        if stops {
            found.extend(trimmed(text, start, end));
            start = end;
            next = end;
        }
    }
    found.extend(trimmed(text, start, text.len()));
    found
}

/// Past the quotation marks, brackets and points that close the sentence with its stop.
fn closed(text: &str, end: usize) -> usize {
    let rest = text.get(end..).unwrap_or_default();
    let closing = rest.chars().take_while(|c| {
        matches!(
            c,
            '"' | '”'
                | '’'
                | '\''
                | '»'
                | ')'
                | ']'
                | '」'
                | '』'
                | '）'
                | '.'
                | '!'
                | '?'
                | '。'
                | '！'
                | '？'
        )
    });
    end + closing.map(char::len_utf8).sum::<usize>()
}

/// Whether the stop at `at`, closed at `after`, ends the sentence that began at `start`.
fn ends_here(text: &str, start: usize, at: usize, after: usize, stop: char) -> bool {
    let rest = text.get(after..).unwrap_or_default();
    let mut following = rest.chars();
    match following.next() {
        None => return true,
        Some(next) if !next.is_whitespace() => return false,
        Some('\n') => return true,
        Some(_) => {}
    }
    let next = following
        .find(|c| !c.is_whitespace() && !matches!(c, '"' | '“' | '‘' | '\'' | '«' | '„' | '(' | '['));
    let small = next.is_some_and(char::is_lowercase);
    if small {
        return false;
    }
    stop != '.' || after > at + 1 || !is_abbreviation(text.get(start..at).unwrap_or_default(), next)
}

/// Whether the point after this text belongs to its last word.
fn is_abbreviation(before: &str, next: Option<char>) -> bool {
    let last = before.rsplit(|c: char| c.is_whitespace() || matches!(c, '(' | '[' | '"' | '“' | '-')).next();
    let Some(word) = last.filter(|word| !word.is_empty()) else { return false };
    let mut letters = word.chars();
    let initial = letters.next().is_some_and(char::is_uppercase) && letters.next().is_none();
    if initial {
        // `Vitamin C. It` ends, `J. Smith` does not; a single capital is an initial more often than not.
        return word != "I";
    }
    let number_follows = next.is_some_and(char::is_numeric);
    let lower = word.to_lowercase();
    // `no. 5` is an abbreviation, `He said no. Then` is not.
    let needs_number = matches!(
        lower.as_str(),
        "no" | "nos" | "ch" | "sec" | "p" | "v" | "c" | "art" | "fig" | "mar" | "dec" | "sun" | "в" | "т"
    );
    // `1. Introduction`, `am 3. Mai`: a point after a short number at the beginning, or after a German article.
    let short_number = word.len() <= 2 && word.bytes().all(|byte| byte.is_ascii_digit());
    let article = before.split_whitespace().rev().nth(1).unwrap_or_default();
    let ordinal = short_number && (before.trim() == word || ORDINAL_BEFORE.contains(&article));
    ordinal || (ABBREVIATIONS.contains(&lower.as_str()) && (!needs_number || number_follows))
}

fn trimmed(text: &str, start: usize, end: usize) -> Option<(usize, usize)> {
    let part = text.get(start..end)?;
    let start = start + (part.len() - part.trim_start().len());
    let end = start + part.trim().len();
    (start < end).then_some((start, end))
}
