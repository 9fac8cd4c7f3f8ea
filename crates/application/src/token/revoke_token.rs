//! Takes a token back that its client no longer wants (RFC 7009).

use crate::access::TokenCheck;
use crate::audit::{self, AuditTrail};
use crate::ports::storage::{GrantFilter, GrantReader, StorageError, UnitOfWorkFactory};
use crate::ports::system::{Clock, Entropy};
use domain::access_token::TokenSubject;
use domain::audit::{AuditActor, AuditKind};
use domain::client::Client;
use domain::grant::{Grant, RevocationReason};
use domain::id::{ClientId, GrantId, UserId};
use domain::secret::{Secret, SecretHash, SecretKind};
use std::sync::Arc;

/// What an authenticated client gives back.
#[derive(Clone, Copy)]
pub struct RevokeTokenCommand<'a> {
    /// The client.
    pub client: &'a Client,
    /// The token, as sent. Its form tells its kind, so a hint is not needed (RFC 7009 section 2.1).
    pub token: &'a str,
}

/// Why a token is not taken back.
#[derive(Debug, thiserror::Error)]
pub enum RevokeTokenError {
    /// A live token of the client itself (`client_credentials`): no grant is behind it that could be revoked, so it
    /// goes on until it expires, and nobody is to believe otherwise (RFC 7009 section 2.2.1).
    #[error("tokens of this kind cannot be revoked")]
    UnsupportedTokenType,
    /// The store failed; whether the grant was revoked is known only if the failure was before the last step.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

/// Revokes the grant of a refresh token or an access token, and with it everything issued from it.
pub struct RevokeToken {
    grants: Arc<dyn GrantReader>,
    tokens: TokenCheck,
    units: Arc<dyn UnitOfWorkFactory>,
    clock: Arc<dyn Clock>,
    trail: AuditTrail,
}

impl RevokeToken {
    /// Creates the use case.
    pub fn new(
        grants: Arc<dyn GrantReader>,
        tokens: TokenCheck,
        units: Arc<dyn UnitOfWorkFactory>,
        entropy: Arc<dyn Entropy>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        let trail = AuditTrail::new(entropy, clock.clone());
        Self { grants, tokens, units, clock, trail }
    }

    /// Revokes the token's grant if it is the client's own. A token that is unknown, malformed, expired, already
    /// revoked or another client's has no effect, and the caller does not learn which (RFC 7009 section 2.2).
    pub async fn run(&self, command: RevokeTokenCommand<'_>) -> Result<(), RevokeTokenError> {
        let own = command.client.id;
        let found = match Secret::parse(SecretKind::RefreshToken, command.token) {
            Ok(secret) => self.grant_of_refresh_token(&secret.hash(), own).await?,
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
        let revoked = unit.grants().revoke(filter, self.clock.now(), RevocationReason::Client).await?;
        if revoked == 0 {
            return Ok(unit.rollback().await?);
        }
        let event = self.trail.event(AuditActor::Client, AuditKind::GrantRevoked);
        let event = event.user(user_id).client(own).subject(id.as_uuid()).count(revoked);
        Ok(audit::commit(unit, &[event]).await?)
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
        let Some(claims) = self.tokens.run(token, self.clock.now()).await? else { return Ok(None) };
        match claims.subject {
            _ if !is_own(claims.client_id, own) => Ok(None),
            TokenSubject::Person { user_id, grant_id } => Ok(Some((user_id, grant_id))),
            TokenSubject::Service => Err(RevokeTokenError::UnsupportedTokenType),
        }
    }
}

/// Tells whether a token is the caller's own; one that is not was leaked or stolen, and the operator is told.
fn is_own(holder: ClientId, own: ClientId) -> bool {
    if holder != own {
        tracing::warn!(client_id = %own, "a client tried to revoke a token that does not belong to it");
    }
    holder == own
}
