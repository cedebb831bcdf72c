//! Kills the real program in the middle of a research on the web engine, starts it again, and compares the journal
//! with what the outside world counted: pages fetched, searches and model calls paid.
//!
//! A wire between the program and the world counts its requests, so that each kill has a place: before a request
//! leaves, after it was answered and before the answer arrives, or milliseconds later.

mod journal;
mod judge;
pub mod kill_proxy;
mod story;

use std::path::Path;

use anyhow::{Context as _, ensure};

use self::{
    judge::{GatherKillJudgement, KillRecord, OutsideCounts, judge},
    kill_proxy::{KillMoment, RequestKillPoint},
    story::{GatherKillTestBed, ProcessEnd, ids},
};
use crate::{
    figure::{Figure, MeasurementSize},
    foundation::{kill_sweep::memory_folder, parallel_trials::run_in_parallel},
    output,
};

const AGAIN: &str = "stored pages that were fetched again after a kill";
const UNRECORDED: &str = "paid searches and model calls without a record after a kill";
const LOST: &str = "researches, events or reports lost by a kill";
/// Stories that run side by side; most of one is waiting.
const SIDE_BY_SIDE: usize = 3;
/// Requests do not come in the same order in every run, so some points are never reached.
const SLACK: f64 = 1.25;
/// Every third story is killed twice: the process that takes it up too.
const TWICE_EVERY: usize = 3;
const MOMENTS: [KillMoment; 5] = [
    KillMoment::BeforeSending,
    KillMoment::AnswerLost,
    KillMoment::AfterAnswer(0),
    KillMoment::AfterAnswer(4),
    KillMoment::AfterAnswer(20),
];

/// One story: where the first process is killed, and perhaps where the second one is.
#[derive(Debug, Clone, Copy)]
struct GatherKillPlan {
    first: RequestKillPoint,
    second: Option<RequestKillPoint>,
}

pub fn measure(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let wanted = size.pick(20, 120);
    let folder = memory_folder()?;
    let requests = census(&folder.path().join("census"))?;
    let planned = plan(requests, (f64::from(wanted) * SLACK / 1.2).ceil() as usize);
    output::progress(&format!("{requests} requests in an undisturbed research; {} stories", planned.len()));
    let told = run_in_parallel("story", SIDE_BY_SIDE, &planned, folder.path(), |planned, place| {
        one(planned, place).with_context(|| format!("{planned:?}"))
    })?;
    let control = controls(&folder.path().join("control"))?;
    let mut all = GatherKillTally::default();
    told.into_iter().for_each(|told| all.add(told));
    Ok(figures(&all, wanted as usize, requests, &control))
}

#[derive(Debug, Default)]
struct GatherKillTally {
    stories: usize,
    kills: usize,
    not_reached: usize,
    judged: GatherKillJudgement,
}

impl GatherKillTally {
    fn add(&mut self, other: Self) {
        self.stories += other.stories;
        self.kills += other.kills;
        self.not_reached += other.not_reached;
        self.judged.add(other.judged);
    }
}

/// How many requests a research makes that nobody disturbs; the judge must find it without fault.
fn census(place: &Path) -> anyhow::Result<usize> {
    let stage = GatherKillTestBed::open(place)?;
    let ran = stage.ask(None)?;
    let requests = stage.guillotine.requests();
    let (ended, world) = (stage.journals()?, OutsideCounts::of(&stage.simulator)?);
    let judged = judge(&ids(&[&ran]), &[], &ended, &world);
    ensure!(
        judged.completed == 1 && judged.lost.is_empty(),
        "an undisturbed research fails: {judged:?}\n{}",
        ran.stderr
    );
    ensure!(judged.unrecorded.is_empty(), "the judge sees ghosts: {:?}", judged.unrecorded);
    ensure!(world.fetches.len() > 2 && world.paid.len() > 3, "the world was hardly asked: {world:?}");
    Ok(requests)
}

/// Points spread over all requests and all moments.
fn plan(requests: usize, stories: usize) -> Vec<GatherKillPlan> {
    let all = requests * MOMENTS.len();
    let cut = |place: usize| {
        let moment = MOMENTS.get(place % MOMENTS.len()).copied().unwrap_or(KillMoment::BeforeSending);
        RequestKillPoint { request: 1 + place / MOMENTS.len() % requests.max(1), moment }
    };
    let planned = |story: usize| {
        // Shifted by one per round, so that further rounds take the moments that the first left out.
        let place = story * all / stories.max(1) + story % MOMENTS.len();
        let twice = story.is_multiple_of(TWICE_EVERY);
        // The second process has less to do: its kill comes among its first requests.
        GatherKillPlan {
            first: cut(place),
            second: twice.then(|| RequestKillPoint { request: 1 + story % 5, ..cut(place + 2) }),
        }
    };
    (0..stories).map(planned).collect()
}

