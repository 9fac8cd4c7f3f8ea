//! The supplement catalogue.

use super::row::{
    NewSupplementRow, NewSupplements, SUPPLEMENT_COLUMNS, SupplementColumns, SupplementRow, upc_digits,
};
use crate::connection::Pooled;
use crate::error::{corrupt, storage_error};
use crate::savepoint;
use crate::schema::{intake_log, supplement};
use crate::statement::{returning, stored};
use crate::unit_of_work::PgUnitOfWork;
use application::ports::storage::{StorageError, SupplementRepository, UniqueKey};
use async_trait::async_trait;
use diesel::dsl::{exists, not};
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::query_builder::QueryFragment;
use diesel::sql_query;
use diesel::sql_types::Uuid as SqlUuid;
use diesel::sql_types::{Array, Date, Jsonb, Nullable, Text, Timestamptz};
use diesel_async::RunQueryDsl;
use domain::id::SupplementId;
use domain::supplement::{CatalogueKey, Supplement, Upc};
use std::collections::BTreeSet;
use uuid::Uuid;

/// Does nothing if a later version has the key.
const RESTORE: &str = "UPDATE supplement p SET is_current = true WHERE p.id = $1 AND NOT EXISTS (
    SELECT FROM supplement c
    WHERE c.catalogue_source = p.catalogue_source AND c.catalogue_key = p.catalogue_key AND c.is_current)";

/// `OFFSET 0` forces an index look-up per key, independent of the table's statistics.
const CURRENT: &str = "FROM unnest($1, $2) AS k (source, key) CROSS JOIN LATERAL (
    SELECT * FROM supplement c
    WHERE c.catalogue_source = k.source AND c.catalogue_key = k.key AND c.is_current
    OFFSET 0
) AS s";

