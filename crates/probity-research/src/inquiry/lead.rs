//! Leads: names that pages mention. A page of its own on such a name is often found by that name alone, and the name on it
//! leads on to the next.

use probity_types::inquiry::{FacetId, TypedFact};

use super::{bank::BankQuote, facet};

/// Leads of one inquiry: what comes later is no longer remembered.
const LEADS_MAX: usize = 400;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lead {
    pub name: String,
    /// The facet that the first page which mentions it was read for.
    pub facet: FacetId,
    /// The round in which it was mentioned first.
    pub round: u32,
    /// Pages that mention it.
    pub mentions: u32,
}

impl Lead {
    /// Whether a quotation gives a figure of what has this name; one that only mentions it gives none.
    pub fn is_subject_of(&self, quote: &BankQuote) -> bool {
        let is_it = |fact: &TypedFact| fact.entity == self.name;
        quote.facts.iter().any(is_it)
            || (quote.facts.is_empty()
                && quote.text.contains(&self.name)
                && quote.text.chars().any(char::is_numeric))
    }
}

/// Remembers the names among the terms of one page. A reader may be talked into any term; only what looks like a name is
/// searched for as it stands.
pub fn remember(leads: &mut Vec<Lead>, terms: &[String], facet: FacetId, round: u32) {
    for term in terms.iter().filter(|term| facet::is_name(term)) {
        if let Some(known) = leads.iter_mut().find(|known| known.name == *term) {
            known.mentions = known.mentions.saturating_add(1);
        } else if leads.len() < LEADS_MAX {
            leads.push(Lead { name: term.clone(), facet, round, mentions: 1 });
        }
    }
}

/// The freshest first, since they lead on from what was read last; among them those that several pages mention.
pub fn in_order(leads: &[Lead]) -> Vec<&Lead> {
    let mut ordered: Vec<&Lead> = leads.iter().collect();
    ordered.sort_by_key(|lead| (std::cmp::Reverse(lead.round), std::cmp::Reverse(lead.mentions)));
    ordered
}

#[cfg(test)]
mod tests {
    use probity_types::inquiry::FacetId;

    use super::{in_order, remember};

    #[test]
    fn fresh_names_come_first_and_each_is_remembered_once() {
        let mut leads = Vec::new();
        let terms = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        remember(&mut leads, &terms(&["Orion Institute", "send it", "Vega Trust"]), FacetId(1), 1);
        remember(&mut leads, &terms(&["Vega Trust", "Lyra Bureau"]), FacetId(2), 2);
        let names: Vec<(&str, FacetId)> =
            in_order(&leads).into_iter().map(|lead| (lead.name.as_str(), lead.facet)).collect();
        assert_eq!(
            names,
            [("Lyra Bureau", FacetId(2)), ("Vega Trust", FacetId(1)), ("Orion Institute", FacetId(1))]
        );
    }
}
