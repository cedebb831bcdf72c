//! What came of it: the scores that the benchmark's scripts wrote, and beside them our own tokens, dollars and ledger.

use std::path::Path;

use probity_research::{
    cost::{Cost, MicroUsd},
    ledger::FactTally,
};
use serde::Deserialize;

use super::{
    files::BenchFiles,
    scripts::{fact_folder, race_folder},
    tasks::{self, DrbTask},
};
use crate::{
    app_context::AppContext, command_context::CommandContext, command_error::CommandError, settings::Settings,
};

/// One task as RACE scored it: the report's share of report and reference, 0.5 is as good as the reference.
#[derive(Debug, Deserialize)]
struct RaceLine {
    overall_score: Option<f64>,
    comprehensiveness: Option<f64>,
    insight: Option<f64>,
    instruction_following: Option<f64>,
    readability: Option<f64>,
}

type RacePart = fn(&RaceLine) -> Option<f64>;

pub async fn print(
    context: &CommandContext,
    settings: &Settings,
    clone: &Path,
    files: &BenchFiles,
    chosen: &[DrbTask],
) -> Result<(), CommandError> {
    let written = files.written()?;
    let reported = chosen.iter().filter(|task| written.contains(&task.key())).count();
    let text = |path: String| std::fs::read_to_string(clone.join(path)).unwrap_or_default();
    let race = race_rows(&text(format!("{}/raw_results.jsonl", race_folder(&files.name))));
    let fact = fact_row(&text(format!("{}/fact_result.txt", fact_folder(&files.name))));
    let mut rows = vec![
        ("name".to_owned(), files.name.clone()),
        ("tasks".to_owned(), format!("{reported} of {} ({})", chosen.len(), tasks::by_language(chosen))),
    ];
    rows.extend(own_rows(settings, files, chosen).await?);
    match race.is_empty() {
        true => rows.push(("RACE".to_owned(), "no score".to_owned())),
        false => rows.extend(race),
    }
    rows.push(("FACT".to_owned(), fact.unwrap_or_else(|| "no score".to_owned())));
    let lines: Vec<String> = rows.iter().map(|(name, value)| format!("{name:<22} {value}")).collect();
    context.output.data(&lines.join("\n"))
}

/// Tokens, dollars and the ledger of the researches behind the reports.
async fn own_rows(
    settings: &Settings,
    files: &BenchFiles,
    chosen: &[DrbTask],
) -> Result<Vec<(String, String)>, CommandError> {
    let Some(app) = AppContext::open_to_read(settings)? else { return Ok(Vec::new()) };
    let runs = files.runs()?;
    let (mut input, mut output, mut cost) = (0_u64, 0_u64, Cost::FromUsage(MicroUsd(0)));
    let (mut factual, mut supported) = (0_u32, 0_u32);
    for id in chosen.iter().filter_map(|task| runs.get(&task.key())) {
        // A research that another machine made is not in this store.
        let Ok(summary) = app.summary(*id) else { continue };
        let usage = summary.usage.unwrap_or_default();
        input = input.saturating_add(usage.tokens_in());
        output = output.saturating_add(usage.tokens_out());
        cost = cost.plus(summary.cost);
        let facts = app.report(&summary).await?.and_then(|report| report.verification().facts);
        let FactTally { factual: all, supported: held, .. } = facts.unwrap_or_default();
        factual = factual.saturating_add(all);
        supported = supported.saturating_add(held);
    }
    let share = match factual {
        0 => "no factual sentence was checked".to_owned(),
        _ => format!(
            "{supported} of {factual} factual sentences supported ({:.1} %)",
            100.0 * f64::from(supported) / f64::from(factual)
        ),
    };
    Ok([("tokens", format!("{input} in, {output} out")), ("cost", cost.to_string()), ("own ledger", share)]
        .map(|(name, value)| (name.to_owned(), value))
        .to_vec())
}

/// Mean and spread over the tasks that were scored; nothing where none was.
fn race_rows(results: &str) -> Vec<(String, String)> {
    let lines: Vec<RaceLine> = results.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let rows: [(&str, RacePart); 5] = [
        ("RACE", |line| line.overall_score),
        ("  comprehensiveness", |line| line.comprehensiveness),
        ("  insight", |line| line.insight),
        ("  instruction following", |line| line.instruction_following),
        ("  readability", |line| line.readability),
    ];
    let row = |(name, part): (&str, RacePart)| {
        let scores: Vec<f64> = lines.iter().filter_map(part).map(|score| score * 100.0).collect();
        Some((name.to_owned(), spread(&scores)?))
    };
    rows.into_iter().filter_map(row).collect()
}

/// `50.2 (47.1 to 53.0, standard deviation 2.1, 10 tasks)`
fn spread(scores: &[f64]) -> Option<String> {
    let count = u32::try_from(scores.len()).ok().filter(|count| *count > 0)?;
    let mean = scores.iter().sum::<f64>() / f64::from(count);
    let squares: f64 = scores.iter().map(|score| (score - mean).powi(2)).sum();
    let deviation = (squares / f64::from(count.saturating_sub(1).max(1))).sqrt();
    let least = scores.iter().copied().fold(f64::INFINITY, f64::min);
    let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let noun = if count == 1 { "task" } else { "tasks" };
    Some(format!("{mean:.1} ({least:.1} to {most:.1}, standard deviation {deviation:.1}, {count} {noun})"))
}

/// The benchmark's own three figures: `93.4 % of 20.5 citations a task hold: 19.1`.
fn fact_row(result: &str) -> Option<String> {
    let figure = |name: &str| {
        let line = result.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
        line.trim().parse::<f64>().ok()
    };
    let (rate, valid) = (figure("valid_rate")?, figure("total_valid_citations")?);
    let all = figure("total_citations")?;
    Some(format!("{:.1} % of {all:.1} citations a task hold: {valid:.1}", 100.0 * rate))
}

#[cfg(test)]
mod tests {
    use super::{fact_row, race_rows};

    #[test]
    fn scores_are_read_as_the_scripts_write_them() {
        let results = "{\"id\":1,\"overall_score\":0.5,\"insight\":0.4}\n{\"id\":2,\"error\":\"x\"}\n\
                       {\"id\":3,\"overall_score\":0.46}\nnot json\n";
        assert_eq!(
            race_rows(results),
            [
                ("RACE".to_owned(), "48.0 (46.0 to 50.0, standard deviation 2.8, 2 tasks)".to_owned()),
                ("  insight".to_owned(), "40.0 (40.0 to 40.0, standard deviation 0.0, 1 task)".to_owned()),
            ]
        );
        assert!(race_rows("").is_empty());
        let fact = "total_citations: 20.5\ntotal_valid_citations: 19.1\nvalid_rate: 0.934\n";
        assert_eq!(fact_row(fact).as_deref(), Some("93.4 % of 20.5 citations a task hold: 19.1"));
        assert_eq!(fact_row("total_citations: 1"), None);
    }
}
