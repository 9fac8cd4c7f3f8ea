//! Protocol versions, results, and the differences between the eras.

use super::client::{Assistant, MODERN, modern_request, person};
use crate::e2e::response::ReceivedResponse;
use crate::e2e::server::Server;
use crate::e2e::world::World;
use serde_json::{Value, json};

const VERSIONS: [&str; 4] = ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26"];

fn assistant(world: &World) -> (Server, Assistant) {
    let user = person(world);
    let server = world.serve();
    let assistant = Assistant::with_scopes(world, &server, &user, &["sleep", "profile"]);
    (server, assistant)
}

/// Sends a modern call of a tool with these headers.
async fn call(assistant: &Assistant, headers: &[(&'static str, &str)]) -> ReceivedResponse {
    assistant.post(&modern_request("tools/call", json!({ "name": "get_profile" })), headers).await
}

on_sqlite! {
    async fn initialize_agrees_on_a_version_2025_11_25_lifecycle_version_negotiation(world: World) {
        let (_server, assistant) = assistant(&world);
        for (asked, agreed) in [
            ("2025-11-25", "2025-11-25"), ("2025-06-18", "2025-06-18"), ("2025-03-26", "2025-03-26"),
            ("2024-11-05", "2025-11-25"), ("2026-07-28", "2025-11-25"), ("1.0", "2025-11-25"),
        ] {
            let params = json!({ "protocolVersion": asked, "capabilities": {} });
            let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params });
            let result = assistant.post(&body, &[]).await.result();
            assert_eq!(result["protocolVersion"], agreed);
            assert_eq!((&result["capabilities"], &result["serverInfo"]["name"]), (&json!({ "tools": {} }), &json!("restwell")));
        }
        assistant.legacy("initialize", &json!({ "protocolVersion": 7 })).await.assert_error(200, -32_602);
    }

    async fn ping_is_answered_with_an_empty_result_2025_11_25_utilities_ping(world: World) {
        let (_server, assistant) = assistant(&world);
        assert_eq!(assistant.legacy("ping", &json!({})).await.result(), json!({}));
    }

    async fn discover_names_versions_and_capabilities_2026_07_28_server_discover(world: World) {
        let (_server, assistant) = assistant(&world);
        let result = assistant.modern("server/discover", json!({})).await.result();
        assert_eq!(result["supportedVersions"], json!(VERSIONS));
        assert_eq!((&result["resultType"], &result["capabilities"]), (&json!("complete"), &json!({ "tools": {} })));
        assert_eq!(result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "restwell");
        assert!(result["instructions"].as_str().is_some_and(|text| text.len() < 1_000));
    }

    /// MCP 2026-07-28, Caching, Cacheable Results.
    async fn discovery_and_tools_may_be_kept_for_an_hour(world: World) {
        let (_server, assistant) = assistant(&world);
        for (method, scope) in [("server/discover", "public"), ("tools/list", "private")] {
            let result = assistant.modern(method, json!({})).await.result();
            assert_eq!((&result["ttlMs"], &result["cacheScope"]), (&json!(3_600_000), &json!(scope)));
        }
    }

    async fn every_response_has_the_id_of_its_request_2026_07_28_basic_result_responses(world: World) {
        let (_server, assistant) = assistant(&world);
        for id in [json!("a"), json!(""), json!("7"), json!(7), json!(0), json!(-1), json!(i64::MIN), json!(u64::MAX)] {
            for (method, name) in [("tools/list", None), ("tools/call", Some("get_profile")), ("tools/call", Some("no_tool")), ("none", None)] {
                let params = name.map_or(json!({}), |name| json!({ "name": name }));
                let mut modern = modern_request(method, params.clone());
                modern["id"] = id.clone();
                let headers = [("mcp-protocol-version", MODERN), ("mcp-method", method), ("mcp-name", name.unwrap_or_default())];
                let legacy = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
                for answer in [assistant.post(&modern, &headers).await, assistant.post(&legacy, &[]).await] {
                    assert_eq!(answer.json()["id"], id, "{}", answer.text);
                    assert_eq!(answer.json()["result"].is_object(), name == Some("get_profile") || method == "tools/list");
                }
            }
        }
    }

    async fn every_result_is_complete_2026_07_28_basic_resulttype(world: World) {
        let (_server, assistant) = assistant(&world);
        for (method, params, is_error) in [
            ("server/discover", json!({}), Value::Null),
            ("tools/list", json!({}), Value::Null),
            ("tools/call", json!({ "name": "get_profile" }), json!(false)),
            ("tools/call", json!({ "name": "get_profile", "arguments": { "x": 1 } }), json!(true)),
        ] {
            let result = assistant.modern(method, params).await.result();
            assert_eq!((&result["resultType"], &result["isError"]), (&json!("complete"), &is_error), "{result}");
        }
    }

    /// MCP 2026-07-28, Streamable HTTP, Server Validation.
    async fn a_header_that_differs_from_the_body_is_32020(world: World) {
        let (_server, assistant) = assistant(&world);
        let version = ("mcp-protocol-version", MODERN);
        let method = ("mcp-method", "tools/call");
        let name = ("mcp-name", "get_profile");
        assert_eq!(call(&assistant, &[version, method, name]).await.status, 200);
        assert_eq!(call(&assistant, &[version, method, ("mcp-name", "=?base64?Z2V0X3Byb2ZpbGU=?=")]).await.status, 200);
        for headers in [
            &[method, name][..],
            &[version, name],
            &[version, method],
            &[("mcp-protocol-version", "2025-11-25"), method, name],
            &[("mcp-protocol-version", "1999-01-01"), method, name],
            &[version, ("mcp-method", "tools/list"), name],
            &[version, ("mcp-method", "TOOLS/CALL"), name],
            &[version, method, ("mcp-name", "get_sleep")],
            &[version, method, ("mcp-name", "=?base64?????=")],
        ] {
            let answer = call(&assistant, headers).await;
            answer.assert_error(400, -32_020);
            assert_eq!(answer.json()["id"], "a", "{headers:?}");
        }
    }

    /// MCP 2026-07-28, Versioning, Protocol Version Negotiation.
    async fn an_unknown_version_is_32022(world: World) {
        let (_server, assistant) = assistant(&world);
        let mut body = modern_request("tools/list", json!({}));
        body["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("1999-01-01");
        let headers = [("mcp-protocol-version", "1999-01-01"), ("mcp-method", "tools/list")];
        let error = assistant.post(&body, &headers).await.assert_error(400, -32_022);
        assert_eq!(error["data"], json!({ "supported": VERSIONS, "requested": "1999-01-01" }));
    }

    /// MCP 2025-11-25, Transports, Protocol Version Header.
    async fn an_unknown_version_in_the_header_is_400(world: World) {
        let (_server, assistant) = assistant(&world);
        for body in [
            json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" }),
            json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
        ] {
            assistant.post(&body, &[("mcp-protocol-version", "1999-01-01")]).await.assert_error(400, -32_022);
        }
    }

    async fn incomplete_metadata_is_32602_2026_07_28_basic_meta(world: World) {
        let (_server, assistant) = assistant(&world);
        let headers = [("mcp-protocol-version", MODERN), ("mcp-method", "tools/list")];
        let whole = modern_request("tools/list", json!({}));
        for key in ["protocolVersion", "clientCapabilities"] {
            let mut body = whole.clone();
            body["params"]["_meta"][format!("io.modelcontextprotocol/{key}")] = Value::Null;
            assistant.post(&body, &headers).await.assert_error(400, -32_602);
        }
        let mut body = whole.clone();
        body["params"].as_object_mut().expect("object").remove("_meta");
        assistant.post(&body, &headers).await.assert_error(400, -32_602);
        let mut body = whole;
        body["params"]["_meta"].as_object_mut().expect("object").remove("io.modelcontextprotocol/clientInfo");
        assert_eq!(assistant.post(&body, &headers).await.status, 200);
    }

    /// MCP 2026-07-28, Streamable HTTP, Protocol Version Header.
    async fn an_unknown_method_is_404_with_32601(world: World) {
        let (_server, assistant) = assistant(&world);
        for method in ["resources/list", "prompts/list", "subscriptions/listen", "initialize", "ping", "", "tools/List"] {
            assistant.modern(method, json!({})).await.assert_error(404, -32_601);
        }
    }

    /// MCP 2025-11-25, Basic, Responses.
    async fn an_unknown_method_of_the_legacy_era_is_a_json_rpc_error(world: World) {
        let (_server, assistant) = assistant(&world);
        for method in ["resources/list", "prompts/get", "server/discover", "logging/setLevel"] {
            assistant.legacy(method, &json!({})).await.assert_error(200, -32_601);
        }
        assistant.legacy("tools/list", &json!({ "cursor": "x" })).await.assert_error(200, -32_602);
        assistant.modern("tools/list", json!({ "cursor": "x" })).await.assert_error(400, -32_602);
    }

    async fn both_eras_call_the_same_tools_2026_07_28_versioning_backward_compatibility(world: World) {
        let (_server, assistant) = assistant(&world);
        let modern = assistant.call("get_profile", json!({})).await;
        let legacy = assistant.legacy("tools/call", &json!({ "name": "get_profile" })).await.result();
        assert_eq!(legacy["structuredContent"], modern);
        assert!(legacy.get("resultType").is_none() && legacy.get("_meta").is_none(), "{legacy}");
        assert_eq!(modern["profile"]["birth_date"], "1985-04-12");
    }
}
