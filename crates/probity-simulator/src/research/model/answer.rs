//! From what a prompt wants to the text of the answer.

use serde_json::{Value, json};

use super::{ResearchTask, free, judge, limits::ResearchLimits, plan, prompt::ModelPrompt, read, write};

/// The text and the calls of tools.
pub(super) fn answer(
    task: ResearchTask,
    prompt: &ModelPrompt,
    limits: &ResearchLimits,
) -> (String, Vec<Value>) {
    let value = match task {
        ResearchTask::Plan => plan::plan(prompt),
        ResearchTask::Brief => plan::brief(prompt),
        ResearchTask::Line => plan::line(prompt),
        ResearchTask::Choose => plan::choose(prompt),
        ResearchTask::Outline => plan::outline(prompt, limits),
        ResearchTask::Read => read::read(prompt, limits),
        ResearchTask::Survey => read::survey(prompt, limits),
        ResearchTask::Section => write::section(prompt, limits),
        ResearchTask::Synthesis => write::synthesis(prompt, limits),
        ResearchTask::Front => write::front(prompt, limits),
        ResearchTask::Write => write::write(prompt, limits),
        ResearchTask::Judge => judge::judge(prompt, limits),
        ResearchTask::Report => return (free::report(prompt, limits), Vec::new()),
        ResearchTask::Learnings => return (free::learnings(prompt, limits), Vec::new()),
        ResearchTask::Queries => return (free::queries(prompt), Vec::new()),
        ResearchTask::Tools => return (String::new(), free::tools(prompt)),
        ResearchTask::Other if prompt.fields.is_empty() => return (free::report(prompt, limits), Vec::new()),
        ResearchTask::Other => json!({}),
    };
    (value.to_string(), Vec::new())
}
