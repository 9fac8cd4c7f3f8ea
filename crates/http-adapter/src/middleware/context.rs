//! What every layer knows about a request.

use crate::problem::{AnswerContext, Dialect};
use crate::route::Endpoint;
use crate::{HttpSettings, HttpState};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::HeaderValue;
use actix_web::{Error, HttpMessage as _, web};
use std::fmt;
use uuid::Uuid;

/// Result of a layer.
pub(super) type Outcome = Result<ServiceResponse, Error>;

/// The id of a request: on every log line, in every problem and in `X-Request-Id`.
///
/// Always drawn by the server: an id that a caller sends is ignored, so that callers cannot forge log entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequestId(Uuid);

impl RequestId {
    /// Returns the id as a header value.
    pub(super) fn to_header(self) -> Option<HeaderValue> {
        HeaderValue::from_str(self.0.as_hyphenated().encode_lower(&mut Uuid::encode_buffer())).ok()
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.as_hyphenated().fmt(f)
    }
}

/// What the layers need to know about a request, looked up once.
pub(super) struct RequestContext {
    /// The shared state, which [`crate::configure`] registers.
    pub(super) state: Option<web::Data<HttpState>>,
    /// The endpoint that actix matched; `None` if the path has none.
    pub(super) endpoint: Option<Endpoint>,
    pub(super) request_id: RequestId,
}

impl RequestContext {
    /// Collects it, and draws the request id, which is kept as an extension of the request.
    pub(super) fn new(endpoint: Option<Endpoint>, request: &ServiceRequest) -> Self {
        let state = request.app_data::<web::Data<HttpState>>().cloned();
        let request_id = RequestId(state.as_ref().map_or(Uuid::nil(), |state| (state.request_ids)()));
        request.extensions_mut().insert(request_id);
        Self { state, endpoint, request_id }
    }

    pub(super) fn dialect(&self) -> Dialect {
        self.endpoint.map_or(Dialect::Problem, Endpoint::dialect)
    }

    pub(super) fn is_https(&self) -> bool {
        self.state.as_ref().is_some_and(|state| state.settings.is_https())
    }

    /// Returns what an error response needs, as owned values.
    pub(super) fn for_errors(&self) -> ErrorContext {
        let default = HttpSettings::default();
        let settings = self.state.as_ref().map_or(&default, |state| &state.settings);
        ErrorContext {
            dialect: self.dialect(),
            request_id: self.request_id,
            request_id_text: self.request_id.to_string(),
            public_url: settings.public_url.trim_end_matches('/').to_owned(),
            is_https: settings.is_https(),
        }
    }
}

/// What an error response needs to know about its request.
#[derive(Debug, Clone)]
pub(super) struct ErrorContext {
    pub(super) dialect: Dialect,
    pub(super) request_id: RequestId,
    request_id_text: String,
    public_url: String,
    pub(super) is_https: bool,
}

impl ErrorContext {
    pub(super) fn for_answer(&self) -> AnswerContext<'_> {
        AnswerContext {
            dialect: self.dialect,
            request_id: &self.request_id_text,
            public_url: &self.public_url,
        }
    }
}
