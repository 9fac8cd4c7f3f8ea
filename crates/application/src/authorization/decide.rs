//! Handles a user's consent decision.

use super::code::{Binding, DecisionContext};
use super::open_request::OpenRequest;
use super::{Authorizations, ConsentError};
use crate::client::admit_user;
use crate::ports::storage::{StorageError, UnitOfWork};
use crate::session::SignedInPerson;
use crate::store::transact;
use domain::audit::AuditKind;
use domain::authorization_response::{AuthorizationErrorCode, AuthorizationResponse};
use domain::consent::RememberedConsent;
use domain::id::AuthorizationRequestId;
use domain::scope::{Scope, ScopeSet, UnknownScope};
use domain::secret::Secret;

/// Decision on the consent page.
#[derive(Clone, Copy)]
pub enum ConsentDecision<'a> {
    /// Grants the ticked scopes.
    Allow {
        /// Names of the ticked scopes; none is a denial.
        ticked: &'a [&'a str],
        /// Whether to skip the consent page for the same scopes from now on.
        remember: bool,
    },
    /// Denies the request.
    Deny,
}

impl Authorizations {
    /// Decides a request once, and returns the response for the app.
    ///
    /// Grants the scopes that are ticked, were requested, and are still allowed for the client (security.md
    /// T29). If none are left, the request is denied. A denial or a partial grant also deletes a remembered
    /// consent.
    pub async fn decide(
        &self,
        person: &SignedInPerson,
        visit: &Secret,
        request_id: AuthorizationRequestId,
        decision: ConsentDecision<'_>,
    ) -> Result<AuthorizationResponse, ConsentError> {
        let choice = Choice::read(decision)?;
        transact!(self.store, |tx| {
            let (user_id, address, at) = (person.user_id, person.address, self.store.now());
            let open = OpenRequest::find(tx, person, visit, request_id, at).await?;
            // The consent page has assigned the request to its user.
            if !open.request.belongs_to(user_id) {
                return Err(ConsentError::NotYours);
            }
            if !tx.authorization_requests().decide(request_id, at).await? {
                return Err(ConsentError::Gone);
            }
            let occasion = DecisionContext { user_id, client_id: open.client.id, at, address };
            let target = open.target(&self.issuer);
            let granted = choice.ticked.intersection(open.allowed());
            if granted.is_empty() {
                tx.consents().forget(Some(user_id), Some(open.client.id)).await?;
                tx.record(occasion.event(&self.store, AuditKind::ConsentDenied)).await?;
                let error = AuthorizationErrorCode::AccessDenied;
                return Ok(AuthorizationResponse::error(target, error, "the user denied access"));
            }
            if !admit_user(tx, &open.client, user_id, at).await? {
                return Err(ConsentError::DraftFull);
            }
            let is_whole = granted == open.request.scopes;
            let remember = choice.remember && is_whole && self.metadata_policy.is_reviewed(&open.client);
            self.allow(tx, &occasion, granted, remember).await?;
            let code = self.issue_code(tx, &occasion, Binding::new(&open.request, granted)).await?;
            Ok(AuthorizationResponse::code(target, &code))
        })
        .await
    }

    async fn allow(
        &self,
        tx: &mut dyn UnitOfWork,
        occasion: &DecisionContext,
        granted: ScopeSet,
        is_remembered: bool,
    ) -> Result<(), StorageError> {
        let DecisionContext { user_id, client_id, at, address: _ } = *occasion;
        if is_remembered {
            let consent = RememberedConsent { user_id, client_id, scopes: granted, remembered_at: at };
            tx.consents().remember(&consent).await?;
        } else {
            tx.consents().forget(Some(user_id), Some(client_id)).await?;
        }
        tx.record(occasion.event(&self.store, AuditKind::ConsentGiven).scopes(granted)).await
    }
}

/// A decision with parsed scopes.
#[derive(Clone, Copy)]
struct Choice {
    ticked: ScopeSet,
    remember: bool,
}

impl Choice {
    fn read(decision: ConsentDecision<'_>) -> Result<Self, ConsentError> {
        match decision {
            ConsentDecision::Deny => Ok(Self { ticked: ScopeSet::EMPTY, remember: false }),
            ConsentDecision::Allow { ticked, remember } => {
                let ticked: Result<ScopeSet, UnknownScope> =
                    ticked.iter().map(|name| Scope::parse(name)).collect();
                Ok(Self { ticked: ticked.map_err(|_| ConsentError::UnknownScope)?, remember })
            }
        }
    }
}
