//! Password hashes and the credentials of a sign-in.

use crate::error::StorageResult as _;
use crate::row::{Cells, blob, micros};
use crate::schema::{account, password};
use crate::statement::{execute, load_row};
use crate::store::SqliteStore;
use crate::unit_of_work::SqliteUnitOfWork;
use crate::user::user_status;
use application::ports::storage::{CredentialReader, Credentials, PasswordRepository, StorageError};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use domain::id::UserId;
use domain::password::PasswordHash;
use domain::user::Email;

#[derive(Queryable)]
struct CredentialRow {
    user_id: Vec<u8>,
    locked_at: Option<i64>,
    hash: Option<String>,
}

impl CredentialRow {
    fn into_credentials(self) -> Result<Credentials, StorageError> {
        let Self { user_id, locked_at, hash } = self;
        let cells = Cells::new("account", &user_id);
        Ok(Credentials {
            user_id: UserId::from_uuid(cells.uuid("id", &user_id)?),
            status: user_status(cells, locked_at)?,
            password: hash.map(PasswordHash::from_phc),
        })
    }
}

#[async_trait]
impl CredentialReader for SqliteStore {
    async fn find_credentials(&self, email: &Email) -> Result<Option<Credentials>, StorageError> {
        let email = email.normalised();
        let query = account::table
            .left_join(password::table.on(password::user_id.eq(account::id)))
            .filter(account::email_normalised.eq(email))
            .select((account::id, account::locked_at, password::hash.nullable()));
        self.read(load_row(query)).await?.map(CredentialRow::into_credentials).transpose()
    }
}

#[async_trait]
impl PasswordRepository for SqliteUnitOfWork {
    // The transaction holds the write lock, so nothing found here can change.
    async fn find(&mut self, user_id: UserId) -> Result<Option<PasswordHash>, StorageError> {
        self.run(move |connection| {
            let hash: Option<String> = password::table
                .find(blob(user_id.as_uuid()))
                .select(password::hash)
                .first(connection)
                .optional()
                .storage()?;
            Ok(hash.map(PasswordHash::from_phc))
        })
        .await
    }

    async fn set(
        &mut self,
        user_id: UserId,
        hash: &PasswordHash,
        at: DateTime<Utc>,
    ) -> Result<(), StorageError> {
        let hash = hash.as_phc().to_owned();
        let (hash, changed_at) = (password::hash.eq(hash), password::changed_at.eq(micros(at)));
        let query = diesel::insert_into(password::table)
            .values((password::user_id.eq(blob(user_id.as_uuid())), hash.clone(), changed_at))
            .on_conflict(password::user_id)
            .do_update()
            .set((hash, changed_at));
        self.run(execute(query)).await.map(drop)
    }

    async fn delete(&mut self, user_id: UserId) -> Result<bool, StorageError> {
        let query = diesel::delete(password::table.find(blob(user_id.as_uuid())));
        Ok(self.run(execute(query)).await? > 0)
    }

    async fn rehash(
        &mut self,
        user_id: UserId,
        old: &PasswordHash,
        new: &PasswordHash,
    ) -> Result<bool, StorageError> {
        let (old, new) = (old.as_phc().to_owned(), new.as_phc().to_owned());
        let unchanged = password::table.find(blob(user_id.as_uuid())).filter(password::hash.eq(old));
        let query = diesel::update(unchanged).set(password::hash.eq(new));
        Ok(self.run(execute(query)).await? > 0)
    }
}
