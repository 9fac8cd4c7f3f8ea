//! Finds the app that a sign-in is for, so that the page can name it.

use crate::ports::storage::{AuthorizationRequestReader, ClientReader, StorageError};
use crate::ports::system::Clock;
use derive_more::Constructor;
use domain::authorization_request::AuthorizationRequest;
use domain::client::ClientName;
use domain::id::AuthorizationRequestId;
use domain::secret::Secret;
use domain::user::Email;
use std::sync::Arc;

/// App of a pending authorization request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PendingApp {
    /// Name of the app.
    pub name: ClientName,
    /// Redirect URI of the response, one of the registered URIs.
    pub redirect_uri: String,
    /// Email address that the app expects; only prefills the form.
    pub login_hint: Option<Email>,
}

/// Describes a request before the user has signed in.
#[derive(Constructor)]
pub struct FindPendingApp {
    requests: Arc<dyn AuthorizationRequestReader>,
    clients: Arc<dyn ClientReader>,
    clock: Arc<dyn Clock>,
}

impl FindPendingApp {
    /// Returns the app of an open request of this browser; `None` for any other request.
    pub async fn run(
        &self,
        id: AuthorizationRequestId,
        visit: &Secret,
    ) -> Result<Option<PendingApp>, StorageError> {
        let request = self.requests.find_authorization_request(id).await?;
        let now = self.clock.now();
        let request = request.filter(|request| request.is_open(now) && request.visit_hash == visit.hash());
        let Some(request) = request else { return Ok(None) };
        let found = self.clients.find_with_secrets(request.client_id).await?;
        let AuthorizationRequest { redirect_uri, login_hint, .. } = request;
        Ok(found.map(|found| PendingApp { name: found.client.name, redirect_uri, login_hint }))
    }
}
