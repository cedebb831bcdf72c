//! The figures of research itself: how much of a closed world a report holds, with which sources, at how many tokens.
//!
//! Every system gets the same worlds, the same question and the same scripted model; see `evals/research/README.md` for
//! what that can show and what not.

mod at_once;
mod inside;
mod parts;
mod peers;
mod planned;
mod runs;
pub mod score;
mod small_window;

use probity_simulator::research::ResearchWorld;

use crate::{
    area::Measurement,
    figure::{Figure, MeasurementSize},
    web::{
        gather_kills::{self, KilledEngine},
        injection,
    },
};
use runs::{SystemRun, depth_runs};
use score::{ReportScore, Scorer, Tally};

pub const MEASUREMENTS: &[Measurement] = &[
    ("oracle", oracle),
    ("engine", engine),
    ("parts", parts::measure),
    ("at_once", at_once::measure),
    ("kills", |size| gather_kills::sweep(KilledEngine::Second, size.pick(8, 60))),
    ("small_window", small_window::measure),
    ("prices", planned::prices),
    ("depths", planned::depths),
    ("hostile", injection::measure_second_engine),
    ("peers", peers::measure),
];

/// Parts of a measurement that need a process of their own.
pub fn worker(arguments: &[String]) -> anyhow::Result<()> {
    match arguments.split_first() {
        Some((name, rest)) if name == "at-once" => at_once::worker(rest),
        _ => anyhow::bail!("no such worker: {arguments:?}"),
    }
}

/// Sizes at which systems are compared, in tokens of model calls.
const SIZES: [(&str, u64); 3] = [("50k", 50_000), ("250k", 250_000), ("1M", 1_000_000)];
/// Medians of the first engine (`web/1`) at those sizes, measured 2026-11-17: of its medium runs in the three worlds of the
/// quick run, which take more than 50k tokens, and within 50k of its shallow ones in five.
const FIRST_ENGINE_FACTS: [usize; 3] = [13, 86, 86];
/// How many times the first engine's facts are the goal at those sizes.
const GOAL_TIMES: [usize; 3] = [1, 2, 3];

fn seeds(size: MeasurementSize) -> &'static [u64] {
    size.pick(&[1, 2, 3], &[1, 2, 3, 4, 5])
}

/// The scorer itself: a report that misses nothing scores everything, and an empty one nothing.
fn oracle(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let mut scores: Vec<ReportScore> = Vec::new();
    let mut empty = 0;
    for seed in seeds(size) {
        let world = ResearchWorld::seeded(*seed);
        let scorer = Scorer::new(&world);
        scores.push(scorer.score(&world.perfect_report()));
        empty += scorer.score("").facts.reached;
    }
    let facts = median(scores.iter().map(|score| score.facts.reached));
    let faults: usize = scores
        .iter()
        .map(|score| score.wrong.len() + score.stale_as_current + score.traps + score.conclusions_invented)
        .sum();
    Ok(vec![
        Figure::judged(
            "a report that misses nothing, scored: correct cited facts, faults",
            facts.0 == 300 && facts.1 == 300 && faults == 0 && empty == 0,
            format!("{} facts, {faults} faults", shown(facts)),
            "300 of 300 in every world, 0",
        )
        .with_note(format!(
            "{} words for all facts; an empty report scores {empty}",
            scores.first().map_or(0, |score| score.words)
        )),
    ])
}

fn engine(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let depths: &[&str] = &["shallow", "medium-5-cents", "medium-9-cents", "medium", "deep", "exhaustive"];
    let runs = depth_runs(seeds(size), depths)?;
    let deep: Vec<&SystemRun> = runs.iter().filter(|run| run.system == "deep").collect();
    let dumps: Vec<&SystemRun> = runs.iter().filter(|run| run.system == "quotations of deep").collect();
    let mut figures = Vec::new();
    for (((name, most), first), times) in SIZES.iter().zip(FIRST_ENGINE_FACTS).zip(GOAL_TIMES) {
        let best = |seed: &u64| {
            let fits = runs.iter().filter(|run| {
                run.seed == *seed && run.tokens() <= *most && depths.contains(&run.system.as_str())
            });
            fits.map(|run| run.score.facts.reached).max().unwrap_or(0)
        };
        let facts = median(seeds(size).iter().map(best));
        let took = |depth: &&str| {
            let of_depth = runs.iter().filter(|run| run.system == **depth);
            let tokens = median(of_depth.map(|run| usize::try_from(run.tokens()).unwrap_or(usize::MAX)));
            format!("{depth} {}", shown(tokens))
        };
        let goal = first * times;
        figures.push(
            Figure::judged(
                &format!("correct cited facts within {name} tokens"),
                facts.0 >= goal.max(1),
                format!("{} of 300", shown(facts)),
                &format!("at least {goal}, {times} times the first engine"),
            )
            .aim()
            .with_note(format!(
                "the best run that takes no more; tokens: {}",
                depths.iter().map(took).collect::<Vec<_>>().join(", ")
            )),
        );
    }
    figures.extend(deep_figures(&deep, &dumps));
    figures.extend(promises(&runs));
    Ok(figures)
}

