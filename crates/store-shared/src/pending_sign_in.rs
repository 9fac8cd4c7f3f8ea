//! Sign-ins that wait for their second step.

use crate::column::{Held, IdCell, TimeCell, held};
use crate::row::row;
use crate::schema::pending_sign_in;
use crate::store::Store;
use crate::unit_of_work::{Transaction, Unit};
use crate::user::find_account;
use application::ports::storage::{PendingSignInRepository, PendingSignInWithEmail, StorageError};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use domain::id::UserId;
use domain::pending_sign_in::{PendingSignIn, SecondStep};
use domain::secret::SecretHash;

row! {
    /// A row of `pending_sign_in`. Errors name the person, so that the hash stays out of logs.
    PendingRow of pending_sign_in: PendingSignIn, row user_id, {
        cookie_hash: Vec<u8>, in visit_hash;
        user_id: IdCell;
        step: String;
        is_known_browser: bool;
        expires_at: TimeCell;
    }
}

held! {
    SecondStep as String: |step| step.as_str().to_owned(), |text| Self::parse(&text);
}

/// Finds the pending sign-in of a browser, and the address of its account.
pub async fn find_pending_sign_in(
    store: &impl Store,
    cookie_hash: &SecretHash,
) -> Result<Option<PendingSignInWithEmail>, StorageError> {
    let query = pending_sign_in::table.find(cookie_hash.cell()).select(PendingRow::COLUMNS);
    let Some(pending) = store.read::<PendingRow, _>(query).await? else { return Ok(None) };
    let account = find_account(store, pending.user_id).await?;
    Ok(account.map(|account| PendingSignInWithEmail { pending, email: account.email }))
}

#[async_trait]
impl<R: Transaction> PendingSignInRepository for Unit<R> {
    async fn insert(&mut self, pending: &PendingSignIn) -> Result<(), StorageError> {
        let query = diesel::insert_into(pending_sign_in::table).values(PendingRow::from(pending));
        self.0.execute(query).await.map(drop)
    }

    async fn consume(&mut self, cookie_hash: &SecretHash) -> Result<Option<PendingSignIn>, StorageError> {
        // On PostgreSQL, a concurrent call waits for the first one's row lock, then finds no row.
        let one = pending_sign_in::table.find(cookie_hash.cell());
        self.read::<PendingRow>(diesel::delete(one).returning(PendingRow::COLUMNS)).await
    }

    async fn delete_of_user(&mut self, user_id: UserId) -> Result<u64, StorageError> {
        let own = pending_sign_in::table.filter(pending_sign_in::user_id.eq(user_id.cell()));
        self.0.execute(diesel::delete(own)).await
    }

    async fn delete_expired(&mut self, before: DateTime<Utc>, limit: u32) -> Result<u64, StorageError> {
        self.0.delete_oldest(("pending_sign_in", "visit_hash", "expires_at"), before, limit).await
    }
}
