//! Replaces a password, and ends what depends on the old one or what somebody who knew it may have added.

use crate::passkey::{lacks_factor, remove_passkeys_except};
use crate::ports::storage::{GrantFilter, StorageError, UnitOfWork};
use chrono::{DateTime, TimeDelta, Utc};
use domain::audit::{AuditEvent, AuditKind};
use domain::grant::RevocationReason;
use domain::id::{PasskeyId, UserId};
use domain::password::PasswordHash;
use domain::second_factor::SecondFactorPolicy;

/// Maximum clock difference between replicas; codes issued by a faster replica are discarded too.
const CLOCK_TOLERANCE: TimeDelta = TimeDelta::hours(1);

/// Stores the hash, and deletes what the old password may have opened: sessions, pending sign-ins, password
/// links, and codes not yet redeemed (security.md T17, T30). Returns the number of ended sessions.
pub(super) async fn replace_password(
    tx: &mut dyn UnitOfWork,
    user_id: UserId,
    hash: &PasswordHash,
    now: DateTime<Utc>,
) -> Result<u64, StorageError> {
    tx.passwords().set(user_id, hash, now).await?;
    tx.password_links().delete_of_user(user_id).await?;
    tx.pending_sign_ins().delete_of_user(user_id).await?;
    tx.codes().discard_unredeemed(Some(user_id), now + CLOCK_TOLERANCE).await?;
    tx.sessions().delete_of_user(user_id, None).await
}

/// Deletes the password, and codes not yet redeemed, so that only a link to choose another one opens the
/// account. The caller ends the sign-ins.
pub(super) async fn drop_password(
    tx: &mut dyn UnitOfWork,
    user_id: UserId,
    now: DateTime<Utc>,
) -> Result<(), StorageError> {
    tx.passwords().delete(user_id).await?;
    tx.codes().discard_unredeemed(Some(user_id), now + CLOCK_TOLERANCE).await.map(drop)
}

/// What stays of the credentials besides the password (security.md T106).
pub(super) struct OtherCredentials<'a> {
    pub(super) user_id: UserId,
    /// Passkeys that stay; all others are removed.
    pub(super) kept_passkeys: &'a [PasskeyId],
    /// Whether the grants of apps and the personal access tokens end too.
    pub(super) disconnect_apps: bool,
    pub(super) policy: SecondFactorPolicy,
}

/// Ends what somebody who knew the password may have added. Returns `false` if the operator requires a second
/// factor and none is left: the caller MUST roll back. The caller has locked the user.
pub(super) async fn end_other_credentials(
    tx: &mut dyn UnitOfWork,
    others: OtherCredentials<'_>,
    now: DateTime<Utc>,
    event: &(dyn Fn(AuditKind) -> AuditEvent + Send + Sync),
) -> Result<bool, StorageError> {
    let OtherCredentials { user_id, kept_passkeys, disconnect_apps, policy } = others;
    let removed = remove_passkeys_except(tx, user_id, kept_passkeys, event).await?;
    if removed > 0 && lacks_factor(tx, user_id, policy).await? {
        return Ok(false);
    }
    if disconnect_apps {
        disconnect(tx, user_id, now, event).await?;
    }
    Ok(true)
}

/// Revokes all grants and personal tokens, and deletes the remembered consents.
async fn disconnect(
    tx: &mut dyn UnitOfWork,
    user_id: UserId,
    now: DateTime<Utc>,
    event: &(dyn Fn(AuditKind) -> AuditEvent + Send + Sync),
) -> Result<(), StorageError> {
    let filter = GrantFilter { user_id: Some(user_id), ..GrantFilter::default() };
    let grants = tx.grants().revoke(filter, now, RevocationReason::Person).await?;
    let tokens = tx.personal_tokens().revoke(user_id, None, now).await?;
    tx.consents().forget(Some(user_id), None).await?;
    for (kind, count) in [(AuditKind::GrantRevoked, grants), (AuditKind::PersonalTokenRevoked, tokens)] {
        if count > 0 {
            tx.record(event(kind).count(count)).await?;
        }
    }
    Ok(())
}
