//! The bank of a follow-up begins with its parent's quotations: those that belong to a part of the new question.

use probity_types::inquiry::{SurveyNote, SurveyedQuote};

use super::super::{WebState, to_count};
use crate::{
    inquiry::InquiryState,
    web::{passages, plan::WebPlan},
};

/// The round of what was known before.
const BEFORE_ROUNDS: u32 = 0;
/// Added to what the reader wants, which every later prompt shows.
const READ_BEFORE: &str = "The reader has read an earlier report on this and wants what is new.";

impl WebState {
    /// Takes them once the parts of the question are known; nothing is read again.
    pub(super) fn bank_of_parent(&mut self, plan: &WebPlan, inquiry: &mut InquiryState) {
        let Some(bank) = &plan.parent else { return };
        inquiry.reader_wants = format!("{} {READ_BEFORE}", inquiry.reader_wants).trim_start().to_owned();
        for known in &bank.pages {
            let is_it = |page: &super::super::GatheredPage| page.metadata.extract == known.metadata.extract;
            let Some(page) = self.pages.iter().position(is_it).map(to_count) else { continue };
            let quotes: Vec<SurveyedQuote> =
                known.quotes.iter().filter_map(|quote| for_its_facet(quote, inquiry)).collect();
            let note = SurveyNote { quotes, ..SurveyNote::default() };
            let taken = inquiry.bank.take(page, BEFORE_ROUNDS, &note, inquiry.facets.len());
            for id in taken {
                self.note_quote(page, id, inquiry);
            }
        }
    }
}

/// The quotation with the part of the question that it shares the most words with; none where it shares none.
fn for_its_facet(quote: &SurveyedQuote, inquiry: &InquiryState) -> Option<SurveyedQuote> {
    let facet = inquiry.facet_closest_to(&quote.text);
    let asked = inquiry.facet(facet)?;
    let shares = passages::shared(&passages::words(&quote.text), &asked.question) > 0;
    shares.then(|| SurveyedQuote { facets: vec![facet], ..quote.clone() })
}
