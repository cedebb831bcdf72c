//! The bare part: rmcp with one echo tool and nothing else, over stdio or HTTP. What ours is measured beside.

use std::sync::Arc;

use axum::serve::ListenerExt as _;
use rmcp::{
    ErrorData, RoleServer, ServerHandler, ServiceExt as _,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ListToolsResult, PaginatedRequestParams,
        ServerCapabilities, ServerConfig, Tool,
    },
    service::RequestContext,
    transport::streamable_http_server::{
        StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager,
    },
};
use serde_json::{Value, json};

#[derive(Clone)]
struct Echo {
    tools: Arc<Vec<Tool>>,
}

impl Echo {
    fn new() -> Self {
        let schema = json!({ "type": "object", "properties": { "text": { "type": "string" } } });
        let schema = schema.as_object().cloned().unwrap_or_default();
        let tool =
            Tool::new("echo", "Says it again", schema.clone()).with_raw_output_schema(Arc::new(schema));
        Self { tools: Arc::new(vec![tool]) }
    }
}

impl ServerHandler for Echo {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.tools.to_vec()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let text =
            request.arguments.and_then(|mut arguments| arguments.remove("text")).unwrap_or(Value::Null);
        Ok(CallToolResult::structured(json!({ "text": text })).into())
    }
}

#[tokio::main(worker_threads = 2)]
async fn main() -> anyhow::Result<()> {
    let Some(address) = std::env::args().nth(1) else {
        Echo::new().serve(rmcp::transport::stdio_pipes()).await?.waiting().await?;
        return Ok(());
    };
    let listener = tokio::net::TcpListener::bind(address).await?;
    probity_benches::output::line(&listener.local_addr()?.to_string());
    let echo = Echo::new();
    let config = StreamableHttpServerConfig::default().with_json_response(true);
    let service =
        StreamableHttpService::new(move || Ok(echo.clone()), LocalSessionManager::default().into(), config);
    let router = axum::Router::new().nest_service("/mcp", service);
    let listener = listener.tap_io(|socket| {
        // Without it the old era waits 40 ms for every answer: that would flatter ours.
        socket.set_nodelay(true).ok();
    });
    axum::serve(listener, router).await?;
    Ok(())
}
