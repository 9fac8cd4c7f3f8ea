//! Who can use a draft.

use crate::ports::storage::{StorageError, UnitOfWork};
use chrono::{DateTime, Utc};
use domain::client::{Client, MAX_DRAFT_USERS};
use domain::id::UserId;

/// Returns whether this person can grant access to the app. A draft admits its owner and
/// [`MAX_DRAFT_USERS`] other people, who stay admitted, and any number of sandbox people.
pub(crate) async fn admit_user(
    tx: &mut dyn UnitOfWork,
    client: &Client,
    user_id: UserId,
    at: DateTime<Utc>,
) -> Result<bool, StorageError> {
    if !client.review.limits(user_id) || tx.sandbox().find(user_id).await?.is_some() {
        return Ok(true);
    }
    tx.draft_users().admit(client.id, user_id, MAX_DRAFT_USERS, at).await
}

/// Returns whether a code of this person for the app can be redeemed. For a draft, only its owner and
/// admitted people have one.
pub(crate) async fn is_admitted(
    tx: &mut dyn UnitOfWork,
    client: &Client,
    user_id: UserId,
) -> Result<bool, StorageError> {
    if !client.review.limits(user_id) || tx.sandbox().find(user_id).await?.is_some() {
        return Ok(true);
    }
    tx.draft_users().is_admitted(client.id, user_id).await
}
