//! Sign-ins that wait for their second step.

use crate::error::corrupt;
use crate::row::secret_hash;
use crate::schema::pending_sign_in;
use crate::store::PostgresStore;
use crate::unit_of_work::PgUnitOfWork;
use application::ports::storage::{
    PendingSignInReader, PendingSignInRepository, PendingSignInWithEmail, StorageError,
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::pg::Pg;
use diesel::prelude::*;
use domain::id::UserId;
use domain::pending_sign_in::{PendingSignIn, SecondStep};
use domain::secret::SecretHash;
use uuid::Uuid;

const TABLE: &str = "pending_sign_in";

/// A row of `pending_sign_in`.
#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = pending_sign_in, check_for_backend(Pg))]
struct PendingRow {
    visit_hash: Vec<u8>,
    user_id: Uuid,
    step: String,
    is_known_browser: bool,
    expires_at: DateTime<Utc>,
}

impl From<&PendingSignIn> for PendingRow {
    fn from(pending: &PendingSignIn) -> Self {
        let PendingSignIn { cookie_hash, user_id, step, is_known_browser, expires_at } = pending;
        Self {
            visit_hash: cookie_hash.as_bytes().to_vec(),
            user_id: user_id.as_uuid(),
            step: step.as_str().to_owned(),
            is_known_browser: *is_known_browser,
            expires_at: *expires_at,
        }
    }
}

impl PendingRow {
    fn into_pending(self) -> Result<PendingSignIn, StorageError> {
        let Self { visit_hash, user_id, step, is_known_browser, expires_at } = self;
        let row = format!("of person {user_id}");
        Ok(PendingSignIn {
            cookie_hash: secret_hash(&visit_hash, TABLE, "visit_hash", &row)?,
            user_id: UserId::from_uuid(user_id),
            step: SecondStep::parse(&step).ok_or(()).map_err(corrupt(TABLE, "step", &row))?,
            is_known_browser,
            expires_at,
        })
    }
}

#[async_trait]
impl PendingSignInReader for PostgresStore {
    async fn find_pending_sign_in(
        &self,
        cookie_hash: &SecretHash,
    ) -> Result<Option<PendingSignInWithEmail>, StorageError> {
        let hash = *cookie_hash;
        let row: Option<PendingRow> = self
            .read_row(move || {
                pending_sign_in::table
                    .filter(pending_sign_in::visit_hash.eq(hash.as_bytes().to_vec()))
                    .select(PendingRow::as_select())
            })
            .await?;
        let Some(row) = row else { return Ok(None) };
        let account = self.account_state(row.user_id).await?;
        let pending = row.into_pending()?;
        Ok(account.map(|account| PendingSignInWithEmail { pending, email: account.email }))
    }
}

#[async_trait]
impl PendingSignInRepository for PgUnitOfWork {
    async fn insert(&mut self, pending: &PendingSignIn) -> Result<(), StorageError> {
        let query = diesel::insert_into(pending_sign_in::table).values(PendingRow::from(pending));
        self.connection()?.execute(query).await.map(drop)
    }

    async fn consume(&mut self, cookie_hash: &SecretHash) -> Result<Option<PendingSignIn>, StorageError> {
        // A concurrent call waits for the first one's row lock, then finds no row.
        let one = pending_sign_in::table.find(cookie_hash.as_bytes().as_slice());
        let query = diesel::delete(one).returning(PendingRow::as_returning());
        self.connection()?.load_row(query).await?.map(PendingRow::into_pending).transpose()
    }

    async fn delete_of_user(&mut self, user_id: UserId) -> Result<u64, StorageError> {
        let own = pending_sign_in::table.filter(pending_sign_in::user_id.eq(user_id.as_uuid()));
        self.connection()?.execute(diesel::delete(own)).await
    }

    async fn delete_expired(&mut self, before: DateTime<Utc>, limit: u32) -> Result<u64, StorageError> {
        self.connection()?.delete_oldest(("pending_sign_in", "visit_hash", "expires_at"), before, limit).await
    }
}
