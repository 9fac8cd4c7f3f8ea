//! The access check.

use crate::error::corrupt;
use crate::row::home_zone;
use crate::schema::{access_grant, account, client};
use crate::store::PostgresStore;
use application::ports::storage::{AccessReader, AccessState, StorageError};
use async_trait::async_trait;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use domain::id::{ClientId, GrantId, UserId};
use domain::scope::ScopeSet;
use futures_util::FutureExt;
use uuid::Uuid;

/// Client, scopes, zone, and whether grant, client and person are live.
type Row = (Uuid, String, String, bool, bool, bool);

#[async_trait]
impl AccessReader for PostgresStore {
    async fn find_access(
        &self,
        user_id: UserId,
        grant_id: GrantId,
    ) -> Result<Option<AccessState>, StorageError> {
        let (user, grant) = (user_id.as_uuid(), grant_id.as_uuid());
        let row: Option<Row> = self
            .shared(move |mut connection| {
                let query = access_grant::table
                    .inner_join(client::table)
                    .inner_join(account::table)
                    .filter(access_grant::user_id.eq(user))
                    .filter(access_grant::id.eq(grant))
                    .select((
                        access_grant::client_id,
                        access_grant::scopes,
                        account::home_timezone,
                        access_grant::revoked_at.is_null(),
                        client::disabled_at.is_null(),
                        account::locked_at.is_null(),
                    ));
                async move { query.first(&mut connection).await.optional() }.boxed()
            })
            .await?;
        let Some((client_id, scopes, zone, grant_is_live, client_is_live, person_is_live)) = row else {
            return Ok(None);
        };
        Ok(Some(AccessState {
            client_id: ClientId::from_uuid(client_id),
            scopes: ScopeSet::parse(&scopes).map_err(corrupt("access_grant", "scopes", grant))?,
            is_live: grant_is_live && client_is_live && person_is_live,
            home_timezone: home_zone(&zone, user)?,
        }))
    }
}
