//! As deep as a question needs: the level for a table of goals, and how near a run stops, in seeded worlds, to the
//! attempt after which more would not help.
//!
//! A world has facts on pages of several origins. What the queries of one attempt find is decided by the seed: new
//! pages while there are any, and always also pages that were read, copies of them, other sites that repeat in their
//! own words what is known (now and then with a value that only looks new, as readers return them), and pages that
//! say nothing to the question. Searches fail. Nothing here looks at the rules that are measured.

mod drive;

use self::drive::StrategyRun;
use super::promises;
use crate::{
    figure::{Figure, MeasurementSize},
    simulation::simulation_random::SimulationRandom,
};

const WORLDS: u64 = 200;
/// No world needs as many; a research that never stopped would use them all.
pub const ATTEMPTS_MAX: u32 = 10;
/// Attempts in which every search fails, and single searches that fail, in percent.
const OUTAGE_PERCENT: u64 = 10;
const FAILURE_PERCENT: u64 = 5;
/// Pages beside the new ones, in any attempt.
const CHAFF_PAGES: std::ops::Range<u64> = 0..6;
/// Pages that repeat what is known and carry a value that only looks new, in percent.
const STRAY_PERCENT: u64 = 15;
/// Worlds in which one part of the question has no answer anywhere, in percent.
const UNANSWERABLE_PERCENT: u64 = 15;
const PARTS: std::ops::Range<u64> = 2..5;
const USEFUL_ATTEMPTS: std::ops::Range<u64> = 1..7;
const FIRST_PAGES: std::ops::Range<u64> = 4..9;
const FACTS_OF_PAGE: std::ops::Range<u64> = 1..4;
/// What an attempt finds, in percent of the one before it.
const DECAY_PERCENT: std::ops::Range<u64> = 45..100;
/// Share of worlds that must stop near the point, and share that must find their answer first. Not all can: what a
/// world's last useful attempt finds may be no more than what looks new on a page that repeats what is known.
const WORLDS_PERCENT: usize = 95;
/// Attempts between the first useless one and the last one made.
const DISTANCE_MAX: i64 = 1;

#[derive(Debug, Clone)]
pub struct ScriptedPage {
    pub url: String,
    /// The part of the question it speaks to.
    pub part: usize,
    pub text: String,
}

/// What one attempt's queries find when its searches work, besides what earlier ones found.
#[derive(Debug, Clone, Default)]
pub struct PageBatch {
    pub fresh: Vec<ScriptedPage>,
    /// Copies on other sites, sites that repeat what is known, and pages that say nothing.
    pub chaff: Vec<ScriptedPage>,
}

#[derive(Debug)]
pub struct ScriptedWorld {
    pub parts: usize,
    pub batches: Vec<PageBatch>,
    /// The sentence that answers the question, and the working attempt that finds it, from 1.
    pub answer: String,
    pub answer_at: usize,
    /// The last working attempt that finds a planned fact, from 1.
    pub last_useful: usize,
    /// Whether all searches of an attempt fail, by attempt.
    pub outages: Vec<bool>,
    pub dice: SimulationRandom,
}

pub fn measure(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let mut figures = promises::strategy(size)?;
    figures.extend(world_figures()?);
    Ok(figures)
}

fn world_figures() -> anyhow::Result<Vec<Figure>> {
    let worlds: Vec<ScriptedWorld> = (0..WORLDS).map(world).collect();
    let mut ran: Vec<StrategyRun> = Vec::new();
    for world in &worlds {
        ran.push(drive::run(world)?);
    }
    let fixed = |attempts: u32| -> Vec<StrategyRun> {
        worlds.iter().map(|world| drive::fixed(world, attempts)).collect()
    };
    let judged = StrategyJudgement::of(&worlds, &ran);
    let rivals: Vec<String> = [1, 2, 4, 6, ATTEMPTS_MAX]
        .into_iter()
        .map(|attempts| {
            format!("{attempts} attempts: {}", StrategyJudgement::of(&worlds, &fixed(attempts)).spent())
        })
        .collect();
    let (hasty, endless) =
        (StrategyJudgement::of(&worlds, &fixed(1)), StrategyJudgement::of(&worlds, &fixed(ATTEMPTS_MAX)));
    Ok(vec![
        Figure::judged(
            "strategy: worlds whose research stops within one attempt of the first useless one",
            judged.near * 100 >= worlds.len() * WORLDS_PERCENT,
            format!("{} of {}", judged.near, worlds.len()),
            "at least 95 %",
        )
        .with_note(format!("next_step and react, with a scripted outside; {}", judged.distances())),
        Figure::judged(
            "strategy: worlds that have their answer before the research stops",
            judged.answered * 100 >= worlds.len() * WORLDS_PERCENT,
            format!("{} of {}", judged.answered, worlds.len()),
            "at least 95 %",
        ),
        Figure::judged(
            "strategy: searches spent, and answers had, compared with a fixed number of attempts",
            judged.searches < endless.searches,
            judged.spent(),
            "fewer than with all attempts",
        )
        .with_note(rivals.join("; ")),
        Figure::judged(
            "strategy: researches that stop too early or never are seen",
            hasty.answered * 100 < worlds.len() * WORLDS_PERCENT
                && endless.near * 100 < worlds.len() * WORLDS_PERCENT,
            format!("too early: {} answered; never: {} near", hasty.answered, endless.near),
            "both fall short of the goals above",
        ),
    ])
}

struct StrategyJudgement {
    worlds: usize,
    near: usize,
    answered: usize,
    searches: usize,
    /// How many worlds stopped so many attempts after the last useful one.
    distances: std::collections::BTreeMap<i64, usize>,
}

