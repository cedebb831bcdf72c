//! A research as examples and tests need it: all verdicts, two conflicts, twelve sources; one of nothing but hostile
//! text; and one as large as asked for. Verdicts are folded from checks by the rules, not written here.

mod lines;
mod pages;

use std::collections::BTreeMap;

use probity_report::{CostRow, DocumentInput, ReportDocument, build_document};
use probity_types::{
    Digest,
    ledger::{
        Check, CheckAspect, CheckAuthor, Claim, ClaimId, ClaimKind, JudgeQuestion, Ledger, LedgerSource,
        Opinion, Passage, ReportSentence, SourceConflict, SourceState, verdict::NOT_ASKED_BUDGET,
    },
    report::{Report, SourceLink},
    status::RunSummary,
    time::Moment,
    web::page::Provenance,
};

use self::{
    lines::{FixtureCheck, FixtureLine, LINES},
    pages::{FixturePage, FixtureProvenance, PAGES},
};

const FETCHED_AT: Moment = Moment(1_794_700_300_000);
const CHECKED_AT: Moment = Moment(1_794_700_900_000);
/// When the documents of the fixtures say that they were written.
pub const WRITTEN_AT: Moment = Moment(1_794_701_200_000);
/// What stands around every passage of the invented pages.
const BEFORE: &str = "The figures below were collected between October and April, with the same meters at every site, and \
    were published after review. Readers who look for single buildings find them in the annex, which lists the year of \
    construction, the heated area and the kind of heat distribution.\n\n";
const AFTER: &str = " Values for single months are given in the annex, together with the number of sites that reported \
    in each of them. A correction of the second edition concerned the labels of one table and none of its numbers.\n\n";

/// Everything that `DocumentInput` borrows.
#[derive(Debug, Clone)]
pub struct ReportFixture {
    pub summary: RunSummary,
    pub report: Report,
    pub texts: BTreeMap<Digest, String>,
    pub costs: Vec<FixtureCost>,
}

/// What one step of the invented run cost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FixtureCost {
    pub label: &'static str,
    pub micro_usd: u64,
    pub calls: u32,
}

/// The document of a fixture. Tests inside `probity-report` make their own, with the crate that is under test.
pub fn document(fixture: &ReportFixture) -> ReportDocument {
    let row = |cost: &FixtureCost| CostRow {
        label: cost.label.to_owned(),
        micro_usd: cost.micro_usd,
        calls: cost.calls,
    };
    let costs: Vec<CostRow> = fixture.costs.iter().map(row).collect();
    build_document(&DocumentInput {
        summary: &fixture.summary,
        report: &fixture.report,
        texts: &fixture.texts,
        costs: &costs,
        written_at: WRITTEN_AT,
        version: "0.1.0",
    })
}

pub fn research() -> ReportFixture {
    let mut scribe = FixtureWriter::default();
    for page in &PAGES {
        scribe.page(page);
    }
    for line in LINES {
        match line {
            FixtureLine::Markup(markup) => scribe.text.push_str(markup),
            FixtureLine::Sentence(words, cites, look, passage, reason) => {
                scribe.sentence(words, cites, *look, passage, reason);
            }
        }
    }
    scribe.conflict(
        "Sales of heat",
        "Preliminary shipments",
        "growth in the first quarter of 2026: 35 % or 21 %",
    );
    scribe.conflict("Between 2020 and 2025", "Preliminary shipments", "years that the figures stand for");
    scribe.fixture("Do heat pumps pay off in cold climates, and what do they do to the grid?")
}

/// Text, titles, addresses and passages that try to act.
pub fn hostile() -> ReportFixture {
    let evil = "<script>alert(1)</script><img src=x onerror=alert(2)> \" onmouseover=\"alert(3) ' </style></mark></details> \
        &lt;b&gt; \u{202E}evil\u{202C}\u{0000}\u{0007} ]]> --> {{x}} ${y} `z` ![p](https://track.example/p.png)";
    let mut scribe = FixtureWriter::default();
    for (url, title) in [
        ("javascript:alert(document.cookie)", evil),
        ("https://ok.example/\"><script>alert(4)</script>?a=1&b=<2>'", evil),
        ("data:text/html,<script>alert(5)</script>", ""),
        ("https://user:secret@bank.example/", "bank.example"),
    ] {
        scribe.page(&FixturePage {
            url,
            title,
            published: Some("<b>2026</b>"),
            origin: 0,
            way: FixtureProvenance::Direct,
        });
    }
    scribe.text.push_str("# Title <script>alert(6)</script> `</title><script>alert(7)</script>`\n\n");
    scribe.sentence(evil, &[0, 1], FixtureCheck::Contradicts, evil, evil);
    scribe.text.push_str(
        "\n\n[click](javascript:alert(8)) ![pixel](https://track.example/pixel.png?id=1) [ok](https://ok.example/x\"y)\n\n\
         <iframe src=https://evil.example></iframe>\n\n<svg onload=alert(9)>\n\n    </code></pre><script>alert(10)</script>\n\n\
         ```</pre>\n</code><script>alert(11)</script>\n```\n\n| a | <b onclick=alert(12)> |\n|---|---|\n| </td><script> | x |\n\n",
    );
    scribe.sentence(
        "مرحبا بالعالم، هذا نص من اليمين إلى اليسار.",
        &[1],
        FixtureCheck::Supports,
        "مرحبا بالعالم",
        "",
    );
    scribe.text.push_str("\n\n> > > > > > > > > > > > > > > > deep\n\n");
    scribe.text.push_str(&"x".repeat(3_000));
    scribe.fixture(evil)
}

