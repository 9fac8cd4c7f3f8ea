//! Apps with live grants or a remembered consent of a person.

use crate::statement::returning;
use crate::store::PostgresStore;
use application::ports::storage::{ConnectedApp, ConnectedAppReader, StorageError};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::sql_query;
use diesel::sql_types::Uuid as SqlUuid;
use diesel::sql_types::{Array, Nullable, Timestamptz};
use domain::id::{ClientId, UserId};
use store_shared::{AppColumns, AppRow, Stored as _};
use uuid::Uuid;

/// Aggregates a person's live grants by client and joins the remembered consents.
///
/// The last read is one look-up per client in the index `read_tally_reader`; its `ORDER BY` must match that
/// index exactly. Names are compared as bytes, as in every store.
const LIST: &str = "SELECT c.id, c.name, coalesce(g.scopes, o.scopes), coalesce(g.grants, 0), coalesce(g.since, o.remembered_at),
        g.refreshed_at, r.minute, g.address, g.agent, o.client_id IS NOT NULL, c.is_public
    FROM (
        SELECT client_id, string_agg(DISTINCT scopes, ' ') AS scopes, count(*) AS grants,
            min(created_at) AS since, max(last_used_at) AS refreshed_at,
            (array_agg(last_used_address ORDER BY last_used_at DESC NULLS LAST, id))[1] AS address,
            (array_agg(last_used_agent ORDER BY last_used_at DESC NULLS LAST, id))[1] AS agent
        FROM access_grant WHERE user_id = $1 AND revoked_at IS NULL GROUP BY client_id
    ) AS g
    FULL JOIN (SELECT client_id, scopes, remembered_at FROM consent WHERE user_id = $1) AS o USING (client_id)
    JOIN client c ON c.id = client_id
    LEFT JOIN LATERAL (
        SELECT minute FROM read_tally WHERE user_id = $1 AND reader_id = c.id AND reader_kind = 'client'
        ORDER BY minute DESC NULLS LAST LIMIT 1
    ) AS r ON true
    ORDER BY c.name COLLATE \"C\", c.id";

/// Finds each client's last read up to a given time, with one look-up each in the same index.
const LAST_READS: &str = "SELECT r.minute
    FROM unnest($2, $3) WITH ORDINALITY AS u (reader_id, until, place)
    LEFT JOIN LATERAL (
        SELECT minute FROM read_tally WHERE user_id = $1 AND reader_id = u.reader_id AND reader_kind = 'client'
            AND minute <= u.until
        ORDER BY minute DESC NULLS LAST LIMIT 1
    ) AS r ON true
    ORDER BY u.place";

#[async_trait]
impl ConnectedAppReader for PostgresStore {
    async fn list_connected_apps(&self, user_id: UserId) -> Result<Vec<ConnectedApp>, StorageError> {
        let query = move || returning::<AppColumns, _>(sql_query(LIST).bind::<SqlUuid, _>(user_id.as_uuid()));
        self.read_rows(query).await?.into_iter().map(AppRow::into_value).collect()
    }

    async fn list_last_reads(
        &self,
        user_id: UserId,
        until: &[(ClientId, DateTime<Utc>)],
    ) -> Result<Vec<Option<DateTime<Utc>>>, StorageError> {
        let (ids, until): (Vec<Uuid>, Vec<DateTime<Utc>>) =
            until.iter().map(|(id, at)| (id.as_uuid(), *at)).unzip();
        self.read_rows(move || {
            returning::<Nullable<Timestamptz>, _>(
                sql_query(LAST_READS)
                    .bind::<SqlUuid, _>(user_id.as_uuid())
                    .bind::<Array<SqlUuid>, _>(ids.clone())
                    .bind::<Array<Timestamptz>, _>(until.clone()),
            )
        })
        .await
    }
}

#[cfg(test)]
mod tests;
