//! What a run had done by the time it ended without a text: its searches, pages, notes and rounds. Read from the steps, so
//! that nothing more is claimed than the journal has.

use serde::Serialize;

use crate::{
    cost::Cost,
    serde_helpers::is_zero,
    text,
    trace::{Trace, TraceStep, TraceStepKind, TraceStepStatus},
};

/// Entries of one kind in an answer; a long run makes some hundred searches, and its steps show all.
const LISTED_MAX: usize = 60;
const LINE_CHARACTERS_MAX: usize = 300;
/// More than the longest run asks.
const QUERIES_MAX: usize = 1_000;

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct WorkDone {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub searches: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pages_read: Vec<String>,
    /// What was noted on the way: thoughts of an agent, and what its steps brought.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rounds: Vec<String>,
    /// Entries beyond those listed.
    #[serde(skip_serializing_if = "is_zero")]
    pub more: u32,
    /// What was searched for, each query once and without how it ended.
    #[serde(skip)]
    pub queries: Vec<String>,
}

impl WorkDone {
    pub fn of(trace: &Trace) -> Self {
        let mut done = Self::default();
        // Pages that were opened to check citations are not read by the research; where all it did was to check a text,
        // they are its work.
        let only_checks = trace.steps.iter().all(|step| step.kind == TraceStepKind::Check);
        let steps = trace.steps.iter().filter(|step| only_checks || step.kind != TraceStepKind::Check);
        steps.for_each(|step| done.take(step));
        done
    }

    fn take(&mut self, step: &TraceStep) {
        self.more = self.more.saturating_add(step.children_left_out);
        let is_query = step.kind == TraceStepKind::Search && !self.queries.contains(&step.label);
        if is_query && self.queries.len() < QUERIES_MAX {
            self.queries.push(step.label.clone());
        }
        let finished = step.outcome == TraceStepStatus::Done;
        let list = match step.kind {
            // What was searched for is told also where the end came before the answer.
            TraceStepKind::Search | TraceStepKind::Folder => Some(&mut self.searches),
            TraceStepKind::Fetch if finished => Some(&mut self.pages_read),
            TraceStepKind::Thought | TraceStepKind::Read if finished => Some(&mut self.notes),
            TraceStepKind::Round if was_not_sent(step) => None,
            TraceStepKind::Round | TraceStepKind::Attempt => Some(&mut self.rounds),
            TraceStepKind::Fetch
            | TraceStepKind::Thought
            | TraceStepKind::Read
            | TraceStepKind::AgentRun
            | TraceStepKind::Check
            | TraceStepKind::Plan
            | TraceStepKind::Choose
            | TraceStepKind::Write
            | TraceStepKind::Call
            | TraceStepKind::Examine
            | TraceStepKind::Judge
            | TraceStepKind::Recall => None,
        };
        if let Some(list) = list {
            let told = line(step);
            // A page that was read twice is one page.
            if step.kind == TraceStepKind::Fetch && list.contains(&told) {
                return;
            }
            if list.len() < LISTED_MAX {
                list.push(told);
            } else {
                self.more = self.more.saturating_add(1);
            }
        }
        step.children.iter().for_each(|child| self.take(child));
    }

    pub fn is_empty(&self) -> bool {
        self.searches.is_empty()
            && self.pages_read.is_empty()
            && self.notes.is_empty()
            && self.rounds.is_empty()
    }

    /// The same for people and models, one entry a line.
    pub fn text(&self) -> String {
        let mut lines = vec!["What was done before it ended:".to_owned()];
        for (word, list) in [
            ("searched", &self.searches),
            ("read", &self.pages_read),
            ("noted", &self.notes),
            // The entry itself says `round 1` or `attempt 1`.
            ("made", &self.rounds),
        ] {
            lines.extend(list.iter().map(|entry| format!("- {word}: {entry}")));
        }
        if self.more > 0 {
            lines.push(format!("- and {} more", self.more));
        }
        lines.join("\n")
    }
}

