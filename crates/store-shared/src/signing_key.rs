//! Signing keys.

use crate::column::{Held, IdCell, TimeCell, held};
use crate::row::{row, values};
use crate::schema::signing_key;
use crate::statement::Read;
use crate::store::Store;
use crate::unit_of_work::{Transaction, Unit};
use application::ports::storage::{SigningKeyRepository, StorageError, UniqueKey};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::dsl::exists;
use diesel::prelude::*;
use domain::id::KeyId;
use domain::signing_key::{SealedPrivateKey, SigningKey, SigningKeyState};

row! {
    /// A row of `signing_key`.
    SigningKeyRow of signing_key: SigningKey, row id, {
        id: IdCell;
        public_key: Vec<u8>;
        private_key: Vec<u8>;
        created_at: TimeCell;
        state: Option<TimeCell>, in retired_at;
    }
}

held! {
    SealedPrivateKey as Vec<u8>: |key| key.as_bytes().to_vec(), |bytes| Some(Self::new(bytes));
}

impl Held<Option<TimeCell>> for SigningKeyState {
    fn cell(&self) -> Option<TimeCell> {
        match self {
            Self::Active => None,
            Self::Retired { at } => Some(at.cell()),
        }
    }

    fn parse(retired_at: Option<TimeCell>) -> Option<Self> {
        Held::parse(retired_at).map(|at: Option<_>| at.map_or(Self::Active, |at| Self::Retired { at }))
    }
}

fn all() -> impl Read<SigningKeyRow> {
    signing_key::table
        .order((signing_key::created_at.asc(), signing_key::id.asc()))
        .select(SigningKeyRow::COLUMNS)
}

/// Lists the signing keys, oldest first.
pub async fn list_signing_keys(store: &impl Store) -> Result<Vec<SigningKey>, StorageError> {
    values(store.load_few(all()).await?)
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
        self.read_all(all()).await
    }

    async fn insert(&mut self, key: &SigningKey) -> Result<(), StorageError> {
        let insert =
            diesel::insert_into(signing_key::table).values(SigningKeyRow::from(key)).on_conflict_do_nothing();
        self.insert_new(insert, UniqueKey::SigningKey).await
    }

    async fn retire(&mut self, id: KeyId, at: DateTime<Utc>) -> Result<bool, StorageError> {
        let one = signing_key::table.find(id.cell());
        let query = diesel::update(one.filter(signing_key::retired_at.is_null()))
            .set(signing_key::retired_at.eq(at.cell()));
        self.changes(query).await
    }

    async fn delete_retired(&mut self, before: DateTime<Utc>, limit: u32) -> Result<u64, StorageError> {
        self.0.delete_oldest(("signing_key", "id", "retired_at"), before, limit).await
    }
}
