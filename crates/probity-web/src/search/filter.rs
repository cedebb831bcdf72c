//! Checks the results against the user's filters, and says which were enforced.
//!
//! A result that surely does not match is removed. Enforced is said only where every remaining result was
//! checked.

use probity_types::web::{
    SearchFilters, SearchHit,
    search::{FilterEnforcement, FilterReport, HITS_MAX},
};
use url::Url;

use super::{
    date::{self, FilterMatch},
    hit,
    provider::RawHit,
};

/// The hits that match, best first and each address once, and which filters were enforced.
pub(super) fn apply(
    filters: &SearchFilters,
    asked: FilterReport,
    raw: Vec<RawHit>,
    wanted: usize,
) -> (Vec<SearchHit>, FilterReport) {
    let mut hits: Vec<SearchHit> = Vec::new();
    let (mut all_dated, mut all_spoken) = (true, true);
    for raw in raw {
        if hits.len() >= wanted.min(HITS_MAX) {
            break;
        }
        let speaks = language_match(filters, raw.language.as_deref());
        let Some(hit) = hit::clean(raw) else { continue };
        let dated = date::fit(hit.published.as_deref(), filters.after.as_deref(), filters.before.as_deref());
        let fits = dated != FilterMatch::Outside
            && speaks != FilterMatch::Outside
            && is_in_domains(filters, &hit.url);
        if !fits || hits.iter().any(|known| known.url == hit.url) {
            continue;
        }
        all_dated &= dated == FilterMatch::Inside;
        all_spoken &= speaks == FilterMatch::Inside;
        hits.push(hit);
    }
    // No hits prove nothing: an empty answer is only as good as the request.
    let checked = |all: bool, heed: Option<FilterEnforcement>| match heed {
        Some(_) if all && !hits.is_empty() => Some(FilterEnforcement::Enforced),
        heed => heed,
    };
    let heeded = FilterReport {
        dates: checked(all_dated, asked.dates),
        domains: asked.domains.map(|_| FilterEnforcement::Enforced),
        languages: checked(all_spoken, asked.languages),
    };
    (hits, heeded)
}

fn language_match(filters: &SearchFilters, language: Option<&str>) -> FilterMatch {
    let Some(language) = language.filter(|_| !filters.languages.is_empty()) else {
        return FilterMatch::Unknown;
    };
    let spoken = language.split(['-', '_']).next().unwrap_or_default();
    let wanted = filters.languages.iter().any(|wanted| wanted.eq_ignore_ascii_case(spoken));
    if wanted { FilterMatch::Inside } else { FilterMatch::Outside }
}

fn is_in_domains(filters: &SearchFilters, url: &str) -> bool {
    let parsed = Url::parse(url).ok();
    let host = parsed.as_ref().and_then(Url::host_str).unwrap_or_default().trim_end_matches('.');
    let below = |domain: &String| is_below(host, domain);
    (filters.domains.is_empty() || filters.domains.iter().any(below))
        && !filters.domains_excluded.iter().any(below)
}

