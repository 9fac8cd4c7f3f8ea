//! What a sign-in is checked against.

use crate::row::user_status;
use crate::schema::{account, password};
use crate::store::PostgresStore;
use application::ports::storage::{CredentialReader, Credentials, StorageError};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use domain::id::UserId;
use domain::password::PasswordHash;
use domain::user::Email;
use futures_util::FutureExt;
use uuid::Uuid;

/// A person, since when the account is locked, and the hash of the password.
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
