//! The claims of a report as a list to work through: grouped by what needs attention first, each with its line, section
//! and sources, and a summary per source. Every face of the program shows this list; none makes another.

use std::collections::BTreeMap;

use super::{Report, places::TextPlaces};
use crate::{
    ledger::{
        AttentionGroup, Claim, ClaimKind, ClaimVerdict, Ledger, LedgerSource, NotCheckedReason, SourceState,
        Verdict,
    },
    text,
};

const NAME_CHARACTERS_MAX: usize = 80;
/// Longest address in a list, and longest reason why a page was not read.
const ADDRESS_CHARACTERS_MAX: usize = 72;
const WHY_CHARACTERS_MAX: usize = 160;
/// No address that is fetched is longer.
const URL_CHARACTERS_MAX: usize = 2048;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedClaim<'a> {
    pub claim: &'a Claim,
    pub settled: &'a ClaimVerdict,
    /// From 1, in the report's text.
    pub line: usize,
    /// The heading it stands under.
    pub section: Option<String>,
    /// Numbers of the sources that it cites.
    pub sources: Vec<u32>,
    /// Why no page that it cites could be read: `404`, `no readable text`. Empty where one was.
    pub not_read: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimGroup<'a> {
    pub group: AttentionGroup,
    /// In the order of the text.
    pub claims: Vec<ListedClaim<'a>>,
}

/// How the claims that cite one source stand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceSummary {
    /// As every answer, file and screen names it.
    pub number: u32,
    /// Its title, or its host.
    pub name: String,
    pub host: String,
    /// Host and path, as people read an address; the middle of a long one is left out. Empty without an address.
    pub address: String,
    /// Why the page could not be read.
    pub not_read: Option<String>,
    pub claims: u32,
    /// What needs attention first.
    pub counts: Vec<(AttentionGroup, u32)>,
}

impl SourceSummary {
    /// `7 claims, 1 contradicted, 6 supported`
    pub fn standing(&self) -> String {
        let noun = if self.claims == 1 { "claim" } else { "claims" };
        let counts = self.counts.iter().map(|(group, count)| format!("{count} {}", group.word()));
        std::iter::once(format!("{} {noun}", self.claims)).chain(counts).collect::<Vec<_>>().join(", ")
    }

    /// `source 3 (energy.example/a, "Prices"): 7 claims, 1 contradicted, 6 supported; not read: 404`
    pub fn line(&self) -> String {
        let not_read = self.not_read.as_ref().map(|why| format!("; not read: {why}")).unwrap_or_default();
        format!("source {} ({}): {}{not_read}", self.number, self.place(), self.standing())
    }

    /// Its address, and its title where that says something else.
    fn place(&self) -> String {
        if self.address.is_empty() {
            return self.name.clone();
        }
        match self.name == self.host || self.address.contains(self.name.as_str()) {
            true => self.address.clone(),
            false => format!("{}, \"{}\"", self.address, self.name),
        }
    }

    /// Claims on it that do not hold.
    pub fn failing(&self) -> u32 {
        self.counts.iter().filter(|(group, _)| !group.holds()).map(|(_, count)| count).sum()
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ClaimList<'a> {
    /// What needs attention first; groups without a claim are left out.
    pub groups: Vec<ClaimGroup<'a>>,
    /// Those with most claims that do not hold first.
    pub sources: Vec<SourceSummary>,
    /// What is in no group because there is nothing to check, in the order of the text: own words, questions, repeats.
    /// Nothing counts them as claims.
    pub unlisted: Vec<ListedClaim<'a>>,
    pub own_words: usize,
    pub questions: usize,
    pub repeats: usize,
}

impl<'a> ClaimList<'a> {
    pub fn of(report: &Report, ledger: &'a Ledger) -> Self {
        let places = TextPlaces::of(&report.text);
        let numbers = SourceNumbers::of(report, ledger);
        let mut groups: BTreeMap<AttentionGroup, Vec<ListedClaim<'a>>> = BTreeMap::new();
        let mut sources: BTreeMap<u32, BTreeMap<AttentionGroup, u32>> = BTreeMap::new();
        let mut list = Self::default();
        for ((claim, settled), group) in ledger.claims.iter().zip(&ledger.settled).zip(ledger.attention()) {
            let listed = ListedClaim {
                claim,
                settled,
                line: places.line(claim.start),
                section: places.section(claim.start).map(str::to_owned),
                sources: numbers.of_claim(claim),
                not_read: why_not_read(claim, settled, ledger),
            };
            let Some(group) = group else {
                match claim.kind {
                    ClaimKind::Fact | ClaimKind::Derived | ClaimKind::Inference => list.repeats += 1,
                    ClaimKind::OwnWords => list.own_words += 1,
                    ClaimKind::Question => list.questions += 1,
                }
                list.unlisted.push(listed);
                continue;
            };
            for number in &listed.sources {
                *sources.entry(*number).or_default().entry(group).or_default() += 1;
            }
            groups.entry(group).or_default().push(listed);
        }
        list.groups = groups.into_iter().map(|(group, claims)| ClaimGroup { group, claims }).collect();
        list.sources = sources.into_iter().map(|(number, counts)| numbers.summary(number, counts)).collect();
        list.sources.sort_by_key(|source| (std::cmp::Reverse(source.failing()), source.number));
        list
    }

