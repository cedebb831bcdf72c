//! Kills the real program while it checks a text, takes it up, and compares with what nobody disturbed: what was paid
//! is not paid again, what is stored is not fetched again, and no verdict is another one.

mod story;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use anyhow::{Context as _, ensure};
use probity_evals::random::SeededRandom;
use probity_research::ledger::{Ledger, Verdict};

use self::story::{CheckJournalState, CheckJudgeLocation, CheckKillTestBed, CheckedCommand};
use crate::{
    figure::{Figure, MeasurementSize},
    foundation::{kill_sweep::memory_folder, parallel_trials::run_in_parallel},
    output,
    web::gather_kills::kill_proxy::{KillMoment, RequestKillPoint},
};

const SIDE_BY_SIDE: usize = 3;
const SEED: u64 = 0x4B49_4C4C_4348_4543;
/// Requests do not come in the same order in every run, so some points are never reached.
const SLACK_PERCENT: usize = 140;
/// Every fourth story is killed twice: the process that takes it up too.
const TWICE_EVERY: usize = 4;
/// Said of a claim whose paid question was under way.
const UNCERTAIN: &str = "it was not asked again";
const LATER_MS_MAX: usize = 30;

const KINDS: [(CheckedCommand, CheckJudgeLocation); 4] = [
    (CheckedCommand::Verify, CheckJudgeLocation::Paid),
    (CheckedCommand::Web, CheckJudgeLocation::Paid),
    (CheckedCommand::Verify, CheckJudgeLocation::Local),
    (CheckedCommand::Web, CheckJudgeLocation::Local),
];

#[derive(Debug, Clone, Copy)]
struct CheckKillPlan {
    what: CheckedCommand,
    judge: CheckJudgeLocation,
    first: RequestKillPoint,
    second: Option<RequestKillPoint>,
}

/// What nobody disturbed.
struct UndisturbedCheck {
    /// Verdict and reason by the words of the claim.
    verdicts: BTreeMap<String, Verdict>,
    requests: usize,
    calls: usize,
}

#[derive(Debug, Default)]
struct CheckKillTally {
    stories: usize,
    kills: usize,
    not_reached: usize,
    /// Kills with a call to the judge under way, and the claims of those calls.
    in_flight: usize,
    failed: usize,
    quoted: usize,
    stored_at_kill: usize,
    bought_twice: Vec<String>,
    fetched_again: Vec<String>,
    other: Vec<String>,
}

pub fn measure(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let wanted = size.pick(8, 60);
    let folder = memory_folder()?;
    let mut undisturbed = BTreeMap::new();
    for (what, judge) in KINDS {
        let place = folder.path().join(format!("{what:?}-{judge:?}"));
        undisturbed.insert((what, judge), census(&place, what, judge)?);
    }
    let planned = plan(&undisturbed, wanted * SLACK_PERCENT / 100);
    let told = run_in_parallel("kill", SIDE_BY_SIDE, &planned, folder.path(), |planned, place| {
        let calm = undisturbed.get(&(planned.what, planned.judge)).context("no census")?;
        one(planned, calm, place).with_context(|| format!("{planned:?}"))
    })?;
    let control = controls(&undisturbed, &folder.path().join("control"))?;
    let mut all = CheckKillTally::default();
    told.into_iter().for_each(|told| all.add(told));
    let calm: Vec<String> = undisturbed
        .iter()
        .map(|((what, judge), calm)| {
            format!("{what:?} {judge:?}: {} requests, {} to the judge", calm.requests, calm.calls)
        })
        .collect();
    Ok(figures(&all, wanted, &format!("undisturbed: {}; {control}", calm.join(", "))))
}

impl CheckKillTally {
    fn add(&mut self, other: Self) {
        self.stories += other.stories;
        self.kills += other.kills;
        self.not_reached += other.not_reached;
        self.in_flight += other.in_flight;
        self.failed += other.failed;
        self.quoted += other.quoted;
        self.stored_at_kill += other.stored_at_kill;
        self.bought_twice.extend(other.bought_twice);
        self.fetched_again.extend(other.fetched_again);
        self.other.extend(other.other);
    }
}

fn verdicts(ledger: &Ledger) -> BTreeMap<String, Verdict> {
    let settled = ledger.claims.iter().zip(&ledger.settled);
    settled.map(|(claim, settled)| (claim.words.clone(), settled.verdict.clone())).collect()
}

