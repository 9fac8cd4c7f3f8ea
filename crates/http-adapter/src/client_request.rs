//! The client of a request and what it used, which the middleware records with the status (ADR 71).
//!
//! Of requests without an authenticated client, only rejected ones that name a client are recorded, although
//! nothing proves that they came from it: its developer needs the reason.

use crate::HttpState;
use crate::request_context::RequestContext;
use actix_web::HttpRequest;
use actix_web::dev::ServiceResponse;
use application::client_usage::ClientRequest;
use domain::client_usage::UsedEndpoint;
use domain::data_endpoint::PersonEndpoint;
use domain::id::ClientId;
use domain::rate_limit::RateStatus;
use std::borrow::Cow;

/// Notes the client of a request; a personal access token has none.
pub(crate) fn note_client(request: &HttpRequest, client_id: Option<ClientId>, endpoint: UsedEndpoint) {
    if let Some(client_id) = client_id {
        let client = ClientRequest { client_id, endpoint, left: None, rejection: None };
        RequestContext::of(request).client = Some(client);
    }
}

/// Notes the limit that a request was counted against.
pub(crate) fn note_limit(request: &HttpRequest, endpoint: PersonEndpoint, rate: RateStatus) {
    if let Some(noted) = &mut RequestContext::of(request).client {
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
    RequestContext::of(request).client = Some(ClientRequest { client_id, endpoint, left: None, rejection });
}

/// Notes a reason for the rejection of a token request whose client is known, unless one is noted.
pub(crate) fn note_token_rejection(request: &HttpRequest, reason: impl Into<Cow<'static, str>>) {
    if let Some(noted) = &mut RequestContext::of(request).client {
        noted.rejection.get_or_insert(reason.into());
    }
}

/// Records the request of a response, if its client is known.
pub(crate) fn record<B>(state: &HttpState, response: &ServiceResponse<B>) {
    let noted = RequestContext::of(response.request()).client.take();
    if let Some(request) = noted {
        (state.record_usage)(request, response.status().as_u16());
    }
}
