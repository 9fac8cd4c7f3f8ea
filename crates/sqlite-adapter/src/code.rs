//! Redemptions of authorization codes.

use crate::statement::{execute, load_row};
use crate::unit_of_work::SqliteUnitOfWork;
use application::ports::storage::{StorageError, UniqueKey};
use async_trait::async_trait;
use diesel::prelude::*;
use domain::audit::AuditEvent;
use domain::grant::Grant;
use domain::secret::SecretHash;
use store_shared::column::Held as _;
use store_shared::schema::{access_grant, authorization_code as code};
use store_shared::{RedeemCodes, append_event, store_grant};

#[async_trait]
impl RedeemCodes for SqliteUnitOfWork {
    async fn redeem_code(
        &mut self,
        hash: &SecretHash,
        grant: &Grant,
        event: &AuditEvent,
    ) -> Result<Option<usize>, StorageError> {
        let usable = code::table
            .find(hash.cell())
            .filter(code::redeemed_at.is_null())
            .filter(code::expires_at.gt(grant.created_at.cell()));
        let redeemed = diesel::update(usable).set((
            code::redeemed_grant_id.eq(Some(grant.id.cell())),
            code::redeemed_at.eq(Some(grant.created_at.cell())),
        ));
        if self.run(execute(redeemed)).await? == 0 {
            return Ok(None);
        }
        let live = access_grant::table
            .filter(access_grant::user_id.eq(grant.user_id.cell()))
            .filter(access_grant::client_id.eq(grant.client_id.cell()))
            .filter(access_grant::revoked_at.is_null())
            .count();
        let live: Option<i64> = self.run(load_row(live)).await?;
        if !store_grant(self, grant).await? {
            return Err(StorageError::Conflict(UniqueKey::Grant));
        }
        append_event(self, event).await?;
        Ok(Some(usize::try_from(live.unwrap_or_default()).unwrap_or_default().saturating_add(1)))
    }
}