    /// What is not in the list because there is nothing to check: `3 sentences in the text's own words, 1 question,
    /// 2 repeats`; empty where nothing is left out.
    pub fn aside(&self) -> String {
        let named = |count: usize, one: &str, more: &str| {
            (count > 0).then(|| format!("{count} {}", if count == 1 { one } else { more }))
        };
        let parts = [
            named(self.own_words, "sentence in the text's own words", "sentences in the text's own words"),
            named(self.questions, "question", "questions"),
            named(self.repeats, "repeat", "repeats"),
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }

    pub fn claims(&self) -> impl Iterator<Item = (AttentionGroup, &ListedClaim<'a>)> {
        self.groups.iter().flat_map(|group| group.claims.iter().map(|claim| (group.group, claim)))
    }

    pub fn source(&self, number: u32) -> Option<&SourceSummary> {
        self.sources.iter().find(|source| source.number == number)
    }
}

/// The numbers of the ledger's sources.
struct SourceNumbers {
    by_place: Vec<Option<u32>>,
    names: BTreeMap<u32, SourceName>,
}

#[derive(Debug, Clone, Default)]
struct SourceName {
    title: String,
    host: String,
    address: String,
    not_read: Option<String>,
}

impl SourceNumbers {
    fn of(report: &Report, ledger: &Ledger) -> Self {
        let mut names = BTreeMap::new();
        for source in report.numbered_sources() {
            let name = SourceName {
                title: text::line(source.title, NAME_CHARACTERS_MAX),
                host: host(source.url),
                address: address(source.url),
                not_read: None,
            };
            names.insert(source.number, name);
        }
        let by_place = report.ledger_numbers(ledger);
        for (number, source) in by_place.iter().zip(&ledger.sources) {
            if let Some(name) = number.and_then(|number| names.get_mut(&number)) {
                name.not_read = why(source);
            }
        }
        Self { by_place, names }
    }

    fn of_claim(&self, claim: &Claim) -> Vec<u32> {
        let number = |place: &u32| self.by_place.get(usize::try_from(*place).ok()?).copied().flatten();
        let mut numbers: Vec<u32> = claim.cites.iter().filter_map(number).collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers
    }

    fn summary(&self, number: u32, counts: BTreeMap<AttentionGroup, u32>) -> SourceSummary {
        let SourceName { title, host, address, not_read } =
            self.names.get(&number).cloned().unwrap_or_default();
        let name = [title, host.clone()].into_iter().find(|name| !name.is_empty());
        SourceSummary {
            number,
            name: name.unwrap_or_else(|| "untitled".to_owned()),
            host,
            address,
            not_read,
            claims: counts.values().sum(),
            counts: counts.into_iter().collect(),
        }
    }
}

/// Why nothing that a claim cites could be read.
fn why_not_read(claim: &Claim, settled: &ClaimVerdict, ledger: &Ledger) -> String {
    if settled.verdict != (Verdict::NotChecked { why: NotCheckedReason::Unreachable }) {
        return String::new();
    }
    let mut whys: Vec<String> = claim
        .cites
        .iter()
        .filter_map(|place| ledger.sources.get(usize::try_from(*place).ok()?))
        .filter_map(why)
        .collect();
    whys.dedup();
    whys.join("; ")
}

fn why(source: &LedgerSource) -> Option<String> {
    match &source.state {
        SourceState::Kept { .. } => None,
        SourceState::Unreachable { why, .. } => Some(text::line(why, WHY_CHARACTERS_MAX)),
    }
}

/// Host and path of an address. What tells two pages of a site apart stands at both ends.
fn address(url: &str) -> String {
    let rest = url.split_once("://").map_or("", |(_, rest)| rest);
    let path = rest.find(['/', '?', '#']).and_then(|at| rest.get(at..)).unwrap_or_default();
    let path = path.split_once('#').map_or(path, |(before, _)| before).trim_end_matches('/');
    let whole = text::line(&format!("{}{path}", host(url)), URL_CHARACTERS_MAX);
    let characters: Vec<char> = whole.chars().collect();
    if characters.len() <= ADDRESS_CHARACTERS_MAX {
        return characters.into_iter().collect();
    }
    let half = ADDRESS_CHARACTERS_MAX / 2;
    let (first, last) = (characters.iter().take(half), characters.iter().skip(characters.len() - half));
    first.chain(std::iter::once(&'…')).chain(last).collect()
}

/// The host of an address, as people say it.
fn host(url: &str) -> String {
    let rest = url.split_once("://").map_or("", |(_, rest)| rest);
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    text::line(host.strip_prefix("www.").unwrap_or(host), NAME_CHARACTERS_MAX)
}

#[cfg(test)]
mod tests;
