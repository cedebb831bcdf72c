//! A further question on a finished research: what is stored of it is put before the rules, which make the plan.
//! The same for the command line, for MCP clients and for the local page.

use std::collections::BTreeMap;

use probity_research::{
    Code, CodedError, Digest, RunId, RunState,
    plan::Plan,
    ports::Journal as _,
    principal::RunAccess,
    query::Query,
    web::{
        Extract,
        page::Provenance,
        parent::FollowUpKind,
        take_over::{parent_bank, stored_pages},
    },
};

use crate::{
    app_context::AppContext,
    command_error::without_report,
    keys::ProviderKeys,
    local_backend::run_blocking,
    planning::{self, PlanningRequest},
    settings::Settings,
};

/// What is asked for besides the question.
#[derive(Debug)]
pub struct FollowUpRequest {
    pub parent: RunId,
    pub kind: FollowUpKind,
    pub asking: PlanningRequest,
}

/// The plan with its price. Local: the store is read, no request is made.
pub async fn plan(
    app: &AppContext,
    settings: &Settings,
    keys: &ProviderKeys,
    wanted: FollowUpRequest,
    query: &Query,
) -> Result<Plan, CodedError> {
    let FollowUpRequest { parent, kind, asking } = wanted;
    let before = Box::new(app.researches.load(parent).await?);
    let summary = before.summary();
    if !summary.status.is_final() {
        return Err(without_report(&summary).problem);
    }
    let report = app.report(&summary).await.map_err(|failure| failure.problem)?;
    let Some(report) = report else { return Err(without_report(&summary).problem) };
    let stored = stored_texts(app, &before).await;
    let pages = stored.len();
    let has_files = before.web_state.as_deref().is_some_and(|gathered| {
        gathered.pages.iter().any(|page| page.metadata.record.provenance == Provenance::LocalFile)
    });
    let question = query.as_str().to_owned();
    let choosing = run_blocking(move || {
        let read = |(digest, bytes): (Digest, Vec<u8>)| Some((digest, Extract::decode(&bytes).ok()?));
        let texts: BTreeMap<Digest, Extract> = stored.into_iter().filter_map(read).collect();
        Ok(parent_bank(&before, &report, &texts, &question, kind))
    });
    let bank = Box::pin(choosing).await?;
    if kind == FollowUpKind::Ask && bank.pages.is_empty() {
        return Err(nothing_to_answer_from(parent, pages, has_files));
    }
    let asking = PlanningRequest { parent: Some(Box::new(bank)), ..asking };
    let plan = planning::plan(settings, keys, asking, query)?;
    let plan = match kind {
        // What whole researches cost says nothing about one answer.
        FollowUpKind::Ask => plan,
        FollowUpKind::Search => app.with_history(&RunAccess::Everything, plan)?,
    };
    // There was no choice of engines.
    Ok(Plan { follows: Some(parent), engine_reason: None, ..plan })
}

/// The command that searches for what the stored pages do not say.
pub fn search_command(parent: RunId) -> String {
    format!("`probity follow-up {parent} --search \"…\"`")
}

/// Said before anything is started: nothing is paid for an answer that has nothing to rest on.
fn nothing_to_answer_from(parent: RunId, pages: usize, has_files: bool) -> CodedError {
    if pages == 0 && has_files {
        let why = format!(
            "research {parent} read files of this machine, which a further question does not take over"
        );
        let command = "`probity ask --folder FOLDER \"…\"`";
        return CodedError::new(
            Code::NothingFound,
            &format!("{why}; nothing was started. Ask them again: {command}"),
        );
    }
    let why = match pages {
        0 => format!("no page is stored with research {parent} that an answer could rest on"),
        1 => format!("the page that is stored with research {parent} says nothing on this question"),
        _ => {
            format!("none of the {pages} pages stored with research {parent} says anything on this question")
        }
    };
    let command = search_command(parent);
    CodedError::new(Code::NothingFound, &format!("{why}; nothing was started. To search for it: {command}"))
}

/// The texts of its pages, as far as they can be read: one that is damaged is not taken over.
async fn stored_texts(app: &AppContext, before: &RunState) -> Vec<(Digest, Vec<u8>)> {
    let wanted: Vec<Digest> = stored_pages(before).into_iter().map(|page| page.extract).collect();
    let mut texts = Vec::with_capacity(wanted.len());
    for digest in wanted {
        match app.store.fetch_blob(digest).await {
            Ok(bytes) => texts.push((digest, bytes)),
            Err(error) => tracing::warn!(%digest, %error, "a stored page was left out"),
        }
    }
    texts
}
