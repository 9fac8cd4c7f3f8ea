//! Column types with one encoding for each store, and the report of a corrupt cell.

use application::ports::storage::StorageError;
use chrono::{DateTime, Utc};
use diesel::deserialize::{self, FromSql, FromSqlRow};
use diesel::expression::AsExpression;
use diesel::pg::{Pg, PgValue};
use diesel::query_builder::QueryId;
use diesel::serialize::{self, Output, ToSql};
use diesel::sql_types::{self, BigInt, Binary, SqlType, Timestamptz};
use diesel::sqlite::{Sqlite, SqliteValue};
use domain::secret::SecretHash;
use std::fmt::{self, Display};
use uuid::Uuid;

/// SQL type of an id: `uuid` on `PostgreSQL`, 16 bytes on SQLite.
#[derive(Debug, Clone, Copy, QueryId, SqlType)]
#[diesel(postgres_type(oid = 2950, array_oid = 2951))]
#[diesel(sqlite_type(name = "Binary"))]
pub struct Id;

/// SQL type of a time: `timestamptz` on `PostgreSQL`, microseconds since 1970 on SQLite.
#[derive(Debug, Clone, Copy, QueryId, SqlType)]
#[diesel(postgres_type(oid = 1184, array_oid = 1185))]
#[diesel(sqlite_type(name = "Long"))]
pub struct Instant;

/// Cell of an id; `None` if it is not 16 bytes long.
#[derive(Debug, Clone, Copy, PartialEq, Eq, AsExpression, FromSqlRow)]
#[diesel(sql_type = Id)]
pub struct IdCell(Option<Uuid>);

impl From<Uuid> for IdCell {
    fn from(id: Uuid) -> Self {
        Self(Some(id))
    }
}

impl Display for IdCell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(id) => id.fmt(f),
            None => f.write_str("with an invalid id"),
        }
    }
}

/// Cell of a time; `None` if it is not a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, AsExpression, FromSqlRow)]
#[diesel(sql_type = Instant)]
pub struct TimeCell(Option<DateTime<Utc>>);

impl From<DateTime<Utc>> for TimeCell {
    fn from(at: DateTime<Utc>) -> Self {
        Self(Some(at))
    }
}

/// Error for writing a cell that was read as invalid.
const INVALID: &str = "an invalid cell cannot be written";

impl ToSql<Id, Pg> for IdCell {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> serialize::Result {
        ToSql::<sql_types::Uuid, Pg>::to_sql(self.0.as_ref().ok_or(INVALID)?, out)
    }
}

impl FromSql<Id, Pg> for IdCell {
    fn from_sql(value: PgValue<'_>) -> deserialize::Result<Self> {
        <Uuid as FromSql<sql_types::Uuid, Pg>>::from_sql(value).map(Self::from)
    }
}

impl ToSql<Id, Sqlite> for IdCell {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Sqlite>) -> serialize::Result {
        ToSql::<Binary, Sqlite>::to_sql(self.0.as_ref().ok_or(INVALID)?.as_bytes().as_slice(), out)
    }
}

impl FromSql<Id, Sqlite> for IdCell {
    fn from_sql(value: SqliteValue<'_, '_, '_>) -> deserialize::Result<Self> {
        let bytes = <Vec<u8> as FromSql<Binary, Sqlite>>::from_sql(value)?;
        Ok(Self(Uuid::from_slice(&bytes).ok()))
    }
}

impl ToSql<Instant, Pg> for TimeCell {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> serialize::Result {
        ToSql::<Timestamptz, Pg>::to_sql(self.0.as_ref().ok_or(INVALID)?, out)
    }
}

impl FromSql<Instant, Pg> for TimeCell {
    fn from_sql(value: PgValue<'_>) -> deserialize::Result<Self> {
        <DateTime<Utc> as FromSql<Timestamptz, Pg>>::from_sql(value).map(Self::from)
    }
}

impl ToSql<Instant, Sqlite> for TimeCell {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Sqlite>) -> serialize::Result {
        out.set_value(self.0.ok_or(INVALID)?.timestamp_micros());
        Ok(serialize::IsNull::No)
    }
}

impl FromSql<Instant, Sqlite> for TimeCell {
    fn from_sql(value: SqliteValue<'_, '_, '_>) -> deserialize::Result<Self> {
        let micros = <i64 as FromSql<BigInt, Sqlite>>::from_sql(value)?;
        Ok(Self(DateTime::from_timestamp_micros(micros)))
    }
}

/// Reader of one row's cells, whose errors name the table, the column and the row, never the value.
#[derive(Clone, Copy)]
pub struct Cells<'a> {
    table: &'static str,
    row: &'a dyn Display,
}

impl<'a> Cells<'a> {
    /// Returns the reader of the row with this key.
    pub const fn new(table: &'static str, row: &'a dyn Display) -> Self {
        Self { table, row }
    }

    /// Returns the error for a value that the program cannot have written.
    pub fn corrupt(self, column: &'static str) -> StorageError {
        StorageError::Corrupt { table: self.table, column, row: self.row.to_string() }
    }

    /// Returns the value, or the error for a corrupt column.
    pub fn valid<T, E>(self, column: &'static str, value: Result<T, E>) -> Result<T, StorageError> {
        value.map_err(|_| self.corrupt(column))
    }

    /// Returns the value, or the error for a corrupt column.
    pub fn present<T>(self, column: &'static str, value: Option<T>) -> Result<T, StorageError> {
        value.ok_or_else(|| self.corrupt(column))
    }

    /// Returns an id.
    pub fn id(self, column: &'static str, cell: IdCell) -> Result<Uuid, StorageError> {
        self.present(column, cell.0)
    }

    /// Returns a time.
    pub fn instant(self, column: &'static str, cell: TimeCell) -> Result<DateTime<Utc>, StorageError> {
        self.present(column, cell.0)
    }

    /// Returns an optional time.
    pub fn optional_instant(
        self,
        column: &'static str,
        cell: Option<TimeCell>,
    ) -> Result<Option<DateTime<Utc>>, StorageError> {
        cell.map(|cell| self.instant(column, cell)).transpose()
    }

    /// Returns a 32-byte hash.
    pub fn hash(self, column: &'static str, cell: &[u8]) -> Result<SecretHash, StorageError> {
        self.valid(column, cell.try_into().map(SecretHash::from_bytes))
    }
}
