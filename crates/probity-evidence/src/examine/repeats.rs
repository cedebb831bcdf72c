//! Rows of tables that say again what the text says: they are the same claim, not another one.

use std::collections::BTreeSet;

use probity_types::ledger::{Claim, ClaimKind};

use crate::hash::QuickMap;

/// Claims with the same figure that are compared with a row. A figure of more claims tells nothing.
const CANDIDATES_MAX: usize = 40;

/// Marks each row whose subject and figures all stand in one claim of the text. `is_row` has one entry per claim.
pub fn mark_repeats(claims: &mut [Claim], is_row: &[bool]) {
    if !is_row.contains(&true) {
        return;
    }
    let mut by_figure: QuickMap<String, Vec<usize>> = QuickMap::default();
    for (place, (claim, is_row)) in claims.iter().zip(is_row).enumerate() {
        if !is_row && claim.kind == ClaimKind::Fact {
            for figure in figures(&claim.words) {
                by_figure.entry(figure).or_default().push(place);
            }
        }
    }
    let found: Vec<(usize, usize)> = claims
        .iter()
        .zip(is_row)
        .enumerate()
        .filter(|(_, (_, is_row))| **is_row)
        .filter_map(|(place, (row, _))| Some((place, repeated(row, claims, &by_figure)?)))
        .collect();
    for (row, claim) in found {
        let id = claims.get(claim).map(|claim| claim.id);
        claims.get_mut(row).into_iter().for_each(|row| row.repeats = id);
    }
}

fn repeated(row: &Claim, claims: &[Claim], by_figure: &QuickMap<String, Vec<usize>>) -> Option<usize> {
    let cells = cells(row);
    let subject = words(cells.first()?);
    let figures: BTreeSet<String> = cells.iter().skip(1).flat_map(|cell| figures(cell)).collect();
    // What the other cells say in words must stand there too.
    let said: BTreeSet<String> = cells.iter().skip(1).flat_map(|cell| words(cell)).collect();
    let candidates =
        figures.iter().map(|figure| by_figure.get(figure)).min_by_key(|list| list.map_or(0, Vec::len))??;
    if subject.is_empty() || candidates.len() > CANDIDATES_MAX {
        return None;
    }
    candidates.iter().copied().find(|place| {
        claims.get(*place).is_some_and(|claim| {
            let (own, own_figures) = (words(&claim.words), self::figures(&claim.words));
            subject.is_subset(&own) && said.is_subset(&own) && figures.is_subset(&own_figures)
        })
    })
}

/// The cells of a row without their headers.
fn cells(row: &Claim) -> Vec<&str> {
    let mut cells = Vec::new();
    let mut rest = row.words.as_str();
    for header in row.context.columns.iter().skip(1) {
        let border = format!("; {header}: ");
        let Some((cell, behind)) = rest.split_once(border.as_str()) else { continue };
        cells.push(cell);
        rest = behind;
    }
    cells.push(rest);
    if let (Some(first), Some(header)) = (cells.first_mut(), row.context.columns.first()) {
        *first =
            first.strip_prefix(header.as_str()).and_then(|cell| cell.strip_prefix(": ")).unwrap_or(first);
    }
    cells
}

fn tokens(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && !matches!(c, '.' | ',' | '\''))
        .map(|word| word.trim_matches(['.', ',', '\'']))
        .filter(|word| !word.is_empty())
}

fn figures(text: &str) -> BTreeSet<String> {
    tokens(text).filter(|word| word.contains(char::is_numeric)).map(str::to_owned).collect()
}

fn words(text: &str) -> BTreeSet<String> {
    tokens(text).filter(|word| !word.contains(char::is_numeric)).map(str::to_lowercase).collect()
}
