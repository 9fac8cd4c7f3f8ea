//! One-time links to set a password.

use crate::error::StorageResult as _;
use crate::row::{Cells, blob, micros};
use crate::schema::password_link;
use crate::statement::{Statement, delete_oldest, execute, load_row};
use crate::store::SqliteStore;
use crate::supplement::in_snapshot;
use crate::unit_of_work::SqliteUnitOfWork;
use crate::user;
use application::ports::storage::{
    PasswordLinkReader, PasswordLinkRepository, PasswordLinkWithAccount, StorageError,
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sqlite::SqliteConnection;
use domain::id::UserId;
use domain::password_link::PasswordLink;
use domain::secret::SecretHash;
use domain::user::Email;
use store_shared::{link_parts, parse_link};

#[derive(Queryable, Insertable)]
#[diesel(table_name = password_link)]
struct PasswordLinkRow {
    link_hash: Vec<u8>,
    purpose: String,
    user_id: Option<Vec<u8>>,
    email: Option<String>,
    expires_at: i64,
}

impl From<&PasswordLink> for PasswordLinkRow {
    fn from(link: &PasswordLink) -> Self {
        let PasswordLink { hash, purpose, expires_at } = link;
        let (name, user_id, email) = link_parts(purpose);
        Self {
            link_hash: hash.as_bytes().to_vec(),
            purpose: name.to_owned(),
            user_id: user_id.map(|id| blob(id.as_uuid())),
            email: email.map(|email| email.as_str().to_owned()),
            expires_at: micros(*expires_at),
        }
    }
}

impl PasswordLinkRow {
    fn into_link(self) -> Result<PasswordLink, StorageError> {
        let Self { link_hash, purpose, user_id, email, expires_at } = self;
        let cells = Cells::new("password_link", &link_hash);
        let user_id = user_id.map(|id| cells.uuid("user_id", &id)).transpose()?.map(UserId::from_uuid);
        let email = email.map(|text| cells.valid("email", Email::parse(&text))).transpose()?;
        let purpose = cells.present("purpose", parse_link(&purpose, user_id, email))?;
        Ok(PasswordLink {
            hash: cells.hash("link_hash", &link_hash)?,
            purpose,
            expires_at: cells.instant("expires_at", expires_at)?,
        })
    }
}

fn find(connection: &mut SqliteConnection, hash: Vec<u8>) -> Result<Option<PasswordLink>, StorageError> {
    let row: Option<PasswordLinkRow> =
        password_link::table.find(hash).first(connection).optional().storage()?;
    row.map(PasswordLinkRow::into_link).transpose()
}

#[async_trait]
impl PasswordLinkReader for SqliteStore {
    async fn find_password_link(
        &self,
        hash: &SecretHash,
    ) -> Result<Option<PasswordLinkWithAccount>, StorageError> {
        let hash = hash.as_bytes().to_vec();
        self.read(move |connection| {
            in_snapshot(connection, |connection| {
                let Some(link) = find(connection, hash)? else { return Ok(None) };
                let user = link.purpose.user_id().map(|id| user::find(connection, id)).transpose()?;
                let account = user.flatten().map(|user| (user.email, user.status));
                Ok(Some(PasswordLinkWithAccount { link, account }))
            })
        })
        .await
    }
}

#[async_trait]
impl PasswordLinkRepository for SqliteUnitOfWork {
    async fn insert(&mut self, link: &PasswordLink) -> Result<(), StorageError> {
        let row = PasswordLinkRow::from(link);
        let query = diesel::insert_into(password_link::table).values(row);
        self.run(execute(query)).await.map(drop)
    }

    async fn find(&mut self, hash: &SecretHash) -> Result<Option<PasswordLink>, StorageError> {
        let hash = hash.as_bytes().to_vec();
        self.run(move |connection| find(connection, hash)).await
    }

    async fn consume(&mut self, hash: &SecretHash) -> Result<Option<PasswordLink>, StorageError> {
        let hash = hash.as_bytes().to_vec();
        let statement: Statement<password_link::SqlType> = Statement::new(
            "DELETE FROM password_link WHERE link_hash = ? \
             RETURNING link_hash, purpose, user_id, email, expires_at",
        )
        .blob(&hash);
        self.run(load_row(statement)).await?.map(PasswordLinkRow::into_link).transpose()
    }

    async fn delete_of_user(&mut self, user_id: UserId) -> Result<u64, StorageError> {
        let of_user = password_link::table.filter(password_link::user_id.eq(blob(user_id.as_uuid())));
        self.run(execute(diesel::delete(of_user))).await
    }

    async fn delete_sign_ups(&mut self, email: &Email) -> Result<u64, StorageError> {
        let normalised = email.normalised();
        self.run(move |connection| {
            // Few links are pending. Addresses are compared as for accounts; SQLite folds ASCII only.
            let waiting: Vec<(Vec<u8>, Option<String>)> = password_link::table
                .filter(password_link::email.is_not_null())
                .select((password_link::link_hash, password_link::email))
                .load(connection)
                .storage()?;
            let is_meant = |text: &String| text.to_lowercase() == normalised;
            let meant = waiting.into_iter().filter(|(_, text)| text.as_ref().is_some_and(is_meant));
            let hashes: Vec<Vec<u8>> = meant.map(|(hash, _)| hash).collect();
            let links = password_link::table.filter(password_link::link_hash.eq_any(hashes));
            execute(diesel::delete(links))(connection)
        })
        .await
    }

    async fn delete_expired(&mut self, before: DateTime<Utc>, limit: u32) -> Result<u64, StorageError> {
        self.run(delete_oldest(("password_link", "link_hash", "expires_at"), before, limit)).await
    }

    async fn delete_any(&mut self, limit: u32) -> Result<u64, StorageError> {
        let statement: Statement<()> = Statement::new(
            "DELETE FROM password_link WHERE link_hash IN (SELECT link_hash FROM password_link LIMIT ?)",
        )
        .integer(i64::from(limit));
        self.run(execute(statement)).await
    }
}
