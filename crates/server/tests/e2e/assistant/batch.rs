//! Batches, which only the version 2025-03-26 has.

use super::client::{Assistant, person};
use crate::e2e::app::read;
use crate::e2e::world::World;
use serde_json::{Value, json};

fn ping(id: u32) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": "ping" })
}

fn call(id: &str, tool: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": { "name": tool } })
}

on_sqlite! {
    async fn batches_exist_in_one_version_2025_03_26_transports_sending_messages(world: World) {
        let user = person(&world);
        let server = world.serve();
        let assistant = Assistant::with_scopes(&world, &server, &user, &["sleep"]);
        let unknown = json!({ "jsonrpc": "2.0", "id": 3, "method": "x" });
        let batch = json!([ping(1), { "jsonrpc": "2.0", "method": "notifications/initialized" }, unknown]);
        for headers in [&[][..], &[("mcp-protocol-version", "2025-03-26")]] {
            let body = assistant.post(&batch, headers).await.json();
            assert_eq!(body[0], json!({ "jsonrpc": "2.0", "id": 1, "result": {} }));
            assert_eq!((&body[1]["id"], &body[1]["error"]["code"]), (&json!(3), &json!(-32_601)));
            assert_eq!(body.as_array().map(Vec::len), Some(2));
        }
        for version in ["2026-07-28", "2025-11-25", "2025-06-18"] {
            assistant.post(&batch, &[("mcp-protocol-version", version)]).await.assert_error(400, -32_600);
        }
        assistant.post(&json!((0..21).map(ping).collect::<Vec<_>>()), &[]).await.assert_error(400, -32_600);
    }

    /// MCP 2025-03-26, Basic, Responses.
    async fn a_refused_call_of_a_batch_is_an_error_with_its_id(world: World) {
        let user = person(&world);
        let world = world.with("RESTWELL__RATE_LIMITS__PROFILE", "1");
        let server = world.serve();
        let assistant = Assistant::with_scopes(&world, &server, &user, &["profile"]);
        let batch = json!([call("a", "get_profile"), call("b", "get_sleep"), call("c", "get_profile"), ping(4)]);
        let answer = assistant.post(&batch, &[]).await;
        let body = answer.json();
        assert_eq!((answer.status.as_u16(), body.as_array().map(Vec::len)), (200, Some(4)), "{body}");
        assert_eq!((&body[0]["id"], &body[0]["result"]["isError"]), (&json!("a"), &json!(false)));
        for (at, id, status, code) in [(1, "b", 403, "insufficient_scope"), (2, "c", 429, "rate_limited")] {
            let refused = &body[at];
            assert_eq!((&refused["jsonrpc"], &refused["id"]), (&json!("2.0"), &json!(id)));
            assert_eq!((&refused["error"]["code"], &refused["error"]["data"]["code"]), (&json!(status), &json!(code)));
            assert!(refused["error"]["message"].is_string() && refused.get("result").is_none(), "{refused}");
        }
        assert_eq!(body[1]["error"]["message"], "This token lacks the scope sleep.");
        let seconds = |at: usize| body[at]["error"]["data"].get("retry_after").and_then(Value::as_u64);
        assert!(seconds(1).is_none() && seconds(2).is_some_and(|seconds| (1..=86_400).contains(&seconds)), "{body}");
        assert_eq!(body[3], json!({ "jsonrpc": "2.0", "id": 4, "result": {} }));
        // The first call was counted.
        assert_eq!(read(&server, &assistant.token, &format!("/api/v1/profile/{user}")).await.status(), 429);
    }

    /// MCP 2025-03-26, Authorization, Error Handling.
    async fn an_invalid_token_is_401_for_the_whole_batch(world: World) {
        let server = world.serve();
        let answer = Assistant::new(&server, "none").post(&json!([ping(1), ping(2)]), &[]).await;
        answer.assert_error(401, 401);
        assert!(answer.header("www-authenticate").contains("error=\"invalid_token\""));
    }
}
