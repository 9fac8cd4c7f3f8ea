//! One-time links to set a password.

use crate::error::{corrupt, storage_error};
use crate::row::secret_hash;
use crate::schema::password_link as link;
use crate::schema::{account, password_link};
use crate::statement::count;
use crate::store::PostgresStore;
use crate::unit_of_work::PgUnitOfWork;
use crate::user::{email, user_status};
use application::ports::storage::{
    PasswordLinkReader, PasswordLinkRepository, PasswordLinkWithAccount, StorageError,
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{BigInt, Timestamptz};
use diesel_async::RunQueryDsl;
use domain::id::UserId;
use domain::password_link::{PasswordLink, PasswordLinkPurpose};
use domain::secret::SecretHash;
use domain::user::Email;
use futures_util::FutureExt;
use uuid::Uuid;

const TABLE: &str = "password_link";
const INVITATION: &str = "invitation";
const RESET: &str = "reset";
const SIGN_UP: &str = "sign_up";

/// A row of `password_link`.
#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = password_link, check_for_backend(Pg))]
pub(crate) struct LinkRow {
    link_hash: Vec<u8>,
    purpose: String,
    user_id: Option<Uuid>,
    email: Option<String>,
    expires_at: DateTime<Utc>,
}

impl From<&PasswordLink> for LinkRow {
    fn from(link: &PasswordLink) -> Self {
        let PasswordLink { hash, purpose, expires_at } = link;
        let (name, user_id, email) = match purpose {
            PasswordLinkPurpose::Invitation { user_id } => (INVITATION, Some(user_id.as_uuid()), None),
            PasswordLinkPurpose::Reset { user_id } => (RESET, Some(user_id.as_uuid()), None),
            PasswordLinkPurpose::SignUp { email } => (SIGN_UP, None, Some(email.as_str().to_owned())),
        };
        Self {
            link_hash: hash.as_bytes().to_vec(),
            purpose: name.to_owned(),
            user_id,
            email,
            expires_at: *expires_at,
        }
    }
}

impl LinkRow {
    /// Converts the row. Errors name its person or its expiry, so that the hash stays out of logs.
    pub(crate) fn into_link(self) -> Result<PasswordLink, StorageError> {
        let Self { link_hash, purpose, user_id, email, expires_at } = self;
        let row = user_id.map_or_else(
            || format!("of a sign-up until {}", expires_at.to_rfc3339()),
            |user_id| format!("of person {user_id}"),
        );
        let purpose = match (purpose.as_str(), user_id.map(UserId::from_uuid), email) {
            (INVITATION, Some(user_id), None) => Ok(PasswordLinkPurpose::Invitation { user_id }),
            (RESET, Some(user_id), None) => Ok(PasswordLinkPurpose::Reset { user_id }),
            (SIGN_UP, None, Some(text)) => {
                let email = Email::parse(&text).map_err(corrupt(TABLE, "email", &row))?;
                Ok(PasswordLinkPurpose::SignUp { email })
            }
            _ => Err(()),
        };
        Ok(PasswordLink {
            hash: secret_hash(&link_hash, TABLE, "link_hash", &row)?,
            purpose: purpose.map_err(corrupt(TABLE, "purpose", &row))?,
            expires_at,
        })
    }
}

/// Skips locked links; a later run deletes them.
const DELETE_EXPIRED: &str = "DELETE FROM password_link WHERE link_hash IN (
    SELECT link_hash FROM password_link WHERE expires_at < $1
    ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED)";

/// Waits for links that are in use.
const DELETE_ANY: &str = "DELETE FROM password_link WHERE link_hash IN (
    SELECT link_hash FROM password_link LIMIT $1 FOR UPDATE)";

/// Id, email address and lock time of an account.
type AccountColumns = (Uuid, String, Option<DateTime<Utc>>);

