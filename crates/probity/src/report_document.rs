//! A stored run as a document, and the document in one of its forms.

use std::collections::{BTreeMap, BTreeSet};

use probity_report::{
    CostRow, DocumentInput, ReportDocument, ReportFormat, bibliography, docx, html, json, markdown,
    pdf::{self, PdfFonts},
};
use probity_research::{
    Code, CodedError, Digest, cost::Cost, ledger::SourceState, ports::Journal as _, report::Report,
    status::RunSummary, trace::Trace, web::page::Extract,
};

use crate::{app_context::AppContext, command_error::CommandError, environment};

/// Pages whose text is read for the surroundings of passages; beyond it passages have no context.
const PAGES_MAX: usize = 1_000;
/// Text of pages that is in memory for that: more than a thousand pages of usual length have.
const TEXT_BYTES_MAX: usize = 96 * 1024 * 1024;
/// What gives a machine the letters of nearly every script.
pub const FONTS_FIX: &str =
    "install fonts that have them, for example `apt install fonts-noto-core fonts-noto-cjk`";

/// None while there is no text.
pub async fn load_document(
    app: &AppContext,
    summary: &RunSummary,
) -> Result<Option<ReportDocument>, CommandError> {
    let Some(report) = app.report(summary).await? else { return Ok(None) };
    let texts = source_texts(app, &report).await;
    let costs = app.trace(summary.id).await?.map(|trace| costs(&trace)).unwrap_or_default();
    Ok(Some(probity_report::build_document(&DocumentInput {
        summary,
        report: &report,
        texts: &texts,
        costs: &costs,
        written_at: app.now(),
        version: env!("CARGO_PKG_VERSION"),
    })))
}

/// A document in one of its forms.
pub struct RenderedReport {
    pub bytes: Vec<u8>,
    /// What the file does not show and its reader should know.
    pub note: Option<String>,
}

/// The document as bytes of a file.
pub fn render(document: &ReportDocument, format: ReportFormat) -> Result<RenderedReport, CodedError> {
    let failed = |what: &str, error: &probity_report::Error| {
        CodedError::new(Code::OutputPath, &format!("no {what} could be made: {error}"))
    };
    let bytes = match format {
        ReportFormat::Markdown => markdown::render(document).into_bytes(),
        ReportFormat::Html => html::page(document).into_bytes(),
        ReportFormat::Pdf => {
            let fonts = PdfFonts::beside(environment::font_directories());
            let file = pdf::render(document, &fonts).map_err(|error| failed("PDF", &error))?;
            let note = file.missing_letters().map(|letters| {
                format!("no font of this machine has {letters}; they are written as \u{FFFD}. {FONTS_FIX}")
            });
            return Ok(RenderedReport { bytes: file.bytes, note });
        }
        ReportFormat::Docx => docx::render(document).map_err(|error| failed("Word document", &error))?,
        ReportFormat::Json => json::render(document).into_bytes(),
        ReportFormat::Bibtex => bibliography::bibtex(document).into_bytes(),
        ReportFormat::CslJson => bibliography::csl_json(document).into_bytes(),
    };
    Ok(RenderedReport { bytes, note: None })
}

/// The text of its cited pages. A page that is missing in the store leaves its passages without context.
async fn source_texts(app: &AppContext, report: &Report) -> BTreeMap<Digest, String> {
    let sources = report.ledger.iter().flat_map(|ledger| &ledger.sources);
    let wanted: BTreeSet<Digest> =
        sources.map(|source| &source.state).filter_map(SourceState::extract).take(PAGES_MAX).collect();
    let mut texts = BTreeMap::new();
    let mut bytes_read = 0_usize;
    for digest in wanted {
        if bytes_read >= TEXT_BYTES_MAX {
            break;
        }
        let Ok(bytes) = app.store.fetch_blob(digest).await else { continue };
        if let Ok(extract) = Extract::decode(&bytes) {
            bytes_read += extract.text.len();
            texts.insert(digest, extract.text);
        }
    }
    texts
}

/// What each sort of step cost, dearest first; what cost nothing is left out.
fn costs(trace: &Trace) -> Vec<CostRow> {
    let known = |cost: Cost| match cost {
        Cost::FromUsage(amount) | Cost::AtLeast(amount) if amount.0 > 0 => Some(amount),
        _ => None,
    };
    let mut rows: Vec<CostRow> = trace
        .by_kind
        .iter()
        .filter_map(|(kind, total)| {
            let cost = known(total.cost)?;
            Some(CostRow { label: kind.as_str().to_owned(), micro_usd: cost.0, calls: total.steps })
        })
        .collect();
    rows.sort_by_key(|row| std::cmp::Reverse(row.micro_usd));
    rows
}
