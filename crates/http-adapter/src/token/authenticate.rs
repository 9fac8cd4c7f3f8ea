//! Client authentication, the same at every endpoint that requires it.

use super::credentials::{self, Credentials};
use super::parameters::TokenParameters;
use crate::ApiState;
use crate::client_request::{note_client, note_rejection};
use crate::problem::{Fault, Problem};
use actix_web::HttpRequest;
use application::token::{PresentedCredentials, QuerySecrets, RejectedClient};
use domain::client::Client;
use domain::client_usage::UsedEndpoint;
use std::net::IpAddr;

/// Returns the client with these credentials; failures are counted against guessing. A public app has no
/// secret and only names itself.
pub(super) async fn authenticate(
    state: &ApiState,
    request: &HttpRequest,
    credentials: &Credentials,
    address: IpAddr,
    in_query: QuerySecrets,
) -> Result<Client, Problem> {
    let presented = PresentedCredentials {
        client_id: &credentials.client_id,
        client_secret: credentials.client_secret.as_deref(),
        address,
        in_query,
    };
    let authenticated = state.client_authentication.authenticate(presented).await;
    let client = authenticated.map_err(|error| {
        if let Some(RejectedClient { id, reason }) = error.rejected_client() {
            note_rejection(request, (id, UsedEndpoint::Token), reason);
        }
        Problem::from(error).with_basic_challenge(credentials.by_header)
    })?;
    note_client(request, Some(client.id), UsedEndpoint::Token);
    Ok(client)
}

/// Returns the client with these credentials at an endpoint that is closed to public apps.
pub(super) async fn authenticate_confidential(
    state: &ApiState,
    request: &HttpRequest,
    credentials: &Credentials,
    address: IpAddr,
) -> Result<Client, Problem> {
    let client = authenticate(state, request, credentials, address, QuerySecrets::None).await?;
    if client.kind.is_public() {
        return Err(
            Problem::new(Fault::InvalidClient).detail("this endpoint requires a client with a secret")
        );
    }
    Ok(client)
}

/// Notes the client that a malformed request names. Nothing is noted if the store fails.
pub(super) async fn note_named_client(
    state: &ApiState,
    request: &HttpRequest,
    given: &TokenParameters,
    problem: &Problem,
) {
    let Some(client_id) = credentials::named_client(request, given) else { return };
    if let Ok(Some(id)) = state.client_authentication.find_named(&client_id).await {
        note_rejection(request, (id, UsedEndpoint::Token), problem.detail_text().into_owned());
    }
}
