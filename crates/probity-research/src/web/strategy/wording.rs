//! A goal as the tables of cues see it: small letters, no accents, no punctuation; what is asked apart from the
//! text that came with it.

use super::cues;

/// Quotation marks that enclose text which came with the question.
const QUOTATION_MARKS: &[(char, char)] =
    &[('"', '"'), ('“', '”'), ('„', '“'), ('«', '»'), ('`', '`'), ('‘', '’'), ('「', '」')];

pub(super) struct QuestionWording {
    /// The whole goal.
    pub all: NormalizedText,
    /// The goal without quoted text and without what follows a colon or a line break.
    pub asked: NormalizedText,
    /// Words that stand in quotation marks.
    pub quoted: usize,
    /// Words after the first colon or line break.
    pub following: usize,
    /// Names an address: a page has to be read.
    pub has_address: bool,
    /// Names code, in backticks or as a path.
    pub has_code: bool,
    pub questions: usize,
    /// Signs between two numbers that make them a sum.
    pub signs: usize,
    pub context: NormalizedText,
}

impl QuestionWording {
    pub fn of(goal: &str, context: &str) -> Self {
        let (unquoted, quoted) = without_quotations(goal);
        let (head, tail) = split(&unquoted);
        let path =
            |word: &str| word.contains('/') && word.rsplit('/').next().is_some_and(|name| name.contains('.'));
        Self {
            all: NormalizedText::of(goal),
            asked: NormalizedText::of(head),
            quoted: NormalizedText::of(&quoted).count(),
            following: NormalizedText::of(tail).count(),
            has_address: goal.contains("://") || goal.contains("www."),
            has_code: goal.contains('`') || goal.split_whitespace().any(path),
            questions: goal.chars().filter(|character| matches!(character, '?' | '？' | '؟')).count(),
            signs: signs(goal),
            context: NormalizedText::of(context),
        }
    }

    /// Whether what is asked for changes with time.
    pub fn changes(&self) -> bool {
        let recent =
            |word: &str| word.len() == 4 && word.parse().is_ok_and(|year| RECENT_YEARS.contains(&year));
        self.all.contains_any_cue(cues::NOW)
            || self.all.contains_any_cue(cues::CHANGING)
            || self.all.iter().any(recent)
    }
}

/// Years from here on are named for what is or was just happening in them.
const RECENT_YEARS: std::ops::Range<u32> = 2020..2100;

pub(super) fn is_number(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
}

/// Words between single spaces, with a space at both ends.
pub(super) struct NormalizedText(String);

impl NormalizedText {
    pub fn of(text: &str) -> Self {
        let apart = text.replace('%', " % ").replace('°', " °");
        let spaced: String = apart.chars().flat_map(char::to_lowercase).map(plain).collect();
        let words: Vec<&str> = spaced.split_whitespace().collect();
        Self(format!(" {} ", words.join(" ")))
    }

    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.split_whitespace()
    }

    pub fn count(&self) -> usize {
        self.iter().count()
    }

    /// Whether the text contains a cue. A star at its end matches any ending: `aktuell*`.
    pub fn contains_cue(&self, cue: &str) -> bool {
        self.0.contains(&pattern(cue))
    }

    pub fn contains_any_cue(&self, cues: &[&str]) -> bool {
        cues.iter().any(|cue| self.contains_cue(cue))
    }

    /// Whether the goal begins with one of the cues, after any number of the words in `polite`.
    pub fn starts_with_cue(&self, polite: &[&str], cues: &[&str]) -> bool {
        let rest = without_beginning(&self.0, polite);
        cues.iter().any(|cue| rest.starts_with(&pattern(cue)))
    }

    /// Whether nothing else is said than these phrases.
    pub fn consists_of(&self, phrases: &[&str]) -> bool {
        self.count() > 0 && without_beginning(&self.0, phrases).trim().is_empty()
    }
}

