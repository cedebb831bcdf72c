//! Makes a provider's result safe to store: a plain web address, and texts without markup or control
//! characters.

use probity_types::{
    text,
    web::{
        SearchHit,
        search::{SNIPPET_CHARACTERS_MAX, TITLE_CHARACTERS_MAX, URL_BYTES_MAX},
    },
};
use url::Url;

use super::{date, provider::RawHit};

/// Longest text parsed for a title or a snippet, in bytes: far more than is kept, and markup is removed.
const TEXT_BYTES_MAX: usize = 16 * 1024;
/// Longest date of an unknown format, as the provider sends it.
const DATE_CHARACTERS_MAX: usize = 40;

/// The hit, unless its address is none that can be fetched.
pub(super) fn clean(raw: RawHit) -> Option<SearchHit> {
    let url = address(&raw.url)?;
    let title = text::line(&plain(&raw.title), TITLE_CHARACTERS_MAX);
    let title = if title.is_empty() { url.host_str().unwrap_or_default().to_owned() } else { title };
    let snippet = text::line(&plain(&raw.snippet), SNIPPET_CHARACTERS_MAX);
    let published =
        raw.published.map(|date| date::read(&date).unwrap_or_else(|| text::line(&date, DATE_CHARACTERS_MAX)));
    Some(SearchHit { url: url.into(), title, snippet, published: published.filter(|date| !date.is_empty()) })
}

/// An absolute web address without credentials and without its fragment.
fn address(written: &str) -> Option<Url> {
    if written.len() > URL_BYTES_MAX {
        return None;
    }
    let mut url = Url::parse(written.trim()).ok()?;
    let usable = matches!(url.scheme(), "http" | "https") && url.has_host();
    let anonymous = url.username().is_empty() && url.password().is_none();
    url.set_fragment(None);
    (usable && anonymous && url.as_str().len() <= URL_BYTES_MAX).then_some(url)
}

/// The text without markup: tags are removed, character references are resolved.
pub(super) fn plain(marked: &str) -> String {
    let mut rest = cut(marked, TEXT_BYTES_MAX);
    let mut words = String::with_capacity(rest.len());
    while let Some(at) = rest.find(['<', '&']) {
        let (before, from) = rest.split_at_checked(at).unwrap_or((rest, ""));
        words.push_str(before);
        let (found, length) = if from.starts_with('<') { tag(from) } else { reference(from) };
        match found {
            Some(character) => words.push(character),
            None => words.push(' '),
        }
        rest = from.get(length..).unwrap_or_default();
    }
    words.push_str(rest);
    words
}

/// A space for a tag, or the bare `<`; and how many bytes it takes. Tags inside a word leave no gap.
fn tag(from: &str) -> (Option<char>, usize) {
    let is_tag =
        from.chars().nth(1).is_some_and(|next| next.is_ascii_alphabetic() || matches!(next, '/' | '!' | '?'));
    match from.find('>') {
        Some(end) if is_tag => (None, end + 1),
        _ => (Some('<'), 1),
    }
}

/// The character that a reference stands for, or the bare `&`; and how many bytes it takes.
fn reference(from: &str) -> (Option<char>, usize) {
    /// `&thetasym;` is the longest name anybody writes; numbers are shorter.
    const LENGTH_MAX: usize = 10;
    let Some(end) = from.bytes().take(LENGTH_MAX).position(|byte| byte == b';') else {
        return (Some('&'), 1);
    };
    let name = from.get(1..end).unwrap_or_default();
    let number = name.strip_prefix('#').and_then(|digits| match digits.strip_prefix(['x', 'X']) {
        Some(hex) => u32::from_str_radix(hex, 16).ok(),
        None => digits.parse().ok(),
    });
    let character = match name {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        "nbsp" => Some(' '),
        "ndash" => Some('–'),
        "mdash" => Some('—'),
        "hellip" => Some('…'),
        _ => number.and_then(char::from_u32),
    };
    character.map_or((Some('&'), 1), |character| (Some(character), end + 1))
}

/// At most so many bytes, ending between characters.
fn cut(text: &str, bytes_max: usize) -> &str {
    let end = (0..=bytes_max.min(text.len())).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    text.get(..end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{RawHit, clean, plain};
    use probity_types::web::search::{SNIPPET_CHARACTERS_MAX, TITLE_CHARACTERS_MAX, URL_BYTES_MAX};

    fn hit(url: &str) -> RawHit {
        RawHit { url: url.to_owned(), title: "t".to_owned(), ..RawHit::default() }
    }

    #[test]
    fn markup_becomes_words() {
        let check = |marked: &str, expected: &str| {
            assert_eq!(probity_types::text::line(&plain(marked), 200), expected, "{marked}");
        };
        check("the <strong>sky</strong> is", "the sky is");
        check("<jats:title>Abstract</jats:title><jats:p>It &lt; that</jats:p>", "Abstract It < that");
        check("AT&T &amp; R&#38;D &#x41; &unknown; &", "AT&T & R&D A &unknown; &");
        check("1 < 2 <unclosed", "1 < 2 <unclosed");
        check("<script>alert(1)</script>", "alert(1)");
        check("&#0;&#x202e;evil&#8203;", "evil");
    }

    #[test]
    fn texts_are_bounded_and_cannot_act() {
        let raw = RawHit {
            title: format!("\u{1b}[31m{}\u{202e}", "x".repeat(100_000)),
            snippet: format!("a\u{0}\nb {}", "ä".repeat(100_000)),
            ..hit("https://a.example/")
        };
        let clean = clean(raw).unwrap();
        assert_eq!(clean.title.chars().count(), TITLE_CHARACTERS_MAX);
        assert_eq!(clean.snippet.chars().count(), SNIPPET_CHARACTERS_MAX);
        assert!(clean.title.starts_with("[31mx") && clean.snippet.starts_with("a b ä"));
    }

    #[test]
    fn only_web_addresses_are_kept() {
        for refused in [
            "",
            "nowhere",
            "javascript:alert(1)",
            "file:///etc/passwd",
            "data:text/html,x",
            "ftp://a.example/",
            "https://user:word@a.example/",
            "https://user@a.example/",
            "//a.example/",
            "http://",
        ] {
            assert_eq!(clean(hit(refused)), None, "{refused}");
        }
        assert_eq!(clean(hit(&format!("https://a.example/{}", "x".repeat(URL_BYTES_MAX)))), None);
        // Short as written, long as sent.
        assert_eq!(clean(hit(&format!("https://a.example/{}", "ä".repeat(500)))), None);
        assert_eq!(clean(hit(" HTTPS://A.example/x#y ")).unwrap().url, "https://a.example/x");
    }

    #[test]
    fn a_hit_without_a_title_is_called_by_its_host() {
        let raw = RawHit {
            title: "<b></b>".to_owned(),
            published: Some("yesterday".to_owned()),
            ..hit("http://a.example/x")
        };
        let clean = clean(raw).unwrap();
        assert_eq!((clean.title.as_str(), clean.published.as_deref()), ("a.example", Some("yesterday")));
    }
}
