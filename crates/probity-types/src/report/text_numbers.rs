//! What the numbers of a text mean where it has no list of sources: the addresses that its own links lead to, and those
//! that the provider attributes to the words before a mark. A place in the engine's list is only a guess beside them.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
    ops::Range,
};

use super::own_list::{OwnEntry, code_lines};
use crate::rounds::links::{self, LINKS_MAX};

/// Longest number of a mark, in digits; a year has four.
const DIGITS_MAX: usize = 3;
/// What is between an attributed range that includes its mark, and the end of that mark.
const BEHIND_MARK_BYTES_MAX: usize = 2;

/// A range of the text that the provider attributes to an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AttributedRange<'a> {
    pub start: usize,
    pub end: usize,
    pub url: &'a str,
}

/// The meaning of each number, by number; empty where the engine's order of `sources` already gives the same, so that
/// numbers which nothing explains keep their place in it.
pub fn text_numbers<'a>(
    text: &'a str,
    attributed: &[AttributedRange<'a>],
    sources: &[&str],
) -> Vec<OwnEntry<'a>> {
    let mut meanings: BTreeMap<u32, Vec<&'a str>> = BTreeMap::new();
    for link in number_links(text) {
        meanings.entry(link.number).or_default().push(link.url);
    }
    let mut named: BTreeSet<String> = BTreeSet::new();
    let mut entries: Vec<OwnEntry<'a>> = Vec::new();
    // An address has one number: the first that the text gives it.
    for (number, urls) in &meanings {
        let url = urls.first().filter(|url| named.insert(links::canonical(url)));
        entries.extend(url.map(|url| OwnEntry { number: *number, url, title: "" }));
    }
    for (number, urls) in attributed_marks(text, attributed) {
        if !meanings.contains_key(&number) {
            entries.extend(likeliest(&urls).map(|url| OwnEntry { number, url, title: "" }));
        }
    }
    if entries.is_empty() {
        return entries;
    }
    entries.sort_by_key(|entry| entry.number);
    let by_place: Vec<String> = sources.iter().map(|url| links::canonical(url)).collect();
    let is_in_order = |entry: &OwnEntry<'_>| {
        let place = usize::try_from(entry.number).ok().and_then(|number| number.checked_sub(1));
        place.and_then(|place| by_place.get(place)).is_some_and(|url| *url == links::canonical(entry.url))
    };
    if entries.iter().all(is_in_order) { Vec::new() } else { entries }
}

/// Whether a text has links that are only a number.
pub(super) fn has_number_links(text: &str) -> bool {
    !number_links(text).is_empty()
}

/// The text with every link that is only a number under the number of its address; `number_of` takes the address in its
/// canonical spelling.
pub fn renumbered_links<'a>(text: &'a str, number_of: impl Fn(&str) -> Option<u32>) -> Cow<'a, str> {
    let mut written = String::new();
    let mut done = 0;
    for link in number_links(text) {
        let Some(number) = number_of(&links::canonical(link.url)).filter(|number| *number != link.number)
        else {
            continue;
        };
        written.push_str(text.get(done..link.digits.start).unwrap_or_default());
        written.push_str(&number.to_string());
        done = link.digits.end;
    }
    if done == 0 {
        return Cow::Borrowed(text);
    }
    written.push_str(text.get(done..).unwrap_or_default());
    Cow::Owned(written)
}

/// `[1](https://…)` and `[[1]](https://…)`.
struct NumberLink<'a> {
    number: u32,
    digits: Range<usize>,
    url: &'a str,
}

fn number_links(text: &str) -> Vec<NumberLink<'_>> {
    let mut code = code_lines(text).peekable();
    let mut found = Vec::new();
    for (close, _) in text.match_indices("](") {
        while code.next_if(|line| line.end <= close).is_some() {}
        if code.peek().is_some_and(|line| line.contains(&close)) {
            continue;
        }
        found.extend(number_link(text, close));
        if found.len() >= LINKS_MAX {
            break;
        }
    }
    found
}

fn number_link(text: &str, close: usize) -> Option<NumberLink<'_>> {
    let inside = text.get(..close)?.trim_end_matches([']', '\\']);
    let (number, digits) = last_number(inside)?;
    let opening = text.get(..digits.start)?.trim_end_matches(['\\', '^']);
    let before = opening.strip_suffix('[')?.trim_end_matches(['[', '\\']);
    if before.ends_with('!') {
        return None;
    }
    let target = text.get(close + "](".len()..)?;
    let target = target.strip_prefix('<').unwrap_or(target);
    // Looked at first: a search for the next address in the whole text is not for every link.
    let begins =
        |scheme: &str| target.get(..scheme.len()).is_some_and(|found| found.eq_ignore_ascii_case(scheme));
    let is_web = begins("http://") || begins("https://");
    let (_, url) = is_web.then(|| links::first_address(target)).flatten().filter(|(at, _)| *at == 0)?;
    Some(NumberLink { number, digits, url })
}

/// The digits at the end of a text.
fn last_number(text: &str) -> Option<(u32, Range<usize>)> {
    let length = text.bytes().rev().take(DIGITS_MAX + 1).take_while(u8::is_ascii_digit).count();
    let digits = text.len() - length..text.len();
    let number = text.get(digits.clone()).filter(|_| (1..=DIGITS_MAX).contains(&length))?.parse().ok()?;
    (number > 0).then_some((number, digits))
}

