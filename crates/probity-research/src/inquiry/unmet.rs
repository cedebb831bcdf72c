//! Parts of the question of which no sentence of a report tells anything: by the demands of its brief, by its own words and
//! by the parts that were searched for. Each has its quotations, or is named where what is missing stands.

use std::collections::BTreeSet;

use probity_types::inquiry::{FacetId, QuoteId, RequirementKind};

use super::{
    asked::{self, AskedPart},
    bank::Bank,
    belonging::PartWords,
    facet::{ChecklistItem, RequirementStatus},
    gaps::ToldThings,
    state::InquiryState,
};
use crate::web::state::{SearchQuery, WebState};

/// Quotations that stand for one part.
const QUOTES_MAX: usize = 2;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnmetPart {
    pub text: String,
    /// What was found for it; empty where nothing was.
    pub quotes: Vec<QuoteId>,
    /// A query asked for it.
    pub was_searched: bool,
}

/// What a report tells, as far as it is written.
pub struct ToldReport<'a> {
    pub question: &'a str,
    /// Its sentences with what they tell of their quotations.
    pub told: ToldThings,
    /// The same with its headings.
    pub about: ToldThings,
    /// Those of its sentences that rest on quotations in another language than the question: their words tell nothing of
    /// what it asks for.
    pub foreign: Vec<&'a str>,
    pub cited: BTreeSet<QuoteId>,
    /// It is in the language of the question, so that the words of one are those of the other.
    pub speaks_as_asked: bool,
}

pub fn unmet(report: &ToldReport<'_>, gathering: &WebState, inquiry: &InquiryState) -> Vec<UnmetPart> {
    let known = KnownThings::of(inquiry, &report.cited);
    let mut seen: Vec<AskedPart> = Vec::new();
    let mut found: Vec<UnmetPart> = Vec::new();
    let wanted = demands(report, inquiry);
    for (text, status) in wanted {
        let part = AskedPart::new(&text);
        if seen.iter().any(|other| part.is_part_of(other)) {
            continue;
        }
        for open in known.open(&part, report) {
            let part = AskedPart::new(&open);
            let quotes = known.quotes_for(&part);
            // A planner that calls it met has seen what rules do not recognise.
            if !quotes.is_empty() || status == RequirementStatus::Open {
                let was_searched = is_searched(&part, &gathering.queries);
                found.push(UnmetPart { text: open, quotes, was_searched });
            }
        }
        seen.push(part);
    }
    for (id, facet) in inquiry.wanted_facets() {
        let part = AskedPart::new(&facet.question);
        let is_known = facet.question == report.question
            || asked::is_announcement(report.question, &facet.question)
            || asked::is_about_form(&facet.question)
            || known.is_served(id)
            || seen.iter().any(|other| part.is_part_of(other))
            || (report.speaks_as_asked && part.open(&report.about).is_empty());
        if !is_known {
            let was_searched = gathering.queries.iter().any(|asked| asked.question == facet.question);
            let quotes = known.quotes_of(id);
            found.push(UnmetPart { text: facet.question.clone(), quotes, was_searched });
            seen.push(part);
        }
    }
    for text in &inquiry.beyond {
        let part = AskedPart::new(text);
        let is_told = report.speaks_as_asked && part.open(&report.about).is_empty();
        if inquiry.plan.names_every_part() && !is_told && !seen.iter().any(|other| part.is_part_of(other)) {
            let was_searched = is_searched(&part, &gathering.queries);
            found.push(UnmetPart { text: text.clone(), quotes: Vec::new(), was_searched });
            seen.push(part);
        }
    }
    found
}

