//! What every layer is told of a request.

use crate::problem::{AnswerContext, Dialect};
use crate::route::{self, EndpointRow};
use crate::{HttpSettings, HttpState};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::HeaderValue;
use actix_web::{Error, HttpMessage as _, web};
use std::fmt;
use uuid::Uuid;

/// What a layer returns.
pub(super) type Outcome = Result<ServiceResponse, Error>;

/// The id of a request: on every log line, in every problem and in `X-Request-Id`.
///
/// Drawn here; one that a caller sends is ignored, so that nobody can forge a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequestId(Uuid);

impl RequestId {
    /// Writes it as the value of a header.
    pub(super) fn to_header(self) -> Option<HeaderValue> {
        HeaderValue::from_str(self.0.as_hyphenated().encode_lower(&mut Uuid::encode_buffer())).ok()
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.as_hyphenated().fmt(f)
    }
}

/// What is known of a request when it comes: found once, for all layers.
pub(super) struct Seen {
    /// The shared state; [`crate::configure`] registers it together with the middleware.
    pub(super) state: Option<web::Data<HttpState>>,
    /// The row of its path; nothing where no path of ours is.
    pub(super) row: Option<&'static EndpointRow>,
    pub(super) request_id: RequestId,
}

impl Seen {
    /// Looks at a request, and draws its id, which is left with the request.
    pub(super) fn of(request: &ServiceRequest) -> Self {
        let state = request.app_data::<web::Data<HttpState>>().cloned();
        let request_id = RequestId(state.as_ref().map_or(Uuid::nil(), |state| (state.request_ids)()));
        request.extensions_mut().insert(request_id);
        Self { state, row: route::row_of(request.match_info().as_str()), request_id }
    }

    pub(super) fn dialect(&self) -> Dialect {
        route::dialect(self.row)
    }

    pub(super) fn is_https(&self) -> bool {
        self.state.as_ref().is_some_and(|state| state.settings.is_https())
    }

    /// Gathers what an answer to a problem needs to know.
    pub(super) fn context(&self) -> Context {
        let default = HttpSettings::default();
        let settings = self.state.as_ref().map_or(&default, |state| &state.settings);
        Context {
            dialect: self.dialect(),
            request_id: self.request_id,
            request_id_text: self.request_id.to_string(),
            public_url: settings.public_url.trim_end_matches('/').to_owned(),
            is_https: settings.is_https(),
        }
    }
}

/// What the answer to a problem needs to know of its request.
#[derive(Debug, Clone)]
pub(super) struct Context {
    pub(super) dialect: Dialect,
    pub(super) request_id: RequestId,
    request_id_text: String,
    public_url: String,
    pub(super) is_https: bool,
}

impl Context {
    pub(super) fn for_answer(&self) -> AnswerContext<'_> {
        AnswerContext {
            dialect: self.dialect,
            request_id: &self.request_id_text,
            public_url: &self.public_url,
        }
    }
}
