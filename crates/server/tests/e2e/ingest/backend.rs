//! A backend: a service client with a token.

use crate::e2e::app::{create_service, text};
use crate::e2e::response::ReceivedResponse;
use crate::e2e::server::Server;
use crate::e2e::world::World;
use reqwest::{Body, Client as Http, Method, RequestBuilder};
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

const SCOPES: [&str; 4] = ["users:write", "profile:write", "sleep:write", "supplements:write"];
pub(super) const LINES: &str = "application/x-ndjson";

/// Token of a service client at one server.
#[derive(Clone)]
pub(super) struct Backend {
    http: Http,
    base_url: String,
    token: String,
}

impl ReceivedResponse {
    /// Returns the `code` of an error with this status.
    pub(super) fn refusal(&self, status: u16) -> String {
        assert_eq!(self.status, status, "{}", self.text);
        text(&self.json(), "code")
    }

    /// Returns the results of an accepted batch.
    pub(super) fn results(&self) -> Vec<Value> {
        assert_eq!(self.status, 200, "{}", self.text);
        self.json()["results"].as_array().expect("results").clone()
    }

    /// Returns the status of each item, with the code if there is one.
    pub(super) fn outcomes(&self) -> Vec<String> {
        let outcome = |result: &Value| match result["code"].as_str() {
            Some(code) => format!("{code} {}", result["field"].as_str().unwrap_or("-")),
            None => text(result, "status"),
        };
        self.results().iter().map(outcome).collect()
    }

    /// Returns the id of the only item.
    pub(super) fn id(&self) -> String {
        text(&self.results()[0], "id")
    }
}

impl Backend {
    /// Registers a service client with these scopes and obtains a token.
    pub(super) async fn with_scopes(world: &World, server: &Server, scopes: &[&str]) -> Self {
        let client = create_service(world, "", scopes);
        let form = [
            ("grant_type", "client_credentials"),
            ("client_id", &client.client_id),
            ("client_secret", &client.client_secret),
        ];
        let http = Http::new();
        let answer = http.post(format!("{}/api/token", server.base_url)).form(&form).send().await;
        let answer: Value = answer.expect("answer").json().await.expect("JSON");
        Self { http, base_url: server.base_url.clone(), token: text(&answer, "access_token") }
    }

    pub(super) async fn new(world: &World, server: &Server) -> Self {
        Self::with_scopes(world, server, &SCOPES).await
    }

    /// Returns the same client at another server of the same store.
    pub(super) fn at(&self, server: &Server) -> Self {
        Self { base_url: server.base_url.clone(), ..self.clone() }
    }

    pub(super) fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.http.request(method, format!("{}/api/v1/{path}", self.base_url)).bearer_auth(&self.token)
    }

    /// Posts a JSON value.
    pub(super) async fn post(&self, path: &str, items: &Value) -> ReceivedResponse {
        ReceivedResponse::send(self.request(Method::POST, path).json(items)).await
    }

    /// Posts text of a content type.
    pub(super) async fn post_text(&self, path: &str, kind: &str, body: impl Into<Body>) -> ReceivedResponse {
        ReceivedResponse::send(self.request(Method::POST, path).header("content-type", kind).body(body)).await
    }

    pub(super) async fn delete(&self, path: &str) -> ReceivedResponse {
        ReceivedResponse::send(self.request(Method::DELETE, path)).await
    }

    /// Posts a JSON value with an idempotency key.
    pub(super) async fn post_once(&self, path: &str, key: &str, items: &Value) -> ReceivedResponse {
        ReceivedResponse::send(self.request(Method::POST, path).header("idempotency-key", key).json(items))
            .await
    }

    /// Starts a request with a body of this length, which the caller sends; the server closes the connection
    /// after its response.
    pub(super) async fn open(&self, path: &str, length: usize) -> TcpStream {
        let address = self.base_url.strip_prefix("http://").expect("http address");
        let mut stream = TcpStream::connect(address).await.expect("connection");
        let head = format!(
            "POST /api/v1/{path} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {}\r\n\
            Connection: close\r\nContent-Type: {LINES}\r\nContent-Length: {length}\r\n\r\n",
            self.token
        );
        stream.write_all(head.as_bytes()).await.expect("sent");
        stream
    }

    /// Announces the length of a body and sends none of it; returns the server's response.
    pub(super) async fn announce(&self, path: &str, length: usize) -> String {
        let mut stream = self.open(path, length).await;
        let mut answer = Vec::new();
        // The server closes the connection, because the body is missing.
        stream.read_to_end(&mut answer).await.expect("answer");
        String::from_utf8(answer).expect("UTF-8")
    }

    pub(super) async fn person(&self, email: &str) -> String {
        let item = serde_json::json!({ "email": email, "home_timezone": "Europe/Berlin" });
        self.post("users", &item).await.id()
    }
}

/// Returns a night in January, distinct for each number.
pub(super) fn night(number: u32) -> Value {
    let day = 1 + number % 27;
    let (year, month) = (1990 + number / 324, 1 + number / 27 % 12);
    serde_json::json!({
        "external_id": format!("night-{number}"),
        "source": "ring",
        "time_in_bed_start": format!("{year:04}-{month:02}-{day:02}T22:00:00+01:00"),
        "time_in_bed_end": format!("{year:04}-{month:02}-{:02}T06:00:00+01:00", day + 1),
        "raw_sleep": [{
            "stage": "LIGHT",
            "start": format!("{year:04}-{month:02}-{day:02}T22:15:00+01:00"),
            "end": format!("{year:04}-{month:02}-{:02}T05:50:00+01:00", day + 1),
        }],
    })
}
