//! Signing keys.

use crate::column::{Cells, IdCell, TimeCell};
use crate::schema::signing_key;
use crate::statement::Find;
use crate::store::Store;
use crate::unit_of_work::{Transaction, Unit};
use application::ports::storage::{SigningKeyRepository, StorageError, UniqueKey};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::dsl::exists;
use diesel::prelude::*;
use domain::id::KeyId;
use domain::signing_key::{SealedPrivateKey, SigningKey, SigningKeyState};

/// A row of `signing_key`.
#[derive(Queryable, Insertable)]
#[diesel(table_name = signing_key)]
struct SigningKeyRow {
    id: IdCell,
    public_key: Vec<u8>,
    private_key: Vec<u8>,
    created_at: TimeCell,
    retired_at: Option<TimeCell>,
}

impl From<&SigningKey> for SigningKeyRow {
    fn from(key: &SigningKey) -> Self {
        let SigningKey { id, public_key, private_key, created_at, state } = key;
        Self {
            id: id.as_uuid().into(),
            public_key: public_key.to_vec(),
            private_key: private_key.as_bytes().to_vec(),
            created_at: (*created_at).into(),
            retired_at: match *state {
                SigningKeyState::Active => None,
                SigningKeyState::Retired { at } => Some(at.into()),
            },
        }
    }
}

impl SigningKeyRow {
    fn into_key(self) -> Result<SigningKey, StorageError> {
        let Self { id, public_key, private_key, created_at, retired_at } = self;
        let cells = Cells::new("signing_key", &id);
        let retired_at = cells.optional_instant("retired_at", retired_at)?;
        Ok(SigningKey {
            id: KeyId::from_uuid(cells.id("id", id)?),
            public_key: cells.valid("public_key", public_key.try_into())?,
            private_key: SealedPrivateKey::new(private_key),
            created_at: cells.instant("created_at", created_at)?,
            state: retired_at.map_or(SigningKeyState::Active, |at| SigningKeyState::Retired { at }),
        })
    }
}

fn all() -> impl Find<SigningKeyRow> {
    signing_key::table.order((signing_key::created_at.asc(), signing_key::id.asc()))
}

/// Lists the signing keys, oldest first.
pub async fn list_signing_keys(store: &impl Store) -> Result<Vec<SigningKey>, StorageError> {
    store.list_few(all()).await?.into_iter().map(SigningKeyRow::into_key).collect()
}

#[async_trait]
impl<R: Transaction> SigningKeyRepository for Unit<R> {
    async fn insert_first(&mut self, key: &SigningKey) -> Result<bool, StorageError> {
        self.0.exclude_writers("signing_key").await?;
        let active = signing_key::table.filter(signing_key::retired_at.is_null());
        let is_there: Option<bool> = self.0.load_row(diesel::select(exists(active))).await?;
        if is_there == Some(true) {
            return Ok(false);
        }
        SigningKeyRepository::insert(self, key).await.map(|()| true)
    }

    async fn list_for_update(&mut self) -> Result<Vec<SigningKey>, StorageError> {
        self.0.exclude_writers("signing_key").await?;
        self.0.load_rows(all()).await?.into_iter().map(SigningKeyRow::into_key).collect()
    }

    async fn insert(&mut self, key: &SigningKey) -> Result<(), StorageError> {
        let insert = diesel::insert_into(signing_key::table).values(SigningKeyRow::from(key));
        self.insert_new(insert, UniqueKey::SigningKey).await
    }

    async fn retire(&mut self, id: KeyId, at: DateTime<Utc>) -> Result<bool, StorageError> {
        let one = signing_key::table.find(IdCell::from(id.as_uuid()));
        let query = diesel::update(one.filter(signing_key::retired_at.is_null()))
            .set(signing_key::retired_at.eq(TimeCell::from(at)));
        Ok(self.0.execute(query).await? > 0)
    }

    async fn delete_retired(&mut self, before: DateTime<Utc>, limit: u32) -> Result<u64, StorageError> {
        self.0.delete_oldest(("signing_key", "id", "retired_at"), before, limit).await
    }
}
