//! Sleep sessions.

use super::row::{SleepRow, stored_source};
use crate::change::deletion;
use crate::error::StorageResult as _;
use crate::row::blob;
use crate::schema::sleep_session;
use crate::statement::load_row;
use crate::unit_of_work::SqliteUnitOfWork;
use application::ports::storage::{SleepRepository, StorageError};
use async_trait::async_trait;
use diesel::dsl::exists;
use diesel::prelude::*;
use diesel::sql_types::Binary;
use diesel::sqlite::SqliteConnection;
use domain::data_kind::DataKind;
use domain::id::{SleepSessionId, UserId};
use domain::sleep::{SessionKeyKind, SleepRecordHead, SleepSession, Stretch, TimeInBed, stretches};
use std::collections::{BTreeMap, BTreeSet};
use store_shared::key_kind_name;

const MINUTE_MILLIS: i64 = 60_000;

#[diesel::declare_sql_function]
extern "SQL" {
    /// SQLite's `length`: the size in bytes, found without reading the value.
    fn length(bytes: Binary) -> BigInt;
}

/// Keys by which a record is matched.
struct Candidate {
    source: String,
    key_kind: &'static str,
    natural_key: String,
    start: i64,
    end: i64,
}

impl From<&SleepRecordHead> for Candidate {
    fn from(record: &SleepRecordHead) -> Self {
        let SleepRecordHead { key, source, time_in_bed, is_nap: _ } = record;
        Self {
            source: stored_source(source.as_ref()).to_owned(),
            key_kind: key_kind_name(key.kind()),
            natural_key: key.as_str().to_owned(),
            start: time_in_bed.start_millis(),
            end: time_in_bed.end_millis(),
        }
    }
}

impl Candidate {
    fn is_derived(&self) -> bool {
        self.key_kind == key_kind_name(SessionKeyKind::Derived)
    }

    fn with_same_key(&self, connection: &mut SqliteConnection, user_id: &[u8]) -> QueryResult<Vec<SleepRow>> {
        sleep_session::table
            .select(SleepRow::as_select())
            .filter(sleep_session::user_id.eq(user_id))
            .filter(sleep_session::source.eq(&self.source))
            .filter(sleep_session::key_kind.eq(self.key_kind))
            .filter(sleep_session::natural_key.eq(&self.natural_key))
            .load(connection)
    }

    /// Finds a record's twin: the first overlapping session with a key from its source that starts and ends
    /// in the same minutes, with or without stages. Only a record with a derived key has a twin.
    fn logged_twin(
        &self,
        connection: &mut SqliteConnection,
        user_id: &[u8],
        has_stages: bool,
    ) -> QueryResult<Option<SleepRow>> {
        if !self.is_derived() {
            return Ok(None);
        }
        let (start, end) = (minute_of(self.start), minute_of(self.end));
        sleep_session::table
            .select(SleepRow::as_select())
            .filter(sleep_session::user_id.eq(user_id))
            .filter(sleep_session::started_at.ge(start))
            .filter(sleep_session::started_at.lt(start.saturating_add(MINUTE_MILLIS).min(self.end)))
            .filter(sleep_session::ended_at.ge(end.max(self.start.saturating_add(1))))
            .filter(sleep_session::ended_at.lt(end.saturating_add(MINUTE_MILLIS)))
            .filter(sleep_session::source.eq(&self.source))
            .filter(sleep_session::key_kind.eq(key_kind_name(SessionKeyKind::Given)))
            .filter(length(sleep_session::stages).gt(0).eq(has_stages))
            .order((sleep_session::started_at, sleep_session::id))
            .first(connection)
            .optional()
    }
}

/// Time covered by overlapping records of one source.
struct CoveredInterval {
    source: String,
    start: i64,
    end: i64,
}

impl From<Stretch<'_>> for CoveredInterval {
    fn from(stretch: Stretch<'_>) -> Self {
        let Stretch { source, start, end } = stretch;
        let (start, end) = (start.timestamp_millis(), end.timestamp_millis());
        Self { source: stored_source(source).to_owned(), start, end }
    }
}

impl CoveredInterval {
    /// Finds overlapping sessions with a derived key. No session is longer than `MAX_MILLIS`, so the index
    /// limits the search. Sessions with a key from their source may overlap in any number.
    fn overlapping(&self, connection: &mut SqliteConnection, user_id: &[u8]) -> QueryResult<Vec<SleepRow>> {
        sleep_session::table
            .select(SleepRow::as_select())
            .filter(sleep_session::user_id.eq(user_id))
            .filter(sleep_session::started_at.gt(self.start.saturating_sub(TimeInBed::MAX_MILLIS)))
            .filter(sleep_session::started_at.lt(self.end))
            .filter(sleep_session::ended_at.gt(self.start))
            .filter(sleep_session::source.eq(&self.source))
            .filter(sleep_session::key_kind.eq(key_kind_name(SessionKeyKind::Derived)))
            .load(connection)
    }
}

/// Returns the start of the minute, in milliseconds.
fn minute_of(millis: i64) -> i64 {
    millis.saturating_sub(millis.rem_euclid(MINUTE_MILLIS))
}

