//! The claims of a report as a list to work through: grouped by what needs attention first, each with its line, section
//! and sources, and a summary per source. Every face of the program shows this list; none makes another.

use std::collections::BTreeMap;

use super::{Report, places::TextPlaces};
use crate::{
    ledger::{AttentionGroup, Claim, ClaimKind, ClaimVerdict, Ledger},
    text,
};

const NAME_CHARACTERS_MAX: usize = 80;

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

    /// `source 3 (energy.example): 7 claims, 1 contradicted, 6 supported`
    pub fn line(&self) -> String {
        format!("source {} ({}): {}", self.number, self.name, self.standing())
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
            let Some(group) = group else {
                match claim.kind {
                    ClaimKind::Fact | ClaimKind::Derived => list.repeats += 1,
                    ClaimKind::OwnWords => list.own_words += 1,
                    ClaimKind::Question => list.questions += 1,
                }
                continue;
            };
            let cited = numbers.of_claim(claim);
            for number in &cited {
                *sources.entry(*number).or_default().entry(group).or_default() += 1;
            }
            groups.entry(group).or_default().push(ListedClaim {
                claim,
                settled,
                line: places.line(claim.start),
                section: places.section(claim.start).map(str::to_owned),
                sources: cited,
            });
        }
        list.groups = groups.into_iter().map(|(group, claims)| ClaimGroup { group, claims }).collect();
        list.sources = sources.into_iter().map(|(number, counts)| numbers.summary(number, counts)).collect();
        list.sources.sort_by_key(|source| (std::cmp::Reverse(source.failing()), source.number));
        list
    }

    /// What is not in the list because there is nothing to check: `3 in its own words, 1 question, 2 repeats`; empty
    /// where nothing is left out.
    pub fn aside(&self) -> String {
        let named = |count: usize, one: &str, more: &str| {
            (count > 0).then(|| format!("{count} {}", if count == 1 { one } else { more }))
        };
        let parts = [
            named(self.own_words, "in its own words", "in its own words"),
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
    names: BTreeMap<u32, (String, String)>,
}

impl SourceNumbers {
    fn of(report: &Report, ledger: &Ledger) -> Self {
        let mut names = BTreeMap::new();
        for source in report.numbered_sources() {
            names.insert(source.number, (text::line(source.title, NAME_CHARACTERS_MAX), host(source.url)));
        }
        Self { by_place: report.ledger_numbers(ledger), names }
    }

    fn of_claim(&self, claim: &Claim) -> Vec<u32> {
        let number = |place: &u32| self.by_place.get(usize::try_from(*place).ok()?).copied().flatten();
        let mut numbers: Vec<u32> = claim.cites.iter().filter_map(number).collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers
    }

    fn summary(&self, number: u32, counts: BTreeMap<AttentionGroup, u32>) -> SourceSummary {
        let (title, host) = self.names.get(&number).cloned().unwrap_or_default();
        let name = [title, host.clone()].into_iter().find(|name| !name.is_empty());
        SourceSummary {
            number,
            name: name.unwrap_or_else(|| "untitled".to_owned()),
            host,
            claims: counts.values().sum(),
            counts: counts.into_iter().collect(),
        }
    }
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
