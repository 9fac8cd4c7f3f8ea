//! Issues authorization codes.

use super::Authorizations;
use crate::ports::storage::{StorageError, UnitOfWork};
use crate::session::SignedInPerson;
use crate::store::Store;
use chrono::{DateTime, Utc};
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::authorization_request::AuthorizationRequest;
use domain::code::{AuthorizationCode, CodeLifetime, CodeState, PkceChallenge};
use domain::id::{ClientId, UserId};
use domain::resource::Resource;
use domain::scope::ScopeSet;
use domain::secret::{Secret, SecretKind};
use std::net::IpAddr;

/// User, client, time and address of a decision.
#[derive(Clone, Copy)]
pub(super) struct DecisionContext {
    pub(super) user_id: UserId,
    pub(super) client_id: ClientId,
    pub(super) at: DateTime<Utc>,
    pub(super) address: IpAddr,
}

impl DecisionContext {
    /// Returns an audit event of this kind with the user as actor.
    pub(super) fn event(&self, store: &Store, kind: AuditKind) -> AuditEvent {
        let event = AuditEvent { at: self.at, ..store.event(AuditActor::Person, kind) };
        event.user(self.user_id).client(self.client_id).from(self.address)
    }
}

/// Values that a code is bound to besides client and user.
pub(super) struct Binding<'a> {
    pub(super) redirect_uri: &'a str,
    pub(super) scopes: ScopeSet,
    pub(super) resource: Resource,
    pub(super) challenge: Option<PkceChallenge>,
}

impl<'a> Binding<'a> {
    /// Binds to a request, but to the granted scopes only.
    pub(super) fn new(request: &'a AuthorizationRequest, granted: ScopeSet) -> Self {
        let AuthorizationRequest { redirect_uri, resource, challenge, .. } = request;
        Self { redirect_uri, scopes: granted, resource: *resource, challenge: *challenge }
    }
}

impl Authorizations {
    /// Stores the hash of a new code and its audit event, and returns the code.
    pub(super) async fn issue_code(
        &self,
        tx: &mut dyn UnitOfWork,
        occasion: &DecisionContext,
        binding: Binding<'_>,
    ) -> Result<Secret, StorageError> {
        let code = self.store.new_secret(SecretKind::AuthorizationCode);
        let Binding { redirect_uri, scopes, resource, challenge } = binding;
        let stored = AuthorizationCode {
            hash: code.hash(),
            client_id: occasion.client_id,
            user_id: occasion.user_id,
            redirect_uri: redirect_uri.to_owned(),
            scopes,
            resource,
            challenge,
            issued_at: occasion.at,
            expires_at: CodeLifetime::DEFAULT.end_from(occasion.at),
            state: CodeState::Issued,
        };
        tx.codes().insert(&stored).await?;
        tx.record(occasion.event(&self.store, AuditKind::CodeIssued)).await?;
        Ok(code)
    }
}

/// Returns whether a remembered consent of this user covers the requested scopes.
pub(super) async fn is_remembered(
    tx: &mut dyn UnitOfWork,
    occasion: &DecisionContext,
    asked: ScopeSet,
) -> Result<bool, StorageError> {
    let found = tx.consents().find(occasion.user_id, occasion.client_id).await?;
    Ok(found.is_some_and(|remembered| remembered.covers(asked)))
}

/// Returns whether the account is active and the session still exists.
///
/// Locks the user until the transaction ends. A concurrent password change, which ends sessions and codes,
/// therefore either runs later and deletes the new code, or ran earlier and has deleted the session
/// (security.md T17, T30).
pub(super) async fn is_usable(
    tx: &mut dyn UnitOfWork,
    person: &SignedInPerson,
) -> Result<bool, StorageError> {
    let user_id = person.user_id;
    Ok(tx.active_user(user_id).await?.is_some()
        && tx.sessions().find(user_id, person.session.id).await?.is_some())
}
