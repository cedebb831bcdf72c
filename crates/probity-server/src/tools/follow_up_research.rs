//! `follow_up_research`: a further question on a finished research, with its context.

use probity_research::{
    Code, Problem,
    agent::AgentName,
    estimate::follow_up,
    plan::{Limits, Notify, Plan, Turn},
    principal::Principal,
    query::Query,
    status::{Status, Summary},
};
use rmcp::model::Tool;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Call, Effect, ToolName, defined, start_deep_research::Output};
use crate::{
    answer::Reply, caller::Caller, desk::Rules, face::Face, handover::hand_over,
    tools::get_research_results::not_finished,
};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// A completed research
    pub task_id: String,
    pub question: String,
}

pub fn definition() -> Tool {
    defined::<Input, Output>(
        ToolName::FollowUpResearch,
        "Ask a further question about a completed research, with its context. Cheaper and faster than a new \
         research (usually under a minute); returns the answer or a new task_id.",
        Effect::Spends,
    )
}

pub async fn run(face: &Face, caller: &Caller, mut call: Call) -> Result<Reply, Problem> {
    let input: Input = call.input()?;
    let query = Query::parse(&input.question)?;
    let before = face.find(caller, &input.task_id).await?;
    let rules = face.desk().rules();
    let plan = plan(rules, &before, caller.reach.principal().cloned())?;
    let started = face.desk().start(query, plan).await?;
    hand_over(face, caller, started, rules.call_wait).await
}

/// What a further question on `before` is allowed to do.
pub fn plan(rules: &Rules, before: &Summary, asked_by: Option<Principal>) -> Result<Plan, Problem> {
    let remote_id = continues(before)?;
    Ok(Plan {
        turn: Turn::FollowUp,
        continues: Some(remote_id),
        follows: Some(before.id),
        asked_by,
        notify: Notify::Never,
        estimate: Some(follow_up()),
        ..Plan::new(
            AgentName::parse(&before.agent, &rules.agents)?,
            Limits::new(rules.deadline, rules.budget),
        )
    })
}

/// The provider's id of the run to continue.
fn continues(before: &Summary) -> Result<String, Problem> {
    if let Some(rounds) = before.rounds {
        let message = format!(
            "a {} was answered by a model in rounds, which cannot be continued; ask the further question as a \
             search of its own",
            rounds.manner.as_str()
        );
        return Err(Problem::new(Code::InvalidArguments, &message));
    }
    match (before.status, &before.remote_id) {
        (Status::Completed, Some(remote_id)) => Ok(remote_id.clone()),
        (status, _) if !status.is_final() => Err(not_finished(before)),
        (status, _) => {
            let message =
                format!("only a completed research can be continued; this one is {}", status.as_str());
            Err(Problem::new(Code::InvalidArguments, &message))
        }
    }
}
