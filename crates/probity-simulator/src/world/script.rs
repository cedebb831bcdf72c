//! Which steps a piece of work consists of. Derived from the scenario, never stored.

use super::{
    interaction::{Interaction, SimulatedTurnKind},
    report,
    step::WorkStep,
};
use crate::{rounds::Item, scenario::Name};

/// Every this many search rounds a page is read and a thought follows.
const ROUNDS_PER_READING: u32 = 2;

/// The steps of this interaction, in order.
pub(crate) fn steps(interaction: &Interaction) -> Vec<WorkStep> {
    match interaction.turn {
        SimulatedTurnKind::Plan { .. } => vec![WorkStep::Thought { round: 0 }, WorkStep::PlanOutput],
        SimulatedTurnKind::Answer => answer(interaction),
        SimulatedTurnKind::Round => round(interaction),
        SimulatedTurnKind::Research | SimulatedTurnKind::Execution => research(interaction),
    }
}

fn answer(interaction: &Interaction) -> Vec<WorkStep> {
    let mut steps = vec![WorkStep::Thought { round: 0 }];
    if interaction.tools.search {
        steps.extend([WorkStep::SearchCall { round: 0 }, WorkStep::SearchResult { round: 0 }]);
    }
    if interaction.tools.url {
        steps.extend([WorkStep::PageCall { round: 0 }, WorkStep::PageResult { round: 0 }]);
    }
    steps.push(WorkStep::AnswerOutput);
    steps
}

/// A turn of the scripted model: uses tools, unless it must not or does not, then answers.
fn round(interaction: &Interaction) -> Vec<WorkStep> {
    let mut steps = vec![WorkStep::Thought { round: 0 }];
    if interaction.item().is_some_and(Item::searches) && interaction.tools.search {
        steps.extend([WorkStep::SearchCall { round: 0 }, WorkStep::SearchResult { round: 0 }]);
        if interaction.tools.url {
            steps.extend([WorkStep::PageCall { round: 0 }, WorkStep::PageResult { round: 0 }]);
        }
    }
    let silent = matches!(interaction.scenario.name, Name::EmptyReport | Name::Incomplete | Name::Failed);
    if !silent && !interaction.item().is_some_and(Item::says_nothing) {
        steps.push(WorkStep::RoundOutput);
    }
    steps
}

fn research(interaction: &Interaction) -> Vec<WorkStep> {
    if interaction.scenario.name == Name::RequiresActionFinished {
        return vec![WorkStep::ServerCall, WorkStep::ServerResult, WorkStep::ReportOutput { block: 0 }];
    }
    let mut steps = gathering(interaction);
    let blocks = report::block_count(interaction);
    let written = match interaction.scenario.name {
        Name::EmptyReport | Name::Incomplete | Name::Failed => 0,
        Name::BudgetExceeded => 1,
        _ => blocks,
    };
    if interaction.scenario.name == Name::UnknownEnums {
        steps.extend([WorkStep::NeverSeen, WorkStep::UnknownOutput]);
    }
    steps.extend((0..written).map(|block| WorkStep::ReportOutput { block }));
    steps
}

fn gathering(interaction: &Interaction) -> Vec<WorkStep> {
    let tools = interaction.tools;
    let mut steps = vec![WorkStep::Thought { round: 0 }];
    for round in 0..interaction.scenario.steps {
        if tools.search {
            steps.extend([WorkStep::SearchCall { round }, WorkStep::SearchResult { round }]);
        }
        if round % ROUNDS_PER_READING == 0 {
            if tools.url {
                steps.extend([WorkStep::PageCall { round }, WorkStep::PageResult { round }]);
            }
            steps.push(WorkStep::Thought { round: round + 1 });
        }
    }
    if tools.code {
        steps.extend([WorkStep::CodeCall, WorkStep::CodeResult]);
    }
    if tools.file {
        steps.extend([WorkStep::FileCall, WorkStep::FileResult]);
    }
    if tools.mcp {
        steps.extend([WorkStep::ServerCall, WorkStep::ServerResult]);
    }
    steps
}
