//! Apps with live grants or a remembered consent of a person.

use crate::row::{Cells, blob};
use crate::statement::load_row;
use crate::store::SqliteStore;
use application::ports::storage::{ConnectedApp, ConnectedAppReader, StorageError};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::sql_types::BigInt;
use domain::id::{ClientId, UserId};
use store_shared::{AppColumns, AppRow, Raw, Store as _};

/// Returns the statement that aggregates a person's live grants by client and joins the remembered consents.
/// The last read takes one index lookup per client. Names are compared as bytes.
fn list_statement(user_id: &[u8]) -> Raw<AppColumns> {
    Raw::same(
        "WITH live AS (SELECT * FROM access_grant WHERE user_id = ? AND revoked_at IS NULL), \
         latest AS (SELECT client_id, last_used_address, last_used_agent, \
         row_number() OVER (PARTITION BY client_id ORDER BY last_used_at DESC, id) AS place FROM live) \
         SELECT c.id, c.name, coalesce(g.scopes, o.scopes), coalesce(g.grants, 0), \
         coalesce(g.since, o.remembered_at), g.refreshed_at, \
         (SELECT minute FROM read_tally \
         WHERE user_id = ? AND reader_id = c.id AND reader_kind = 'client' ORDER BY minute DESC LIMIT 1), \
         l.last_used_address, l.last_used_agent, o.client_id IS NOT NULL, c.is_public \
         FROM (SELECT client_id FROM live UNION SELECT client_id FROM consent WHERE user_id = ?) AS a \
         JOIN client AS c ON c.id = a.client_id \
         LEFT JOIN (SELECT client_id, replace(group_concat(DISTINCT scopes), ',', ' ') AS scopes, \
         count(*) AS grants, min(created_at) AS since, max(last_used_at) AS refreshed_at \
         FROM live GROUP BY client_id) AS g ON g.client_id = c.id \
         LEFT JOIN latest AS l ON l.client_id = c.id AND l.place = 1 \
         LEFT JOIN consent AS o ON o.user_id = ? AND o.client_id = c.id \
         ORDER BY c.name, c.id",
    )
    .blob(user_id)
    .blob(user_id)
    .blob(user_id)
    .blob(user_id)
}

/// Finds a client's last read up to a given time, with one index lookup.
fn last_read_statement(user_id: &[u8], client_id: &[u8], until: i64) -> Raw<BigInt> {
    Raw::same(
        "SELECT minute FROM read_tally WHERE user_id = ? AND reader_id = ? AND reader_kind = 'client' \
         AND minute <= ? ORDER BY minute DESC LIMIT 1",
    )
    .blob(user_id)
    .blob(client_id)
    .bind(until)
}

#[async_trait]
impl ConnectedAppReader for SqliteStore {
    async fn list_connected_apps(&self, user_id: UserId) -> Result<Vec<ConnectedApp>, StorageError> {
        self.read_all::<AppRow, _>(list_statement(user_id.as_uuid().as_bytes())).await
    }

    async fn list_last_reads(
        &self,
        user_id: UserId,
        until: &[(ClientId, DateTime<Utc>)],
    ) -> Result<Vec<Option<DateTime<Utc>>>, StorageError> {
        let user_id = blob(user_id.as_uuid());
        let until: Vec<_> =
            until.iter().map(|(id, at)| (blob(id.as_uuid()), at.timestamp_micros())).collect();
        self.read(move |connection| {
            let mut reads = Vec::with_capacity(until.len());
            for (id, at) in until {
                let minute = load_row(last_read_statement(&user_id, &id, at))(connection)?;
                reads.push(Cells::new("read_tally", &id).optional_instant("minute", minute)?);
            }
            Ok(reads)
        })
        .await
    }
}

#[cfg(test)]
mod tests;
