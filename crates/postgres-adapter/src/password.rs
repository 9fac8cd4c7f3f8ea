//! Password hashes and the credentials of a sign-in.

use crate::error::storage_error;
use crate::schema::{account, password};
use crate::store::PostgresStore;
use crate::unit_of_work::PgUnitOfWork;
use crate::user::{lock_account, user_status};
use application::ports::storage::{CredentialReader, Credentials, PasswordRepository, StorageError};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use domain::id::UserId;
use domain::password::PasswordHash;
use domain::user::Email;
use futures_util::FutureExt;
use uuid::Uuid;

/// User, time at which the account was locked, and password hash.
type Row = (Uuid, Option<DateTime<Utc>>, Option<String>);

#[async_trait]
impl CredentialReader for PostgresStore {
    async fn find_credentials(&self, email: &Email) -> Result<Option<Credentials>, StorageError> {
        let address = email.normalised();
        let row: Option<Row> = self
            .shared(move |mut connection| {
                let query = account::table
                    .left_join(password::table)
                    .filter(account::email_normalised.eq(address.clone()))
                    .select((account::id, account::locked_at, password::hash.nullable()));
                async move { query.first(&mut connection).await.optional() }.boxed()
            })
            .await?;
        Ok(row.map(|(id, locked_at, hash)| Credentials {
            user_id: UserId::from_uuid(id),
            status: user_status(locked_at),
            password: hash.map(PasswordHash::from_phc),
        }))
    }
}

/// Finding or setting a password locks the account, because a first password has no row to lock. A rehash
/// locks only the password's row.
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
