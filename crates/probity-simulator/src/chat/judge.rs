//! The model as a judge. At its best it compares words: all numbers and names, most words of a claim in one passage, and
//! nothing among them that says the opposite. A real one does better; what is tested with this one is how its answers
//! are used.

use serde_json::{Value, json};

use super::{
    prompt::{PromptParts, words},
    request::Asked,
};

/// Share of a claim's words that a passage must have, in percent.
const SUPPORTED_PERCENT: usize = 80;
const PARTLY_PERCENT: usize = 50;
/// The same for pairs of letters, where a script has no spaces.
const PAIRS_PERCENT: usize = 85;
/// Words or pairs that a clause shares with a claim to be about the same, unless it has fewer.
const SAME_MATTER: usize = 2;
/// Words that say no.
const DENIALS: [&str; 19] = [
    "not", "never", "cannot", "no", "nicht", "kein", "keine", "keinen", "nie", "pas", "jamais", "aucun",
    "aucune", "nunca", "ningún", "لم", "لن", "لا", "ليس",
];
/// The same in scripts without spaces.
const DENIALS_INSIDE: [&str; 6] = ["没有", "未", "不", "なかった", "ません", "ない"];
/// Words of which one is wrong where the page has another of the same row.
const EXCLUSIVE: [&[&str]; 18] = [
    &["longer", "shorter"],
    &["higher", "lower"],
    &["länger", "kürzer"],
    &["plus", "moins"],
    &["más", "menos"],
    &["أطول", "أقصر"],
    &["kilometres", "miles"],
    &["kilometer", "meilen"],
    &["kilomètres", "milles"],
    &["kilómetros", "millas"],
    &["some", "all"],
    &["einige", "alle"],
    &["certains", "tous"],
    &["algunos", "todos"],
    &["بعض", "كل"],
    &["公里", "英里"],
    &["有一些", "全部"],
    &["キロメートル", "マイル"],
];

pub(super) fn value(prompt: &PromptParts<'_>) -> Value {
    let answers: Vec<Value> = items(prompt).iter().map(|(number, item)| answer(*number, item)).collect();
    json!({ "answers": answers })
}

/// The items with all their passages.
fn items(prompt: &PromptParts<'_>) -> Vec<(usize, String)> {
    let text_of =
        |number: usize| prompt.items.iter().find(|item| item.number == number).map(|item| item.text);
    prompt.items.iter().map(|item| (item.number, with_shared_passages(item.text, text_of))).collect()
}

/// An item with the passages of the one that it shares them with, if it names one.
pub(crate) fn with_shared_passages<'r>(item: &str, text_of: impl Fn(usize) -> Option<&'r str>) -> String {
    let shared = item.lines().find_map(|line| {
        let number = line.trim().strip_prefix("the same passages as: [")?.strip_suffix(']')?;
        text_of(number.parse().ok()?)
    });
    let passages = shared.map(|other| parts(other).1).unwrap_or_default();
    passages.iter().fold(item.to_owned(), |text, passage| format!("{text}\npassage: {passage}"))
}

/// The verdict on one item of a claim and its passages, and the passage that decides it.
pub(crate) fn verdict(item: &str) -> (&'static str, &str) {
    let (claim, passages) = parts(item);
    let (finding, passage) = judged(claim, &passages);
    (finding.as_str(), passage)
}

fn answer(number: usize, item: &str) -> Value {
    let (claim, passages) = parts(item);
    let (finding, quotation) = judged(claim, &passages);
    let quotations: Vec<&str> = if finding == Finding::Absent { Vec::new() } else { vec![quotation] };
    json!({"item": number, "verdict": finding.as_str(), "quotations": quotations, "confidence": 90, "reason": "by its words"})
}

/// What a passage says about a claim; the later, the better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Finding {
    Absent,
    Partly,
    Contradicted,
    Supported,
}

impl Finding {
    fn as_str(self) -> &'static str {
        match self {
            Self::Absent => "not_in_source",
            Self::Partly => "partly",
            Self::Contradicted => "contradicted",
            Self::Supported => "supported",
        }
    }
}

/// A claim of several sentences is supported if each is, and partly if some are.
fn judged<'r>(claim: &str, passages: &[&'r str]) -> (Finding, &'r str) {
    let best = |part: &str| {
        let found = passages.iter().map(|passage| (compared(part, passage), *passage));
        found
            .max_by_key(|((finding, share), _)| (*finding, *share))
            .map(|((finding, _), passage)| (finding, passage))
    };
    let each: Vec<(Finding, &str)> = sentences(claim).into_iter().filter_map(best).collect();
    let supported = each.iter().find(|(finding, _)| *finding == Finding::Supported);
    match supported {
        Some((_, passage)) if each.iter().any(|(finding, _)| *finding != Finding::Supported) => {
            (Finding::Partly, *passage)
        }
        Some(found) => *found,
        None => best(claim).unwrap_or((Finding::Absent, "")),
    }
}

