//! Claims per second without a model: whole reports examined, pages made ready included.
//! In time of the core, not of the wall: other work on the machine does not count.

use std::sync::Arc;

use probity_evidence::examine::examine;
use probity_types::{
    Digest,
    checking::task::{CitedPage, ExamineRequest, JudgeLocation, StoredPage},
    report::{Report, SourceLink},
    time::Moment,
    web::{
        cluster::Fingerprint,
        page::{Extract, MediaKind, PageRecord, Provenance},
        task::PageMetadata,
    },
};

use super::labelled_data::{self as data, WiceItem};
use crate::figure::{Figure, MeasurementSize};

const GOAL: &str = "at least 3,000 claims per second on one core";
const GOAL_LINEAR: &str = "within a quarter of the small report's";
const RATE_MIN: f64 = 3_000.0;
/// Times that each report is examined; the best counts, because others use the machine too.
const TRIES: usize = 5;

pub fn measure(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let name = "claims per second, 500 claims over 100 pages";
    let Some(folder) = data::folder() else { return data::absent(name, GOAL) };
    let mut items = data::wice(&folder, "claim_dev")?;
    items.extend(data::wice(&folder, "claim_test")?);
    let small = rate(&ask(&items, 500, 100));
    // Ten times the claims over seven times the pages: there are not more of them.
    let large = rate(&ask(&items, size.pick(1_500, 5_000), size.pick(300, items.len())));
    let large_name = format!("the same, {} claims over {} pages", large.claims, large.pages);
    let share = large.per_second / small.per_second.max(1.0);
    let beside = "rate of the large report beside the small";
    Ok(vec![
        small.figure(name),
        large.figure(&large_name),
        Figure::judged(beside, share >= 0.75, format!("{share:.2}"), GOAL_LINEAR).timing(),
    ])
}

struct ClaimRate {
    claims: usize,
    pages: usize,
    bytes: usize,
    per_second: f64,
}

impl ClaimRate {
    fn figure(&self, name: &str) -> Figure {
        let note = format!(
            "{} claims found, {} pages, {} KB of text, pages made ready included; optimised as for a release",
            self.claims,
            self.pages,
            self.bytes / 1000
        );
        let measured = format!("{:.0} claims/s", self.per_second);
        Figure::judged(name, self.per_second >= RATE_MIN, measured, GOAL).timing().with_note(note)
    }
}

fn rate(ask: &ExamineRequest) -> ClaimRate {
    let mut best = f64::INFINITY;
    let mut claims = 0;
    for _ in 0..TRIES {
        let began = core_seconds();
        let report = examine(ask);
        best = best.min(core_seconds() - began);
        claims = report.ledger.map_or(0, |ledger| ledger.claims.len());
    }
    let bytes =
        ask.pages.iter().filter_map(|page| page.page.as_ref().ok()).map(|page| page.extract.len()).sum();
    ClaimRate { claims, pages: ask.pages.len(), bytes, per_second: claims as f64 / best }
}

/// Seconds that this thread has spent on a core.
fn core_seconds() -> f64 {
    let spent = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    spent.tv_sec as f64 + spent.tv_nsec as f64 / 1e9
}

/// A report whose sentences are claims of real articles, each citing one of the pages.
fn ask(items: &[WiceItem], claims: usize, pages: usize) -> ExamineRequest {
    let address = |place: usize| format!("https://site{place}.example/article");
    let mut text = String::new();
    for (number, item) in items.iter().cycle().take(claims).enumerate() {
        let words = item.claim.replace('\n', " ");
        let place = number % pages;
        text.push_str(&format!("{} [{}]({}).\n\n", words.trim_end_matches('.'), place + 1, address(place)));
    }
    let pages: Vec<CitedPage> = items
        .iter()
        .take(pages)
        .enumerate()
        .map(|(place, item)| page(&address(place), &item.page()))
        .collect();
    let sources =
        pages.iter().map(|page| SourceLink { url: page.url.clone(), title: String::new() }).collect();
    given_report(text, sources, pages)
}

/// A text of somebody else with what is stored of its pages, as `probity verify` examines it.
pub fn given_report(text: String, sources: Vec<SourceLink>, pages: Vec<CitedPage>) -> ExamineRequest {
    ExamineRequest {
        report: Report { text, sources, ..Report::default() },
        pages,
        at: Moment(1_794_700_000_000),
        judging: JudgeLocation::Remote,
        given: true,
        claims_max: probity_research::ledger::CLAIMS_MAX,
    }
}

/// An article as a stored page.
fn page(url: &str, text: &str) -> CitedPage {
    let record = PageRecord {
        asked_url: url.to_owned(),
        final_url: url.to_owned(),
        redirects: Vec::new(),
        address: None,
        fetched_at: Moment(0),
        status: 200,
        headers: Vec::new(),
        media: MediaKind::Text,
        bytes: 0,
        provenance: Provenance::Direct,
        revalidated: false,
        overridden: false,
    };
    let extract = Extract { text: text.to_owned(), ..Extract::default() };
    let kept = PageMetadata {
        record,
        snapshot: Digest([1; 32]),
        extract: Digest([2; 32]),
        title: String::new(),
        published: None,
        language: None,
        fingerprint: Fingerprint::of(text),
        signs: Vec::new(),
        links: Vec::new(),
    };
    CitedPage {
        url: url.to_owned(),
        page: Ok(StoredPage { metadata: kept, extract: Arc::from(extract.encode()), quoted: Vec::new() }),
    }
}
