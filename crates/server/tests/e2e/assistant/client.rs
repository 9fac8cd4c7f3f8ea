//! An assistant with a token, in the protocol of either era.

use crate::e2e::app::text;
use crate::e2e::response::ReceivedResponse;
use crate::e2e::server::Server;
use crate::e2e::world::World;
use boon::{Compiler, Draft, Schemas};
use chrono::{Days, NaiveDate};
use domain::sleep::local_date;
use domain::time::TimeZone;
use reqwest::{Client as Http, Method, RequestBuilder, StatusCode};
use serde_json::{Value, json};
use std::fmt::Write as _;
use system_adapter::SystemClock;

pub(super) const MODERN: &str = "2026-07-28";

/// An assistant with a token for one server.
#[derive(Clone)]
pub(super) struct Assistant {
    http: Http,
    url: String,
    pub(super) token: String,
}

impl ReceivedResponse {
    /// Checks the status and the code of a JSON-RPC error; returns the error.
    #[track_caller]
    pub(super) fn assert_error(&self, status: u16, code: i64) -> Value {
        let body = self.json();
        assert_eq!((self.status.as_u16(), &body["error"]["code"]), (status, &json!(code)), "{body}");
        assert!(body["error"]["message"].as_str().is_some_and(|text| !text.is_empty()), "{body}");
        body["error"].clone()
    }

    /// Returns the result, which must be one.
    #[track_caller]
    pub(super) fn result(&self) -> Value {
        let body = self.json();
        assert_eq!((self.status, body["jsonrpc"].as_str()), (StatusCode::OK, Some("2.0")), "{body}");
        assert!(body.get("error").is_none(), "{body}");
        body["result"].clone()
    }
}

impl Assistant {
    pub(super) fn new(server: &Server, token: &str) -> Self {
        Self { http: Http::new(), url: format!("{}/mcp", server.base_url), token: token.to_owned() }
    }

    /// Creates a personal token of a user and an assistant that has it.
    pub(super) fn with_scopes(world: &World, server: &Server, user: &str, scopes: &[&str]) -> Self {
        let scopes = scopes.iter().flat_map(|scope| ["--scope", *scope]);
        let create = ["token", "create", "--user", user, "--name", "Assistant", "--json"];
        let created = world.json(&create.into_iter().chain(scopes).collect::<Vec<_>>());
        Self::new(server, &text(&created, "token"))
    }

    pub(super) fn request(&self, method: Method) -> RequestBuilder {
        self.http.request(method, &self.url).bearer_auth(&self.token)
    }

    /// Posts a body with these headers.
    pub(super) async fn post(&self, body: &Value, headers: &[(&'static str, &str)]) -> ReceivedResponse {
        let request = self.request(Method::POST).json(body);
        ReceivedResponse::send(
            headers.iter().fold(request, |request, (name, value)| request.header(*name, *value)),
        )
        .await
    }

    /// Sends a request of the legacy era.
    pub(super) async fn legacy(&self, method: &str, params: &Value) -> ReceivedResponse {
        let body = json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params });
        self.post(&body, &[("mcp-protocol-version", "2025-11-25")]).await
    }

    /// Sends a request of the modern era.
    pub(super) async fn modern(&self, method: &str, params: Value) -> ReceivedResponse {
        let body = modern_request(method, params);
        let name = body["params"]["name"].as_str().unwrap_or_default().to_owned();
        let mut headers = vec![("mcp-protocol-version", MODERN), ("mcp-method", method)];
        if method == "tools/call" {
            headers.push(("mcp-name", name.as_str()));
        }
        self.post(&body, &headers).await
    }

