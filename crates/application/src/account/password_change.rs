//! Replaces a password, and revokes what depends on the old one.

use crate::ports::storage::{StorageError, UnitOfWork};
use chrono::{DateTime, TimeDelta, Utc};
use domain::id::UserId;
use domain::password::PasswordHash;

/// Maximum clock difference between replicas; codes issued by a faster replica are discarded too.
const CLOCK_TOLERANCE: TimeDelta = TimeDelta::hours(1);

/// Stores the hash, and deletes what the old password may have opened: sessions, pending sign-ins, password
/// links, and codes not yet redeemed (security.md T17, T30). Returns the number of ended sessions.
pub(super) async fn replace_password(
    unit: &mut dyn UnitOfWork,
    user_id: UserId,
    hash: &PasswordHash,
    now: DateTime<Utc>,
) -> Result<u64, StorageError> {
    unit.passwords().set(user_id, hash, now).await?;
    unit.password_links().delete_of_user(user_id).await?;
    unit.pending_sign_ins().delete_of_user(user_id).await?;
    unit.codes().discard_unredeemed(Some(user_id), now + CLOCK_TOLERANCE).await?;
    unit.sessions().delete_of_user(user_id, None).await
}