/// As many claims as asked for, one sentence each; for sizes.
pub fn large(claims: usize) -> ReportFixture {
    let mut scribe = FixtureWriter::default();
    for page in &PAGES {
        scribe.page(page);
    }
    let looks = [
        FixtureCheck::Supports,
        FixtureCheck::Supports,
        FixtureCheck::Partly,
        FixtureCheck::Contradicts,
        FixtureCheck::NoJudge,
        FixtureCheck::Absent,
    ];
    for (place, look) in looks.into_iter().cycle().take(claims).enumerate() {
        if place.is_multiple_of(10) {
            scribe.text.push_str(&format!("\n\n## Part {}\n\n", place / 10 + 1));
        }
        let words = format!("The value of item {place} rose from {} to {} in 2025.", place * 3, place * 7);
        let passage = format!("Item {place} went from {} to {} in 2025.", place * 3, place * 7);
        let cited = u32::try_from(place % 10).unwrap_or_default();
        scribe.sentence(&words, &[cited], look, &passage, "the page gives both values");
    }
    scribe.fixture("How did the values change?")
}

/// Writes a report and its ledger side by side.
#[derive(Default)]
struct FixtureWriter {
    text: String,
    sources: Vec<SourceLink>,
    ledger: Ledger,
    pages: Vec<String>,
}

impl FixtureWriter {
    fn page(&mut self, page: &FixturePage) {
        let place = u8::try_from(self.sources.len()).unwrap_or_default();
        let (url, title) = (page.url.to_owned(), page.title.to_owned());
        self.sources.push(SourceLink { url: url.clone(), title: title.clone() });
        let kept = |provenance| SourceState::Kept {
            snapshot: Digest([place + 100; 32]),
            extract: Digest([place; 32]),
            fetched_at: FETCHED_AT.plus_ms(i64::from(place) * 7_000),
            provenance,
            published: page.published.map(str::to_owned),
        };
        let state = match page.way {
            FixtureProvenance::Direct => kept(Provenance::Direct),
            FixtureProvenance::Rendered => kept(Provenance::Rendered),
            FixtureProvenance::Archive => {
                kept(Provenance::Archive("https://archive.example/2024/threads/88213".to_owned()))
            }
            FixtureProvenance::Lost(why) => SourceState::unreachable(why),
        };
        self.ledger.sources.push(LedgerSource { url, title, state, origin: page.origin, quoted: Vec::new() });
        self.pages.push(format!("{}\n\n", page.title));
    }

    fn sentence(&mut self, words: &str, cites: &[u32], look: FixtureCheck, passage: &str, reason: &str) {
        let id = ClaimId::at(self.ledger.claims.len());
        let start = self.text.len();
        self.text.push_str(words);
        let end = self.text.len();
        for place in cites {
            self.text.push_str(&format!(" [{}]", place + 1));
        }
        self.text.push(' ');
        let kind = match look {
            FixtureCheck::Own => ClaimKind::OwnWords,
            FixtureCheck::Question => ClaimKind::Question,
            _ => ClaimKind::Fact,
        };
        self.ledger.sentences.push(ReportSentence { start, end, claims: vec![id] });
        self.ledger.claims.push(Claim {
            id,
            start,
            end,
            words: words.replace("**", ""),
            kind,
            load_bearing: kind == ClaimKind::Fact,
            cites: cites.to_vec(),
            quotations: Vec::new(),
            derived: None,
            context: Default::default(),
            inherited: None,
            repeats: None,
            rests_on: Vec::new(),
        });
        for place in cites {
            self.check(id, *place, look, passage, reason);
        }
    }

