//! The list of sources that a text brings along at its end: its numbers are the ones that its marks mean.

use std::collections::BTreeSet;

use super::Report;
use crate::rounds::links;

/// Headings under which sources are listed, without numbers and punctuation, in lower case.
const SOURCE_HEADINGS: &[&str] = &[
    "sources",
    "source",
    "references",
    "reference",
    "citations",
    "works cited",
    "bibliography",
    "footnotes",
    "notes",
    "reference list",
    "list of sources",
    "source list",
    "sources cited",
    "references and sources",
    "endnotes",
    "sources and references",
    "key sources",
    "primary sources",
    "annotated bibliography",
    "further reading",
    "links",
    "quellen",
    "quellenverzeichnis",
    "literatur",
    "literaturverzeichnis",
    "einzelnachweise",
    "références",
    "references bibliographiques",
    "références bibliographiques",
    "bibliographie",
    "fuentes",
    "referencias",
    "bibliografía",
    "fonti",
    "riferimenti",
    "bibliografia",
    "fontes",
    "referências",
    "bronnen",
    "källor",
    "kilder",
    "lähteet",
    "źródła",
    "zdroje",
    "források",
    "источники",
    "литература",
    "джерела",
    "kaynaklar",
    "kaynakça",
    "πηγές",
    "المصادر",
    "المراجع",
    "מקורות",
    "منابع",
    "स्रोत",
    "संदर्भ",
    "แหล่งที่มา",
    "อ้างอิง",
    "nguồn",
    "tài liệu tham khảo",
    "sumber",
    "参考",
    "参考文献",
    "参考资料",
    "参考来源",
    "参考链接",
    "来源",
    "资料来源",
    "引用",
    "引用来源",
    "引用文献",
    "相关来源",
    "代表性来源",
    "主要参考文献",
    "主要引用文献",
    "主要参考资料",
    "參考文獻",
    "參考資料",
    "來源",
    "資料來源",
    "出典",
    "情報源",
    "参照",
    "참고문헌",
    "참고 자료",
    "참고자료",
    "출처",
];
/// Words that a heading of sources may have beside its name ("参考文献与数据源", "Sources (selected)").
const HEADING_CHARACTERS_MORE: usize = 14;
/// A longer line is a sentence.
const HEADING_BYTES_MAX: usize = 160;
/// Entries read of one list: no report cites as many.
const ENTRIES_MAX: usize = 5_000;
/// Longest number of an entry, in digits.
const DIGITS_MAX: usize = 4;

/// One entry of the text's own list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OwnEntry<'a> {
    pub number: u32,
    /// Empty for a work without an address.
    pub url: &'a str,
    pub title: &'a str,
}

/// The text's own numbered list of sources, with nothing behind it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnSourceList<'a> {
    /// Where it begins, its heading included. Definitions such as `[1]: https://…` are no part of what is read, so they
    /// begin at the end.
    pub start: usize,
    /// By number, each once.
    pub entries: Vec<OwnEntry<'a>>,
}

impl Report {
    /// None where the text has no list at its end, where entries have no numbers, and where two lists share them.
    pub fn own_list(&self) -> Option<OwnSourceList<'_>> {
        let lines: Vec<TextLine<'_>> = lines(&self.text).collect();
        let names_list =
            |line: &TextLine<'_>| !line.is_code && is_heading(line.text) && names_sources(line.text);
        let Some(at) = lines.iter().rposition(names_list) else {
            return definitions(&lines, self.text.len());
        };
        let (before, rest) = lines.split_at_checked(at)?;
        let (heading, body) = rest.split_first()?;
        if is_second(before) {
            return None;
        }
        // Files of the user's own are named by their titles alone.
        let are_files =
            !self.sources.is_empty() && self.sources.iter().all(|source| source.url.starts_with("file:"));
        let entries = numbered(entries(body)?, are_files)?;
        Some(OwnSourceList { start: heading.start, entries })
    }

    /// The text without its own list of sources, for whoever shows the numbered one behind it.
    pub fn text_without_own_list(&self) -> &str {
        let end = self.own_list().map_or(self.text.len(), |list| list.start);
        match self.text.get(..end) {
            Some(text) if end < self.text.len() => without_rule(text),
            _ => &self.text,
        }
    }
}