fn one(planned: &GatherKillPlan, place: &Path) -> anyhow::Result<GatherKillTally> {
    let stage = GatherKillTestBed::open(place)?;
    let mut kills: Vec<KillRecord> = Vec::new();
    let mut ran = vec![stage.ask(Some(planned.first))?];
    let mut planned_kills = 1;
    let is_killed = |ran: &[ProcessEnd]| ran.last().is_some_and(|ran| ran.killed);
    if is_killed(&ran) {
        kills.push(stage.kill()?);
        if planned.second.is_some() {
            planned_kills += 1;
            ran.push(stage.resume(planned.second)?);
            if is_killed(&ran) {
                kills.push(stage.kill()?);
            }
        }
    }
    if is_killed(&ran) {
        ran.push(stage.resume(None)?);
    }
    let ended = stage.journals()?;
    let told = ids(&ran.iter().collect::<Vec<_>>());
    let mut judged = judge(&told, &kills, &ended, &OutsideCounts::of(&stage.simulator)?);
    if !stage.shows_reports(&ended)? {
        judged.lost.push("a report that nobody is shown".to_owned());
    }
    judged.wrong().for_each(|line| *line = format!("{planned:?}: {line}"));
    Ok(GatherKillTally { stories: 1, kills: kills.len(), not_reached: planned_kills - kills.len(), judged })
}

/// The judge must see a page fetched again, a search and a model call paid behind the journal's back, and a loss.
fn controls(place: &Path) -> anyhow::Result<String> {
    let stage = GatherKillTestBed::open(place)?;
    let ran = stage.ask(None)?;
    let kill = stage.kill()?;
    let told = ids(&[&ran]);
    let judged = || -> anyhow::Result<GatherKillJudgement> {
        let kill = KillRecord { journals: kill.journals.clone(), world: kill.world.clone() };
        Ok(judge(&told, &[kill], &stage.journals()?, &OutsideCounts::of(&stage.simulator)?))
    };
    let clean = judged()?;
    ensure!(
        clean.fetched_again.is_empty() && clean.unrecorded.is_empty(),
        "the judge sees ghosts: {clean:?}"
    );

    let page = kill.journals.values().flat_map(|held| &held.stored).next().context("no page was stored")?;
    let (host, path) =
        page.trim_start_matches("http://").split_once('/').context("an address without a path")?;
    stage.plant(&format!("GET /{path} HTTP/1.1\r\nhost: {host}"), "")?;
    ensure!(judged()?.fetched_again.len() == 1, "the judge is blind for a page that is fetched again");

    let query = kill.journals.values().flat_map(|held| held.answered.keys()).find_map(|paid| match paid {
        journal::PaidCall::Search(query) => Some(query.clone()),
        journal::PaidCall::Model(_) => None,
    });
    let query = query.context("no search was recorded")?;
    let body = serde_json::json!({"query": query}).to_string();
    let head = "POST /search-api/tavily/search HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer tvly-simulated\r\ncontent-type: application/json";
    stage.plant(head, &body)?;
    ensure!(judged()?.unrecorded.len() == 1, "the judge is blind for a search that is paid again");

    let body = serde_json::json!({
        "model": "gpt-5",
        "messages": [{"role": "user", "content": "Page:\nanother one"}],
        "response_format": {"type": "json_schema", "json_schema": {"name": "read", "schema": {}}},
    });
    let head = "POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json";
    stage.plant(head, &body.to_string())?;
    ensure!(judged()?.unrecorded.len() == 2, "the judge is blind for a model call that no journal tells of");

    stage.forget_everything()?;
    ensure!(
        !judge(&told, &[], &stage.journals()?, &OutsideCounts::default()).lost.is_empty(),
        "the judge is blind for a loss"
    );
    Ok("control: a planted second fetch, a planted search, a planted model call and a planted loss were all seen".to_owned())
}

fn figures(told: &GatherKillTally, wanted: usize, requests: usize, control: &str) -> Vec<Figure> {
    let GatherKillTally { stories, kills, not_reached, judged } = told;
    let wrong = [&judged.fetched_again, &judged.unrecorded, &judged.lost];
    wrong.iter().flat_map(|lines| lines.iter()).for_each(|line| output::progress(line));
    let enough = *kills >= wanted;
    let goal = format!("0, at least {wanted} kills");
    let count = |wrong: &[String]| format!("{} over {kills} kills", wrong.len());
    let story = format!(
        "{stories} researches of about {requests} requests each, {} completed; {} pages were stored at the moment of a kill; {} page requests in all; {not_reached} planned kills were not reached; {control}",
        judged.completed, judged.stored_at_kill, judged.pages
    );
    let payments = format!(
        "{} searches and model calls charged, {} of them again for the same words; {} recorded as perhaps paid, {} of those never sent",
        judged.charged, judged.repeated, judged.perhaps_paid, judged.never_sent
    );
    vec![
        Figure::judged(AGAIN, enough && judged.fetched_again.is_empty(), count(&judged.fetched_again), &goal)
            .with_note(story),
        Figure::judged(UNRECORDED, enough && judged.unrecorded.is_empty(), count(&judged.unrecorded), "0")
            .with_note(payments),
        Figure::judged(LOST, enough && judged.lost.is_empty(), count(&judged.lost), "0"),
    ]
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{MOMENTS, plan};

    #[test]
    fn every_moment_and_the_whole_research_are_planned() {
        let planned = plan(22, 120);
        let moments: BTreeSet<String> =
            planned.iter().map(|planned| format!("{:?}", planned.first.moment)).collect();
        let requests: BTreeSet<usize> = planned.iter().map(|planned| planned.first.request).collect();
        assert_eq!((moments.len(), requests.len()), (MOMENTS.len(), 22));
        assert!(planned.iter().filter(|planned| planned.second.is_some()).count() >= 40);
    }
}
