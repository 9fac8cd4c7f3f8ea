//! Password hashes and the credentials of a sign-in.

use crate::column::{Held, TimeCell};
use crate::row;
use crate::schema::{account, password};
use crate::statement::Locked;
use crate::store::Store;
use crate::unit_of_work::{Transaction, Unit};
use crate::user::{found_or_nil, id_of};
use application::ports::storage::{Credentials, PasswordRepository, StorageError};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use domain::id::UserId;
use domain::password::PasswordHash;
use domain::user::Email;

/// Finds the credentials of the account with this address.
pub async fn find_credentials(
    store: &impl Store,
    email: &Email,
) -> Result<Option<Credentials>, StorageError> {
    let user_id = found_or_nil(store.load_row(id_of(email)).await?)?;
    let query = account::table
        .left_join(password::table)
        .filter(account::id.eq(user_id.cell()))
        .select((account::locked_at, password::hash.nullable()));
    let row: Option<(Option<TimeCell>, Option<String>)> = store.load_row(query).await?;
    let Some((locked_at, hash)) = row else { return Ok(None) };
    let status = row::parse("account", "locked_at", &user_id, locked_at)?;
    Ok(Some(Credentials { user_id, status, password: hash.map(PasswordHash::from_phc) }))
}

/// Finding or setting a password locks the account, because a first password has no row to lock. A rehash
/// locks only the password's row.
#[async_trait]
impl<R: Transaction> PasswordRepository for Unit<R> {
    async fn find(&mut self, user_id: UserId) -> Result<Option<PasswordHash>, StorageError> {
        self.0.lock_account(user_id).await?;
        let query = Locked(password::table.find(user_id.cell()).select(password::hash));
        let hash: Option<String> = self.0.load_row(query).await?;
        Ok(hash.map(PasswordHash::from_phc))
    }

    async fn set(
        &mut self,
        user_id: UserId,
        hash: &PasswordHash,
        at: DateTime<Utc>,
    ) -> Result<(), StorageError> {
        self.0.lock_account(user_id).await?;
        let values = (password::hash.eq(hash.as_phc().to_owned()), password::changed_at.eq(at.cell()));
        let query = diesel::insert_into(password::table)
            .values((password::user_id.eq(user_id.cell()), values.clone()))
            .on_conflict(password::user_id)
            .do_update()
            .set(values);
        self.0.execute(query).await.map(drop)
    }

    async fn delete(&mut self, user_id: UserId) -> Result<bool, StorageError> {
        self.0.lock_account(user_id).await?;
        self.changes(diesel::delete(password::table.find(user_id.cell()))).await
    }

    async fn rehash(
        &mut self,
        user_id: UserId,
        old: &PasswordHash,
        new: &PasswordHash,
    ) -> Result<bool, StorageError> {
        let unchanged =
            password::table.find(user_id.cell()).filter(password::hash.eq(old.as_phc().to_owned()));
        self.changes(diesel::update(unchanged).set(password::hash.eq(new.as_phc().to_owned()))).await
    }
}