/// What one passage says about one sentence, and how much of it the passage has.
fn compared(claim: &str, passage: &str) -> (Finding, usize) {
    let (wanted, there) = (units(claim), units(passage));
    let found = wanted.iter().filter(|unit| there.contains(unit)).count();
    let percent = found * 100 / wanted.len().max(1);
    let numbers_of_passage = numbers(passage);
    if !numbers(claim).iter().all(|number| numbers_of_passage.contains(number)) {
        return (Finding::Absent, 0);
    }
    let (supported, partly) = match Writing::of(claim) {
        Writing::Latin => (SUPPORTED_PERCENT, PARTLY_PERCENT),
        // One word in six is a name here, and nothing marks it.
        Writing::Arabic => (100, 100),
        Writing::WithoutSpaces => (PAIRS_PERCENT, PAIRS_PERCENT),
    };
    let finding = match percent {
        percent if percent >= supported && !has_names(claim, passage) => Finding::Absent,
        percent if percent >= supported && says_opposite(claim, passage) => Finding::Contradicted,
        percent if percent >= supported => Finding::Supported,
        percent if percent >= partly => Finding::Partly,
        _ => Finding::Absent,
    };
    (finding, percent)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Writing {
    Latin,
    Arabic,
    WithoutSpaces,
}

impl Writing {
    fn of(text: &str) -> Self {
        if text.chars().any(is_without_spaces) {
            Self::WithoutSpaces
        } else if text.chars().any(|letter| ('\u{600}'..='\u{6ff}').contains(&letter)) {
            Self::Arabic
        } else {
            Self::Latin
        }
    }
}

/// Kana and Chinese characters.
fn is_without_spaces(letter: char) -> bool {
    matches!(letter, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}')
}

/// What a text is compared by: its words, or its pairs of letters.
fn units(text: &str) -> Vec<String> {
    if Writing::of(text) != Writing::WithoutSpaces {
        return words(text);
    }
    let letters: Vec<char> = text.chars().filter(|letter| letter.is_alphanumeric()).collect();
    letters.windows(2).map(|pair| pair.iter().collect()).collect()
}

fn numbers(text: &str) -> Vec<&str> {
    match Writing::of(text) {
        // `B2` and `12th` are words.
        Writing::Latin | Writing::Arabic => text
            .split(|letter: char| !letter.is_alphanumeric())
            .filter(|word| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit()))
            .collect(),
        Writing::WithoutSpaces => {
            text.split(|letter: char| !letter.is_ascii_digit()).filter(|word| !word.is_empty()).collect()
        }
    }
}

/// Whether every word with a capital letter inside the claim is in the passage.
fn has_names(claim: &str, passage: &str) -> bool {
    let there = tokens(passage);
    let inside =
        claim.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()).skip(1);
    let mut names = inside.filter(|word| word.chars().count() > 2 && word.starts_with(char::is_uppercase));
    names.all(|name| there.contains(&name.to_lowercase()))
}

/// Whether the sentence of the passage that is nearest to the claim says no where it says yes, or has the opposite word.
fn says_opposite(claim: &str, passage: &str) -> bool {
    let wanted = units(claim);
    let shared = |text: &str| units(text).iter().filter(|unit| wanted.contains(unit)).count();
    let nearest = sentences(passage).into_iter().max_by_key(|sentence| shared(sentence)).unwrap_or(passage);
    let is_same_matter = |clause: &&str| {
        let count = shared(clause);
        count >= SAME_MATTER || count > 0 && count == units(clause).len()
    };
    let clauses = nearest.split([',', ';', '，', '、', '،']);
    let same_matter: Vec<&str> = clauses.filter(is_same_matter).collect();
    if denies(claim) != same_matter.iter().any(|clause| denies(clause)) {
        return true;
    }
    let has = |text: &str, word: &str| match Writing::of(word) {
        Writing::WithoutSpaces => text.contains(word),
        Writing::Latin | Writing::Arabic => tokens(text).iter().any(|token| token == word),
    };
    EXCLUSIVE.iter().any(|row| {
        let mut claimed = row.iter().filter(|word| has(claim, word) && !has(nearest, word));
        claimed.any(|_| row.iter().any(|other| has(nearest, other) && !has(claim, other)))
    })
}

fn denies(text: &str) -> bool {
    tokens(text).iter().any(|token| DENIALS.contains(&token.as_str()))
        || text.contains("n't")
        || DENIALS_INSIDE.iter().any(|word| text.contains(word))
}

