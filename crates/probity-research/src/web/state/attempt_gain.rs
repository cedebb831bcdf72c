//! The gain of an attempt, and whether another one is made.

use std::collections::BTreeSet;

use super::{WebStage, WebState, WebStop, to_count, to_index};
use crate::web::{
    canonical, cluster,
    gain::{self, AttemptDecision, AttemptGain, AttemptsStop},
    plan::WebPlan,
};

impl WebState {
    /// Independent origin of each page: copies and pages of one site count once.
    pub fn origins(&self) -> Vec<usize> {
        let sites: Vec<Option<String>> =
            self.pages.iter().map(|page| canonical::site(&page.metadata.record.final_url)).collect();
        let pages: Vec<_> = sites
            .iter()
            .zip(&self.pages)
            .map(|(site, page)| (site.as_deref(), &page.metadata.fingerprint))
            .collect();
        cluster::origins(&pages)
    }

    pub(super) fn judge_attempt(&mut self, plan: &WebPlan) {
        let gain = self.gain();
        self.gains.push(gain);
        let nothing = self.search_outcomes.iter().all(|searched| searched.problem.is_some());
        let searched = !self.search_outcomes.is_empty();
        let open = to_count(self.open_questions().len());
        match gain::decide_next_attempt(&plan.strategy, &self.gains, open) {
            AttemptDecision::Continue if searched => {
                self.attempt += 1;
                self.stage = WebStage::Plan;
            }
            AttemptDecision::Continue => self.stop(WebStop::Limit),
            AttemptDecision::Stop(_) if searched && nothing && self.notes.is_empty() => {
                self.stop(WebStop::Failure)
            }
            AttemptDecision::Stop(AttemptsStop::LittleNew) => self.stop(WebStop::Saturated),
            AttemptDecision::Stop(AttemptsStop::Answered) => self.stop(WebStop::Enough),
            AttemptDecision::Stop(AttemptsStop::NotNeeded) => self.stop(WebStop::NotNeeded),
            AttemptDecision::Stop(AttemptsStop::AttemptsUsed) => self.stop(WebStop::Limit),
        }
    }

    /// What this attempt added to those before it.
    pub(super) fn gain(&self) -> AttemptGain {
        let origins = self.origins();
        let of_attempts = |up_to: u32| {
            let mut known = (BTreeSet::new(), BTreeSet::new());
            for note in &self.notes {
                if self.pages.get(to_index(note.page)).is_none_or(|page| page.attempt > up_to) {
                    continue;
                }
                if !note.note.quotes.is_empty() {
                    known.0.insert(origins.get(to_index(note.page)).copied().unwrap_or(usize::MAX));
                }
                let facts = note.note.facts.iter().map(|fact| fact.value.to_lowercase());
                known.1.extend(facts);
                // Where no facts were named, the words of the quotations are what is new: numbers and names
                // among them.
                if note.note.facts.is_empty() {
                    known.1.extend(note.note.quotes.iter().flat_map(|quote| distinctive_words(&quote.text)));
                }
            }
            (known.0.len(), known.1.len())
        };
        let (origins_now, facts_now) = of_attempts(self.attempt);
        let (origins_before, facts_before) = of_attempts(self.attempt.saturating_sub(1));
        let mut searches = self.search_outcomes.iter().filter(|searched| {
            self.queries.get(to_index(searched.query)).is_some_and(|asked| asked.attempt == self.attempt)
        });
        AttemptGain {
            new_origins: to_count(origins_now - origins_before),
            new_facts: to_count(facts_now - facts_before),
            changed_facts: 0,
            failed: searches.clone().next().is_some() && searches.all(|searched| searched.problem.is_some()),
        }
    }
}

/// Numbers and names of a quotation: what distinguishes it from others.
fn distinctive_words(quote: &str) -> Vec<String> {
    let words = quote.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let tells = |word: &&str| {
        word.chars().any(char::is_numeric) || word.chars().next().is_some_and(char::is_uppercase)
    };
    words.filter(tells).map(str::to_lowercase).collect()
}
