//! The apps that hold live grants of a person.

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
use domain::grant::Grant;
use domain::id::UserId;
use domain::scope::ScopeSet;
use std::collections::BTreeMap;

/// A live grant with its client's name, and the client again if the person's consent to it is remembered.
type LiveGrant = (GrantRow, String, Option<Vec<u8>>);

/// Everything that makes up the list, as of one moment.
struct Found {
    grants: Vec<LiveGrant>,
    last_reads: BTreeMap<Vec<u8>, i64>,
}

fn find(connection: &mut SqliteConnection, user_id: &[u8]) -> QueryResult<Found> {
    connection.transaction(|connection| {
        let grants: Vec<LiveGrant> = access_grant::table
            .inner_join(client::table.on(client::id.eq(access_grant::client_id)))
            .left_join(
                consent::table.on(consent::user_id
                    .eq(access_grant::user_id)
                    .and(consent::client_id.eq(access_grant::client_id))),
            )
            .filter(access_grant::user_id.eq(user_id))
            .filter(access_grant::revoked_at.is_null())
            .order((client::name, client::id, access_grant::id))
            .select((GrantRow::as_select(), client::name, consent::client_id.nullable()))
            .load(connection)?;
        Ok(Found { grants, last_reads: last_reads(connection, user_id)? })
    })
}

/// Finds the minute in which each of the clients read last: one look-up at the end of its part of an index.
fn last_reads_statement(user_id: &[u8]) -> Statement<(Binary, Nullable<BigInt>)> {
    Statement::new(
        "SELECT client_id, (SELECT minute FROM read_tally \
         WHERE user_id = ? AND reader_id = client_id AND reader_kind = 'client' ORDER BY minute DESC LIMIT 1) \
         FROM (SELECT DISTINCT client_id FROM access_grant WHERE user_id = ? AND revoked_at IS NULL)",
    )
    .blob(user_id)
    .blob(user_id)
}

fn last_reads(connection: &mut SqliteConnection, user_id: &[u8]) -> QueryResult<BTreeMap<Vec<u8>, i64>> {
    let rows: Vec<(Vec<u8>, Option<i64>)> = last_reads_statement(user_id).load(connection)?;
    Ok(rows.into_iter().filter_map(|(id, minute)| Some((id, minute?))).collect())
}

impl Found {
    /// Sums the grants up by app, which come one app after the other.
    fn into_apps(self) -> Result<Vec<ConnectedApp>, StorageError> {
        let Self { grants, last_reads } = self;
        let mut apps: Vec<Summing> = Vec::new();
        for (row, name, remembered) in grants {
            let grant = row.into_grant()?;
            match apps.last_mut() {
                Some(summing) if summing.app.client_id == grant.client_id => summing.add(grant),
                _ => apps.push(Summing::begin(grant, &name, remembered.is_some())?),
            }
        }
        apps.into_iter().map(|summing| summing.end(&last_reads)).collect()
    }
}

/// An app while its grants are summed up.
struct Summing {
    app: ConnectedApp,
    /// When it last refreshed.
    refreshed_at: Option<DateTime<Utc>>,
}

impl Summing {
    fn begin(grant: Grant, name: &str, is_remembered: bool) -> Result<Self, StorageError> {
        let client_id = grant.client_id;
        let key = client_id.as_uuid();
        let app = ConnectedApp {
            client_id,
            name: Cells::of("client", key.as_bytes()).sound("name", ClientName::parse(name))?,
            scopes: ScopeSet::EMPTY,
            grants: 0,
            since: grant.created_at,
            last_used_at: None,
            last_used_from: None,
            is_remembered,
        };
        let mut summing = Self { app, refreshed_at: None };
        summing.add(grant);
        Ok(summing)
    }

    fn add(&mut self, grant: Grant) {
        let Self { app, refreshed_at } = self;
        app.scopes = app.scopes.iter().chain(grant.scopes.iter()).collect();
        app.grants = app.grants.saturating_add(1);
        app.since = app.since.min(grant.created_at);
        // Of several that were used at the same moment, the first one counts.
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
}

#[cfg(test)]
mod tests;
