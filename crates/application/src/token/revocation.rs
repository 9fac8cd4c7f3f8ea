//! Token revocation by clients (RFC 7009).

use super::Tokens;
use crate::ports::storage::{GrantFilter, StorageError};
use crate::store::{RollBack, transact};
use domain::access_token::TokenSubject;
use domain::audit::{AuditActor, AuditKind};
use domain::client::Client;
use domain::grant::{Grant, RevocationReason};
use domain::id::{ClientId, GrantId, UserId};
use domain::refresh_token::RefreshToken;
use domain::secret::SecretHash;

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

impl Tokens {
    /// Revokes the grant of a refresh or access token of this client, and with it everything issued from it.
    /// The form of the token determines its kind, so no hint is needed (RFC 7009 section 2.1). A replaced
    /// rotating refresh token is accepted too. Unknown, malformed, expired and already revoked tokens, and
    /// those of other clients, have no effect; the caller does not learn which (RFC 7009 section 2.2).
    pub async fn revoke(&self, client: &Client, token: &str) -> Result<(), RevokeTokenError> {
        let own = client.id;
        let found = match RefreshToken::parse(token) {
            Ok(token) => self.grant_of_refresh_token(&token.lookup_hash(), own).await?,
            Err(_) => self.grant_of_access_token(token, own).await?,
        };
        let Some((user_id, id)) = found else { return Ok(()) };
        let filter = GrantFilter {
            user_id: Some(user_id),
            client_id: Some(own),
            id: Some(id),
            ..GrantFilter::default()
        };
        let revoked = transact!(self.store, |tx| {
            let revoked = tx.grants().revoke(filter, self.store.now(), RevocationReason::Client).await?;
            if revoked == 0 {
                return Err(RollBack(Ok(())));
            }
            let event = self.store.event(AuditActor::Client, AuditKind::GrantRevoked);
            let event = event.user(user_id).client(own).subject(id.as_uuid()).count(revoked);
            Ok(tx.record(event).await?)
        });
        revoked.await.or_else(|RollBack(result)| result)
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
        let Some(claims) = self.check.run(token, self.store.now()).await? else { return Ok(None) };
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
