//! The tools: one file each, which says all that is known of it. Here are their list and the way to them.

pub mod arguments;
pub mod cancel_research;
pub mod check_citations;
pub mod check_research_status;
pub mod deep_research;
pub mod deep_search;
pub mod depth;
pub mod estimate_research_cost;
pub mod follow_up_research;
pub mod get_research_results;
pub mod list_research;
pub mod meanings;
pub mod save_research_to_markdown;
pub mod schema;
pub mod search;
pub mod start_deep_research;

use std::sync::{Arc, LazyLock};

use probity_research::{Code, CodedError, scope::KeyScope, spending::RepeatRule};
use rmcp::model::{InputResponses, JsonObject, Tool, ToolAnnotations};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use arguments::{ArgumentRules, TakenArguments};
pub use list_research::LOOK_BEFORE_RETRY;

use crate::{answer::ToolReply, caller::Caller, confirm::RetryContext, mcp_server::McpServer};

/// What is known of a tool, told once in its own file. There is no default: whoever adds a tool says all of it.
#[derive(Debug, Clone, Copy)]
pub struct ToolFacts {
    pub name: &'static str,
    /// For models: what it does, what it costs, what to call next.
    pub description: &'static str,
    pub effect: ToolEffect,
    /// What a caller must be allowed to do.
    pub scope: KeyScope,
    pub view: ToolView,
    pub schemas: ToolSchemas,
}

impl ToolFacts {
    fn argument_rules(&self) -> ArgumentRules {
        ArgumentRules::of(self.name, &(self.schemas.full_input)())
    }
}

/// What a tool does to the world, for clients that ask before they call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolEffect {
    Reads,
    /// Starts paid work with a provider.
    Spends,
    /// Changes something of ours; doing it twice changes nothing more.
    Settles,
    /// Adds a file.
    Adds,
}

/// What a host with an interface shows beside the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolView {
    /// A run that goes on or has ended.
    Progress,
    Absent,
}

/// The shapes of a tool's arguments and of its answer.
#[derive(Debug, Clone, Copy)]
pub struct ToolSchemas {
    input: fn() -> Arc<JsonObject>,
    full_input: fn() -> Arc<JsonObject>,
    output: fn() -> Arc<JsonObject>,
    full_output: fn() -> Arc<JsonObject>,
}

impl ToolSchemas {
    const fn of<I: JsonSchema, O: JsonSchema>() -> Self {
        Self {
            input: schema::input::<I>,
            full_input: schema::full_input::<I>,
            output: schema::output::<O>,
            full_output: schema::full_output::<O>,
        }
    }
}

/// `ToolName` with `ALL` and `facts`, and the way to each tool, from one row each: a variant and its file.
macro_rules! tools {
    ($($variant:ident => $module:ident,)+) => {
        /// Every tool there is. The order is the order of the list.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum ToolName { $($variant),+ }

        impl ToolName {
            pub const ALL: [Self; [$(stringify!($variant)),+].len()] = [$(Self::$variant),+];

            pub const fn facts(self) -> &'static ToolFacts {
                match self { $(Self::$variant => &$module::FACTS),+ }
            }

            /// How its arguments are read. Made once: it follows from the code alone.
            pub fn argument_rules(self) -> &'static ArgumentRules {
                match self {
                    $(Self::$variant => {
                        static RULES: LazyLock<ArgumentRules> = LazyLock::new(|| $module::FACTS.argument_rules());
                        &RULES
                    })+
                }
            }
        }

        async fn run_tool(
            server: &McpServer,
            caller: &Caller,
            name: ToolName,
            call: ToolCall,
        ) -> Result<ToolReply, CodedError> {
            // Boxed: the largest of them would make every caller's future as large.
            match name {
                $(ToolName::$variant => {
                    Box::pin($module::run(server, caller, call)).await.map(ToolReply::from)
                })+
            }
        }
    };
}

tools! {
    StartDeepResearch => start_deep_research,
    CheckResearchStatus => check_research_status,
    GetResearchResults => get_research_results,
    CancelResearch => cancel_research,
    EstimateResearchCost => estimate_research_cost,
    SaveResearchToMarkdown => save_research_to_markdown,
    ListResearch => list_research,
    FollowUpResearch => follow_up_research,
    Search => search,
    DeepSearch => deep_search,
    DeepResearch => deep_research,
    CheckCitations => check_citations,
}

impl ToolName {
    pub const fn as_str(self) -> &'static str {
        self.facts().name
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|name| name.as_str() == text)
    }

    /// What is said of a tool that does not exist: the one that was meant, if that is clear, and all.
    pub fn unknown(text: &str) -> String {
        let known = Self::ALL.map(Self::as_str);
        let meant = arguments::closest(&arguments::snake_case(text), &known)
            .map(|name| format!(" did you mean {name}?"));
        format!(
            "there is no tool `{}`;{} known: {}",
            probity_research::text::line(text, 80),
            meant.unwrap_or_default(),
            known.join(", ")
        )
    }

    /// What a caller must be allowed to do.
    pub const fn scope(self) -> KeyScope {
        self.facts().scope
    }

    /// As `tools/list` tells it.
    pub fn definition(self) -> Tool {
        let ToolFacts { name, description, effect, scope: _, view: _, schemas } = *self.facts();
        let hints = ToolAnnotations::new();
        let hints = match effect {
            ToolEffect::Reads => hints.read_only(true).open_world(false),
            ToolEffect::Spends => hints.destructive(false),
            ToolEffect::Settles => hints.destructive(false).idempotent(true),
            ToolEffect::Adds => hints.destructive(false).open_world(false),
        };
        Tool::new(name, description, (schemas.input)())
            .with_raw_output_schema((schemas.output)())
            .with_annotations(hints)
    }

    /// The full schema of its answer, for the reference page.
    pub fn full_output_schema(self) -> Arc<JsonObject> {
        (self.facts().schemas.full_output)()
    }
}

/// One call.
pub struct ToolCall {
    pub arguments: JsonObject,
    pub input_responses: Option<InputResponses>,
    pub request_state: Option<String>,
}

/// What the argument `again` says.
fn repeat_rule(again: bool) -> RepeatRule {
    if again { RepeatRule::StartAnother } else { RepeatRule::ReturnRunning }
}

impl ToolCall {
    /// What this call returns from an earlier one. Read before the arguments are taken out.
    pub fn retry_context(&mut self, tool: ToolName, caller: &Caller) -> RetryContext {
        RetryContext::of(self, tool, &caller.reach)
    }

    /// The arguments, which `ArgumentRules` have read before.
    pub fn input<T: DeserializeOwned>(&mut self) -> Result<T, CodedError> {
        let arguments = serde_json::Value::Object(std::mem::take(&mut self.arguments));
        serde_json::from_value(arguments)
            .map_err(|error| CodedError::new(Code::InvalidArguments, &format!("unfit arguments: {error}")))
    }
}

pub async fn call(
    server: &McpServer,
    caller: &Caller,
    name: ToolName,
    mut call: ToolCall,
) -> Result<ToolReply, CodedError> {
    caller.require_scope(name.scope())?;
    let TakenArguments { values, notes } = name.argument_rules().read(call.arguments)?;
    call.arguments = values;
    let reply = run_tool(server, caller, name, call).await?;
    Ok(if notes.is_empty() { reply } else { reply.with_remark(&notes.join(" ")) })
}

#[cfg(test)]
mod tests;
