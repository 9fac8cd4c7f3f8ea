//! Tells which app waits behind a sign-in, so that the page can name it.

use super::AuthorizationPorts;
use crate::ports::storage::StorageError;
use domain::authorization_request::AuthorizationRequest;
use domain::client::ClientName;
use domain::id::AuthorizationRequestId;
use domain::secret::Secret;
use domain::user::Email;

/// The app that waits for a sign-in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaitingApp {
    /// What it is called.
    pub name: ClientName,
    /// Where the answer will go, one of its registered URIs.
    pub redirect_uri: String,
    /// The address that the app expects to sign in; for the form's field alone.
    pub login_hint: Option<Email>,
}

/// Describes a request to a browser in which nobody may have signed in yet. Changes nothing.
pub struct DescribeRequest {
    ports: AuthorizationPorts,
}

impl DescribeRequest {
    /// Takes the ports.
    pub fn new(ports: AuthorizationPorts) -> Self {
        Self { ports }
    }

    /// Returns the app behind a request that is open and that this browser brought; nothing otherwise.
    pub async fn run(
        &self,
        id: AuthorizationRequestId,
        visit: &Secret,
    ) -> Result<Option<WaitingApp>, StorageError> {
        let mut unit = self.ports.units.begin().await?;
        let request = unit.authorization_requests().find(id).await?;
        unit.rollback().await?;
        let now = self.ports.clock.now();
        let request = request.filter(|request| request.is_open(now) && request.visit_hash == visit.hash());
        let Some(request) = request else { return Ok(None) };
        let found = self.ports.clients.find_with_secrets(request.client_id).await?;
        let AuthorizationRequest { redirect_uri, login_hint, .. } = request;
        Ok(found.map(|found| WaitingApp { name: found.client.name, redirect_uri, login_hint }))
    }
}
