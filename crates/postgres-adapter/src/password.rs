//! Password hashes and the credentials of a sign-in.

use crate::schema::{account, password, person};
use crate::store::PostgresStore;
use crate::unit_of_work::PgUnitOfWork;
use crate::user::{lock_account, user_status};
use application::ports::storage::{CredentialReader, Credentials, PasswordRepository, StorageError};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use domain::id::UserId;
use domain::password::PasswordHash;
use domain::user::Email;
use uuid::Uuid;

/// Time at which the account was locked, and password hash.
type Row = (Option<DateTime<Utc>>, Option<String>);

#[async_trait]
impl CredentialReader for PostgresStore {
    async fn find_credentials(&self, email: &Email) -> Result<Option<Credentials>, StorageError> {
        let address = email.normalised();
        let query =
            move || person::table.filter(person::email_normalised.eq(address.clone())).select(person::id);
        let id: Option<Uuid> = self.read_row(query).await?;
        // Read even if there is no such person, so that the response takes as long.
        let id = id.unwrap_or_default();
        let row: Option<Row> = self
            .read_row(move || {
                account::table
                    .left_join(password::table)
                    .filter(account::id.eq(id))
                    .select((account::locked_at, password::hash.nullable()))
            })
            .await?;
        Ok(row.map(|(locked_at, hash)| Credentials {
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
        let query = password::table.find(user_id.as_uuid()).select(password::hash).for_no_key_update();
        let hash: Option<String> = connection.load_row(query).await?;
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
        let query = diesel::insert_into(password::table)
            .values((password::user_id.eq(user_id.as_uuid()), values))
            .on_conflict(password::user_id)
            .do_update()
            .set(values);
        connection.execute(query).await.map(drop)
    }

    async fn delete(&mut self, user_id: UserId) -> Result<bool, StorageError> {
        let connection = self.connection()?;
        lock_account(connection, user_id).await?;
        Ok(connection.execute(diesel::delete(password::table.find(user_id.as_uuid()))).await? > 0)
    }

    async fn rehash(
        &mut self,
        user_id: UserId,
        old: &PasswordHash,
        new: &PasswordHash,
    ) -> Result<bool, StorageError> {
        let unchanged = password::table.find(user_id.as_uuid()).filter(password::hash.eq(old.as_phc()));
        let query = diesel::update(unchanged).set(password::hash.eq(new.as_phc()));
        Ok(self.connection()?.execute(query).await? > 0)
    }
}
