//! Addresses: when two are the same page, whose site it is, and how a host is shown without deceiving.
//!
//! The canonical form is a key for comparing, never an address to fetch: it says https where the page may say http.

use url::{Host, Url};

/// Parameters that follow a reader around and change nothing on the page. A short list on purpose: `ref`, `id`
/// or `page` mean something on too many sites.
const TRACKING: &[&str] = &[
    "gclid",
    "gclsrc",
    "dclid",
    "gbraid",
    "wbraid",
    "fbclid",
    "msclkid",
    "yclid",
    "twclid",
    "ttclid",
    "igshid",
    "igsh",
    "mc_cid",
    "mc_eid",
    "mkt_tok",
    "_ga",
    "_gl",
    "_hsenc",
    "_hsmi",
    "ref_src",
    "ref_url",
    "spm",
    "srsltid",
    "amp",
    "outputtype",
];
const TRACKING_PREFIXES: &[&str] = &["utm_", "pk_", "mtm_", "matomo_", "hsa_"];
/// Host labels under which the same pages are served to other screens.
const SCREEN_LABELS: &[&str] = &["www", "m", "mobile", "amp"];
/// What a server adds by itself when a folder is asked for.
const FOLDER_PAGES: &[&str] = &["index.html", "index.htm", "index.php"];
/// Forms that wrap the address of another page; more than one wrapper inside another is a trick.
const UNWRAPS_MAX: usize = 2;

/// The form under which two addresses of the same page are equal; nothing for what is not a web address.
pub fn canonical(address: &str) -> Option<String> {
    // As Markdown and HTML write it.
    let mut url = web(&address.replace("&amp;", "&"))?;
    for _ in 0..UNWRAPS_MAX {
        let Some(inner) = unwrapped(&url) else { break };
        url = inner;
    }
    let host = bare_host(&url)?;
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    let path = path_key(url.path());
    Some(format!("https://{host}{port}{path}{}", query_key(url.query())))
}

/// The registered domain (`bbc.co.uk`, `example.github.io`), or the host where there is none.
pub fn site(address: &str) -> Option<String> {
    let url = web(address)?;
    let host = url.host_str()?.trim_end_matches('.');
    match url.host()? {
        Host::Domain(_) => Some(psl::domain_str(host).unwrap_or(host).to_owned()),
        Host::Ipv4(_) | Host::Ipv6(_) => Some(host.to_owned()),
    }
}

/// The address as a user may read it: letters instead of punycode, unless the host mixes scripts, because a
/// Cyrillic `а` in a Latin name looks like another site.
pub fn display(address: &str) -> String {
    let Some(mut url) = web(address) else { return crate::text::line(address, super::search::URL_BYTES_MAX) };
    // A password must not be shown, and a user name in front of the host looks like another host.
    if url.set_username("").is_err() || url.set_password(None).is_err() {
        return String::new();
    }
    let Some(host) = url.host_str() else { return url.into() };
    let readable = url::quirks::domain_to_unicode(host);
    if readable.is_empty() || readable == host || mixes_scripts(&readable) {
        return url.into();
    }
    url.as_str().replacen(host, &readable, 1)
}

fn web(address: &str) -> Option<Url> {
    let url = Url::parse(address.trim()).ok()?;
    (matches!(url.scheme(), "http" | "https") && url.host().is_some()).then_some(url)
}

/// The page inside the address of a copy that a search company serves.
fn unwrapped(url: &Url) -> Option<Url> {
    let host = url.host_str()?;
    let rest = if host.ends_with(".cdn.ampproject.org") {
        url.path().strip_prefix("/c/").or_else(|| url.path().strip_prefix("/v/"))?
    } else if host.strip_prefix("www.").unwrap_or(host).starts_with("google.") {
        url.path().strip_prefix("/amp/")?
    } else {
        return None;
    };
    let (scheme, rest) = rest.strip_prefix("s/").map_or(("http", rest), |rest| ("https", rest));
    let query = url.query().map(|query| format!("?{query}")).unwrap_or_default();
    web(&format!("{scheme}://{rest}{query}"))
}

/// The host without labels that only choose a screen; the registered domain itself is never touched.
fn bare_host(url: &Url) -> Option<String> {
    let host = url.host_str()?.trim_end_matches('.');
    let Some(domain) = psl::domain_str(host) else { return Some(host.to_owned()) };
    let labels = host.strip_suffix(domain)?.split('.').filter(|label| !label.is_empty());
    let kept: String =
        labels.filter(|label| !SCREEN_LABELS.contains(label)).map(|label| format!("{label}.")).collect();
    Some(kept + domain)
}

