//! What stands around a question of the exam, as it stands around real ones: the title, the date and the heading of its
//! page, the sentences next to each passage, and the section of a report that it would be in.
//!
//! All of it is about the same invented place and leaves the truth of each claim as it is.

use super::{names::SeededNumbers, patterns::ExamLanguage};
use crate::ledger::{ClaimContext, PassageContext};

/// One page in so many has a date, and one in so many ends with its passages.
const DATED_ONE_IN: usize = 3;
const ENDS_ONE_IN: usize = 3;
/// One page in so many has no headings, and one claim in so many needs a sentence before it.
const PLAIN_ONE_IN: usize = 4;
const TOLD_BEFORE_ONE_IN: usize = 4;

/// A question's passages, each with what stands around it, and what stands around the claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExamSurroundings {
    pub passages: Vec<String>,
    pub passage_contexts: Vec<PassageContext>,
    /// Where on the page each stands.
    pub passage_places: Vec<(u32, usize)>,
    pub context: ClaimContext,
}

impl ExamSurroundings {
    /// `passages` stand on one page in this order, and `last` behind them; `fill` puts in the names. They are listed in
    /// another order, as passages that were looked for are.
    pub fn new(
        language: &ExamLanguage,
        passages: Vec<String>,
        last: &str,
        fill: impl Fn(&str) -> String,
        numbers: &mut SeededNumbers,
    ) -> Self {
        let about = fill(numbers.one_of(language.about));
        let title = fill(numbers.one_of(language.titles));
        let published = (numbers.below(DATED_ONE_IN) == 0).then(|| date(numbers));
        let is_plain = numbers.below(PLAIN_ONE_IN) == 0;
        let heading = if is_plain { "" } else { numbers.one_of(language.headings) };
        let begins = if numbers.below(ENDS_ONE_IN) == 0 { String::new() } else { about.clone() };
        let ends = if numbers.below(ENDS_ONE_IN) == 0 { "" } else { last };
        let begins_length = begins.len();
        let mut page = vec![begins];
        page.extend(passages);
        page.push(ends.to_owned());
        let around = |three: &[String]| {
            let [before, passage, after] = three else { return None };
            let context = PassageContext {
                title: title.clone(),
                published: published.clone(),
                heading: heading.to_owned(),
                before: before.clone(),
                after: after.clone(),
                ..PassageContext::default()
            };
            Some((passage.clone(), context))
        };
        let mut start = begins_length;
        let mut listed: Vec<ListedPassage> = Vec::new();
        for (passage, context) in page.windows(3).filter_map(around) {
            let place = (0, start);
            start += passage.len() + 1;
            listed.push((passage, (context, place)));
        }
        numbers.shuffle(&mut listed);
        let (passages, around): (Vec<_>, Vec<_>) = listed.into_iter().unzip();
        let (passage_contexts, passage_places) = around.into_iter().unzip();
        let section = fill(numbers.one_of(language.titles));
        let headings = match numbers.below(3) {
            0 => Vec::new(),
            1 => vec![section],
            _ => vec![section, numbers.one_of(language.headings).to_owned()],
        };
        let before = if numbers.below(TOLD_BEFORE_ONE_IN) == 0 { about } else { String::new() };
        let context = ClaimContext { headings, before, ..ClaimContext::default() };
        Self { passages, passage_contexts, passage_places, context }
    }
}

/// A passage with what stands around it and where it stands.
type ListedPassage = (String, (PassageContext, (u32, usize)));

/// A day of the last years.
fn date(numbers: &mut SeededNumbers) -> String {
    let (year, month, day) = (2012 + numbers.below(13), 1 + numbers.below(12), 1 + numbers.below(28));
    format!("{year}-{month:02}-{day:02}")
}
