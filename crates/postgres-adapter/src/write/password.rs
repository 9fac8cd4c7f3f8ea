//! Password hashes.

use super::lock_account;
use crate::error::storage_error;
use crate::schema::password;
use crate::unit_of_work::PgUnitOfWork;
use application::ports::storage::{PasswordRepository, StorageError};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use domain::id::UserId;
use domain::password::PasswordHash;

/// A first password has no row yet that could be locked, so whoever finds or sets one locks the account first.
/// A rehash, which comes with every so many sign-ins, locks the password's row alone.
#[async_trait]
impl PasswordRepository for PgUnitOfWork {
    async fn find(&mut self, user_id: UserId) -> Result<Option<PasswordHash>, StorageError> {
        let connection = self.connection()?;
        lock_account(connection, user_id).await?;
        let hash: Option<String> = password::table
            .find(user_id.as_uuid())
            .select(password::hash)
            .for_no_key_update()
            .first(connection)
            .await
            .optional()
            .map_err(storage_error)?;
        Ok(hash.map(PasswordHash::from_phc))
    }

    async fn set(
        &mut self,
        user_id: UserId,
        hash: &PasswordHash,
        at: DateTime<Utc>,
    ) -> Result<(), StorageError> {
        let connection = self.connection()?;
        lock_account(connection, user_id).await?;
        let values = (password::hash.eq(hash.as_phc()), password::changed_at.eq(at));
        diesel::insert_into(password::table)
            .values((password::user_id.eq(user_id.as_uuid()), values))
            .on_conflict(password::user_id)
            .do_update()
            .set(values)
            .execute(connection)
            .await
            .map(|_| ())
            .map_err(storage_error)
    }

    async fn rehash(
        &mut self,
        user_id: UserId,
        old: &PasswordHash,
        new: &PasswordHash,
    ) -> Result<bool, StorageError> {
        let unchanged = password::table.find(user_id.as_uuid()).filter(password::hash.eq(old.as_phc()));
        let rehashed = diesel::update(unchanged)
            .set(password::hash.eq(new.as_phc()))
            .execute(self.connection()?)
            .await
            .map_err(storage_error)?;
        Ok(rehashed > 0)
    }
}
