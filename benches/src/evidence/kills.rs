//! Kills the real program while it checks a text, takes it up, and compares with what nobody disturbed: what was paid
//! is not paid again, what is stored is not fetched again, and no verdict is another one.

mod story;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use anyhow::{Context as _, ensure};
use probity_research::ledger::{Ledger, Verdict};

use self::story::{CheckJournalState, CheckJudgeLocation, CheckKillTestBed, CheckKind, CheckedCommand};
use super::seeded_random::SeededRandom;
use crate::{
    figure::{Figure, FigureVerdict, MeasurementSize},
    foundation::{kill_sweep::memory_folder, parallel_trials::run_in_parallel},
    kill_harness::{
        KillTally,
        kill_proxy::{KillMoment, RequestKillPoint},
        requests::{RequestKillPlan, StoryStep, kill_and_resume},
    },
};

/// Kinds of faults: questions bought again, pages fetched again, verdicts that are others.
const TWICE: &str = "bought twice";
const AGAIN: &str = "fetched again";
const OTHER: &str = "other";
const SIDE_BY_SIDE: usize = 3;
const SEED: u64 = 0x4B49_4C4C_4348_4543;
/// Requests do not come in the same order in every run, so some points are never reached.
const SLACK_PERCENT: usize = 140;
/// Every fourth story is killed twice: the process that takes it up too.
const TWICE_EVERY: usize = 4;
/// Said of a claim whose paid question was under way.
const UNCERTAIN: &str = "it was not asked again";
const LATER_MS_MAX: usize = 30;

const KINDS: [CheckKind; 4] = [
    (CheckedCommand::Verify, CheckJudgeLocation::Paid),
    (CheckedCommand::Web, CheckJudgeLocation::Paid),
    (CheckedCommand::Verify, CheckJudgeLocation::Local),
    (CheckedCommand::Web, CheckJudgeLocation::Local),
];

type CheckKillPlan = (CheckKind, RequestKillPlan);

/// What nobody disturbed.
struct UndisturbedCheck {
    /// Verdict and reason by the words of the claim.
    verdicts: BTreeMap<String, Verdict>,
    requests: usize,
    calls: usize,
}

pub fn measure(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let wanted = size.pick(8, 60);
    let folder = memory_folder()?;
    let mut undisturbed = BTreeMap::new();
    for kind in KINDS {
        undisturbed.insert(kind, census(&folder.path().join(format!("{kind:?}")), kind)?);
    }
    let planned = plan(&undisturbed, wanted * SLACK_PERCENT / 100);
    let told = run_in_parallel("kill", SIDE_BY_SIDE, &planned, folder.path(), |planned, place| {
        let calm = undisturbed.get(&planned.0).context("no census")?;
        one(planned, calm, place).with_context(|| format!("{planned:?}"))
    })?;
    let control = controls(&undisturbed, &folder.path().join("control"))?;
    let calm: Vec<String> = undisturbed
        .iter()
        .map(|((what, judge), calm)| {
            format!("{what:?} {judge:?}: {} requests, {} to the judge", calm.requests, calm.calls)
        })
        .collect();
    let all = KillTally::sum(told);
    all.print_faults();
    Ok(figures(&all, wanted, planned.len(), &format!("undisturbed: {}; {control}", calm.join(", "))))
}

fn verdicts(ledger: &Ledger) -> BTreeMap<String, Verdict> {
    let settled = ledger.claims.iter().zip(&ledger.settled);
    settled.map(|(claim, settled)| (claim.words.clone(), settled.verdict.clone())).collect()
}

fn census(place: &Path, kind: CheckKind) -> anyhow::Result<UndisturbedCheck> {
    let stage = CheckKillTestBed::open(place, kind)?;
    stage.step(StoryStep::Begin, None)?;
    let requests = stage.proxy.requests();
    let held = stage.journal_state()?;
    let ledger = stage.ledger()?;
    let calls = held.judged.values().sum();
    ensure!(held.ended && calls > 1, "an undisturbed check fails or asks nobody: {kind:?} {held:?}");
    let verdicts = verdicts(&ledger);
    let supported = verdicts.values().filter(|verdict| **verdict == Verdict::Supported).count();
    ensure!(supported > 1, "nothing is supported, so nothing can get lost: {verdicts:?}");
    Ok(UndisturbedCheck { verdicts, requests, calls })
}

/// Random moments while a text is checked: of a research on the web, those after it was written.
fn plan(undisturbed: &BTreeMap<CheckKind, UndisturbedCheck>, stories: usize) -> Vec<CheckKillPlan> {
    let mut random = SeededRandom::seeded(SEED);
    let mut planned = Vec::new();
    for story in 0..stories {
        let Some(kind) = KINDS.get(story % KINDS.len()).copied() else { continue };
        let Some(calm) = undisturbed.get(&kind) else { continue };
        // Half of the kills of a check are among the calls to the judge, which come last.
        let judging = kind.0 == CheckedCommand::Web || random.chance(0.5);
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
        let first =
            RequestKillPoint { request: before + 1 + random.below(among), moment: first, words: None };
        let second = RequestKillPoint { request: 1 + random.below(2), moment: second, words: None };
        let second = story.is_multiple_of(TWICE_EVERY).then_some(second);
        planned.push((kind, RequestKillPlan { first, second }));
    }
    planned
}

