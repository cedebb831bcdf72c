//! The yes that a paid start needs from the user of the command line. What MCP clients and the local page need
//! stands with them.

use clap::Args;
use probity_research::{
    Code,
    approval::{Approval, ApprovalChannel},
    cost::MicroUsd,
    plan::Plan,
    spending::{self, RepeatRule},
};

use crate::{command_context::CommandContext, command_error::CommandError, output::Tone, settings::Settings};

/// The flags of every command that may start paid work.
#[derive(Debug, Clone, Copy, Args)]
pub struct ApprovalArguments {
    /// Start without being asked, whatever it may cost
    #[arg(long)]
    pub yes: bool,
    /// Start another although this very research is running
    #[arg(long)]
    pub again: bool,
}

impl ApprovalArguments {
    pub fn repeat(self) -> RepeatRule {
        if self.again { RepeatRule::StartAnother } else { RepeatRule::ReturnRunning }
    }
}

/// How this start can be approved.
#[derive(Debug, Clone, Copy)]
pub struct ApprovalRequest {
    /// `--yes`.
    pub yes: bool,
    /// `--budget` was typed: whoever names an amount accepts it.
    pub budget: bool,
    /// The plan is on the screen already, and the user wants to be asked.
    pub plan_shown: bool,
}

/// The approval of this plan; none if the user said no. Rows of the plan are shown before a question.
pub fn approve(
    context: &CommandContext,
    settings: &Settings,
    plan: &Plan,
    request: ApprovalRequest,
    rows: impl FnOnce() -> Vec<(&'static str, String)>,
) -> Result<Option<Approval>, CommandError> {
    let output = &context.output;
    let most = spending::highest_price(plan);
    let by_flag = Approval::new(ApprovalChannel::Flag, plan.limits.budget);
    if request.yes {
        return Ok(Some(by_flag));
    }
    if !request.plan_shown {
        if request.budget {
            return Ok(Some(by_flag));
        }
        if most <= settings.ask_above {
            return Ok(Some(Approval::new(ApprovalChannel::Setting, plan.limits.budget)));
        }
        if !output.can_ask() {
            return Err(unasked_error(most, settings.ask_above));
        }
        output.print_message(&output.style_err(Tone::Strong, "plan"));
        output.print_message(&output.rows(&rows()));
    }
    let yes = output.confirm(&format!("Start this research? It may cost up to {most}."));
    if !yes {
        output.print_message("nothing was started");
    }
    let up_to = plan.limits.budget.map_or(most, |budget| budget.min(most));
    Ok(yes.then(|| Approval::new(ApprovalChannel::Terminal, Some(up_to))))
}

/// The same plan, approved: it may spend the amount that was named, and no more.
pub fn approved(mut plan: Plan, approval: Approval) -> Plan {
    plan.limits.budget = plan.limits.budget.or(approval.up_to);
    plan.approval = Some(approval);
    plan
}

fn unasked_error(most: MicroUsd, ask_above: MicroUsd) -> CommandError {
    let message = format!(
        "this may cost up to {most}, and more than {ask_above} needs a yes; there is no terminal to ask at, so \
         nothing was started"
    );
    CommandError::new(Code::InvalidArguments, &message)
        .with_hint("add `--yes` to accept it, or `--budget USD` to limit what it may cost")
}
