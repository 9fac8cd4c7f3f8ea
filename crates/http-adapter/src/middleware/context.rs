//! Facts about a request that every layer needs.

use crate::problem::{AnswerContext, Dialect, ErrorPages};
use crate::request_id::RequestId;
use crate::route::Endpoint;
use crate::{HttpSettings, HttpState};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::{Error, HttpMessage as _, web};
use uuid::Uuid;

/// Result of a layer.
pub(super) type Outcome = Result<ServiceResponse, Error>;

/// Facts about a request, determined once for all layers.
pub(super) struct RequestContext {
    /// The shared state, which [`crate::configure`] registers.
    pub(super) state: Option<web::Data<HttpState>>,
    /// The endpoint that actix matched; `None` if the path has none.
    pub(super) endpoint: Option<Endpoint>,
    pub(super) request_id: RequestId,
}

impl RequestContext {
    /// Collects the facts and generates the request id, which is stored as an extension of the request.
    pub(super) fn new(endpoint: Option<Endpoint>, request: &ServiceRequest) -> Self {
        let state = request.app_data::<web::Data<HttpState>>().cloned();
        let request_id = RequestId::new(state.as_ref().map_or(Uuid::nil(), |state| (state.request_ids)()));
        request.extensions_mut().insert(request_id);
        Self { state, endpoint, request_id }
    }

    pub(super) fn dialect(&self) -> Dialect {
        self.endpoint.map_or(Dialect::Problem, Endpoint::dialect)
    }

    pub(super) fn is_https(&self) -> bool {
        self.state.as_ref().is_some_and(|state| state.settings.is_https())
    }

    /// Returns the owned values that an error response needs.
    pub(super) fn for_errors(&self) -> ErrorContext {
        let default = HttpSettings::default();
        let settings = self.state.as_ref().map_or(&default, |state| &state.settings);
        ErrorContext {
            dialect: self.dialect(),
            request_id: self.request_id,
            request_id_text: self.request_id.to_string(),
            public_url: settings.public_url.trim_end_matches('/').to_owned(),
            is_https: settings.is_https(),
            error_pages: self.state.as_ref().map(|state| state.error_pages).unwrap_or_default(),
        }
    }
}

/// Facts about a request that its error response needs.
#[derive(Debug, Clone)]
pub(super) struct ErrorContext {
    pub(super) dialect: Dialect,
    pub(super) request_id: RequestId,
    request_id_text: String,
    public_url: String,
    pub(super) is_https: bool,
    error_pages: ErrorPages,
}

impl ErrorContext {
    pub(super) fn for_answer(&self) -> AnswerContext<'_> {
        AnswerContext {
            dialect: self.dialect,
            request_id: &self.request_id_text,
            public_url: &self.public_url,
            error_pages: self.error_pages,
        }
    }
}
