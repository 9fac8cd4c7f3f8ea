//! OAuth tokens: client authentication, issuing, refresh, introspection and revocation (RFC 6749; decisions 2
//! and 3).

mod client_authentication;
mod introspection;
mod new_grant;
mod redemption;
mod refresh;
mod revocation;

pub use crate::ports::system::SigningFailed;
pub use client_authentication::{
    AuthenticationLimits, ClientAuthentication, ClientAuthenticationError, PresentedCredentials,
    QuerySecrets, RejectedClient,
};
pub use introspection::ActiveToken;
pub(crate) use new_grant::{created, revoke_excess};
pub use redemption::{IssuedTokens, PresentedCode};
pub use refresh::{PresentedRefreshToken, RefreshedAccess};
pub use revocation::RevokeTokenError;

use crate::access::TokenCheck;
use crate::audit::ReadRecorder;
use crate::ports::storage::{AccessReader, ClientReader, GrantReader, StorageError};
use crate::ports::system::TokenSigner;
use crate::store::{Store, transact};
use chrono::{DateTime, SubsecRound, Utc};
use domain::access_token::{AccessClaims, TokenSubject};
use domain::audit::{AuditActor, AuditKind};
use domain::client::{Client, ClientKind};
use domain::id::{ClientId, TokenId};
use domain::resource::Resource;
use domain::scope::ScopeSet;
use std::borrow::Cow;
use std::sync::Arc;

/// Tokens of clients. Refresh tokens of confidential clients are not rotated and never expire (contract,
/// Authentication); those of public apps rotate.
pub struct Tokens {
    /// The store.
    pub store: Store,
    /// Signs access tokens.
    pub signer: Arc<dyn TokenSigner>,
    /// Verifies access tokens.
    pub check: TokenCheck,
    /// Reader of grants by refresh token.
    pub grants: Arc<dyn GrantReader>,
    /// Reader of grants by id; must not be cached, because introspection describes the current state.
    pub access: Arc<dyn AccessReader>,
    /// Reader of clients, for the introspection of service tokens.
    pub clients: Arc<dyn ClientReader>,
    /// Counts refreshes.
    pub reads: ReadRecorder,
}

/// Why a client gets no tokens (RFC 6749 section 5.2).
#[derive(Debug, thiserror::Error)]
pub enum TokenError {
    /// The code or refresh token is unknown, used, expired or revoked, belongs to another client or user, or
    /// is bound to other values. The reason is for the client's developer; the caller does not learn it.
    #[error("the code or refresh token is not valid")]
    InvalidGrant(Cow<'static, str>),
    /// A requested scope is unknown, or exceeds the grant or what the client is allowed.
    #[error("the scope is unknown or not allowed")]
    InvalidScope,
    /// The code or grant is for another resource, and stays valid for it. A service token is for the API.
    #[error("the resource is another one")]
    InvalidTarget,
    /// This kind of client cannot use this kind of grant.
    #[error("the client may not use this kind of grant")]
    UnauthorizedClient,
    /// The access token could not be signed; a code stays valid.
    #[error(transparent)]
    Signing(#[from] SigningFailed),
    /// The store failed. A code stays valid unless the commit failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

/// An access token of a service client; there is no refresh token.
#[derive(Debug)]
pub struct ServiceToken {
    /// The access token.
    pub access_token: String,
    /// Scopes of the token.
    pub scopes: ScopeSet,
}

impl Tokens {
    /// Returns an access token for a service client itself (RFC 6749 section 4.4; decisions 3 and 9), once
    /// the audit trail contains it. `scope` is `None` for all scopes of the client, `resource` for the API,
    /// the only one for service tokens.
    pub async fn issue_to_service(
        &self,
        client: &Client,
        scope: Option<&str>,
        resource: Option<Resource>,
    ) -> Result<ServiceToken, TokenError> {
        if client.kind != ClientKind::Service {
            return Err(TokenError::UnauthorizedClient);
        }
        let scopes = narrowed(client.scopes, scope).ok_or(TokenError::InvalidScope)?;
        let audience = resource.unwrap_or_default();
        if audience != Resource::Api {
            return Err(TokenError::InvalidTarget);
        }
        let terms = TokenTerms { subject: TokenSubject::Service, client_id: client.id, scopes, audience };
        let access_token = self.sign(terms, self.store.now())?;
        let event = self.store.event(AuditActor::Client, AuditKind::ServiceTokenIssued).client(client.id);
        transact!(self.store, |tx| { tx.record(event).await }).await?;
        Ok(ServiceToken { access_token, scopes })
    }

    /// Signs an access token issued at `now`, truncated to seconds as is usual for RFC 7519 dates.
    fn sign(&self, terms: TokenTerms, now: DateTime<Utc>) -> Result<String, SigningFailed> {
        let TokenTerms { subject, client_id, scopes, audience } = terms;
        let issued_at = now.trunc_subsecs(0);
        self.signer.sign(&AccessClaims {
            id: TokenId::from_uuid(self.store.entropy().uuid()),
            subject,
            client_id,
            scopes,
            audience,
            issued_at,
            expires_at: AccessClaims::end_from(issued_at),
        })
    }
}

/// Subject, client, scopes and audience of an access token.
#[derive(Debug, Clone, Copy)]
struct TokenTerms {
    subject: TokenSubject,
    client_id: ClientId,
    scopes: ScopeSet,
    audience: Resource,
}

/// Parses the `scope` parameter (RFC 6749 sections 3.3 and 6). Absent or empty, it selects all granted
/// scopes; `None` if it exceeds them.
fn narrowed(granted: ScopeSet, asked: Option<&str>) -> Option<ScopeSet> {
    let Some(text) = asked else { return Some(granted) };
    let scopes = ScopeSet::parse(text).ok()?;
    (!scopes.is_empty() && scopes.is_subset_of(granted)).then_some(scopes)
}

#[cfg(test)]
mod tests;