fn census(place: &Path, what: CheckedCommand, judge: CheckJudgeLocation) -> anyhow::Result<UndisturbedCheck> {
    let stage = CheckKillTestBed::open(place, what, judge)?;
    stage.begin(None)?;
    let requests = stage.guillotine.requests();
    let held = stage.journal_state()?;
    let ledger = stage.ledger()?;
    let calls = held.judged.values().sum();
    ensure!(
        held.ended && calls > 1,
        "an undisturbed check fails or asks nobody: {what:?} {judge:?} {held:?}"
    );
    let verdicts = verdicts(&ledger);
    let supported = verdicts.values().filter(|verdict| **verdict == Verdict::Supported).count();
    ensure!(supported > 1, "nothing is supported, so nothing can get lost: {verdicts:?}");
    Ok(UndisturbedCheck { verdicts, requests, calls })
}

/// Random moments while a text is checked: of a research on the web, those after it was written.
fn plan(
    undisturbed: &BTreeMap<(CheckedCommand, CheckJudgeLocation), UndisturbedCheck>,
    stories: usize,
) -> Vec<CheckKillPlan> {
    let mut random = SeededRandom::seeded(SEED);
    let mut planned = Vec::new();
    for story in 0..stories {
        let (what, judge) = KINDS
            .get(story % KINDS.len())
            .copied()
            .unwrap_or((CheckedCommand::Verify, CheckJudgeLocation::Paid));
        let Some(calm) = undisturbed.get(&(what, judge)) else { continue };
        // Half of the kills of a check are among the calls to the judge, which come last.
        let judging = what == CheckedCommand::Web || random.chance(0.5);
        let (before, among) = match judging {
            true => (calm.requests - calm.calls, calm.calls),
            false => (0, calm.requests),
        };
        let mut moment = || match random.below(4) {
            0 => KillMoment::BeforeSending,
            1 | 2 => KillMoment::AnswerLost,
            _ => KillMoment::AfterAnswer(random.below(LATER_MS_MAX) as u64),
        };
        let (first, second) = (moment(), moment());
        let first = RequestKillPoint { request: before + 1 + random.below(among), moment: first };
        let second = RequestKillPoint { request: 1 + random.below(2), moment: second };
        let second = story.is_multiple_of(TWICE_EVERY).then_some(second);
        planned.push(CheckKillPlan { what, judge, first, second });
    }
    planned
}

fn one(planned: &CheckKillPlan, calm: &UndisturbedCheck, place: &Path) -> anyhow::Result<CheckKillTally> {
    let stage = CheckKillTestBed::open(place, planned.what, planned.judge)?;
    let mut told = CheckKillTally { stories: 1, ..CheckKillTally::default() };
    let mut kills: Vec<CheckJournalState> = Vec::new();
    let mut killed = stage.begin(Some(planned.first))?;
    if killed {
        kills.push(stage.journal_state()?);
        if planned.second.is_some() {
            killed = stage.resume(planned.second)?;
            if killed {
                kills.push(stage.journal_state()?);
            } else {
                told.not_reached += 1;
            }
        }
    } else {
        told.not_reached += 1;
    }
    if killed {
        stage.resume(None)?;
    }
    told.kills = kills.len();
    // A kill before anything was written down leaves nothing to take up: the text was never accepted.
    let ended = stage.journal_state()?;
    if !ended.ended && kills.last().is_some_and(|kill| !kill.checking && kill.stored.is_empty()) {
        return Ok(told);
    }
    ensure!(ended.ended, "a check did not end");
    let ledger = stage.ledger()?;
    compare(planned, calm, &kills, &ended, &ledger, &mut told);
    Ok(told)
}

fn compare(
    planned: &CheckKillPlan,
    calm: &UndisturbedCheck,
    kills: &[CheckJournalState],
    ended: &CheckJournalState,
    ledger: &Ledger,
    told: &mut CheckKillTally,
) {
    let of = |what: &str| format!("{planned:?}: {what}");
    if planned.judge == CheckJudgeLocation::Paid {
        let twice = ended.judged.iter().filter(|(_, count)| **count > 1);
        told.bought_twice
            .extend(twice.map(|(prompt, count)| of(&format!("{prompt} was bought {count} times"))));
    }
    for kill in kills {
        told.in_flight += usize::from(!kill.in_flight.is_empty());
        told.stored_at_kill += kill.stored.len();
        for page in &kill.stored {
            let count = |held: &CheckJournalState| held.fetches.get(page).copied().unwrap_or(0);
            if count(ended) > count(kill) {
                told.fetched_again.push(of(page));
            }
        }
    }
    let uncertain: BTreeSet<u32> = match planned.judge {
        CheckJudgeLocation::Paid => kills.iter().flat_map(|kill| kill.in_flight.iter().copied()).collect(),
        CheckJudgeLocation::Local => BTreeSet::new(),
    };
    let mut seen = BTreeSet::new();
    for (claim, settled) in ledger.claims.iter().zip(&ledger.settled) {
        seen.insert(claim.words.clone());
        let in_flight = u32::try_from(claim.id.place()).is_ok_and(|place| uncertain.contains(&place));
        let as_before = calm.verdicts.get(&claim.words) == Some(&settled.verdict);
        let failed = matches!(&settled.verdict, Verdict::CheckFailed { why } if why.contains(UNCERTAIN));
        // What stands on the page word for word stands there whether a judge answers or not; the failed check is beside it.
        let says_so = ledger.checks_of(claim.id).any(|check| check.reason.contains(UNCERTAIN));
        let quoted = settled.verdict == Verdict::Quoted && says_so;
        told.quoted += usize::from(in_flight && quoted);
        told.failed += usize::from(in_flight && failed);
        if (in_flight && !failed && !quoted) || (!in_flight && !as_before) {
            let was = calm.verdicts.get(&claim.words);
            told.other.push(of(&format!(
                "{}: {} instead of {was:?}, under way: {in_flight}",
                claim.words, settled.verdict
            )));
        }
    }
    let gone = calm.verdicts.keys().filter(|words| !seen.contains(*words));
    told.other.extend(gone.map(|words| of(&format!("{words}: gone"))));
}

