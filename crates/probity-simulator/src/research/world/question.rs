//! The request of a world in words: what to cover, a table, a comparison, single figures, a language, a length.

use super::{ResearchRequest, ResearchWorld};
use crate::research::{
    fact::{FactLanguage, FactTuple},
    lexicon::facet_name,
};

pub(super) fn question(world: &ResearchWorld, request: &ResearchRequest, named: &[usize]) -> String {
    let english = FactLanguage::English;
    let fact = |place: usize| world.facts.get(place).map(|fact| &fact.tuple);
    let facets: Vec<&str> = named.iter().map(|facet| facet_name(*facet, 0)).collect();
    let cells: Vec<&FactTuple> = request.table.iter().filter_map(|place| fact(*place)).collect();
    let rows: Vec<&str> = cells.iter().map(|cell| cell.entity.as_str()).collect();
    let column = cells.first().map(|cell| cell.column(english)).unwrap_or_default();
    let pair = world.conclusions.get(request.comparison);
    let compared = pair.and_then(|(first, second)| Some((fact(*first)?, fact(*second)?)));
    let compared = compared.map_or_else(String::new, |(first, second)| {
        let what = first.attribute.words(english);
        format!("Compare the {what} of {} with that of {} in {}.", second.entity, first.entity, first.period)
    });
    let single = |tuple: &FactTuple| {
        format!("- the {} of {} in {}", tuple.attribute.words(english), tuple.entity, tuple.period)
    };
    let mut singles: Vec<String> =
        request.wanted.iter().filter_map(|place| fact(*place)).map(single).collect();
    for (place, (entity, attribute)) in request.unanswerable.iter().enumerate() {
        let line = format!("- the {} of {entity}", attribute.words(english));
        singles.insert((place * 2 + 1).min(singles.len()), line);
    }
    let language = match request.language {
        FactLanguage::English => "English",
        FactLanguage::German => "German",
        FactLanguage::Chinese => "Chinese",
    };
    format!(
        "What is known about the ports of the {} coast? Cover {}, and whatever else the sources treat.\n\
         Write the report in {language}, about {} words long. Where sources disagree, show both sides. \
         Say which figures are out of date and what could not be found.\n\
         Include a table of the {column} of {}.\n{compared}\nSay also what is known of:\n{}",
        world.topic,
        facets.join(", "),
        request.words,
        rows.join(", "),
        singles.join("\n"),
    )
}
