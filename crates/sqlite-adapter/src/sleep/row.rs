//! The row of a session.

use crate::row::{Cells, blob};
use crate::schema::sleep_session;
use application::ports::storage::StorageError;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, QueryFragment, QueryId};
use diesel::sql_types::{BigInt, Binary, Bool, Integer, Nullable, Text};
use diesel::sqlite::{Sqlite, SqliteConnection};
use domain::id::{SleepSessionId, UserId};
use domain::sleep::{SessionKey, SleepRecord, SleepRecordHead, SleepSession, SleepSource, TimeInBed};
use domain::time::UtcOffset;
use store_shared::{key_kind_name, parse_key_kind};

/// A row of `sleep_session`. An update may change the start, which is in the table's primary key.
#[derive(Queryable, Selectable, AsChangeset)]
#[diesel(table_name = sleep_session, primary_key(user_id, id), treat_none_as_null = true)]
pub(crate) struct SleepRow {
    user_id: Vec<u8>,
    started_at: i64,
    id: Vec<u8>,
    ended_at: i64,
    offset_at_start: Option<i32>,
    offset_at_end: Option<i32>,
    source: String,
    key_kind: String,
    natural_key: String,
    is_nap: Option<bool>,
    updated_at: i64,
    stages: Vec<u8>,
    metrics: Vec<u8>,
}

impl SleepRow {
    pub(crate) fn from_session(user_id: UserId, session: &SleepSession) -> Self {
        let SleepSession { id, record, updated_at } = session;
        let SleepRecordHead { key, source, time_in_bed, is_nap } = record.head();
        Self {
            user_id: blob(user_id.as_uuid()),
            started_at: time_in_bed.start_millis(),
            id: blob(id.as_uuid()),
            ended_at: time_in_bed.end_millis(),
            offset_at_start: minutes(time_in_bed.offset_at_start()),
            offset_at_end: minutes(time_in_bed.offset_at_end()),
            source: stored_source(source.as_ref()).to_owned(),
            key_kind: key_kind_name(key.kind()).to_owned(),
            natural_key: key.as_str().to_owned(),
            is_nap: *is_nap,
            updated_at: updated_at.timestamp_millis(),
            stages: record.packed_stages(),
            metrics: record.packed_metrics(),
        }
    }

    pub(super) fn id(&self) -> &[u8] {
        &self.id
    }

    /// Inserts the row with this change number.
    pub(super) fn insert(&self, connection: &mut SqliteConnection, number: i64) -> QueryResult<()> {
        NewSession { row: self, number }.execute(connection).map(drop)
    }

    /// Overwrites the stored row with the same person and id; returns the number of rows.
    pub(super) fn overwrite(&self, connection: &mut SqliteConnection, number: i64) -> QueryResult<usize> {
        use sleep_session::dsl;
        let same = dsl::sleep_session.filter(dsl::user_id.eq(&self.user_id)).filter(dsl::id.eq(&self.id));
        diesel::update(same).set((self, dsl::change_number.eq(number))).execute(connection)
    }

    pub(crate) fn into_session(self) -> Result<SleepSession, StorageError> {
        let Self {
            // The caller has the user's id.
            user_id: _,
            started_at,
            id,
            ended_at,
            offset_at_start,
            offset_at_end,
            source,
            key_kind,
            natural_key,
            is_nap,
            updated_at,
            stages,
            metrics,
        } = self;
        let cells = Cells::new("sleep_session", &id);
        let time_in_bed = TimeInBed::new(
            cells.instant_of_millis("started_at", started_at)?,
            cells.instant_of_millis("ended_at", ended_at)?,
            offset(cells, "offset_at_start", offset_at_start)?,
            offset(cells, "offset_at_end", offset_at_end)?,
        );
        let kind = cells.present("key_kind", parse_key_kind(&key_kind))?;
        let head = SleepRecordHead {
            key: cells.valid("natural_key", SessionKey::from_parts(kind, &natural_key))?,
            source: match source.as_str() {
                "" => None,
                name => Some(cells.valid("source", SleepSource::parse(name))?),
            },
            time_in_bed: cells.valid("ended_at", time_in_bed)?,
            is_nap,
        };
        Ok(SleepSession {
            id: SleepSessionId::from_uuid(cells.uuid("id", &id)?),
            record: cells.valid("stages, metrics", SleepRecord::from_packed(head, &stages, &metrics))?,
            updated_at: cells.instant_of_millis("updated_at", updated_at)?,
        })
    }
}

/// Insert statement with a constant text, so that it stays prepared by its type. Diesel's derived statement
/// omits missing values and is built again for each row.
struct NewSession<'a> {
    row: &'a SleepRow,
    number: i64,
}

impl QueryFragment<Sqlite> for NewSession<'_> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Sqlite>) -> QueryResult<()> {
        let SleepRow {
            user_id,
            started_at,
            id,
            ended_at,
            offset_at_start,
            offset_at_end,
            source,
            key_kind,
            natural_key,
            is_nap,
            updated_at,
            stages,
            metrics,
        } = self.row;
        out.push_sql(
            "INSERT INTO sleep_session (user_id, started_at, id, ended_at, offset_at_start, offset_at_end, source, \
             key_kind, natural_key, is_nap, updated_at, stages, metrics, change_number) \
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        );
        out.push_bind_param_value_only::<Binary, _>(user_id)?;
        out.push_bind_param_value_only::<BigInt, _>(started_at)?;
        out.push_bind_param_value_only::<Binary, _>(id)?;
        out.push_bind_param_value_only::<BigInt, _>(ended_at)?;
        out.push_bind_param_value_only::<Nullable<Integer>, _>(offset_at_start)?;
        out.push_bind_param_value_only::<Nullable<Integer>, _>(offset_at_end)?;
        out.push_bind_param_value_only::<Text, _>(source)?;
        out.push_bind_param_value_only::<Text, _>(key_kind)?;
        out.push_bind_param_value_only::<Text, _>(natural_key)?;
        out.push_bind_param_value_only::<Nullable<Bool>, _>(is_nap)?;
        out.push_bind_param_value_only::<BigInt, _>(updated_at)?;
        out.push_bind_param_value_only::<Binary, _>(stages)?;
        out.push_bind_param_value_only::<Binary, _>(metrics)?;
        out.push_bind_param_value_only::<BigInt, _>(&self.number)
    }
}

impl QueryId for NewSession<'_> {
    type QueryId = NewSession<'static>;
    const HAS_STATIC_QUERY_ID: bool = true;
}

impl RunQueryDsl<SqliteConnection> for NewSession<'_> {}

/// Returns the stored source; '' if there is none.
pub(super) fn stored_source(source: Option<&SleepSource>) -> &str {
    source.map_or("", SleepSource::as_str)
}

fn minutes(offset: Option<UtcOffset>) -> Option<i32> {
    offset.map(|offset| i32::from(offset.minutes()))
}

pub(super) fn offset(
    cells: Cells<'_>,
    column: &'static str,
    minutes: Option<i32>,
) -> Result<Option<UtcOffset>, StorageError> {
    let read = |minutes: i32| i16::try_from(minutes).ok().and_then(UtcOffset::from_minutes);
    minutes.map(|minutes| cells.present(column, read(minutes))).transpose()
}
