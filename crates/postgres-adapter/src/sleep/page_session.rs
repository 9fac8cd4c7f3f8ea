//! A row of a sleep page.

use super::row::sleep_offset;
use application::ports::storage::{PackedSleepRow, StorageError};
use diesel::data_types::PgTimestamp;
use diesel::deserialize::{self, FromSqlRow, StaticallySizedRow};
use diesel::pg::Pg;
use diesel::result::{UnexpectedEndOfRow, UnexpectedNullError};
use diesel::row::{Field, Row};
use diesel::sql_types::Uuid as SqlUuid;
use diesel::sql_types::{Binary, Bool, Nullable, SmallInt, Text, Timestamptz};
use domain::id::SleepSessionId;
use uuid::Uuid;

/// Microseconds from the Unix epoch to the Postgres epoch, 2000-01-01.
const POSTGRES_EPOCH_MICROS: i64 = 946_684_800_000_000;

/// Column types of a [`PageSession`], in its order.
pub(crate) type PageSessionColumns = (
    SqlUuid,
    Timestamptz,
    Timestamptz,
    Nullable<SmallInt>,
    Nullable<SmallInt>,
    Text,
    Nullable<Bool>,
    Timestamptz,
    Binary,
    Binary,
);

/// Row of a page; times remain numbers, because no calendar arithmetic is needed.
pub(crate) struct PageSession {
    id: Uuid,
    started_at: PgTimestamp,
    ended_at: PgTimestamp,
    offset_at_start: Option<i16>,
    offset_at_end: Option<i16>,
    /// Empty if unknown.
    source: Box<str>,
    is_nap: Option<bool>,
    updated_at: PgTimestamp,
    stages: Box<[u8]>,
    metrics: Box<[u8]>,
}

impl PageSession {
    pub(crate) fn into_packed(self) -> Result<PackedSleepRow, StorageError> {
        let Self {
            id,
            started_at,
            ended_at,
            offset_at_start,
            offset_at_end,
            source,
            is_nap,
            updated_at,
            stages,
            metrics,
        } = self;
        Ok(PackedSleepRow {
            id: SleepSessionId::from_uuid(id),
            started_at_millis: millis(started_at),
            ended_at_millis: millis(ended_at),
            offset_at_start: sleep_offset(offset_at_start, "offset_at_start", id)?,
            offset_at_end: sleep_offset(offset_at_end, "offset_at_end", id)?,
            source: Some(source).filter(|source| !source.is_empty()),
            is_nap,
            updated_at_millis: millis(updated_at),
            stages,
            metrics,
        })
    }
}

/// Looks each field up once and reads it directly from the wire format. Decoding through a tuple of ten types
/// cost a tenth of the instructions of a page of 30.
impl FromSqlRow<PageSessionColumns, Pg> for PageSession {
    fn build_from_row<'a>(row: &impl Row<'a, Pg>) -> deserialize::Result<Self> {
        Ok(Self {
            id: Uuid::from_bytes(require_not_null(field(row, 0, fixed)?)?),
            started_at: require_not_null(field(row, 1, timestamp)?)?,
            ended_at: require_not_null(field(row, 2, timestamp)?)?,
            offset_at_start: field(row, 3, fixed)?.map(i16::from_be_bytes),
            offset_at_end: field(row, 4, fixed)?.map(i16::from_be_bytes),
            source: require_not_null(field(row, 5, text)?)?,
            is_nap: field(row, 6, fixed)?.map(|[is_nap]| is_nap != 0),
            updated_at: require_not_null(field(row, 7, timestamp)?)?,
            stages: require_not_null(field(row, 8, |stages| Some(stages.into()))?)?,
            metrics: require_not_null(field(row, 9, |metrics| Some(metrics.into()))?)?,
        })
    }
}

impl StaticallySizedRow<PageSessionColumns, Pg> for PageSession {
    const FIELD_COUNT: usize = 10;
}

/// Reads a field; `None` for NULL.
#[inline]
fn field<'a, T>(
    row: &impl Row<'a, Pg>,
    place: usize,
    read: impl FnOnce(&[u8]) -> Option<T>,
) -> deserialize::Result<Option<T>> {
    let field = row.get(place).ok_or(UnexpectedEndOfRow)?;
    let Some(value) = field.value() else { return Ok(None) };
    read(value.as_bytes()).map(Some).ok_or_else(|| "a field that is not of its type".into())
}

/// Returns an error for NULL, of the type by which diesel detects an absent row.
#[inline]
fn require_not_null<T>(value: Option<T>) -> deserialize::Result<T> {
    value.ok_or_else(|| UnexpectedNullError.into())
}

fn fixed<const LENGTH: usize>(bytes: &[u8]) -> Option<[u8; LENGTH]> {
    bytes.try_into().ok()
}

fn timestamp(bytes: &[u8]) -> Option<PgTimestamp> {
    fixed(bytes).map(i64::from_be_bytes).map(PgTimestamp)
}

fn text(bytes: &[u8]) -> Option<Box<str>> {
    str::from_utf8(bytes).ok().map(Into::into)
}

const fn millis(at: PgTimestamp) -> i64 {
    unix_micros(at).div_euclid(1_000)
}

/// Converts to microseconds since the Unix epoch.
pub(crate) const fn unix_micros(PgTimestamp(micros): PgTimestamp) -> i64 {
    micros.saturating_add(POSTGRES_EPOCH_MICROS)
}