    fn check(&mut self, id: ClaimId, place: u32, look: FixtureCheck, passage: &str, reason: &str) {
        let Some(span) = self.write_down(place, passage) else { return };
        let passages = vec![u32::try_from(self.ledger.passages.len()).unwrap_or_default()];
        self.ledger.passages.push(Passage {
            source: place,
            start: span.0,
            end: span.1,
            text: passage.to_owned(),
            context: Default::default(),
        });
        self.ledger.questions.push(JudgeQuestion { claim: id, passages, witnesses: Vec::new() });
        let rules = CheckAuthor::Rules { version: "checks 4".to_owned() };
        let model = CheckAuthor::Model { name: "gemini-3-flash".to_owned(), version: "judge 2".to_owned() };
        let check = |aspect, opinion, by, confidence, reason: &str| Check {
            claim: id,
            aspect,
            opinion,
            by,
            confidence,
            source: Some(place),
            span: Some(span),
            page: Some(Digest([u8::try_from(place).unwrap_or_default() + 100; 32])),
            at: CHECKED_AT,
            reason: reason.to_owned(),
        };
        for aspect in [CheckAspect::Citation, CheckAspect::Number, CheckAspect::Date] {
            self.ledger.checks.push(check(aspect, Opinion::Agrees, rules.clone(), 90, ""));
        }
        let judged = match look {
            FixtureCheck::Supports => check(CheckAspect::Meaning, Opinion::Supports, model, 94, reason),
            FixtureCheck::Partly => check(CheckAspect::Meaning, Opinion::Partly, model, 81, reason),
            FixtureCheck::Qualifies => check(CheckAspect::Meaning, Opinion::Qualifies, model, 88, reason),
            FixtureCheck::Absent => check(CheckAspect::Meaning, Opinion::Absent, model, 86, reason),
            FixtureCheck::Quoted => check(CheckAspect::Quotation, Opinion::Quoted, rules, 99, reason),
            FixtureCheck::Contradicts => check(CheckAspect::Number, Opinion::Contradicts, rules, 97, reason),
            FixtureCheck::Budget => {
                check(CheckAspect::Meaning, Opinion::Abstains, model, 0, NOT_ASKED_BUDGET)
            }
            FixtureCheck::Fails => check(CheckAspect::Meaning, Opinion::Abstains, model, 0, reason),
            FixtureCheck::NoJudge | FixtureCheck::Own | FixtureCheck::Question | FixtureCheck::Uncited => {
                return;
            }
        };
        self.ledger.checks.push(judged);
    }

    /// Writes a passage on its page; nothing can be written on a page that was not read.
    fn write_down(&mut self, place: u32, passage: &str) -> Option<(usize, usize)> {
        let place = usize::try_from(place).ok()?;
        self.ledger.sources.get(place)?.state.snapshot()?;
        let page = self.pages.get_mut(place)?;
        page.push_str(BEFORE);
        let start = page.len();
        page.push_str(passage);
        let end = page.len();
        page.push_str(AFTER);
        Some((start, end))
    }

    /// The passages that hold these words disagree.
    fn conflict(&mut self, claim: &str, against: &str, about: &str) {
        let find = |words: &str| self.ledger.passages.iter().position(|passage| passage.text.contains(words));
        let (Some(left), Some(right)) = (find(claim), find(against)) else {
            return;
        };
        let cited = |question: &&JudgeQuestion| {
            question.passages.iter().any(|place| usize::try_from(*place) == Ok(left))
        };
        let claim =
            self.ledger.questions.iter().find(cited).map_or(ClaimId::at(0), |question| question.claim);
        self.ledger.conflicts.push(SourceConflict {
            claim,
            left: u32::try_from(left).unwrap_or_default(),
            right: u32::try_from(right).unwrap_or_default(),
            about: about.to_owned(),
            same_origin: false,
        });
    }

    fn fixture(mut self, question: &str) -> ReportFixture {
        self.text.push_str("\n\n## Sources\n\n");
        for (place, source) in self.sources.iter().enumerate() {
            self.text.push_str(&format!("{}. {}: {}\n", place + 1, source.title, source.url));
        }
        self.ledger.checker = "checks 4".to_owned();
        self.ledger.judge = Some("gemini-3-flash".to_owned());
        self.ledger.altered = vec![(4, 5)];
        self.ledger.mended = vec!["[14] named no source and was taken out".to_owned()];
        self.ledger.compute_verdicts(None);
        let keys = (0..=u8::MAX).map(|place| Digest([place; 32]));
        let queries =
            ["heat pump field test cold climate", "värmepump pris 2026", "winter peak load heating Finland"];
        ReportFixture {
            summary: summary(question),
            texts: keys.zip(self.pages).collect(),
            costs: costs(),
            report: Report {
                text: self.text,
                sources: self.sources,
                queries: queries.map(str::to_owned).to_vec(),
                ledger: Some(Box::new(self.ledger)),
                ..Report::default()
            },
        }
    }
}

fn costs() -> Vec<FixtureCost> {
    let rows = [
        ("plan", 4_100, 1),
        ("search", 45_000, 9),
        ("read", 118_000, 31),
        ("write", 92_400, 2),
        ("judge", 61_300, 28),
    ];
    rows.map(|(label, micro_usd, calls)| FixtureCost { label, micro_usd, calls }).to_vec()
}

#[expect(clippy::expect_used, reason = "values of our own, for tests and the example")]
fn summary(question: &str) -> RunSummary {
    let told = serde_json::json!({
        "id": probity_types::RunId::from_random(7), "status": "completed", "due": false, "query": question,
        "engine": "web", "agent": "gemini-3-pro", "asked_at": 1_794_700_000_000_i64,
        "updated_at": 1_794_701_110_000_i64, "ended_at": 1_794_701_110_000_i64, "progress_percent": 100,
        "progress_estimated": false, "current_action": "", "steps": 3, "searches": 9, "pages": 31,
        "attended_ms": 0, "cost": { "basis": "from-usage", "micro_usd": 320_800 }, "sources": 12,
    });
    serde_json::from_value(told).expect("a summary")
}
