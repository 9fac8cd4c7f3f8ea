//! Column types with one encoding for each store, and the values that columns hold.

use chrono::{DateTime, NaiveDate, Utc};
use diesel::deserialize::{self, FromSql, FromSqlRow};
use diesel::expression::AsExpression;
use diesel::pg::{Pg, PgValue};
use diesel::query_builder::QueryId;
use diesel::serialize::{self, Output, ToSql};
use diesel::sql_types::{self, BigInt, Binary, Date, SqlType, Text, Timestamptz};
use diesel::sqlite::{Sqlite, SqliteValue};
use domain::id::{ClientId, ImportId, KeyId, PasskeyId, PersonalTokenId, UserId};
use domain::scope::ScopeSet;
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

/// SQL type of a day: `date` on `PostgreSQL`, text such as `2026-12-24` on SQLite.
#[derive(Debug, Clone, Copy, QueryId, SqlType)]
#[diesel(postgres_type(oid = 1082, array_oid = 1182))]
#[diesel(sqlite_type(name = "Text"))]
pub struct Day;

/// Cell of an id; `None` if it is not 16 bytes long.
#[derive(Debug, Clone, Copy, AsExpression, FromSqlRow)]
#[diesel(sql_type = Id)]
pub(crate) struct IdCell(Option<Uuid>);

impl Display for IdCell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(id) => id.fmt(f),
            None => f.write_str("with an invalid id"),
        }
    }
}

/// Cell of a time; `None` if it is not a time.
#[derive(Debug, Clone, Copy, AsExpression, FromSqlRow)]
#[diesel(sql_type = Instant)]
pub(crate) struct TimeCell(Option<DateTime<Utc>>);

/// Cell of a day; `None` if it is not a day.
#[derive(Debug, Clone, Copy, AsExpression, FromSqlRow)]
#[diesel(sql_type = Day)]
pub(crate) struct DayCell(Option<NaiveDate>);

/// Error for writing a cell that was read as invalid.
const INVALID: &str = "an invalid cell cannot be written";

impl ToSql<Id, Pg> for IdCell {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> serialize::Result {
        ToSql::<sql_types::Uuid, Pg>::to_sql(self.0.as_ref().ok_or(INVALID)?, out)
    }
}

impl FromSql<Id, Pg> for IdCell {
    fn from_sql(value: PgValue<'_>) -> deserialize::Result<Self> {
        <Uuid as FromSql<sql_types::Uuid, Pg>>::from_sql(value).map(|value| Self(Some(value)))
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
        <DateTime<Utc> as FromSql<Timestamptz, Pg>>::from_sql(value).map(|value| Self(Some(value)))
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

impl ToSql<Day, Pg> for DayCell {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> serialize::Result {
        ToSql::<Date, Pg>::to_sql(self.0.as_ref().ok_or(INVALID)?, out)
    }
}

impl FromSql<Day, Pg> for DayCell {
    fn from_sql(value: PgValue<'_>) -> deserialize::Result<Self> {
        <NaiveDate as FromSql<Date, Pg>>::from_sql(value).map(|value| Self(Some(value)))
    }
}

/// Text of a day, with a four-digit year.
const DAY: &str = "%Y-%m-%d";

impl ToSql<Day, Sqlite> for DayCell {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Sqlite>) -> serialize::Result {
        out.set_value(self.0.ok_or(INVALID)?.format(DAY).to_string());
        Ok(serialize::IsNull::No)
    }
}

impl FromSql<Day, Sqlite> for DayCell {
    fn from_sql(value: SqliteValue<'_, '_, '_>) -> deserialize::Result<Self> {
        let text = <String as FromSql<Text, Sqlite>>::from_sql(value)?;
        Ok(Self(NaiveDate::parse_from_str(&text, DAY).ok()))
    }
}

/// A value of the domain that a column holds as `C`.
pub(crate) trait Held<C>: Sized {
    /// Returns the cell to write.
    fn cell(&self) -> C;

    /// Parses a cell; `None` for one that the program cannot have written.
    fn parse(cell: C) -> Option<Self>;
}

impl<C, T: Held<C>> Held<Option<C>> for Option<T> {
    fn cell(&self) -> Option<C> {
        self.as_ref().map(T::cell)
    }

    fn parse(cell: Option<C>) -> Option<Self> {
        cell.map_or(Some(None), |cell| T::parse(cell).map(Some))
    }
}

/// Implements [`Held`]: types, how a value is written, and how a cell is parsed.
macro_rules! held {
    ($($value:ty as $cell:ty: |$written:pat_param| $write:expr, |$read:pat_param| $parse:expr;)*) => {$(
        impl $crate::column::Held<$cell> for $value {
            fn cell(&self) -> $cell {
                let $written = self;
                $write
            }

            fn parse($read: $cell) -> Option<Self> {
                $parse
            }
        }
    )*};
}
pub(crate) use held;

held! {
    bool as bool: |is_set| *is_set, |cell| Some(cell);
    u32 as i64: |number| i64::from(*number), |cell| Self::try_from(cell).ok();
    [u8; 32] as Vec<u8>: |bytes| bytes.to_vec(), |cell| cell.try_into().ok();
    SecretHash as Vec<u8>: |hash| hash.as_bytes().to_vec(), |cell| Held::parse(cell).map(Self::from_bytes);
    ScopeSet as String: |scopes| scopes.to_string(), |text| Self::parse(&text).ok();
    DateTime<Utc> as TimeCell: |at| TimeCell(Some(*at)), |cell| cell.0;
    NaiveDate as DayCell: |day| DayCell(Some(*day)), |cell| cell.0;
    ClientId as IdCell: |id| IdCell(Some(id.as_uuid())), |cell| cell.0.map(Self::from_uuid);
    ImportId as IdCell: |id| IdCell(Some(id.as_uuid())), |cell| cell.0.map(Self::from_uuid);
    KeyId as IdCell: |id| IdCell(Some(id.as_uuid())), |cell| cell.0.map(Self::from_uuid);
    PasskeyId as IdCell: |id| IdCell(Some(id.as_uuid())), |cell| cell.0.map(Self::from_uuid);
    PersonalTokenId as IdCell: |id| IdCell(Some(id.as_uuid())), |cell| cell.0.map(Self::from_uuid);
    UserId as IdCell: |id| IdCell(Some(id.as_uuid())), |cell| cell.0.map(Self::from_uuid);
}