impl StrategyJudgement {
    fn of(worlds: &[ScriptedWorld], ran: &[StrategyRun]) -> Self {
        let mut judged = Self {
            worlds: worlds.len(),
            near: 0,
            answered: 0,
            searches: 0,
            distances: std::collections::BTreeMap::new(),
        };
        for (world, ran) in worlds.iter().zip(ran) {
            let after = ran.worked as i64 - world.last_useful as i64;
            *judged.distances.entry(after).or_default() += 1;
            judged.near += usize::from((after - 1).abs() <= DISTANCE_MAX);
            judged.answered += usize::from(ran.answered);
            judged.searches += ran.searches;
        }
        judged
    }

    fn spent(&self) -> String {
        format!("{} searches, {} answered", self.searches, self.answered)
    }

    fn distances(&self) -> String {
        let told = |(after, worlds): (&i64, &usize)| format!("{after:+}: {worlds}");
        let list = self.distances.iter().map(told).collect::<Vec<String>>().join(", ");
        format!("attempts after the last useful one, in {} worlds: {list}", self.worlds)
    }
}

fn world(seed: u64) -> ScriptedWorld {
    let dice = SimulationRandom::new(seed);
    let parts = dice.within(PARTS) as usize;
    let last_useful = dice.within(USEFUL_ATTEMPTS) as usize;
    let answer_at = 1 + dice.within(0..last_useful as u64) as usize;
    let unanswerable = dice.chance(UNANSWERABLE_PERCENT).then(|| parts - 1);
    let mut maker = ScriptedWorldMaker { seed, dice: dice.clone(), parts, unanswerable, pages: 0, facts: 0 };
    let answer =
        format!("The figure that was asked for is {} in world {seed}.", 100_000 + dice.within(0..900_000));
    let mut batches: Vec<PageBatch> = Vec::new();
    let mut pages = dice.within(FIRST_PAGES);
    for attempt in 1..=ATTEMPTS_MAX as usize {
        let mut batch = PageBatch::default();
        if attempt <= last_useful {
            batch.fresh = (0..pages).map(|_| maker.page(FACTS_OF_PAGE)).collect();
            pages = (pages * dice.within(DECAY_PERCENT) / 100).max(1);
        }
        if attempt == answer_at
            && let Some(page) = batch.fresh.first_mut()
        {
            page.text.push_str(&format!("\n{answer}"));
        }
        let read: Vec<ScriptedPage> = batches.iter().flat_map(|batch| batch.fresh.clone()).collect();
        batch.chaff = (0..dice.within(CHAFF_PAGES)).filter_map(|_| maker.chaff(&read)).collect();
        batches.push(batch);
    }
    let outages = (0..ATTEMPTS_MAX).map(|_| dice.chance(OUTAGE_PERCENT)).collect();
    ScriptedWorld { parts, batches, answer, answer_at, last_useful, outages, dice }
}

struct ScriptedWorldMaker {
    seed: u64,
    dice: SimulationRandom,
    parts: usize,
    unanswerable: Option<usize>,
    pages: usize,
    facts: usize,
}

impl ScriptedWorldMaker {
    fn page(&mut self, facts: std::ops::Range<u64>) -> ScriptedPage {
        let answerable = self.parts - usize::from(self.unanswerable.is_some());
        let part = self.dice.within(0..answerable as u64) as usize;
        let mut text = self.words(40);
        for _ in 0..self.dice.within(facts) {
            self.facts += 1;
            let value = self.seed * 1_000 + self.facts as u64;
            text.push_str(&format!("\nThe figure for {} is {value} according to this page.", self.words(3)));
        }
        ScriptedPage { url: self.url(), part, text }
    }

    fn chaff(&mut self, read: &[ScriptedPage]) -> Option<ScriptedPage> {
        let original = self.dice.pick(read)?.clone();
        let url = self.url();
        match self.dice.within(0..3) {
            0 => Some(ScriptedPage { url, text: self.words(60), ..original }),
            1 => {
                Some(ScriptedPage { url, text: format!("{}\n{}", self.words(6), original.text), ..original })
            }
            _ => Some(ScriptedPage { url, text: self.repeated(&original), ..original }),
        }
    }

    /// The figures of a page in other words.
    fn repeated(&mut self, original: &ScriptedPage) -> String {
        let figures = original.text.lines().filter_map(|line| line.split(' ').find(|word| is_figure(word)));
        let mut text = self.words(40);
        for figure in figures {
            text.push_str(&format!("\nThe figure of {} for {} is {figure}.", self.words(2), self.words(2)));
        }
        if self.dice.chance(STRAY_PERCENT) {
            self.facts += 1;
            let value = self.seed * 1_000 + self.facts as u64;
            text.push_str(&format!("\nThe figure of visitors is {value}."));
        }
        text
    }

    /// Some sites have two pages.
    fn url(&mut self) -> String {
        self.pages += 1;
        format!("https://site{}.example/page{}", self.pages * 4 / 5, self.pages)
    }

    fn words(&self, count: usize) -> String {
        let word = |_| (0..7).map(|_| char::from(b'a' + self.dice.within(0..26) as u8)).collect::<String>();
        (0..count).map(word).collect::<Vec<String>>().join(" ")
    }
}

impl ScriptedWorld {
    /// Whether this one search fails; drawn anew each time.
    pub fn search_fails(&self) -> bool {
        self.dice.chance(FAILURE_PERCENT)
    }
}

pub fn is_figure(word: &str) -> bool {
    word.starts_with(|character: char| character.is_ascii_digit())
}
