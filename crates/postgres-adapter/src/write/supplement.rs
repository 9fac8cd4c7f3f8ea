//! The catalogue of supplements.

use super::{savepoint, stored};
use crate::connection::Pooled;
use crate::error::storage_error;
use crate::row::{NewSupplementRow, SupplementRow};
use crate::schema::supplement;
use crate::unit_of_work::PgUnitOfWork;
use application::ports::storage::{StorageError, SupplementRepository, UniqueKey};
use async_trait::async_trait;
use diesel::dsl::exists;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use domain::id::SupplementId;
use domain::supplement::{CatalogueKey, Supplement, Upc};

#[async_trait]
impl SupplementRepository for PgUnitOfWork {
    async fn find(&mut self, id: SupplementId) -> Result<Option<Supplement>, StorageError> {
        let row: Option<SupplementRow> = supplement::table
            .filter(supplement::id.eq(id.as_uuid()))
            .select(SupplementRow::as_select())
            .first(self.connection()?)
            .await
            .optional()
            .map_err(storage_error)?;
        row.map(SupplementRow::into_supplement).transpose()
    }

    async fn find_current(&mut self, key: &CatalogueKey) -> Result<Option<Supplement>, StorageError> {
        let row: Option<SupplementRow> = supplement::table
            .filter(supplement::catalogue_source.eq(key.source()))
            .filter(supplement::catalogue_key.eq(key.key()))
            .filter(supplement::is_current)
            .select(SupplementRow::as_select())
            .first(self.connection()?)
            .await
            .optional()
            .map_err(storage_error)?;
        row.map(SupplementRow::into_supplement).transpose()
    }

    async fn has_logs(&mut self, id: SupplementId) -> Result<bool, StorageError> {
        // Stays true when the person who logged it is deleted: the version is kept then, which harms nobody.
        let logged = supplement::table.find(id.as_uuid()).filter(supplement::is_logged);
        diesel::select(exists(logged)).get_result(self.connection()?).await.map_err(storage_error)
    }

    async fn insert(&mut self, key: &CatalogueKey, version: &Supplement) -> Result<(), StorageError> {
        stored(insert(self.connection()?, key, version).await?, UniqueKey::Supplement)
    }

    async fn update(&mut self, version: &Supplement) -> Result<bool, StorageError> {
        let updated = diesel::update(supplement::table.find(version.id.as_uuid()))
            .set(SupplementRow::of(version)?)
            .execute(self.connection()?)
            .await
            .map_err(storage_error)?;
        Ok(updated > 0)
    }

    async fn replace(
        &mut self,
        old: SupplementId,
        key: &CatalogueKey,
        new: &Supplement,
    ) -> Result<(), StorageError> {
        let connection = self.connection()?;
        savepoint::open(connection).await?;
        diesel::update(supplement::table.find(old.as_uuid()))
            .set(supplement::is_current.eq(false))
            .execute(connection)
            .await
            .map_err(storage_error)?;
        let inserted = insert(connection, key, new).await?;
        savepoint::close(connection, inserted > 0, UniqueKey::Supplement).await
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

async fn insert(
    connection: &mut Pooled,
    key: &CatalogueKey,
    version: &Supplement,
) -> Result<usize, StorageError> {
    diesel::insert_into(supplement::table)
        .values(NewSupplementRow::of(key, version)?)
        .on_conflict_do_nothing()
        .execute(connection)
        .await
        .map_err(storage_error)
}
