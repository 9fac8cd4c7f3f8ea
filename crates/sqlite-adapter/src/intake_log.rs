//! Intake logs.

use crate::change::deletion;
use crate::error::StorageResult as _;
use crate::row::blob;
use crate::statement::{execute, load_row};
use crate::unit_of_work::SqliteUnitOfWork;
use application::ports::storage::{IntakeLogRepository, StorageError};
use async_trait::async_trait;
use diesel::prelude::*;
use diesel::sqlite::SqliteConnection;
use domain::data_kind::DataKind;
use domain::id::{IntakeLogId, UserId};
use domain::supplement::{IntakeLog, IntakeLogRecord};
use std::collections::{BTreeMap, BTreeSet};
use store_shared::column::Held as _;
use store_shared::{LogRow, Raw, Stored as _, Value, logs_statement};

const INSERT: &str = "INSERT INTO intake_log
    (supplement_id, created_at, servings, external_key, change_number, user_id, id) VALUES (?, ?, ?, ?, ?, ?, ?)";

const UPDATE: &str =
    "UPDATE intake_log SET supplement_id = ?, created_at = ?, servings = ?, external_key = ?,
    change_number = ? WHERE user_id = ? AND id = ?";

/// Returns one of the statements above for a log with this change number.
fn store(statement: &'static str, (user_id, number): (UserId, i64), log: &IntakeLog) -> Raw {
    let LogRow { supplement_id, created_at, id, servings, external_key } = LogRow::from(log);
    let values: [Value; 7] = [
        supplement_id.into(),
        created_at.into(),
        servings.into(),
        external_key.into(),
        number.into(),
        user_id.cell().into(),
        id.into(),
    ];
    Raw::same(statement).bind_all(values)
}

/// Finds the logs that a record may match: at its time, and with its key.
fn candidates(
    connection: &mut SqliteConnection,
    user_id: UserId,
    record: &IntakeLogRecord,
) -> QueryResult<Vec<LogRow>> {
    let at_time = logs_statement(user_id)
        .sql(" AND l.supplement_id = ? AND l.created_at = ?")
        .bind(record.supplement_id().cell())
        .bind(record.created_at().cell());
    let mut rows: Vec<LogRow> = at_time.load(connection)?;
    if let Some(key) = record.external_key() {
        let with_key = logs_statement(user_id).sql(" AND l.external_key = ?").text(key);
        rows.extend(with_key.load::<LogRow>(connection)?);
    }
    Ok(rows)
}

fn delete_all(
    connection: &mut SqliteConnection,
    (user_id, number): (UserId, i64),
    ids: &[IntakeLogId],
) -> Result<u64, StorageError> {
    let mut deleted = 0;
    let person = blob(user_id.as_uuid());
    for id in ids {
        let query: Raw = Raw::same("DELETE FROM intake_log WHERE user_id = ? AND id = ?");
        if execute(query.bind(user_id.cell()).bind(id.cell()))(connection)? > 0 {
            let id = id.as_uuid();
            deletion::keep(connection, &person, DataKind::Supplements, id.as_bytes(), number).storage()?;
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
        let records = records.to_vec();
        self.run(move |connection| {
            let mut found = BTreeMap::new();
            for record in &records {
                for row in candidates(connection, user_id, record).storage()? {
                    let log = row.into_value()?;
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
        let ids: BTreeSet<IntakeLogId> = ids.iter().copied().collect();
        self.run(move |connection| {
            let rows = ids.into_iter().filter_map(|id| {
                load_row(logs_statement(user_id).sql(" AND l.id = ?").bind(id.cell()))(connection).transpose()
            });
            rows.map(|row| LogRow::into_value(row?)).collect()
        })
        .await
    }

    async fn insert(&mut self, user_id: UserId, logs: &[IntakeLog]) -> Result<(), StorageError> {
        if logs.is_empty() {
            return Ok(());
        }
        let logs = logs.to_vec();
        // If the person does not exist, the first insert fails.
        let number = self.change_number(user_id).await?.unwrap_or_default();
        self.run(move |connection| {
            let insert_all = |connection: &mut SqliteConnection| {
                // One row at a time: one prepared statement, and no limit on bound values.
                for log in &logs {
                    store(INSERT, (user_id, number), log).execute(connection)?;
                }
                let ids: Vec<Vec<u8>> = logs.iter().map(|log| blob(log.id.as_uuid())).collect();
                let person = blob(user_id.as_uuid());
                let ids = ids.iter().map(Vec::as_slice);
                deletion::take_away(connection, &person, DataKind::Supplements, ids)
            };
            connection.transaction(insert_all).storage()
        })
        .await
    }

    async fn update(&mut self, user_id: UserId, log: &IntakeLog) -> Result<bool, StorageError> {
        let Some(number) = self.change_number(user_id).await? else { return Ok(false) };
        Ok(self.run(execute(store(UPDATE, (user_id, number), log))).await? > 0)
    }

    async fn delete(&mut self, user_id: UserId, ids: &[IntakeLogId]) -> Result<u64, StorageError> {
        if ids.is_empty() {
            return Ok(0);
        }
        let Some(number) = self.change_number(user_id).await? else { return Ok(0) };
        let ids = ids.to_vec();
        self.run(move |connection| delete_all(connection, (user_id, number), &ids)).await
    }
}
