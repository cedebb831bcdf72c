//! Values that are opened only when a research needs them: each is tried here by the very code that opens it then, so
//! that it is refused where it is typed, marked by the doctor, and named before a research starts.

use probity_models::transport::http::check_base;
use probity_research::{Code, CodedError, web::ProviderName};
use probity_web::fetch::{AddressGuard, NameResolver, ReachRules, UpstreamProxy, check_contact};
use url::Url;

use super::Settings;

/// Longest value that is written; the longest sensible one is an address.
const VALUE_CHARACTERS_MAX: usize = 2_000;

const PROXY: &[&str] = &["web.proxy"];
const CONTACT: &[&str] = &["web.contact"];
const BASE_URL: &[&str] = &["chat.base_url"];
const ENDPOINTS: &[&str] = &["chat.endpoints"];

/// A value that cannot be opened.
#[derive(Debug)]
pub struct UnopenableSetting {
    /// Settings that the value may stand in.
    pub keys: &'static [&'static str],
    why: String,
}

impl UnopenableSetting {
    /// The problem with the name of its setting.
    pub fn problem(&self) -> CodedError {
        CodedError::new(Code::Settings, &format!("`{}`: {}", self.keys.join("` or `"), self.why))
    }
}

/// What is wrong with how the web is reached: nothing can be read with it.
pub fn of_web(settings: &Settings) -> Vec<UnopenableSetting> {
    let web = &settings.web;
    let proxy = web.proxy.as_deref().map(|url| UpstreamProxy::new(url, None).map(drop));
    let tried = [(PROXY, proxy), (CONTACT, Some(check_contact(&web.contact)))];
    tried.into_iter().filter_map(|(keys, opened)| refused(keys, opened?)).collect()
}

/// What is wrong with the addresses of search providers.
pub fn of_search(settings: &Settings) -> Vec<UnopenableSetting> {
    let bases = settings.web.bases.iter();
    bases.filter_map(|(name, base)| refused(keys_of(*name), open_base(base))).collect()
}

/// What is wrong with the addresses of models.
pub fn of_chat(settings: &Settings) -> Vec<UnopenableSetting> {
    let web = &settings.web;
    let base = web.chat_base_url.iter().map(|base| (BASE_URL, base));
    let further = web.chat_endpoints.values().map(|base| (ENDPOINTS, base));
    base.chain(further).filter_map(|(keys, base)| refused(keys, check_base(base))).collect()
}

/// Why this text is no value of any setting.
pub fn unwritable(text: &str) -> Option<String> {
    if text.chars().any(char::is_control) {
        return Some("has a line break or another control character in it".to_owned());
    }
    let is_long = text.chars().count() > VALUE_CHARACTERS_MAX;
    is_long.then(|| format!("has more than {VALUE_CHARACTERS_MAX} characters"))
}

fn refused(keys: &'static [&'static str], opened: Result<(), CodedError>) -> Option<UnopenableSetting> {
    opened.err().map(|problem| UnopenableSetting { keys, why: problem.message })
}

fn keys_of(name: ProviderName) -> &'static [&'static str] {
    match name {
        ProviderName::Searxng => &["search.searxng_url", "search.bases"],
        ProviderName::Firecrawl => &["search.firecrawl_url", "search.bases"],
        _ => &["search.bases"],
    }
}

/// Whether the address has the form of one. Which hosts may be reached is another setting, and may be written later.
fn open_base(base: &str) -> Result<(), CodedError> {
    let base = base.replace("{language}", "en");
    let url = Url::parse(&base).ok();
    let rule = url.as_ref().and_then(|url| {
        let (host, port) = (url.host_str()?, url.port_or_known_default()?);
        Some(format!("{host}:{port}=127.0.0.1:{port}"))
    });
    let reach = ReachRules::parse(rule).unwrap_or_default();
    AddressGuard::new(NameResolver::system(), reach, Vec::new()).parse(&base).map(drop)
}

#[cfg(test)]
mod tests {
    use super::{open_base, unwritable};

    #[test]
    fn an_address_of_a_search_provider_is_one_that_can_be_opened() {
        for base in [
            "http://127.0.0.1:8080",
            "https://searx.example/",
            "http://searx.lan:8080/x",
            "https://{language}.wikipedia.org",
        ] {
            assert_eq!(open_base(base), Ok(()), "{base}");
        }
        for base in ["nonsense", "ftp://x y", "ftp://searx.example", "http://"] {
            assert!(open_base(base).is_err(), "{base}");
        }
    }

    #[test]
    fn a_value_is_one_line_of_sensible_length() {
        assert_eq!(unwritable("gemini-3.8-flash, größer"), None);
        for text in ["a\u{1b}[31mRED", "a\nb", "a\r\nX-Evil: 1", "x".repeat(10_000).as_str()] {
            assert!(unwritable(text).is_some(), "{text:.20}");
        }
    }
}
