//! Client authentication, the same at every endpoint that requires it.

use super::credentials::Credentials;
use crate::ApiState;
use crate::client_request::note_client;
use crate::problem::{Fault, Problem};
use actix_web::HttpRequest;
use application::token::{PresentedCredentials, QuerySecrets};
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
    let authenticated = state.authenticate_client.run(presented).await;
    let client =
        authenticated.map_err(|error| Problem::from(error).with_basic_challenge(credentials.by_header))?;
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
