//! What `search`, `deep_search` and `deep_research` share: the way to a started research, and the shape of
//! its end. The rules of rounds are not here.

mod shape;

use probity_research::{
    Problem, estimate,
    plan::{Limits, Notify, Plan},
    query::Query,
    rounds::Manner,
};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    answer::Reply,
    caller::Caller,
    confirm::{self, Confirmed, Retried},
    desk::Wanted,
    face::Face,
    handover::hand_over,
    tools::start_deep_research::lower,
};

pub use shape::{Output, Round, ended};

/// All that a single round is told.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    pub query: String,
    pub confirmed_cost_usd: Option<f64>,
}

/// A call that has been understood.
pub struct Asked {
    pub query: String,
    pub wanted: Wanted,
    pub confirmed_cost_usd: Option<f64>,
    pub retried: Retried,
}

pub async fn start(face: &Face, caller: &Caller, asked: Asked) -> Result<Reply, Problem> {
    let rules = face.desk().rules();
    let query = Query::parse(&asked.query)?;
    let manner = asked.wanted.manner;
    let planned = face.desk().planned(asked.wanted, &query)?;
    let price = planned.estimate.unwrap_or_else(estimate::follow_up);
    let confirming = confirm::confirm(face, caller, &price, asked.confirmed_cost_usd, asked.retried);
    let accepted = match confirming.await? {
        Confirmed::Yes(accepted) => accepted,
        Confirmed::Not(reply) => return Ok(reply),
    };
    // Who asks for an answer within seconds sits before the screen.
    let notify = if manner == Manner::Search { Notify::Never } else { Notify::WhenDone };
    let limits = Limits::new(rules.deadline, lower(rules.budget, accepted));
    let plan = Plan { asked_by: caller.reach.principal().cloned(), notify, limits, ..planned };
    if caller.is_gone() {
        return Err(confirm::withdrawn());
    }
    let started = face.desk().start(query, plan).await?;
    hand_over(face, caller, started, rules.call_wait).await
}
