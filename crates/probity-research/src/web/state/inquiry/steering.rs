//! What the user says while an inquiry is under way: whether it can still be used, and what it changes. Calls under way
//! are finished and count.

use probity_types::inquiry::{FacetId, SteeringNote};

use super::super::{
    CandidateOrigin, CandidateStatus, ListedCandidate, WebState, WebStop, candidates, to_count, to_index,
};
use crate::{
    error::{Code, CodedError},
    inquiry::{InquiryStage, InquiryState, facet::LINE_CHARACTERS_MAX, steering::FACETS_ADDED_MAX},
    report::ReportPhrases,
    text,
    web::{
        canonical, fuse,
        markdown::neutralize_markdown,
        plan::{OWN_SOURCES_MAX, WebPlan},
        search::URL_BYTES_MAX,
        task::{PageMetadata, WebTask},
    },
};

/// Sites that one research may be told to avoid: every address is compared with each of them.
const BANNED_MAX: usize = 50;

impl WebState {
    /// Why a note cannot be used, for the one who gave it; none where it can.
    pub fn steering_refusal(&self, note: &SteeringNote) -> Option<CodedError> {
        let Some(inquiry) = &self.inquiry else {
            let message = "nothing of this research can be changed now: only one with a model, of depth medium or deeper, is searched in parts";
            return Some(CodedError::new(Code::InvalidArguments, message));
        };
        if !self.is_gathering() {
            let message = "the search of this research is over and its report is being written";
            return Some(CodedError::new(Code::AlreadyEnded, message));
        }
        let why = match note {
            SteeringNote::AddFacet { question } => added_facet_refusal(inquiry, question),
            SteeringNote::DropFacet { facet } => dropped_facet_refusal(inquiry, *facet),
            SteeringNote::BanSite { site } => self.site_refusal(site),
            SteeringNote::AddPage { url } => self.page_refusal(url),
            SteeringNote::FinishNow => {
                let has_nothing = self.notes.is_empty() && self.unread().next().is_none();
                has_nothing.then(|| "nothing was read yet, so that there is nothing to write from".to_owned())
            }
        };
        why.map(|why| CodedError::new(Code::InvalidArguments, &why))
    }

    /// Whether an inquiry is still searching or reading.
    pub fn is_gathering(&self) -> bool {
        let stage = self.inquiry.as_ref().map(|inquiry| inquiry.stage);
        self.stop.is_none() && stage.is_some_and(|stage| stage < InquiryStage::Section)
    }

    /// Takes a note that can be used.
    pub fn steer(&mut self, plan: &WebPlan, question: &str, note: &SteeringNote) {
        self.steered.push(note.clone());
        match note {
            SteeringNote::AddFacet { question: wanted } => self.add_wanted(wanted),
            SteeringNote::DropFacet { facet } => {
                if let Some(inquiry) = &mut self.inquiry {
                    inquiry.drop_facet(*facet);
                }
                self.put_back(|state, listed| {
                    matches!(listed.origin, CandidateOrigin::Search | CandidateOrigin::Link)
                        && state.is_left_out(&listed.question)
                });
            }
            SteeringNote::BanSite { .. } => {
                self.put_back(|state, listed| state.is_banned(&listed.candidate.url));
            }
            SteeringNote::AddPage { url } => self.name_page(url, question),
            SteeringNote::FinishNow => self.finish_now(),
        }
        self.settle(plan, question);
    }

