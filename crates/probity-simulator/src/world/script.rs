//! Which steps a piece of work consists of. Derived from the scenario, never stored.

use super::{
    interaction::{Interaction, Turn},
    report,
    step::Step,
};
use crate::{rounds::Item, scenario::Name};

/// Every this many search rounds a page is read and a thought follows.
const ROUNDS_PER_READING: u32 = 2;

/// The steps of this interaction, in order.
pub(crate) fn steps(interaction: &Interaction) -> Vec<Step> {
    match interaction.turn {
        Turn::Plan { .. } => vec![Step::Thought { round: 0 }, Step::PlanOutput],
        Turn::Answer => answer(interaction),
        Turn::Round => round(interaction),
        Turn::Research | Turn::Execution => research(interaction),
    }
}

fn answer(interaction: &Interaction) -> Vec<Step> {
    let mut steps = vec![Step::Thought { round: 0 }];
    if interaction.tools.search {
        steps.extend([Step::SearchCall { round: 0 }, Step::SearchResult { round: 0 }]);
    }
    if interaction.tools.url {
        steps.extend([Step::PageCall { round: 0 }, Step::PageResult { round: 0 }]);
    }
    steps.push(Step::AnswerOutput);
    steps
}

/// A turn of the scripted model: look things up, unless it must not or does not, then answer.
fn round(interaction: &Interaction) -> Vec<Step> {
    let mut steps = vec![Step::Thought { round: 0 }];
    if interaction.item().is_some_and(Item::searches) && interaction.tools.search {
        steps.extend([Step::SearchCall { round: 0 }, Step::SearchResult { round: 0 }]);
        if interaction.tools.url {
            steps.extend([Step::PageCall { round: 0 }, Step::PageResult { round: 0 }]);
        }
    }
    let silent = matches!(interaction.scenario.name, Name::EmptyReport | Name::Incomplete | Name::Failed);
    if !silent && !interaction.item().is_some_and(Item::says_nothing) {
        steps.push(Step::RoundOutput);
    }
    steps
}

fn research(interaction: &Interaction) -> Vec<Step> {
    if interaction.scenario.name == Name::RequiresActionFinished {
        return vec![Step::ServerCall, Step::ServerResult, Step::ReportOutput { block: 0 }];
    }
    let mut steps = gathering(interaction);
    let blocks = report::block_count(interaction);
    let written = match interaction.scenario.name {
        Name::EmptyReport | Name::Incomplete | Name::Failed => 0,
        Name::BudgetExceeded => 1,
        _ => blocks,
    };
    if interaction.scenario.name == Name::UnknownEnums {
        steps.extend([Step::NeverSeen, Step::UnknownOutput]);
    }
    steps.extend((0..written).map(|block| Step::ReportOutput { block }));
    steps
}

fn gathering(interaction: &Interaction) -> Vec<Step> {
    let tools = interaction.tools;
    let mut steps = vec![Step::Thought { round: 0 }];
    for round in 0..interaction.scenario.steps {
        if tools.search {
            steps.extend([Step::SearchCall { round }, Step::SearchResult { round }]);
        }
        if round % ROUNDS_PER_READING == 0 {
            if tools.url {
                steps.extend([Step::PageCall { round }, Step::PageResult { round }]);
            }
            steps.push(Step::Thought { round: round + 1 });
        }
    }
    if tools.code {
        steps.extend([Step::CodeCall, Step::CodeResult]);
    }
    if tools.file {
        steps.extend([Step::FileCall, Step::FileResult]);
    }
    if tools.mcp {
        steps.extend([Step::ServerCall, Step::ServerResult]);
    }
    steps
}
