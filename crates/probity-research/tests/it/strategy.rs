//! Each goal of the tables gets the level, the numbers and a reason that a person would give it.

use probity_research::{
    query::Query,
    web::{
        search::SearchDepth,
        strategy::{Strategy, StrategyHints, StrategyLevel, choose_strategy},
    },
};

const GOALS: &str = include_str!("strategy/goals.tsv");
/// Goals written before the rules were tried on them.
const HELD_OUT: &str = include_str!("strategy/held_out.tsv");
const LEVELS: &str = include_str!("strategy/levels.tsv");
/// Misses named in a note; the rest is counted.
const MISSES_SHOWN: usize = 5;

struct GoalRow {
    level: StrategyLevel,
    hints: StrategyHints,
    goal: String,
}

#[test]
fn each_goal_gets_the_level_that_a_person_would_give_it() {
    let mut rows = rows(GOALS);
    let missed = misses(&rows);
    eprintln!("figure: strategy.goals {} of {}", rows.len() - missed.len(), rows.len());
    note("goals", &missed);
    assert!(missed.is_empty() && rows.len() >= 60, "{missed:?}");
    // A table with one wrong expectation must not pass.
    rows.iter_mut().find(|row| row.level == StrategyLevel::None).unwrap().level = StrategyLevel::Deep;
    let seen = misses(&rows).len();
    eprintln!("figure: strategy.planted {seen} seen");
    assert_eq!(seen, 1);
}

/// The share is printed for what it is: the goal is only that no question which needs a search is left without one.
#[test]
fn no_held_out_goal_that_needs_a_search_is_left_without_one() {
    let rows = rows(HELD_OUT);
    let missed = misses(&rows);
    let needs = rows.iter().filter(|row| row.level != StrategyLevel::None);
    let left_alone = needs.filter(|row| chosen(row).level == StrategyLevel::None).count();
    let expected = rows.len() - missed.len();
    eprintln!("figure: strategy.held_out {left_alone}; level as expected for {expected} of {}", rows.len());
    note("held_out", &missed);
    assert_eq!(left_alone, 0, "{missed:?}");
}

fn note(key: &str, missed: &[String]) {
    let more = missed.len().saturating_sub(MISSES_SHOWN);
    let shown = missed.iter().take(MISSES_SHOWN).cloned().collect::<Vec<String>>().join("; ");
    match (missed, more) {
        ([], _) => {}
        (_, 0) => eprintln!("figure: strategy.{key}.note {shown}"),
        _ => eprintln!("figure: strategy.{key}.note {shown}; and {more} more"),
    }
}

fn misses(rows: &[GoalRow]) -> Vec<String> {
    let miss = |row: &GoalRow| {
        let strategy = chosen(row);
        let fits = strategy.level == row.level && numbers_fit(&strategy) && !strategy.reason.is_empty();
        let (got, wanted) = (strategy.level.as_str(), row.level.as_str());
        (!fits).then(|| format!("{got} instead of {wanted}: {}", row.goal.replace('\n', " ")))
    };
    rows.iter().filter_map(miss).collect()
}

fn chosen(row: &GoalRow) -> Strategy {
    choose_strategy(&Query::parse(&row.goal).unwrap(), &row.hints)
}

/// The numbers of a level stand in a table of their own.
fn numbers_fit(strategy: &Strategy) -> bool {
    let depth = match strategy.search_depth {
        SearchDepth::Basic => "basic",
        SearchDepth::Advanced => "advanced",
    };
    let actual = format!(
        "{}\t{}\t{}\t{}\t{depth}\t{}\t{}",
        strategy.level.as_str(),
        strategy.max_attempts,
        strategy.max_results,
        strategy.top_pages,
        strategy.queries,
        strategy.minutes
    );
    lines(LEVELS).find(|line| line.starts_with(strategy.level.as_str())).unwrap() == actual
}

fn lines(table: &str) -> impl Iterator<Item = &str> {
    table.lines().filter(|line| !line.starts_with('#') && !line.is_empty())
}

fn rows(table: &str) -> Vec<GoalRow> {
    lines(table).map(row).collect()
}

fn row(line: &str) -> GoalRow {
    let fields: Vec<&str> = line.split('\t').collect();
    let [level, scope, kind, context, goal] = fields.as_slice() else { panic!("not five fields: {line}") };
    let said = |text: &str| Some(text.replace("\\n", "\n")).filter(|text| text != "-");
    GoalRow {
        level: serde_json::from_value((*level).into()).unwrap(),
        hints: StrategyHints {
            task_scope: said(scope).map(|name| serde_json::from_value(name.into()).unwrap()),
            task_type_hint: said(kind).map(|name| serde_json::from_value(name.into()).unwrap()),
            context_snippet: said(context),
            ..StrategyHints::default()
        },
        goal: said(goal).unwrap(),
    }
}
