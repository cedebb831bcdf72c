//! Denials of another part of a sentence than the one that both texts speak of: "in six languages, but not in English",
//! "unlike the chapel, the tower was not damaged". And what bears a claim's own denial out without a negation of that
//! word: "every day except Monday", "only in 1968".

use super::{
    denial::{self, DenialWord},
    reading::related,
};
use crate::{polarity, words};

/// Words of the phrase behind "unlike".
const UNLIKE_REACH: usize = 6;
/// Words behind a word that excepts.
const EXCEPT_REACH: usize = 4;
/// Words between a negation and "the case", and between "before" and its year.
const NEAR: usize = 3;

/// Words before a negation with which it denies something else: "but not".
const BUT: &[&str] = &[
    "but",
    "though",
    "aber",
    "jedoch",
    "allerdings",
    "mais",
    "pero",
    "aunque",
    "ma",
    "mas",
    "porem",
    "но",
    "однако",
    "maar",
    "ale",
    "لكن",
    "ولكن",
    "但",
    "惟",
];
/// Words that end the phrase behind "unlike" where no comma does.
const FINITE: &[&str] = &[
    "wurde", "wurden", "war", "waren", "ist", "sind", "hat", "haben", "hatte", "hatten", "blieb", "blieben",
    "bekam", "erhielt", "wird", "werden", "kann", "werd", "heeft", "hebben", "had", "hadden", "bleef",
    "blev", "har", "hade",
];
/// "Which was not the case": what was so before.
const CASE: &[&str] = &["case", "fall", "cas", "caso", "geval", "так", "przypadku", "fallet"];
/// An end in time.
const BEFORE: &[&str] = &[
    "before", "until", "till", "prior", "vor", "bis", "avant", "jusqu", "jusqu'en", "antes", "hasta",
    "prima", "fino", "ate", "до", "voor", "tot", "przed", "do", "fore", "innan",
];
/// What came late: nothing was so before it.
const LATE: &[&str] = &[
    "only",
    "until",
    "first",
    "erst",
    "erstmals",
    "seulement",
    "qu'en",
    "que",
    "premiere",
    "solo",
    "hasta",
    "primera",
    "soltanto",
    "prima",
    "so",
    "apenas",
    "только",
    "лишь",
    "впервые",
    "dopiero",
    "pas",
    "eerst",
    "forst",
];
const EXCEPT: &[&str] = &[
    "except",
    "excepting",
    "excluding",
    "ausser",
    "ausgenommen",
    "ausnahme",
    "sauf",
    "hormis",
    "excepte",
    "exception",
    "salvo",
    "excepto",
    "excepcion",
    "tranne",
    "eccetto",
    "eccezione",
    "exceto",
    "excecao",
    "oprocz",
    "wyjatkiem",
    "кроме",
    "исключением",
    "behalve",
    "uitgezonderd",
    "utom",
    "باستثناء",
    "استثناء",
    "عدا",
];
/// Articles and days behind `menos`, which means "less" before anything else.
const ARTICLES: &[&str] =
    &["el", "la", "los", "las", "en", "il", "lo", "i", "gli", "le", "o", "a", "os", "as", "al", "no", "na"];
/// Characters without spaces that say nothing alone.
const SMALL_DENSE: &str = "的了是在有和与與及也都就还還这這那个個其被把对對为為以于於并並但不没沒无無未非之";

/// Whether a word of one character without spaces says nothing alone: a particle, an ending, a small word.
pub(super) fn is_small_dense(word: &str) -> bool {
    let mut letters = word.chars();
    match (letters.next(), letters.next()) {
        (Some(letter), None) => is_hiragana(letter) || SMALL_DENSE.contains(letter),
        _ => false,
    }
}

pub(super) fn is_hiragana(letter: char) -> bool {
    ('\u{3041}'..='\u{309f}').contains(&letter)
}

/// Whether the word at this place is no negation for what stands beside it: the end of 小野さん, the first of 不同.
pub(super) fn is_part_of_word(before: Option<&str>, word: &str, next: Option<&str>) -> bool {
    match word {
        "ん" => before != Some("せ"),
        "不" => matches!(next, Some("同" | "断" | "斷" | "仅" | "僅" | "久")),
        "非" => next == Some("常"),
        "未" => matches!(next, Some("来" | "來")),
        "否" => matches!(before, Some("是" | "能")),
        _ => false,
    }
}

fn is_dense(word: &DenialWord) -> bool {
    word.plain.chars().next().is_some_and(words::classes::is_dense)
}

fn says(word: &DenialWord) -> bool {
    match is_dense(word) {
        true => !is_small_dense(&word.plain),
        false => denial::is_telling(word),
    }
}

