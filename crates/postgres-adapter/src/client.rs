//! Deletions of clients.

use crate::connection::Pooled;
use crate::statement::returning;
use crate::unit_of_work::PgUnitOfWork;
use application::ports::storage::StorageError;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{self, Timestamptz};
use domain::id::ClientId;
use store_shared::DeleteClients;
use store_shared::column::{Held, IdCell};
use store_shared::schema::{
    access_grant, authorization_code, authorization_request, client, consent, refresh_token, webhook_endpoint,
};
use uuid::Uuid;

/// Active clients whose document expired before `$1`, after the id `$2`; locked, so that none of them comes
/// into use.
const EXPIRED: &str = "SELECT id FROM client
    WHERE document IS NOT NULL AND disabled_at IS NULL AND id > $2
        AND to_timestamp((document::json->>'fresh_until')::bigint / 1e6) < $1
    ORDER BY id LIMIT 100 FOR UPDATE";

/// Deletes a client with everything that `ON DELETE CASCADE` ties to it, and the hashes of its refresh
/// tokens, which have no foreign key.
pub(crate) async fn delete_client(connection: &mut Pooled, id: IdCell) -> Result<bool, StorageError> {
    // Otherwise Citus rejects changes of a reference table after a query over all shards. Other servers
    // ignore the parameter.
    connection.execute(sql_query("SET LOCAL citus.multi_shard_modify_mode TO 'sequential'")).await?;
    // No grant is added meanwhile.
    connection.execute(client::table.find(id).select(client::id).for_update()).await?;
    let hashes =
        access_grant::table.filter(access_grant::client_id.eq(id)).select(access_grant::refresh_token_hash);
    let hashes: Vec<Vec<u8>> = connection.load_rows(hashes).await?;
    let tokens = refresh_token::table.filter(refresh_token::token_hash.eq_any(hashes));
    connection.execute(diesel::delete(tokens)).await?;
    Ok(connection.execute(diesel::delete(client::table.find(id))).await? > 0)
}

/// Deletes clients that no one uses, page by page; those in use remain.
async fn delete_unused_clients(
    connection: &mut Pooled,
    expired_before: DateTime<Utc>,
    limit: u32,
) -> Result<u64, StorageError> {
    // As in `delete_client`, before the first query over all shards.
    connection.execute(sql_query("SET LOCAL citus.multi_shard_modify_mode TO 'sequential'")).await?;
    let (mut deleted, mut after) = (0, Uuid::nil());
    while deleted < u64::from(limit) {
        let expired =
            sql_query(EXPIRED).bind::<Timestamptz, _>(expired_before).bind::<sql_types::Uuid, _>(after);
        let ids: Vec<Uuid> = connection.load_rows(returning::<sql_types::Uuid, _>(expired)).await?;
        let Some(last) = ids.last() else { break };
        after = *last;
        let used = used_clients(connection, &ids).await?;
        for id in ids.into_iter().filter(|id| !used.contains(id)) {
            if deleted == u64::from(limit) {
                break;
            }
            deleted += u64::from(delete_client(connection, id.cell()).await?);
        }
    }
    Ok(deleted)
}

/// Returns those of these clients that something refers to. Without a join: on Citus, clients and grants are
/// stored in different places.
async fn used_clients(connection: &mut Pooled, ids: &[Uuid]) -> Result<Vec<Uuid>, StorageError> {
    let mut used = Vec::new();
    macro_rules! add {
        ($($table:ident)+) => {$({
            let ids = ids.iter().map(Held::cell);
            let of = $table::table.filter($table::client_id.eq_any(ids)).select($table::client_id).distinct();
            used.extend(connection.load_rows::<Uuid, _>(of).await?);
        })+};
    }
    add!(access_grant authorization_code authorization_request consent webhook_endpoint);
    Ok(used)
}

#[async_trait]
impl DeleteClients for PgUnitOfWork {
    async fn delete_client(&mut self, id: ClientId) -> Result<bool, StorageError> {
        delete_client(self.connection()?, id.cell()).await
    }

    async fn delete_unused_clients(
        &mut self,
        expired_before: DateTime<Utc>,
        limit: u32,
    ) -> Result<u64, StorageError> {
        delete_unused_clients(self.connection()?, expired_before, limit).await
    }
}
