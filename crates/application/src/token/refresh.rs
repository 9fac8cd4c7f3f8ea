//! Exchanges a refresh token for a new access token (RFC 6749 section 6).

use super::{TokenError, TokenTerms, Tokens, narrowed};
use crate::audit::CompletedRead;
use crate::ports::storage::{GrantWithUser, StorageError};
use crate::store::{RollBack, transact};
use chrono::{DateTime, Utc};
use domain::access_token::TokenSubject;
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::client::Client;
use domain::grant::{Grant, UsedFrom};
use domain::id::{ClientId, UserId};
use domain::read_tally::{ReadKind, Reader, RequestedRange};
use domain::refresh_token::{RefreshToken, RotatingToken, Rotation, RotationOutcome};
use domain::resource::Resource;
use domain::scope::ScopeSet;
use domain::user::UserStatus;

/// A refresh token, and what is requested with it.
#[derive(Clone, Copy)]
pub struct PresentedRefreshToken<'a> {
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

impl Tokens {
    /// Returns a new access token of the same grant.
    pub async fn refresh(
        &self,
        client: &Client,
        presented: PresentedRefreshToken<'_>,
    ) -> Result<RefreshedAccess, TokenError> {
        if !client.kind.is_app() {
            return Err(TokenError::UnauthorizedClient);
        }
        let rejected = |reason| {
            tracing::info!(client_id = %client.id, reason, "a refresh token was rejected");
            // The developer does not learn whose account is locked.
            invalid(if reason == LOCKED { REVOKED } else { reason })
        };
        let token = RefreshToken::parse(presented.refresh_token)
            .map_err(|_| rejected("the refresh token is malformed"))?;
        let named = presented.user_id.and_then(|text| UserId::parse(text).ok());
        let found = self.grants.find_by_refresh_token(&token.lookup_hash(), named).await?;
        let GrantWithUser { grant, user_status } = found.ok_or_else(|| rejected(UNKNOWN))?;
        if grant.client_id != client.id {
            self.note_misuse(client.id, &grant, presented.from).await;
            return Err(invalid(UNKNOWN));
        }
        check_usable(&grant, user_status, presented.user_id).map_err(rejected)?;
        let scopes = narrowed(grant.scopes, presented.scope).ok_or(TokenError::InvalidScope)?;
        if presented.resource.is_some_and(|asked| asked != grant.resource) {
            return Err(TokenError::InvalidTarget);
        }

        let now = self.store.now();
        let subject = TokenSubject::Person { user_id: grant.user_id, grant_id: grant.id };
        let terms = TokenTerms { subject, client_id: grant.client_id, scopes, audience: grant.resource };
        let access_token = self.sign(terms, now)?;
        let next = match token {
            RefreshToken::Rotating(token) => Some(self.rotate(&token, &grant, presented.from, now).await?),
            RefreshToken::Fixed(_) => {
                self.note_use(&grant, now, presented.from).await;
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
    ) -> Result<RotatingToken, TokenError> {
        let next = token.next(&self.store.entropy().secret_bytes());
        let rotation = Rotation {
            user_id: grant.user_id,
            grant_id: grant.id,
            presented: token.hash(),
            next: next.hash(),
            sealed_next: token.seal(&next),
            at: now,
        };
        let rotated = transact!(self.store, |tx| {
            let outcome = tx.grants().rotate(&rotation).await?;
            match outcome {
                RotationOutcome::Replaced => Ok(outcome),
                RotationOutcome::Reused => {
                    let client_id = grant.client_id;
                    tracing::warn!(%client_id, "a replaced refresh token was presented again; its grant is revoked");
                    tx.record(self.event(AuditKind::RefreshTokenReused, client_id, grant, from)).await?;
                    Ok(outcome)
                }
                RotationOutcome::Repeated(_) | RotationOutcome::NotLive => Err(RollBack(Ok(outcome))),
            }
        });
        match rotated.await.or_else(|RollBack::<_, StorageError>(result)| result)? {
            RotationOutcome::Replaced => {
                // In another transaction: a second update of the grant would lock its user after the grant,
                // and an erasure locks them in the opposite order.
                self.note_use(grant, now, from).await;
                Ok(next)
            }
            RotationOutcome::Repeated(sealed) => token.unseal(&sealed).ok_or_else(|| invalid(REPLACED)),
            RotationOutcome::Reused => Err(invalid(REPLACED)),
            RotationOutcome::NotLive => Err(invalid(REVOKED)),
        }
    }

    /// Records that a client presented another client's refresh token (security.md T50). The response is the
    /// same as for an unknown token, even if this fails.
    async fn note_misuse(&self, client_id: ClientId, grant: &Grant, from: &UsedFrom) {
        tracing::warn!(%client_id, "a refresh token was presented by a client it does not belong to");
        let event = self.event(AuditKind::RefreshTokenMisused, client_id, grant, from);
        self.store.record_rejection(&event).await;
    }

    /// Returns the event of a refresh token that this client presented.
    fn event(&self, kind: AuditKind, client_id: ClientId, grant: &Grant, from: &UsedFrom) -> AuditEvent {
        let event = self.store.event(AuditActor::Client, kind).user(grant.user_id).client(client_id);
        event.subject(grant.id.as_uuid()).from(from.address)
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
        let recorded =
            transact!(self.store, |tx| { tx.grants().record_use(grant.user_id, grant.id, now, from).await });
        if let Err(error) = recorded.await {
            tracing::warn!(%error, "the last use of a grant was not recorded");
        }
    }
}

fn invalid(reason: &'static str) -> TokenError {
    TokenError::InvalidGrant(reason.into())
}

/// Checks that the grant is live, its user is active, and it belongs to the named user, if any. Fails with
/// the reason for the log.
fn check_usable(grant: &Grant, user_status: UserStatus, named: Option<&str>) -> Result<(), &'static str> {
    if !grant.is_live() {
        return Err(REVOKED);
    }
    if !user_status.is_active() {
        return Err(LOCKED);
    }
    let is_of_named_person = named.is_none_or(|text| text == grant.user_id.to_string());
    if is_of_named_person { Ok(()) } else { Err("the refresh token belongs to another user_id") }
}
