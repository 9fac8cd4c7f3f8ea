//! Refresh tokens: how their grants are found, and their rotation.

use crate::column::{Held, IdCell};
use crate::grant::find_grant;
use crate::row::Cells;
use crate::schema::refresh_token;
use crate::store::Store;
use application::ports::storage::{GrantWithUser, StorageError};
use diesel::prelude::*;
use domain::id::UserId;
use domain::refresh_token::{RotationOutcome, SealedToken};
use domain::secret::SecretHash;

/// Finds a grant by its refresh token. If grants are partitioned, finds the person first: the partition, or
/// shard, is theirs.
pub async fn find_by_refresh_token<S: Store>(
    store: &S,
    hash: &SecretHash,
    user_id: Option<UserId>,
) -> Result<Option<GrantWithUser>, StorageError> {
    if !S::IS_PARTITIONED {
        return find_grant(store, hash, None).await;
    }
    if user_id.is_some()
        && let Some(own) = find_grant(store, hash, user_id).await?
    {
        return Ok(Some(own));
    }
    let query = refresh_token::table.find(hash.cell()).select(refresh_token::user_id);
    let Some(owner): Option<IdCell> = store.load_row(query).await? else { return Ok(None) };
    find_grant(store, hash, Some(Cells("refresh_token", &owner).parse("user_id", owner)?)).await
}

/// Returns the outcome of the statement that rotates a refresh token; `None` if the sealed token is corrupt.
///
/// The row states whether the next token is now the newest and whether the grant is now revoked, and contains
/// the sealed token. There is no row if the grant is not live or its token does not rotate.
pub(crate) fn rotation_outcome(row: Option<(bool, bool, Option<Vec<u8>>)>) -> Option<RotationOutcome> {
    Some(match row {
        None => RotationOutcome::NotLive,
        Some((true, _, _)) => RotationOutcome::Replaced,
        Some((false, true, _)) => RotationOutcome::Reused,
        Some((false, false, sealed)) => RotationOutcome::Repeated(SealedToken::from_bytes(&sealed?)?),
    })
}
