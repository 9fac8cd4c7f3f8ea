//! The supplement catalogue.

use super::row::NewLabel;
use crate::error::StorageResult as _;
use crate::statement::load_row;
use crate::unit_of_work::SqliteUnitOfWork;
use application::ports::storage::StorageError;
use async_trait::async_trait;
use diesel::prelude::*;
use diesel::sql_types::Bool;
use diesel::sqlite::SqliteConnection;
use domain::id::SupplementId;
use domain::supplement::{CatalogueKey, Supplement};
use std::collections::BTreeSet;
use store_shared::column::Held as _;
use store_shared::{Raw, StoreLabels, VersionRow, current_statement, version_statement};

/// Returns the statement that makes a version current, or not.
fn set_current(id: SupplementId, is_current: bool) -> Raw {
    Raw::same("UPDATE supplement SET is_current = ? WHERE id = ?").bind(is_current).bind(id.cell())
}

#[async_trait]
impl StoreLabels for SqliteUnitOfWork {
    async fn load_versions(&mut self, ids: &[SupplementId]) -> Result<Vec<VersionRow>, StorageError> {
        let ids: BTreeSet<SupplementId> = ids.iter().copied().collect();
        self.run(move |connection| {
            let rows = ids.into_iter().map(|id| load_row(version_statement(id.cell()))(connection));
            rows.filter_map(Result::transpose).collect()
        })
        .await
    }

    async fn load_current(&mut self, keys: BTreeSet<CatalogueKey>) -> Result<Vec<VersionRow>, StorageError> {
        self.run(move |connection| {
            let rows = keys.iter().map(|key| load_row(current_statement(key))(connection));
            rows.filter_map(Result::transpose).collect()
        })
        .await
    }

    async fn insert_labels(&mut self, labels: &[(CatalogueKey, Supplement)]) -> Result<(), StorageError> {
        let labels: Result<Vec<_>, StorageError> = labels.iter().map(NewLabel::from_label).collect();
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

    async fn replace_label(
        &mut self,
        old: SupplementId,
        new: &(CatalogueKey, Supplement),
    ) -> Result<(), StorageError> {
        let label = NewLabel::from_label(new)?;
        self.run(move |connection| {
            let replaced = connection.transaction(|connection| {
                set_current(old, false).execute(connection)?;
                label.execute(connection)
            });
            replaced.storage().map(drop)
        })
        .await
    }

    async fn retract_label(
        &mut self,
        id: SupplementId,
        predecessor: Option<SupplementId>,
    ) -> Result<bool, StorageError> {
        self.run(move |connection| retract(connection, id, predecessor).storage()).await
    }
}

/// Deletes a version without logs; returns whether it existed.
fn retract(
    connection: &mut SqliteConnection,
    id: SupplementId,
    predecessor: Option<SupplementId>,
) -> QueryResult<bool> {
    let statement: Raw<Bool> = Raw::same(
        "DELETE FROM supplement WHERE id = ? AND NOT EXISTS \
         (SELECT 1 FROM intake_log WHERE intake_log.supplement_id = supplement.id) RETURNING is_current",
    )
    .bind(id.cell());
    let Some(was_current) = statement.get_result::<bool>(connection).optional()? else { return Ok(false) };
    // A version that was replaced is not current, so its predecessor is not restored.
    if was_current && let Some(predecessor) = predecessor {
        set_current(predecessor, true).execute(connection)?;
    }
    Ok(true)
}
