//! Apps with live grants or a remembered consent of a person.

use crate::consent::ConsentRow;
use crate::error::StorageResult as _;
use crate::grant::GrantRow;
use crate::row::{Cells, blob};
use crate::schema::{access_grant, client, consent};
use crate::statement::Statement;
use crate::store::SqliteStore;
use application::ports::storage::{ConnectedApp, ConnectedAppReader, StorageError};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Binary, Nullable};
use diesel::sqlite::SqliteConnection;
use domain::client::ClientName;
use domain::consent::RememberedConsent;
use domain::grant::Grant;
use domain::id::{ClientId, UserId};
use domain::scope::ScopeSet;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// Rows of the list, from one snapshot.
struct Found {
    /// Live grants, each with its client's name.
    grants: Vec<(GrantRow, String)>,
    /// Remembered consents, each with its client's name.
    consents: Vec<(ConsentRow, String)>,
    last_reads: BTreeMap<Vec<u8>, i64>,
}

fn find(connection: &mut SqliteConnection, user_id: &[u8]) -> QueryResult<Found> {
    connection.transaction(|connection| {
        let grants = access_grant::table
            .inner_join(client::table.on(client::id.eq(access_grant::client_id)))
            .filter(access_grant::user_id.eq(user_id))
            .filter(access_grant::revoked_at.is_null())
            .order(access_grant::id)
            .select((GrantRow::as_select(), client::name))
            .load(connection)?;
        let consents = consent::table
            .inner_join(client::table.on(client::id.eq(consent::client_id)))
            .filter(consent::user_id.eq(user_id))
            .select((ConsentRow::as_select(), client::name))
            .load(connection)?;
        Ok(Found { grants, consents, last_reads: last_reads(connection, user_id)? })
    })
}

/// Finds each client's last read, with one look-up each in the index.
fn last_reads_statement(user_id: &[u8]) -> Statement<(Binary, Nullable<BigInt>)> {
    Statement::new(
        "SELECT client_id, (SELECT minute FROM read_tally \
         WHERE user_id = ? AND reader_id = client_id AND reader_kind = 'client' ORDER BY minute DESC LIMIT 1) \
         FROM (SELECT client_id FROM access_grant WHERE user_id = ? AND revoked_at IS NULL \
         UNION SELECT client_id FROM consent WHERE user_id = ?)",
    )
    .blob(user_id)
    .blob(user_id)
    .blob(user_id)
}

fn last_reads(connection: &mut SqliteConnection, user_id: &[u8]) -> QueryResult<BTreeMap<Vec<u8>, i64>> {
    let rows: Vec<(Vec<u8>, Option<i64>)> = last_reads_statement(user_id).load(connection)?;
    Ok(rows.into_iter().filter_map(|(id, minute)| Some((id, minute?))).collect())
}

/// Finds a client's last read up to a given time, with one look-up in the index.
fn last_read_statement(user_id: &[u8], client_id: &[u8], until: i64) -> Statement<BigInt> {
    Statement::new(
        "SELECT minute FROM read_tally WHERE user_id = ? AND reader_id = ? AND reader_kind = 'client' \
         AND minute <= ? ORDER BY minute DESC LIMIT 1",
    )
    .blob(user_id)
    .blob(client_id)
    .integer(until)
}

fn last_read(
    connection: &mut SqliteConnection,
    user_id: &[u8],
    client_id: &[u8],
    until: i64,
) -> Result<Option<DateTime<Utc>>, StorageError> {
    let found: Vec<i64> = last_read_statement(user_id, client_id, until).load(connection).storage()?;
    let Some(minute) = found.first() else { return Ok(None) };
    Cells::of("read_tally", client_id).instant("minute", *minute).map(Some)
}

impl Found {
    /// Aggregates the grants by app and adds the consents. Sorted by the bytes of the name, then by id.
    fn into_apps(self) -> Result<Vec<ConnectedApp>, StorageError> {
        let Self { grants, consents, last_reads } = self;
        let mut apps: BTreeMap<(String, ClientId), Summing> = BTreeMap::new();
        for (row, name) in grants {
            let grant = row.into_grant()?;
            match apps.entry((name, grant.client_id)) {
                Entry::Occupied(summing) => summing.into_mut().add(grant),
                Entry::Vacant(free) => {
                    let app = unused(&free.key().0, grant.client_id, grant.created_at)?;
                    free.insert(Summing { app, refreshed_at: None }).add(grant);
                }
            }
        }
        for (row, name) in consents {
            let RememberedConsent { user_id: _, client_id, scopes, remembered_at } = row.into_consent()?;
            match apps.entry((name, client_id)) {
                Entry::Occupied(summing) => summing.into_mut().app.is_remembered = true,
                Entry::Vacant(free) => {
                    let app = unused(&free.key().0, client_id, remembered_at)?;
                    let app = ConnectedApp { scopes, is_remembered: true, ..app };
                    free.insert(Summing { app, refreshed_at: None });
                }
            }
        }
        apps.into_values().map(|summing| summing.end(&last_reads)).collect()
    }
}

/// Returns an app without grants or uses.
fn unused(name: &str, client_id: ClientId, since: DateTime<Utc>) -> Result<ConnectedApp, StorageError> {
    let key = client_id.as_uuid();
    Ok(ConnectedApp {
        client_id,
        name: Cells::of("client", key.as_bytes()).sound("name", ClientName::from_stored(name))?,
        scopes: ScopeSet::EMPTY,
        grants: 0,
        since,
        last_used_at: None,
        last_used_from: None,
        is_remembered: false,
    })
}

/// App while its grants are aggregated.
struct Summing {
    app: ConnectedApp,
    /// Time of the last refresh.
    refreshed_at: Option<DateTime<Utc>>,
}

impl Summing {
    fn add(&mut self, grant: Grant) {
        let Self { app, refreshed_at } = self;
        app.scopes = app.scopes.iter().chain(grant.scopes.iter()).collect();
        app.grants = app.grants.saturating_add(1);
        app.since = app.since.min(grant.created_at);
        // Of several grants used at the same time, the first is kept.
        if grant.last_used_at > *refreshed_at {
            *refreshed_at = grant.last_used_at;
            app.last_used_from = grant.last_used_from;
        }
    }

    fn end(self, last_reads: &BTreeMap<Vec<u8>, i64>) -> Result<ConnectedApp, StorageError> {
        let Self { mut app, refreshed_at } = self;
        let key = app.client_id.as_uuid();
        let read_at = last_reads.get(&key.as_bytes()[..]).copied();
        let read_at = Cells::of("read_tally", key.as_bytes()).optional_instant("minute", read_at)?;
        app.last_used_at = refreshed_at.max(read_at);
        Ok(app)
    }
}

#[async_trait]
impl ConnectedAppReader for SqliteStore {
    async fn list_connected_apps(&self, user_id: UserId) -> Result<Vec<ConnectedApp>, StorageError> {
        let user_id = blob(user_id.as_uuid());
        self.read(move |connection| find(connection, &user_id).storage()?.into_apps()).await
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
            let of_app = |(id, at): &(Vec<u8>, i64)| last_read(connection, &user_id, id, *at);
            until.iter().map(of_app).collect()
        })
        .await
    }
}

#[cfg(test)]
mod tests;