fn path_key(path: &str) -> String {
    let decoded = same_escapes(path);
    let mut parts: Vec<&str> = decoded.split('/').filter(|part| !part.is_empty()).collect();
    if parts.first() == Some(&"amp") && parts.len() > 1 {
        parts.remove(0);
    }
    if parts.last().is_some_and(|last| *last == "amp" || FOLDER_PAGES.contains(last)) {
        parts.pop();
    }
    let mut key = parts.join("/");
    for ending in [".amp.html", ".amp"] {
        if let Some(base) = key.strip_suffix(ending).filter(|base| !base.is_empty()) {
            key = base.to_owned() + if ending.ends_with("html") { ".html" } else { "" };
            break;
        }
    }
    if key.is_empty() { key } else { format!("/{key}") }
}

fn query_key(query: Option<&str>) -> String {
    let escaped = same_escapes(query.unwrap_or_default());
    let name = |pair: &str| pair.split('=').next().unwrap_or_default().to_ascii_lowercase();
    let follows = |pair: &&str| {
        let name = name(pair);
        TRACKING.contains(&name.as_str()) || TRACKING_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
    };
    let mut pairs: Vec<&str> =
        escaped.split('&').filter(|pair| !pair.is_empty()).filter(|pair| !follows(pair)).collect();
    // By name only, and stable: the order of equal names may mean something.
    pairs.sort_by_key(|pair| name(pair));
    if pairs.is_empty() { String::new() } else { format!("?{}", pairs.join("&")) }
}

/// One way to write what may be written in several: `%7e` is `~`, `%c3` is `%C3`.
fn same_escapes(text: &str) -> String {
    let mut written = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('%') {
        written.push_str(before);
        let byte = after.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match byte {
            Some(byte) if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) => {
                written.push(char::from(byte))
            }
            Some(byte) => written.push_str(&format!("%{byte:02X}")),
            None => written.push('%'),
        }
        rest = if byte.is_some() { after.get(2..).unwrap_or_default() } else { after };
    }
    written + rest
}

/// Where each script begins that a host may be written in; the letters of one share a number.
const SCRIPTS: &[(u32, LetterScript)] = &[
    (0x0000, LetterScript::Latin),
    (0x0250, LetterScript::Unknown),
    (0x0370, LetterScript::Other(1)), // Greek
    (0x0400, LetterScript::Other(2)), // Cyrillic
    (0x0530, LetterScript::Other(3)), // Armenian
    (0x0590, LetterScript::Other(4)), // Hebrew
    (0x0600, LetterScript::Other(5)), // Arabic
    (0x0700, LetterScript::Unknown),
    (0x0900, LetterScript::Other(6)), // Devanagari
    (0x0980, LetterScript::Other(7)), // Bengali
    (0x0A00, LetterScript::Unknown),
    (0x0B80, LetterScript::Other(8)), // Tamil
    (0x0C00, LetterScript::Unknown),
    (0x0E00, LetterScript::Other(9)), // Thai
    (0x0E80, LetterScript::Unknown),
    (0x10A0, LetterScript::Other(10)), // Georgian
    (0x1100, LetterScript::Unknown),
    (0x1E00, LetterScript::Latin),
    (0x1F00, LetterScript::Unknown),
    (0x3005, LetterScript::EastAsian),
    (0xA000, LetterScript::Unknown),
    (0xAC00, LetterScript::EastAsian),
    (0xD7B0, LetterScript::Unknown),
    (0x20000, LetterScript::EastAsian),
    (0x32000, LetterScript::Unknown),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LetterScript {
    Latin,
    /// Written together with Latin everywhere, and alike to it nowhere.
    EastAsian,
    Other(u8),
    Unknown,
}

fn mixes_scripts(host: &str) -> bool {
    let letters = host.chars().filter(|character| !matches!(character, '0'..='9' | '-' | '.'));
    let mut seen: Option<LetterScript> = None;
    for script in letters.map(script) {
        match (seen, script) {
            (_, LetterScript::Unknown) => return true,
            (None, _) => seen = Some(script),
            (
                Some(LetterScript::Latin | LetterScript::EastAsian),
                LetterScript::Latin | LetterScript::EastAsian,
            ) => {}
            (Some(before), now) if before == now => {}
            (Some(_), _) => return true,
        }
    }
    false
}

fn script(character: char) -> LetterScript {
    let place = SCRIPTS.partition_point(|(start, _)| *start <= u32::from(character));
    place
        .checked_sub(1)
        .and_then(|place| SCRIPTS.get(place))
        .map_or(LetterScript::Unknown, |(_, script)| *script)
}

#[cfg(test)]
mod tests;