fn one(planned: &CheckKillPlan, calm: &UndisturbedCheck, place: &Path) -> anyhow::Result<KillTally> {
    let stage = CheckKillTestBed::open(place, planned.0)?;
    let story = kill_and_resume(&planned.1, |step, point| stage.step(step, point), || stage.journal_state())?;
    let mut told = KillTally::default();
    // A kill before anything was written down leaves nothing to take up: the text was never accepted.
    let ended = stage.journal_state()?;
    let unaccepted = story.kills.last().is_some_and(|kill| !kill.checking && kill.stored.is_empty());
    if ended.ended || !unaccepted {
        ensure!(ended.ended, "a check did not end");
        compare(planned.0.1, calm, &story.kills, &ended, &stage.ledger()?, &mut told);
    }
    Ok(told.of_story(&format!("{planned:?}"), &story))
}

fn compare(
    judge: CheckJudgeLocation,
    calm: &UndisturbedCheck,
    kills: &[CheckJournalState],
    ended: &CheckJournalState,
    ledger: &Ledger,
    told: &mut KillTally,
) {
    let is_paid = judge == CheckJudgeLocation::Paid;
    for (prompt, count) in ended.judged.iter().filter(|(_, count)| is_paid && **count > 1) {
        told.fault(TWICE, format!("{prompt} was bought {count} times"));
    }
    for kill in kills {
        told.count("in flight", usize::from(!kill.in_flight.is_empty()));
        told.count("stored at kill", kill.stored.len());
        for page in &kill.stored {
            let count = |held: &CheckJournalState| held.fetches.get(page).copied().unwrap_or(0);
            if count(ended) > count(kill) {
                told.fault(AGAIN, page.clone());
            }
        }
    }
    let uncertain: BTreeSet<u32> =
        kills.iter().filter(|_| is_paid).flat_map(|kill| kill.in_flight.iter().copied()).collect();
    let mut seen = BTreeSet::new();
    for (claim, settled) in ledger.claims.iter().zip(&ledger.settled) {
        seen.insert(claim.words.clone());
        let in_flight = u32::try_from(claim.id.place()).is_ok_and(|place| uncertain.contains(&place));
        let as_before = calm.verdicts.get(&claim.words) == Some(&settled.verdict);
        let failed = matches!(&settled.verdict, Verdict::CheckFailed { why } if why.contains(UNCERTAIN));
        // What stands on the page word for word stands there whether a judge answers or not; the failed check is beside it.
        let says_so = ledger.checks_of(claim.id).any(|check| check.reason.contains(UNCERTAIN));
        let quoted = settled.verdict == Verdict::Quoted && says_so;
        told.count("quoted", usize::from(in_flight && quoted));
        told.count("failed", usize::from(in_flight && failed));
        if (in_flight && !failed && !quoted) || (!in_flight && !as_before) {
            let was = calm.verdicts.get(&claim.words);
            let (words, now) = (&claim.words, &settled.verdict);
            told.fault(OTHER, format!("{words}: {now} instead of {was:?}, under way: {in_flight}"));
        }
    }
    for words in calm.verdicts.keys().filter(|words| !seen.contains(*words)) {
        told.fault(OTHER, format!("{words}: gone"));
    }
}

/// The comparison must see a question that was bought again, a page that was fetched again, and another verdict.
fn controls(undisturbed: &BTreeMap<CheckKind, UndisturbedCheck>, place: &Path) -> anyhow::Result<String> {
    let kind = (CheckedCommand::Verify, CheckJudgeLocation::Paid);
    let calm = undisturbed.get(&kind).context("no census")?;
    let stage = CheckKillTestBed::open(place, kind)?;
    stage.step(StoryStep::Begin, None)?;
    let (ended, ledger) = (stage.journal_state()?, stage.ledger()?);
    let look = |kill: &CheckJournalState, ended: &CheckJournalState, ledger: &Ledger| {
        let mut told = KillTally::default();
        compare(kind.1, calm, std::slice::from_ref(kill), ended, ledger, &mut told);
        (told.wrong(TWICE), told.wrong(AGAIN), told.wrong(OTHER))
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

fn figures(told: &KillTally, wanted: usize, stories: usize, story: &str) -> Vec<Figure> {
    let figure = |name: &str, kind: &str, goal: &str| told.figure(name, kind, wanted, "kills", goal);
    let [in_flight, stored, failed, quoted] =
        ["in flight", "stored at kill", "failed", "quoted"].map(|what| told.get(what));
    let mut other = figure(
        "verdicts that a kill changed, but for paid questions under way, which say `check failed`",
        OTHER,
        "0",
    )
    .with_note(format!(
        "{failed} claims say that their check failed because their paid question was under way; {quoted} more stand on their \
         page word for word and say `quoted`, with the failed check beside it"
    ));
    if in_flight == 0 {
        other.verdict = FigureVerdict::Short;
    }
    vec![
        figure(
            "questions to a paid judge that were bought twice after a kill",
            TWICE,
            &format!("0, at least {wanted} kills"),
        )
        .with_note(format!(
            "{stories} checks, by `verify` and after a research on the web, judge paid and judge on this machine; {in_flight} \
             kills with a question under way; {stored} pages were stored at the moment of a kill; {} planned kills were not \
             reached; {story}",
            told.not_reached
        )),
        figure("cited pages that were stored and fetched again after a kill", AGAIN, "0"),
        other,
    ]
}
