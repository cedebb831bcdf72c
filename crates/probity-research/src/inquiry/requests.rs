//! What each call is asked, composed from the state and cut to the model's window.

use std::collections::BTreeSet;

use probity_types::inquiry::{
    BriefRequest, ClaimId, ConflictSide, FacetId, FrontRequest, LineRequest, NodeId, OutlineRequest,
    PromptClaim, PromptConflict, PromptFacet, PromptGroup, PromptNode, PromptQuote, PromptRequirement,
    QuoteId, RequirementId, SectionRequest, SurveyFacet, SurveyRequest, SynthesisRequest, ToldElsewhere,
    answer::LINE_QUERIES_MAX,
};

use super::{
    anchor::{self, survey_facet},
    bank::BankQuote,
    claims, comparable,
    conflict::{self, Conflict},
    evidence::EvidenceIndex,
    facet::{self, RequirementStatus},
    length, outline,
    part::InquiryPart,
    state::InquiryState,
    synthesis, window,
};
use crate::{
    text,
    web::{page::Extract, passages, strategy::StrategyLevel},
};

/// The best quotations of a facet that its planner sees.
const LINE_QUOTES_MAX: usize = 8;
/// New quotations that one outline call sees, as gists.
const OUTLINE_QUOTES_MAX: usize = 80;
const OUTLINE_QUOTES_MAX_SMALL: usize = 20;
const GIST_CHARACTERS_MAX: usize = 180;
const TOLD_ELSEWHERE_MAX: usize = 6;
const TOLD_CHARACTERS_MAX: usize = 80;
/// Queries that were asked before, the newest: enough not to ask them again.
const ASKED_BEFORE_MAX: usize = 60;
/// Quotations that a section is shown early because names led to them.
const FOLLOWED_MAX: usize = 8;
/// Pairs of quotations that a section is shown because they may disagree.
const SUSPECTS_MAX: usize = 6;
/// Quotations that a section is shown early because they can be compared.
const COMPARABLE_MAX: usize = 20;

/// What a request needs beside the inquiry itself.
#[derive(Clone)]
pub struct RequestContext<'a> {
    pub inquiry: &'a InquiryState,
    pub question: &'a str,
    /// What the user lets leave the machine, and what an earlier report told.
    pub context: Option<String>,
    pub today: &'a str,
}

