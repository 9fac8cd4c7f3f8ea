//! Puts another password in the place of the old one, with everything that must end with it.

use crate::ports::storage::{StorageError, UnitOfWork};
use chrono::{DateTime, TimeDelta, Utc};
use domain::id::UserId;
use domain::password::PasswordHash;

/// How far the clocks of two replicas may be apart, so that no code of a faster one survives.
const CLOCK_TOLERANCE: TimeDelta = TimeDelta::hours(1);

/// Stores the hash, and ends what the old password may have opened: every session, every link to choose a password,
/// and every code that an app has not redeemed yet (security.md T17, T30). Returns how many sessions ended.
pub(super) async fn replace_password(
    unit: &mut dyn UnitOfWork,
    user_id: UserId,
    hash: &PasswordHash,
    now: DateTime<Utc>,
) -> Result<u64, StorageError> {
    unit.passwords().set(user_id, hash, now).await?;
    unit.password_links().delete_of_user(user_id).await?;
    unit.codes().discard_unredeemed(Some(user_id), now + CLOCK_TOLERANCE).await?;
    unit.sessions().delete_of_user(user_id, None).await
}
