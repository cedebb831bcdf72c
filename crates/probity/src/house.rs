//! What the local web page asks for: the same store, rules and office as every other face.

mod changes;
mod costs;

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use bytes::Bytes;
use probity_page::house::{
    Answered, Card, Changes, Costs, Download, Found, House, Present, Proposal, SHELF_MAX, Setting,
    SettingValue, Shelf, Wanted,
};
use probity_report::{Document, Format};
use probity_research::{
    Code, Digest, Problem, ResearchId, Sequence, cost::MicroUsd, list::ListFilter, plan::Plan,
    seams::Journal as _, status::Summary, stop::Partial, time::Moment, trace::Trace, web::Hints,
};
use probity_server::Desk as _;

use crate::{
    desk::Desk,
    failure::Failure,
    office::{Office, elsewhere},
    reporting,
    settings::{Loaded, Settings},
};

/// Verdicts on whole reports that are remembered: a few screens of the library.
const VERDICTS_MAX: usize = 2_000;
/// Documents that are remembered: the one that is read, and a few beside it. Each may take megabytes.
const DOCUMENTS_MAX: usize = 4;

pub struct PageHouse {
    desk: Arc<Desk>,
    office: Office,
    settings: Settings,
    shown: Vec<Setting>,
    verdicts: Mutex<BTreeMap<Digest, Option<bool>>>,
    documents: Mutex<Vec<(Digest, Arc<Document>)>>,
}

impl PageHouse {
    pub fn new(desk: Arc<Desk>, loaded: Loaded) -> Self {
        let office = Office::new(Arc::clone(&desk), &loaded.settings);
        let shown = loaded.shown.iter().map(|shown| Setting {
            key: shown.key.to_owned(),
            value: SettingValue::Shown(shown.value.clone()),
            origin: shown.origin.clone(),
        });
        let keys =
            [("Google's API key", desk.keys.gemini.is_some())].into_iter().map(|(key, present)| Setting {
                key: key.to_owned(),
                value: if present { SettingValue::SecretPresent } else { SettingValue::SecretAbsent },
                origin: "environment or key file".to_owned(),
            });
        let shown = shown.chain(keys).collect();
        Self {
            desk,
            office,
            settings: loaded.settings,
            shown,
            verdicts: Mutex::default(),
            documents: Mutex::default(),
        }
    }

    async fn found(&self, shelf: Shelf) -> Result<Found, Problem> {
        let filter = ListFilter {
            text: shelf.text,
            status: shelf.status,
            limit: shelf.limit.min(SHELF_MAX),
            offset: shelf.offset,
            ..ListFilter::default()
        };
        let store = self.desk.store.clone();
        let (listed, total) = elsewhere(move || Ok((store.list(&filter)?, store.total(&filter)?))).await?;
        let mut cards = Vec::with_capacity(listed.len());
        for summary in listed {
            let verified = self.verified(&summary).await;
            cards.push(Card { summary, verified });
        }
        Ok(Found { cards, total: usize::try_from(total).unwrap_or(usize::MAX) })
    }

    /// What its ledger says; a report that cannot be read says nothing.
    async fn verified(&self, summary: &Summary) -> Option<bool> {
        let digest = summary.report.filter(|_| summary.status.is_final())?;
        let remembered = || self.verdicts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = remembered().get(&digest) {
            return *known;
        }
        let report = self.desk.report(summary).await.ok().flatten()?;
        let verification = report.ledger.as_ref().and_then(|ledger| ledger.verification.as_ref());
        let verified = verification.map(|verification| verification.verified);
        let mut verdicts = remembered();
        if verdicts.len() >= VERDICTS_MAX {
            verdicts.clear();
        }
        verdicts.insert(digest, verified);
        verified
    }

    async fn now_at(&self, id: ResearchId) -> Result<Present, Problem> {
        present(&self.desk, id).await
    }

    async fn read(&self, id: ResearchId) -> Result<Option<Arc<Document>>, Problem> {
        let summary = self.desk.store.status(id)?;
        let Some(digest) = summary.report else { return Ok(None) };
        let remembered = || self.documents.lock().unwrap_or_else(PoisonError::into_inner);
        let known =
            remembered().iter().find(|(of, _)| *of == digest).map(|(_, document)| Arc::clone(document));
        if known.is_some() {
            return Ok(known);
        }
        let Some(document) = reporting::document(&self.desk, &summary).await.map_err(problem)? else {
            return Ok(None);
        };
        let document = Arc::new(document);
        let mut documents = remembered();
        if documents.len() >= DOCUMENTS_MAX {
            documents.remove(0);
        }
        documents.push((digest, Arc::clone(&document)));
        Ok(Some(document))
    }

