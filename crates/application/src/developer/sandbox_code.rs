//! Issues codes of sandbox people for a developer's app.

use super::{AppCommand, DeveloperAppError};
use crate::operator::{CodeIssuer, IssueCode, IssueCodeCommand, IssueCodeError};
use crate::ports::storage::ClientReader;
use crate::ports::system::Entropy;
use chrono::{DateTime, Utc};
use derive_more::Constructor;
use domain::client::{Client, RedirectUri};
use domain::code::{CodeLifetime, CodeVerifier};
use domain::id::UserId;
use domain::secret::Secret;
use std::sync::Arc;

/// A code, and what the app redeems it with.
#[derive(Debug)]
pub struct SandboxCode {
    /// The code, which is not stored.
    pub code: Secret,
    /// Verifier, if the app must use PKCE.
    pub verifier: Option<CodeVerifier>,
    /// The app's first redirect URI, for which the code is valid.
    pub redirect_uri: RedirectUri,
    /// The app.
    pub client: Client,
    /// Expiry.
    pub expires_at: DateTime<Utc>,
}

/// Issues codes of developers' sandbox people.
#[derive(Constructor)]
pub struct IssueSandboxCode {
    clients: Arc<dyn ClientReader>,
    issue: IssueCode,
    entropy: Arc<dyn Entropy>,
}

impl IssueSandboxCode {
    /// Issues a code for all scopes of the app, as if a sandbox person of the developer had allowed it.
    pub async fn run(
        &self,
        command: AppCommand<'_>,
        person: UserId,
    ) -> Result<SandboxCode, DeveloperAppError> {
        let owner = command.session.user_id;
        let found = self.clients.find_own(owner, command.id).await?;
        let client = found.ok_or(DeveloperAppError::NotFound)?.client;
        let redirect_uri = client.redirect_uris.first().ok_or(DeveloperAppError::NoCode)?.clone();
        let verifier = client.require_pkce.then(|| CodeVerifier::from_bytes(&self.entropy.secret_bytes()));
        let issued = self.issue.run(IssueCodeCommand {
            issuer: CodeIssuer::Developer(owner),
            client_id: client.id,
            user_id: person,
            redirect_uri: redirect_uri.as_str().to_owned(),
            scopes: client.scopes,
            challenge: verifier.as_ref().map(CodeVerifier::challenge),
            lifetime: CodeLifetime::MAX,
        });
        let issued = issued.await?;
        Ok(SandboxCode { code: issued.code, verifier, redirect_uri, client, expires_at: issued.expires_at })
    }
}

impl From<IssueCodeError> for DeveloperAppError {
    fn from(error: IssueCodeError) -> Self {
        match error {
            IssueCodeError::UnknownUser | IssueCodeError::UserLocked => Self::NotFound,
            IssueCodeError::Storage(error) => Self::Storage(error),
            IssueCodeError::UnknownClient
            | IssueCodeError::ServiceClient
            | IssueCodeError::PkceRequired
            | IssueCodeError::UnknownRedirectUri
            | IssueCodeError::ScopeNotAllowed
            | IssueCodeError::DraftFull => Self::NoCode,
        }
    }
}
