//! Facts about a request that every layer needs.

use crate::accept::wants_page;
use crate::app::is_token_path_elsewhere;
use crate::problem::{AnswerContext, Dialect};
use crate::request_context::RequestId;
use crate::route::Endpoint;
use crate::{HttpSettings, HttpState};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::{Error, web};
use serde_json::Value;
use std::fmt;
use uuid::Uuid;

/// Result of a layer.
pub(super) type Outcome = Result<ServiceResponse, Error>;

/// Facts about a request, determined once for all layers.
pub(super) struct RequestFacts {
    /// The shared state, which [`crate::configure`] registers.
    pub(super) state: Option<web::Data<HttpState>>,
    /// The endpoint that actix matched; `None` if the path has none.
    pub(super) endpoint: Option<Endpoint>,
    dialect: Dialect,
    pub(super) request_id: RequestId,
}

impl RequestFacts {
    /// Collects the facts and generates the request id.
    pub(super) fn new(endpoint: Option<Endpoint>, request: &ServiceRequest) -> Self {
        let state = request.app_data::<web::Data<HttpState>>().cloned();
        let request_id = RequestId::new(state.as_ref().map_or(Uuid::nil(), |state| (state.request_ids)()));
        let dialect = endpoint.map_or_else(|| unmatched_dialect(request), Endpoint::dialect);
        Self { state, endpoint, dialect, request_id }
    }

    pub(super) const fn dialect(&self) -> Dialect {
        self.dialect
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
            state: self.state.clone(),
            endpoint: self.endpoint,
            resource_metadata: self.endpoint.and_then(Endpoint::resource_metadata).map(Endpoint::path),
        }
    }
}

/// Returns the error format of an unknown path: a page for browsers, except below `/api`; that of the token
/// endpoint where a client looks for it.
fn unmatched_dialect(request: &ServiceRequest) -> Dialect {
    if is_token_path_elsewhere(request.path()) {
        return Dialect::OAuth;
    }
    let is_page = !request.path().starts_with("/api") && wants_page(request.headers());
    if is_page { Dialect::Page } else { Dialect::Problem }
}

/// Facts about a request that its error response needs.
#[derive(Clone)]
pub(super) struct ErrorContext {
    pub(super) dialect: Dialect,
    pub(super) request_id: RequestId,
    request_id_text: String,
    public_url: String,
    pub(super) is_https: bool,
    state: Option<web::Data<HttpState>>,
    endpoint: Option<Endpoint>,
    resource_metadata: Option<&'static str>,
}

impl fmt::Debug for ErrorContext {
    /// Prints the id of the request; the state has no text.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ErrorContext").field("request_id", &self.request_id_text).finish_non_exhaustive()
    }
}

impl ErrorContext {
    pub(super) fn for_answer<'a>(&'a self, json_rpc_id: Option<&'a Value>) -> AnswerContext<'a> {
        AnswerContext {
            dialect: self.dialect,
            request_id: &self.request_id_text,
            public_url: &self.public_url,
            endpoint: self.endpoint,
            settings: self.state.as_ref().map(|state| &state.settings),
            error_pages: self.state.as_ref().map(|state| state.error_pages).unwrap_or_default(),
            resource_metadata: self.resource_metadata,
            json_rpc_id,
        }
    }
}
