//! The web addresses in a piece of Markdown, wherever they are.

use std::collections::BTreeSet;

/// Links considered in one report. One per sentence of a long report is far below this.
pub const LINKS_MAX: usize = 5_000;
/// Longest address; redirects of the provider have some hundred characters.
const ADDRESS_BYTES_MAX: usize = 4_096;
/// The path of the redirects that a provider gives instead of the pages it found.
const REDIRECT_PATH: &str = "/grounding-api-redirect/";

/// Every `http` and `https` address, in order, each once.
pub fn addresses(markdown: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut known: BTreeSet<&str> = BTreeSet::new();
    let mut rest = markdown;
    while let Some(at) = next_scheme(rest) {
        let Some(from) = rest.get(at..) else { break };
        let address = address(from);
        rest = from.get(address.len().max(1)..).unwrap_or_default();
        // Only a scheme is no address.
        if address.len() > "https://".len() && known.insert(address) {
            found.push(address.to_owned());
            if found.len() >= LINKS_MAX {
                break;
            }
        }
    }
    found
}

/// The first address and where it begins.
pub fn first_address(text: &str) -> Option<(usize, &str)> {
    let at = next_scheme(text)?;
    Some((at, address(text.get(at..)?))).filter(|(_, address)| address.len() > "https://".len())
}

fn next_scheme(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let begins = |scheme: &str, at: usize| {
        bytes.get(at..at + scheme.len()).is_some_and(|found| found.eq_ignore_ascii_case(scheme.as_bytes()))
    };
    let is_first = |(at, byte): &(usize, &u8)| {
        byte.eq_ignore_ascii_case(&b'h') && (begins("http://", *at) || begins("https://", *at))
    };
    bytes.iter().enumerate().find(is_first).map(|(at, _)| at)
}

/// Up to the first character that is not allowed in an address; a closing bracket only if it was opened
/// inside, so that `[1](https://a.example/x_(y))` keeps its own.
fn address(from: &str) -> &str {
    let mut open = 0_u32;
    let mut end = from.len();
    // An IPv6 host is in brackets of its own: `https://[2001:db8::1]/x`.
    let host = from.find("://").map_or(0, |scheme| scheme + "://".len());
    let bracketed = from
        .get(host..)
        .filter(|rest| rest.starts_with('['))
        .and_then(|rest| rest.bytes().take(ADDRESS_BYTES_MAX).position(|byte| byte == b']'));
    let body = bracketed.map_or(host, |close| host + close + 1);
    for (at, character) in from.char_indices().skip_while(|(at, _)| *at < body) {
        let ends = match character {
            '(' => {
                open += 1;
                false
            }
            ')' if open > 0 => {
                open -= 1;
                false
            }
            ')' | '<' | '>' | '"' | '`' | ']' | '[' | '|' | '\\' | '{' | '}' => true,
            other => other.is_whitespace() || other.is_control(),
        };
        if ends || at >= ADDRESS_BYTES_MAX {
            end = at;
            break;
        }
    }
    let cut = from.get(..end).unwrap_or_default();
    cut.trim_end_matches(['.', ',', ';', ':', '!', '?', '\'', '*', '_'])
}

/// Whether an address is a provider's redirect: it leads to a page and is none.
pub fn is_redirect(address: &str) -> bool {
    canonical(address).contains("://vertexaisearch.cloud.google.com/") || address.contains(REDIRECT_PATH)
}

/// The same page by another spelling: scheme and host in lower case, no fragment, no slash at the end.
pub fn canonical(address: &str) -> String {
    let without_fragment = address.split('#').next().unwrap_or_default();
    let trimmed = without_fragment.trim_end_matches('/');
    let Some((scheme, rest)) = trimmed.split_once("://") else { return trimmed.to_owned() };
    let (host, path) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
    // As Markdown and HTML write it.
    let path = path.replace("&amp;", "&");
    format!("{}://{}{path}", scheme.to_ascii_lowercase(), host.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::{addresses, canonical, is_redirect};

    #[track_caller]
    fn check(markdown: &str, expected: &[&str]) {
        assert_eq!(addresses(markdown), expected, "{markdown}");
    }

    #[test]
    fn addresses_are_found_however_markdown_writes_them() {
        check(
            "A [1](https://a.example/x). B <http://b.example>, c",
            &["https://a.example/x", "http://b.example"],
        );
        check("see https://a.example/x_(y)).", &["https://a.example/x_(y)"]);
        check("![i](HTTPS://A.example/p.png \"t\")", &["HTTPS://A.example/p.png"]);
        check("[r]: https://a.example/é\n", &["https://a.example/é"]);
        check("see [1](https://[2001:db8::1]/a/1).", &["https://[2001:db8::1]/a/1"]);
        check("https:// and http://", &[]);
        check("https://[never closed", &[]);
        check("https://a.example https://a.example", &["https://a.example"]);
    }

    #[test]
    fn a_redirect_is_no_page() {
        assert!(is_redirect("https://VertexAISearch.cloud.google.com/grounding-api-redirect/AAA0"));
        assert!(!is_redirect("https://cloud.google.com/vertexaisearch"));
    }

    #[test]
    fn spelling_does_not_make_another_page() {
        assert_eq!(canonical("HTTPS://A.Example/Path/#top"), "https://a.example/Path");
        assert_eq!(canonical("https://a.example"), canonical("https://A.example/"));
        assert_ne!(canonical("https://a.example/x?q=1"), canonical("https://a.example/x?q=2"));
    }
}
