//! Shows the progress of a run: a small tree of its steps on a terminal, one plain line per change elsewhere,
//! one typed line of JSON per change where scripts read along.
//!
//! Real counters only. Decides nothing and reads no clock but indicatif's own, which animates the spinner.

mod steps;

use std::{fmt, io, time::Duration};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use probity_research::{
    cost::{Cost, MicroUsd},
    plan::EngineName,
    progress::ProgressLine,
    status::{RunStatus, RunSummary},
    text,
    time::Moment,
    trace::Trace,
};

use crate::{
    command_error::CommandError,
    format,
    output::{COLUMNS_DEFAULT, ConsoleOutput, Tone, columns_of, echo_guard::EchoGuard},
    render::OutputFormat,
    wire::stream::{StreamLine, StreamLineCursor},
};

use self::steps::StepRow;

/// Newest log entries under the counters. Four fit under any prompt without pushing it off the screen.
const LINES_MAX: usize = 4;
/// Longest log entry kept; the terminal's width cuts it further.
const LINE_CHARACTERS_MAX: usize = 200;
/// Columns before the counters (spinner and timer), and a margin.
const HEAD_COLUMNS: usize = 14;
/// The same for a log entry.
const BRANCH_COLUMNS: usize = 8;
/// The spinner turns this often.
const TICK: Duration = Duration::from_millis(120);

pub struct LiveProgress {
    output: ConsoleOutput,
    budget: Option<MicroUsd>,
    tree: Option<ProgressTree>,
    /// Typed lines on stdout, where they were asked for.
    stream: Option<StreamLineCursor>,
    shown: Option<String>,
    /// Warnings of the run that were printed.
    warned: usize,
    asked_at: Moment,
}

struct ProgressTree {
    head: ProgressBar,
    lines: Vec<ProgressBar>,
    /// Held for its drop.
    _keys: Option<EchoGuard>,
}

impl LiveProgress {
    /// `now` only places the timer: a run watched later has already taken some time.
    pub fn begin(
        output: &ConsoleOutput,
        summary: &RunSummary,
        budget: Option<MicroUsd>,
        now: Moment,
        form: OutputFormat,
    ) -> Result<Self, CommandError> {
        let elapsed = Duration::from_millis(now.since_ms(summary.asked_at));
        let tree = output.live.then(|| ProgressTree::draw(output, elapsed));
        let stream = (form == OutputFormat::Stream).then(StreamLineCursor::default);
        let mut live = Self {
            output: output.clone(),
            budget,
            tree,
            stream,
            shown: None,
            warned: 0,
            asked_at: summary.asked_at,
        };
        if live.stream.is_some() {
            output.json_line(&StreamLine::started(summary, budget))?;
        }
        live.show(summary, None, now)?;
        Ok(live)
    }

    /// Whether single steps are shown.
    pub fn wants_steps(&self) -> bool {
        self.tree.is_some()
    }

    pub fn show(
        &mut self,
        summary: &RunSummary,
        trace: Option<&Trace>,
        now: Moment,
    ) -> Result<(), CommandError> {
        if let Some(changes) = &mut self.stream {
            changes.lines(summary).iter().try_for_each(|line| self.output.json_line(line))?;
        }
        // Whoever reads the typed lines has them there.
        if self.stream.is_none() {
            for warning in summary.warnings.iter().skip(self.warned) {
                self.output.print_message(&format!("warning: {warning}"));
            }
            self.warned = self.warned.max(summary.warnings.len());
        }
        let head = head(summary, self.budget);
        let news = news_lines(summary);
        match &mut self.tree {
            Some(tree) => {
                let head = match time_left(summary, now) {
                    Some(left) => format!("{head} · {left} left"),
                    None => head,
                };
                let steps = trace.map(|trace| steps::rows(trace, now)).unwrap_or_default();
                match steps.is_empty() {
                    true => tree.show(&self.output, &head, &news),
                    false => tree.show(&self.output, &head, &branches(&self.output, &steps)),
                }
            }
            // A reader of the typed lines needs no others.
            None if self.stream.is_some() => {}
            None => {
                let line = match news.last() {
                    Some(newest) => format!("{head} · {newest}"),
                    None => head,
                };
                if self.shown.as_ref() != Some(&line) {
                    let at = Duration::from_millis(summary.updated_at.since_ms(self.asked_at));
                    self.output.print_message(&format!("[{}] {line}", format::timer(at)));
                    self.shown = Some(line);
                }
            }
        }
        Ok(())
    }

    /// Leaves no trace on a terminal; the caller prints the result.
    pub fn end(self) {
        if let Some(tree) = self.tree {
            tree.clear();
        }
    }
}

impl ProgressTree {
    fn draw(output: &ConsoleOutput, elapsed: Duration) -> Self {
        output.bars.set_draw_target(ProgressDrawTarget::stderr_with_hz(10));
        let head = output.bars.add(ProgressBar::new_spinner().with_elapsed(elapsed));
        let timer = |state: &ProgressState, out: &mut dyn fmt::Write| {
            // A write into indicatif's own line buffer cannot fail.
            let _written: fmt::Result = out.write_str(&format::timer(state.elapsed()));
        };
        head.set_style(style("{spinner} {timer}  {msg}").with_key("timer", timer));
        head.enable_steady_tick(TICK);
        Self { head, lines: Vec::new(), _keys: EchoGuard::begin() }
    }