#[async_trait]
impl PasswordLinkReader for PostgresStore {
    async fn find_password_link(
        &self,
        hash: &SecretHash,
    ) -> Result<Option<PasswordLinkWithAccount>, StorageError> {
        let hash = *hash;
        let row: Option<(LinkRow, Option<AccountColumns>)> = self
            .shared(move |mut connection| {
                let query = link::table
                    .left_join(account::table)
                    .filter(link::link_hash.eq(hash.as_bytes().to_vec()))
                    .select((
                        LinkRow::as_select(),
                        (account::id, account::email, account::locked_at).nullable(),
                    ));
                async move { query.first(&mut connection).await.optional() }.boxed()
            })
            .await?;
        let Some((link, account)) = row else { return Ok(None) };
        let account = account.map(|(id, address, locked_at)| {
            Ok::<_, StorageError>((email(&address, id)?, user_status(locked_at)))
        });
        Ok(Some(PasswordLinkWithAccount { link: link.into_link()?, account: account.transpose()? }))
    }
}

#[async_trait]
impl PasswordLinkRepository for PgUnitOfWork {
    async fn insert(&mut self, link: &PasswordLink) -> Result<(), StorageError> {
        diesel::insert_into(link::table)
            .values(LinkRow::from(link))
            .execute(self.connection()?)
            .await
            .map(|_| ())
            .map_err(storage_error)
    }

    async fn find(&mut self, hash: &SecretHash) -> Result<Option<PasswordLink>, StorageError> {
        let row: Option<LinkRow> = link::table
            .find(hash.as_bytes().as_slice())
            .select(LinkRow::as_select())
            .first(self.connection()?)
            .await
            .optional()
            .map_err(storage_error)?;
        row.map(LinkRow::into_link).transpose()
    }

    async fn consume(&mut self, hash: &SecretHash) -> Result<Option<PasswordLink>, StorageError> {
        // A concurrent call waits for the first one's row lock, then finds no row.
        let row: Option<LinkRow> = diesel::delete(link::table.find(hash.as_bytes().as_slice()))
            .returning(LinkRow::as_returning())
            .get_result(self.connection()?)
            .await
            .optional()
            .map_err(storage_error)?;
        row.map(LinkRow::into_link).transpose()
    }

    async fn delete_of_user(&mut self, user_id: UserId) -> Result<u64, StorageError> {
        diesel::delete(link::table.filter(link::user_id.eq(user_id.as_uuid())))
            .execute(self.connection()?)
            .await
            .map(count)
            .map_err(storage_error)
    }

    async fn delete_sign_ups(&mut self, email: &Email) -> Result<u64, StorageError> {
        // Few links are pending. Addresses are compared as for accounts, independent of the database's
        // locale.
        let waiting: Vec<(Vec<u8>, Option<String>)> = link::table
            .filter(link::email.is_not_null())
            .select((link::link_hash, link::email))
            .load(self.connection()?)
            .await
            .map_err(storage_error)?;
        let is_meant = |text: &String| text.to_lowercase() == email.normalised();
        let meant = waiting.into_iter().filter(|(_, text)| text.as_ref().is_some_and(is_meant));
        let hashes: Vec<Vec<u8>> = meant.map(|(hash, _)| hash).collect();
        diesel::delete(link::table.filter(link::link_hash.eq_any(hashes)))
            .execute(self.connection()?)
            .await
            .map(count)
            .map_err(storage_error)
    }

    async fn delete_expired(&mut self, before: DateTime<Utc>, limit: u32) -> Result<u64, StorageError> {
        sql_query(DELETE_EXPIRED)
            .bind::<Timestamptz, _>(before)
            .bind::<BigInt, _>(i64::from(limit))
            .execute(self.connection()?)
            .await
            .map(count)
            .map_err(storage_error)
    }

    async fn delete_any(&mut self, limit: u32) -> Result<u64, StorageError> {
        sql_query(DELETE_ANY)
            .bind::<BigInt, _>(i64::from(limit))
            .execute(self.connection()?)
            .await
            .map(count)
            .map_err(storage_error)
    }
}
