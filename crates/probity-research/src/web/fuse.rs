//! Several providers' lists of results as one: the same page once, copies last, no site too often.
//!
//! Reciprocal rank fusion: a position in a list counts 1 / (60 + position), so that a page which several
//! providers name ranks before one that a single provider puts first, and no provider's own score has to be
//! trusted.

use std::collections::BTreeMap;

use super::{
    canonical,
    cluster::{CopyRelation, Fingerprint},
    search::{ProviderName, SearchFilters, SearchHit, URL_BYTES_MAX},
    task::Candidate,
};

/// The usual constant of the method: it keeps the first places from deciding alone.
const RANK_OFFSET: u64 = 60;
/// The unit of a score; whole numbers sort the same everywhere.
const SCORE_UNIT: u64 = 1_000_000;
/// A result that reads like a better one counts this much less: less than the last position of any list.
const COPY_DIVISOR: u64 = 100;
/// Pages of one site among the candidates: enough for a site that matters, too few for one that floods.
pub const PER_SITE_MAX: usize = 3;
/// Most candidates that are kept: every list's results of a deep attempt, once.
pub const CANDIDATES_MAX: usize = 100;

/// One list for each search, best first. The same lists give the same answer, in whatever order they came.
pub fn fuse(lists: &[(ProviderName, &[SearchHit])], filters: &SearchFilters) -> Vec<Candidate> {
    let mut merged: BTreeMap<String, MergedHit<'_>> = BTreeMap::new();
    for (provider, hits) in lists {
        let mut named: Vec<String> = Vec::new();
        for (place, hit) in hits.iter().enumerate() {
            let Some(key) = canonical::canonical(&hit.url).filter(|_| fits(hit, filters)) else { continue };
            if named.contains(&key) {
                continue;
            }
            merged.entry(key.clone()).or_default().add(*provider, place, hit);
            named.push(key);
        }
    }
    let mut ranked: Vec<(String, Candidate)> =
        merged.into_iter().filter_map(|(key, merged)| Some((key, merged.candidate()?))).collect();
    // The map is sorted by address, and sorting is stable: equal scores stay in that order.
    ranked.sort_by_key(|(_, candidate)| std::cmp::Reverse(candidate.score));
    let candidates = copies_last(ranked.into_iter().map(|(_, candidate)| candidate).collect());
    // A user who asks for pages of certain sites wants more than three of them.
    let per_site_max = if filters.domains.is_empty() { PER_SITE_MAX } else { CANDIDATES_MAX };
    spread(candidates, per_site_max)
}

/// Whether a result may be used. Providers are asked for the same; not all of them comply.
pub fn fits(hit: &SearchHit, filters: &SearchFilters) -> bool {
    if hit.url.len() > URL_BYTES_MAX {
        return false;
    }
    let Some(host) = url::Url::parse(hit.url.trim()).ok().and_then(|url| url.host_str().map(str::to_owned))
    else {
        return false;
    };
    let on = |domain: &String| is_on(&host, domain);
    let wanted = filters.domains.is_empty() || filters.domains.iter().any(on);
    wanted && !filters.domains_excluded.iter().any(on) && in_time(hit.published.as_deref(), filters)
}

/// Whether a page belongs to a site; a file belongs to none.
pub fn is_on_site(address: &str, domain: &str) -> bool {
    let host = url::Url::parse(address.trim()).ok().and_then(|url| url.host_str().map(str::to_owned));
    host.is_some_and(|host| is_on(&host, domain))
}

/// `news.bbc.co.uk` is on `bbc.co.uk`; `notbbc.co.uk` is not.
fn is_on(host: &str, domain: &str) -> bool {
    let host = host.trim_end_matches('.');
    let domain = domain.trim().trim_matches('.').to_lowercase();
    // A host is kept in punycode; a user types letters.
    let Some(domain) =
        url::Url::parse(&format!("https://{domain}/")).ok().and_then(|url| url.host_str().map(str::to_owned))
    else {
        return false;
    };
    host == domain || host.strip_suffix(&domain).is_some_and(|before| before.ends_with('.'))
}

/// An unknown date excludes nothing: the page itself may have it.
fn in_time(published: Option<&str>, filters: &SearchFilters) -> bool {
    let Some(day) = published.and_then(|text| text.get(..10)).filter(|day| is_day(day)) else { return true };
    let after = filters.after.as_deref().is_none_or(|after| day >= after);
    let before = filters.before.as_deref().is_none_or(|before| day <= before);
    after && before
}

fn is_day(text: &str) -> bool {
    text.bytes().enumerate().all(|(place, byte)| match place {
        4 | 7 => byte == b'-',
        _ => byte.is_ascii_digit(),
    })
}

/// What several lists say about one page.
#[derive(Default)]
struct MergedHit<'a> {
    score: u64,
    providers: Vec<ProviderName>,
    /// The best position, the provider that gave it, and the result there.
    best: Option<(usize, ProviderName, &'a SearchHit)>,
    published: Option<&'a str>,
}

impl<'a> MergedHit<'a> {
    fn add(&mut self, provider: ProviderName, place: usize, hit: &'a SearchHit) {
        let rank = u64::try_from(place).unwrap_or(u64::MAX).saturating_add(1);
        self.score = self.score.saturating_add(SCORE_UNIT / RANK_OFFSET.saturating_add(rank));
        if !self.providers.contains(&provider) {
            self.providers.push(provider);
            self.providers.sort_unstable();
        }
        let order = |best: &(usize, ProviderName, &'a SearchHit)| {
            (best.0, best.1, best.2.url.clone(), best.2.title.clone())
        };
        let offered = (place, provider, hit);
        if self.best.as_ref().is_none_or(|best| order(&offered) < order(best)) {
            self.best = Some(offered);
        }
        let dates = [self.published, hit.published.as_deref()];
        self.published = dates.into_iter().flatten().min();
    }

    fn candidate(self) -> Option<Candidate> {
        let (_, _, hit) = self.best?;
        Some(Candidate {
            url: hit.url.clone(),
            title: hit.title.clone(),
            snippet: hit.snippet.clone(),
            published: hit.published.as_deref().or(self.published).map(str::to_owned),
            providers: self.providers,
            score: self.score,
        })
    }
}

/// Results that read like a better one go behind all others: the page they copy may turn out to be dead.
fn copies_last(candidates: Vec<Candidate>) -> Vec<Candidate> {
    let mut firsts: Vec<(Fingerprint, Candidate)> = Vec::new();
    let mut copies = Vec::new();
    for mut candidate in candidates {
        let fingerprint = Fingerprint::of(&format!("{} {}", candidate.title, candidate.snippet));
        let is_copy =
            firsts.iter().any(|(earlier, _)| earlier.copy_relation(&fingerprint) == CopyRelation::Copy);
        if is_copy {
            candidate.score /= COPY_DIVISOR;
            copies.push(candidate);
        } else {
            firsts.push((fingerprint, candidate));
        }
    }
    firsts.into_iter().map(|(_, candidate)| candidate).chain(copies).collect()
}

/// At most so many pages of one site, the best of them.
fn spread(candidates: Vec<Candidate>, per_site_max: usize) -> Vec<Candidate> {
    let mut sites: BTreeMap<String, usize> = BTreeMap::new();
    let mut kept = Vec::new();
    for candidate in candidates {
        let Some(site) = canonical::site(&candidate.url) else { continue };
        let count = sites.entry(site).or_default();
        *count += 1;
        if *count <= per_site_max && kept.len() < CANDIDATES_MAX {
            kept.push(candidate);
        }
    }
    kept
}

#[cfg(test)]
mod tests;
