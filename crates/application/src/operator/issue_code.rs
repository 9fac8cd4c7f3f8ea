//! Issues an authorization code without a browser: for the operator, who authorizes a client on a user's
//! behalf, and for developers and their sandbox people.

use crate::audit;
use crate::developer::admit_user;
use crate::ports::storage::{StorageError, UnitOfWork};
use chrono::{DateTime, Utc};
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::client::Client;
use domain::code::{AuthorizationCode, CodeLifetime, CodeState, PkceChallenge};
use domain::id::{ClientId, UserId};
use domain::resource::Resource;
use domain::scope::ScopeSet;
use domain::secret::{Secret, SecretKind};

/// Requester of a code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CodeIssuer {
    /// The operator, for any person.
    Operator,
    /// A developer, for their sandbox people only. The caller MUST ensure that the client is theirs.
    Developer(UserId),
}

/// Values that the code is bound to.
#[derive(Debug, Clone)]
pub struct IssueCodeCommand {
    /// Requester of the code.
    pub issuer: CodeIssuer,
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

/// Why no code is issued.
#[derive(Debug, thiserror::Error)]
pub enum IssueCodeError {
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

crate::audit::use_case! {
    /// Issues codes.
    IssueCode
}

impl IssueCode {
    /// Stores the hash of a new code and returns the code.
    pub async fn run(&self, command: IssueCodeCommand) -> Result<IssuedCode, IssueCodeError> {
        let mut unit = self.units.begin().await?;
        match self.issue(&mut *unit, command).await {
            Ok((issued, event)) => {
                audit::commit(unit, &[event]).await?;
                Ok(issued)
            }
            // After a storage error the unit of work must not be used.
            Err(error @ IssueCodeError::Storage(_)) => Err(error),
            Err(error) => unit.refuse(error).await,
        }
    }

    async fn issue(
        &self,
        unit: &mut dyn UnitOfWork,
        command: IssueCodeCommand,
    ) -> Result<(IssuedCode, AuditEvent), IssueCodeError> {
        // The user is locked first, as everywhere; errors of the client are still reported first.
        let user = unit.users().find(command.user_id).await?;
        let client = unit.clients().find(command.client_id).await?;
        let client = client.as_ref().ok_or(IssueCodeError::UnknownClient)?;
        check_client(client, &command)?;
        let user = user.ok_or(IssueCodeError::UnknownUser)?;
        let actor = match command.issuer {
            CodeIssuer::Operator => AuditActor::Operator,
            CodeIssuer::Developer(owner) => {
                let person = unit.sandbox().find(user.id).await?;
                person.filter(|person| person.owner == Some(owner)).ok_or(IssueCodeError::UnknownUser)?;
                AuditActor::Person
            }
        };
        if !user.status.is_active() {
            return Err(IssueCodeError::UserLocked);
        }
        let issued_at = self.trail.now();
        if !admit_user(unit, client, command.user_id, issued_at).await? {
            return Err(IssueCodeError::DraftFull);
        }
        let expires_at = command.lifetime.end_from(issued_at);
        let code = Secret::from_bytes(SecretKind::AuthorizationCode, &self.trail.entropy.secret_bytes());
        let stored = AuthorizationCode {
            hash: code.hash(),
            client_id: command.client_id,
            user_id: command.user_id,
            redirect_uri: command.redirect_uri,
            scopes: command.scopes,
            resource: Resource::Api,
            challenge: command.challenge,
            issued_at,
            expires_at,
            state: CodeState::Issued,
        };
        unit.codes().insert(&stored).await?;
        let event = self.trail.event(actor, AuditKind::CodeIssued);
        Ok((IssuedCode { code, expires_at }, event.user(stored.user_id).client(stored.client_id)))
    }
}

fn check_client(client: &Client, command: &IssueCodeCommand) -> Result<(), IssueCodeError> {
    if !client.status.is_active() {
        return Err(IssueCodeError::UnknownClient);
    }
    if !client.kind.is_app() {
        return Err(IssueCodeError::ServiceClient);
    }
    if client.require_pkce && command.challenge.is_none() {
        return Err(IssueCodeError::PkceRequired);
    }
    if !client.redirect_uris.iter().any(|uri| uri.as_str() == command.redirect_uri) {
        return Err(IssueCodeError::UnknownRedirectUri);
    }
    if command.scopes.is_empty() || !command.scopes.is_subset_of(client.scopes) {
        return Err(IssueCodeError::ScopeNotAllowed);
    }
    Ok(())
}
