//! Authorization codes that are issued without a browser: by the operator, who authorizes a client on a
//! user's behalf, and by developers for their sandbox people.

use crate::client::admit_user;
use crate::ports::storage::{ClientReader, StorageError, UnitOfWork};
use crate::store::{Store, transact};
use chrono::{DateTime, Utc};
use domain::audit::{AuditActor, AuditKind};
use domain::client::{Client, RedirectUri};
use domain::code::{AuthorizationCode, CodeLifetime, CodeState, CodeVerifier, PkceChallenge};
use domain::id::{ClientId, UserId};
use domain::resource::Resource;
use domain::scope::ScopeSet;
use domain::secret::{Secret, SecretKind};
use std::sync::Arc;

/// Codes that are issued without a browser.
pub struct Codes {
    /// The store.
    pub store: Store,
    /// Reader of developers' apps.
    pub clients: Arc<dyn ClientReader>,
}

/// Requester of a code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CodeIssuer {
    /// The operator, for any person.
    Operator,
    /// A developer, for their sandbox people only. The caller MUST ensure that the client is theirs.
    Developer(UserId),
}

/// Values that a new code is bound to.
#[derive(Debug, Clone)]
pub struct NewCode {
    /// The client.
    pub client_id: ClientId,
    /// The person.
    pub user_id: UserId,
    /// One of the client's redirect URIs, exactly as registered.
    pub redirect_uri: String,
    /// Granted scopes.
    pub scopes: ScopeSet,
    /// PKCE challenge, if the code is to be redeemed with its verifier.
    pub challenge: Option<PkceChallenge>,
    /// Lifetime of the code.
    pub lifetime: CodeLifetime,
}

/// An issued code; only its hash is stored.
#[derive(Debug)]
pub struct IssuedCode {
    /// The code.
    pub code: Secret,
    /// Expiry.
    pub expires_at: DateTime<Utc>,
}

/// A code of a sandbox person, and what the app redeems it with.
#[derive(Debug)]
pub struct SandboxCode {
    /// The code.
    pub issued: IssuedCode,
    /// Verifier, if the app must use PKCE.
    pub verifier: Option<CodeVerifier>,
    /// The app's first redirect URI, for which the code is valid.
    pub redirect_uri: RedirectUri,
    /// The app.
    pub client: Client,
}

/// Why no code is issued.
#[derive(Debug, thiserror::Error)]
pub enum CodeError {
    /// The client does not exist or is disabled.
    #[error("there is no enabled client with this id")]
    UnknownClient,
    /// No user has this id, or a developer asked for one who is not a sandbox person of theirs.
    #[error("there is no user with this id")]
    UnknownUser,
    /// The account is locked.
    #[error("this user is locked")]
    UserLocked,
    /// Users cannot authorize service clients.
    #[error("a service client cannot redeem codes")]
    ServiceClient,
    /// The client requires PKCE, and this code has no challenge.
    #[error("this client requires PKCE, so its codes need a code challenge")]
    PkceRequired,
    /// The redirect URI is not registered for the client (exact match).
    #[error("the redirect URI is not registered for this client; it must match exactly")]
    UnknownRedirectUri,
    /// There is no scope, or one that the client may not request.
    #[error("the scopes must be a non-empty subset of those that the client may request")]
    ScopeNotAllowed,
    /// The client is a draft that has reached its limit of users.
    #[error("this client is a draft and has reached its limit of users")]
    DraftFull,
    /// The store failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

impl Codes {
    /// Stores the hash of a new code and returns the code.
    pub async fn issue(&self, issuer: CodeIssuer, new: NewCode) -> Result<IssuedCode, CodeError> {
        transact!(self.store, |tx| {
            // The user is locked first, as everywhere; errors of the client are still reported first.
            let user = tx.users().find(new.user_id).await?;
            let client = tx.clients().find(new.client_id).await?.ok_or(CodeError::UnknownClient)?;
            check_client(&client, &new)?;
            let user = user.ok_or(CodeError::UnknownUser)?;
            let actor = check_issuer(tx, issuer, user.id).await?;
            if !user.status.is_active() {
                return Err(CodeError::UserLocked);
            }
            let issued_at = self.store.now();
            if !admit_user(tx, &client, user.id, issued_at).await? {
                return Err(CodeError::DraftFull);
            }
            let expires_at = new.lifetime.end_from(issued_at);
            let secret = self.store.entropy().secret_bytes();
            let code = Secret::from_bytes(SecretKind::AuthorizationCode, &secret);
            let NewCode { client_id, user_id, redirect_uri, scopes, challenge, .. } = new;
            tx.codes()
                .insert(&AuthorizationCode {
                    hash: code.hash(),
                    client_id,
                    user_id,
                    redirect_uri,
                    scopes,
                    resource: Resource::Api,
                    challenge,
                    issued_at,
                    expires_at,
                    state: CodeState::Issued,
                })
                .await?;
            let event = self.store.event(actor, AuditKind::CodeIssued);
            tx.record(event.user(user_id).client(client_id)).await?;
            Ok(IssuedCode { code, expires_at })
        })
        .await
    }

    /// Issues a code for all scopes of a developer's app, as if a sandbox person of the developer had allowed
    /// it; `None` if there is no such app.
    pub async fn issue_for_sandbox(
        &self,
        owner: UserId,
        app: ClientId,
        person: UserId,
    ) -> Result<Option<SandboxCode>, CodeError> {
        let Some(found) = self.clients.find_own(owner, app).await? else { return Ok(None) };
        let client = found.client;
        let redirect_uri = client.redirect_uris.first().ok_or(CodeError::UnknownRedirectUri)?.clone();
        let verifier =
            client.require_pkce.then(|| CodeVerifier::from_bytes(&self.store.entropy().secret_bytes()));
        let new = NewCode {
            client_id: client.id,
            user_id: person,
            redirect_uri: redirect_uri.as_str().to_owned(),
            scopes: client.scopes,
            challenge: verifier.as_ref().map(CodeVerifier::challenge),
            lifetime: CodeLifetime::MAX,
        };
        let issued = self.issue(CodeIssuer::Developer(owner), new).await?;
        Ok(Some(SandboxCode { issued, verifier, redirect_uri, client }))
    }
}

fn check_client(client: &Client, new: &NewCode) -> Result<(), CodeError> {
    if !client.status.is_active() {
        return Err(CodeError::UnknownClient);
    }
    if !client.kind.is_app() {
        return Err(CodeError::ServiceClient);
    }
    if client.require_pkce && new.challenge.is_none() {
        return Err(CodeError::PkceRequired);
    }
    if !client.redirect_uris.iter().any(|uri| uri.as_str() == new.redirect_uri) {
        return Err(CodeError::UnknownRedirectUri);
    }
    if new.scopes.is_empty() || !new.scopes.is_subset_of(client.scopes) {
        return Err(CodeError::ScopeNotAllowed);
    }
    Ok(())
}

/// Returns the actor of the event. A developer's person must be a sandbox person of theirs.
async fn check_issuer(
    tx: &mut dyn UnitOfWork,
    issuer: CodeIssuer,
    person: UserId,
) -> Result<AuditActor, CodeError> {
    match issuer {
        CodeIssuer::Operator => Ok(AuditActor::Operator),
        CodeIssuer::Developer(owner) => {
            let found = tx.sandbox().find(person).await?.filter(|person| person.owner == Some(owner));
            found.map(|_| AuditActor::Person).ok_or(CodeError::UnknownUser)
        }
    }
}

#[cfg(test)]
mod tests;
