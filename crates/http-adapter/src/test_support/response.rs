//! Sends requests through the whole application.

use actix_web::body::{BodySize, MessageBody as _, to_bytes};
use actix_web::dev::ServiceResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::HeaderMap;
use actix_web::test::{TestRequest, init_service, try_call_service};
use actix_web::web::{Bytes, ServiceConfig};
use actix_web::{App, HttpResponse};
use serde_json::Value;

/// Complete response.
#[derive(Debug)]
pub struct TestResponse {
    /// Status.
    pub status: StatusCode,
    /// Headers.
    pub headers: HeaderMap,
    /// Stated size of the body.
    pub size: BodySize,
    /// Body.
    pub body: Bytes,
}

impl TestResponse {
    /// Returns a header's value; a repeated header fails the test.
    pub fn header(&self, name: &str) -> Option<&str> {
        assert!(self.headers.get_all(name).count() <= 1, "{name} occurs twice");
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }

    /// Parses the body as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    /// Returns the body as text.
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    /// Returns a string member of the body.
    pub fn member(&self, name: &str) -> String {
        self.json()
            .get(name)
            .and_then(Value::as_str)
            .unwrap_or_else(|| panic!("no {name} in {}", self.text()))
            .to_owned()
    }
}

/// Sends a request to a new application with this configuration.
pub async fn send_to(configure: impl FnOnce(&mut ServiceConfig), request: TestRequest) -> TestResponse {
    let app = init_service(App::new().configure(configure)).await;
    let response = match try_call_service(&app, request.to_request()).await {
        Ok(response) => ServiceResponse::into_parts(response).1.map_into_boxed_body(),
        Err(error) => HttpResponse::from_error(error),
    };
    TestResponse {
        status: response.status(),
        headers: response.headers().clone(),
        size: response.body().size(),
        body: to_bytes(response.into_body()).await.unwrap(),
    }
}
