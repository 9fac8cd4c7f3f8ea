//! Exchanges a refresh token for a new access token (RFC 6749 section 6).

use super::{TokenMint, narrowed};
use crate::audit::{AnsweredRead, AuditTrail, ReadRecorder, append_refusal};
use crate::ports::storage::{GrantReader, GrantWithUser, StorageError, UnitOfWorkFactory};
use crate::ports::system::SigningFailed;
use chrono::{DateTime, Utc};
use domain::access_token::TokenSubject;
use domain::audit::{AuditActor, AuditKind};
use domain::client::{Client, ClientKind};
use domain::grant::{Grant, UsedFrom};
use domain::id::UserId;
use domain::read_tally::{AskedRange, ReadKind, Reader};
use domain::scope::ScopeSet;
use domain::secret::{Secret, SecretKind};
use domain::user::UserStatus;
use std::sync::Arc;

/// Input of [`RefreshAccess`].
#[derive(Clone, Copy)]
pub struct RefreshAccessCommand<'a> {
    /// The authenticated client.
    pub client: &'a Client,
    /// Refresh token, as sent.
    pub refresh_token: &'a str,
    /// `user_id`, as sent; compared as text, so another spelling is another user (T51).
    pub user_id: Option<&'a str>,
    /// Requested scopes, as sent; `None` for all that the grant has.
    pub scope: Option<&'a str>,
    /// Origin of the request, shown to the user.
    pub from: &'a UsedFrom,
}

/// Result of a refresh.
#[derive(Debug)]
pub struct RefreshedAccess {
    /// The new access token.
    pub access_token: String,
    /// Scopes of the token.
    pub scopes: ScopeSet,
    /// User whose data it gives access to.
    pub user_id: UserId,
}

/// Why a refresh token is rejected.
#[derive(Debug, thiserror::Error)]
pub enum RefreshAccessError {
    /// The token is unknown or revoked, or belongs to another client or user; the caller does not learn
    /// which.
    #[error("the refresh token is not valid")]
    InvalidGrant,
    /// A requested scope is unknown or exceeds the grant.
    #[error("the scope is unknown or wider than the grant")]
    InvalidScope,
    /// This kind of client cannot use refresh tokens.
    #[error("the client may not use refresh tokens")]
    UnauthorizedClient,
    /// The token could not be signed.
    #[error(transparent)]
    Signing(#[from] SigningFailed),
    /// The store failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

/// Refreshes access. Refresh tokens are not rotated and never expire (contract, Authentication).
pub struct RefreshAccess {
    grants: Arc<dyn GrantReader>,
    units: Arc<dyn UnitOfWorkFactory>,
    reads: ReadRecorder,
    mint: TokenMint,
    trail: AuditTrail,
}

impl RefreshAccess {
    /// Creates the use case.
    pub fn new(
        grants: Arc<dyn GrantReader>,
        units: Arc<dyn UnitOfWorkFactory>,
        reads: ReadRecorder,
        mint: TokenMint,
    ) -> Self {
        let trail = mint.trail();
        Self { grants, units, reads, mint, trail }
    }

    /// Returns a new access token of the same grant.
    pub async fn run(
        &self,
        command: RefreshAccessCommand<'_>,
    ) -> Result<RefreshedAccess, RefreshAccessError> {
        if command.client.kind != ClientKind::App {
            return Err(RefreshAccessError::UnauthorizedClient);
        }
        let secret = Secret::parse(SecretKind::RefreshToken, command.refresh_token)
            .map_err(|_| RefreshAccessError::InvalidGrant)?;
        let named = command.user_id.and_then(|text| UserId::parse(text).ok());
        let found = self.grants.find_by_refresh_token(&secret.hash(), named).await?;
        let GrantWithUser { grant, user_status } = found.ok_or(RefreshAccessError::InvalidGrant)?;
        if grant.client_id != command.client.id {
            self.note_misuse(&grant, &command).await;
            return Err(RefreshAccessError::InvalidGrant);
        }
        if !is_usable(&grant, user_status, &command) {
            return Err(RefreshAccessError::InvalidGrant);
        }
        let scopes = narrowed(grant.scopes, command.scope).ok_or(RefreshAccessError::InvalidScope)?;

        let now = self.mint.now();
        let subject = TokenSubject::Person { user_id: grant.user_id, grant_id: grant.id };
        let access_token = self.mint.access_token(subject, grant.client_id, scopes, now)?;
        if grant.should_record_use(now) {
            // The token is valid without the record of its use, so a busy store does not fail the refresh.
            if let Err(error) = self.record_use(&grant, now, command.from).await {
                tracing::warn!(%error, "the last use of a grant was not recorded");
            }
        }
        self.count(&grant);
        Ok(RefreshedAccess { access_token, scopes, user_id: grant.user_id })
    }

    /// Records that a client presented another client's refresh token (security.md T50). The response is the
    /// same as for an unknown token, even if this fails.
    async fn note_misuse(&self, grant: &Grant, command: &RefreshAccessCommand<'_>) {
        let client_id = command.client.id;
        tracing::warn!(%client_id, "a refresh token was presented by a client it does not belong to");
        let event = self.trail.event(AuditActor::Client, AuditKind::RefreshTokenMisused);
        let event = event.user(grant.user_id).client(client_id).subject(grant.id.as_uuid());
        append_refusal(self.units.as_ref(), &event.from(command.from.address)).await;
    }

    fn count(&self, grant: &Grant) {
        self.reads.record(AnsweredRead {
            user_id: grant.user_id,
            reader: Reader::Client(grant.client_id),
            kind: ReadKind::Refresh,
            items: 0,
            range: AskedRange::default(),
        });
    }

    async fn record_use(
        &self,
        grant: &Grant,
        now: DateTime<Utc>,
        from: &UsedFrom,
    ) -> Result<(), StorageError> {
        let mut unit = self.units.begin().await?;
        unit.grants().record_use(grant.user_id, grant.id, now, from).await?;
        unit.commit().await
    }
}

/// Returns whether the grant is live, its user is active, and it belongs to the named user, if any.
fn is_usable(grant: &Grant, user_status: UserStatus, command: &RefreshAccessCommand<'_>) -> bool {
    let of_named_person = command.user_id.is_none_or(|text| text == grant.user_id.to_string());
    grant.is_live() && user_status.is_active() && of_named_person
}