impl RequestContext<'_> {
    pub fn brief(&self) -> BriefRequest {
        let plan = &self.inquiry.plan;
        let facets_min: u32 = match plan.depth {
            StrategyLevel::None | StrategyLevel::Shallow => 1,
            StrategyLevel::Medium | StrategyLevel::Deep | StrategyLevel::Exhaustive => 3,
        };
        let wanted: Vec<String> = plan.facets.iter().map(|wanted| wanted.question.clone()).collect();
        let named = u32::try_from(wanted.len()).unwrap_or(u32::MAX);
        let facets_max = plan.caps.lines.saturating_sub(named);
        BriefRequest {
            question: self.question.to_owned(),
            context: self.context.clone(),
            depth: plan.depth,
            facets_min: facets_min.saturating_sub(named).min(facets_max),
            facets_max,
            wanted,
            words: plan.words,
            language: plan.language.clone(),
            today: self.today.to_owned(),
        }
    }

    pub fn line(&self, id: FacetId, round: u32, asked: &[String]) -> LineRequest {
        let inquiry = self.inquiry;
        let facet = inquiry.facet(id);
        let facet_question = facet.map(|facet| facet.question.clone()).unwrap_or_default();
        let index = EvidenceIndex::of(&inquiry.bank);
        let of_facet =
            inquiry.bank.usable().filter(|(_, quote)| quote.facets.contains(&id)).map(|(id, _)| id);
        let best = index.rank(&facet_question, &[id], of_facet, LINE_QUOTES_MAX);
        let skip = asked.len().saturating_sub(ASKED_BEFORE_MAX);
        LineRequest {
            question: self.question.to_owned(),
            facet: id,
            round,
            quotes: self.quotes(&best, GIST_CHARACTERS_MAX * 2),
            asked_before: asked.iter().skip(skip).cloned().collect(),
            requirements: self.requirements(|status| status == RequirementStatus::Open),
            wants: inquiry.outline.wants_of(id, &inquiry.facets, &inquiry.bank),
            terms: facet.map(|facet| facet.terms.clone()).unwrap_or_default(),
            conflict: inquiry.conflict_of(id).map(|(place, conflict)| self.conflict(place, conflict)),
            queries_max: u32::try_from(LINE_QUERIES_MAX).unwrap_or(1),
            steer: inquiry.steer.clone(),
            today: self.today.to_owned(),
            facet_question,
        }
    }

    pub fn survey(&self, extract: &Extract, links: Vec<String>, facets: Vec<SurveyFacet>) -> SurveyRequest {
        let plan = &self.inquiry.plan;
        let wanted: Vec<&str> = facets.iter().map(|facet| facet.question.as_str()).collect();
        let bytes = window::page_bytes(plan.window, self.inquiry.share_percent);
        SurveyRequest {
            text: passages::select(extract, &wanted.join(" "), bytes),
            links: if window::is_small(plan.window) { Vec::new() } else { links },
            quotes_max: u32::try_from(window::quotes_per_page(plan.window)).unwrap_or(1),
            facets,
        }
    }

    /// The facets that a page is read for; the first one where it has nothing to do with any. `query` found the page.
    pub fn facets_for(
        &self,
        page: &str,
        found_for: Option<FacetId>,
        query: Option<&str>,
    ) -> Vec<SurveyFacet> {
        let mut facets = self.facets_about(page, found_for);
        let place = facets.iter().position(|facet| Some(facet.facet) == found_for).unwrap_or(0);
        if let Some(facet) = facets.get_mut(place) {
            facet.searched_for = query.map(str::to_owned).filter(|query| *query != facet.question);
        }
        facets
    }

    fn facets_about(&self, page: &str, found_for: Option<FacetId>) -> Vec<SurveyFacet> {
        let inquiry = self.inquiry;
        let most = window::facets_per_page(inquiry.plan.window);
        let all: Vec<(FacetId, &str)> =
            inquiry.wanted_facets().map(|(id, facet)| (id, facet.question.as_str())).collect();
        let found = anchor::facets_for(page, found_for, &all, most);
        if !found.is_empty() {
            return found;
        }
        let first = all.first().map(|(facet, question)| survey_facet(*facet, question));
        first.into_iter().collect()
    }

    pub fn outline(&self, round: u32) -> OutlineRequest {
        let inquiry = self.inquiry;
        let plan = &inquiry.plan;
        let most = if window::is_small(plan.window) { OUTLINE_QUOTES_MAX_SMALL } else { OUTLINE_QUOTES_MAX };
        let index = EvidenceIndex::of(&inquiry.bank);
        let is_homeless = |quote: &BankQuote| {
            quote.home.is_none() && !facet::are_all_dropped(&quote.facets, &inquiry.facets)
        };
        let homeless = inquiry.bank.usable().filter(|(_, quote)| is_homeless(quote)).map(|(id, _)| id);
        let mut new = index.rank(self.question, &[], homeless, most);
        new.sort_unstable();
        OutlineRequest {
            question: self.question.to_owned(),
            reader_wants: inquiry.reader_wants.clone(),
            round,
            rounds_max: plan.caps.outline_rounds,
            requirements: self.requirements(|_| true),
            facets: self.facets(),
            quotes: self.fitting(self.quotes(&new, GIST_CHARACTERS_MAX)),
            nodes: self.nodes(),
            conflicts: inquiry
                .conflicts
                .iter()
                .enumerate()
                .map(|(at, known)| self.conflict(at, known))
                .collect(),
            sections_max: plan.caps.sections,
            words: plan.words,
            language: inquiry.language.clone(),
            steer: inquiry.steer.clone(),
        }
    }

    pub fn section(&self, id: NodeId) -> SectionRequest {
        let inquiry = self.inquiry;
        let plan = &inquiry.plan;
        let node = self.node(id);
        let own = node.quotes.clone();
        let index = EvidenceIndex::of(&inquiry.bank);
        let asked = format!("{} {}", node.heading, node.question);
        let conflicts: Vec<(usize, &Conflict)> =
            inquiry.conflicts.iter().enumerate().filter(|(_, known)| known.touches(&own)).collect();
        let suspects = self.suspects(&own);
        // Both sides of a conflict come first, wherever they are at home.
        let mut chosen: Vec<QuoteId> = Vec::new();
        let disputed = conflicts.iter().map(|(_, known)| *known).chain(&suspects);
        for side in disputed.flat_map(|known| known.sides.iter().take(2)) {
            if !chosen.contains(&side.quote) {
                chosen.push(side.quote);
            }
        }
        // Then what the question asks for by name.
        let is_asked = |id: &QuoteId| {
            let quote = inquiry.bank.get(*id);
            quote.is_some_and(|quote| inquiry.asked.iter().any(|item| item.may_be_met_by(&quote.text)))
        };
        for id in own.iter().filter(|id| is_asked(id)) {
            if !chosen.contains(id) {
                chosen.push(*id);
            }
        }
        // Then what names on other pages led to: it was searched for by name, and one page alone may say it.
        let is_end = |id: &&QuoteId| {
            let quote = inquiry.bank.get(**id);
            quote.is_some_and(|quote| inquiry.leads.iter().any(|lead| lead.is_subject_of(quote)))
        };
        for id in own.iter().filter(is_end).take(FOLLOWED_MAX) {
            if !chosen.contains(id) {
                chosen.push(*id);
            }
        }
        // Then figures that can be set side by side, so that both of a pair are among those that are shown.
        let together = self.comparable(&own);
        let most = match plan.has(InquiryPart::Sections) {
            true => window::section_quotes_max(plan.window),
            false => own.len(),
        };
        let ranked = index.rank(&asked, &[], own.iter().copied(), most);
        for id in together.into_iter().chain(ranked) {
            if !chosen.contains(&id) {
                chosen.push(id);
            }
        }
        if !plan.has(InquiryPart::Bank) {
            chosen = own.clone();
            chosen.sort_unstable();
        }
        chosen.truncate(most);
        let shown: BTreeSet<QuoteId> = chosen.iter().copied().collect();
        SectionRequest {
            question: self.question.to_owned(),
            reader_wants: inquiry.reader_wants.clone(),
            outline: self.nodes(),
            quotes: self.fitting(self.quotes(&chosen, usize::MAX)),
            told_elsewhere: self.told_elsewhere(&index, &asked, id, &shown),
            conflicts: conflicts
                .into_iter()
                .map(|(at, known)| self.conflict(at, known))
                .chain(suspects.iter().enumerate().map(|(at, one)| PromptConflict {
                    is_suspected: true,
                    ..self.conflict(inquiry.conflicts.len() + at, one)
                }))
                .collect(),
            requirements: self.requirements(|_| true),
            block: node.block,
            words: node.words,
            language: inquiry.language.clone(),
            steer: inquiry.steer.clone(),
            today: self.today.to_owned(),
            node,
        }
    }

    /// Those of a section's quotations that can be compared with each other, then those with figures of other sections.
    fn comparable(&self, own: &[QuoteId]) -> Vec<QuoteId> {
        let bank = &self.inquiry.bank;
        let all: Vec<QuoteId> = bank.usable().map(|(id, _)| id).collect();
        let inside = comparable::comparable(bank, own);
        let across = comparable::comparable(bank, &all);
        let across = across.into_iter().filter(|id| own.contains(id) && !inside.contains(id));
        inside.iter().copied().chain(across).take(COMPARABLE_MAX).collect()
    }

    /// Pairs whose first side is at home in a section: each is shown to one writer only.
    fn suspects(&self, own: &[QuoteId]) -> Vec<Conflict> {
        let inquiry = self.inquiry;
        if !inquiry.plan.has(InquiryPart::Conflicts) || !inquiry.plan.settles_doubts() {
            return Vec::new();
        }
        let mut found = conflict::suspects(&inquiry.bank, &inquiry.conflicts);
        found.retain(|one| one.sides.first().is_some_and(|side| own.contains(&side.quote)));
        found.truncate(SUSPECTS_MAX);
        found
    }

    fn told_elsewhere(
        &self,
        index: &EvidenceIndex<'_>,
        asked: &str,
        node: NodeId,
        shown: &BTreeSet<QuoteId>,
    ) -> Vec<ToldElsewhere> {
        let bank = &self.inquiry.bank;
        let wanted = passages::words(asked);
        let others = bank.usable().filter(|(id, quote)| {
            quote.home.is_some_and(|home| home != node)
                && !shown.contains(id)
                && index.score(&wanted, *id) > 0.0
        });
        let best = index.rank(asked, &[], others.map(|(id, _)| id), TOLD_ELSEWHERE_MAX);
        let told = best.into_iter().filter_map(|id| {
            let quote = bank.get(id)?;
            Some(ToldElsewhere {
                quote: id,
                node: quote.home?,
                gist: text::line(&quote.text, TOLD_CHARACTERS_MAX),
            })
        });
        told.collect()
    }

    pub fn synthesis(&self) -> SynthesisRequest {
        let inquiry = self.inquiry;
        let all = claims::claims(inquiry.context());
        let material = synthesis::material(
            &inquiry.bank,
            &all,
            &claims::concluded(inquiry.context()),
            inquiry.plan.group_claims_max(),
        );
        let claims = self.claims_that_fit(&all, &material.order);
        let groups = material.groups.into_iter().map(|group| PromptGroup {
            about: group.about,
            claims: group.claims.into_iter().map(ClaimId::at).collect(),
        });
        // A group of which a claim did not fit cannot be compared.
        let is_shown = |id: &ClaimId| claims.iter().any(|claim| claim.id == *id);
        let groups = groups.filter(|group| group.claims.iter().all(is_shown)).collect();
        let words = outline::synthesis_words(&inquiry.plan);
        SynthesisRequest {
            question: self.question.to_owned(),
            reader_wants: inquiry.reader_wants.clone(),
            groups,
            claims,
            requirements: self.requirements(|_| true),
            conflicts: inquiry
                .conflicts
                .iter()
                .enumerate()
                .map(|(at, known)| self.conflict(at, known))
                .collect(),
            points_max: length::conclusions_max(&inquiry.plan, words),
            words,
            language: inquiry.language.clone(),
            today: self.today.to_owned(),
        }
    }

    pub fn front(&self) -> FrontRequest {
        let inquiry = self.inquiry;
        FrontRequest {
            question: self.question.to_owned(),
            reader_wants: inquiry.reader_wants.clone(),
            headings: self.nodes(),
            claims: self.claims(),
            unmet: self.requirements(|status| status == RequirementStatus::Open),
            points_max: length::key_points_max(&inquiry.plan),
            words: outline::front_words(&inquiry.plan),
            language: inquiry.language.clone(),
            today: self.today.to_owned(),
        }
    }

    /// As many claims as fit, the same number of each section first to last.
    fn claims(&self) -> Vec<PromptClaim> {
        let inquiry = self.inquiry;
        let all = claims::claims(inquiry.context());
        let mut shown = self.claims_that_fit(&all, &synthesis::in_turn(&all));
        shown.sort_by_key(|claim| claim.id);
        shown
    }

    /// The first ones of an order that fit the window.
    fn claims_that_fit(&self, all: &[claims::Claim], order: &[usize]) -> Vec<PromptClaim> {
        let inquiry = self.inquiry;
        let mut left = window::material_tokens(inquiry.plan.window, inquiry.share_percent);
        let mut shown = Vec::new();
        for place in order {
            let Some(claim) = all.get(*place) else { continue };
            let cost = window::tokens(&claim.text).saturating_add(8);
            if cost > left {
                break;
            }
            left -= cost;
            let origins: BTreeSet<usize> = claim.quotes.iter().map(|id| inquiry.bank.origin(*id)).collect();
            shown.push(PromptClaim {
                id: ClaimId::at(*place),
                node: claim.node,
                text: claim.text.clone(),
                origins: u32::try_from(origins.len()).unwrap_or(u32::MAX),
            });
        }
        shown
    }

    fn quotes(&self, ids: &[QuoteId], characters_max: usize) -> Vec<PromptQuote> {
        let bank = &self.inquiry.bank;
        let shown = ids.iter().filter(|id| bank.may_be_shown(**id)).filter_map(|id| {
            let (quote, page) = (bank.get(*id)?, bank.page(*id)?);
            Some(PromptQuote {
                id: *id,
                text: text::rows(&quote.text, characters_max).join("\n"),
                site: page.site.clone(),
                published: page.published.clone(),
                facets: quote.facets.clone(),
                role: quote.role,
                facts: quote.facts.clone(),
                origin: u32::try_from(page.origin).unwrap_or(u32::MAX),
                copies: u32::try_from(bank.copies(*id)).unwrap_or(u32::MAX),
            })
        });
        shown.collect()
    }

    /// The first ones that fit the window.
    fn fitting(&self, quotes: Vec<PromptQuote>) -> Vec<PromptQuote> {
        let inquiry = self.inquiry;
        let mut left = window::material_tokens(inquiry.plan.window, inquiry.share_percent);
        let fits = |quote: &PromptQuote| {
            let cost = window::tokens(&quote.text).saturating_add(20);
            let fits = cost <= left;
            left = left.saturating_sub(cost);
            fits
        };
        quotes.into_iter().take_while(fits).collect()
    }

    fn requirements(&self, wanted: fn(RequirementStatus) -> bool) -> Vec<PromptRequirement> {
        let all = self.inquiry.checklist.iter().enumerate();
        all.filter(|(_, item)| wanted(item.status))
            .map(|(place, item)| PromptRequirement {
                id: RequirementId::at(place),
                text: item.text.clone(),
                kind: item.kind,
                met: item.status == RequirementStatus::Met,
            })
            .collect()
    }

    fn facets(&self) -> Vec<PromptFacet> {
        let inquiry = self.inquiry;
        let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let shown = inquiry.wanted_facets().map(|(id, facet)| {
            let quotes = inquiry.bank.usable().filter(|(_, quote)| quote.facets.contains(&id)).count();
            PromptFacet {
                id,
                question: facet.question.clone(),
                quotes: count(quotes),
                origins: count(inquiry.bank.origins_of(id)),
                origins_wanted: inquiry.plan.caps.origins_per_facet,
                closed: !facet.is_open(),
            }
        });
        shown.collect()
    }

    fn nodes(&self) -> Vec<PromptNode> {
        self.inquiry.outline.in_order().into_iter().map(|id| self.node(id)).collect()
    }

    fn node(&self, id: NodeId) -> PromptNode {
        let node = self.inquiry.outline.get(id).cloned().unwrap_or_default();
        PromptNode {
            id,
            parent: node.parent,
            heading: node.heading,
            question: node.question,
            wants: node.wants,
            block: node.block,
            quotes: node.quotes,
            words: node.words,
        }
    }

    fn conflict(&self, place: usize, known: &Conflict) -> PromptConflict {
        let bank = &self.inquiry.bank;
        PromptConflict {
            id: conflict::id(place),
            entity: known.entity.clone(),
            attribute: known.attribute.clone(),
            period: known.period.clone(),
            sides: known
                .sides
                .iter()
                .map(|side| {
                    let page = bank.page(side.quote).cloned().unwrap_or_default();
                    ConflictSide {
                        quote: side.quote,
                        value: side.value.clone(),
                        unit: side.unit.clone(),
                        site: page.site,
                        published: page.published,
                    }
                })
                .collect(),
            is_suspected: false,
        }
    }
}
