//! Finds the authorization request that a user opens or decides.

use super::ConsentError;
use super::code::is_usable;
use crate::ports::storage::UnitOfWork;
use crate::session::SignedInPerson;
use chrono::{DateTime, Utc};
use domain::authorization_request::AuthorizationRequest;
use domain::authorization_response::ResponseTarget;
use domain::client::{Client, RedirectUri};
use domain::id::AuthorizationRequestId;
use domain::scope::ScopeSet;
use domain::secret::Secret;

/// An open request of this browser that is not assigned to another user.
pub(super) struct OpenRequest {
    pub(super) request: AuthorizationRequest,
    pub(super) client: Client,
    /// Redirect URI of the request, which is still registered.
    pub(super) redirect_uri: RedirectUri,
}

impl OpenRequest {
    /// Finds the request. Locks the user first, in the same order as erasure does, to avoid deadlocks.
    pub(super) async fn find(
        tx: &mut dyn UnitOfWork,
        person: &SignedInPerson,
        visit: &Secret,
        id: AuthorizationRequestId,
        now: DateTime<Utc>,
    ) -> Result<Self, ConsentError> {
        if !is_usable(tx, person).await? {
            return Err(ConsentError::AccountUnavailable);
        }
        let found = tx.authorization_requests().find(id).await?;
        let request = found.ok_or(ConsentError::Gone)?;
        let is_anothers = request.user_id.is_some_and(|user_id| user_id != person.user_id);
        if request.visit_hash != visit.hash() || is_anothers {
            return Err(ConsentError::NotYours);
        }
        if !request.is_open(now) {
            return Err(ConsentError::Gone);
        }
        let found = tx.clients().find(request.client_id).await?;
        let client = found.filter(Client::can_receive_codes).ok_or(ConsentError::ClientUnavailable)?;
        let registered = client.registered_redirect_uri(&request.redirect_uri);
        let redirect_uri = registered.ok_or(ConsentError::ClientUnavailable)?;
        Ok(Self { request, client, redirect_uri })
    }

    /// Returns the target of the response.
    pub(super) fn target<'a>(&'a self, issuer: &'a str) -> ResponseTarget<'a> {
        ResponseTarget { redirect_uri: &self.redirect_uri, state: self.request.state.as_deref(), issuer }
    }

    /// Returns the requested scopes that the client may still request.
    pub(super) fn allowed(&self) -> ScopeSet {
        self.request.scopes.intersection(self.client.scopes).intersection(ScopeSet::CONSENTABLE)
    }
}
