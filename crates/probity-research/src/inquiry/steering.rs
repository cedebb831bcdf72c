//! What the user's notes change in the parts of an inquiry: one is added, one is left out.

use probity_types::inquiry::{FacetId, NewNode, QuoteId};

use super::{
    facet::{Facet, FacetStatus},
    state::InquiryState,
};

/// Parts that a user may add to one research: beyond, it is another question.
pub const FACETS_ADDED_MAX: usize = 2;
/// What an added part may search, read and fill beyond the caps of the depth: the least worth doing.
const QUERIES_PER_ADDED: u32 = 2;
const PAGES_PER_ADDED: u32 = 4;

impl InquiryState {
    /// A part beyond those of the plan, with room of its own: the others lose nothing by it.
    pub fn add_wanted(&mut self, question: &str) {
        let facet = Facet::added(question);
        self.steer.push(format!("Also answer: {}", facet.question));
        self.facets.push(facet);
        let caps = &mut self.plan.caps;
        caps.queries = caps.queries.saturating_add(QUERIES_PER_ADDED);
        caps.pages = caps.pages.saturating_add(PAGES_PER_ADDED);
        caps.sections = caps.sections.saturating_add(1);
    }

    pub fn drop_facet(&mut self, id: FacetId) {
        if let Some(facet) = id.index().and_then(|index| self.facets.get_mut(index)) {
            facet.drop_it();
            self.steer.push(format!("Leave out: {}", facet.question));
        }
    }

    pub fn is_dropped(&self, id: FacetId) -> bool {
        self.facet(id).is_some_and(|facet| facet.is_dropped)
    }

    /// Parts that the user still wants.
    pub fn wanted_facets(&self) -> impl Iterator<Item = (FacetId, &Facet)> {
        let numbered = self.facets.iter().enumerate().map(|(place, facet)| (FacetId::at(place), facet));
        numbered.filter(|(_, facet)| !facet.is_dropped)
    }

    /// Parts that the user added.
    pub fn added_count(&self) -> usize {
        self.facets.iter().filter(|facet| facet.is_added).count()
    }

    /// An added part waits for its first search.
    pub fn has_waiting_facet(&self) -> bool {
        self.facets.iter().any(|facet| facet.waits && facet.is_open())
    }

    /// Where the outline has no place for an added part, its quotations get one: no planner may be left to make it.
    pub(super) fn add_nodes_of_added(&mut self) {
        if self.outline.in_order().is_empty() {
            return;
        }
        let added: Vec<(FacetId, String)> = self
            .wanted_facets()
            .filter(|(_, facet)| facet.is_added)
            .map(|(id, facet)| (id, facet.question.clone()))
            .collect();
        for (id, question) in added {
            let homeless = self.bank.usable().filter(|(_, quote)| quote.home.is_none());
            let quotes: Vec<QuoteId> =
                homeless.filter(|(_, quote)| quote.facets.contains(&id)).map(|(quote, _)| quote).collect();
            let asks = |node: &super::outline::OutlineNode| node.question == question;
            let has_node =
                self.outline.in_order().into_iter().any(|node| self.outline.get(node).is_some_and(asks));
            if has_node || quotes.is_empty() {
                continue;
            }
            let heading = question.trim_end_matches(['?', '.', '？', '。']).to_owned();
            let new = NewNode { heading, question, quotes, ..NewNode::default() };
            self.outline.add(None, &new, &mut self.bank);
        }
    }
}

/// One part of the question as its user sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FacetView {
    pub id: FacetId,
    pub question: String,
    pub standing: FacetStanding,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FacetStanding {
    Searched,
    /// Nothing more is searched for it.
    Closed,
    LeftOut,
}

impl FacetStanding {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Searched => "searched",
            Self::Closed => "closed",
            Self::LeftOut => "left out",
        }
    }
}

impl FacetView {
    pub fn all(inquiry: &InquiryState) -> Vec<Self> {
        let view = |(place, facet): (usize, &Facet)| Self {
            id: FacetId::at(place),
            question: facet.question.clone(),
            standing: match (facet.is_dropped, facet.status) {
                (true, _) => FacetStanding::LeftOut,
                (false, FacetStatus::Open) => FacetStanding::Searched,
                (false, FacetStatus::Closed) => FacetStanding::Closed,
            },
        };
        inquiry.facets.iter().enumerate().map(view).collect()
    }
}
