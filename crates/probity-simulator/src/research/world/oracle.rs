//! The report of a researcher that misses nothing: the upper bound of every figure, and the test of whoever scores.

use super::{ConflictKind, ResearchWorld};
use crate::research::{
    fact::FactTuple,
    lexicon::{COMPARED, DISAGREE, MISSING, SCOPED, SETTLED, TOGETHER, facet_name},
};

pub(super) fn perfect_report(world: &ResearchWorld) -> String {
    let language = world.request.language;
    let cite = |page: usize| {
        world.pages.get(page).map_or_else(String::new, |page| format!(" ([source]({}))", page.url))
    };
    let mut text = format!("# The {} coast\n\n", world.topic);
    let in_table = |place: &usize| world.request.table.contains(place);
    for facet in &world.facets {
        text.push_str(&format!("## {}\n\n", facet_name(*facet, 0)));
        for (place, fact) in
            world.facts.iter().enumerate().filter(|(_, fact)| fact.tuple.attribute.quantity == *facet)
        {
            let conflict = world.conflicts.iter().find(|conflict| conflict.fact == place);
            let sentence = match conflict {
                Some(conflict) => {
                    let (form, first, second) = match conflict.kind {
                        ConflictKind::Superseded => (SETTLED, &conflict.other, &fact.tuple),
                        ConflictKind::Scope => (SCOPED, &fact.tuple, &conflict.other),
                        ConflictKind::Real => (DISAGREE, &fact.tuple, &conflict.other),
                    };
                    let said =
                        first.filled(language.of(&form), language).replace("{w}", &second.value(language));
                    format!("{said}{}{}", cite(fact.page), cite(conflict.other_page))
                }
                None => format!("{}{}", fact.tuple.sentence(language, place), cite(fact.page)),
            };
            if !in_table(&place) {
                text.push_str(&sentence);
                text.push('\n');
            }
        }
        text.push('\n');
    }
    text.push_str("## Figures\n\n");
    let cells: Vec<(&FactTuple, usize)> = world
        .request
        .table
        .iter()
        .filter_map(|place| world.facts.get(*place))
        .map(|fact| (&fact.tuple, fact.page))
        .collect();
    let head = cells.first().map(|(cell, _)| cell.column(language)).unwrap_or_default();
    text.push_str(&format!("| Name | {head} |\n| --- | --- |\n"));
    for (cell, page) in cells {
        text.push_str(&format!("| {} | {}{} |\n", cell.entity, cell.value(language), cite(page)));
    }
    text.push_str("\n## Conclusions\n\n");
    for (high, low) in &world.conclusions {
        let (Some(high), Some(low)) = (world.facts.get(*high), world.facts.get(*low)) else { continue };
        let form = language.of(&COMPARED).replace("{f}", &low.tuple.entity);
        text.push_str(&format!("{}{}\n", language.of(&TOGETHER), high.tuple.filled(&form, language)));
    }
    for (entity, attribute) in &world.request.unanswerable {
        let form = language.of(&MISSING);
        text.push_str(&format!(
            "- {}\n",
            form.replace("{a}", &attribute.words(language)).replace("{e}", entity)
        ));
    }
    text
}
