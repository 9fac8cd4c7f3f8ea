//! One-time links to set a password.

use crate::column::{Held, IdCell, TimeCell};
use crate::names::{link_parts, parse_link};
use crate::row::{Cells, Stored};
use crate::schema::{password_link, password_link as link};
use crate::statement::{Raw, Read};
use crate::store::Store;
use crate::unit_of_work::{Transaction, Unit};
use crate::user::find_account;
use application::ports::storage::{PasswordLinkRepository, PasswordLinkWithAccount, StorageError};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use domain::id::UserId;
use domain::password_link::PasswordLink;
use domain::secret::SecretHash;
use domain::user::Email;

/// A row of `password_link`.
#[derive(Queryable, Insertable)]
#[diesel(table_name = password_link)]
struct LinkRow {
    link_hash: Vec<u8>,
    purpose: String,
    user_id: Option<IdCell>,
    email: Option<String>,
    expires_at: TimeCell,
}

impl From<&PasswordLink> for LinkRow {
    fn from(link: &PasswordLink) -> Self {
        let PasswordLink { hash, purpose, expires_at } = link;
        let (name, user_id, email) = link_parts(purpose);
        Self {
            link_hash: hash.cell(),
            purpose: name.to_owned(),
            user_id: user_id.cell(),
            email: email.map(Email::cell),
            expires_at: expires_at.cell(),
        }
    }
}

impl Stored for LinkRow {
    type Value = PasswordLink;

    /// Errors name the person or the expiry, so that the hash stays out of logs.
    fn into_value(self) -> Result<PasswordLink, StorageError> {
        let Self { link_hash, purpose, user_id, email, expires_at } = self;
        let row = user_id
            .map_or_else(|| format!("of a sign-up until {expires_at}"), |id| format!("of person {id}"));
        let cells = Cells("password_link", &row);
        let purpose = parse_link(&purpose, cells.parse("user_id", user_id)?, cells.parse("email", email)?);
        Ok(PasswordLink {
            hash: cells.parse("link_hash", link_hash)?,
            purpose: cells.present("purpose", purpose)?,
            expires_at: cells.parse("expires_at", expires_at)?,
        })
    }
}

/// On `PostgreSQL`, waits for links that are in use.
const DELETE_ANY: [&str; 2] = [
    "DELETE FROM password_link WHERE link_hash IN (SELECT link_hash FROM password_link LIMIT ? FOR UPDATE)",
    "DELETE FROM password_link WHERE link_hash IN (SELECT link_hash FROM password_link LIMIT ?)",
];

fn one(hash: &SecretHash) -> impl Read<LinkRow> {
    link::table.find(hash.cell())
}

/// Finds a password link, and the account that it is for.
pub async fn find_password_link(
    store: &impl Store,
    hash: &SecretHash,
) -> Result<Option<PasswordLinkWithAccount>, StorageError> {
    let Some(link) = store.read(one(hash)).await? else { return Ok(None) };
    let account = match link.purpose.user_id() {
        Some(user_id) => find_account(store, user_id).await?,
        None => None,
    };
    let account = account.map(|account| (account.email, account.status));
    Ok(Some(PasswordLinkWithAccount { link, account }))
}

/// Deletes the links of pending sign-ups and address changes for an address, given in its normalised form.
///
/// Few links are pending. Addresses are compared as for accounts: `SQLite` folds ASCII only, and
/// `PostgreSQL`'s lower case depends on its locale.
pub(crate) async fn delete_links_to(
    unit: &mut impl Transaction,
    normalised: &str,
) -> Result<u64, StorageError> {
    let query = link::table.filter(link::email.is_not_null()).select((link::link_hash, link::email));
    let pending: Vec<(Vec<u8>, Option<String>)> = unit.load_rows(query).await?;
    let is_meant = |text: &String| text.to_lowercase() == normalised;
    let meant = pending.into_iter().filter(|(_, text)| text.as_ref().is_some_and(is_meant));
    let hashes: Vec<Vec<u8>> = meant.map(|(hash, _)| hash).collect();
    if hashes.is_empty() {
        return Ok(0);
    }
    unit.execute(diesel::delete(link::table.filter(link::link_hash.eq_any(hashes)))).await
}

#[async_trait]
impl<R: Transaction> PasswordLinkRepository for Unit<R> {
    async fn insert(&mut self, link: &PasswordLink) -> Result<(), StorageError> {
        let query = diesel::insert_into(link::table).values(LinkRow::from(link));
        self.0.execute(query).await.map(drop)
    }

    async fn find(&mut self, hash: &SecretHash) -> Result<Option<PasswordLink>, StorageError> {
        self.read(one(hash)).await
    }

    async fn consume(&mut self, hash: &SecretHash) -> Result<Option<PasswordLink>, StorageError> {
        // On PostgreSQL, a concurrent call waits for the first one's row lock, then finds no row.
        let query = diesel::delete(link::table.find(hash.cell())).returning(link::all_columns);
        self.read::<LinkRow>(query).await
    }

    async fn delete_of_user(&mut self, user_id: UserId) -> Result<u64, StorageError> {
        let own = link::table.filter(link::user_id.eq(Some(user_id.cell())));
        self.0.execute(diesel::delete(own)).await
    }

    async fn delete_sign_ups(&mut self, email: &Email) -> Result<u64, StorageError> {
        delete_links_to(&mut self.0, &email.normalised()).await
    }

    async fn delete_expired(&mut self, before: DateTime<Utc>, limit: u32) -> Result<u64, StorageError> {
        self.0.delete_oldest(("password_link", "link_hash", "expires_at"), before, limit).await
    }

    async fn delete_any(&mut self, limit: u32) -> Result<u64, StorageError> {
        self.0.execute(Raw::<()>::new(DELETE_ANY).bind(i64::from(limit))).await
    }
}