/// What the deepest runs did with what they found.
fn deep_figures(deep: &[&SystemRun], dumps: &[&SystemRun]) -> Vec<Figure> {
    let sum = |tally: fn(&ReportScore) -> Tally| {
        deep.iter().map(|run| tally(&run.score)).fold(Tally::default(), |sum, one| Tally {
            reached: sum.reached + one.reached,
            of: sum.of + one.of,
        })
    };
    let number = |count: fn(&ReportScore) -> usize| deep.iter().map(|run| count(&run.score)).sum::<usize>();
    let percent = |tally: Tally| tally.reached * 100 / tally.of.max(1);
    let share = |name: &str, tally: Tally, least: usize| {
        let goal = format!("at least {least} %");
        Figure::judged(
            name,
            percent(tally) >= least,
            format!("{} of {} ({} %)", tally.reached, tally.of, percent(tally)),
            &goal,
        )
        .aim()
    };
    let none = |name: &str, count: usize| Figure::judged(name, count == 0, count.to_string(), "0").aim();
    let words = deep.iter().filter(|run| run.score.has_length()).count();
    let lengths: Vec<String> =
        deep.iter().map(|run| format!("{} of {}", run.score.words, run.score.words_asked)).collect();
    let cells = [
        number(|score| score.cells_right),
        number(|score| score.cells_wrong),
        number(|score| score.cells_invented),
    ];
    let about = |runs: &[&SystemRun]| {
        let facts = median(runs.iter().map(|run| run.score.facts.reached));
        let dense = median(runs.iter().map(|run| (run.score.facts_per_100_words() * 10.0) as usize));
        format!("{} facts, {}.{} per 100 words", shown(facts), dense.0 / 10, dense.0 % 10)
    };
    let tokens = median(deep.iter().map(|run| usize::try_from(run.tokens()).unwrap_or(usize::MAX)));
    vec![
        Figure::judged(
            "deep: facts, facts per 100 words, tokens",
            !deep.is_empty(),
            format!("{}, {} tokens", about(deep), shown(tokens)),
            "printed",
        )
        .with_note(format!(
            "all quotations that were kept, put one below the other: {}; pages read, with a fact, facts on them, conflicts with both sides on them: {}",
            about(dumps),
            deep.iter().map(|run| run.read.map(|count| count.to_string()).join(" ")).collect::<Vec<_>>().join(", ")
        )),
        share("deep: facets told", sum(|score| score.facets), 100),
        share("deep: ends of chains of 2 hops", sum(|score| score.hops[0]), 90),
        share("deep: ends of chains of 3 hops", sum(|score| score.hops[1]), 75),
        share("deep: ends of chains of 4 hops", sum(|score| score.hops[2]), 60),
        share("deep: requirements met", sum(|score| score.requirements), 90),
        share("deep: conflicts stated with both sides", sum(|score| score.conflicts_shown), 95),
        share("deep: conflicts settled rightly", sum(|score| score.conflicts_settled), 80),
        none("deep: out-of-date figures told as current", number(|score| score.stale_as_current)),
        none("deep: copies cited as independent", number(|score| score.copies_as_independent)),
        none("deep: statements that no page makes", number(|score| score.wrong.len())).with_note(
            deep.iter().flat_map(|run| run.score.wrong.clone()).collect::<Vec<_>>().join("; "),
        ),
        Figure::judged(
            "deep: cells of tables right, wrong, invented",
            cells[0] > 0 && cells[1] + cells[2] == 0,
            format!("{}, {}, {}", cells[0], cells[1], cells[2]),
            "some, 0, 0",
        )
        .aim(),
        Figure::judged(
            "deep: facts told in more than one section",
            percent(sum(|score| score.repeated)) < 1,
            format!("{} of {}", sum(|score| score.repeated).reached, sum(|score| score.repeated).of),
            "under 1 %",
        )
        .aim(),
        Figure::judged(
            "deep: words within 25 % of those asked for",
            words == deep.len(),
            format!("{words} of {} reports", deep.len()),
            "all",
        )
        .aim()
        .with_note(lengths.join(", ")),
        share("deep: citations whose page says the fact", sum(|score| score.citations), 99),
        share("deep: planted conclusions found and marked", sum(|score| score.conclusions_marked), 60),
        none("deep: comparisons that do not follow", number(|score| score.conclusions_invented)),
        share("deep: gaps named", sum(|score| score.gaps), 90),
        none("deep: traps told in the report", number(|score| score.traps)),
    ]
}

/// What holds for every run already: strangers' orders reach neither the writer nor the network.
fn promises(runs: &[SystemRun]) -> Vec<Figure> {
    let reports = runs.iter().filter(|run| run.score.words > 0).count();
    let fetched: usize = runs.iter().map(|run| run.addresses_of_traps).sum();
    let written: usize = runs.iter().map(|run| run.traps_at_writer).sum();
    vec![
        Figure::judged(
            "researches in closed worlds that end with a report",
            reports == runs.len(),
            format!("{reports} of {}", runs.len()),
            "all",
        ),
        Figure::judged(
            "addresses that only a page's order names and that were fetched",
            fetched == 0,
            fetched.to_string(),
            "0",
        ),
        Figure::judged(
            "prompts of writers with a page's order in them",
            written == 0,
            written.to_string(),
            "0",
        )
        .aim(),
    ]
}

/// Median, smallest, largest.
fn median(values: impl Iterator<Item = usize>) -> (usize, usize, usize) {
    let mut values: Vec<usize> = values.collect();
    values.sort_unstable();
    let at = |place: usize| values.get(place).copied().unwrap_or_default();
    (at(values.len() / 2), at(0), at(values.len().saturating_sub(1)))
}

fn shown((median, least, most): (usize, usize, usize)) -> String {
    if least == most { median.to_string() } else { format!("{median} ({least} to {most})") }
}
