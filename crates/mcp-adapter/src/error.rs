//! Errors of the protocol itself. Errors of authentication, limits and storage are [`Problem`]s.
//!
//! [`Problem`]: http_adapter::problem::Problem

use crate::era::{Era, VERSIONS};
use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use http_adapter::problem::FinishedBody;
use serde_json::{Value, json};
use std::borrow::Cow;

/// A JSON-RPC error. Its message repeats no input.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ProtocolError {
    code: i32,
    message: Cow<'static, str>,
    data: Option<Value>,
    status: StatusCode,
}

impl ProtocolError {
    const fn new(code: i32, message: &'static str, status: StatusCode) -> Self {
        Self { code, message: Cow::Borrowed(message), data: None, status }
    }

    /// The body is not JSON.
    pub(crate) const fn not_json() -> Self {
        Self::new(-32_700, "The body is not JSON.", StatusCode::BAD_REQUEST)
    }

    /// The body is JSON, but no JSON-RPC message.
    pub(crate) const fn invalid_message(message: &'static str) -> Self {
        Self::new(-32_600, message, StatusCode::BAD_REQUEST)
    }

    /// The method is unknown, or belongs to the other era.
    pub(crate) const fn unknown_method(era: Era) -> Self {
        let status = match era {
            Era::Modern => StatusCode::NOT_FOUND,
            Era::Legacy => StatusCode::OK,
        };
        Self::new(-32_601, "Method not found.", status)
    }

    /// The parameters do not fit the method.
    pub(crate) const fn invalid_parameters(message: &'static str, era: Era) -> Self {
        let status = match era {
            Era::Modern => StatusCode::BAD_REQUEST,
            Era::Legacy => StatusCode::OK,
        };
        Self::new(-32_602, message, status)
    }

    /// No tool has this name.
    pub(crate) const fn unknown_tool() -> Self {
        Self::new(-32_602, "Unknown tool; tools/list names the tools.", StatusCode::OK)
    }

    /// A header is missing, or differs from the body.
    pub(crate) fn header_mismatch(header: &'static str) -> Self {
        let message = format!("Header mismatch: {header} is missing, or differs from the body.");
        let error = Self::new(-32_020, "", StatusCode::BAD_REQUEST);
        Self { message: Cow::Owned(message), ..error }
    }

    /// The server does not implement this protocol version.
    pub(crate) fn unsupported_version(requested: &str) -> Self {
        let error = Self::new(-32_022, "Unsupported protocol version.", StatusCode::BAD_REQUEST);
        Self { data: Some(json!({ "supported": VERSIONS, "requested": requested })), ..error }
    }

    /// Returns the JSON-RPC message.
    pub(crate) fn message(&self, id: Option<&Value>) -> Value {
        let mut error = json!({ "code": self.code, "message": self.message });
        let mut message = json!({ "jsonrpc": "2.0" });
        if let (Some(data), Some(members)) = (&self.data, error.as_object_mut()) {
            members.insert("data".to_owned(), data.clone());
        }
        if let Some(members) = message.as_object_mut() {
            members.insert("error".to_owned(), error);
            members.extend(id.map(|id| ("id".to_owned(), id.clone())));
        }
        message
    }

    /// Returns the response.
    pub(crate) fn response(&self, id: Option<&Value>) -> HttpResponse {
        tracing::debug!(code = self.code, "protocol error");
        let mut response = HttpResponse::build(self.status).json(self.message(id));
        response.extensions_mut().insert(FinishedBody);
        response
    }

    #[cfg(test)]
    pub(crate) const fn code(&self) -> i32 {
        self.code
    }
}
