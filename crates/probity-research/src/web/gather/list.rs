//! Which pages there are to read: the user's own, what searches found, links of pages that were read.

use super::{FETCHES_PER_PAGE, Fate, Gathering, Listed, Origin, Searched, count, place};
use crate::{
    text,
    web::{
        canonical, fuse,
        fuse::Candidate,
        plan::WebPlan,
        search::{TITLE_CHARACTERS_MAX, URL_BYTES_MAX},
    },
};

/// Candidates kept of one attempt: those beyond are never chosen, and the journal's reader must hold them all.
const LISTED_MAX: usize = 60;
/// Pages of one site read in one research: choosing among a stranger's links must not become a message to it.
const PAGES_PER_SITE_MAX: usize = 3;
/// Links of one page that become candidates.
const LINKS_PER_PAGE_MAX: usize = 3;
/// How a link on a page that was read counts beside what searches found.
const LINK_SCORE: u64 = 10_000;

impl Gathering {
    pub(super) fn list_own_pages(&mut self, plan: &WebPlan, question: &str) {
        for url in &plan.pages {
            self.list(bare(url, url), question, Origin::User);
        }
    }

    pub(super) fn list_files(&mut self, folder: u32, names: &[String], question: &str) {
        for name in names {
            self.list(bare(&format!("file:{folder}/{name}"), name), question, Origin::LocalFile);
        }
    }

    /// The results of this attempt's searches as one list, and the links that readers pointed to.
    pub(super) fn list_hits(&mut self, plan: &WebPlan) {
        let now: Vec<(usize, String)> =
            self.queries_now().map(|(query, asked)| (query, asked.question.clone())).collect();
        let of_query =
            |query: usize| self.searched.iter().filter(move |searched| place(searched.query) == query);
        let lists: Vec<_> = now
            .iter()
            .flat_map(|(query, _)| of_query(*query))
            .map(|searched| (searched.provider, searched.hits.as_slice()))
            .collect();
        let fused = fuse::fuse(&lists, &plan.filters);
        // Each page is read for the question whose search ranks it best; where that is several, for the one that
        // has the fewest pages so far.
        let mut taken = vec![0_usize; now.len()];
        let mut found: Vec<(Candidate, String)> = Vec::new();
        for candidate in fused.into_iter().take(LISTED_MAX) {
            let wanted = canonical::canonical(&candidate.url);
            let rank = |query: usize| {
                let hits = |searched: &Searched| {
                    searched.hits.iter().position(|hit| canonical::canonical(&hit.url) == wanted)
                };
                of_query(query).filter_map(hits).min().unwrap_or(usize::MAX)
            };
            let best = now
                .iter()
                .zip(&taken)
                .enumerate()
                .min_by_key(|(_, ((query, _), taken))| (rank(*query), **taken));
            let Some((at, ((_, question), _))) = best else { continue };
            found.push((candidate, question.clone()));
            if let Some(taken) = taken.get_mut(at) {
                *taken += 1;
            }
        }
        for (candidate, question) in found {
            self.list(candidate, &question, Origin::Search);
        }
        for (candidate, question) in self.links() {
            self.list(candidate, &question, Origin::Link);
        }
    }

    /// Links that readers named by their place on pages of the attempt before.
    fn links(&self) -> Vec<(Candidate, String)> {
        let before = self.attempt.saturating_sub(1);
        let mut found = Vec::new();
        for note in &self.notes {
            let Some(page) = self.pages.get(place(note.page)).filter(|page| page.attempt == before) else {
                continue;
            };
            let named = note.note.links.iter().take(LINKS_PER_PAGE_MAX);
            for link in named.filter_map(|link| page.kept.links.get(*link)) {
                found.push((
                    Candidate { score: LINK_SCORE, ..bare(&link.url, &link.text) },
                    note.question.clone(),
                ));
            }
        }
        found
    }

