//! One check by the real program: the world it asks, how it is started, killed and taken up, and what it left behind.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    ops::Deref,
    path::Path,
};

use anyhow::{Context as _, ensure};
use probity_research::{
    Event, RunState, StoredEvent,
    checking::{CheckTask, CheckTaskOutcome},
    ledger::Ledger,
    web::task::WebTaskOutcome,
};
use serde_json::{Value, json};

use crate::{
    evidence::test_bed::{CHECK_LIMIT, EvidenceTestBed, JudgeSetup},
    foundation::kill_sweep::program::field,
    journals,
    kill_harness::{
        kill_proxy::RequestKillPoint,
        requests::{ProcessEnd, RequestKillTestBed, StoryStep, page_fetches},
    },
};

const TOPIC: &str = "How did the harbour of Norwick grow, and what did the harbour cost?";

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum CheckedCommand {
    Verify,
    Web,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum CheckJudgeLocation {
    /// Priced like a model far away.
    Paid,
    /// On this machine: asking twice costs nothing.
    Local,
}

/// A program with a world of its own.
pub struct CheckKillTestBed {
    world: RequestKillTestBed,
    kind: CheckKind,
}

/// What is checked, and by whom.
pub type CheckKind = (CheckedCommand, CheckJudgeLocation);

impl Deref for CheckKillTestBed {
    type Target = RequestKillTestBed;

    fn deref(&self) -> &RequestKillTestBed {
        &self.world
    }
}

/// What the journal says at one moment, and what the world has counted.
#[derive(Debug, Clone, Default)]
pub struct CheckJournalState {
    /// Claims with a call to the judge under way.
    pub in_flight: BTreeSet<u32>,
    pub stored: BTreeSet<String>,
    pub fetches: BTreeMap<String, u64>,
    /// Prompts to the judge, and how often each was charged.
    pub judged: BTreeMap<String, usize>,
    /// The text is there and is being checked.
    pub checking: bool,
    pub ended: bool,
}

impl CheckKillTestBed {
    pub fn open(place: &Path, kind: CheckKind) -> anyhow::Result<Self> {
        let world = RequestKillTestBed::open(place, &pages())?;
        fs::write(place.join("report.md"), report())?;
        Ok(Self { world, kind })
    }

    fn stand(&self) -> anyhow::Result<EvidenceTestBed<'_>> {
        EvidenceTestBed::open(&self.simulator, &self.place, JudgeSetup::Simulated)
    }

    /// Starts the check, or takes it up; killed where the proxy says so.
    pub fn step(&self, step: StoryStep, point: Option<RequestKillPoint>) -> anyhow::Result<ProcessEnd> {
        let file = self.place.join("report.md").to_string_lossy().into_owned();
        let words: &[&str] = match (step, self.kind.0) {
            (StoryStep::Resume, _) => &["runs", "resume", "--all"],
            (StoryStep::Begin, CheckedCommand::Verify) => &["verify", &file, "--json"],
            // One line and one writer: the same report whatever the kills do to the order of answers.
            (StoryStep::Begin, CheckedCommand::Web) => {
                &["research", TOPIC, "--web", "--depth", "quick", "--json"]
            }
        };
        let here = self.proxy.address;
        let mut command = self.stand()?.command(words);
        command
            .env("PROBITY_SEARCH__BASES", format!("tavily=http://{here}/search-api/tavily"))
            .env("PROBITY_WEB__REACH", format!("*:80={here},*:443={here},{here}={here}"))
            .env("PROBITY_CHAT__BASE_URL", format!("http://{here}/v1"));
        if self.kind.1 == CheckJudgeLocation::Local {
            command.env_remove("PROBITY_CHAT__STANDS_FOR").env_remove("OPENAI_API_KEY");
        }
        self.world.run(&mut command, point, CHECK_LIMIT)
    }

    pub fn journal_state(&self) -> anyhow::Result<CheckJournalState> {
        let mut held = CheckJournalState::default();
        for (research, events) in journals::all(&self.place.join("data"), &self.place)? {
            held.read(&research, &events);
        }
        held.fetches = page_fetches(&self.simulator)?;
        let chat = self.simulator.get("chat/ledger")?;
        for entry in chat.get("entries").and_then(Value::as_array).context("the ledger has no entries")? {
            if field(entry, "asked") == "judge" {
                *held.judged.entry(field(entry, "prompt").to_owned()).or_default() += 1;
            }
        }
        Ok(held)
    }

    /// The ledger that a person is shown in the end.
    pub fn ledger(&self) -> anyhow::Result<Ledger> {
        let stand = self.stand()?;
        let rows = stand.program.list()?;
        ensure!(rows.len() == 1, "one research was asked for: {rows:?}");
        let id = rows.first().and_then(|row| row.get("task_id")).and_then(Value::as_str).context("no id")?;
        let shown = stand.program.run(&["runs", "show", id, "--json"])?;
        Ok(crate::evidence::test_bed::checked(&shown)?.ledger)
    }
}

