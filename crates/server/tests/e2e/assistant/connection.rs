//! One connection that several assistants use.

use super::client::{Assistant, MODERN, modern_request, person};
use crate::e2e::app::text;
use crate::e2e::server::Server;
use crate::e2e::world::World;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// Returns a request as text.
fn raw(token: &str, headers: &str, body: &Value) -> String {
    let body = body.to_string();
    let length = body.len();
    format!(
        "POST /mcp HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\
        Authorization: Bearer {token}\r\n{headers}\r\n{body}"
    )
}

fn legacy(token: &str, method: &str, params: &Value) -> String {
    raw(token, "", &json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params }))
}

fn modern(token: &str, method: &str, params: &Value) -> String {
    let name = params["name"].as_str().unwrap_or_default();
    let headers = format!("MCP-Protocol-Version: {MODERN}\r\nMcp-Method: {method}\r\nMcp-Name: {name}\r\n");
    raw(token, &headers, &modern_request(method, params.clone()))
}

/// Sends requests one after another on one connection; returns the status and the body of each response.
async fn on_one_connection(server: &Server, requests: &[String]) -> Vec<(u16, Value)> {
    let mut stream = TcpStream::connect(server.address()).await.expect("connection");
    let mut answers = Vec::new();
    for request in requests {
        stream.write_all(request.as_bytes()).await.expect("an open connection");
        let mut answer = Vec::new();
        while serde_json::from_slice::<Value>(after_headers(&answer)).is_err() {
            let length = stream.read_buf(&mut answer).await.expect("answer");
            assert!(length > 0, "closed after {} answers", answers.len());
        }
        let status = std::str::from_utf8(&answer[9..12]).expect("status").parse().expect("status");
        answers.push((status, serde_json::from_slice(after_headers(&answer)).expect("JSON")));
    }
    answers
}

/// Returns what follows the headers.
fn after_headers(answer: &[u8]) -> &[u8] {
    let end = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n");
    end.map_or(&[], |end| &answer[end + 4..])
}

on_sqlite! {
    async fn the_documented_requests_list_the_tools_and_read_nights(world: World) {
        let user = person(&world);
        let server = world.serve();
        let assistant = Assistant::with_scopes(&world, &server, &user, &["sleep"]);
        let guide = include_str!("../../../../../docs/connect-an-assistant.md");
        let bodies = guide.split("-d '").skip(1).map(|after| after.split_once('\'').expect("the end of the body").0);
        let bodies: Vec<Value> = bodies.map(|body| serde_json::from_str(body).expect("JSON")).collect();
        let [list, call] = bodies.as_slice() else { panic!("{bodies:?}") };
        let result = assistant.post(list, &[]).await.result();
        let tools = result["tools"].as_array().expect("tools");
        assert!(tools.iter().any(|tool| tool["name"] == "get_sleep"), "{result}");
        let result = assistant.post(call, &[]).await.result();
        assert_eq!((&result["isError"], &result["structuredContent"]["from"]), (&json!(false), &json!("2026-03-30")));
    }

    async fn requests_on_one_connection_are_independent_2026_07_28_basic_statelessness(world: World) {
        let first = person(&world);
        let create = ["user", "create", "--email", "second@example.org", "--timezone", "Asia/Tokyo", "--json"];
        let second = text(&world.json(&create), "user_id");
        let server = world.serve();
        let token = |user: &str, scopes: &[&str]| Assistant::with_scopes(&world, &server, user, scopes).token;
        let (first_token, second_token) = (token(&first, &["profile"]), token(&second, &["profile", "sleep"]));
        let profile = json!({ "name": "get_profile" });
        let sleep = json!({ "name": "get_sleep" });
        let answers = on_one_connection(&server, &[
            legacy(&first_token, "initialize", &json!({ "protocolVersion": "2025-11-25", "capabilities": {} })),
            modern(&second_token, "tools/call", &sleep),
            legacy(&first_token, "tools/call", &profile),
            modern(&second_token, "tools/call", &profile),
            modern(&first_token, "tools/call", &sleep),
            legacy(&second_token, "tools/call", &profile),
            // The last, because the connection is closed before the body is read.
            legacy("none", "tools/list", &json!({})),
        ]).await;
        assert_eq!(answers.iter().map(|(status, _)| *status).collect::<Vec<_>>(), [200, 200, 200, 200, 403, 200, 401]);
        for (at, user, result_type) in [(2, &first, None), (3, &second, Some("complete")), (5, &second, None)] {
            let result = &answers[at].1["result"];
            assert_eq!((&result["structuredContent"]["profile"]["user_id"], result["resultType"].as_str()), (&json!(user), result_type));
        }
        assert_eq!(answers[1].1["result"]["structuredContent"]["time_zone"], "Asia/Tokyo");
    }
}
