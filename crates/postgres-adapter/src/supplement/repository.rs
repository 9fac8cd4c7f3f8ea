//! The supplement catalogue.

use super::row::NewSupplements;
use crate::connection::Pooled;
use crate::savepoint;
use crate::statement::{count, returning};
use crate::unit_of_work::PgUnitOfWork;
use application::ports::storage::{StorageError, UniqueKey};
use async_trait::async_trait;
use diesel::sql_query;
use diesel::sql_types::Uuid as SqlUuid;
use diesel::sql_types::{Array, BigInt, Bool, Nullable, Text};
use domain::id::SupplementId;
use domain::supplement::{CatalogueKey, Supplement};
use std::collections::BTreeSet;
use store_shared::column::{Day, Held as _, Id, Instant};
use store_shared::{Raw, StoreLabels, VERSION_COLUMNS, VersionColumns, VersionRow};
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

/// Inserts in key order, so that two imports of one catalogue do not deadlock. Returns the number of stored
/// rows: that of the statement itself counts conflicts too on an engine that distributes tables.
const INSERT: &str = "WITH stored AS (INSERT INTO supplement (id, catalogue_source, catalogue_key, is_current, brand, name, servings,
        upc, label_date, entry_date, ingredients, upc_digits)
    SELECT n.id, n.source, n.key, true, n.brand, n.name, n.servings, n.upc, n.label_date, n.entry_date,
        n.ingredients::jsonb, n.upc_digits
    FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
        AS n (id, source, key, brand, name, servings, upc, label_date, entry_date, ingredients, upc_digits)
    ORDER BY n.source, n.key, n.id
    ON CONFLICT DO NOTHING RETURNING id) SELECT count(*) FROM stored";

/// Waits for a transaction that logs this version, so that the next statement sees the log.
const LOCK: &str = "SELECT id FROM supplement WHERE id = ? FOR UPDATE";

#[async_trait]
impl StoreLabels for PgUnitOfWork {
    async fn load_versions(&mut self, ids: &[SupplementId]) -> Result<Vec<VersionRow>, StorageError> {
        let ids: Vec<Uuid> = ids.iter().map(SupplementId::as_uuid).collect();
        let query = sql_query(format!("SELECT {VERSION_COLUMNS} FROM supplement s WHERE s.id = ANY ($1)"))
            .bind::<Array<SqlUuid>, _>(ids);
        self.connection()?.load_rows(returning::<VersionColumns, _>(query)).await
    }

    async fn load_current(&mut self, keys: BTreeSet<CatalogueKey>) -> Result<Vec<VersionRow>, StorageError> {
        let sources: Vec<&str> = keys.iter().map(CatalogueKey::source).collect();
        let texts: Vec<&str> = keys.iter().map(CatalogueKey::key).collect();
        let query = sql_query(format!("SELECT {VERSION_COLUMNS} {CURRENT}"))
            .bind::<Array<Text>, _>(sources)
            .bind::<Array<Text>, _>(texts);
        self.connection()?.load_rows(returning::<VersionColumns, _>(query)).await
    }

    async fn insert_labels(&mut self, labels: &[(CatalogueKey, Supplement)]) -> Result<(), StorageError> {
        let connection = self.connection()?;
        savepoint::open(connection).await?;
        let inserted = insert(connection, labels).await?;
        savepoint::close(connection, inserted == count(labels.len()), UniqueKey::Supplement).await
    }

    async fn replace_label(
        &mut self,
        old: SupplementId,
        new: &(CatalogueKey, Supplement),
    ) -> Result<(), StorageError> {
        let connection = self.connection()?;
        savepoint::open(connection).await?;
        let query: Raw = Raw::same("UPDATE supplement SET is_current = false WHERE id = ?").bind(old.cell());
        connection.execute(query).await?;
        let inserted = insert(connection, std::slice::from_ref(new)).await?;
        savepoint::close(connection, inserted > 0, UniqueKey::Supplement).await
    }

    async fn retract_label(
        &mut self,
        id: SupplementId,
        predecessor: Option<SupplementId>,
    ) -> Result<bool, StorageError> {
        let connection = self.connection()?;
        let of_id = |text: &'static str| Raw::<()>::same(text).bind(id.cell());
        connection.execute(of_id(LOCK)).await?;
        let logged: Raw<Bool> = Raw::same("SELECT EXISTS (SELECT 1 FROM intake_log WHERE supplement_id = ?)");
        if connection.load_one(logged.bind(id.cell())).await? {
            return Ok(false);
        }
        let deleted = connection.execute(of_id("DELETE FROM supplement WHERE id = ?")).await?;
        if let (1.., Some(predecessor)) = (deleted, predecessor) {
            let restoring = sql_query(RESTORE).bind::<SqlUuid, _>(predecessor.as_uuid());
            connection.execute(returning::<(), _>(restoring)).await?;
        }
        Ok(deleted > 0)
    }
}

/// Inserts current versions; returns how many were stored.
async fn insert(connection: &mut Pooled, labels: &[(CatalogueKey, Supplement)]) -> Result<u64, StorageError> {
    let new = NewSupplements::from_labels(labels)?;
    let query = sql_query(INSERT)
        .bind::<Array<Id>, _>(new.ids)
        .bind::<Array<Text>, _>(new.catalogue_sources)
        .bind::<Array<Text>, _>(new.catalogue_keys)
        .bind::<Array<Text>, _>(new.brands)
        .bind::<Array<Text>, _>(new.names)
        .bind::<Array<Text>, _>(new.servings)
        .bind::<Array<Text>, _>(new.upcs)
        .bind::<Array<Nullable<Day>>, _>(new.label_dates)
        .bind::<Array<Instant>, _>(new.entry_dates)
        .bind::<Array<Text>, _>(new.ingredients)
        .bind::<Array<Nullable<Text>>, _>(new.upc_digits);
    let stored: i64 = connection.load_one(returning::<BigInt, _>(query)).await?;
    Ok(stored.unsigned_abs())
}
