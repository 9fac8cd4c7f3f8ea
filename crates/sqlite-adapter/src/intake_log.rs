//! Intake logs.

use crate::change::deletion;
use crate::error::StorageResult as _;
use crate::row::{Cells, blob, micros};
use crate::schema::intake_log;
use crate::statement::load_row;
use crate::unit_of_work::SqliteUnitOfWork;
use application::ports::storage::{IntakeLogRepository, StorageError};
use async_trait::async_trait;
use diesel::prelude::*;
use diesel::sqlite::SqliteConnection;
use domain::data_kind::DataKind;
use domain::id::{IntakeLogId, SupplementId, UserId};
use domain::supplement::{IntakeLog, IntakeLogRecord, Servings};
use std::collections::{BTreeMap, BTreeSet};

/// A row of `intake_log`. An update may change supplement and time, which are in the table's primary key.
#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = intake_log, primary_key(user_id, id), treat_none_as_null = true)]
pub(crate) struct LogRow {
    user_id: Vec<u8>,
    supplement_id: Vec<u8>,
    created_at: i64,
    id: Vec<u8>,
    servings: f64,
    external_key: Option<String>,
}

impl LogRow {
    pub(crate) fn from_log(user_id: UserId, log: &IntakeLog) -> Self {
        let IntakeLog { id, record } = log;
        Self {
            user_id: blob(user_id.as_uuid()),
            supplement_id: blob(record.supplement_id().as_uuid()),
            created_at: micros(record.created_at()),
            id: blob(id.as_uuid()),
            servings: record.servings().get(),
            external_key: record.external_key().map(str::to_owned),
        }
    }

    pub(crate) fn into_log(self) -> Result<IntakeLog, StorageError> {
        // The caller has the user's id.
        let Self { user_id: _, supplement_id, created_at, id, servings, external_key } = self;
        let cells = Cells::new("intake_log", &id);
        let record = IntakeLogRecord::new(
            SupplementId::from_uuid(cells.uuid("supplement_id", &supplement_id)?),
            cells.instant("created_at", created_at)?,
            cells.valid("servings", Servings::new(servings))?,
            external_key,
        );
        let record = cells.valid("external_key", record)?;
        Ok(record.with_id(IntakeLogId::from_uuid(cells.uuid("id", &id)?)))
    }

    /// Overwrites the stored row with the same person and id; returns the number of rows.
    fn overwrite(&self, connection: &mut SqliteConnection, number: i64) -> QueryResult<usize> {
        use intake_log::dsl;
        let same = dsl::intake_log.filter(dsl::user_id.eq(&self.user_id)).filter(dsl::id.eq(&self.id));
        diesel::update(same).set((self, dsl::change_number.eq(number))).execute(connection)
    }
}

/// Keys by which a record is matched.
struct Candidate {
    supplement_id: Vec<u8>,
    created_at: i64,
    external_key: Option<String>,
}

impl From<&IntakeLogRecord> for Candidate {
    fn from(record: &IntakeLogRecord) -> Self {
        Self {
            supplement_id: blob(record.supplement_id().as_uuid()),
            created_at: micros(record.created_at()),
            external_key: record.external_key().map(str::to_owned),
        }
    }
}

impl Candidate {
    fn load(&self, connection: &mut SqliteConnection, user_id: &[u8]) -> QueryResult<Vec<LogRow>> {
        use intake_log::dsl;
        let of_user = dsl::intake_log.select(LogRow::as_select()).filter(dsl::user_id.eq(user_id));
        let mut rows: Vec<LogRow> = of_user
            .filter(dsl::supplement_id.eq(&self.supplement_id))
            .filter(dsl::created_at.eq(self.created_at))
            .load(connection)?;
        if let Some(key) = &self.external_key {
            rows.extend(of_user.filter(dsl::external_key.eq(key)).load::<LogRow>(connection)?);
        }
        Ok(rows)
    }
}

