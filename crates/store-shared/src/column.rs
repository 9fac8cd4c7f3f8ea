//! Column types with one encoding for each store, and the values that columns hold.

use chrono::{DateTime, NaiveDate, Utc};
use diesel::deserialize::{self, FromSql, FromSqlRow};
use diesel::expression::AsExpression;
use diesel::pg::{Pg, PgValue};
use diesel::query_builder::QueryId;
use diesel::serialize::{self, Output, ToSql};
use diesel::sql_types::{self, Array, BigInt, Binary, Date, SqlOrd, SqlType, Text, Timestamptz};
use diesel::sqlite::{Sqlite, SqliteValue};
use domain::address::AddressBlock;
use domain::code::PkceChallenge;
use domain::device::Device;
use domain::id::{
    AuditEventId, AuthorizationRequestId, ClientId, ClientSecretId, ErasureId, GrantId, ImportId,
    IntakeLogId, KeyId, MessageId, PasskeyId, PersonalTokenId, SessionId, SleepSessionId, SupplementId,
    UserId, WebhookEndpointId,
};
use domain::resource::Resource;
use domain::scope::ScopeSet;
use domain::secret::SecretHash;
use domain::time::TimeZone;
use domain::user::Email;
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

impl SqlOrd for Instant {}

/// SQL type of a day: `date` on `PostgreSQL`, text such as `2026-12-24` on SQLite.
#[derive(Debug, Clone, Copy, QueryId, SqlType)]
#[diesel(postgres_type(oid = 1082, array_oid = 1182))]
#[diesel(sqlite_type(name = "Text"))]
pub struct Day;

/// SQL type of redirect URIs: `text[]` on `PostgreSQL`, a JSON array on SQLite.
#[derive(Debug, Clone, Copy, QueryId, SqlType)]
#[diesel(postgres_type(oid = 1009, array_oid = 0))]
#[diesel(sqlite_type(name = "Text"))]
pub struct Uris;

/// Cell of an id; `None` if it is not 16 bytes long.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, AsExpression, FromSqlRow)]
#[diesel(sql_type = Id)]
pub struct IdCell(Option<Uuid>);

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

impl Display for TimeCell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(at) => at.to_rfc3339().fmt(f),
            None => f.write_str("an invalid time"),
        }
    }
}

/// Cell of a day; `None` if it is not a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, AsExpression, FromSqlRow)]
#[diesel(sql_type = Day)]
pub struct DayCell(Option<NaiveDate>);

/// Cell of redirect URIs; `None` if it is not an array of texts.
#[derive(Debug, Clone, AsExpression, FromSqlRow)]
#[diesel(sql_type = Uris)]
pub(crate) struct UriCell(pub(crate) Option<Vec<String>>);

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

impl ToSql<Uris, Pg> for UriCell {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> serialize::Result {
        ToSql::<Array<Text>, Pg>::to_sql(self.0.as_ref().ok_or(INVALID)?, out)
    }
}

impl FromSql<Uris, Pg> for UriCell {
    fn from_sql(value: PgValue<'_>) -> deserialize::Result<Self> {
        <Vec<String> as FromSql<Array<Text>, Pg>>::from_sql(value).map(|value| Self(Some(value)))
    }
}

impl ToSql<Uris, Sqlite> for UriCell {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Sqlite>) -> serialize::Result {
        out.set_value(serde_json::to_string(self.0.as_ref().ok_or(INVALID)?)?);
        Ok(serialize::IsNull::No)
    }
}

impl FromSql<Uris, Sqlite> for UriCell {
    fn from_sql(value: SqliteValue<'_, '_, '_>) -> deserialize::Result<Self> {
        let text = <String as FromSql<Text, Sqlite>>::from_sql(value)?;
        Ok(Self(serde_json::from_str(&text).ok()))
    }
}

/// Lets a statement of one store read a cell as that store's type.
macro_rules! read_as {
    ($($value:ty as $sql:ty: $stored:ty, $backend:ty, $raw:ty;)*) => {$(
        impl FromSql<$sql, $backend> for $value {
            fn from_sql(value: $raw) -> deserialize::Result<Self> {
                <Self as FromSql<$stored, $backend>>::from_sql(value)
            }
        }
    )*};
}

read_as! {
    Uuid as Id: sql_types::Uuid, Pg, PgValue<'_>;
    DateTime<Utc> as Instant: Timestamptz, Pg, PgValue<'_>;
    Vec<u8> as Id: Binary, Sqlite, SqliteValue<'_, '_, '_>;
    i64 as Instant: BigInt, Sqlite, SqliteValue<'_, '_, '_>;
}

/// A value of the domain that a column holds as `C`.
pub trait Held<C>: Sized {
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
    i64 as i64: |number| *number, |cell| Some(cell);
    u16 as i64: |number| i64::from(*number), |cell| Self::try_from(cell).ok();
    u32 as i64: |number| i64::from(*number), |cell| Self::try_from(cell).ok();
    u64 as i64: |number| i64::try_from(*number).unwrap_or(i64::MAX), |cell| Self::try_from(cell).ok();
    u32 as i32: |number| i32::try_from(*number).unwrap_or(i32::MAX), |cell| Self::try_from(cell).ok();
    String as String: |text| text.clone(), |text| Some(text);
    Vec<u8> as Vec<u8>: |bytes| bytes.clone(), |bytes| Some(bytes);
    [u8; 32] as Vec<u8>: |bytes| bytes.to_vec(), |cell| cell.try_into().ok();
    SecretHash as Vec<u8>: |hash| hash.as_bytes().to_vec(), |cell| Held::parse(cell).map(Self::from_bytes);
    ScopeSet as String: |scopes| scopes.to_string(), |text| Self::parse(&text).ok();
    Email as String: |email| email.as_str().to_owned(), |text| Self::parse(&text).ok();
    TimeZone as String: |zone| zone.name().to_owned(), |text| Self::parse(&text).ok();
    Resource as String: |resource| resource.as_str().to_owned(), |text| Self::parse(&text);
    PkceChallenge as Vec<u8>: |challenge| challenge.as_bytes().to_vec(), |bytes| Held::parse(bytes).map(Self::from_bytes);
    AddressBlock as String: |address| address.to_string(), |text| Self::parse(&text).ok();
    Device as String: |device| device.stored(), |text| Self::parse(&text);
    DateTime<Utc> as TimeCell: |at| TimeCell(Some(*at)), |cell| cell.0;
    NaiveDate as DayCell: |day| DayCell(Some(*day)), |cell| cell.0;
    Uuid as IdCell: |id| IdCell(Some(*id)), |cell| cell.0;
}

macro_rules! ids {
    ($($id:ident)*) => {
        held! {
            $($id as IdCell: |id| IdCell(Some(id.as_uuid())), |cell| cell.0.map(Self::from_uuid);)*
        }
    };
}

ids! {
    AuditEventId AuthorizationRequestId ClientId ClientSecretId ErasureId GrantId ImportId IntakeLogId KeyId MessageId
    PasskeyId PersonalTokenId SessionId SleepSessionId SupplementId UserId WebhookEndpointId
}
