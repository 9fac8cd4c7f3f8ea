//! Client authentication, the same at every endpoint that requires it.

use super::credentials::Credentials;
use crate::ApiState;
use crate::problem::Problem;
use application::token::{PresentedCredentials, QuerySecrets};
use domain::client::Client;
use std::net::IpAddr;

/// Returns the client with these credentials; failures are counted against guessing.
pub(super) async fn authenticate(
    state: &ApiState,
    credentials: &Credentials,
    address: IpAddr,
    in_query: QuerySecrets,
) -> Result<Client, Problem> {
    let presented = PresentedCredentials {
        client_id: &credentials.client_id,
        client_secret: &credentials.client_secret,
        address,
        in_query,
    };
    let authenticated = state.authenticate_client.run(presented).await;
    authenticated.map_err(|error| Problem::from(error).with_basic_challenge(credentials.by_header))
}