/// Whether any of these words is in the other text: one between spaces, or all characters of a text without them.
fn any_of<'w>(part: impl Iterator<Item = &'w DenialWord>, other_has: &impl Fn(&str) -> bool) -> bool {
    let (mut dense, mut known) = (0_usize, 0_usize);
    for word in part.filter(|word| says(word)) {
        let has = other_has(&word.plain);
        if is_dense(word) {
            dense += 1;
            known += usize::from(has);
        } else if has {
            return true;
        }
    }
    dense > 0 && known == dense
}

/// Whether all of these words are in the other text, and there are some.
fn all_of<'w>(part: impl Iterator<Item = &'w DenialWord>, other_has: &impl Fn(&str) -> bool) -> bool {
    let mut telling = part.filter(|word| says(word)).peekable();
    telling.peek().is_some() && telling.all(|word| other_has(&word.plain))
}

fn ends_clause(gap: &str) -> bool {
    gap.contains([',', ';', ':', '.', '!', '?', '(', ')', '–', '—', '，', '；', '。', '：', '、', '،'])
}

/// The words behind a place, to the end of its clause.
fn behind<'w>(text: &str, words: &'w [DenialWord], place: usize) -> &'w [DenialWord] {
    let parted = |at: &usize| {
        let gap = words.get(at.saturating_sub(1)).zip(words.get(*at));
        let gap = gap.and_then(|(left, right)| text.get(left.end..right.start));
        gap.is_some_and(ends_clause)
    };
    let end = (place + 1..words.len()).find(parted).unwrap_or(words.len());
    words.get(place + 1..end).unwrap_or_default()
}

/// Whether the negation at this place denies something that the other text does not speak of.
pub(super) fn denies_another(
    text: &str,
    words: &[DenialWord],
    place: usize,
    other_has: &impl Fn(&str) -> bool,
) -> bool {
    let plain = |at: usize| words.get(at).map(|word| word.plain.as_str());
    let before = place.checked_sub(1).and_then(plain);
    let Some(word) = plain(place) else { return false };
    // 不同意 is "does not agree".
    if is_part_of_word(before, word, plain(place + 1)) && plain(place + 2) != Some("意") {
        return true;
    }
    let tail = behind(text, words, place);
    // 但是没有, 但并没有.
    let joined =
        matches!(before, Some("是" | "并" | "並")) && place.checked_sub(2).and_then(plain) == Some("但");
    if joined || before.is_some_and(|before| BUT.contains(&before)) {
        return tail.iter().any(says) && !any_of(tail.iter(), other_has);
    }
    let is_case = tail.iter().take(NEAR).any(|word| CASE.contains(&word.plain.as_str()));
    let bound = tail.iter().find(|word| BEFORE.contains(&word.plain.as_str()));
    if is_case && bound.is_some_and(|bound| !other_has(&bound.plain)) {
        return true;
    }
    // The other text speaks of what stands behind "unlike", and not of the one that this denies it of.
    let Some((from, start, end)) = unlike(text, words) else { return false };
    let inside = |word: &&DenialWord| start <= word.start && word.end <= end;
    let outside = |word: &&DenialWord| word.end <= from || word.start >= end;
    all_of(words.iter().filter(inside), other_has)
        && words.iter().take(place).filter(outside).any(|word| says(word) && !other_has(&word.plain))
}

/// Where a phrase with "unlike" begins, and the bytes of what it names.
fn unlike(text: &str, words: &[DenialWord]) -> Option<(usize, usize, usize)> {
    let plain = |at: usize| words.get(at).map_or("", |word| word.plain.as_str());
    let begins = |at: &usize| {
        let before = at.checked_sub(1).map_or("", plain);
        let next = plain(at + 1);
        match plain(*at) {
            "unlike" | "contrairement" | "tegenstelling" | "odroznieniu" | "przeciwienstwie" | "motsats" => {
                true
            }
            "anders" => matches!(next, "als" | "dan"),
            "gegensatz" | "unterschied" => before == "im",
            "diferencia" | "differenza" => before == "a",
            "contrario" => before == "ao",
            "contrast" => before == "in" && next == "to",
            "отличие" => before == "в",
            _ => false,
        }
    };
    if let Some(key) = (0..words.len()).find(begins) {
        let skipped = usize::from(plain(key) != "unlike");
        let named = behind(text, words, key).get(skipped..)?;
        let length = named.iter().position(|word| FINITE.contains(&word.plain.as_str()));
        let named = named.get(..length.unwrap_or(named.len()).min(UNLIKE_REACH))?;
        return Some((words.get(key)?.start, named.first()?.start, named.last()?.end));
    }
    if text.is_ascii() {
        return None;
    }
    let open = ['与', '與', '和', '跟'];
    if let Some(close) = text.find("不同").or_else(|| text.find("相反"))
        && let Some((from, mark)) = text.get(..close)?.char_indices().rev().find(|(_, c)| open.contains(c))
    {
        return Some((from, from + mark.len_utf8(), close));
    }
    let close = ["とは異なり", "と異なり", "とは違い", "と違い", "とは違って", "と違って"];
    let close = close.iter().find_map(|mark| text.find(mark))?;
    Some((0, 0, close))
}

