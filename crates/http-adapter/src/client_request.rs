//! The client of a request and what it used, which the middleware records with the status (ADR 71).
//!
//! Only requests of an authenticated client are recorded: nothing proves that others came from it.

use crate::HttpState;
use actix_web::dev::ServiceResponse;
use actix_web::{HttpMessage as _, HttpRequest};
use application::client_usage::ClientRequest;
use domain::client_usage::UsedEndpoint;
use domain::data_endpoint::PersonEndpoint;
use domain::id::ClientId;
use domain::rate_limit::RateStatus;

/// Notes the client of a request; a personal access token has none.
pub(crate) fn note_client(request: &HttpRequest, client_id: Option<ClientId>, endpoint: UsedEndpoint) {
    if let Some(client_id) = client_id {
        request.extensions_mut().insert(ClientRequest { client_id, endpoint, left: None });
    }
}

/// Notes the limit that a request was counted against.
pub(crate) fn note_limit(request: &HttpRequest, endpoint: PersonEndpoint, rate: RateStatus) {
    if let Some(noted) = request.extensions_mut().get_mut::<ClientRequest>() {
        noted.endpoint = UsedEndpoint::Person(endpoint);
        noted.left = Some(rate.remaining);
    }
}

/// Records the request of a response, if its client is known.
pub(crate) fn record<B>(state: &HttpState, response: &ServiceResponse<B>) {
    let noted = response.request().extensions().get::<ClientRequest>().copied();
    if let Some(request) = noted {
        (state.record_usage)(request, response.status().as_u16());
    }
}
