//! Client authentication, the same at every endpoint that requires it.

use super::credentials::Credentials;
use crate::ApiState;
use crate::problem::{Fault, Problem};
use application::token::{PresentedCredentials, QuerySecrets};
use domain::client::Client;
use std::net::IpAddr;

/// Returns the client with these credentials; failures are counted against guessing. A public app has no
/// secret and only names itself.
pub(super) async fn authenticate(
    state: &ApiState,
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
    authenticated.map_err(|error| Problem::from(error).with_basic_challenge(credentials.by_header))
}

/// Returns the client with these credentials at an endpoint that is closed to public apps.
pub(super) async fn authenticate_confidential(
    state: &ApiState,
    credentials: &Credentials,
    address: IpAddr,
) -> Result<Client, Problem> {
    let client = authenticate(state, credentials, address, QuerySecrets::None).await?;
    if client.kind.is_public() {
        return Err(
            Problem::new(Fault::InvalidClient).detail("this endpoint requires a client with a secret")
        );
    }
    Ok(client)
}
