//! Token revocation by clients (RFC 7009).

use crate::access::TokenCheck;
use crate::audit;
use crate::ports::storage::{GrantFilter, GrantReader, StorageError};
use domain::access_token::TokenSubject;
use domain::audit::{AuditActor, AuditKind};
use domain::client::Client;
use domain::grant::{Grant, RevocationReason};
use domain::id::{ClientId, GrantId, UserId};
use domain::refresh_token::RefreshToken;
use domain::secret::SecretHash;
use std::sync::Arc;

/// Input of [`RevokeToken`].
#[derive(Clone, Copy)]
pub struct RevokeTokenCommand<'a> {
    /// The authenticated client.
    pub client: &'a Client,
    /// Token, as sent. Its form determines its kind, so no hint is needed (RFC 7009 section 2.1).
    pub token: &'a str,
}

/// Why a token is not revoked.
#[derive(Debug, thiserror::Error)]
pub enum RevokeTokenError {
    /// A live service token (`client_credentials`). It has no grant to revoke, stays valid until it expires,
    /// and the client must know that (RFC 7009 section 2.2.1).
    #[error("tokens of this kind cannot be revoked")]
    UnsupportedTokenType,
    /// The store failed; if the commit failed, the grant may be revoked or not.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

audit::use_case! {
    /// Revokes the grant of a refresh or access token, and with it everything issued from it.
    RevokeToken { grants: Arc<dyn GrantReader>, tokens: TokenCheck }
}

impl RevokeToken {
    /// Revokes the token's grant if it belongs to the client. A replaced rotating refresh token is accepted
    /// too. Unknown, malformed, expired and already revoked tokens, and those of other clients, have no
    /// effect; the caller does not learn which (RFC 7009 section 2.2).
    pub async fn run(&self, command: RevokeTokenCommand<'_>) -> Result<(), RevokeTokenError> {
        let own = command.client.id;
        let found = match RefreshToken::parse(command.token) {
            Ok(token) => self.grant_of_refresh_token(&token.lookup_hash(), own).await?,
            Err(_) => self.grant_of_access_token(command.token, own).await?,
        };
        let Some((user_id, id)) = found else { return Ok(()) };
        let mut unit = self.units.begin().await?;
        let filter = GrantFilter {
            user_id: Some(user_id),
            client_id: Some(own),
            id: Some(id),
            ..GrantFilter::default()
        };
        let revoked = unit.grants().revoke(filter, self.trail.now(), RevocationReason::Client).await?;
        let event = self.trail.event(AuditActor::Client, AuditKind::GrantRevoked);
        let event = event.user(user_id).client(own).subject(id.as_uuid()).count(revoked);
        audit::commit_if(revoked > 0, unit, event).await?;
        Ok(())
    }

    async fn grant_of_refresh_token(
        &self,
        hash: &SecretHash,
        own: ClientId,
    ) -> Result<Option<(UserId, GrantId)>, StorageError> {
        let found = self.grants.find_by_refresh_token(hash, None).await?;
        let Some(grant) = found.map(|found| found.grant).filter(Grant::is_live) else {
            return Ok(None);
        };
        Ok(is_own(grant.client_id, own).then_some((grant.user_id, grant.id)))
    }

    async fn grant_of_access_token(
        &self,
        token: &str,
        own: ClientId,
    ) -> Result<Option<(UserId, GrantId)>, RevokeTokenError> {
        let Some(claims) = self.tokens.run(token, self.trail.now()).await? else { return Ok(None) };
        match claims.subject {
            _ if !is_own(claims.client_id, own) => Ok(None),
            TokenSubject::Person { user_id, grant_id } => Ok(Some((user_id, grant_id))),
            TokenSubject::Service => Err(RevokeTokenError::UnsupportedTokenType),
        }
    }
}

/// Returns whether the token belongs to the client. Logs a warning if not, because the token was leaked or
/// stolen.
fn is_own(holder: ClientId, own: ClientId) -> bool {
    if holder != own {
        tracing::warn!(client_id = %own, "a client tried to revoke a token that does not belong to it");
    }
    holder == own
}
