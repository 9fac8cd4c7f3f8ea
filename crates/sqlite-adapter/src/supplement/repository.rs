//! The catalogue in a unit of work.

use super::row::{LabelRow, SupplementRow};
use crate::error::StorageResult as _;
use crate::row::blob;
use crate::schema::{intake_log, supplement};
use crate::unit_of_work::SqliteUnitOfWork;
use application::ports::storage::{StorageError, SupplementRepository};
use async_trait::async_trait;
use diesel::dsl::exists;
use diesel::prelude::*;
use domain::id::SupplementId;
use domain::supplement::{CatalogueKey, Supplement, Upc};

#[async_trait]
impl SupplementRepository for SqliteUnitOfWork {
    async fn find(&mut self, id: SupplementId) -> Result<Option<Supplement>, StorageError> {
        self.run(move |connection| {
            let row: Option<SupplementRow> = supplement::table
                .find(blob(id.as_uuid()))
                .select(SupplementRow::as_select())
                .first(connection)
                .optional()
                .storage()?;
            row.map(SupplementRow::into_supplement).transpose()
        })
        .await
    }

    async fn find_current(&mut self, key: &CatalogueKey) -> Result<Option<Supplement>, StorageError> {
        let (source, key) = key.clone().into_parts();
        self.run(move |connection| {
            let row: Option<SupplementRow> = supplement::table
                .filter(supplement::catalogue_source.eq(source))
                .filter(supplement::catalogue_key.eq(key))
                .filter(supplement::is_current)
                .select(SupplementRow::as_select())
                .first(connection)
                .optional()
                .storage()?;
            row.map(SupplementRow::into_supplement).transpose()
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

    async fn insert(&mut self, key: &CatalogueKey, supplement: &Supplement) -> Result<(), StorageError> {
        let row = SupplementRow::current(key, supplement)?;
        self.run(move |connection| {
            diesel::insert_into(supplement::table).values(row).execute(connection).storage().map(drop)
        })
        .await
    }

    async fn update(&mut self, supplement: &Supplement) -> Result<bool, StorageError> {
        let row = LabelRow::of(supplement)?;
        let id = blob(supplement.id.as_uuid());
        self.run(move |connection| {
            let changed =
                diesel::update(supplement::table.find(id)).set(row).execute(connection).storage()?;
            Ok(changed > 0)
        })
        .await
    }

    async fn replace(
        &mut self,
        old: SupplementId,
        key: &CatalogueKey,
        new: &Supplement,
    ) -> Result<(), StorageError> {
        let row = SupplementRow::current(key, new)?;
        self.run(move |connection| {
            let replaced = connection.transaction(|connection| {
                diesel::update(supplement::table.find(blob(old.as_uuid())))
                    .set(supplement::is_current.eq(false))
                    .execute(connection)?;
                diesel::insert_into(supplement::table).values(row).execute(connection)
            });
            replaced.storage().map(drop)
        })
        .await
    }

    async fn key_of(&mut self, _id: SupplementId) -> Result<Option<CatalogueKey>, StorageError> {
        Err(StorageError::Internal("not built yet".into()))
    }

    async fn find_by_upc(&mut self, _upc: &Upc) -> Result<Option<Supplement>, StorageError> {
        Err(StorageError::Internal("not built yet".into()))
    }

    async fn retract(
        &mut self,
        _id: SupplementId,
        _predecessor: Option<SupplementId>,
    ) -> Result<bool, StorageError> {
        Err(StorageError::Internal("not built yet".into()))
    }
}
