//! Every method and every tool, well and badly called.

use probity_server::tools::ToolName;
use serde_json::{Value, json};

use crate::mcp::session::{ANSWER_LIMIT, McpSession, ProtocolEra};

/// Ways in which the provider misbehaves, and the good one.
const SCENARIOS: &[&str] = &[
    "completed duration_ms=200",
    "partial duration_ms=500",
    "failed",
    "incomplete",
    "expired",
    "budget-exceeded",
    "empty-report",
    "unknown-enums",
    "usage-missing",
    "huge bytes=300000",
    "garbage-get",
    "stream-error",
    "create-lost",
    "create-html",
    "create-cut-after-id",
    "error-400",
    "error-401",
    "error-403",
    "error-404-array",
    "error-429-daily",
    "error-500-html",
    "error-503-json",
    "cancel-ok duration_ms=60000",
    "cancel-400 duration_ms=60000",
    "cancel-404-array duration_ms=60000",
];

const NOBODY: &str = "res_00000000000000000000000000000000";

/// How many requests were made, and those that got no answer.
pub fn walk(session: &mut McpSession, era: ProtocolEra) -> (usize, Vec<String>) {
    let mut walk = ToolWalk { session, requests: 0, unanswered: Vec::new() };
    if era == ProtocolEra::Handshake {
        walk.requests += 1;
        if let Err(error) = walk.session.initialize() {
            walk.unanswered.push(format!("initialize: {error:#}"));
        }
    }
    walk.methods();
    walk.bad_calls();
    let ids = walk.starts();
    walk.good_calls(&ids);
    (walk.requests, walk.unanswered)
}

struct ToolWalk<'a> {
    session: &'a mut McpSession,
    requests: usize,
    unanswered: Vec<String>,
}

impl ToolWalk<'_> {
    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.requests += 1;
        let shown = format!("{method} {params}");
        let asked = self.session.ask(method, params);
        asked.and_then(|id| self.session.answer(id, ANSWER_LIMIT)).unwrap_or_else(|error| {
            self.unanswered.push(format!("{shown}: {error:#}"));
            Value::Null
        })
    }

    fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let progress = json!({ "progressToken": self.requests });
        self.ask("tools/call", json!({ "name": tool, "arguments": arguments, "_meta": progress }))
    }

    fn methods(&mut self) {
        for method in ["ping", "tools/list", "prompts/list", "resources/list", "resources/templates/list"] {
            self.ask(method, json!({}));
        }
        for method in ["server/discover", "logging/setLevel", "nobody/knows", "", "tasks/get", "tasks/cancel"]
        {
            self.ask(method, json!({ "level": "debug", "taskId": NOBODY }));
        }
        self.ask("resources/read", json!({ "uri": format!("research://{NOBODY}/report") }));
        self.ask("resources/read", json!({ "uri": "file:///etc/passwd" }));
        self.ask("resources/subscribe", json!({ "uri": format!("research://{NOBODY}/report") }));
        self.ask("prompts/get", json!({ "name": "nobody" }));
        self.ask("completion/complete", json!({ "ref": 7 }));
        self.ask("tools/call", json!({ "name": "no_such_tool", "arguments": {} }));
        self.ask("tools/call", json!({ "name": 7 }));
        self.ask("tools/call", json!({ "name": "list_research", "arguments": "text" }));
    }

    fn bad_calls(&mut self) {
        let bad = [
            json!({}),
            json!({ "task_id": 7, "query": 7 }),
            json!({ "task_id": "nonsense\u{1b}[31m\n", "query": "" }),
            json!({ "task_id": NOBODY, "question": "why?" }),
            json!({ "task_id": NOBODY, "nobody_knows": true }),
            json!({ "query": "x".repeat(40_000) }),
            json!({ "query": "why?", "model": "no-such-model" }),
            json!({ "status": "no-such-status", "cursor": "x", "limit": -1 }),
        ];
        for tool in ToolName::ALL {
            for arguments in &bad {
                self.call(tool.as_str(), arguments.clone());
            }
        }
    }

    /// Starts everything at once and returns the ids that were told, with their scenarios.
    fn starts(&mut self) -> Vec<(&'static str, String)> {
        let mut asked = Vec::new();
        for scenario in SCENARIOS {
            self.requests += 1;
            let arguments = json!({ "query": format!("[[{scenario}]] why?"), "enable_notifications": false });
            let params = json!({
                "name": "start_deep_research", "arguments": arguments, "_meta": { "progressToken": scenario },
            });
            if let Ok(id) = self.session.ask("tools/call", params) {
                asked.push((*scenario, id));
            }
        }
        let mut ids = Vec::new();
        for (scenario, id) in asked {
            match self.session.answer(id, ANSWER_LIMIT) {
                Ok(answer) => {
                    let told = answer.pointer("/result/structuredContent/task_id").and_then(Value::as_str);
                    ids.extend(told.map(|told| (scenario, told.to_owned())));
                }
                Err(error) => self.unanswered.push(format!("start {scenario}: {error:#}")),
            }
        }
        ids
    }

    fn good_calls(&mut self, ids: &[(&str, String)]) {
        self.call("list_research", json!({ "text": "why", "limit": 3 }));
        self.call("estimate_research_cost", json!({ "query": "why is the sky blue?" }));
        for (scenario, id) in ids {
            self.call("check_research_status", json!({ "task_id": id, "wait_seconds": 1 }));
            self.call("get_research_results", json!({ "task_id": id, "include_sources": false }));
            self.call("save_research_to_markdown", json!({ "task_id": id }));
            if scenario.starts_with("cancel") || scenario.starts_with("huge") {
                self.call("cancel_research", json!({ "task_id": id }));
            }
            self.ask("resources/read", json!({ "uri": format!("research://{id}/report") }));
            self.ask("resources/subscribe", json!({ "uri": format!("research://{id}/status") }));
            self.ask("tasks/get", json!({ "taskId": id }));
        }
        let completed = ids.iter().find(|(scenario, _)| scenario.starts_with("completed"));
        if let Some((_, id)) = completed {
            self.call("save_research_to_markdown", json!({ "task_id": id, "output_dir": "../../outside" }));
            self.call("follow_up_research", json!({ "task_id": id, "question": "[[follow-up]] and then?" }));
            let argument = json!({ "name": "id", "value": "res" });
            let template = json!({ "type": "ref/resource", "uri": "research://{id}/report" });
            self.ask("completion/complete", json!({ "ref": template, "argument": argument }));
        }
        // A line that nobody could read, and then one that must be answered all the same.
        self.session.send_bytes(b"this is not JSON\n{\"jsonrpc\":\"2.0\",\"id\":[]}\n").ok();
        self.ask("tools/list", json!({}));
    }
}