    /// Calls a tool, which must answer; returns the structured content. The arguments and the content must
    /// conform to the schemas of the tool.
    pub(super) async fn call(&self, tool: &str, arguments: Value) -> Value {
        let tools = self.modern("tools/list", json!({})).await.result();
        let mut tools = tools["tools"].as_array().expect("tools").iter();
        let definition = tools.find(|definition| definition["name"] == tool).expect("a listed tool");
        conforms(&arguments, &definition["inputSchema"]).expect("arguments of the schema");
        let answer = self.modern("tools/call", json!({ "name": tool, "arguments": arguments })).await;
        let result = answer.result();
        assert_eq!(result["isError"], false, "{result}");
        let shown = result["content"][0]["text"].as_str().expect("a text");
        assert!(shown.len() <= 7_500, "{} bytes", shown.len());
        assert_eq!(serde_json::from_str::<Value>(shown).expect("JSON"), result["structuredContent"]);
        conforms(&result["structuredContent"], &definition["outputSchema"]).expect("an answer of the schema");
        result["structuredContent"].clone()
    }

    /// Calls a tool with invalid arguments; returns the error text.
    pub(super) async fn refused(&self, tool: &str, arguments: Value) -> String {
        let result =
            self.modern("tools/call", json!({ "name": tool, "arguments": arguments })).await.result();
        assert_eq!(result["isError"], true, "{result}");
        text(&result["content"][0], "text")
    }

    /// Lists the names of the tools.
    pub(super) async fn tools(&self) -> Vec<String> {
        let result = self.legacy("tools/list", &json!({})).await.result();
        result["tools"].as_array().expect("tools").iter().map(|tool| text(tool, "name")).collect()
    }
}

/// Checks a value against a schema, which must be valid JSON Schema 2020-12.
pub(super) fn conforms(value: &Value, schema: &Value) -> Result<(), String> {
    let (mut compiler, mut schemas) = (Compiler::new(), Schemas::new());
    compiler.set_default_draft(Draft::V2020_12);
    compiler.add_resource("tool:/schema", schema.clone()).expect("URL");
    let added = compiler.compile("tool:/schema", &mut schemas);
    let index = added.unwrap_or_else(|error| panic!("{error:#}: {schema}"));
    schemas.validate(value, index).map_err(|error| format!("{error:#}: {value}"))
}

/// Returns a request that declares its version.
pub(super) fn modern_request(method: &str, params: Value) -> Value {
    let mut params = params;
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    json!({ "jsonrpc": "2.0", "id": "a", "method": method, "params": params })
}

/// Returns today's date in Berlin.
pub(super) fn today() -> NaiveDate {
    use application::ports::system::Clock as _;
    local_date(SystemClock.now().timestamp_millis(), TimeZone::parse("Europe/Berlin").expect("zone"))
}

/// Returns the date some days ago.
pub(super) fn ago(days: u64) -> NaiveDate {
    today().checked_sub_days(Days::new(days)).expect("date")
}

/// Creates a person in Berlin; returns the user id.
pub(super) fn person(world: &World) -> String {
    let create = ["user", "create", "--email", "sleeper@example.org", "--timezone", "Europe/Berlin"];
    text(&world.json(&[&create[..], &["--birth-date", "1985-04-12", "--json"]].concat()), "user_id")
}

/// Imports lines of Restwell's format.
pub(super) fn import(world: &World, user: &str, lines: &[Value]) {
    let mut text = String::new();
    for line in lines {
        writeln!(text, "{line}").expect("text");
    }
    world.ok(&["import", "--user", user, &world.file("lines.ndjson", &text)]);
}

/// Returns a night of 7 hours and 15 minutes, of which 7 hours asleep, that ended some days ago.
pub(super) fn night(days_ago: u64, source: &str) -> Value {
    let (before, date) = (ago(days_ago + 1), ago(days_ago));
    json!({
        "type": "sleep_session", "source": source, "is_nap": false,
        "time_in_bed_start": format!("{before}T22:53:00+01:00"),
        "time_in_bed_end": format!("{date}T06:08:00+01:00"),
        "raw_sleep": [
            { "stage": "AWAKE", "start": format!("{before}T22:53:00+01:00"), "end": format!("{before}T23:08:00+01:00") },
            { "stage": "LIGHT", "start": format!("{before}T23:08:00+01:00"), "end": format!("{date}T03:08:00+01:00") },
            { "stage": "DEEP", "start": format!("{date}T03:08:00+01:00"), "end": format!("{date}T06:08:00+01:00") },
        ],
    })
}
