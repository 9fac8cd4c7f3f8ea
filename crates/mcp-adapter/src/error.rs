//! Errors of the protocol itself. Errors of authentication, limits and storage are [`Problem`]s.

use crate::era::{Era, VERSIONS};
use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use http_adapter::problem::{FaultRow, FinishedBody, Problem};
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

    /// The body is JSON, but not a JSON-RPC message.
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

    /// A call of a batch was refused. The code is the HTTP status of the same call outside a batch, and
    /// `retry_after` the seconds of its `Retry-After`.
    pub(crate) fn refused(problem: &Problem) -> Self {
        let FaultRow { status, code, .. } = problem.fault().row();
        tracing::info!(code, "call of a batch refused");
        let error = Self::new(i32::from(status), "", StatusCode::OK);
        let data = match problem.retry_after_seconds() {
            Some(seconds) => json!({ "code": code, "retry_after": seconds }),
            None => json!({ "code": code }),
        };
        Self { message: Cow::Owned(problem.detail_text().into_owned()), data: Some(data), ..error }
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

#[cfg(test)]
mod tests {
    use super::*;
    use http_adapter::problem::Fault;

    /// MCP 2026-07-28, Basic, Error Codes.
    #[test]
    fn only_codes_that_the_protocol_defines_are_in_its_ranges() {
        for error in [
            ProtocolError::not_json(),
            ProtocolError::invalid_message(""),
            ProtocolError::unknown_method(Era::Modern),
            ProtocolError::unknown_method(Era::Legacy),
            ProtocolError::invalid_parameters("", Era::Modern),
            ProtocolError::invalid_parameters("", Era::Legacy),
            ProtocolError::unknown_tool(),
            ProtocolError::header_mismatch("Mcp-Name"),
            ProtocolError::unsupported_version("1999-01-01"),
        ] {
            let is_defined = matches!(error.code(), -32_700 | -32_603..=-32_600 | -32_020 | -32_022);
            assert!(is_defined, "{error:?}");
        }
        for fault in Fault::ALL {
            let code = ProtocolError::refused(&Problem::new(*fault)).code();
            assert!((400..600).contains(&code), "{fault:?}");
        }
    }

    #[test]
    fn a_refused_call_has_its_status_as_code_and_the_name_of_the_problem() {
        let error = ProtocolError::refused(&Problem::new(Fault::TooManyAtOnce)).message(Some(&7.into()));
        assert_eq!((&error["id"], &error["error"]["code"]), (&json!(7), &json!(503)));
        assert_eq!(error["error"]["data"], json!({ "code": "too_many_at_once", "retry_after": 2 }));
        let error = ProtocolError::refused(&Problem::new(Fault::RateLimited).retry_after(30)).message(None);
        assert_eq!(error["error"]["data"], json!({ "code": "rate_limited", "retry_after": 30 }));
        let error = ProtocolError::refused(&Problem::new(Fault::InsufficientScope)).message(None);
        assert_eq!(error["error"]["data"], json!({ "code": "insufficient_scope" }));
        assert!(error["error"]["message"].as_str().is_some_and(|text| !text.is_empty()));
    }
}
