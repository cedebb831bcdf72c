//! Kills the real program in the middle of a research on the web engine, starts it again, and compares the journal
//! with what the outside world counted: pages fetched, searches and model calls paid.
//!
//! A wire between the program and the world counts its requests, so that each kill has a place: before a request
//! leaves, after it was answered and before the answer arrives, or milliseconds later.

mod judge;
mod story;

pub use self::story::KilledEngine;

use std::path::Path;

use anyhow::{Context as _, ensure};

use self::{
    judge::{AGAIN, KillRecord, LOST, OutsideCounts, PaidCall, UNRECORDED, judge},
    story::{GatherKillTestBed, ids},
};
use crate::{
    figure::{Figure, MeasurementSize},
    foundation::{kill_sweep::memory_folder, parallel_trials::run_in_parallel},
    kill_harness::{
        KillTally,
        kill_proxy::{KillMoment, RequestKillPoint},
        requests::{RequestKillPlan, StoryStep, kill_and_resume},
    },
    output,
};

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

/// Stages of the second engine, each with words that stand in its requests only.
const STAGES: [(&str, &str); 9] = [
    ("brief", r#""json_schema":{"name":"brief""#),
    ("line", r#""json_schema":{"name":"line""#),
    ("search", "/search-api/"),
    ("page", "GET /bridge"),
    ("survey", r#""json_schema":{"name":"survey""#),
    ("outline", r#""json_schema":{"name":"outline""#),
    ("section", r#""json_schema":{"name":"section""#),
    ("synthesis", r#""json_schema":{"name":"synthesis""#),
    ("front", r#""json_schema":{"name":"front""#),
];

pub fn measure(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    sweep(KilledEngine::First, size.pick(20, 120))
}

/// Kills this many researches of either engine.
pub fn sweep(engine: KilledEngine, wanted: u32) -> anyhow::Result<Vec<Figure>> {
    let folder = memory_folder()?;
    let requests = census(engine, &folder.path().join("census"))?;
    let planned = plan(requests, (f64::from(wanted) * SLACK / 1.2).ceil() as usize);
    output::progress(&format!("{requests} requests in an undisturbed research; {} stories", planned.len()));
    let tell = |stories: &[RequestKillPlan], place: &Path| {
        run_in_parallel("story", SIDE_BY_SIDE, stories, place, |planned, place| {
            one(engine, planned, place).with_context(|| format!("{planned:?}"))
        })
    };
    let mut told = tell(&planned, folder.path())?;
    // Stages of one or two requests lie between the points that are spread over all of them.
    let missed = match engine {
        KilledEngine::First => Vec::new(),
        KilledEngine::Second => missed_stages(&told),
    };
    told.extend(tell(&missed, &folder.path().join("missed"))?);
    let control = controls(engine, &folder.path().join("control"))?;
    let all = KillTally::sum(told);
    all.print_faults();
    let stories = planned.len() + missed.len();
    let mut figures = figures(&all, wanted as usize, stories, requests, &control);
    if engine == KilledEngine::Second {
        figures.push(stages_figure(&all));
    }
    Ok(figures)
}

/// A story for each stage in which no process was killed: at the first request of that stage.
fn missed_stages(told: &[KillTally]) -> Vec<RequestKillPlan> {
    let at = |words| RequestKillPoint { request: 1, moment: KillMoment::AnswerLost, words: Some(words) };
    STAGES
        .into_iter()
        .filter(|(stage, _)| told.iter().all(|tally| tally.get(stage) == 0))
        .map(|(_, words)| RequestKillPlan { first: at(words), second: None })
        .collect()
}

/// Requests do not come in the same order in every run: which stages are hit is seen afterwards.
fn stages_figure(all: &KillTally) -> Figure {
    let hit = STAGES.iter().filter(|(stage, _)| all.get(stage) > 0).count();
    let each: Vec<String> = STAGES.iter().map(|(stage, _)| format!("{} {stage}", all.get(stage))).collect();
    Figure::judged(
        "stages of a deep research in which its process was killed",
        hit == STAGES.len(),
        format!("{hit} of {}: {}", STAGES.len(), each.join(", ")),
        "all",
    )
    .aim()
}

/// How many requests a research makes that nobody disturbs; the judge must find it without fault.
fn census(engine: KilledEngine, place: &Path) -> anyhow::Result<usize> {
    let stage = GatherKillTestBed::open(engine, place)?;
    let ran = [stage.step(StoryStep::Begin, None)?];
    let requests = stage.proxy.requests();
    let (ended, world) = (stage.journals()?, OutsideCounts::of(&stage.simulator)?);
    let judged = judge(&ids(&ran), &[], &ended, &world);
    ensure!(
        judged.get("completed") == 1 && judged.wrong(LOST) == 0,
        "an undisturbed research fails: {judged:?}\n{}",
        ran.each_ref().map(|ran| ran.stderr.as_str()).concat()
    );
    ensure!(judged.wrong(UNRECORDED) == 0, "the judge sees ghosts: {:?}", judged.faults);
    ensure!(world.fetches.len() > 2 && world.paid.len() > 3, "the world was hardly asked: {world:?}");
    Ok(requests)
}

/// Points spread over all requests and all moments.
fn plan(requests: usize, stories: usize) -> Vec<RequestKillPlan> {
    let all = requests * MOMENTS.len();
    let cut = |place: usize| {
        let moment = MOMENTS.get(place % MOMENTS.len()).copied().unwrap_or(KillMoment::BeforeSending);
        RequestKillPoint { request: 1 + place / MOMENTS.len() % requests.max(1), moment, words: None }
    };
    let planned = |story: usize| {
        // Shifted by one per round, so that further rounds take the moments that the first left out.
        let place = story * all / stories.max(1) + story % MOMENTS.len();
        let twice = story.is_multiple_of(TWICE_EVERY);
        // The second process has less to do: its kill comes among its first requests.
        RequestKillPlan {
            first: cut(place),
            second: twice.then(|| RequestKillPoint { request: 1 + story % 5, ..cut(place + 2) }),
        }
    };
    (0..stories).map(planned).collect()
}

fn one(engine: KilledEngine, planned: &RequestKillPlan, place: &Path) -> anyhow::Result<KillTally> {
    let stage = GatherKillTestBed::open(engine, place)?;
    let story = kill_and_resume(planned, |step, point| stage.step(step, point), || stage.kill())?;
    let ended = stage.journals()?;
    let mut judged = judge(&ids(&story.ends), &story.kills, &ended, &OutsideCounts::of(&stage.simulator)?);
    if !stage.shows_reports(&ended)? {
        judged.fault(LOST, "a report that nobody is shown".to_owned());
    }
    Ok(judged.of_story(&format!("{planned:?}"), &story))
}

/// The judge must see a page fetched again, a search and a model call paid behind the journal's back, and a loss.
fn controls(engine: KilledEngine, place: &Path) -> anyhow::Result<String> {
    let stage = GatherKillTestBed::open(engine, place)?;
    let told = ids(&[stage.step(StoryStep::Begin, None)?]);
    let kill = stage.kill()?;
    let judged = || -> anyhow::Result<KillTally> {
        let kills: &[KillRecord] = std::slice::from_ref(&kill);
        Ok(judge(&told, kills, &stage.journals()?, &OutsideCounts::of(&stage.simulator)?))
    };
    let clean = judged()?;
    ensure!(clean.wrong(AGAIN) + clean.wrong(UNRECORDED) == 0, "the judge sees ghosts: {clean:?}");

    let page = kill.journals.values().flat_map(|held| &held.stored).next().context("no page was stored")?;
    let (host, path) =
        page.trim_start_matches("http://").split_once('/').context("an address without a path")?;
    stage.plant(&format!("GET /{path} HTTP/1.1\r\nhost: {host}"), "")?;
    ensure!(judged()?.wrong(AGAIN) == 1, "the judge is blind for a page that is fetched again");

    let query = kill.journals.values().flat_map(|held| held.answered.keys()).find_map(|paid| match paid {
        PaidCall::Search(query) => Some(query.clone()),
        PaidCall::Model(_) => None,
    });
    let query = query.context("no search was recorded")?;
    let body = serde_json::json!({"query": query}).to_string();
    let head = "POST /search-api/tavily/search HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer tvly-simulated\r\ncontent-type: application/json";
    stage.plant(head, &body)?;
    ensure!(judged()?.wrong(UNRECORDED) == 1, "the judge is blind for a search that is paid again");

    let body = serde_json::json!({
        "model": "gpt-5",
        "messages": [{"role": "user", "content": "Page:\nanother one"}],
        "response_format": {"type": "json_schema", "json_schema": {"name": "read", "schema": {}}},
    });
    let head = "POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json";
    stage.plant(head, &body.to_string())?;
    ensure!(judged()?.wrong(UNRECORDED) == 2, "the judge is blind for a model call that no journal tells of");

    stage.forget_everything()?;
    ensure!(
        judge(&told, &[], &stage.journals()?, &OutsideCounts::default()).wrong(LOST) > 0,
        "the judge is blind for a loss"
    );
    Ok("control: a planted second fetch, a planted search, a planted model call and a planted loss were all seen".to_owned())
}

fn figures(told: &KillTally, wanted: usize, stories: usize, requests: usize, control: &str) -> Vec<Figure> {
    let figure = |name: &str, kind: &str, goal: &str| told.figure(name, kind, wanted, "kills", goal);
    let [completed, stored, pages] = ["completed", "stored at kill", "pages"].map(|what| told.get(what));
    let [charged, repeated, perhaps, unsent] =
        ["charged", "repeated", "perhaps paid", "never sent"].map(|what| told.get(what));
    vec![
        figure("stored pages that were fetched again after a kill", AGAIN, &format!("0, at least {wanted} kills"))
            .with_note(format!(
                "{stories} researches of about {requests} requests each, {completed} completed; {stored} pages were stored at the moment of a kill; {pages} page requests in all; {} planned kills were not reached; {control}",
                told.not_reached
            )),
        figure("paid searches and model calls without a record after a kill", UNRECORDED, "0").with_note(format!(
            "{charged} searches and model calls charged, {repeated} of them again for the same words; {perhaps} recorded as perhaps paid, {unsent} of those never sent"
        )),
        figure("researches, events or reports lost by a kill", LOST, "0"),
    ]
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{MOMENTS, STAGES, missed_stages, plan};
    use crate::kill_harness::KillTally;

    #[test]
    fn every_moment_and_the_whole_research_are_planned() {
        let planned = plan(22, 120);
        let moments: BTreeSet<String> =
            planned.iter().map(|planned| format!("{:?}", planned.first.moment)).collect();
        let requests: BTreeSet<usize> = planned.iter().map(|planned| planned.first.request).collect();
        assert_eq!((moments.len(), requests.len()), (MOMENTS.len(), 22));
        assert!(planned.iter().filter(|planned| planned.second.is_some()).count() >= 40);
    }

    #[test]
    fn a_stage_that_no_kill_hit_gets_a_story_of_its_own() {
        let mut told = [KillTally::default(), KillTally::default()];
        let hit = STAGES.into_iter().enumerate().filter(|(place, _)| ![1, 5].contains(place));
        for (place, (stage, _)) in hit {
            told[place % 2].count(stage, 1);
        }
        let words: Vec<Option<&str>> =
            missed_stages(&told).iter().map(|planned| planned.first.words).collect();
        assert_eq!(words, [Some(STAGES[1].1), Some(STAGES[5].1)]);
    }
}
