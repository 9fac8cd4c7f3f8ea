//! Exchanges a refresh token for a new access token (RFC 6749 section 6).

use super::{TokenMint, TokenTerms, narrowed};
use crate::audit::{self, AuditTrail, CompletedRead, ReadRecorder, append_refusal};
use crate::ports::storage::{GrantReader, GrantWithUser, StorageError, UnitOfWorkFactory};
use crate::ports::system::SigningFailed;
use chrono::{DateTime, Utc};
use domain::access_token::TokenSubject;
use domain::audit::{AuditActor, AuditKind};
use domain::client::Client;
use domain::grant::{Grant, UsedFrom};
use domain::id::UserId;
use domain::read_tally::{ReadKind, Reader, RequestedRange};
use domain::refresh_token::{RefreshToken, RotatingToken, Rotation, RotationOutcome};
use domain::resource::Resource;
use domain::scope::ScopeSet;
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
    /// Requested audience; `None` for that of the grant.
    pub resource: Option<Resource>,
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
    /// The refresh token that replaces the presented one; `None` if that one does not rotate.
    pub next: Option<RotatingToken>,
}

const UNKNOWN: &str = "the refresh token is unknown";
const REVOKED: &str = "the grant was revoked";
const REPLACED: &str = "a newer refresh token has replaced it";
const LOCKED: &str = "the account is locked";

/// Why a refresh token is rejected.
#[derive(Debug, thiserror::Error)]
pub enum RefreshAccessError {
    /// The token is unknown, revoked or replaced, or belongs to another client or user; the caller does not
    /// learn which.
    #[error("the refresh token is not valid")]
    InvalidGrant(&'static str),
    /// A requested scope is unknown or exceeds the grant.
    #[error("the scope is unknown or wider than the grant")]
    InvalidScope,
    /// The grant is for another resource.
    #[error("the grant is for another resource")]
    InvalidTarget,
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

/// Refreshes access. Refresh tokens of confidential clients are not rotated and never expire (contract,
/// Authentication); those of public apps rotate.
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
        if !command.client.kind.is_app() {
            return Err(RefreshAccessError::UnauthorizedClient);
        }
        let refused = |reason| {
            tracing::info!(client_id = %command.client.id, reason, "a refresh token was rejected");
            // The developer does not learn whose account is locked.
            RefreshAccessError::InvalidGrant(if reason == LOCKED { REVOKED } else { reason })
        };
        let token = RefreshToken::parse(command.refresh_token)
            .map_err(|_| refused("the refresh token is malformed"))?;
        let named = command.user_id.and_then(|text| UserId::parse(text).ok());
        let found = self.grants.find_by_refresh_token(&token.lookup_hash(), named).await?;
        let GrantWithUser { grant, user_status } = found.ok_or_else(|| refused(UNKNOWN))?;
        if grant.client_id != command.client.id {
            self.note_misuse(&grant, &command).await;
            return Err(RefreshAccessError::InvalidGrant(UNKNOWN));
        }
        check_usable(&grant, user_status, &command).map_err(refused)?;
        let scopes = narrowed(grant.scopes, command.scope).ok_or(RefreshAccessError::InvalidScope)?;

        if command.resource.is_some_and(|asked| asked != grant.resource) {
            return Err(RefreshAccessError::InvalidTarget);
        }

        let now = self.mint.now();
        let subject = TokenSubject::Person { user_id: grant.user_id, grant_id: grant.id };
        let terms = TokenTerms { subject, client_id: grant.client_id, scopes, audience: grant.resource };
        let access_token = self.mint.access_token(terms, now)?;
        let next = match token {
            RefreshToken::Rotating(token) => Some(self.rotate(&token, &grant, command.from, now).await?),
            RefreshToken::Fixed(_) => {
                self.note_use(&grant, now, command.from).await;
                None
            }
        };
        self.count(&grant);
        Ok(RefreshedAccess { access_token, scopes, user_id: grant.user_id, next })
    }

    /// Returns the token that replaces this one. If another one replaced it before, the grant is revoked.
    async fn rotate(
        &self,
        token: &RotatingToken,
        grant: &Grant,
        from: &UsedFrom,
        now: DateTime<Utc>,
    ) -> Result<RotatingToken, RefreshAccessError> {
        let next = token.next(&self.mint.entropy.secret_bytes());
        let rotation = Rotation {
            user_id: grant.user_id,
            grant_id: grant.id,
            presented: token.hash(),
            next: next.hash(),
            sealed_next: token.seal(&next),
            at: now,
        };
        let mut unit = self.units.begin().await?;
        match unit.grants().rotate(&rotation).await? {
            RotationOutcome::Replaced => {
                unit.commit().await?;
                // Not in the same unit of work, in which a second update of the grant would lock its user
                // after the grant: an erasure locks them in the opposite order.
                self.note_use(grant, now, from).await;
                Ok(next)
            }
            RotationOutcome::Repeated(sealed) => {
                unit.rollback().await?;
                token.unseal(&sealed).ok_or(RefreshAccessError::InvalidGrant(REPLACED))
            }
            RotationOutcome::Reused => {
                let client_id = grant.client_id;
                tracing::warn!(%client_id, "a replaced refresh token was presented again; its grant is revoked");
                let event = self.trail.event(AuditActor::Client, AuditKind::RefreshTokenReused);
                let event = event.user(grant.user_id).client(client_id).subject(grant.id.as_uuid());
                audit::commit(unit, &[event.from(from.address)]).await?;
                Err(RefreshAccessError::InvalidGrant(REPLACED))
            }
            RotationOutcome::NotLive => unit.refuse(RefreshAccessError::InvalidGrant(REVOKED)).await,
        }
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
        self.reads.record(CompletedRead {
            user_id: grant.user_id,
            reader: Reader::Client(grant.client_id),
            kind: ReadKind::Refresh,
            items: 0,
            range: RequestedRange::default(),
        });
    }

    /// Records the use. The token is valid without the record, so a busy store does not fail the refresh.
    async fn note_use(&self, grant: &Grant, now: DateTime<Utc>, from: &UsedFrom) {
        if !grant.should_record_use(now) {
            return;
        }
        if let Err(error) = self.record_use(grant, now, from).await {
            tracing::warn!(%error, "the last use of a grant was not recorded");
        }
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

/// Checks that the grant is live, its user is active, and it belongs to the named user, if any. Fails with
/// the reason for the log.
fn check_usable(
    grant: &Grant,
    user_status: UserStatus,
    command: &RefreshAccessCommand<'_>,
) -> Result<(), &'static str> {
    if !grant.is_live() {
        return Err(REVOKED);
    }
    if !user_status.is_active() {
        return Err(LOCKED);
    }
    let is_of_named_person = command.user_id.is_none_or(|text| text == grant.user_id.to_string());
    if is_of_named_person { Ok(()) } else { Err("the refresh token belongs to another user_id") }
}