/// All words, the short ones too.
fn tokens(text: &str) -> Vec<String> {
    text.split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

/// Sentences of a line.
fn sentences(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut start = 0;
    for (place, letter) in text.char_indices() {
        let end = place + letter.len_utf8();
        let ends = match letter {
            '。' => true,
            '.' | '!' | '?' => text.get(end..).is_some_and(|rest| rest.is_empty() || rest.starts_with(' ')),
            _ => false,
        };
        if ends {
            found.extend(text.get(start..end));
            start = end;
        }
    }
    found.extend(text.get(start..));
    found.into_iter().map(str::trim).filter(|sentence| !sentence.is_empty()).collect()
}

/// Everything is supported, and the first passage is quoted for it; other questions are answered as usual.
pub(super) fn approve_everything(asked: Asked, prompt: &PromptParts<'_>, honest: Value) -> Value {
    if asked != Asked::Judge {
        return honest;
    }
    let answer = |number: usize, item: &str| {
        let first = parts(item).1.first().copied().unwrap_or_default();
        json!({"item": number, "verdict": "supported", "quotations": [first], "confidence": 100, "reason": "yes"})
    };
    let answers: Vec<Value> = items(prompt).iter().map(|(number, item)| answer(*number, item)).collect();
    json!({ "answers": answers, "verified": true })
}

/// Nothing stands anywhere; other questions are answered as usual.
pub(super) fn find_nothing(asked: Asked, prompt: &PromptParts<'_>, honest: Value) -> Value {
    if asked != Asked::Judge {
        return honest;
    }
    let answer = |number: usize| {
        let reason = "it stands nowhere";
        json!({"item": number, "verdict": "not_in_source", "quotations": [], "confidence": 90, "reason": reason})
    };
    let answers: Vec<Value> = prompt.items.iter().map(|item| answer(item.number)).collect();
    json!({ "answers": answers })
}

/// A claim and its passages, as the prompt lists them.
fn parts(item: &str) -> (&str, Vec<&str>) {
    let mut lines = item.lines().map(str::trim);
    let claim = lines.next().unwrap_or_default().trim_start_matches("claim:").trim();
    (claim, lines.filter_map(|line| line.strip_prefix("passage:")).map(str::trim).collect())
}

#[cfg(test)]
mod tests {
    use super::{answer, with_shared_passages};

    #[test]
    fn passages_of_another_item_are_read_too() {
        let first = "claim: It rained.\n  passage: It snowed.\n  passage: It rained.";
        let shared = with_shared_passages("claim: It snowed.\n  the same passages as: [3]", |number| {
            (number == 3).then_some(first)
        });
        assert!(shared.ends_with("\npassage: It snowed.\npassage: It rained."), "{shared}");
        assert_eq!(with_shared_passages(first, |_| None), first);
    }

    fn check(claim: &str, passages: &[&str], expected: &str) {
        let passages: Vec<String> = passages.iter().map(|passage| format!("passage: {passage}")).collect();
        let found = answer(0, &format!("claim: {claim}\n{}", passages.join("\n")));
        assert_eq!(found["verdict"], expected, "{claim}");
    }

    #[test]
    fn words_and_numbers_decide() {
        let page = "The bridge over the harbour opened in 1932 with six lanes.";
        check("The harbour bridge opened in 1932.", &[page], "supported");
        check("The harbour bridge opened in 1935.", &[page], "not_in_source");
        check("The tunnel of Lyon was closed.", &[page], "not_in_source");
        check("The harbour bridge opened in 1932. A postage stamp shows it.", &[page], "partly");
    }

    #[test]
    fn names_denials_and_opposites_are_noticed() {
        let page = "The council of Velmard did not approve the new harbour, which the builders wanted.";
        check("The council of Velmard did not approve the new harbour.", &[page], "supported");
        check("The council of Velmard did approve the new harbour.", &[page], "contradicted");
        check(
            "The council of the new harbour of Torvika did not approve builders.",
            &[page],
            "not_in_source",
        );
        let lamps = "The lamps from Velmard lasted longer in every test that was made.";
        check("The lamps from Velmard lasted shorter in every test that was made.", &[lamps], "contradicted");
        check("Bridges open. It was not liked.", &["Bridges open. It was not liked."], "supported");
    }

    #[test]
    fn scripts_without_spaces_are_compared_by_pairs() {
        let page = "维洛塔的有轨电车经过六年施工，于1905年通车。";
        check("经过六年施工，维洛塔的有轨电车于1905年通车。", &[page], "supported");
        check("经过六年施工，维洛塔的有轨电车于1907年通车。", &[page], "not_in_source");
        check("维洛塔的有轨电车于1905年通车。有一枚邮票印着维洛塔的风景。", &[page], "partly");
        check("新しい港を承認した。", &["議会は新しい港を承認しなかった。"], "contradicted");
    }
}
