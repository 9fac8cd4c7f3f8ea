//! One-time links to set a password.

use crate::error::corrupt;
use crate::row::secret_hash;
use crate::schema::password_link as link;
use crate::schema::password_link;
use crate::store::PostgresStore;
use crate::unit_of_work::PgUnitOfWork;
use crate::user::user_status;
use application::ports::storage::{
    PasswordLinkReader, PasswordLinkRepository, PasswordLinkWithAccount, StorageError,
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::BigInt;
use domain::id::UserId;
use domain::password_link::PasswordLink;
use domain::secret::SecretHash;
use domain::user::Email;
use store_shared::{link_parts, parse_link};
use uuid::Uuid;

const TABLE: &str = "password_link";

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
        let (name, user_id, email) = link_parts(purpose);
        Self {
            link_hash: hash.as_bytes().to_vec(),
            purpose: name.to_owned(),
            user_id: user_id.map(|id| id.as_uuid()),
            email: email.map(|email| email.as_str().to_owned()),
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
        let email = email.map(|text| Email::parse(&text)).transpose();
        let email = email.map_err(corrupt(TABLE, "email", &row))?;
        let purpose = parse_link(&purpose, user_id.map(UserId::from_uuid), email);
        Ok(PasswordLink {
            hash: secret_hash(&link_hash, TABLE, "link_hash", &row)?,
            purpose: purpose.ok_or(()).map_err(corrupt(TABLE, "purpose", &row))?,
            expires_at,
        })
    }
}

/// Waits for links that are in use.
const DELETE_ANY: &str = "DELETE FROM password_link WHERE link_hash IN (
    SELECT link_hash FROM password_link LIMIT $1 FOR UPDATE)";

#[async_trait]
impl PasswordLinkReader for PostgresStore {
    async fn find_password_link(
        &self,
        hash: &SecretHash,
    ) -> Result<Option<PasswordLinkWithAccount>, StorageError> {
        let hash = *hash;
        let row: Option<LinkRow> = self
            .read_row(move || {
                link::table.filter(link::link_hash.eq(hash.as_bytes().to_vec())).select(LinkRow::as_select())
            })
            .await?;
        let Some(link) = row else { return Ok(None) };
        let account = match link.user_id {
            Some(user_id) => self.account_state(user_id).await?,
            None => None,
        };
        let account = account.map(|account| (account.email, user_status(account.locked_at)));
        Ok(Some(PasswordLinkWithAccount { link: link.into_link()?, account }))
    }
}

#[async_trait]
impl PasswordLinkRepository for PgUnitOfWork {
    async fn insert(&mut self, link: &PasswordLink) -> Result<(), StorageError> {
        let query = diesel::insert_into(link::table).values(LinkRow::from(link));
        self.connection()?.execute(query).await.map(drop)
    }

    async fn find(&mut self, hash: &SecretHash) -> Result<Option<PasswordLink>, StorageError> {
        let query = link::table.find(hash.as_bytes().as_slice()).select(LinkRow::as_select());
        self.connection()?.load_row(query).await?.map(LinkRow::into_link).transpose()
    }

    async fn consume(&mut self, hash: &SecretHash) -> Result<Option<PasswordLink>, StorageError> {
        // A concurrent call waits for the first one's row lock, then finds no row.
        let query =
            diesel::delete(link::table.find(hash.as_bytes().as_slice())).returning(LinkRow::as_returning());
        self.connection()?.load_row(query).await?.map(LinkRow::into_link).transpose()
    }

    async fn delete_of_user(&mut self, user_id: UserId) -> Result<u64, StorageError> {
        let query = diesel::delete(link::table.filter(link::user_id.eq(user_id.as_uuid())));
        self.connection()?.execute(query).await
    }

    async fn delete_sign_ups(&mut self, email: &Email) -> Result<u64, StorageError> {
        // Few links are pending. Addresses are compared as for accounts, independent of the database's
        // locale.
        let query = link::table.filter(link::email.is_not_null()).select((link::link_hash, link::email));
        let waiting: Vec<(Vec<u8>, Option<String>)> = self.connection()?.load_rows(query).await?;
        let is_meant = |text: &String| text.to_lowercase() == email.normalised();
        let meant = waiting.into_iter().filter(|(_, text)| text.as_ref().is_some_and(is_meant));
        let hashes: Vec<Vec<u8>> = meant.map(|(hash, _)| hash).collect();
        let query = diesel::delete(link::table.filter(link::link_hash.eq_any(hashes)));
        self.connection()?.execute(query).await
    }

    async fn delete_expired(&mut self, before: DateTime<Utc>, limit: u32) -> Result<u64, StorageError> {
        self.connection()?.delete_oldest(("password_link", "link_hash", "expires_at"), before, limit).await
    }

    async fn delete_any(&mut self, limit: u32) -> Result<u64, StorageError> {
        let query = sql_query(DELETE_ANY).bind::<BigInt, _>(i64::from(limit));
        self.connection()?.execute(query).await
    }
}