/// The comparison must see a question that was bought again, a page that was fetched again, and another verdict.
fn controls(
    undisturbed: &BTreeMap<(CheckedCommand, CheckJudgeLocation), UndisturbedCheck>,
    place: &Path,
) -> anyhow::Result<String> {
    let (what, judge) = (CheckedCommand::Verify, CheckJudgeLocation::Paid);
    let calm = undisturbed.get(&(what, judge)).context("no census")?;
    let stage = CheckKillTestBed::open(place, what, judge)?;
    stage.begin(None)?;
    let (ended, ledger) = (stage.journal_state()?, stage.ledger()?);
    let cut = RequestKillPoint { request: 1, moment: KillMoment::BeforeSending };
    let planned = CheckKillPlan { what, judge, first: cut, second: None };
    let look = |kill: &CheckJournalState, ended: &CheckJournalState, ledger: &Ledger| {
        let mut told = CheckKillTally::default();
        compare(&planned, calm, std::slice::from_ref(kill), ended, ledger, &mut told);
        (told.bought_twice.len(), told.fetched_again.len(), told.other.len())
    };
    ensure!(look(&ended, &ended, &ledger) == (0, 0, 0), "the comparison sees ghosts");
    let mut worse = ended.clone();
    worse.judged.values_mut().take(1).for_each(|count| *count += 1);
    let page = ended.stored.first().context("no page was stored")?;
    *worse.fetches.entry(page.clone()).or_default() += 1;
    let mut other = ledger.clone();
    let settled = other.settled.iter_mut().find(|settled| settled.verdict == Verdict::Supported);
    settled.context("nothing is supported")?.verdict = Verdict::Quoted;
    ensure!(look(&ended, &worse, &other) == (1, 1, 1), "the comparison is blind");
    let mut under_way = ended.clone();
    under_way.in_flight.extend(ledger.claims.iter().filter_map(|claim| u32::try_from(claim.id.place()).ok()));
    let (_, _, others) = look(&under_way, &ended, &ledger);
    ensure!(others == ledger.claims.len(), "an answer to a question under way goes unseen");
    Ok("control: a question bought again, a page fetched again, another verdict and an answer that nobody waited for were all seen".to_owned())
}

fn figures(told: &CheckKillTally, wanted: usize, story: &str) -> Vec<Figure> {
    let wrong = [&told.bought_twice, &told.fetched_again, &told.other];
    wrong.iter().flat_map(|lines| lines.iter()).for_each(|line| output::progress(line));
    let enough = told.kills >= wanted;
    let count = |wrong: &[String]| format!("{} over {} kills", wrong.len(), told.kills);
    let note = format!(
        "{} checks, by `verify` and after a research on the web, judge paid and judge on this machine; {} kills with a \
         question under way; {} pages were stored at the moment of a kill; {} planned kills were not reached; {story}",
        told.stories, told.in_flight, told.stored_at_kill, told.not_reached
    );
    let goal = format!("0, at least {wanted} kills");
    vec![
        Figure::judged(
            "questions to a paid judge that were bought twice after a kill",
            enough && told.bought_twice.is_empty(),
            count(&told.bought_twice),
            &goal,
        )
        .with_note(note),
        Figure::judged(
            "cited pages that were stored and fetched again after a kill",
            enough && told.fetched_again.is_empty(),
            count(&told.fetched_again),
            "0",
        ),
        Figure::judged(
            "verdicts that a kill changed, but for paid questions under way, which say `check failed`",
            enough && told.other.is_empty() && told.in_flight > 0,
            count(&told.other),
            "0",
        )
        .with_note(format!(
            "{} claims say that their check failed because their paid question was under way; {} more stand on their page word \
             for word and say `quoted`, with the failed check beside it",
            told.failed, told.quoted
        )),
    ]
}
