//! Handles a user's consent decision.

use super::code::{Binding, DecisionContext};
use super::open_request::{OpenRequest, Visitor, refuse};
use super::{AuthorizationPorts, ConsentError};
use crate::account::SessionKey;
use crate::developer::admit_user;
use crate::ports::storage::{StorageError, UnitOfWork};
use derive_more::Constructor;
use domain::audit::AuditKind;
use domain::authorization_response::{AuthorizationErrorCode, AuthorizationResponse};
use domain::consent::RememberedConsent;
use domain::id::AuthorizationRequestId;
use domain::scope::{Scope, ScopeSet, UnknownScope};
use domain::secret::Secret;
use std::net::IpAddr;

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

/// Input of [`DecideConsent`].
#[derive(Clone, Copy)]
pub struct DecideConsentCommand<'a> {
    /// Id of the request, from the form.
    pub request_id: AuthorizationRequestId,
    /// Session of the signed-in user.
    pub session: SessionKey,
    /// Visit cookie of the browser.
    pub visit: &'a Secret,
    /// The decision.
    pub decision: ConsentDecision<'a>,
    /// The caller's IP address.
    pub address: IpAddr,
}

/// Decides authorization requests.
#[derive(Constructor)]
pub struct DecideConsent {
    ports: AuthorizationPorts,
    issuer: String,
}

impl DecideConsent {
    /// Decides a request once, and returns the response for the app.
    ///
    /// Grants the scopes that are ticked, were requested, and are still allowed for the client (security.md
    /// T29). If none are left, the request is denied. A denial or a partial grant also deletes a remembered
    /// consent.
    pub async fn run(
        &self,
        command: DecideConsentCommand<'_>,
    ) -> Result<AuthorizationResponse, ConsentError> {
        let choice = Choice::read(command.decision)?;
        let mut unit = self.ports.units.begin().await?;
        match self.decide(&mut *unit, &command, choice).await {
            Ok(response) => {
                unit.commit().await?;
                Ok(response)
            }
            Err(error) => Err(refuse(unit, error).await),
        }
    }

    async fn decide(
        &self,
        unit: &mut dyn UnitOfWork,
        command: &DecideConsentCommand<'_>,
        choice: Choice,
    ) -> Result<AuthorizationResponse, ConsentError> {
        let DecideConsentCommand { request_id, session, visit, decision: _, address } = *command;
        let user_id = session.user_id;
        let at = self.ports.clock.now();
        let open = OpenRequest::find(unit, Visitor { request_id, session, visit }, at).await?;
        // The consent page has assigned the request to its user.
        if !open.request.belongs_to(user_id) {
            return Err(ConsentError::NotYours);
        }
        if !unit.authorization_requests().decide(request_id, at).await? {
            return Err(ConsentError::Gone);
        }
        let occasion = DecisionContext { user_id, client_id: open.client.id, at, address };
        let granted = choice.ticked.intersection(open.allowed());
        if granted.is_empty() {
            self.deny(unit, &occasion).await?;
            let error = AuthorizationErrorCode::AccessDenied;
            let target = open.target(&self.issuer);
            return Ok(AuthorizationResponse::error(target, error, "the user denied access"));
        }
        if !admit_user(unit, &open.client, user_id, at).await? {
            return Err(ConsentError::DraftFull);
        }
        let is_whole = granted == open.request.scopes;
        let remember = choice.remember && is_whole && self.ports.metadata_policy.is_reviewed(&open.client);
        self.allow(unit, &occasion, granted, remember).await?;
        let code = self.ports.issue_code(unit, &occasion, Binding::new(&open.request, granted)).await?;
        Ok(AuthorizationResponse::code(open.target(&self.issuer), &code))
    }

    async fn deny(&self, unit: &mut dyn UnitOfWork, occasion: &DecisionContext) -> Result<(), StorageError> {
        unit.consents().forget(Some(occasion.user_id), Some(occasion.client_id)).await?;
        unit.audit().append(&occasion.event(&*self.ports.entropy, AuditKind::ConsentDenied)).await
    }

    async fn allow(
        &self,
        unit: &mut dyn UnitOfWork,
        occasion: &DecisionContext,
        granted: ScopeSet,
        is_remembered: bool,
    ) -> Result<(), StorageError> {
        let DecisionContext { user_id, client_id, at, address: _ } = *occasion;
        if is_remembered {
            let consent = RememberedConsent { user_id, client_id, scopes: granted, remembered_at: at };
            unit.consents().remember(&consent).await?;
        } else {
            unit.consents().forget(Some(user_id), Some(client_id)).await?;
        }
        let event = occasion.event(&*self.ports.entropy, AuditKind::ConsentGiven).scopes(granted);
        unit.audit().append(&event).await
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