/// A round none of whose calls was ever taken: nothing was done in it.
fn was_not_sent(step: &TraceStep) -> bool {
    let refused = |call: &TraceStep| call.outcome == TraceStepStatus::Failed && call.cost == Cost::Nothing;
    !step.children.is_empty() && step.children.iter().all(refused)
}

fn line(step: &TraceStep) -> String {
    let told = match (step.kind, step.outcome, step.result.as_str()) {
        (TraceStepKind::Search | TraceStepKind::Folder, TraceStepStatus::Open, _) => {
            format!("{} (no answer before the end)", step.label)
        }
        (TraceStepKind::Search | TraceStepKind::Folder, TraceStepStatus::Failed, "") => {
            format!("{} (failed)", step.label)
        }
        (TraceStepKind::Thought, ..) | (.., "") => step.label.clone(),
        (.., result) => format!("{} ({result})", step.label),
    };
    text::line(&told, LINE_CHARACTERS_MAX)
}

#[cfg(test)]
mod tests {
    use super::WorkDone;
    use crate::{
        cost::{Cost, Usage},
        time::Moment,
        trace::{Trace, TraceStep, TraceStepKind, TraceStepStatus},
    };

    fn step(
        kind: TraceStepKind,
        label: &str,
        outcome: TraceStepStatus,
        children: Vec<TraceStep>,
    ) -> TraceStep {
        TraceStep {
            kind,
            label: label.to_owned(),
            provider: None,
            started: Moment(0),
            ended: None,
            outcome,
            usage: Usage::NONE,
            cost: Cost::Unknown,
            refusals: 0,
            result: String::new(),
            children,
            children_left_out: 0,
        }
    }

    fn trace(steps: Vec<TraceStep>) -> Trace {
        Trace {
            started: Moment(0),
            ended: None,
            last: Moment(0),
            steps,
            cost: Cost::Unknown,
            by_kind: Vec::new(),
            by_provider: Vec::new(),
        }
    }

    #[test]
    fn searches_are_listed_with_how_they_ended_and_of_the_rest_what_was_finished() {
        use TraceStepKind::{AgentRun, Check, Fetch, Search, Thought};
        use TraceStepStatus::{Done, Failed, Open};
        let children = vec![
            step(Search, "first tpu", Done, Vec::new()),
            step(Search, "second tpu", Failed, Vec::new()),
            step(Search, "third tpu", Open, Vec::new()),
            step(Fetch, "https://a.example/", Done, Vec::new()),
            step(Fetch, "https://a.example/", Done, Vec::new()),
            step(Fetch, "https://b.example/", Open, Vec::new()),
            step(Thought, "It may be 2015.", Done, Vec::new()),
        ];
        let cited = vec![step(Fetch, "https://cited.example/", Done, Vec::new())];
        let done = WorkDone::of(&trace(vec![
            step(AgentRun, "agent", Open, children),
            step(Check, "every claim checked", Open, cited.clone()),
        ]));
        assert_eq!(done.queries, ["first tpu", "second tpu", "third tpu"]);
        assert_eq!(
            done.text(),
            "What was done before it ended:\n- searched: first tpu\n\
             - searched: second tpu (failed)\n- searched: third tpu (no answer before the end)\n- read: https://a.example/\n- noted: It may be 2015."
        );
        assert!(WorkDone::of(&trace(Vec::new())).is_empty());
        let checked = WorkDone::of(&trace(vec![step(Check, "every claim checked", Open, cited)]));
        assert_eq!(checked.pages_read, ["https://cited.example/"], "where to check was all there was to do");
    }

    #[test]
    fn a_long_run_is_cut_with_a_count() {
        let searches = (0..90)
            .map(|number| step(TraceStepKind::Search, &number.to_string(), TraceStepStatus::Done, Vec::new()))
            .collect();
        let done = WorkDone::of(&trace(searches));
        assert_eq!((done.searches.len(), done.more), (60, 30));
    }
}
