//! Parts that the user named: none of them is missing from a report without a word.

use std::collections::BTreeSet;

use probity_types::inquiry::QuoteId;

use super::{
    belonging::PartWords,
    facet::{Facet, LINE_CHARACTERS_MAX},
    state::InquiryState,
};
use crate::text;

/// Quotations of one part that are told where no sentence tells any.
const QUOTES_MAX: usize = 5;

/// A part of which no sentence tells anything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UntoldPart {
    pub question: String,
    /// What was found for it; empty where nothing was.
    pub quotes: Vec<QuoteId>,
}

/// Parts named before or during the research that no sentence tells anything of. `used` are the quotations behind the
/// sentences of the report.
pub fn untold(inquiry: &InquiryState, used: &BTreeSet<QuoteId>) -> Vec<UntoldPart> {
    let bank = &inquiry.bank;
    let usable: BTreeSet<QuoteId> = bank.usable().map(|(id, _)| id).collect();
    let is_named = |facet: &Facet| {
        let planned = &inquiry.plan.facets;
        facet.is_added
            || planned
                .iter()
                .any(|wanted| text::line(&wanted.question, LINE_CHARACTERS_MAX) == facet.question)
    };
    let parts = PartWords::of(&inquiry.facets);
    let mut found = Vec::new();
    for (id, facet) in inquiry.wanted_facets().filter(|(_, facet)| is_named(facet)) {
        let of_part = bank.ids().filter_map(|quote| Some((quote, bank.get(quote)?)));
        let of_part: Vec<(QuoteId, Option<QuoteId>)> = of_part
            // A page that was found for this part may tell of the others alone.
            .filter(|(_, quote)| quote.facets.contains(&id) && parts.another(id, &quote.text).is_none())
            .map(|(place, quote)| (place, quote.copy_of))
            .collect();
        // The user's own files are quoted in a place of their own.
        let stays_here = of_part.iter().any(|(quote, _)| !bank.may_be_shown(*quote));
        let firsts: BTreeSet<QuoteId> =
            of_part.iter().map(|(quote, copy_of)| copy_of.unwrap_or(*quote)).collect();
        if stays_here || !firsts.is_disjoint(used) {
            continue;
        }
        let quotes: Vec<QuoteId> = firsts.intersection(&usable).copied().take(QUOTES_MAX).collect();
        found.push(UntoldPart { question: facet.question.clone(), quotes });
    }
    found
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use probity_types::inquiry::{FacetId, QuoteId, QuoteRole, WantedFacet};

    use super::{UntoldPart, untold};
    use crate::{
        inquiry::{
            InquiryPlan, InquiryState,
            bank::{BankQuote, PageFacts},
            facet::Facet,
        },
        web::strategy::StrategyLevel,
    };

    /// Two parts that the user named and one that the planner named, with a quotation for the first.
    fn inquiry() -> InquiryState {
        let named = |question: &str| WantedFacet { question: question.to_owned(), query: String::new() };
        let plan = InquiryPlan::new(StrategyLevel::Medium, None, None, 128_000)
            .with_facets(vec![named("the cost of Orion"), named("the cost of Vega")]);
        let mut inquiry = InquiryState::begin(&plan);
        inquiry.facets.push(Facet::new("the planner's own", ""));
        inquiry.bank.pages.push(PageFacts::default());
        let text = "Orion cost 4 million.";
        inquiry.bank.quotes.push(BankQuote {
            page: 0,
            start: 0,
            end: text.len(),
            text: text.to_owned(),
            key: text.to_lowercase(),
            facets: vec![FacetId(1)],
            role: QuoteRole::Finding,
            facts: Vec::new(),
            round: 1,
            home: None,
            copy_of: None,
            second_hand: false,
        });
        inquiry
    }

    fn part(question: &str, quotes: &[u32]) -> UntoldPart {
        UntoldPart { question: question.to_owned(), quotes: quotes.iter().copied().map(QuoteId).collect() }
    }

    #[test]
    fn a_part_that_no_sentence_tells_has_its_quotations_or_nothing() {
        let inquiry = inquiry();
        let none = BTreeSet::new();
        assert_eq!(untold(&inquiry, &none), [part("the cost of Orion", &[1]), part("the cost of Vega", &[])]);
        let used = BTreeSet::from([QuoteId(1)]);
        assert_eq!(untold(&inquiry, &used), [part("the cost of Vega", &[])]);
    }

    #[test]
    fn quotations_about_another_part_do_not_stand_for_one_that_nothing_was_found_for() {
        let mut inquiry = inquiry();
        // A page that a search for Vega returned speaks of Orion alone.
        inquiry.bank.quotes[0].facets = vec![FacetId(2)];
        let none = BTreeSet::new();
        let untold = untold(&inquiry, &none);
        assert_eq!(untold, [part("the cost of Orion", &[]), part("the cost of Vega", &[])]);
    }

    #[test]
    fn a_part_that_the_user_left_out_is_not_missed() {
        let mut inquiry = inquiry();
        inquiry.drop_facet(FacetId(2));
        assert_eq!(untold(&inquiry, &BTreeSet::new()), [part("the cost of Orion", &[1])]);
    }
}
