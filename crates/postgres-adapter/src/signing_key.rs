//! Signing keys.

use crate::error::{corrupt, storage_error};
use crate::schema::signing_key;
use crate::statement::stored;
use crate::store::PostgresStore;
use crate::unit_of_work::PgUnitOfWork;
use application::ports::storage::{SigningKeyReader, SigningKeyRepository, StorageError, UniqueKey};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::dsl::exists;
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel_async::{RunQueryDsl, SimpleAsyncConnection};
use domain::id::KeyId;
use domain::signing_key::{SealedPrivateKey, SigningKey, SigningKeyState};
use futures_util::FutureExt;
use uuid::Uuid;

/// A row of `signing_key`.
#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = signing_key, check_for_backend(Pg))]
pub(crate) struct SigningKeyRow {
    id: Uuid,
    public_key: Vec<u8>,
    private_key: Vec<u8>,
    created_at: DateTime<Utc>,
    retired_at: Option<DateTime<Utc>>,
}

impl From<&SigningKey> for SigningKeyRow {
    fn from(key: &SigningKey) -> Self {
        let SigningKey { id, public_key, private_key, created_at, state } = key;
        Self {
            id: id.as_uuid(),
            public_key: public_key.to_vec(),
            private_key: private_key.as_bytes().to_vec(),
            created_at: *created_at,
            retired_at: match state {
                SigningKeyState::Active => None,
                SigningKeyState::Retired { at } => Some(*at),
            },
        }
    }
}

impl SigningKeyRow {
    pub(crate) fn into_key(self) -> Result<SigningKey, StorageError> {
        let Self { id, public_key, private_key, created_at, retired_at } = self;
        Ok(SigningKey {
            id: KeyId::from_uuid(id),
            public_key: public_key.try_into().map_err(corrupt::<Vec<u8>>("signing_key", "public_key", id))?,
            private_key: SealedPrivateKey::new(private_key),
            created_at,
            state: retired_at.map_or(SigningKeyState::Active, |at| SigningKeyState::Retired { at }),
        })
    }
}

#[async_trait]
impl SigningKeyReader for PostgresStore {
    async fn list_signing_keys(&self) -> Result<Vec<SigningKey>, StorageError> {
        let rows: Vec<SigningKeyRow> = self
            .shared(|mut connection| {
                let query = signing_key::table
                    .order((signing_key::created_at.asc(), signing_key::id.asc()))
                    .select(SigningKeyRow::as_select());
                async move { query.load(&mut connection).await }.boxed()
            })
            .await?;
        rows.into_iter().map(SigningKeyRow::into_key).collect()
    }
}

/// Conflicts with itself and with every write, but not with reads; held until the transaction ends.
const LOCK_TABLE: &str = "LOCK TABLE signing_key IN SHARE ROW EXCLUSIVE MODE";

#[async_trait]
impl SigningKeyRepository for PgUnitOfWork {
    async fn insert_first(&mut self, key: &SigningKey) -> Result<bool, StorageError> {
        let connection = self.connection()?;
        connection.batch_execute(LOCK_TABLE).await.map_err(storage_error)?;
        let active = signing_key::table.filter(signing_key::retired_at.is_null());
        let is_there: bool = connection.load_one(diesel::select(exists(active))).await?;
        if is_there {
            return Ok(false);
        }
        SigningKeyRepository::insert(self, key).await.map(|()| true)
    }

    async fn list_for_update(&mut self) -> Result<Vec<SigningKey>, StorageError> {
        let connection = self.connection()?;
        connection.batch_execute(LOCK_TABLE).await.map_err(storage_error)?;
        let query = signing_key::table
            .order((signing_key::created_at.asc(), signing_key::id.asc()))
            .select(SigningKeyRow::as_select());
        connection.load_rows(query).await?.into_iter().map(SigningKeyRow::into_key).collect()
    }

    async fn insert(&mut self, key: &SigningKey) -> Result<(), StorageError> {
        let query =
            diesel::insert_into(signing_key::table).values(SigningKeyRow::from(key)).on_conflict_do_nothing();
        let inserted = self.connection()?.execute(query).await?;
        stored(inserted, UniqueKey::SigningKey)
    }

    async fn retire(&mut self, id: KeyId, at: DateTime<Utc>) -> Result<bool, StorageError> {
        let active = signing_key::table.find(id.as_uuid()).filter(signing_key::retired_at.is_null());
        let query = diesel::update(active).set(signing_key::retired_at.eq(at));
        Ok(self.connection()?.execute(query).await? > 0)
    }

    async fn delete_retired(&mut self, before: DateTime<Utc>, limit: u32) -> Result<u64, StorageError> {
        self.connection()?.delete_oldest(("signing_key", "id", "retired_at"), before, limit).await
    }
}
