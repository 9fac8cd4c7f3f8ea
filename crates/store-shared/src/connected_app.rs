//! Apps with live grants or a remembered consent of a person.

use crate::column::{Id, IdCell, Instant, TimeCell};
use crate::names::parse_used_from;
use crate::row::{Cells, Stored};
use application::ports::storage::{ConnectedApp, StorageError};
use chrono::{DateTime, Utc};
use diesel::Queryable;
use diesel::sql_types::{BigInt, Bool, Nullable, Text};

/// SQL types of an [`AppRow`].
pub type AppColumns = (
    Id,
    Text,
    Text,
    BigInt,
    Instant,
    Nullable<Instant>,
    Nullable<Instant>,
    Nullable<Text>,
    Nullable<Text>,
    Bool,
    Bool,
);

/// An app, with the values of its live grants aggregated.
#[derive(Queryable)]
pub struct AppRow {
    client_id: IdCell,
    name: String,
    scopes: String,
    grants: i64,
    since: TimeCell,
    refreshed_at: Option<TimeCell>,
    read_at: Option<TimeCell>,
    address: Option<String>,
    agent: Option<String>,
    is_remembered: bool,
    is_public: bool,
}

impl Stored for AppRow {
    type Value = ConnectedApp;

    fn into_value(self) -> Result<ConnectedApp, StorageError> {
        let client = Cells("client", &self.client_id);
        // The values aggregate several grants, so the error names the client.
        let source = Cells(if self.grants == 0 { "consent" } else { "access_grant" }, &self.client_id);
        let refreshed_at: Option<DateTime<Utc>> = source.parse("last_used_at", self.refreshed_at)?;
        let read_at = Cells("read_tally", &self.client_id).parse("minute", self.read_at)?;
        Ok(ConnectedApp {
            client_id: client.parse("id", self.client_id)?,
            name: client.parse("name", self.name)?,
            scopes: source.parse("scopes", self.scopes)?,
            grants: source.parse("count", self.grants)?,
            since: source.parse("created_at", self.since)?,
            last_used_at: refreshed_at.max(read_at),
            last_used_from: match parse_used_from(self.address.as_deref(), self.agent.as_deref()) {
                Ok(used_from) => used_from,
                Err(column) => source.present(column, None)?,
            },
            is_remembered: self.is_remembered,
            is_public: self.is_public,
        })
    }
}