    fn show(&mut self, output: &ConsoleOutput, head: &str, news: &[String]) {
        let columns = columns_of(io::stderr()).unwrap_or(COLUMNS_DEFAULT);
        self.head.set_message(format::fit(head, columns.saturating_sub(HEAD_COLUMNS)));
        while self.lines.len() < news.len() {
            let line = output.bars.add(ProgressBar::new_spinner());
            line.set_style(style("{msg}"));
            self.lines.push(line);
        }
        for surplus in self.lines.drain(news.len().min(self.lines.len())..) {
            surplus.finish_and_clear();
            output.bars.remove(&surplus);
        }
        let last = news.len().saturating_sub(1);
        for (index, (line, text)) in self.lines.iter().zip(news).enumerate() {
            let branch = if index == last { "└" } else { "├" };
            let fitted = format::fit(text, columns.saturating_sub(BRANCH_COLUMNS));
            line.set_message(format!("{} {fitted}", output.style_err(Tone::Quiet, &format!("  {branch}"))));
        }
    }

    fn clear(self) {
        for line in self.lines {
            line.finish_and_clear();
        }
        self.head.finish_and_clear();
    }
}

/// The finished steps, for a terminal on which the tree is gone: nothing elsewhere.
pub fn finished_steps(output: &ConsoleOutput, trace: &Trace, now: Moment) -> Option<String> {
    let rows = branches(output, &steps::rows(trace, now));
    if !output.live || rows.is_empty() {
        return None;
    }
    let columns = columns_of(io::stderr()).unwrap_or(COLUMNS_DEFAULT).saturating_sub(BRANCH_COLUMNS);
    let last = rows.len() - 1;
    let line = |(place, row): (usize, &String)| {
        let branch = output.style_err(Tone::Quiet, if place == last { "  └" } else { "  ├" });
        format!("{branch} {}", format::fit(row, columns))
    };
    Some(rows.iter().enumerate().map(line).collect::<Vec<_>>().join("\n"))
}

fn branches(output: &ConsoleOutput, rows: &[StepRow]) -> Vec<String> {
    rows.iter().map(|row| format!("{} {}", output.style_err(row.tone, row.sign), row.text)).collect()
}

/// A template that does not parse is a bug the tests see; a plain spinner is shown instead.
fn style(template: &str) -> ProgressStyle {
    let spinner = ProgressStyle::default_spinner();
    match ProgressStyle::with_template(template) {
        Ok(style) => style.tick_chars("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏ "),
        Err(_) => spinner,
    }
}

fn head(summary: &RunSummary, budget: Option<MicroUsd>) -> String {
    let doing = match summary.status {
        RunStatus::Pending => "starting",
        RunStatus::RunningAsync => "researching",
        RunStatus::Cancelling => "cancelling",
        other => other.as_str(),
    };
    let counted = summary.steps > 0 || summary.searches > 0 || summary.pages > 0;
    let mut parts = Vec::new();
    if let Some(rounds) = summary.rounds.filter(|rounds| rounds.rounds_max > 1) {
        let word = if summary.engine == EngineName::Web.as_str() { "attempt" } else { "round" };
        parts.push(format!("{word} {}/{}", rounds.round, rounds.rounds_max));
    }
    if !counted || summary.status != RunStatus::RunningAsync {
        parts.push(doing.to_owned());
    }
    if counted {
        parts.push(format::count(u64::from(summary.steps), "step", "steps"));
        parts.push(format::count(u64::from(summary.searches), "search", "searches"));
        parts.push(format::count(u64::from(summary.pages), "page", "pages"));
    }
    match (summary.cost, budget) {
        (Cost::FromUsage(spent), Some(budget)) => parts.push(format!("{spent} of {budget}")),
        (Cost::FromUsage(spent), None) => parts.push(format!("{spent} so far")),
        // Less than a cent is no sum to stand behind "at least".
        (Cost::AtLeast(MicroUsd(0..5_000)), _) => parts.push("cost not fully known".to_owned()),
        (Cost::AtLeast(spent), Some(budget)) => parts.push(format!("at least {spent} of {budget}")),
        (Cost::AtLeast(spent), None) => parts.push(format!("at least {spent} so far")),
        (Cost::Unknown, _) if counted => parts.push("cost not reported yet".to_owned()),
        (Cost::Unknown | Cost::Nothing, _) => {}
    }
    parts.join(" · ")
}

fn time_left(summary: &RunSummary, now: Moment) -> Option<String> {
    summary.time_left_ms(now).map(|left| format::timer(Duration::from_millis(left)))
}

/// What a run may still cost and take, as far as it is known.
pub fn what_is_left(summary: &RunSummary, budget: Option<MicroUsd>, now: Moment) -> Option<String> {
    let money = budget.zip(summary.cost.known());
    let money = money.map(|(budget, spent)| format!("{} of {budget}", budget.minus(spent)));
    let parts: Vec<String> = money.into_iter().chain(time_left(summary, now)).collect();
    (!parts.is_empty()).then(|| format!("remaining: {}", parts.join(" · ")))
}

/// Oldest first; repeated entries are shown once.
fn news_lines(summary: &RunSummary) -> Vec<String> {
    let mut said: Vec<String> = summary
        .news
        .iter()
        .map(ProgressLine::sentence)
        .map(|line| text::line(&line, LINE_CHARACTERS_MAX))
        .collect();
    said.dedup();
    if said.is_empty() && summary.current_action != "starting" && !summary.status.is_final() {
        // The round is in the line above.
        let action = match summary.current_action.split_once(": ") {
            Some((_, action)) if summary.rounds.is_some_and(|rounds| rounds.rounds_max > 1) => action,
            _ => &summary.current_action,
        };
        said.push(text::line(action, LINE_CHARACTERS_MAX));
    }
    let first = said.len().saturating_sub(LINES_MAX);
    said.split_off(first)
}

#[cfg(test)]
mod tests;