/// Whether a heading announces a list of sources.
pub fn names_sources(heading: &str) -> bool {
    let name = heading.trim_matches(|c: char| !c.is_alphabetic()).to_lowercase();
    // "七、参考文献": the number of the chapter.
    let name = match name.split_once(['、', '．', '.']) {
        Some((number, rest)) if number.chars().count() <= 3 => rest.trim(),
        _ => name.as_str(),
    };
    if SOURCE_HEADINGS.contains(&name) {
        return true;
    }
    let is_short = |known: &str| name.chars().count() <= known.chars().count() + HEADING_CHARACTERS_MORE;
    let is_list = |known: &str| {
        // Scripts without spaces between words.
        let plain = known.chars().next().is_some_and(|c| ('\u{0E00}'..='\u{9FFF}').contains(&c));
        let rest = name.strip_prefix(known).unwrap_or_default().trim_start();
        is_short(known)
            && known.chars().count() >= 4
            && name.starts_with(known)
            && (plain && rest.starts_with(['与', '及', '和', '、', '/', '（', '('])
                || rest.starts_with(['(', '（', ':', '：', '/', '&'])
                || rest.starts_with("and ")
                || rest.starts_with("und "))
    };
    SOURCE_HEADINGS.iter().any(|known| is_list(known))
}

/// The bytes of fenced code, line by line.
pub(super) fn code_lines(text: &str) -> impl Iterator<Item = std::ops::Range<usize>> {
    lines(text).filter(|line| line.is_code).map(|line| line.start..line.start + line.text.len())
}

struct TextLine<'a> {
    start: usize,
    text: &'a str,
    is_code: bool,
}

fn lines(text: &str) -> impl Iterator<Item = TextLine<'_>> {
    let (mut at, mut fence) = (0, None);
    text.split_inclusive('\n').map(move |line| {
        let mark = ["```", "~~~"].into_iter().find(|mark| line.trim_start().starts_with(mark));
        let found = TextLine { start: at, text: line.trim_end(), is_code: fence.is_some() || mark.is_some() };
        fence = match (fence, mark) {
            (None, mark) => mark,
            (open, mark) if open == mark => None,
            (open, _) => open,
        };
        at += line.len();
        found
    })
}

/// `## Sources`, `**Sources:**` or `Sources:` alone on its line.
fn is_heading(line: &str) -> bool {
    let body = line.trim_start();
    let is_marked = body.starts_with('#') || body.starts_with("**") || body.ends_with([':', '：']);
    is_marked && body.len() <= HEADING_BYTES_MAX && !body.contains("http")
}

/// Whether a list of sources stands before the last one: chapters that number their sources anew.
fn is_second(before: &[TextLine<'_>]) -> bool {
    before.iter().enumerate().any(|(at, line)| {
        let next = || before.iter().skip(at + 1).find(|line| !line.text.trim().is_empty());
        !line.is_code
            && is_heading(line.text)
            && names_sources(line.text)
            && next().is_some_and(|next| label(next.text).is_some())
    })
}

/// The entries of a list; none where something else is there too.
fn entries<'a>(body: &[TextLine<'a>]) -> Option<Vec<OwnEntry<'a>>> {
    let mut found: Vec<OwnEntry<'_>> = Vec::new();
    let mut is_apart = true;
    for line in body {
        let text = line.text.trim();
        if text.is_empty() || is_rule(text) {
            is_apart = true;
            continue;
        }
        match label(line.text) {
            Some((number, rest)) if found.len() < ENTRIES_MAX => found.push(entry(number, rest)),
            Some(_) => return None,
            // A second line of the entry above; its address may be there.
            None => {
                let belongs = !is_apart || line.text.starts_with(' ') || is_address(text);
                let last = found.last_mut().filter(|_| belongs)?;
                if last.url.is_empty() {
                    let more = entry(last.number, text);
                    *last = OwnEntry {
                        title: if last.title.is_empty() { more.title } else { last.title },
                        ..more
                    };
                }
            }
        }
        is_apart = false;
    }
    Some(found)
}