/// Marks of one number directly behind words that the provider attributes to one address.
fn attributed_marks<'a>(text: &str, attributed: &[AttributedRange<'a>]) -> BTreeMap<u32, Vec<&'a str>> {
    let mut by_end: BTreeMap<usize, Vec<AttributedRange<'a>>> = BTreeMap::new();
    for range in attributed.iter().filter(|range| range.start < range.end && !range.url.is_empty()) {
        by_end.entry(range.end).or_default().push(*range);
    }
    let mut meanings: BTreeMap<u32, Vec<&'a str>> = BTreeMap::new();
    if by_end.is_empty() {
        return meanings;
    }
    for (close, _) in text.match_indices(']') {
        let Some((number, open)) = mark(text, close) else { continue };
        // What several marks share means each of them in part.
        if text.get(close + 1..).is_some_and(|behind| behind.starts_with(['[', '('])) {
            continue;
        }
        let before = text.get(..open).unwrap_or_default();
        let words =
            before.trim_end_matches(|c: char| c.is_whitespace() || matches!(c, '.' | ',' | ';' | ':'));
        let ends_before = by_end.range(words.len()..=open).flat_map(|(_, ranges)| ranges);
        let ends_behind = by_end.range(close + 1..=close + 1 + BEHIND_MARK_BYTES_MAX);
        let covers = ends_behind.flat_map(|(_, ranges)| ranges).filter(|range| range.start < open);
        let mut urls: Vec<&'a str> = ends_before.chain(covers).map(|range| range.url).collect();
        urls.dedup_by_key(|url| links::canonical(url));
        if let [url] = urls.as_slice() {
            meanings.entry(number).or_default().push(url);
        }
    }
    meanings
}

/// The number of `[2]` and `[cite: 2]`, and where the mark begins.
fn mark(text: &str, close: usize) -> Option<(u32, usize)> {
    let (number, digits) = last_number(text.get(..close)?.trim_end_matches(' '))?;
    let opening = text.get(..digits.start)?.trim_end_matches(' ');
    let opening = opening.strip_suffix("cite:").unwrap_or(opening).strip_suffix('[')?;
    (!opening.ends_with(['!', '['])).then_some((number, opening.len()))
}

/// A page before a redirect, what was meant most often before the rest, then the first.
fn likeliest<'a>(urls: &[&'a str]) -> Option<&'a str> {
    let weight = |url: &str| {
        let wanted = links::canonical(url);
        let count = urls.iter().filter(|other| links::canonical(other) == wanted).count();
        (!links::is_redirect(url), count)
    };
    let weighed = urls.iter().take(LINKS_MAX.isqrt()).map(|url| (weight(url), *url));
    weighed.reduce(|best, next| if next.0 > best.0 { next } else { best }).map(|(_, url)| url)
}

#[cfg(test)]
mod tests {
    use super::{AttributedRange, renumbered_links, text_numbers};

    #[track_caller]
    fn check(text: &str, attributed: &[(&str, &'static str)], sources: &[&str], expected: &[(u32, &str)]) {
        let range = |(words, url): &(&str, &'static str)| {
            let start = text.find(words).unwrap();
            AttributedRange { start, end: start + words.len(), url }
        };
        let attributed: Vec<AttributedRange<'_>> = attributed.iter().map(range).collect();
        let found = text_numbers(text, &attributed, sources);
        let found: Vec<(u32, &str)> = found.iter().map(|entry| (entry.number, entry.url)).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn links_that_are_numbers_say_what_the_numbers_mean() {
        let text =
            "Rain [1](https://a.example/1). Snow [[2]](<https://a.example/2>), [3](https://a.example/1/).";
        let meant = [(1, "https://a.example/1"), (2, "https://a.example/2")];
        check(text, &[], &["https://q.example/"], &meant);
        check("Rain [1](https://a.example/1).", &[], &["https://a.example/1", "https://b.example/"], &[]);
        check(
            "![1](https://a.example/1) [x 1](https://a.example/1) [2020](https://a.example/)",
            &[],
            &[],
            &[],
        );
        check("```\n[1](https://a.example/1)\n```\n", &[], &[], &[]);
    }

    #[test]
    fn a_mark_means_what_the_words_before_it_are_attributed_to() {
        let text = "Start [cite: 1]. One [cite: 1]. Two. [cite: 2] Three [3][4].";
        let attributed = [
            ("Start", "https://vertexaisearch.cloud.google.com/grounding-api-redirect/A"),
            ("One", "https://s.example/0"),
            ("Two", "https://s.example/1"),
            ("Three", "https://s.example/2"),
        ];
        let order = ["https://r.example/A", "https://s.example/0", "https://s.example/1"];
        check(text, &attributed, &order, &[(1, "https://s.example/0"), (2, "https://s.example/1")]);
        check("One [2].", &[("One [2].", "https://s.example/0")], &order[1..], &[(2, "https://s.example/0")]);
        check("One [1]. Two [2].", &[("Two", "https://s.example/0")], &order, &[]);
    }

    #[test]
    fn a_link_gets_the_number_of_its_address() {
        let number = |url: &str| match url {
            "https://a.example/1" => Some(12),
            "https://a.example/2" => Some(2),
            _ => None,
        };
        let text = "A [1](https://A.example/1/), b [[2]](https://a.example/2), c [3](https://c.example/).";
        let expected =
            "A [12](https://A.example/1/), b [[2]](https://a.example/2), c [3](https://c.example/).";
        assert_eq!(renumbered_links(text, number), expected);
    }
}
