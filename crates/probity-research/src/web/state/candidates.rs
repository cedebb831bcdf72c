//! Which pages there are to read: the user's own, search results, links of pages that were read.

use super::{
    CandidateOrigin, CandidateStatus, FETCHES_PER_PAGE, ListedCandidate, SearchOutcome, WebState, to_count,
    to_index,
};
use crate::{
    text,
    web::{
        canonical, fuse,
        plan::WebPlan,
        search::{TITLE_CHARACTERS_MAX, URL_BYTES_MAX},
        task::Candidate,
    },
};

/// Candidates kept of one attempt: those beyond are never chosen, and a reader of the journal must keep them
/// all.
const LISTED_MAX: usize = 60;
/// Pages of one site read in one run: choosing among a foreign page's links must not become a message to it.
const PAGES_PER_SITE_MAX: usize = 3;
/// Links of one page that become candidates.
const LINKS_PER_PAGE_MAX: usize = 3;
/// How a link on a page that was read counts beside what searches found.
const LINK_SCORE: u64 = 10_000;

impl WebState {
    pub(super) fn list_own_pages(&mut self, plan: &WebPlan, question: &str) {
        for url in &plan.pages {
            self.list(bare(url, url), question, CandidateOrigin::User);
        }
    }

    pub(super) fn list_files(&mut self, folder: u32, names: &[String], question: &str) {
        for name in names {
            self.list(bare(&format!("file:{folder}/{name}"), name), question, CandidateOrigin::LocalFile);
        }
    }

    /// The results of this attempt's searches as one list, and the links that readers pointed to.
    pub(super) fn list_hits(&mut self, plan: &WebPlan) {
        let now: Vec<(usize, String)> =
            self.queries_now().map(|(query, asked)| (query, asked.question.clone())).collect();
        let of_query = |query: usize| {
            self.search_outcomes.iter().filter(move |searched| to_index(searched.query) == query)
        };
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
                let hits = |searched: &SearchOutcome| {
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
            self.list(candidate, &question, CandidateOrigin::Search);
        }
        for (candidate, question) in self.links() {
            self.list(candidate, &question, CandidateOrigin::Link);
        }
    }

    /// Links that readers named by their position on pages of the attempt before.
    fn links(&self) -> Vec<(Candidate, String)> {
        let before = self.attempt.saturating_sub(1);
        let mut found = Vec::new();
        for note in &self.notes {
            let Some(page) = self.pages.get(to_index(note.page)).filter(|page| page.attempt == before) else {
                continue;
            };
            let named = note.note.links.iter().take(LINKS_PER_PAGE_MAX);
            for link in named.filter_map(|link| page.metadata.links.get(*link)) {
                found.push((
                    Candidate { score: LINK_SCORE, ..bare(&link.url, &link.text) },
                    note.question.clone(),
                ));
            }
        }
        found
    }

    /// Each page once, whatever its spelling.
    pub(super) fn list(&mut self, candidate: Candidate, question: &str, origin: CandidateOrigin) {
        if candidate.url.len() > URL_BYTES_MAX
            || self.is_banned(&candidate.url)
            || !self.listed.insert(name(&candidate.url))
        {
            return;
        }
        let fate = match origin {
            CandidateOrigin::User | CandidateOrigin::LocalFile | CandidateOrigin::Parent => {
                CandidateStatus::Chosen
            }
            CandidateOrigin::Search | CandidateOrigin::Link => CandidateStatus::Waiting,
        };
        self.candidates.push(ListedCandidate {
            candidate,
            attempt: self.attempt,
            question: question.to_owned(),
            origin,
            status: fate,
        });
    }

    /// A choice is worth a call only where there is more than can be read.
    pub(super) fn must_choose(&self, plan: &WebPlan) -> bool {
        self.has_model(plan) && !plan.chooses_by_rule() && self.waiting().len() > self.room(plan)
    }

    /// Positions of the candidates that wait, best first, at most so many of one site.
    pub fn waiting(&self) -> Vec<u32> {
        let mut waiting: Vec<(usize, &ListedCandidate)> = self
            .candidates
            .iter()
            .enumerate()
            .filter(|(_, listed)| listed.status == CandidateStatus::Waiting)
            .collect();
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
                kept.push(to_count(place));
            }
        }
        kept
    }

    fn read_of(&self, site: &Option<String>) -> usize {
        let taken = self.candidates.iter().filter(|listed| {
            listed.status != CandidateStatus::Waiting && listed.origin != CandidateOrigin::Parent
        });
        taken.filter(|listed| canonical::site(&listed.candidate.url) == *site).count()
    }

    /// Pages that may still be taken in this attempt.
    fn room(&self, plan: &WebPlan) -> usize {
        let wanted = to_index(plan.strategy.top_pages);
        let of_now = |listed: &&ListedCandidate| {
            listed.attempt == self.attempt
                && matches!(listed.origin, CandidateOrigin::Search | CandidateOrigin::Link)
        };
        let now = || self.candidates.iter().filter(of_now);
        let good = now()
            .filter(|listed| matches!(listed.status, CandidateStatus::Chosen | CandidateStatus::Fetched(_)))
            .count();
        let tried = now().filter(|listed| listed.status != CandidateStatus::Waiting).count();
        wanted.saturating_sub(good).min((wanted * FETCHES_PER_PAGE).saturating_sub(tried))
    }

    pub(super) fn choose(&mut self, candidates: &[u32], plan: &WebPlan) {
        let waiting = self.waiting();
        let room = self.room(plan);
        for candidate in candidates.iter().filter(|candidate| waiting.contains(candidate)).take(room) {
            self.mark_chosen(*candidate);
        }
    }

    /// Fills the remaining room with the best ones. Returns whether there were any.
    pub(super) fn choose_best(&mut self, plan: &WebPlan) -> bool {
        let best: Vec<u32> = self.waiting().into_iter().take(self.room(plan)).collect();
        for candidate in &best {
            self.mark_chosen(*candidate);
        }
        !best.is_empty()
    }

    pub(super) fn mark_chosen(&mut self, candidate: u32) {
        let attempt = self.attempt;
        if let Some(listed) = self.candidates.get_mut(to_index(candidate)) {
            listed.status = CandidateStatus::Chosen;
            listed.attempt = attempt;
        }
    }
}

/// A file has no canonical address; its own name is one.
pub(super) fn name(url: &str) -> String {
    canonical::canonical(url).unwrap_or_else(|| url.to_owned())
}

pub(super) fn bare(url: &str, title: &str) -> Candidate {
    Candidate {
        url: url.to_owned(),
        title: text::line(title, TITLE_CHARACTERS_MAX),
        snippet: String::new(),
        published: None,
        providers: Vec::new(),
        score: u64::MAX,
    }
}
