//! Authorization: an app asks, a user signs in and consents, and the app gets a code (RFC 6749 section 4.1).

mod begin;
mod code;
mod decide;
mod metadata_client;
mod open;
mod open_request;
mod parameter;
mod validation;

#[cfg(test)]
mod tests;

pub use begin::*;
pub use decide::*;
pub use open::*;
pub use parameter::*;

use crate::attempt_limit::AttemptLimit;
use crate::ports::storage::{
    AuthorizationRequestReader, ClientReader, ConnectedAppReader, FailureCounter, StorageError,
};
use crate::ports::system::MetadataSource;
use crate::store::Store;
use domain::authorization_request::AuthorizationRequest;
use domain::client::{ClientName, MetadataPolicy};
use domain::id::AuthorizationRequestId;
use domain::secret::Secret;
use domain::user::Email;
use std::sync::Arc;

/// Requests of apps for users' authorization.
pub struct Authorizations {
    /// The store.
    pub store: Store,
    /// Reader of requests.
    pub requests: Arc<dyn AuthorizationRequestReader>,
    /// Reader of clients.
    pub clients: Arc<dyn ClientReader>,
    /// Reader of the scopes that apps already hold.
    pub apps: Arc<dyn ConnectedAppReader>,
    /// Counters of requests without a signed-in user.
    pub failures: Arc<dyn FailureCounter>,
    /// Limit on stored requests without a signed-in user.
    pub anonymous_requests: AttemptLimit,
    /// Reader of metadata documents.
    pub metadata: Arc<dyn MetadataSource>,
    /// Which metadata documents are accepted.
    pub metadata_policy: MetadataPolicy,
    /// The public URL of this server.
    pub issuer: String,
}

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

/// Why a user cannot decide a request. Each is shown on a page, never sent to the app.
#[derive(Debug, thiserror::Error)]
pub enum ConsentError {
    /// The request is unknown, expired (after half an hour) or already decided.
    #[error("this request is no longer open")]
    Gone,
    /// The request belongs to another browser or another user (security.md T29).
    #[error("this request belongs to another browser or person")]
    NotYours,
    /// Since the request the client was disabled, or lost the redirect URI or all requested scopes.
    #[error("the app can no longer be authorized")]
    ClientUnavailable,
    /// The app is a draft that has reached its limit of users.
    #[error("the app is not approved and has reached its limit of users")]
    DraftFull,
    /// The account is locked or deleted, or the session ended.
    #[error("the session or its account is no longer active")]
    AccountUnavailable,
    /// A ticked scope is unknown: the form does not come from our page.
    #[error("a selected scope is unknown")]
    UnknownScope,
    /// The store failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

impl Authorizations {
    /// Returns the app of an open request of this browser, so that the sign-in page can name it; `None` for
    /// any other request.
    pub async fn find_pending_app(
        &self,
        id: AuthorizationRequestId,
        visit: &Secret,
    ) -> Result<Option<PendingApp>, StorageError> {
        let request = self.requests.find_authorization_request(id).await?;
        let now = self.store.now();
        let request = request.filter(|request| request.is_open(now) && request.visit_hash == visit.hash());
        let Some(request) = request else { return Ok(None) };
        let found = self.clients.find_with_secrets(request.client_id).await?;
        let AuthorizationRequest { redirect_uri, login_hint, .. } = request;
        Ok(found.map(|found| PendingApp { name: found.client.name, redirect_uri, login_hint }))
    }
}
