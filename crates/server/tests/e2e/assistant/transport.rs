//! HTTP below the messages.

use super::client::{Assistant, modern_request, person};
use crate::e2e::response::ReceivedResponse;
use crate::e2e::world::World;
use reqwest::{Body, Method};
use serde_json::json;
use std::convert::Infallible;

on_sqlite! {
    async fn get_and_delete_are_405_2026_07_28_streamable_http_earlier_revisions(world: World) {
        let user = person(&world);
        let server = world.serve();
        let assistant = Assistant::with_scopes(&world, &server, &user, &["sleep"]);
        for method in [Method::GET, Method::DELETE, Method::PUT, Method::OPTIONS, Method::HEAD] {
            let answer = ReceivedResponse::send(assistant.request(method.clone())).await;
            assert_eq!((answer.status.as_u16(), answer.header("allow")), (405, "POST"), "{method}");
        }
        let own = ReceivedResponse::send(assistant.request(Method::GET).header("origin", &server.base_url)).await;
        own.assert_error(405, 405);
    }

    async fn a_405_says_to_post_messages_2026_07_28_streamable_http_earlier_revisions(world: World) {
        let server = world.serve();
        let error = ReceivedResponse::send(Assistant::new(&server, "none").request(Method::GET)).await.assert_error(405, 405);
        let text = "POST JSON-RPC messages to this address; it offers no event stream.";
        assert_eq!([&error["message"], &error["data"]["detail"]], [text; 2]);
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
        for method in [Method::GET, Method::DELETE, Method::PUT, Method::OPTIONS] {
            let answer = ReceivedResponse::send(stranger.request(method.clone()).header("origin", "https://evil.example")).await;
            assert_eq!(answer.assert_error(403, 403)["data"]["code"], "foreign_origin", "{method}");
        }
    }

    async fn a_listed_origin_may_post_from_a_browser(world: World) {
        let user = person(&world);
        let world = world.with("RESTWELL__CORS__ALLOWED_ORIGINS", "https://app.example");
        let server = world.serve();
        let assistant = Assistant::with_scopes(&world, &server, &user, &["sleep"]);
        let preflight = assistant.request(Method::OPTIONS).header("origin", "https://app.example");
        let answer = ReceivedResponse::send(preflight.header("access-control-request-method", "POST")).await;
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

    async fn a_body_of_10_mb_is_413_rfc_9110_section_15_5_14(world: World) {
        let user = person(&world);
        let server = world.serve();
        let assistant = Assistant::with_scopes(&world, &server, &user, &["sleep"]);
        let long = "x".repeat(10 * 1024 * 1024);
        let request = assistant.request(Method::POST).header("content-type", "application/json");
        let answer = ReceivedResponse::send(request.body(format!("\"{long}\""))).await;
        assert_eq!(answer.assert_error(413, 413)["data"]["code"], "payload_too_large");
        let smaller = json!({ "jsonrpc": "2.0", "id": 1, "method": "ping", "params": { "x": "y".repeat(16_000) } });
        assert_eq!(assistant.post(&smaller, &[]).await.status, 200);
    }

    async fn a_body_of_10_mb_in_chunks_is_413_rfc_9110_section_15_5_14(world: World) {
        let user = person(&world);
        let server = world.serve();
        let assistant = Assistant::with_scopes(&world, &server, &user, &["sleep"]);
        let chunks = std::iter::repeat_n("\"".repeat(16 * 1024), 10 * 64).map(Ok::<_, Infallible>);
        let body = Body::wrap_stream(futures_util::stream::iter(chunks));
        let request = assistant.request(Method::POST).header("content-type", "application/json").body(body);
        assert_eq!(ReceivedResponse::send(request).await.assert_error(413, 413)["data"]["code"], "payload_too_large");
    }

    async fn a_body_that_is_not_utf_8_is_400_2026_07_28_transports_messages(world: World) {
        let user = person(&world);
        let server = world.serve();
        let assistant = Assistant::with_scopes(&world, &server, &user, &["sleep"]);
        let ping = |text: &[u8]| [br#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":""#, text, br#""}}"#].concat();
        let utf_16 = ["\u{feff}", &String::from_utf8(ping(b"")).expect("text")].concat().encode_utf16().flat_map(u16::to_le_bytes).collect();
        let with_mark = [b"\xef\xbb\xbf", ping(b"").as_slice()].concat();
        for body in [ping(b"\xff"), ping(b"\xc3"), ping(b"\xed\xa0\x80"), utf_16, with_mark] {
            let request = assistant.request(Method::POST).header("content-type", "application/json");
            let answer = ReceivedResponse::send(request.body(body)).await;
            assert_eq!(answer.assert_error(400, 400)["data"]["code"], "invalid_request");
        }
        let request = assistant.request(Method::POST).header("content-type", "application/json; charset=utf-8");
        assert_eq!(ReceivedResponse::send(request.body(ping("\u{fc}".as_bytes()))).await.status, 200);
    }

    async fn other_media_types_are_415_2026_07_28_streamable_http_sending_messages(world: World) {
        let user = person(&world);
        let server = world.serve();
        let assistant = Assistant::with_scopes(&world, &server, &user, &["sleep"]);
        for kind in ["text/plain", "application/x-www-form-urlencoded", "text/event-stream"] {
            let request = assistant.request(Method::POST).header("content-type", kind).body("{}");
            let error = ReceivedResponse::send(request).await.assert_error(415, 415);
            let expected = "The body must be application/json in UTF-8, without a content encoding.";
            assert_eq!(error["message"], expected, "{kind}");
        }
    }

    async fn a_body_that_is_not_a_message_is_400_json_rpc_2_0_error_object(world: World) {
        let user = person(&world);
        let server = world.serve();
        let assistant = Assistant::with_scopes(&world, &server, &user, &["sleep"]);
        for (body, code) in [("", -32_700), ("{", -32_700), ("{}", -32_600), ("3", -32_600), ("[]", -32_600)] {
            let request = assistant.request(Method::POST).header("content-type", "application/json");
            let answer = ReceivedResponse::send(request.body(body)).await;
            answer.assert_error(400, code);
            assert!(answer.json().get("id").is_none(), "{}", answer.text);
        }
        let params = json!({ "jsonrpc": "2.0", "id": 1, "method": "ping", "params": [] });
        assistant.post(&params, &[]).await.assert_error(400, -32_600);
        let twice = r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":1,"a":2}}"#;
        let request = assistant.request(Method::POST).header("content-type", "application/json");
        ReceivedResponse::send(request.body(twice)).await.assert_error(400, -32_600);
    }

    /// MCP 2026-07-28, Streamable HTTP, Earlier Revisions.
    async fn no_session_is_started_or_needed(world: World) {
        let user = person(&world);
        let server = world.serve();
        let assistant = Assistant::with_scopes(&world, &server, &user, &["sleep"]);
        let initialize = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize",
            "params": { "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } } });
        let initialized = assistant.post(&initialize, &[("mcp-session-id", "mine"), ("last-event-id", "4")]).await;
        assert_eq!(initialized.result()["protocolVersion"], "2025-06-18");
        assert!(!initialized.headers.contains_key("mcp-session-id"));
        let list = assistant.post(&modern_request("tools/list", json!({})), &[
            ("mcp-session-id", "unknown"), ("mcp-protocol-version", "2026-07-28"), ("mcp-method", "tools/list"),
        ]).await;
        assert_eq!(list.status, 200);
    }

    async fn a_response_is_one_json_object_2026_07_28_streamable_http_sending_messages(world: World) {
        let user = person(&world);
        let server = world.serve();
        let assistant = Assistant::with_scopes(&world, &server, &user, &["sleep"]);
        for method in ["tools/list", "none"] {
            let answer = assistant.modern(method, json!({})).await;
            assert!(answer.json().is_object());
            assert_eq!(answer.header("content-type"), "application/json");
            assert_eq!(answer.header("cache-control"), "private, no-store");
        }
    }
}
