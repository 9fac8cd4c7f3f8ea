//! Finds the request that a person opens or decides, if it is theirs.

use super::ConsentError;
use super::code::is_usable;
use crate::account::SessionKey;
use crate::ports::storage::UnitOfWork;
use chrono::{DateTime, Utc};
use domain::authorization_request::AuthorizationRequest;
use domain::authorization_response::ResponseTarget;
use domain::client::{Client, RedirectUri};
use domain::id::AuthorizationRequestId;
use domain::scope::ScopeSet;
use domain::secret::Secret;

/// Who comes with which request.
#[derive(Clone, Copy)]
pub(super) struct Visitor<'a> {
    pub(super) request_id: AuthorizationRequestId,
    pub(super) session: SessionKey,
    pub(super) visit: &'a Secret,
}

/// A request that is open, brought by this browser and by nobody but this person.
pub(super) struct OpenRequest {
    pub(super) request: AuthorizationRequest,
    pub(super) client: Client,
    /// The client's, as it is registered now.
    pub(super) redirect_uri: RedirectUri,
}

impl OpenRequest {
    /// Finds it. The person is looked up first, as whoever erases a person does, so that neither waits for the other.
    pub(super) async fn find(
        unit: &mut dyn UnitOfWork,
        visitor: Visitor<'_>,
        now: DateTime<Utc>,
    ) -> Result<Self, ConsentError> {
        if !is_usable(unit, visitor.session).await? {
            return Err(ConsentError::AccountUnavailable);
        }
        let found = unit.authorization_requests().find(visitor.request_id).await?;
        let request = found.ok_or(ConsentError::Gone)?;
        let is_anothers = request.user_id.is_some_and(|user_id| user_id != visitor.session.user_id);
        if request.visit_hash != visitor.visit.hash() || is_anothers {
            return Err(ConsentError::NotYours);
        }
        if !request.is_open(now) {
            return Err(ConsentError::Gone);
        }
        let found = unit.clients().find(request.client_id).await?;
        let client = found.filter(Client::takes_codes).ok_or(ConsentError::ClientUnavailable)?;
        let registered = client.registered_redirect_uri(&request.redirect_uri);
        let redirect_uri = registered.ok_or(ConsentError::ClientUnavailable)?.clone();
        Ok(Self { request, client, redirect_uri })
    }

    /// Returns where the answer goes.
    pub(super) fn target<'a>(&'a self, issuer: &'a str) -> ResponseTarget<'a> {
        ResponseTarget { redirect_uri: &self.redirect_uri, state: self.request.state.as_deref(), issuer }
    }

    /// Returns what was asked for and the client may still ask for.
    pub(super) fn allowed(&self) -> ScopeSet {
        self.request.scopes.intersection(self.client.scopes).intersection(ScopeSet::CONSENTABLE)
    }
}

/// Ends a unit of work that changed nothing, and returns why.
pub(super) async fn refuse(unit: Box<dyn UnitOfWork>, error: ConsentError) -> ConsentError {
    match error {
        // The store may not be asked any more.
        ConsentError::Storage(_) => error,
        // Ended on purpose: a unit of work that is only dropped may cost the store its connection.
        _ => unit.rollback().await.err().map_or(error, ConsentError::Storage),
    }
}