/// What the brief and the question demand, each once; the whole of the question is what the report is about.
fn demands(report: &ToldReport<'_>, inquiry: &InquiryState) -> Vec<(String, RequirementStatus)> {
    let mut found: Vec<(String, RequirementStatus)> = Vec::new();
    for item in &inquiry.checklist {
        let is_named = !item.asked_by_name().is_empty();
        // Without names only words tell, and those of another language tell nothing.
        let is_part = match item.kind {
            RequirementKind::Content => is_named || report.speaks_as_asked,
            RequirementKind::Format | RequirementKind::Dates => is_named,
            RequirementKind::Length | RequirementKind::Language => false,
        };
        if is_part && !asked::is_whole(report.question, &item.text) {
            found.extend(asked::demanded(&item.text).into_iter().map(|text| (text, item.status)));
        }
    }
    if report.speaks_as_asked {
        let parts = asked::parts(report.question).into_iter();
        found.extend(parts.map(|text| (text, RequirementStatus::Open)));
    }
    found
}

fn is_searched(part: &AskedPart, queries: &[SearchQuery]) -> bool {
    queries.iter().any(|asked| part.is_asked_by(&asked.query) || part.is_asked_by(&asked.question))
}

/// What the bank holds, and which of its parts sentences rest on.
struct KnownThings<'a> {
    bank: &'a Bank,
    inquiry: &'a InquiryState,
    parts: PartWords,
    cited: &'a BTreeSet<QuoteId>,
    usable: Vec<(QuoteId, ToldThings)>,
}

impl<'a> KnownThings<'a> {
    fn of(inquiry: &'a InquiryState, cited: &'a BTreeSet<QuoteId>) -> Self {
        let bank = &inquiry.bank;
        let told = bank.usable().map(|(id, quote)| {
            let mut told = ToldThings::default();
            told.add_quote(quote);
            (id, told)
        });
        Self { bank, inquiry, parts: PartWords::of(&inquiry.facets), cited, usable: told.collect() }
    }

    /// What of a part no sentence tells.
    fn open(&self, part: &AskedPart, report: &ToldReport<'_>) -> Vec<String> {
        let open = part.open(if part.is_named() { &report.told } else { &report.about });
        let is_served = |id: FacetId, question: &str| part.is_asked_by(question) && self.is_served(id);
        if !part.is_named() && self.inquiry.wanted_facets().any(|(id, facet)| is_served(id, &facet.question))
        {
            return Vec::new();
        }
        if report.speaks_as_asked {
            return open;
        }
        // In another language names and figures are all that is the same.
        let is_told = |text: &String| {
            let item = ChecklistItem {
                text: text.clone(),
                kind: RequirementKind::Content,
                status: RequirementStatus::Open,
            };
            report.foreign.iter().any(|sentence| item.may_be_met_by(sentence))
        };
        open.into_iter().filter(|text| !is_told(text)).collect()
    }

    /// Quotations that say what a part asks for.
    fn quotes_for(&self, part: &AskedPart) -> Vec<QuoteId> {
        if !part.is_named() {
            return Vec::new();
        }
        let says = |(_, told): &&(QuoteId, ToldThings)| part.open(told).is_empty();
        self.usable.iter().filter(says).map(|(id, _)| *id).take(QUOTES_MAX).collect()
    }

    /// Quotations of a part that was searched for.
    fn quotes_of(&self, id: FacetId) -> Vec<QuoteId> {
        let usable = self.usable.iter().map(|(quote, _)| *quote);
        usable.filter(|quote| self.is_of(*quote, id)).take(QUOTES_MAX).collect()
    }

    /// Whether a sentence rests on a quotation of this part.
    fn is_served(&self, id: FacetId) -> bool {
        let first = |quote: QuoteId| self.bank.get(quote).and_then(|of| of.copy_of).unwrap_or(quote);
        let mut own = self.bank.ids().filter(|quote| self.is_of(*quote, id));
        // The user's own files are quoted in a place of their own.
        own.any(|quote| self.cited.contains(&first(quote)) || !self.bank.may_be_shown(quote))
    }

    fn is_of(&self, quote: QuoteId, id: FacetId) -> bool {
        let of_part = |text: &str| self.parts.another(id, text).is_none();
        self.bank.get(quote).is_some_and(|quote| quote.facets.contains(&id) && of_part(&quote.text))
    }
}