/// Inserts in key order, so that two imports of one catalogue do not deadlock.
const INSERT_MANY: &str = "INSERT INTO supplement (id, catalogue_source, catalogue_key, is_current, brand, name, servings,
        upc, label_date, entry_date, ingredients, upc_digits)
    SELECT n.id, n.source, n.key, true, n.brand, n.name, n.servings, n.upc, n.label_date, n.entry_date, n.ingredients,
        n.upc_digits
    FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
        AS n (id, source, key, brand, name, servings, upc, label_date, entry_date, ingredients, upc_digits)
    ORDER BY n.source, n.key, n.id
    ON CONFLICT DO NOTHING";

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

    async fn find_many(&mut self, ids: &[SupplementId]) -> Result<Vec<Supplement>, StorageError> {
        let ids: Vec<Uuid> = ids.iter().map(SupplementId::as_uuid).collect();
        let text = format!("SELECT {SUPPLEMENT_COLUMNS} FROM supplement s WHERE s.id = ANY ($1)");
        let query = sql_query(text).bind::<Array<SqlUuid>, _>(ids);
        let rows: Vec<SupplementRow> =
            returning::<SupplementColumns, _>(query).load(self.connection()?).await.map_err(storage_error)?;
        rows.into_iter().map(SupplementRow::into_supplement).collect()
    }

    async fn find_current_many(
        &mut self,
        keys: &[CatalogueKey],
    ) -> Result<Vec<(CatalogueKey, Supplement)>, StorageError> {
        // Without duplicates, so that each row is returned once.
        let keys: BTreeSet<&CatalogueKey> = keys.iter().collect();
        let sources: Vec<&str> = keys.iter().map(|key| key.source()).collect();
        let texts: Vec<&str> = keys.iter().map(|key| key.key()).collect();
        let query = sql_query(format!("SELECT k.source, k.key, {SUPPLEMENT_COLUMNS} {CURRENT}"))
            .bind::<Array<Text>, _>(sources)
            .bind::<Array<Text>, _>(texts);
        let rows: Vec<((String, String), SupplementRow)> =
            returning::<((Text, Text), SupplementColumns), _>(query)
                .load(self.connection()?)
                .await
                .map_err(storage_error)?;
        let found = rows.into_iter().map(|((source, key), row)| {
            let key =
                CatalogueKey::new(source, key).map_err(corrupt("supplement", "catalogue_key", row.id))?;
            Ok((key, row.into_supplement()?))
        });
        found.collect()
    }

    async fn has_logs(&mut self, id: SupplementId) -> Result<bool, StorageError> {
        // Stays true after the person who logged it is deleted; the version is then kept, which is harmless.
        let logged = supplement::table.find(id.as_uuid()).filter(supplement::is_logged);
        diesel::select(exists(logged)).get_result(self.connection()?).await.map_err(storage_error)
    }

    async fn insert(&mut self, key: &CatalogueKey, version: &Supplement) -> Result<(), StorageError> {
        stored(insert(self.connection()?, key, version).await?, UniqueKey::Supplement)
    }

    async fn insert_many(&mut self, labels: &[(CatalogueKey, Supplement)]) -> Result<(), StorageError> {
        if labels.is_empty() {
            return Ok(());
        }
        let query = insertion(NewSupplements::of(labels)?);
        let connection = self.connection()?;
        savepoint::open(connection).await?;
        let inserted = returning::<(), _>(query).execute(connection).await.map_err(storage_error)?;
        savepoint::close(connection, inserted == labels.len(), UniqueKey::Supplement).await
    }

    async fn update(&mut self, version: &Supplement) -> Result<bool, StorageError> {
        let updated = diesel::update(supplement::table.find(version.id.as_uuid()))
            .set((
                SupplementRow::of(version)?,
                supplement::upc_digits.eq(upc_digits(version)),
                supplement::revision.eq(supplement::revision + 1),
            ))
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

    async fn key_of(&mut self, id: SupplementId) -> Result<Option<CatalogueKey>, StorageError> {
        let parts: Option<(String, String)> = supplement::table
            .find(id.as_uuid())
            .select((supplement::catalogue_source, supplement::catalogue_key))
            .first(self.connection()?)
            .await
            .optional()
            .map_err(storage_error)?;
        let Some((source, key)) = parts else { return Ok(None) };
        CatalogueKey::new(source, key).map(Some).map_err(corrupt("supplement", "catalogue_key", id))
    }

    async fn find_by_upc(&mut self, upc: &Upc) -> Result<Option<Supplement>, StorageError> {
        let row: Option<SupplementRow> = supplement::table
            .filter(supplement::upc_digits.eq(upc.as_str()))
            .filter(supplement::is_current)
            .order((supplement::entry_date.desc(), supplement::id.desc()))
            .select(SupplementRow::as_select())
            .first(self.connection()?)
            .await
            .optional()
            .map_err(storage_error)?;
        row.map(SupplementRow::into_supplement).transpose()
    }

    async fn retract(
        &mut self,
        id: SupplementId,
        predecessor: Option<SupplementId>,
    ) -> Result<bool, StorageError> {
        let connection = self.connection()?;
        // Waits for a transaction that logs this version, so that the next statement sees the log.
        let held = supplement::table.find(id.as_uuid()).select(supplement::id).for_update();
        held.execute(connection).await.map_err(storage_error)?;
        let named = supplement::table.find(id.as_uuid());
        let deleted = diesel::delete(
            named.filter(not(exists(intake_log::table.filter(intake_log::supplement_id.eq(id.as_uuid()))))),
        )
        .execute(connection)
        .await
        .map_err(storage_error)?;
        if let (1.., Some(predecessor)) = (deleted, predecessor) {
            let restoring = sql_query(RESTORE).bind::<SqlUuid, _>(predecessor.as_uuid());
            returning::<(), _>(restoring).execute(connection).await.map_err(storage_error)?;
        }
        Ok(deleted > 0)
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

fn insertion(new: NewSupplements) -> impl QueryFragment<Pg> + Send {
    sql_query(INSERT_MANY)
        .bind::<Array<SqlUuid>, _>(new.ids)
        .bind::<Array<Text>, _>(new.catalogue_sources)
        .bind::<Array<Text>, _>(new.catalogue_keys)
        .bind::<Array<Text>, _>(new.brands)
        .bind::<Array<Text>, _>(new.names)
        .bind::<Array<Text>, _>(new.servings)
        .bind::<Array<Text>, _>(new.upcs)
        .bind::<Array<Nullable<Date>>, _>(new.label_dates)
        .bind::<Array<Timestamptz>, _>(new.entry_dates)
        .bind::<Array<Jsonb>, _>(new.ingredients)
        .bind::<Array<Nullable<Text>>, _>(new.upc_digits)
}