impl CheckJournalState {
    fn read(&mut self, research: &RunState, events: &[StoredEvent]) {
        for recorded in events {
            match &recorded.event {
                Event::CheckDone { outcome: CheckTaskOutcome::Page(kept), .. } => {
                    self.stored.insert(kept.record.asked_url.clone());
                }
                Event::GatherDone { outcome: WebTaskOutcome::Page(kept), .. } => {
                    self.stored.insert(kept.record.asked_url.clone());
                }
                _ => {}
            }
        }
        self.ended |= research.ending().is_some();
        let Some(checking) = &research.check_state else { return };
        self.checking |= checking.subject.is_some();
        for task in &checking.open {
            if let CheckTask::Judge { claims } = task {
                self.in_flight.extend(claims.iter().filter_map(|claim| u32::try_from(claim.place()).ok()));
            }
        }
    }
}

/// What each site says of the harbour, none in the words of another; every sentence names it, so that a reader takes
/// them all.
const SITES: [[&str; 4]; 6] = [
    [
        "The harbour of Norwick was deepened in 1901 by a crew of sixty divers.",
        "Dredgers worked in the harbour of Norwick for eleven winters without a break.",
        "Tolls at the harbour of Norwick paid for a school and two wells.",
        "Maps of the harbour of Norwick were drawn by the surveyor Anna Holt.",
    ],
    [
        "Oak cranes stood along the harbour of Norwick until 1937.",
        "Sailors called the harbour of Norwick a quiet place for repairs.",
        "A fire destroyed 14 warehouses near the harbour of Norwick.",
        "Insurance for the harbour of Norwick cost 4,150 crowns a year.",
    ],
    [
        "Ferries began to leave the harbour of Norwick every morning at six.",
        "Pilots trained at the harbour of Norwick learned to read the tides by night.",
        "The lighthouse above the harbour of Norwick has 9 lamps and a bell.",
        "Fishermen sold herring at the harbour of Norwick from wooden barrels.",
    ],
    [
        "Engineers built a second pier into the harbour of Norwick in 1954.",
        "Concrete for the harbour of Norwick came by train from the quarries of Elmstead.",
        "Storms closed the harbour of Norwick for 23 days that autumn.",
        "A museum about the harbour of Norwick opened in an old rope factory.",
    ],
    [
        "Customs officers counted 812 ships in the harbour of Norwick in 1968.",
        "Smugglers avoided the harbour of Norwick because of its watchful dogs.",
        "Most of the coffee in the region passed through the harbour of Norwick.",
        "A strike at the harbour of Norwick ended after nine weeks with higher wages.",
    ],
    [
        "Today the harbour of Norwick is used by sailing clubs and a rowing school.",
        "Seals returned to the harbour of Norwick after the water became clean.",
        "The council plans to plant 300 trees beside the harbour of Norwick.",
        "Concerts on the harbour of Norwick draw visitors from five counties.",
    ],
];

fn url(site: usize) -> String {
    format!("http://archive{site}-of-norwick.org/harbour")
}

fn pages() -> Vec<Value> {
    let page = |(site, told): (usize, &[&str; 4])| {
        json!({
            "url": url(site), "title": format!("The harbour of Norwick, part {site}"),
            "text": told.join("\n\n"), "delay_ms": 5,
        })
    };
    SITES.iter().enumerate().map(page).collect()
}

/// The same facts, every second one in other words: a judge is asked about all of them.
fn report() -> String {
    let mut text = "# The harbour\n".to_owned();
    for (site, told) in SITES.iter().enumerate() {
        for (place, sentence) in told.iter().enumerate() {
            let plain = sentence.trim_end_matches('.');
            let words = match place % 2 {
                0 => plain
                    .replace("the harbour of Norwick", "Norwick's harbour")
                    .replace("The harbour of Norwick", "Norwick's harbour"),
                _ => plain.to_owned(),
            };
            text.push_str(&format!("\n{words} [source]({}).\n", url(site)));
        }
    }
    text
}
