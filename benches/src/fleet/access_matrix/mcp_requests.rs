//! The same at the MCP face: every tool and resource that takes an id.

use serde_json::{Value, json};

use super::{
    super::test_bed::plain_http,
    AccessMatrixTally, CANARY, NOBODY,
    tokens::{TestToken, TokenExpectation},
};

const MODERN: &str = "2026-07-28";
/// Where a tool names a research.
const ID_FIELDS: &[&str] = &["task_id", "research_id", "id"];

/// Tools that take the id of a research, with the name of that field, as the service lists them.
pub fn tools_by_id(base: &str, own: &str) -> anyhow::Result<Vec<(String, String)>> {
    let token =
        TestToken { name: "own".to_owned(), text: own.to_owned(), expect: TokenExpectation::Stranger };
    let (_, body) = call(base, &token, "tools/list", json!({}))?;
    let text =
        body.lines().filter_map(|line| line.strip_prefix("data: ")).next_back().unwrap_or(&body).to_owned();
    let answer: Value = serde_json::from_str(&text)?;
    let tools = answer.pointer("/result/tools").and_then(Value::as_array).cloned().unwrap_or_default();
    let mut found = Vec::new();
    for tool in tools {
        let name = tool.get("name").and_then(Value::as_str).unwrap_or_default();
        let field = ID_FIELDS
            .iter()
            .find(|field| tool.pointer(&format!("/inputSchema/properties/{field}")).is_some());
        found.extend(field.map(|field| (name.to_owned(), (*field).to_owned())));
    }
    Ok(found)
}

pub fn try_all(
    base: &str,
    tools: &[(String, String)],
    token: &TestToken,
    id: &str,
    found: &mut AccessMatrixTally,
) -> anyhow::Result<()> {
    for (tool, field) in tools {
        let params = |id: &str| json!({"name": tool, "arguments": {field: id, "question": "and then?"}});
        let (status, body) = call(base, token, "tools/call", params(id))?;
        judge(found, token, tool, status, &body);
        if token.expect == TokenExpectation::Stranger {
            let (unknown, unknown_body) = call(base, token, "tools/call", params(NOBODY))?;
            if unknown != status || unknown_body.replace(NOBODY, id) != body {
                found
                    .unauthorised
                    .push(format!("{tool} tells {id} from an unknown id: {body} / {unknown_body}"));
            }
        }
    }
    for uri in ["report", "sources", "evidence", "rounds/1"].map(|part| format!("research://{id}/{part}")) {
        let (status, body) = call(base, token, "resources/read", json!({"uri": uri}))?;
        judge(found, token, &uri, status, &body);
    }
    for method in ["tools/list", "resources/list"] {
        let (status, body) = call(base, token, method, json!({}))?;
        judge(found, token, method, status, &body);
    }
    Ok(())
}

fn judge(found: &mut AccessMatrixTally, token: &TestToken, what: &str, status: u16, body: &str) {
    found.cells += 1;
    let refused = token.expect != TokenExpectation::Refused || status == 401;
    if !refused || body.contains(CANARY) {
        found.unauthorised.push(format!("{what} with {}: {status}", token.name));
    }
}

fn call(base: &str, token: &TestToken, method: &str, params: Value) -> anyhow::Result<(u16, String)> {
    let mut params = params;
    if let Some(params) = params.as_object_mut() {
        params.insert(
            "_meta".to_owned(),
            json!({
                "io.modelcontextprotocol/protocolVersion": MODERN,
                "io.modelcontextprotocol/clientInfo": {"name": "figures", "version": "1"},
                "io.modelcontextprotocol/clientCapabilities": {},
            }),
        );
    }
    let name = params
        .get("name")
        .or_else(|| params.get("uri"))
        .and_then(Value::as_str)
        .unwrap_or_default()
        .to_owned();
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
    let authorization = format!("Bearer {}", token.text);
    let mut headers = vec![
        ("accept", "application/json, text/event-stream"),
        ("mcp-protocol-version", MODERN),
        ("mcp-method", method),
    ];
    if !name.is_empty() {
        headers.push(("mcp-name", &name));
    }
    if !token.text.is_empty() {
        headers.push(("authorization", &authorization));
    }
    plain_http::post(&format!("{base}/mcp"), &headers, &body)
}
