//! HTTP below the messages.

use super::client::{Assistant, modern_request, person};
use crate::e2e::world::World;
use reqwest::Method;
use serde_json::json;

on_sqlite! {
    async fn get_and_delete_are_405_2026_07_28_streamable_http_earlier_revisions(world: World) {
        let user = person(&world);
        let server = world.serve();
        let assistant = Assistant::with_scopes(&world, &server, &user, &["sleep"]);
        for method in [Method::GET, Method::DELETE, Method::PUT, Method::OPTIONS, Method::HEAD] {
            let answer = assistant.send(assistant.request(method.clone())).await;
            assert_eq!((answer.status.as_u16(), answer.header("allow")), (405, "POST"), "{method}");
        }
    }

    async fn a_foreign_origin_is_403_2026_07_28_streamable_http_security_and_endpoint(world: World) {
        let user = person(&world);
        let world = world.with("RESTWELL__CORS__ALLOWED_ORIGINS", "https://app.example");
        let server = world.serve();
        let assistant = Assistant::with_scopes(&world, &server, &user, &["sleep"]);
        let ping = json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" });
        for origin in ["https://evil.example", "null", "http://127.0.0.1:1", "http://localhost"] {
            let answer = assistant.post(&ping, &[("origin", origin)]).await;
            let error = answer.assert_error(403, 403);
            assert_eq!(error["data"]["code"], "foreign_origin", "{origin}");
        }
        assert_eq!(assistant.post(&ping, &[("origin", "https://app.example")]).await.status, 200);
        assert_eq!(assistant.post(&ping, &[]).await.status, 200);
        // Before the token is looked at.
        let stranger = Assistant::new(&server, "none");
        stranger.post(&ping, &[("origin", "https://evil.example")]).await.assert_error(403, 403);
    }

    async fn a_listed_origin_may_post_from_a_browser(world: World) {
        let user = person(&world);
        let world = world.with("RESTWELL__CORS__ALLOWED_ORIGINS", "https://app.example");
        let server = world.serve();
        let assistant = Assistant::with_scopes(&world, &server, &user, &["sleep"]);
        let preflight = assistant.request(Method::OPTIONS).header("origin", "https://app.example");
        let answer = assistant.send(preflight.header("access-control-request-method", "POST")).await;
        assert_eq!((answer.status.as_u16(), answer.header("access-control-allow-methods")), (204, "POST"));
        assert!(answer.header("access-control-allow-headers").contains("MCP-Protocol-Version"));
        let ping = json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" });
        let answer = assistant.post(&ping, &[("origin", "https://app.example")]).await;
        assert_eq!(answer.header("access-control-allow-origin"), "https://app.example");
    }

    async fn a_notification_is_202_without_a_body_2025_11_25_transports_sending_messages(world: World) {
        let user = person(&world);
        let server = world.serve();
        let assistant = Assistant::with_scopes(&world, &server, &user, &["sleep"]);
        for body in [
            json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
            json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 1 } }),
            json!({ "jsonrpc": "2.0", "id": 3, "result": {} }),
            json!([{ "jsonrpc": "2.0", "method": "notifications/initialized" }]),
        ] {
            let answer = assistant.post(&body, &[]).await;
            assert_eq!((answer.status.as_u16(), answer.text.as_str()), (202, ""), "{body}");
        }
    }

    async fn a_body_of_10_mb_is_413(world: World) {
        let user = person(&world);
        let server = world.serve();
        let assistant = Assistant::with_scopes(&world, &server, &user, &["sleep"]);
        let long = "x".repeat(10 * 1024 * 1024);
        let request = assistant.request(Method::POST).header("content-type", "application/json");
        let answer = assistant.send(request.body(format!("\"{long}\""))).await;
        assert_eq!(answer.assert_error(413, 413)["data"]["code"], "payload_too_large");
        let smaller = json!({ "jsonrpc": "2.0", "id": 1, "method": "ping", "params": { "x": "y".repeat(16_000) } });
        assert_eq!(assistant.post(&smaller, &[]).await.status, 200);
    }

    async fn other_media_types_are_415(world: World) {
        let user = person(&world);
        let server = world.serve();
        let assistant = Assistant::with_scopes(&world, &server, &user, &["sleep"]);
        for kind in ["text/plain", "application/x-www-form-urlencoded", "text/event-stream"] {
            let request = assistant.request(Method::POST).header("content-type", kind).body("{}");
            assert_eq!(assistant.send(request).await.status, 415, "{kind}");
        }
    }

    async fn a_body_that_is_no_message_is_400_json_rpc_2_0_error_object(world: World) {
        let user = person(&world);
        let server = world.serve();
        let assistant = Assistant::with_scopes(&world, &server, &user, &["sleep"]);
        for (body, code) in [("", -32_700), ("{", -32_700), ("{}", -32_600), ("3", -32_600), ("[]", -32_600)] {
            let request = assistant.request(Method::POST).header("content-type", "application/json");
            let answer = assistant.send(request.body(body)).await;
            answer.assert_error(400, code);
            assert!(answer.json().get("id").is_none(), "{}", answer.text);
        }
        let params = json!({ "jsonrpc": "2.0", "id": 1, "method": "ping", "params": [] });
        assistant.post(&params, &[]).await.assert_error(400, -32_600);
    }

    async fn no_session_is_started_or_needed_2026_07_28_streamable_http_earlier_revisions(world: World) {
        let user = person(&world);
        let server = world.serve();
        let assistant = Assistant::with_scopes(&world, &server, &user, &["sleep"]);
        let initialize = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize",
            "params": { "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } } });
        let begun = assistant.post(&initialize, &[("mcp-session-id", "mine"), ("last-event-id", "4")]).await;
        assert_eq!(begun.result()["protocolVersion"], "2025-06-18");
        assert!(!begun.headers.contains_key("mcp-session-id"));
        let list = assistant.post(&modern_request("tools/list", json!({})), &[
            ("mcp-session-id", "unknown"), ("mcp-protocol-version", "2026-07-28"), ("mcp-method", "tools/list"),
        ]).await;
        assert_eq!(list.status, 200);
        assert_eq!(list.header("content-type"), "application/json");
        assert_eq!(list.header("cache-control"), "private, no-store");
    }
}
