//! What the middleware remembers of a request while the request itself is with the router.

use crate::problem::{AnswerContext, Dialect};
use crate::{HttpSettings, HttpState, route};
use actix_web::dev::ServiceRequest;
use actix_web::{HttpMessage as _, web};
use std::fmt;
use uuid::Uuid;

/// The id of a request: on every log line, in every problem and in `X-Request-Id`.
///
/// Drawn here; one that a caller sends is ignored, so that nobody can forge a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequestId(Uuid);

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.as_hyphenated().fmt(f)
    }
}

/// Draws the id of a request and leaves it with the request.
pub(super) fn assign_id(request: &ServiceRequest) -> RequestId {
    let id = state(request).map_or(Uuid::nil(), |state| (state.request_ids)());
    request.extensions_mut().insert(RequestId(id));
    RequestId(id)
}

/// Returns the shared state; [`crate::configure`] registers it together with the middleware.
pub(super) fn state(request: &ServiceRequest) -> Option<&web::Data<HttpState>> {
    request.app_data::<web::Data<HttpState>>()
}

/// What an answer needs to know of its request.
#[derive(Debug, Clone)]
pub(super) struct Context {
    pub(super) dialect: Dialect,
    pub(super) request_id: String,
    pub(super) public_url: String,
    pub(super) is_https: bool,
}

impl Context {
    pub(super) fn of(request: &ServiceRequest) -> Self {
        let default = HttpSettings::default();
        let settings = state(request).map_or(&default, |state| &state.settings);
        let request_id = request.extensions().get::<RequestId>().map(ToString::to_string).unwrap_or_default();
        Self {
            dialect: route::dialect(request.path()),
            request_id,
            public_url: settings.public_url.trim_end_matches('/').to_owned(),
            is_https: settings.is_https(),
        }
    }

    pub(super) fn for_answer(&self) -> AnswerContext<'_> {
        AnswerContext { dialect: self.dialect, request_id: &self.request_id, public_url: &self.public_url }
    }
}
