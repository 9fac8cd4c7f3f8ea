//! The supplement catalogue.

use super::row::{LabelRow, NewLabel, SupplementRow, owner, upc_digits};
use crate::error::StorageResult as _;
use crate::row::blob;
use crate::schema::{intake_log, supplement};
use crate::statement::{execute, load_row};
use crate::unit_of_work::SqliteUnitOfWork;
use application::ports::storage::{StorageError, SupplementRepository};
use async_trait::async_trait;
use diesel::dsl::exists;
use diesel::prelude::*;
use diesel::sql_types::{Binary, Bool};
use diesel::sqlite::SqliteConnection;
use domain::id::{SupplementId, UserId};
use domain::supplement::{CatalogueKey, Supplement, Upc};
use std::collections::BTreeSet;
use store_shared::Raw;

#[async_trait]
impl SupplementRepository for SqliteUnitOfWork {
    async fn find(&mut self, id: SupplementId) -> Result<Option<(CatalogueKey, Supplement)>, StorageError> {
        let row = self.run(move |connection| find(connection, blob(id.as_uuid()))).await?;
        row.map(SupplementRow::into_parts).transpose()
    }

    async fn find_current(&mut self, key: &CatalogueKey) -> Result<Option<Supplement>, StorageError> {
        let key = key.clone();
        self.run(move |connection| find_current(connection, &key)).await
    }

    async fn find_many(
        &mut self,
        ids: &[SupplementId],
    ) -> Result<Vec<(CatalogueKey, Supplement)>, StorageError> {
        let ids: BTreeSet<SupplementId> = ids.iter().copied().collect();
        self.run(move |connection| {
            let rows = ids.into_iter().filter_map(|id| find(connection, blob(id.as_uuid())).transpose());
            rows.map(|row| row?.into_parts()).collect()
        })
        .await
    }

    async fn find_current_many(
        &mut self,
        keys: &[CatalogueKey],
    ) -> Result<Vec<(CatalogueKey, Supplement)>, StorageError> {
        let keys: BTreeSet<CatalogueKey> = keys.iter().cloned().collect();
        self.run(move |connection| {
            let found = keys
                .into_iter()
                .filter_map(|key| find_current(connection, &key).transpose().map(|found| Ok((key, found?))));
            found.collect()
        })
        .await
    }

    async fn has_logs(&mut self, id: SupplementId) -> Result<bool, StorageError> {
        self.run(move |connection| {
            let logs = intake_log::table.filter(intake_log::supplement_id.eq(blob(id.as_uuid())));
            diesel::select(exists(logs)).get_result(connection).storage()
        })
        .await
    }

    async fn insert(&mut self, labels: &[(CatalogueKey, Supplement)]) -> Result<(), StorageError> {
        if labels.is_empty() {
            return Ok(());
        }
        let labels: Result<Vec<NewLabel>, StorageError> =
            labels.iter().map(|(key, supplement)| NewLabel::from_label(key, supplement)).collect();
        let labels = labels?;
        self.run(move |connection| {
            // One row at a time: one prepared statement, and no limit on bound values.
            let insert = |connection: &mut SqliteConnection| {
                labels.into_iter().try_for_each(|label| label.execute(connection).map(drop))
            };
            connection.transaction(insert).storage()
        })
        .await
    }

    async fn update(&mut self, supplement: &Supplement) -> Result<bool, StorageError> {
        let row = LabelRow::from_supplement(supplement)?;
        let id = blob(supplement.id.as_uuid());
        let digits = supplement::upc_digits.eq(upc_digits(&supplement.label));
        let values = (row, digits);
        let query = diesel::update(supplement::table.find(id)).set(values);
        Ok(self.run(execute(query)).await? > 0)
    }

    async fn replace(
        &mut self,
        old: SupplementId,
        key: &CatalogueKey,
        new: &Supplement,
    ) -> Result<(), StorageError> {
        let label = NewLabel::from_label(key, new)?;
        self.run(move |connection| {
            let replaced = connection.transaction(|connection| {
                diesel::update(supplement::table.find(blob(old.as_uuid())))
                    .set(supplement::is_current.eq(false))
                    .execute(connection)?;
                label.execute(connection)
            });
            replaced.storage().map(drop)
        })
        .await
    }

    async fn find_by_upc(&mut self, upc: &Upc, user_id: UserId) -> Result<Option<Supplement>, StorageError> {
        let digits = upc.as_str().to_owned();
        let query = supplement::table
            .filter(supplement::upc_digits.eq(digits))
            .filter(is_current())
            .filter(supplement::owner_id.is_null().or(supplement::owner_id.eq(owner(user_id))))
            // False is less than true.
            .order((
                supplement::owner_id.is_null(),
                supplement::label_date.is_null(),
                supplement::entry_date.desc(),
                supplement::id.desc(),
            ))
            .limit(1)
            .select(SupplementRow::as_select());
        self.run(load_row(query)).await?.map(SupplementRow::into_supplement).transpose()
    }

    async fn retract(
        &mut self,
        id: SupplementId,
        predecessor: Option<SupplementId>,
    ) -> Result<bool, StorageError> {
        let (id, predecessor) = (blob(id.as_uuid()), predecessor.map(|id| blob(id.as_uuid())));
        self.run(move |connection| retract(connection, &id, predecessor.as_deref()).storage()).await
    }
}

fn find(connection: &mut SqliteConnection, id: Vec<u8>) -> Result<Option<SupplementRow>, StorageError> {
    load_row(supplement::table.find(id).select(SupplementRow::as_select()))(connection)
}

fn find_current(
    connection: &mut SqliteConnection,
    key: &CatalogueKey,
) -> Result<Option<Supplement>, StorageError> {
    // An import runs this for each label. In diesel's query builder, a literal would prevent it from staying
    // prepared.
    let statement: Raw<Binary> = Raw::same(
        "SELECT id FROM supplement WHERE catalogue_source = ? AND catalogue_key = ? AND is_current = 1",
    )
    .text(key.source())
    .text(key.key());
    let Some(id) = load_row(statement)(connection)? else { return Ok(None) };
    find(connection, id)?.map(SupplementRow::into_supplement).transpose()
}

/// Deletes a version without logs; returns whether it existed.
fn retract(connection: &mut SqliteConnection, id: &[u8], predecessor: Option<&[u8]>) -> QueryResult<bool> {
    let statement: Raw<Bool> = Raw::same(
        "DELETE FROM supplement WHERE id = ? AND NOT EXISTS \
         (SELECT 1 FROM intake_log WHERE intake_log.supplement_id = supplement.id) RETURNING is_current",
    )
    .blob(id);
    let Some(was_current) = statement.get_result::<bool>(connection).optional()? else { return Ok(false) };
    // A version that was replaced is not current, so its predecessor is not restored.
    if was_current && let Some(predecessor) = predecessor {
        diesel::update(supplement::table.find(predecessor))
            .set(supplement::is_current.eq(true))
            .execute(connection)?;
    }
    Ok(true)
}

/// Selects current versions with the same text as the partial indexes: SQLite uses these only for an
/// identical condition.
fn is_current() -> diesel::expression::SqlLiteral<Bool> {
    diesel::dsl::sql("is_current = 1")
}