/// By number; none where a number means two sources, and where nothing has an address.
fn numbered(mut entries: Vec<OwnEntry<'_>>, are_files: bool) -> Option<Vec<OwnEntry<'_>>> {
    entries.sort_by_key(|entry| entry.number);
    let numbers: BTreeSet<u32> = entries.iter().map(|entry| entry.number).collect();
    let has_address = entries.iter().any(|entry| are_files || !entry.url.is_empty());
    (has_address && numbers.len() == entries.len() && !numbers.contains(&0)).then_some(entries)
}

/// Footnotes and definitions of addresses at the end, without a heading.
fn definitions<'a>(lines: &[TextLine<'a>], end: usize) -> Option<OwnSourceList<'a>> {
    let is_definition = |text: &str| text.starts_with('[') && text.contains("]:");
    let belongs = |line: &&TextLine<'_>| {
        !line.is_code
            && (line.text.trim().is_empty() || is_definition(line.text) && label(line.text).is_some())
    };
    let count = lines.iter().rev().take_while(belongs).count();
    let last = lines.get(lines.len() - count..).unwrap_or_default();
    let first = last.iter().find(|line| !line.text.trim().is_empty())?;
    let entries = numbered(entries(last)?, false)?;
    let are_notes = first.text.starts_with("[^");
    Some(OwnSourceList { start: if are_notes { first.start } else { end }, entries })
}

/// The number of an entry and what is behind it: `1. …`, `[1] …`, `[^1]: …`, `- [1] …`.
fn label(line: &str) -> Option<(u32, &str)> {
    let body = line.trim_start().trim_start_matches(['-', '*', '+', '•', ' ', '_', '\\']);
    let bracketed = body.strip_prefix(['[', '【', '［']);
    let inner = bracketed.map_or(body, |inner| inner.trim_start_matches('^'));
    let digits = inner.bytes().take_while(u8::is_ascii_digit).count();
    let number = inner.get(..digits).filter(|digits| (1..=DIGITS_MAX).contains(&digits.len()))?;
    let behind = inner.get(digits..)?.trim_start_matches('\\');
    let rest = match bracketed {
        Some(_) => {
            let rest = behind.strip_prefix([']', '】', '］'])?;
            // `[1](https://…)` is a link whose words are a number.
            rest.strip_prefix(':').unwrap_or(rest)
        }
        None => behind.strip_prefix(['.', ')', ':', '、'])?,
    };
    Some((number.parse().ok()?, rest))
}

fn entry(number: u32, rest: &str) -> OwnEntry<'_> {
    let Some((at, url)) = links::first_address(rest) else {
        return OwnEntry { number, url: "", title: bare(rest) };
    };
    let before = rest.get(..at).unwrap_or_default();
    let behind = rest.get(at + url.len()..).unwrap_or_default();
    // `[title](address)`: the words of the link, whatever else is beside it.
    let link = before.strip_suffix("](").and_then(|before| before.split_once('['));
    let title = link.map_or_else(|| bare(before), |(_, words)| bare(words));
    OwnEntry { number, url, title: if title.is_empty() { bare(behind) } else { title } }
}

fn bare(words: &str) -> &str {
    let beside =
        |c: char| c.is_whitespace() || matches!(c, ':' | '-' | '–' | '—' | '|' | ',' | '.' | '*' | '_');
    words
        .trim_start_matches(|c| beside(c) || matches!(c, '>' | ')'))
        .trim_end_matches(|c| beside(c) || matches!(c, '<' | '('))
}

fn is_address(text: &str) -> bool {
    links::first_address(text).is_some_and(|(at, _)| at <= 1)
}

fn is_rule(text: &str) -> bool {
    text.len() >= 3 && ["-", "*", "_"].iter().any(|mark| text.replace(mark, "").trim().is_empty())
}

/// Without the line that divides the text from its list.
fn without_rule(text: &str) -> &str {
    let text = text.trim_end();
    match text.rsplit_once('\n') {
        Some((before, last)) if is_rule(last.trim()) => before.trim_end(),
        _ => text,
    }
}

#[cfg(test)]
mod tests;
