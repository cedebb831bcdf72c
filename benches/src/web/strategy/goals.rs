//! Each goal of the tables gets the level, the numbers and a reason that a person would give it.

use anyhow::{Context, bail};
use probity_research::{
    query::Query,
    web::{
        search::SearchDepth,
        strategy::{Strategy, StrategyHints, StrategyLevel, TaskScope, TaskType, choose_strategy},
    },
};

use crate::figure::Figure;

const GOALS: &str = include_str!("goals.tsv");
const HELD_OUT: &str = include_str!("held_out.tsv");
const LEVELS: &str = include_str!("levels.tsv");
/// Misses named in a note; the rest is counted.
const MISSES_SHOWN: usize = 5;

struct GoalRow {
    level: StrategyLevel,
    hints: StrategyHints,
    goal: String,
}

pub fn figures() -> anyhow::Result<Vec<Figure>> {
    let (goals, held_out) = (rows(GOALS)?, rows(HELD_OUT)?);
    let missed = misses(&goals)?;
    let fits = Figure::judged(
        "strategy: goals that get the level, the numbers and a reason that fit",
        missed.is_empty() && goals.len() >= 60,
        format!("{} of {}", goals.len() - missed.len(), goals.len()),
        "all of at least 60, in four languages and two that the rules do not know",
    )
    .with_note(shown(&missed));
    Ok(vec![fits, planted(goals)?, held_out_figure(&held_out)?])
}

/// Goals written before the rules were tried on them. Printed for what it is: the goal is only that no question
/// which needs a search is left without one.
fn held_out_figure(rows: &[GoalRow]) -> anyhow::Result<Figure> {
    let missed = misses(rows)?;
    let mut left_alone = 0;
    for row in rows.iter().filter(|row| row.level != StrategyLevel::None) {
        left_alone += usize::from(chosen(row)?.level == StrategyLevel::None);
    }
    Ok(Figure::judged(
        "strategy: held-out goals that needed a search and got none",
        left_alone == 0,
        format!("{left_alone}; level as expected for {} of {}", rows.len() - missed.len(), rows.len()),
        "0; the share is printed, not required",
    )
    .with_note(shown(&missed)))
}

/// A table with one wrong expectation must not pass.
fn planted(mut rows: Vec<GoalRow>) -> anyhow::Result<Figure> {
    if let Some(row) = rows.iter_mut().find(|row| row.level == StrategyLevel::None) {
        row.level = StrategyLevel::Deep;
    }
    let seen = misses(&rows)?.len();
    Ok(Figure::judged("strategy: a planted wrong row is seen", seen == 1, format!("{seen} seen"), "1 seen"))
}

fn misses(rows: &[GoalRow]) -> anyhow::Result<Vec<String>> {
    let mut missed = Vec::new();
    for row in rows {
        let strategy = chosen(row)?;
        let fits = strategy.level == row.level && numbers_fit(&strategy)? && !strategy.reason.is_empty();
        if !fits {
            let (got, wanted) = (strategy.level.as_str(), row.level.as_str());
            missed.push(format!("{got} instead of {wanted}: {}", row.goal.replace('\n', " ")));
        }
    }
    Ok(missed)
}

fn shown(missed: &[String]) -> String {
    let more = missed.len().saturating_sub(MISSES_SHOWN);
    let shown = missed.iter().take(MISSES_SHOWN).cloned().collect::<Vec<String>>().join("; ");
    if more > 0 { format!("{shown}; and {more} more") } else { shown }
}

fn chosen(row: &GoalRow) -> anyhow::Result<Strategy> {
    let goal = Query::parse(&row.goal).map_err(|problem| anyhow::anyhow!("{}: {problem:?}", row.goal))?;
    Ok(choose_strategy(&goal, &row.hints))
}

/// The numbers of a level stand in a table of their own.
fn numbers_fit(strategy: &Strategy) -> anyhow::Result<bool> {
    let depth = match strategy.search_depth {
        SearchDepth::Basic => "basic",
        SearchDepth::Advanced => "advanced",
    };
    let actual = format!(
        "{}\t{}\t{}\t{}\t{depth}\t{}\t{}\t{}",
        strategy.level.as_str(),
        strategy.max_attempts,
        strategy.max_results,
        strategy.top_pages,
        strategy.queries,
        strategy.budget.0,
        strategy.minutes
    );
    let expected = lines(LEVELS).find(|line| line.starts_with(strategy.level.as_str()));
    Ok(expected.context("the table of levels lacks one")? == actual)
}

fn lines(table: &str) -> impl Iterator<Item = &str> {
    table.lines().filter(|line| !line.starts_with('#') && !line.is_empty())
}

fn rows(table: &str) -> anyhow::Result<Vec<GoalRow>> {
    lines(table).map(row).collect()
}

fn row(line: &str) -> anyhow::Result<GoalRow> {
    let fields: Vec<&str> = line.split('\t').collect();
    let [level, scope, kind, context, goal] = fields.as_slice() else { bail!("not five fields: {line}") };
    let said = |text: &str| Some(text.replace("\\n", "\n")).filter(|text| text != "-");
    Ok(GoalRow {
        level: serde_json::from_value::<StrategyLevel>((*level).into())?,
        hints: StrategyHints {
            task_scope: said(scope)
                .map(|name| serde_json::from_value::<TaskScope>(name.into()))
                .transpose()?,
            task_type_hint: said(kind)
                .map(|name| serde_json::from_value::<TaskType>(name.into()))
                .transpose()?,
            context_snippet: said(context),
            ..StrategyHints::default()
        },
        goal: said(goal).context("a row without a goal")?,
    })
}
