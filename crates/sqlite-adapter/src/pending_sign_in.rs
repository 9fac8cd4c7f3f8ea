//! Sign-ins that wait for their second step.

use crate::error::StorageResult as _;
use crate::row::{Cells, blob, micros};
use crate::schema::{account, pending_sign_in};
use crate::statement::{Statement, delete_oldest, execute, load_row};
use crate::store::SqliteStore;
use crate::unit_of_work::SqliteUnitOfWork;
use application::ports::storage::{
    PendingSignInReader, PendingSignInRepository, PendingSignInWithEmail, StorageError,
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use domain::id::UserId;
use domain::pending_sign_in::{PendingSignIn, SecondStep};
use domain::secret::SecretHash;
use domain::user::Email;

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = pending_sign_in)]
struct PendingRow {
    visit_hash: Vec<u8>,
    user_id: Vec<u8>,
    step: String,
    is_known_browser: bool,
    expires_at: i64,
}

impl From<&PendingSignIn> for PendingRow {
    fn from(pending: &PendingSignIn) -> Self {
        let PendingSignIn { cookie_hash, user_id, step, is_known_browser, expires_at } = pending;
        Self {
            visit_hash: cookie_hash.as_bytes().to_vec(),
            user_id: blob(user_id.as_uuid()),
            step: step.as_str().to_owned(),
            is_known_browser: *is_known_browser,
            expires_at: micros(*expires_at),
        }
    }
}

impl PendingRow {
    fn into_pending(self) -> Result<PendingSignIn, StorageError> {
        let Self { visit_hash, user_id, step, is_known_browser, expires_at } = self;
        // Errors name the person, so that the hash stays out of logs.
        let cells = Cells::new("pending_sign_in", &user_id);
        Ok(PendingSignIn {
            cookie_hash: cells.hash("visit_hash", &visit_hash)?,
            user_id: UserId::from_uuid(cells.uuid("user_id", &user_id)?),
            step: cells.present("step", SecondStep::parse(&step))?,
            is_known_browser,
            expires_at: cells.instant("expires_at", expires_at)?,
        })
    }
}

#[async_trait]
impl PendingSignInReader for SqliteStore {
    async fn find_pending_sign_in(
        &self,
        cookie_hash: &SecretHash,
    ) -> Result<Option<PendingSignInWithEmail>, StorageError> {
        let hash = cookie_hash.as_bytes().to_vec();
        self.read(move |connection| {
            let found: Option<(PendingRow, String)> = pending_sign_in::table
                .inner_join(account::table.on(account::id.eq(pending_sign_in::user_id)))
                .filter(pending_sign_in::visit_hash.eq(hash))
                .select((PendingRow::as_select(), account::email))
                .first(connection)
                .optional()
                .storage()?;
            let Some((row, email)) = found else { return Ok(None) };
            let pending = row.into_pending()?;
            let key = pending.user_id.as_uuid();
            let email = Cells::new("account", key.as_bytes()).valid("email", Email::parse(&email))?;
            Ok(Some(PendingSignInWithEmail { pending, email }))
        })
        .await
    }
}

#[async_trait]
impl PendingSignInRepository for SqliteUnitOfWork {
    async fn insert(&mut self, pending: &PendingSignIn) -> Result<(), StorageError> {
        let query = diesel::insert_into(pending_sign_in::table).values(PendingRow::from(pending));
        self.run(execute(query)).await.map(drop)
    }

    async fn consume(&mut self, cookie_hash: &SecretHash) -> Result<Option<PendingSignIn>, StorageError> {
        let statement: Statement<pending_sign_in::SqlType> = Statement::new(
            "DELETE FROM pending_sign_in WHERE visit_hash = ? \
             RETURNING visit_hash, user_id, step, is_known_browser, expires_at",
        )
        .blob(cookie_hash.as_bytes());
        self.run(load_row(statement)).await?.map(PendingRow::into_pending).transpose()
    }

    async fn delete_of_user(&mut self, user_id: UserId) -> Result<u64, StorageError> {
        let own = pending_sign_in::table.filter(pending_sign_in::user_id.eq(blob(user_id.as_uuid())));
        self.run(execute(diesel::delete(own))).await
    }

    async fn delete_expired(&mut self, before: DateTime<Utc>, limit: u32) -> Result<u64, StorageError> {
        self.run(delete_oldest(("pending_sign_in", "visit_hash", "expires_at"), before, limit)).await
    }
}
