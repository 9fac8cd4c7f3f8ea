//! The official crate `rmcp` at /mcp, with both protocol generations: successful and rejected tool calls.

use crate::harness::{check, variable};
use rmcp::model::{CallToolRequestParams, CallToolResult, ErrorCode, ProtocolVersion};
use rmcp::service::RunningService;
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::{ClientLifecycleMode, ClientServiceExt, RoleClient, ServiceError};
use serde_json::{Value, json};

const TOOLS: [&str; 4] = ["get_coverage", "get_sleep", "get_night", "get_sleep_trend"];

/// Calls the tools in each of the crate's lifecycles.
pub fn run() -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
        let auto = ClientLifecycleMode::Auto {
            preferred_versions: preferred_versions.clone(),
            legacy_version: None,
        };
        let discover = ClientLifecycleMode::Discover { preferred_versions };
        call_tools("initialize", ClientLifecycleMode::Initialize).await?;
        call_tools("2026-07-28", discover.clone()).await?;
        call_tools("auto", auto).await?;
        let wrong_token = connect("rwp_wrong", discover).await;
        check("a wrong token does not connect", wrong_token.is_err(), "connected")
    })
}

async fn connect(
    token: &str,
    lifecycle: ClientLifecycleMode,
) -> anyhow::Result<RunningService<RoleClient, ()>> {
    let url = format!("{}/mcp", variable("BASE_URL")?);
    let config = StreamableHttpClientTransportConfig::with_uri(url).auth_header(token);
    let transport = StreamableHttpClientTransport::from_config(config);
    Ok(().serve_with_lifecycle(transport, lifecycle).await?)
}

async fn call_tools(name: &str, lifecycle: ClientLifecycleMode) -> anyhow::Result<()> {
    let is_modern = lifecycle != ClientLifecycleMode::Initialize;
    let client = connect(&variable("ASSISTANT_TOKEN")?, lifecycle).await?;
    let version = client.peer_info().map(|server| server.protocol_version.clone());
    let expected = if is_modern { ProtocolVersion::V_2026_07_28 } else { ProtocolVersion::V_2025_11_25 };
    check(&format!("{name}: the version"), version.as_ref() == Some(&expected), version)?;

    let tools = client.list_all_tools().await?;
    let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_ref()).collect();
    check(&format!("{name}: the tools that the scope allows"), names == TOOLS, names)?;
    let only_read = tools.iter().all(|tool| {
        tool.annotations.as_ref().is_some_and(|annotations| annotations.read_only_hint == Some(true))
    });
    check(&format!("{name}: all tools are read-only"), only_read, &tools)?;
    for tool in TOOLS {
        let result = call(&client, tool, json!({})).await?;
        let passed = result.is_error != Some(true) && result.structured_content.is_some();
        check(&format!("{name}: {tool} returns data"), passed, result)?;
    }
    let week = call(&client, "get_sleep", json!({ "from": variable("WEEK_AGO")? })).await?;
    let week = week.structured_content.unwrap_or_default();
    let nights = week["nights"].as_array().map_or(0, Vec::len);
    check(&format!("{name}: last week has its nights"), nights == 7, &week)?;
    check(&format!("{name}: the week has medians with n"), week["medians"][0]["n"] == 7, &week)?;
    let wrong = call(&client, "get_sleep", json!({ "from": "last week" })).await?;
    check(&format!("{name}: invalid arguments are explained"), wrong.is_error == Some(true), wrong)?;

    let unknown = call(&client, "get_all", json!({})).await;
    let is_invalid =
        matches!(&unknown, Err(ServiceError::McpError(error)) if error.code == ErrorCode::INVALID_PARAMS);
    check(&format!("{name}: an unknown tool"), is_invalid, unknown)?;
    let rejected = call(&client, "get_profile", json!({})).await;
    let challenge = rejected.as_ref().err().and_then(ServiceError::auth_challenge).unwrap_or_default();
    let names_scope = challenge.contains("insufficient_scope") && challenge.contains("scope=\"profile\"");
    check(&format!("{name}: a tool that needs another scope"), names_scope, &rejected)?;
    client.cancel().await?;
    Ok(())
}

async fn call(
    client: &RunningService<RoleClient, ()>,
    tool: &'static str,
    arguments: Value,
) -> Result<CallToolResult, ServiceError> {
    let arguments = arguments.as_object().cloned().unwrap_or_default();
    client.call_tool(CallToolRequestParams::new(tool).with_arguments(arguments)).await
}
