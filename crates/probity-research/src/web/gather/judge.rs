//! What an attempt was worth, and whether another one is made.

use std::collections::BTreeSet;

use super::{Gathering, Stage, WebStop, count, place};
use crate::web::{
    canonical, cluster,
    gain::{self, Gain, StopReason, Verdict},
    plan::WebPlan,
};

impl Gathering {
    /// Independent origin of each page: copies and pages of one site count once.
    pub fn origins(&self) -> Vec<usize> {
        let sites: Vec<Option<String>> =
            self.pages.iter().map(|page| canonical::site(&page.kept.record.final_url)).collect();
        let pages: Vec<_> = sites
            .iter()
            .zip(&self.pages)
            .map(|(site, page)| (site.as_deref(), &page.kept.fingerprint))
            .collect();
        cluster::origins(&pages)
    }

    pub(super) fn judge(&mut self, plan: &WebPlan) {
        let gain = self.gain();
        self.gains.push(gain);
        let nothing = self.searched.iter().all(|searched| searched.problem.is_some());
        let searched = !self.searched.is_empty();
        let open = count(self.open_questions().len());
        match gain::another(&plan.strategy, &self.gains, open) {
            Verdict::Continue if searched => {
                self.attempt += 1;
                self.stage = Stage::Plan;
            }
            Verdict::Continue => self.stop(WebStop::Limit),
            Verdict::Stop(_) if searched && nothing && self.notes.is_empty() => self.stop(WebStop::Failure),
            Verdict::Stop(StopReason::LittleNew) => self.stop(WebStop::Saturated),
            Verdict::Stop(StopReason::Answered) => self.stop(WebStop::Enough),
            Verdict::Stop(StopReason::NotNeeded) => self.stop(WebStop::NotNeeded),
            Verdict::Stop(StopReason::AttemptsUsed) => self.stop(WebStop::Limit),
        }
    }

    /// What this attempt added to those before it.
    fn gain(&self) -> Gain {
        let origins = self.origins();
        let of_attempts = |up_to: u32| {
            let mut known = (BTreeSet::new(), BTreeSet::new());
            for note in &self.notes {
                if self.pages.get(place(note.page)).is_none_or(|page| page.attempt > up_to) {
                    continue;
                }
                if !note.note.quotes.is_empty() {
                    known.0.insert(origins.get(place(note.page)).copied().unwrap_or(usize::MAX));
                }
                let facts = note.note.facts.iter().map(|fact| fact.value.to_lowercase());
                known.1.extend(facts);
                // Where nobody named facts, the words of the quotations are what is new: numbers and names among them.
                if note.note.facts.is_empty() {
                    known.1.extend(note.note.quotes.iter().flat_map(|quote| telling(&quote.text)));
                }
            }
            (known.0.len(), known.1.len())
        };
        let (origins_now, facts_now) = of_attempts(self.attempt);
        let (origins_before, facts_before) = of_attempts(self.attempt.saturating_sub(1));
        let mut searches = self.searched.iter().filter(|searched| {
            self.queries.get(place(searched.query)).is_some_and(|asked| asked.attempt == self.attempt)
        });
        Gain {
            new_origins: count(origins_now - origins_before),
            new_facts: count(facts_now - facts_before),
            changed_facts: 0,
            failed: searches.clone().next().is_some() && searches.all(|searched| searched.problem.is_some()),
        }
    }
}

/// Numbers and names of a quotation: what makes it say something that others do not.
fn telling(quote: &str) -> Vec<String> {
    let words = quote.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let tells = |word: &&str| {
        word.chars().any(char::is_numeric) || word.chars().next().is_some_and(char::is_uppercase)
    };
    words.filter(tells).map(str::to_lowercase).collect()
}