    /// Each page once, whatever its spelling.
    fn list(&mut self, candidate: Candidate, question: &str, origin: Origin) {
        let name = name(&candidate.url);
        let known = self.listed.iter().any(|listed| self::name(&listed.candidate.url) == name);
        if known || candidate.url.len() > URL_BYTES_MAX {
            return;
        }
        let fate = match origin {
            Origin::User | Origin::LocalFile => Fate::Chosen,
            Origin::Search | Origin::Link => Fate::Waiting,
        };
        self.listed.push(Listed {
            candidate,
            attempt: self.attempt,
            question: question.to_owned(),
            origin,
            fate,
        });
    }

    /// A choice is worth a call only where there is more than can be read.
    pub(super) fn must_choose(&self, plan: &WebPlan) -> bool {
        self.has_model(plan) && self.waiting().len() > self.room(plan)
    }

    /// Places of the candidates that wait, best first, at most so many of one site.
    pub fn waiting(&self) -> Vec<u32> {
        let mut waiting: Vec<(usize, &Listed)> =
            self.listed.iter().enumerate().filter(|(_, listed)| listed.fate == Fate::Waiting).collect();
        waiting.sort_by(|(left_place, left), (right_place, right)| {
            right.candidate.score.cmp(&left.candidate.score).then(left_place.cmp(right_place))
        });
        let mut of_site: Vec<(Option<String>, usize)> = Vec::new();
        let mut kept = Vec::new();
        for (place, listed) in waiting {
            let site = canonical::site(&listed.candidate.url);
            let before = self.read_of(&site) + of_site.iter().filter(|(known, _)| *known == site).count();
            if before < PAGES_PER_SITE_MAX {
                of_site.push((site, place));
                kept.push(count(place));
            }
        }
        kept
    }

    fn read_of(&self, site: &Option<String>) -> usize {
        let taken = self.listed.iter().filter(|listed| listed.fate != Fate::Waiting);
        taken.filter(|listed| canonical::site(&listed.candidate.url) == *site).count()
    }

    /// Pages that may still be taken in this attempt.
    fn room(&self, plan: &WebPlan) -> usize {
        let wanted = place(plan.strategy.top_pages);
        let of_now = |listed: &&Listed| {
            listed.attempt == self.attempt && matches!(listed.origin, Origin::Search | Origin::Link)
        };
        let now = || self.listed.iter().filter(of_now);
        let good = now().filter(|listed| matches!(listed.fate, Fate::Chosen | Fate::Kept(_))).count();
        let tried = now().filter(|listed| listed.fate != Fate::Waiting).count();
        wanted.saturating_sub(good).min((wanted * FETCHES_PER_PAGE).saturating_sub(tried))
    }

    pub(super) fn choose(&mut self, candidates: &[u32], plan: &WebPlan) {
        let waiting = self.waiting();
        let room = self.room(plan);
        for candidate in candidates.iter().filter(|candidate| waiting.contains(candidate)).take(room) {
            self.mark_chosen(*candidate);
        }
    }

    /// Fills what is left with the best ones. Says whether there were any.
    pub(super) fn choose_best(&mut self, plan: &WebPlan) -> bool {
        let best: Vec<u32> = self.waiting().into_iter().take(self.room(plan)).collect();
        for candidate in &best {
            self.mark_chosen(*candidate);
        }
        !best.is_empty()
    }

    fn mark_chosen(&mut self, candidate: u32) {
        let attempt = self.attempt;
        if let Some(listed) = self.listed.get_mut(place(candidate)) {
            listed.fate = Fate::Chosen;
            listed.attempt = attempt;
        }
    }
}

/// A file has no canonical address; its own name is one.
fn name(url: &str) -> String {
    canonical::canonical(url).unwrap_or_else(|| url.to_owned())
}

fn bare(url: &str, title: &str) -> Candidate {
    Candidate {
        url: url.to_owned(),
        title: text::line(title, TITLE_CHARACTERS_MAX),
        snippet: String::new(),
        published: None,
        providers: Vec::new(),
        score: u64::MAX,
    }
}
