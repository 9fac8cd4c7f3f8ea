//! An app that reads all data of a person.

use crate::e2e::app::{self, Registration, SCOPES};
use crate::e2e::response::ReceivedResponse;
use crate::e2e::server::Server;
use crate::e2e::world::World;
use reqwest::{Client as Http, Response, StatusCode};
use serde_json::Value;

/// An access token for one person on one server.
pub(super) struct Reader {
    http: Http,
    base_url: String,
    token: String,
    pub(super) user_id: String,
}

impl Reader {
    /// Creates a reader with an access token.
    pub(super) fn new(server: &Server, user_id: &str, token: &str) -> Self {
        Self {
            http: Http::new(),
            base_url: server.base_url.clone(),
            token: token.to_owned(),
            user_id: user_id.to_owned(),
        }
    }

    /// Authorizes the client for all three scopes and redeems the code.
    pub(super) async fn authorized(world: &World, server: &Server, registration: &Registration) -> Self {
        let code = app::code(world, registration, &SCOPES);
        let tokens = app::redeem(server, registration, &code).await;
        Self::new(server, &registration.user_id, &tokens.access)
    }

    /// Reads a path, which starts after the host.
    pub(super) async fn get(&self, path: &str) -> ReceivedResponse {
        ReceivedResponse::send(self.http.get(format!("{}{path}", self.base_url)).bearer_auth(&self.token))
            .await
    }

    /// Reads an endpoint of the person, with an optional query.
    pub(super) async fn ask(&self, endpoint: &str, query: &str) -> ReceivedResponse {
        let mark = if query.is_empty() { "" } else { "?" };
        self.get(&format!("/api/v1/{endpoint}/{}{mark}{query}", self.user_id)).await
    }

    /// Reads an endpoint of the person, which must return 200; the caller reads the body.
    pub(super) async fn begin(&self, endpoint: &str, query: &str) -> Response {
        let url = format!("{}/api/v1/{endpoint}/{}?{query}", self.base_url, self.user_id);
        let response = self.http.get(url).bearer_auth(&self.token).send().await.expect("answer");
        assert_eq!(response.status(), StatusCode::OK);
        response
    }

    /// Reads an endpoint of the person, which must return 200.
    pub(super) async fn read(&self, endpoint: &str, query: &str) -> Value {
        let answer = self.ask(endpoint, query).await;
        assert_eq!(answer.status, StatusCode::OK, "{endpoint}?{query}: {}", answer.text);
        answer.json()
    }

    /// Returns one member of every record of a page.
    pub(super) async fn column(&self, endpoint: &str, query: &str, member: &str) -> Vec<String> {
        column(&self.read(endpoint, query).await, member)
    }

    /// Reads a page and follows `next_page` to the end; returns the bodies without their `limit`.
    pub(super) async fn pages(&self, endpoint: &str, query: &str) -> Vec<String> {
        let mut pages = Vec::new();
        let mut path = Some(format!("/api/v1/{endpoint}/{}?{query}", self.user_id));
        while let Some(next) = path {
            let answer = self.get(&next).await;
            assert_eq!(answer.status, StatusCode::OK, "{next}: {}", answer.text);
            path = answer.json()["pagination"]["next_page"].as_str().map(str::to_owned);
            pages.push(format!("{next}\n{}", without_counters(&answer.text)));
        }
        pages
    }

    /// Reads every endpoint with every flag, in both directions, page by page.
    pub(super) async fn everything(&self) -> Vec<String> {
        let mut found = vec![without_scopes(&self.ask("profile", "").await.text)];
        for flags in
            ["", "&include_stages=true", "&include_metrics=1", "&include_stages=1&include_metrics=true"]
        {
            for sort in ["", "&sort=asc"] {
                found.extend(self.pages("sleep", &format!("pageSize=8{flags}{sort}")).await);
            }
            found.extend(self.pages("sleep", &format!("pageSize=10000{flags}")).await);
        }
        found.extend(self.pages("sleep", "startDate=2026-02-01&endDate=2026-03-10&pageSize=7").await);
        for sort in ["", "&sort=asc"] {
            found.extend(self.pages("supplements", &format!("pageSize=2{sort}")).await);
            found.extend(self.pages("supplements", &format!("startDate=2026-02-15{sort}")).await);
        }
        for id in self.column("supplements", "", "id").await {
            found.extend(self.pages("supplements", &format!("supplementID={id}")).await);
        }
        found
    }
}

/// Returns one member of every record of a body.
pub(super) fn column(body: &Value, member: &str) -> Vec<String> {
    let records = body["data"].as_array().unwrap_or_else(|| panic!("no data in {body}"));
    records.iter().map(|record| app::text(record, member)).collect()
}

/// Removes the member `limit` from a body and leaves every other byte as it is.
pub(super) fn without_counters(body: &str) -> String {
    cut(body, "\"limit\":{", "}")
}

fn without_scopes(body: &str) -> String {
    cut(&without_counters(body), "\"scopes\":[", "]")
}

/// Removes the text from `from` to `to`. Quotes inside strings are escaped, so only a member can match
/// `from`.
fn cut(body: &str, from: &str, to: &str) -> String {
    let (before, rest) = body.split_once(from).unwrap_or_else(|| panic!("no {from} in {body}"));
    let (_, after) = rest.split_once(to).expect("end");
    assert!(!after.contains(from), "{from} is there twice");
    format!("{before}{after}")
}
