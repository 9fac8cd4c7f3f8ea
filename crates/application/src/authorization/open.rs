//! Opens the consent page.

use super::code::{Binding, DecisionContext, is_remembered};
use super::open_request::OpenRequest;
use super::{Authorizations, ConsentError};
use crate::ports::storage::{StorageError, UnitOfWork};
use crate::session::SignedInPerson;
use crate::store::transact;
use domain::authorization_response::AuthorizationResponse;
use domain::client::{ClientName, ClientPages};
use domain::id::{AuthorizationRequestId, ClientId, UserId};
use domain::scope::ScopeSet;
use domain::secret::Secret;

/// Contents of the consent page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConsentView {
    /// The request.
    pub request_id: AuthorizationRequestId,
    /// Id of the app.
    pub client_id: ClientId,
    /// Name of the app.
    pub client_name: ClientName,
    /// Host of the app's metadata document; `None` for a registered app.
    pub metadata_host: Option<String>,
    /// Whether the operator has reviewed the app.
    pub is_reviewed: bool,
    /// Registered web pages of the app.
    pub client_pages: ClientPages,
    /// Host of the redirect URI, as browsers display it; with the port on a loopback host, where the host
    /// alone does not identify a program.
    pub redirect_host: String,
    /// Whether the redirect leads to the person's own computer, where any program could pose as the app.
    pub can_be_imitated: bool,
    /// Origin of the redirect URI; the page's form must be allowed to redirect there (security.md T28).
    pub redirect_origin: String,
    /// Requested scopes that may be granted; at least one.
    pub scopes: ScopeSet,
    /// Scopes of the app's live grants for this user; `None` without a grant.
    pub granted: Option<ScopeSet>,
}

/// Outcome of opening a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConsentOutcome {
    /// Show the consent page.
    Ask(ConsentView),
    /// The user must sign in first: the app sent `prompt=login`, and the session is older than the request.
    SignIn,
    /// A remembered consent applies: redirect to the app with a code.
    Redirect(AuthorizationResponse),
}

impl Authorizations {
    /// Assigns an unassigned request to the user, and returns the contents of the consent page.
    pub async fn open(
        &self,
        person: &SignedInPerson,
        visit: &Secret,
        request_id: AuthorizationRequestId,
    ) -> Result<ConsentOutcome, ConsentError> {
        let opened =
            transact!(self.store, |tx| { self.open_within(tx, person, visit, request_id).await }).await?;
        match opened {
            // Read after the transaction has released its connection.
            ConsentOutcome::Ask(view) => {
                let granted = self.granted_scopes(person.user_id, view.client_id).await?;
                Ok(ConsentOutcome::Ask(ConsentView { granted, ..view }))
            }
            other @ (ConsentOutcome::SignIn | ConsentOutcome::Redirect(_)) => Ok(other),
        }
    }

    async fn open_within(
        &self,
        tx: &mut dyn UnitOfWork,
        person: &SignedInPerson,
        visit: &Secret,
        request_id: AuthorizationRequestId,
    ) -> Result<ConsentOutcome, ConsentError> {
        let (user_id, address, at) = (person.user_id, person.address, self.store.now());
        let open = OpenRequest::find(tx, person, visit, request_id, at).await?;
        if open.request.user_id.is_none() {
            if !open.request.was_followed_by(&person.session) {
                return Ok(ConsentOutcome::SignIn);
            }
            if !tx.authorization_requests().assign(request_id, user_id).await? {
                return Err(ConsentError::NotYours);
            }
        }
        let asked = open.request.scopes;
        let scopes = open.allowed();
        let occasion = DecisionContext { user_id, client_id: open.client.id, at, address };
        let is_reviewed = self.metadata_policy.is_reviewed(&open.client);
        let must_ask = open.request.force_consent || !is_reviewed;
        if scopes == asked && !must_ask && is_remembered(tx, &occasion, asked).await? {
            return self.grant_remembered(tx, &open, &occasion).await;
        }
        if scopes.is_empty() {
            return Err(ConsentError::ClientUnavailable);
        }
        Ok(ConsentOutcome::Ask(ConsentView {
            request_id,
            client_id: open.client.id,
            can_be_imitated: open.client.can_be_imitated(&open.redirect_uri),
            metadata_host: open.client.document.map(|document| document.url.host().to_owned()),
            is_reviewed,
            client_name: open.client.name,
            client_pages: open.client.pages,
            redirect_host: open.redirect_uri.site(),
            redirect_origin: open.redirect_uri.origin(),
            scopes,
            granted: None,
        }))
    }

    /// Responds with a code for all requested scopes.
    async fn grant_remembered(
        &self,
        tx: &mut dyn UnitOfWork,
        open: &OpenRequest,
        occasion: &DecisionContext,
    ) -> Result<ConsentOutcome, ConsentError> {
        let request = &open.request;
        if !tx.authorization_requests().decide(request.id, occasion.at).await? {
            return Err(ConsentError::Gone);
        }
        let code = self.issue_code(tx, occasion, Binding::new(request, request.scopes)).await?;
        let target = open.target(&self.issuer);
        Ok(ConsentOutcome::Redirect(AuthorizationResponse::code(target, &code)))
    }

    async fn granted_scopes(
        &self,
        user_id: UserId,
        client_id: ClientId,
    ) -> Result<Option<ScopeSet>, StorageError> {
        let apps = self.apps.list_connected_apps(user_id).await?;
        // Apps with only a remembered consent are listed too, but hold no grant.
        let holder = apps.into_iter().find(|app| app.client_id == client_id && app.grants > 0);
        Ok(holder.map(|app| app.scopes))
    }
}
