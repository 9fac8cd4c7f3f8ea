//! The supplement catalogue.

use super::row::{NewSupplements, SUPPLEMENT_COLUMNS, SupplementColumns, SupplementRow, keyed, upc_digits};
use crate::connection::Pooled;
use crate::savepoint;
use crate::schema::{intake_log, supplement};
use crate::statement::{count, returning};
use crate::unit_of_work::PgUnitOfWork;
use application::ports::storage::{StorageError, SupplementRepository, UniqueKey};
use async_trait::async_trait;
use diesel::dsl::exists;
use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::Uuid as SqlUuid;
use diesel::sql_types::{Array, BigInt, Date, Jsonb, Nullable, Text, Timestamptz};
use domain::id::{SupplementId, UserId};
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

/// Inserts in key order, so that two imports of one catalogue do not deadlock. Returns the number of stored
/// rows: that of the statement itself counts conflicts too on an engine that distributes tables.
const INSERT: &str = "WITH stored AS (INSERT INTO supplement (id, catalogue_source, catalogue_key, is_current, brand, name, servings,
        upc, label_date, entry_date, ingredients, upc_digits)
    SELECT n.id, n.source, n.key, true, n.brand, n.name, n.servings, n.upc, n.label_date, n.entry_date, n.ingredients,
        n.upc_digits
    FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
        AS n (id, source, key, brand, name, servings, upc, label_date, entry_date, ingredients, upc_digits)
    ORDER BY n.source, n.key, n.id
    ON CONFLICT DO NOTHING RETURNING id) SELECT count(*) FROM stored";

#[async_trait]
impl SupplementRepository for PgUnitOfWork {
    async fn find(&mut self, id: SupplementId) -> Result<Option<(CatalogueKey, Supplement)>, StorageError> {
        let query = supplement::table.find(id.as_uuid()).select((
            supplement::catalogue_source,
            supplement::catalogue_key,
            SupplementRow::as_select(),
        ));
        self.connection()?.load_row(query).await?.map(keyed).transpose()
    }

    async fn find_current(&mut self, key: &CatalogueKey) -> Result<Option<Supplement>, StorageError> {
        let query = supplement::table
            .filter(supplement::catalogue_source.eq(key.source()))
            .filter(supplement::catalogue_key.eq(key.key()))
            .filter(supplement::is_current)
            .select(SupplementRow::as_select());
        self.connection()?.load_row(query).await?.map(SupplementRow::into_supplement).transpose()
    }

    async fn find_many(
        &mut self,
        ids: &[SupplementId],
    ) -> Result<Vec<(CatalogueKey, Supplement)>, StorageError> {
        let ids: Vec<Uuid> = ids.iter().map(SupplementId::as_uuid).collect();
        let text = format!(
            "SELECT s.catalogue_source, s.catalogue_key, {SUPPLEMENT_COLUMNS} FROM supplement s WHERE s.id = ANY ($1)"
        );
        let query = sql_query(text).bind::<Array<SqlUuid>, _>(ids);
        let query = returning::<(Text, Text, SupplementColumns), _>(query);
        self.connection()?.load_rows(query).await?.into_iter().map(keyed).collect()
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
        let query = returning::<((Text, Text), SupplementColumns), _>(query);
        let rows: Vec<((String, String), SupplementRow)> = self.connection()?.load_rows(query).await?;
        rows.into_iter().map(|((source, key), row)| keyed((source, key, row))).collect()
    }

    async fn has_logs(&mut self, id: SupplementId) -> Result<bool, StorageError> {
        // Stays true after the person who logged it is deleted; the version is then kept, which is harmless.
        let logged = supplement::table.find(id.as_uuid()).filter(supplement::is_logged);
        self.connection()?.load_one(diesel::select(exists(logged))).await
    }

    async fn insert(&mut self, labels: &[(CatalogueKey, Supplement)]) -> Result<(), StorageError> {
        if labels.is_empty() {
            return Ok(());
        }
        let connection = self.connection()?;
        savepoint::open(connection).await?;
        let inserted = insert(connection, labels).await?;
        savepoint::close(connection, inserted == count(labels.len()), UniqueKey::Supplement).await
    }

    async fn update(&mut self, version: &Supplement) -> Result<bool, StorageError> {
        let query = diesel::update(supplement::table.find(version.id.as_uuid()))
            .set((SupplementRow::from_supplement(version)?, supplement::upc_digits.eq(upc_digits(version))));
        Ok(self.connection()?.execute(query).await? > 0)
    }

    async fn replace(
        &mut self,
        old: SupplementId,
        key: &CatalogueKey,
        new: &Supplement,
    ) -> Result<(), StorageError> {
        let connection = self.connection()?;
        savepoint::open(connection).await?;
        let replaced = supplement::table.find(old.as_uuid());
        connection.execute(diesel::update(replaced).set(supplement::is_current.eq(false))).await?;
        let inserted = insert(connection, &[(key.clone(), new.clone())]).await?;
        savepoint::close(connection, inserted > 0, UniqueKey::Supplement).await
    }

    async fn find_by_upc(&mut self, upc: &Upc, user_id: UserId) -> Result<Option<Supplement>, StorageError> {
        let query = supplement::table
            .filter(supplement::upc_digits.eq(upc.as_str()))
            .filter(supplement::is_current)
            .filter(supplement::owner_id.is_null().or(supplement::owner_id.eq(user_id.as_uuid())))
            // False is less than true.
            .order((
                supplement::owner_id.is_null(),
                supplement::label_date.is_null(),
                supplement::entry_date.desc(),
                supplement::id.desc(),
            ))
            .limit(1)
            .select(SupplementRow::as_select());
        self.connection()?.load_row(query).await?.map(SupplementRow::into_supplement).transpose()
    }

    async fn retract(
        &mut self,
        id: SupplementId,
        predecessor: Option<SupplementId>,
    ) -> Result<bool, StorageError> {
        let connection = self.connection()?;
        // Waits for a transaction that logs this version, so that the next statement sees the log.
        let locked = supplement::table.find(id.as_uuid()).select(supplement::id).for_update();
        connection.execute(locked).await?;
        let logs = intake_log::table.filter(intake_log::supplement_id.eq(id.as_uuid()));
        if connection.load_one(diesel::select(exists(logs))).await? {
            return Ok(false);
        }
        let deleted = connection.execute(diesel::delete(supplement::table.find(id.as_uuid()))).await?;
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
        .bind::<Array<Nullable<Text>>, _>(new.upc_digits);
    let stored: i64 = connection.load_one(returning::<BigInt, _>(query)).await?;
    Ok(stored.unsigned_abs())
}