/// Whether a host is this domain or below it: `docs.example.org` is below `example.org`, `notexample.org` is not.
fn is_below(host: &str, domain: &str) -> bool {
    let domain = bare_domain(domain);
    !domain.is_empty()
        && host.strip_suffix(domain.as_str()).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

/// A domain as users write it, without what is not part of it: `https://www.example.org/docs` is `example.org`.
pub(super) fn bare_domain(domain: &str) -> String {
    let text = domain.trim().to_lowercase();
    let text = text.split_once("://").map_or(text.as_str(), |(_, rest)| rest);
    let host = text.split(['/', '?', '#']).next().unwrap_or_default();
    let host = host.rsplit_once(':').map_or(host, |(name, _)| name);
    let host = host.trim_start_matches("*.").trim_start_matches("www.").trim_matches('.');
    // The URL parser spells a name as addresses do.
    Url::parse(&format!("http://{host}/"))
        .ok()
        .and_then(|url| url.host_str().map(str::to_owned))
        .unwrap_or_default()
}

/// The domains of a list in the form that providers take.
pub(super) fn bare_domains(domains: &[String]) -> Vec<String> {
    domains.iter().map(|domain| bare_domain(domain)).filter(|domain| !domain.is_empty()).collect()
}

/// `site:` operators for providers that filter domains by them; empty where they would not fit beside the
/// query.
pub(super) fn site_operators(filters: &SearchFilters, room: usize) -> String {
    let wanted =
        bare_domains(&filters.domains).iter().map(|domain| format!("site:{domain}")).collect::<Vec<_>>();
    let unwanted = bare_domains(&filters.domains_excluded)
        .iter()
        .map(|domain| format!("-site:{domain}"))
        .collect::<Vec<_>>();
    let mut words: Vec<String> = Vec::new();
    match wanted.as_slice() {
        [] => {}
        [one] => words.push(one.clone()),
        many => words.push(format!("({})", many.join(" OR "))),
    }
    words.extend(unwanted);
    let words = words.join(" ");
    if words.chars().count() <= room { words } else { String::new() }
}

#[cfg(test)]
mod tests {
    use super::{
        FilterEnforcement, FilterReport, RawHit, SearchFilters, apply, bare_domain, is_below, site_operators,
    };

    const ASKED: FilterReport = FilterReport {
        dates: Some(FilterEnforcement::Asked),
        domains: Some(FilterEnforcement::Asked),
        languages: Some(FilterEnforcement::Asked),
    };

    fn raw(url: &str, published: Option<&str>, language: Option<&str>) -> RawHit {
        RawHit {
            url: url.to_owned(),
            title: "t".to_owned(),
            published: published.map(str::to_owned),
            language: language.map(str::to_owned),
            ..RawHit::default()
        }
    }

    #[test]
    fn domains_end_where_they_end() {
        for (host, domain, expected) in [
            ("example.org", "example.org", true),
            ("docs.example.org", "example.org", true),
            ("notexample.org", "example.org", false),
            ("example.org.evil.test", "example.org", false),
            ("example.org", "https://www.Example.org:443/docs", true),
            ("example.org", "*.example.org", true),
            ("example.org", "", false),
            ("xn--bcher-kva.example", "bücher.example", true),
        ] {
            assert_eq!(is_below(host, domain), expected, "{host} {domain}");
        }
        assert_eq!(bare_domain("//"), "");
    }

    #[test]
    fn what_surely_does_not_fit_is_removed_and_the_rest_is_told_as_it_is() {
        let filters = SearchFilters {
            after: Some("2025-01-01".to_owned()),
            domains: vec!["a.example".to_owned()],
            languages: vec!["de".to_owned()],
            ..SearchFilters::default()
        };
        let all = vec![
            raw("https://a.example/1", Some("2025-02-01"), Some("de-AT")),
            raw("https://a.example/2", Some("2024-02-01"), Some("de")),
            raw("https://b.example/3", Some("2025-02-01"), Some("de")),
            raw("https://a.example/4", Some("2025-02-01"), Some("en")),
            raw("https://a.example/1#again", Some("2025-02-01"), Some("de")),
        ];
        let enforced = Some(FilterEnforcement::Enforced);
        let (hits, heeded) = apply(&filters, ASKED, all.clone(), 20);
        assert_eq!(hits.iter().map(|hit| hit.url.as_str()).collect::<Vec<_>>(), ["https://a.example/1"]);
        assert_eq!(heeded, FilterReport { dates: enforced, domains: enforced, languages: enforced });
        // One result without a date and language: nobody checked it.
        let mut more = all;
        more.push(raw("https://a.example/5", None, None));
        let (hits, heeded) = apply(&filters, ASKED, more, 20);
        assert_eq!(hits.len(), 2);
        assert_eq!(
            heeded,
            FilterReport {
                dates: Some(FilterEnforcement::Asked),
                domains: enforced,
                languages: Some(FilterEnforcement::Asked)
            }
        );
    }

    #[test]
    fn an_empty_answer_enforces_nothing() {
        let filters = SearchFilters { after: Some("2025-01-01".to_owned()), ..SearchFilters::default() };
        let asked = FilterReport { dates: Some(FilterEnforcement::NotPossible), ..FilterReport::default() };
        assert_eq!(apply(&filters, asked, Vec::new(), 5), (Vec::new(), asked));
    }

    #[test]
    fn site_words_fit_or_are_left_out() {
        let filters = SearchFilters {
            domains: vec!["a.example".to_owned(), "b.example".to_owned()],
            domains_excluded: vec!["c.a.example".to_owned()],
            ..SearchFilters::default()
        };
        assert_eq!(site_operators(&filters, 100), "(site:a.example OR site:b.example) -site:c.a.example");
        assert_eq!(site_operators(&filters, 10), "");
    }
}
