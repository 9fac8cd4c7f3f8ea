//! Sessions in a unit of work.

use super::row::{SleepRow, kind_name, stored_source};
use crate::change::deletion;
use crate::error::StorageResult as _;
use crate::row::blob;
use crate::schema::sleep_session;
use crate::unit_of_work::SqliteUnitOfWork;
use application::ports::storage::{SleepRepository, StorageError};
use async_trait::async_trait;
use diesel::prelude::*;
use diesel::sqlite::SqliteConnection;
use domain::change::ChangeKind;
use domain::id::{SleepSessionId, UserId};
use domain::sleep::{SleepRecord, SleepSession, TimeInBed};
use std::collections::BTreeMap;

/// By what a record is looked for.
struct Candidate {
    source: String,
    key_kind: &'static str,
    natural_key: String,
    start: i64,
    end: i64,
}

impl From<&SleepRecord> for Candidate {
    fn from(record: &SleepRecord) -> Self {
        Self {
            source: stored_source(record.source()).to_owned(),
            key_kind: kind_name(record.key().kind()),
            natural_key: record.key().as_str().to_owned(),
            start: record.time_in_bed().start_millis(),
            end: record.time_in_bed().end_millis(),
        }
    }
}

impl Candidate {
    fn with_same_key(&self, connection: &mut SqliteConnection, user_id: &[u8]) -> QueryResult<Vec<SleepRow>> {
        sleep_session::table
            .select(SleepRow::as_select())
            .filter(sleep_session::user_id.eq(user_id))
            .filter(sleep_session::source.eq(&self.source))
            .filter(sleep_session::key_kind.eq(self.key_kind))
            .filter(sleep_session::natural_key.eq(&self.natural_key))
            .load(connection)
    }

    /// Finds what overlaps in time: no session is longer than `MAX_MILLIS`, so the index bounds the search.
    fn overlapping(&self, connection: &mut SqliteConnection, user_id: &[u8]) -> QueryResult<Vec<SleepRow>> {
        sleep_session::table
            .select(SleepRow::as_select())
            .filter(sleep_session::user_id.eq(user_id))
            .filter(sleep_session::started_at.gt(self.start.saturating_sub(TimeInBed::MAX_MILLIS)))
            .filter(sleep_session::started_at.lt(self.end))
            .filter(sleep_session::ended_at.gt(self.start))
            .filter(sleep_session::source.eq(&self.source))
            .load(connection)
    }
}

fn insert_all(
    connection: &mut SqliteConnection,
    (user_id, number): (&[u8], i64),
    rows: &[SleepRow],
) -> QueryResult<()> {
    connection.transaction(|connection| {
        // A row at a time: one prepared statement, and no limit on the number of bound values.
        for row in rows {
            row.insert(connection, number)?;
        }
        deletion::take_away(connection, user_id, ChangeKind::Sleep, rows.iter().map(SleepRow::id))
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
            deletion::keep(connection, user_id, ChangeKind::Sleep, id, number)?;
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
        records: &[SleepRecord],
    ) -> Result<Vec<SleepSession>, StorageError> {
        let user_id = blob(user_id.as_uuid());
        let candidates: Vec<Candidate> = records.iter().map(Candidate::from).collect();
        self.run(move |connection| {
            let mut found = BTreeMap::new();
            for candidate in &candidates {
                let same_key = candidate.with_same_key(connection, &user_id).storage()?;
                let overlapping = candidate.overlapping(connection, &user_id).storage()?;
                for row in same_key.into_iter().chain(overlapping) {
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
        let ids: Vec<Vec<u8>> = ids.iter().map(|id| blob(id.as_uuid())).collect();
        self.run(move |connection| {
            let mut found = BTreeMap::new();
            for id in &ids {
                let row: Option<SleepRow> = sleep_session::table
                    .select(SleepRow::as_select())
                    .filter(sleep_session::user_id.eq(&user_id))
                    .filter(sleep_session::id.eq(id))
                    .first(connection)
                    .optional()
                    .storage()?;
                if let Some(row) = row {
                    let session = row.into_session()?;
                    found.insert(session.id, session);
                }
            }
            Ok(found.into_values().collect())
        })
        .await
    }

    async fn insert(&mut self, user_id: UserId, sessions: &[SleepSession]) -> Result<(), StorageError> {
        let rows: Vec<SleepRow> = sessions.iter().map(|session| SleepRow::of(user_id, session)).collect();
        let user_id = blob(user_id.as_uuid());
        self.run(move |connection| insert_all(connection, (&user_id, number), &rows).storage()).await
    }

    async fn update(&mut self, user_id: UserId, session: &SleepSession) -> Result<bool, StorageError> {
        let row = SleepRow::of(user_id, session);
        let Some(number) = self.change_number(user_id).await? else { return Ok(false) };
        self.run(move |connection| Ok(row.overwrite(connection, number).storage()? > 0)).await
    }

    async fn delete(&mut self, user_id: UserId, ids: &[SleepSessionId]) -> Result<u64, StorageError> {
        let user_id = blob(user_id.as_uuid());
        let ids: Vec<Vec<u8>> = ids.iter().map(|id| blob(id.as_uuid())).collect();
        self.run(move |connection| delete_all(connection, (&user_id, number), &ids).storage()).await
    }
}
        if sessions.is_empty() {
            return Ok(());
        }
        // Without the person the rows have none either, and the first one fails.
        let number = self.change_number(user_id).await?.unwrap_or_default();
        if ids.is_empty() {
            return Ok(0);
        }
        let Some(number) = self.change_number(user_id).await? else { return Ok(0) };