fn insert_all(
    connection: &mut SqliteConnection,
    (user_id, number): (&[u8], i64),
    rows: &[LogRow],
) -> QueryResult<()> {
    connection.transaction(|connection| {
        // One row at a time: one prepared statement, and no limit on bound values.
        for row in rows {
            let values = (row, intake_log::change_number.eq(number));
            diesel::insert_into(intake_log::table).values(values).execute(connection)?;
        }
        let ids = rows.iter().map(|row| row.id.as_slice());
        deletion::take_away(connection, user_id, DataKind::Supplements, ids)
    })
}

fn delete_all(
    connection: &mut SqliteConnection,
    (user_id, number): (&[u8], i64),
    ids: &[Vec<u8>],
) -> QueryResult<u64> {
    let mut deleted = 0;
    for id in ids {
        let same = intake_log::table.filter(intake_log::user_id.eq(user_id)).filter(intake_log::id.eq(id));
        if diesel::delete(same).execute(connection)? > 0 {
            deletion::keep(connection, user_id, DataKind::Supplements, id, number)?;
            deleted += 1;
        }
    }
    Ok(deleted)
}

#[async_trait]
impl IntakeLogRepository for SqliteUnitOfWork {
    async fn find_candidates(
        &mut self,
        user_id: UserId,
        records: &[IntakeLogRecord],
    ) -> Result<Vec<IntakeLog>, StorageError> {
        let user_id = blob(user_id.as_uuid());
        let candidates: Vec<Candidate> = records.iter().map(Candidate::from).collect();
        self.run(move |connection| {
            let mut found = BTreeMap::new();
            for candidate in &candidates {
                for row in candidate.load(connection, &user_id).storage()? {
                    let log = row.into_log()?;
                    found.insert(log.id, log);
                }
            }
            Ok(found.into_values().collect())
        })
        .await
    }

    async fn find_many(
        &mut self,
        user_id: UserId,
        ids: &[IntakeLogId],
    ) -> Result<Vec<IntakeLog>, StorageError> {
        let user_id = blob(user_id.as_uuid());
        let ids: BTreeSet<IntakeLogId> = ids.iter().copied().collect();
        self.run(move |connection| {
            let of_user =
                intake_log::table.select(LogRow::as_select()).filter(intake_log::user_id.eq(user_id));
            let rows = ids.into_iter().filter_map(|id| {
                load_row(of_user.clone().filter(intake_log::id.eq(blob(id.as_uuid()))))(connection)
                    .transpose()
            });
            rows.map(|row| LogRow::into_log(row?)).collect()
        })
        .await
    }

    async fn insert(&mut self, user_id: UserId, logs: &[IntakeLog]) -> Result<(), StorageError> {
        if logs.is_empty() {
            return Ok(());
        }
        let rows: Vec<LogRow> = logs.iter().map(|log| LogRow::from_log(user_id, log)).collect();
        // If the person does not exist, the first insert fails.
        let number = self.change_number(user_id).await?.unwrap_or_default();
        let user_id = blob(user_id.as_uuid());
        self.run(move |connection| insert_all(connection, (&user_id, number), &rows).storage()).await
    }

    async fn update(&mut self, user_id: UserId, log: &IntakeLog) -> Result<bool, StorageError> {
        let row = LogRow::from_log(user_id, log);
        let Some(number) = self.change_number(user_id).await? else { return Ok(false) };
        self.run(move |connection| Ok(row.overwrite(connection, number).storage()? > 0)).await
    }

    async fn delete(&mut self, user_id: UserId, ids: &[IntakeLogId]) -> Result<u64, StorageError> {
        if ids.is_empty() {
            return Ok(0);
        }
        let Some(number) = self.change_number(user_id).await? else { return Ok(0) };
        let user_id = blob(user_id.as_uuid());
        let ids: Vec<Vec<u8>> = ids.iter().map(|id| blob(id.as_uuid())).collect();
        self.run(move |connection| delete_all(connection, (&user_id, number), &ids).storage()).await
    }
}
