//! Sends requests through the whole application.

use crate::HttpState;
use actix_web::body::to_bytes;
use actix_web::dev::ServiceResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::HeaderMap;
use actix_web::test::{TestRequest, init_service, try_call_service};
use actix_web::web::{Bytes, ServiceConfig};
use actix_web::{App, HttpResponse};
use serde_json::Value;
use std::sync::Arc;

/// Complete response.
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Answer {
    /// Returns a header's value; a repeated header fails the test.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        assert!(self.headers.get_all(name).count() <= 1, "{name} comes twice");
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    /// Returns a string member of the body.
    pub(crate) fn member(&self, name: &str) -> String {
        self.json()[name].as_str().unwrap_or_else(|| panic!("no {name} in {}", self.text())).to_owned()
    }
}

/// Sends a request to a new application on this state.
pub(crate) async fn send(state: &Arc<HttpState>, request: TestRequest) -> Answer {
    send_to(crate::configure(Arc::clone(state)), request).await
}

/// Sends a request to a new application with this configuration.
pub(crate) async fn send_to(configure: impl FnOnce(&mut ServiceConfig), request: TestRequest) -> Answer {
    let app = init_service(App::new().configure(configure)).await;
    let response = match try_call_service(&app, request.to_request()).await {
        Ok(response) => ServiceResponse::into_parts(response).1.map_into_boxed_body(),
        Err(error) => HttpResponse::from_error(error),
    };
    Answer {
        status: response.status(),
        headers: response.headers().clone(),
        body: to_bytes(response.into_body()).await.unwrap(),
    }
}
