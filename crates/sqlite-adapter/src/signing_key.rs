//! Signing keys.

use crate::error::StorageResult as _;
use crate::row::{Cells, blob, micros};
use crate::schema::signing_key;
use crate::statement::{delete_oldest, execute};
use crate::store::SqliteStore;
use crate::unit_of_work::SqliteUnitOfWork;
use application::ports::storage::{SigningKeyReader, SigningKeyRepository, StorageError};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sqlite::SqliteConnection;
use domain::id::KeyId;
use domain::signing_key::{SealedPrivateKey, SigningKey, SigningKeyState};

#[derive(Queryable, Insertable)]
#[diesel(table_name = signing_key)]
struct SigningKeyRow {
    id: Vec<u8>,
    public_key: Vec<u8>,
    private_key: Vec<u8>,
    created_at: i64,
    retired_at: Option<i64>,
}

impl From<&SigningKey> for SigningKeyRow {
    fn from(key: &SigningKey) -> Self {
        let SigningKey { id, public_key, private_key, created_at, state } = key;
        Self {
            id: blob(id.as_uuid()),
            public_key: public_key.to_vec(),
            private_key: private_key.as_bytes().to_vec(),
            created_at: micros(*created_at),
            retired_at: match *state {
                SigningKeyState::Active => None,
                SigningKeyState::Retired { at } => Some(micros(at)),
            },
        }
    }
}

impl SigningKeyRow {
    fn into_key(self) -> Result<SigningKey, StorageError> {
        let Self { id, public_key, private_key, created_at, retired_at } = self;
        let cells = Cells::new("signing_key", &id);
        Ok(SigningKey {
            id: KeyId::from_uuid(cells.uuid("id", &id)?),
            public_key: cells.bytes32("public_key", &public_key)?,
            private_key: SealedPrivateKey::new(private_key),
            created_at: cells.instant("created_at", created_at)?,
            state: match cells.optional_instant("retired_at", retired_at)? {
                None => SigningKeyState::Active,
                Some(at) => SigningKeyState::Retired { at },
            },
        })
    }
}

fn insert(connection: &mut SqliteConnection, row: &SigningKeyRow) -> Result<(), StorageError> {
    diesel::insert_into(signing_key::table).values(row).execute(connection).storage().map(drop)
}

fn list(connection: &mut SqliteConnection) -> Result<Vec<SigningKey>, StorageError> {
    let rows: Vec<SigningKeyRow> =
        signing_key::table.order((signing_key::created_at, signing_key::id)).load(connection).storage()?;
    rows.into_iter().map(SigningKeyRow::into_key).collect()
}

#[async_trait]
impl SigningKeyReader for SqliteStore {
    async fn list_signing_keys(&self) -> Result<Vec<SigningKey>, StorageError> {
        self.read(list).await
    }
}

#[async_trait]
impl SigningKeyRepository for SqliteUnitOfWork {
    async fn insert_first(&mut self, key: &SigningKey) -> Result<bool, StorageError> {
        let row = SigningKeyRow::from(key);
        self.run(move |connection| {
            // The transaction holds the write lock, so no other one can write between the two statements.
            let active = signing_key::table.filter(signing_key::retired_at.is_null());
            if diesel::select(diesel::dsl::exists(active)).get_result(connection).storage()? {
                return Ok(false);
            }
            insert(connection, &row).map(|()| true)
        })
        .await
    }

    async fn list_for_update(&mut self) -> Result<Vec<SigningKey>, StorageError> {
        // The transaction holds the write lock, so nothing read here can change.
        self.run(list).await
    }

    async fn insert(&mut self, key: &SigningKey) -> Result<(), StorageError> {
        let row = SigningKeyRow::from(key);
        self.run(move |connection| insert(connection, &row)).await
    }

    async fn retire(&mut self, id: KeyId, at: DateTime<Utc>) -> Result<bool, StorageError> {
        let active = signing_key::table.find(blob(id.as_uuid())).filter(signing_key::retired_at.is_null());
        let query = diesel::update(active).set(signing_key::retired_at.eq(micros(at)));
        Ok(self.run(execute(query)).await? > 0)
    }

    async fn delete_retired(&mut self, before: DateTime<Utc>, limit: u32) -> Result<u64, StorageError> {
        self.run(delete_oldest(("signing_key", "id", "retired_at"), before, limit)).await
    }
}