    async fn file(&self, id: ResearchId, format: Format) -> Result<Download, Problem> {
        let document = self.read(id).await?;
        let document =
            document.ok_or_else(|| Problem::new(Code::NotFinished, "this research has no report yet"))?;
        let bytes = Box::pin(reporting::written(&self.settings, &document, format)).await?;
        let filename = format!("probity-{id}.{}", format.extension());
        Ok(Download { filename, media_type: format.media_type(), bytes: Bytes::from(bytes) })
    }

    fn planned(&self, wanted: &Wanted) -> Result<Plan, Problem> {
        let asked =
            probity_server::desk::Wanted { manner: wanted.manner, rounds: None, hints: Hints::default() };
        let mut plan = self.office.planned(asked, &wanted.question)?;
        plan.limits.budget = wanted.budget.or(plan.limits.budget);
        Ok(plan)
    }

    async fn begun(&self, wanted: Wanted) -> Result<ResearchId, Problem> {
        let plan = self.planned(&wanted)?;
        Ok(self.office.start(wanted.question, plan).await?.id)
    }
}

/// How it stands, with all that it did.
async fn present(desk: &Desk, id: ResearchId) -> Result<Present, Problem> {
    let journal = desk.store.load(id).await?;
    let damaged =
        |error: probity_research::state::ReplayError| Problem::new(error.code(), &error.to_string());
    let (trace, research) = Trace::with_research(id, &journal).map_err(damaged)?;
    Ok(Present {
        sequence: research.sequence,
        summary: Summary::of(&research),
        trace,
        budget: research.budget(),
    })
}

impl House for PageHouse {
    fn now(&self) -> Moment {
        self.desk.now()
    }

    fn library(&self, shelf: Shelf) -> Answered<'_, Found> {
        Box::pin(self.found(shelf))
    }

    fn present(&self, id: ResearchId) -> Answered<'_, Present> {
        Box::pin(self.now_at(id))
    }

    fn document(&self, id: ResearchId) -> Answered<'_, Option<Arc<Document>>> {
        Box::pin(self.read(id))
    }

    fn download(&self, id: ResearchId, format: Format) -> Answered<'_, Download> {
        Box::pin(self.file(id, format))
    }

    fn costs(&self) -> Answered<'_, Costs> {
        let (desk, limit) = (Arc::clone(&self.desk), self.settings.budget_per_day);
        Box::pin(elsewhere(move || costs::of(&desk, limit)))
    }

    fn settings(&self) -> Answered<'_, Vec<Setting>> {
        Box::pin(std::future::ready(Ok(self.shown.clone())))
    }

    fn propose(&self, wanted: Wanted) -> Answered<'_, Proposal> {
        let proposed = self.planned(&wanted).map(|plan| Proposal {
            plan: sentence(&plan),
            estimate: plan.estimate,
            budget: plan.limits.budget,
        });
        Box::pin(std::future::ready(proposed))
    }

    fn start(&self, wanted: Wanted) -> Answered<'_, ResearchId> {
        Box::pin(self.begun(wanted))
    }

    fn cancel(&self, id: ResearchId) -> Answered<'_, ()> {
        Box::pin(async move { self.desk.researches.cancel(id, Partial::Keep).await.map(drop) })
    }

    fn extend_budget(&self, id: ResearchId, to: MicroUsd) -> Answered<'_, ()> {
        Box::pin(async move { self.desk.researches.raise_budget(id, to).await.map(drop) })
    }

    fn changes(&self, id: ResearchId, after: Sequence) -> Answered<'_, Changes> {
        Box::pin(std::future::ready(Ok(changes::of(Arc::clone(&self.desk), id, after))))
    }
}

/// `on the web engine, medium depth, model m`: before anything is paid.
fn sentence(plan: &Plan) -> String {
    let depth = plan.web.as_ref().map(|web| format!(", {} depth", web.strategy.level.as_str()));
    format!("on {}{}, by {}", plan.engine.as_str(), depth.unwrap_or_default(), plan.worker())
}

fn problem(failure: Failure) -> Problem {
    failure.problem
}