/// Returns whether any session of the person with this kind of key lies between the first and the last
/// record. If not, an import of new nights, or of a source that provides keys, skips the overlap search.
fn is_any_near(
    connection: &mut SqliteConnection,
    user_id: &[u8],
    candidates: &[Candidate],
    kind: SessionKeyKind,
) -> QueryResult<bool> {
    let first = candidates.iter().map(|candidate| candidate.start).min();
    let last = candidates.iter().map(|candidate| candidate.end).max();
    let (Some(first), Some(last)) = (first, last) else { return Ok(false) };
    let near = sleep_session::table
        .filter(sleep_session::user_id.eq(user_id))
        .filter(sleep_session::started_at.gt(first.saturating_sub(TimeInBed::MAX_MILLIS)))
        .filter(sleep_session::started_at.lt(last))
        .filter(sleep_session::ended_at.gt(first))
        .filter(sleep_session::key_kind.eq(key_kind_name(kind)));
    diesel::select(exists(near)).get_result(connection)
}

fn insert_all(
    connection: &mut SqliteConnection,
    (user_id, number): (&[u8], i64),
    rows: &[SleepRow],
) -> QueryResult<()> {
    connection.transaction(|connection| {
        // One row at a time: one prepared statement, and no limit on bound values.
        for row in rows {
            row.insert(connection, number)?;
        }
        deletion::take_away(connection, user_id, DataKind::Sleep, rows.iter().map(SleepRow::id))
    })
}

fn delete_all(
    connection: &mut SqliteConnection,
    (user_id, number): (&[u8], i64),
    ids: &[Vec<u8>],
) -> QueryResult<u64> {
    let mut deleted = 0;
    for id in ids {
        let same =
            sleep_session::table.filter(sleep_session::user_id.eq(user_id)).filter(sleep_session::id.eq(id));
        if diesel::delete(same).execute(connection)? > 0 {
            deletion::keep(connection, user_id, DataKind::Sleep, id, number)?;
            deleted += 1;
        }
    }
    Ok(deleted)
}

#[async_trait]
impl SleepRepository for SqliteUnitOfWork {
    async fn find_candidates(
        &mut self,
        user_id: UserId,
        records: &[SleepRecordHead],
    ) -> Result<Vec<SleepSession>, StorageError> {
        let user_id = blob(user_id.as_uuid());
        let candidates: Vec<Candidate> = records.iter().map(Candidate::from).collect();
        let filled: Vec<CoveredInterval> =
            stretches(records).into_iter().map(CoveredInterval::from).collect();
        self.run(move |connection| {
            let mut found = BTreeMap::new();
            let is_near =
                |connection: &mut _, kind| is_any_near(connection, &user_id, &candidates, kind).storage();
            let derived_are_near = is_near(connection, SessionKeyKind::Derived)?;
            // Only a derived key has a twin.
            let are_derived = candidates.iter().any(Candidate::is_derived);
            let given_are_near = are_derived && is_near(connection, SessionKeyKind::Given)?;
            // Overlapping records are searched once, so that each session is loaded once.
            for filled in filled.iter().filter(|_| derived_are_near) {
                for row in filled.overlapping(connection, &user_id).storage()? {
                    let session = row.into_session()?;
                    found.insert(session.id, session);
                }
            }
            for candidate in &candidates {
                let mut rows = candidate.with_same_key(connection, &user_id).storage()?;
                if given_are_near {
                    rows.extend(candidate.logged_twin(connection, &user_id, true).storage()?);
                    rows.extend(candidate.logged_twin(connection, &user_id, false).storage()?);
                }
                for row in rows {
                    let session = row.into_session()?;
                    found.insert(session.id, session);
                }
            }
            Ok(found.into_values().collect())
        })
        .await
    }

    async fn find_many(
        &mut self,
        user_id: UserId,
        ids: &[SleepSessionId],
    ) -> Result<Vec<SleepSession>, StorageError> {
        let user_id = blob(user_id.as_uuid());
        let ids: BTreeSet<SleepSessionId> = ids.iter().copied().collect();
        self.run(move |connection| {
            let of_user =
                sleep_session::table.select(SleepRow::as_select()).filter(sleep_session::user_id.eq(user_id));
            let rows = ids.into_iter().filter_map(|id| {
                load_row(of_user.clone().filter(sleep_session::id.eq(blob(id.as_uuid()))))(connection)
                    .transpose()
            });
            rows.map(|row| SleepRow::into_session(row?)).collect()
        })
        .await
    }

    async fn insert(&mut self, user_id: UserId, sessions: &[SleepSession]) -> Result<(), StorageError> {
        if sessions.is_empty() {
            return Ok(());
        }
        let rows: Vec<SleepRow> =
            sessions.iter().map(|session| SleepRow::from_session(user_id, session)).collect();
        // If the person does not exist, the first insert fails.
        let number = self.change_number(user_id).await?.unwrap_or_default();
        let user_id = blob(user_id.as_uuid());
        self.run(move |connection| insert_all(connection, (&user_id, number), &rows).storage()).await
    }

    async fn update(&mut self, user_id: UserId, session: &SleepSession) -> Result<bool, StorageError> {
        let row = SleepRow::from_session(user_id, session);
        let Some(number) = self.change_number(user_id).await? else { return Ok(false) };
        self.run(move |connection| Ok(row.overwrite(connection, number).storage()? > 0)).await
    }

    async fn delete(&mut self, user_id: UserId, ids: &[SleepSessionId]) -> Result<u64, StorageError> {
        if ids.is_empty() {
            return Ok(0);
        }
        let Some(number) = self.change_number(user_id).await? else { return Ok(0) };
        let user_id = blob(user_id.as_uuid());
        let ids: Vec<Vec<u8>> = ids.iter().map(|id| blob(id.as_uuid())).collect();
        self.run(move |connection| delete_all(connection, (&user_id, number), &ids).storage()).await
    }
}