    /// What a reader of the report should know of the user's notes.
    pub fn steering_remarks(&self, phrases: &ReportPhrases) -> Vec<String> {
        let notices = phrases.remarks.map(|words| words.notices);
        let remark = |note: &SteeringNote| match note {
            SteeringNote::DropFacet { facet } => {
                let facet = self.inquiry.as_ref()?.facet(*facet)?;
                let asked = neutralize_markdown(&facet.question, LINE_CHARACTERS_MAX);
                Some(match notices {
                    Some(words) => words.part_dropped.replace("{part}", &asked),
                    None => format!("Not searched to its end, as the user wished: {asked}"),
                })
            }
            SteeringNote::BanSite { site } => {
                let site = neutralize_markdown(site, LINE_CHARACTERS_MAX);
                Some(match notices {
                    Some(words) => words.site_banned.replace("{site}", &site),
                    None => format!("Pages of {site} were left out from some point on, as the user wished."),
                })
            }
            // Seen in the report itself, or told as the reason why the search ended.
            SteeringNote::AddFacet { .. } | SteeringNote::AddPage { .. } | SteeringNote::FinishNow => None,
        };
        self.steered.iter().filter_map(remark).collect()
    }

    /// Whether the user wants nothing of this site.
    pub(in crate::web::state) fn is_banned(&self, url: &str) -> bool {
        self.banned_sites().any(|site| fuse::is_on_site(url, site))
    }

    /// Whether this is the question of a part that the user left out.
    pub(in crate::web::state) fn is_left_out(&self, question: &str) -> bool {
        self.inquiry.as_ref().is_some_and(|inquiry| {
            inquiry.facet_asking(question).is_some_and(|facet| inquiry.is_dropped(facet))
        })
    }

    /// Pages that wait for their reader.
    pub(super) fn unread(&self) -> impl Iterator<Item = u32> {
        let unread = self.pages.iter().enumerate().filter(|(_, page)| !page.is_read);
        unread.map(|(page, _)| to_count(page)).filter(move |page| !self.is_page_banned(*page))
    }

    pub(super) fn is_page_banned(&self, page: u32) -> bool {
        self.pages.get(to_index(page)).is_some_and(|page| self.is_page_of_banned(&page.metadata))
    }

    /// A page that the user named is still to be fetched.
    pub(super) fn has_named_page(&self) -> bool {
        self.candidates.iter().enumerate().any(|(place, listed)| {
            listed.origin == CandidateOrigin::User
                && listed.status == CandidateStatus::Chosen
                && !self.over.contains(&WebTask::Page { candidate: to_count(place) })
        })
    }

    /// Whether a page is on a site that the user wants nothing of.
    pub(crate) fn is_page_of_banned(&self, page: &PageMetadata) -> bool {
        self.is_banned(&page.record.final_url) || self.is_banned(&page.record.asked_url)
    }

    pub(crate) fn banned_sites(&self) -> impl Iterator<Item = &str> {
        self.steered.iter().filter_map(|note| match note {
            SteeringNote::BanSite { site } => Some(site.as_str()),
            SteeringNote::AddFacet { .. }
            | SteeringNote::DropFacet { .. }
            | SteeringNote::AddPage { .. }
            | SteeringNote::FinishNow => None,
        })
    }

    fn add_wanted(&mut self, wanted: &str) {
        let Some(mut inquiry) = self.inquiry.take() else { return };
        inquiry.add_wanted(wanted);
        // Searched for with the others of this round where those are still being searched for.
        if inquiry.stage == InquiryStage::Search {
            self.ask_for_waiting(&mut inquiry);
        }
        self.inquiry = Some(inquiry);
    }

    /// Pages that were chosen and not yet asked for wait again, in vain: nobody chooses what is not wanted.
    fn put_back(&mut self, is_unwanted: impl Fn(&Self, &ListedCandidate) -> bool) {
        let is_due = |place: usize, listed: &ListedCandidate| {
            listed.status == CandidateStatus::Chosen
                && !self.open.contains(&WebTask::Page { candidate: to_count(place) })
        };
        let places: Vec<usize> = self
            .candidates
            .iter()
            .enumerate()
            .filter(|(place, listed)| is_due(*place, listed) && is_unwanted(self, listed))
            .map(|(place, _)| place)
            .collect();
        for place in places {
            self.set_candidate_status(to_count(place), CandidateStatus::Waiting);
        }
    }