fn pattern(cue: &str) -> String {
    cue.strip_suffix('*').map_or_else(|| format!(" {cue} "), |stem| format!(" {stem}"))
}

/// Takes the longest matching phrase from the front until none matches.
fn without_beginning<'a>(text: &'a str, phrases: &[&str]) -> &'a str {
    let mut rest = text;
    loop {
        let longest =
            phrases.iter().filter(|phrase| rest.starts_with(&pattern(phrase))).max_by_key(|p| p.len());
        // One space stays: it begins the next word.
        match longest.and_then(|phrase| rest.get(phrase.len() + 1..)) {
            Some(shorter) => rest = shorter,
            None => return rest,
        }
    }
}

/// Letters without their marks; everything that is no letter, digit, degree or percent sign is a space.
fn plain(character: char) -> char {
    match character {
        'à' | 'á' | 'â' | 'ã' | 'ä' | 'å' => 'a',
        'è' | 'é' | 'ê' | 'ë' => 'e',
        'ì' | 'í' | 'î' | 'ï' => 'i',
        'ò' | 'ó' | 'ô' | 'õ' | 'ö' => 'o',
        'ù' | 'ú' | 'û' | 'ü' => 'u',
        'ñ' => 'n',
        'ç' => 'c',
        'ß' => 's',
        '%' | '°' => character,
        _ if character.is_alphanumeric() => character,
        _ => ' ',
    }
}

/// The text without its quotations, and the quotations.
fn without_quotations(text: &str) -> (String, String) {
    let (mut outside, mut inside) = (String::new(), String::new());
    let mut rest = text;
    while let Some(open) = rest.find(|character| QUOTATION_MARKS.iter().any(|(open, _)| *open == character)) {
        let (before, from) = rest.split_at_checked(open).unwrap_or((rest, ""));
        let mut characters = from.chars();
        let mark = characters.next();
        let close = QUOTATION_MARKS.iter().find(|(open, _)| Some(*open) == mark).map(|(_, close)| *close);
        let Some((quotation, after)) = close.and_then(|close| characters.as_str().split_once(close)) else {
            break;
        };
        outside.push_str(before);
        outside.push(' ');
        inside.push_str(quotation);
        inside.push(' ');
        rest = after;
    }
    (outside + rest, inside)
}

/// Before and after the first line break or colon that a space follows.
fn split(text: &str) -> (&str, &str) {
    let colon = text.match_indices(':').map(|(place, _)| place).find(|place| {
        text.get(place + 1..).is_some_and(|after| after.is_empty() || after.starts_with(char::is_whitespace))
    });
    let wide = text.find('：');
    match [text.find('\n'), colon, wide].into_iter().flatten().min() {
        Some(place) => text.split_at_checked(place).unwrap_or((text, "")),
        None => (text, ""),
    }
}

/// A minus or a stroke needs a space beside it: 9/11, 24/7 and 2026-11-15 are no sums.
fn signs(text: &str) -> usize {
    let characters: Vec<char> = text.chars().collect();
    let neighbour = |character: Option<&char>| character.copied().unwrap_or(' ');
    let mut count = 0;
    for (place, sign) in characters.iter().enumerate() {
        let (before, after) =
            (characters.get(..place).unwrap_or_default(), characters.get(place + 1..).unwrap_or_default());
        let is_sign = match sign {
            '+' | '*' | '×' | '·' | '÷' | '^' => true,
            '-' | '−' | '/' => {
                neighbour(before.last()).is_whitespace() || neighbour(after.first()).is_whitespace()
            }
            _ => false,
        };
        let left = before.iter().rev().find(|character| !character.is_whitespace());
        let right = after.iter().find(|character| !character.is_whitespace());
        let ends = left.is_some_and(|left| left.is_ascii_digit() || matches!(left, ')' | '%'));
        let begins = right.is_some_and(|right| right.is_ascii_digit() || matches!(right, '(' | '-' | '.'));
        count += usize::from(is_sign && ends && begins);
    }
    count
}
