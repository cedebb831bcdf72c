//! The bare part: rmcp with one echo tool and nothing else, over stdio or HTTP. What ours is measured beside.

use std::sync::Arc;

use axum::serve::ListenerExt as _;
use rmcp::{
    ErrorData, Json, RoleServer, ServerHandler, ServiceExt as _,
    handler::server::{
        router::tool::{ToolRoute, ToolRouter},
        tool::{ToolCallContext, schema_for_output},
        wrapper::Parameters,
    },
    model::{
        CallToolRequestParams, CallToolResponse, ListToolsResult, PaginatedRequestParams, ServerCapabilities,
        ServerConfig, Tool,
    },
    schemars::{self, JsonSchema},
    service::RequestContext,
    transport::streamable_http_server::{
        StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager,
    },
};
use serde::{Deserialize, Serialize};

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Said")]
struct EchoText {
    text: String,
}

/// As the library's own guide writes a server: typed arguments and answer, a router that is kept.
#[derive(Clone)]
struct EchoServer {
    router: Arc<ToolRouter<Self>>,
}

impl EchoServer {
    fn new() -> Self {
        let schema = schema_for_output::<EchoText>();
        let tool = Tool::new("echo", "Says it again", Arc::clone(&schema)).with_raw_output_schema(schema);
        let route = ToolRoute::new(tool, Self::echo);
        Self { router: Arc::new(ToolRouter::new().with_route(route)) }
    }

    fn echo(&self, Parameters(said): Parameters<EchoText>) -> Json<EchoText> {
        Json(said)
    }
}

impl ServerHandler for EchoServer {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.router.list_all()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        self.router.call(ToolCallContext::new(self, request, context)).await
    }
}

#[tokio::main(worker_threads = 2)]
async fn main() -> anyhow::Result<()> {
    let Some(address) = std::env::args().nth(1) else {
        EchoServer::new().serve(rmcp::transport::stdio_pipes()).await?.waiting().await?;
        return Ok(());
    };
    let listener = tokio::net::TcpListener::bind(address).await?;
    probity_benches::output::line(&listener.local_addr()?.to_string());
    let echo = EchoServer::new();
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