    fn name_page(&mut self, url: &str, question: &str) {
        let attempt = self.attempt;
        match self.listed_as(url).and_then(|place| self.candidates.get_mut(place)) {
            Some(listed) => {
                listed.origin = CandidateOrigin::User;
                listed.status = CandidateStatus::Chosen;
                listed.attempt = attempt;
            }
            None => self.list(candidates::bare(url, url), question, CandidateOrigin::User),
        }
    }

    fn listed_as(&self, url: &str) -> Option<usize> {
        let wanted = candidates::name(url);
        self.candidates.iter().position(|listed| candidates::name(&listed.candidate.url) == wanted)
    }

    /// Pages that are here are still read, by rule: that takes milliseconds.
    fn finish_now(&mut self) {
        self.stop = self.stop.or(Some(WebStop::Finished));
        let open = &self.open;
        for (place, page) in self.pages.iter_mut().enumerate() {
            let is_being_read = open.contains(&WebTask::Survey { page: to_count(place) });
            page.by_rule |= !page.is_read && !is_being_read;
        }
    }

    fn site_refusal(&self, site: &str) -> Option<String> {
        let is_host = site.contains('.') && !site.contains(['/', ':', '@', ' ']);
        if !is_host || canonical::site(&format!("https://{site}/")).is_none() {
            return Some(format!("`{}` is no site", text::line(site, 80)));
        }
        let is_known = self.banned_sites().any(|known| known == site);
        match is_known {
            true => Some(format!("pages of {site} are left out already")),
            false => (self.banned_sites().count() >= BANNED_MAX)
                .then(|| format!("at most {BANNED_MAX} sites can be left out")),
        }
    }

    fn page_refusal(&self, url: &str) -> Option<String> {
        let shown = text::line(url, 200);
        if canonical::site(url).is_none() || url.len() > URL_BYTES_MAX {
            return Some(format!("`{shown}` is no address of a page"));
        }
        if self.is_banned(url) {
            return Some(format!("pages of this site are left out, as you wished: {shown}"));
        }
        let named = |listed: &&ListedCandidate| listed.origin == CandidateOrigin::User;
        if self.candidates.iter().filter(named).count() >= OWN_SOURCES_MAX {
            return Some(format!("at most {OWN_SOURCES_MAX} pages can be named"));
        }
        let listed = self.listed_as(url).and_then(|place| self.candidates.get(place))?;
        match &listed.status {
            CandidateStatus::Waiting => None,
            CandidateStatus::Chosen => Some(format!("it is about to be read already: {shown}")),
            CandidateStatus::Fetched(_) => Some(format!("it was fetched already: {shown}")),
            CandidateStatus::Failed(problem) => {
                Some(format!("it could not be read ({}): {shown}", problem.clause()))
            }
        }
    }
}

fn added_facet_refusal(inquiry: &InquiryState, question: &str) -> Option<String> {
    let wanted = text::line(question, usize::MAX);
    if wanted.is_empty() {
        return Some("the part to add has no words".to_owned());
    }
    if wanted.chars().count() > LINE_CHARACTERS_MAX {
        return Some(format!("a part has at most {LINE_CHARACTERS_MAX} characters"));
    }
    if let Some(known) = inquiry.facet_asking(&wanted) {
        return Some(format!("{known} asks that already"));
    }
    (inquiry.added_count() >= FACETS_ADDED_MAX).then(|| {
        format!("{FACETS_ADDED_MAX} parts were added already; ask the rest as a research of its own")
    })
}

fn dropped_facet_refusal(inquiry: &InquiryState, id: FacetId) -> Option<String> {
    match inquiry.facet(id) {
        None if inquiry.facets.is_empty() => {
            Some("the parts of the question are not known yet; try again in a moment".to_owned())
        }
        None => Some(format!("there is no part {id}; the parts are F1 to F{}", inquiry.facets.len())),
        Some(facet) if facet.is_dropped => Some(format!("{id} is left out already")),
        Some(_) => (inquiry.wanted_facets().count() < 2).then(|| format!("{id} is the only part left")),
    }
}
