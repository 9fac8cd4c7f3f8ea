//! A complete response of a server.

use reqwest::header::HeaderMap;
use reqwest::{RequestBuilder, StatusCode};
use serde_json::Value;

#[derive(Debug)]
pub(crate) struct ReceivedResponse {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) text: String,
}

impl ReceivedResponse {
    /// Sends a request and reads its response.
    pub(crate) async fn send(request: RequestBuilder) -> Self {
        let response = request.send().await.expect("answer");
        let (status, headers) = (response.status(), response.headers().clone());
        Self { status, headers, text: response.text().await.expect("body") }
    }

    /// Parses the body.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{error}: {}", self.text))
    }

    /// Returns a header, which must exist.
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).unwrap_or_else(|| panic!("no {name}")).to_str().expect("text")
    }
}