/// Whether the page says what a claim says by a negation: it excepts it, contrasts it with another, or dates its beginning.
pub(super) fn bears_out(
    (claim_text, claim): (&str, &[DenialWord]),
    (text, words): (&str, &[DenialWord]),
) -> bool {
    let has = |word: &str| claim.iter().any(|mine| related(&mine.plain, word));
    // A claim that has the exception too is the same sentence, but for its negation.
    (!has_exception(claim_text, claim) && excepts(text, words, &has, claim_text))
        || denial::denies_just(text, words, &has)
        || begins_late(claim, claim_text, words, text)
}

/// Whether a word excepts what follows it.
pub(super) fn is_except(word: &str, next: Option<&str>) -> bool {
    EXCEPT.contains(&word)
        || (matches!(word, "menos" | "meno") && next.is_some_and(|next| ARTICLES.contains(&next)))
}

fn has_exception(text: &str, words: &[DenialWord]) -> bool {
    let next = |at: usize| words.get(at + 1).map(|next| next.plain.as_str());
    words.iter().enumerate().any(|(at, word)| is_except(&word.plain, next(at)))
        || ["除", "以外"].iter().any(|mark| text.contains(mark))
}

fn excepts(text: &str, words: &[DenialWord], has: &impl Fn(&str) -> bool, claim_text: &str) -> bool {
    let named = words.iter().enumerate().any(|(at, word)| {
        let next = words.get(at + 1).map(|next| next.plain.as_str());
        is_except(&word.plain, next) && {
            let left_out = behind(text, words, at).iter().take(EXCEPT_REACH).find(|word| says(word));
            left_out.is_some_and(|word| has(&word.plain))
        }
    });
    named || (!text.is_ascii() && excepts_densely(text, claim_text))
}

/// 除周一外, 月曜日を除く.
fn excepts_densely(text: &str, claim: &str) -> bool {
    let known = |named: &str| {
        let named = named.trim_matches(['了', '以', '之']);
        !named.is_empty() && claim.contains(named)
    };
    let chinese = text.match_indices('除').any(|(at, mark)| {
        let behind = text.get(at + mark.len()..).unwrap_or_default();
        behind.find(['外', '，', '。']).and_then(|end| behind.get(..end)).is_some_and(known)
    });
    let japanese = ["を除", "以外"].iter().any(|mark| {
        text.match_indices(mark).any(|(at, _)| {
            let before = text.get(..at).unwrap_or_default();
            let from = before.char_indices().rev().nth(2).map_or(0, |(from, _)| from);
            let is_small = |letter: char| is_hiragana(letter) || !letter.is_alphanumeric();
            before.get(from..).is_some_and(|named| known(named.trim_start_matches(is_small)))
        })
    });
    chinese || japanese
}

fn is_year(word: &DenialWord) -> bool {
    word.plain.len() == 4 && word.plain.bytes().all(|digit| digit.is_ascii_digit())
}

/// "Before 1968 there was none" beside "only in 1968".
fn begins_late(claim: &[DenialWord], claim_text: &str, words: &[DenialWord], text: &str) -> bool {
    let late = |year: &str| {
        words.iter().enumerate().any(|(at, word)| {
            let mut near = words.iter().skip(at.saturating_sub(NEAR)).take(NEAR);
            word.plain == year
                && (near.any(|near| LATE.contains(&near.plain.as_str()))
                    || ["才", "直到", "になって", "初めて", "首次"].iter().any(|mark| text.contains(mark)))
        })
    };
    claim.iter().enumerate().filter(|(_, word)| is_year(word)).any(|(at, year)| {
        let mut near = claim.iter().skip(at.saturating_sub(NEAR)).take(NEAR.min(at));
        let behind = claim_text.get(year.end..).unwrap_or_default().trim_start_matches('年');
        let is_bound = near.any(|near| BEFORE.contains(&near.plain.as_str()))
            || ["之前", "以前", "前", "まで"].iter().any(|mark| behind.starts_with(mark));
        is_bound && late(&year.plain)
    })
}

/// Whether a word is a negation of either list.
pub(super) fn is_negation(word: &DenialWord) -> bool {
    polarity::negates(&word.plain) || denial::is_denier(&word.plain)
}
