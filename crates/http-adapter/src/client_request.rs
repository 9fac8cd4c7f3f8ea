//! The client of a request and what it used, which the middleware records with the status (ADR 71).
//!
//! Of requests without an authenticated client, only rejected ones that name a client are recorded, although
//! nothing proves that they came from it: its developer needs the reason.

use crate::HttpState;
use actix_web::dev::ServiceResponse;
use actix_web::{HttpMessage as _, HttpRequest};
use application::client_usage::ClientRequest;
use domain::client_usage::UsedEndpoint;
use domain::data_endpoint::PersonEndpoint;
use domain::id::ClientId;
use domain::rate_limit::RateStatus;
use std::borrow::Cow;

/// Notes the client of a request; a personal access token has none.
pub(crate) fn note_client(request: &HttpRequest, client_id: Option<ClientId>, endpoint: UsedEndpoint) {
    if let Some(client_id) = client_id {
        request.extensions_mut().insert(ClientRequest { client_id, endpoint, left: None, rejection: None });
    }
}

/// Notes the limit that a request was counted against.
pub(crate) fn note_limit(request: &HttpRequest, endpoint: PersonEndpoint, rate: RateStatus) {
    if let Some(noted) = request.extensions_mut().get_mut::<ClientRequest>() {
        noted.endpoint = UsedEndpoint::Person(endpoint);
        noted.left = Some(rate.remaining);
    }
}

/// Notes why a request of, or in the name of, this client was rejected. The reason is for its developer.
pub fn note_rejection(
    request: &HttpRequest,
    (client_id, endpoint): (ClientId, UsedEndpoint),
    reason: impl Into<Cow<'static, str>>,
) {
    let rejection = Some(reason.into());
    request.extensions_mut().insert(ClientRequest { client_id, endpoint, left: None, rejection });
}

/// Notes a reason for the rejection of a token request whose client is known, unless one is noted.
pub(crate) fn note_token_rejection(request: &HttpRequest, reason: impl Into<Cow<'static, str>>) {
    if let Some(noted) = request.extensions_mut().get_mut::<ClientRequest>() {
        noted.rejection.get_or_insert(reason.into());
    }
}

/// Records the request of a response, if its client is known.
pub(crate) fn record<B>(state: &HttpState, response: &ServiceResponse<B>) {
    let noted = response.request().extensions().get::<ClientRequest>().cloned();
    if let Some(request) = noted {
        (state.record_usage)(request, response.status().as_u16());
    }
}
