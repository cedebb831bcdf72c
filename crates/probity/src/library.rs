//! Keeping the library in order, for the command line and the page alike: what a removal takes away and what it cannot.

use probity_research::{
    CodedError, RunId,
    list::{LIST_MAX, ListFilter},
    shelf::{SearchWords, ShelfEntry, TRASH_DAYS, Tag},
    status::RunSummary,
    text,
};
use probity_store::ReportExporter;

use crate::app_context::AppContext;

/// Longest question or title in a sentence.
const HEADING_CHARACTERS_MAX: usize = 100;

/// What a run is called: its title, or else its question.
pub fn heading(summary: &RunSummary, entry: Option<&ShelfEntry>) -> String {
    let title = entry.and_then(|entry| entry.title.as_ref());
    title.map_or_else(|| text::line(&summary.query, 200), |title| title.as_str().to_owned())
}

/// `#ice #work`, or nothing.
pub fn tag_words(entry: Option<&ShelfEntry>) -> String {
    let tags = entry.map(|entry| entry.tags.as_slice()).unwrap_or_default();
    tags.iter().map(|tag| format!("#{}", tag.as_str())).collect::<Vec<String>>().join(" ")
}

/// The list that these words and this tag narrow; a text without a letter or a digit is looked for in questions alone.
pub fn searched(text: Option<String>, tag: Option<Tag>, filter: ListFilter) -> ListFilter {
    let words = text.as_deref().and_then(SearchWords::parse);
    let text = if words.is_some() { None } else { text };
    ListFilter { words, text, tag, ..filter }
}

/// What is removed, what stays and who else has a copy, one sentence each. Refused for a run that is under way. Reads the
/// folders for reports: not on a thread that serves requests.
pub fn removal_notice(app: &AppContext, ids: &[RunId]) -> Result<Vec<String>, CodedError> {
    let rechecks = app.store.check_removal(ids)?;
    let entries = app.store.shelf_entries(ids)?;
    let mut lines = Vec::new();
    let mut remote = Vec::new();
    let mut saved = 0;
    for id in ids.iter().chain(&rechecks) {
        let summary = app.store.status(*id)?;
        let heading = text::line(&heading(&summary, entries.get(id)), HEADING_CHARACTERS_MAX);
        lines.push(format!("{id}: {heading} ({}, {} pages)", summary.status.as_str(), summary.pages));
        saved += ReportExporter::new(app.purge_places.report_roots.clone()).find(*id).len();
        remote.extend(summary.remote_id);
    }
    lines.push("At once it is out of lists, search, the page, MCP resources and the SQL views, and no longer watched.".to_owned());
    lines.push(format!(
        "After {TRASH_DAYS} days, or with `probity runs purge`, it is gone for good: question, journal, report, words, its \
         {saved} saved files below the directories for reports, its copies in `backups`, and stored pages that no other \
         research uses. Until then `probity runs restore ID` brings it back."
    ));
    lines.push("What it cost still counts. Files that you wrote elsewhere stay, and so do bundles and further questions.".to_owned());
    if !rechecks.is_empty() {
        lines.push(format!("Its rechecks go with it, since they hold its report: {}.", id_words(&rechecks)));
    }
    let further = further_questions(app, ids, &rechecks)?;
    if !further.is_empty() {
        lines.push(format!(
            "Further questions on it stay, and keep its question and what they took from it; remove them as well to be \
             rid of that: {}.",
            id_words(&further)
        ));
    }
    lines.push(match remote.as_slice() {
        [] => {
            "Search providers and models that were asked keep what they log: see `probity privacy ID` first."
                .to_owned()
        }
        remote => format!(
            "The provider keeps its own record ({}) for as long as its terms say; it is not deleted there.",
            remote.join(", ")
        ),
    });
    Ok(lines)
}

fn id_words(ids: &[RunId]) -> String {
    ids.iter().map(ToString::to_string).collect::<Vec<String>>().join(", ")
}

/// Questions that were asked on these and are not removed with them.
fn further_questions(app: &AppContext, ids: &[RunId], rechecks: &[RunId]) -> Result<Vec<RunId>, CodedError> {
    let newest = app.store.list(&ListFilter { limit: LIST_MAX, ..ListFilter::default() })?;
    let goes = |id: &RunId| ids.contains(id) || rechecks.contains(id);
    let follows = |other: &&RunSummary| other.follows.is_some_and(|parent| goes(&parent)) && !goes(&other.id);
    Ok(newest.iter().filter(follows).map(|other| other.id).collect())
}
