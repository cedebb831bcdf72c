//! What a follow-up begins with: pages that its parent read count as read, and are never fetched again.

use probity_types::inquiry::SteeringNote;

use super::{
    CandidateOrigin, CandidateStatus, GatheredPage, ListedCandidate, PageNote, WebState, WebStop, candidates,
    length, to_index,
};
use crate::web::plan::WebPlan;

/// Before the first attempt: what was known at the beginning is nobody's gain.
const BEFORE_ATTEMPTS: u32 = 0;

impl WebState {
    /// The second engine takes the quotations once it knows its facets.
    pub(super) fn take_over(&mut self, plan: &WebPlan, question: &str) {
        let Some(bank) = &plan.parent else { return };
        let answers = plan.answers_from_parent();
        // What the user wanted nothing of is not wanted by a further question either.
        let banned = bank.banned.iter().map(|site| SteeringNote::BanSite { site: site.clone() });
        self.steered.extend(banned);
        for known in &bank.pages {
            let record = &known.metadata.record;
            if !self.listed.insert(candidates::name(&record.final_url)) {
                continue;
            }
            self.listed.insert(candidates::name(&record.asked_url));
            let (candidate, page) = (length(&self.candidates), length(&self.pages));
            self.candidates.push(ListedCandidate {
                candidate: candidates::bare(&record.final_url, &known.metadata.title),
                attempt: BEFORE_ATTEMPTS,
                question: known.question.clone(),
                origin: CandidateOrigin::Parent,
                status: CandidateStatus::Fetched(page),
            });
            self.pages.push(GatheredPage {
                candidate,
                attempt: BEFORE_ATTEMPTS,
                metadata: known.metadata.clone(),
                by_rule: false,
                is_read: true,
            });
            if self.inquiry.is_none() && !known.quotes.is_empty() {
                let question = if answers { question } else { known.question.as_str() };
                self.notes.push(PageNote { page, question: question.to_owned(), note: known.note() });
            }
        }
        if answers {
            self.stop(WebStop::Enough);
        }
    }

    /// Whether the page was taken over.
    pub(crate) fn is_parents(&self, page: u32) -> bool {
        self.pages.get(to_index(page)).is_some_and(|page| page.attempt == BEFORE_ATTEMPTS)
    }
}
