//! Personal access tokens.

use crate::error::StorageResult as _;
use crate::row::{Cells, blob, micros};
use crate::schema::personal_token;
use crate::statement::{Statement, execute};
use crate::store::SqliteStore;
use crate::unit_of_work::SqliteUnitOfWork;
use application::ports::storage::{PersonalTokenReader, PersonalTokenRepository, StorageError};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sqlite::{Sqlite, SqliteConnection};
use domain::id::{PersonalTokenId, UserId};
use domain::personal_token::{PersonalToken, PersonalTokenName};
use std::ops::RangeInclusive;

#[derive(Queryable, Insertable)]
#[diesel(table_name = personal_token)]
struct PersonalTokenRow {
    user_id: Vec<u8>,
    id: Vec<u8>,
    name: String,
    token_hash: Vec<u8>,
    scopes: String,
    created_at: i64,
    expires_at: Option<i64>,
    last_used_at: Option<i64>,
    revoked_at: Option<i64>,
}

impl From<&PersonalToken> for PersonalTokenRow {
    fn from(token: &PersonalToken) -> Self {
        let PersonalToken {
            id,
            user_id,
            name,
            token_hash,
            scopes,
            created_at,
            expires_at,
            last_used_at,
            revoked_at,
        } = token;
        Self {
            user_id: blob(user_id.as_uuid()),
            id: blob(id.as_uuid()),
            name: name.as_str().to_owned(),
            token_hash: token_hash.as_bytes().to_vec(),
            scopes: scopes.to_string(),
            created_at: micros(*created_at),
            expires_at: expires_at.map(micros),
            last_used_at: last_used_at.map(micros),
            revoked_at: revoked_at.map(micros),
        }
    }
}

impl PersonalTokenRow {
    fn into_token(self) -> Result<PersonalToken, StorageError> {
        let Self { user_id, id, name, token_hash, scopes, created_at, expires_at, last_used_at, revoked_at } =
            self;
        let cells = Cells::new("personal_token", &id);
        Ok(PersonalToken {
            id: PersonalTokenId::from_uuid(cells.uuid("id", &id)?),
            user_id: UserId::from_uuid(cells.uuid("user_id", &user_id)?),
            name: cells.valid("name", PersonalTokenName::from_stored(&name))?,
            token_hash: cells.hash("token_hash", &token_hash)?,
            scopes: cells.scopes(&scopes)?,
            created_at: cells.instant("created_at", created_at)?,
            expires_at: cells.optional_instant("expires_at", expires_at)?,
            last_used_at: cells.optional_instant("last_used_at", last_used_at)?,
            revoked_at: cells.optional_instant("revoked_at", revoked_at)?,
        })
    }
}

fn list(connection: &mut SqliteConnection, user_id: UserId) -> Result<Vec<PersonalToken>, StorageError> {
    let rows: Vec<PersonalTokenRow> = personal_token::table
        .filter(personal_token::user_id.eq(blob(user_id.as_uuid())))
        .order((personal_token::created_at.desc(), personal_token::id))
        .load(connection)
        .storage()?;
    rows.into_iter().map(PersonalTokenRow::into_token).collect()
}

#[async_trait]
impl PersonalTokenReader for SqliteStore {
    async fn list_personal_tokens(&self, user_id: UserId) -> Result<Vec<PersonalToken>, StorageError> {
        self.read(move |connection| list(connection, user_id)).await
    }
}

#[async_trait]
impl PersonalTokenRepository for SqliteUnitOfWork {
    async fn insert(&mut self, token: &PersonalToken) -> Result<(), StorageError> {
        let row = PersonalTokenRow::from(token);
        let query = diesel::insert_into(personal_token::table).values(row);
        self.run(execute(query)).await.map(drop)
    }

    async fn list(&mut self, user_id: UserId) -> Result<Vec<PersonalToken>, StorageError> {
        self.run(move |connection| list(connection, user_id)).await
    }

    async fn revoke(
        &mut self,
        user_id: UserId,
        id: Option<PersonalTokenId>,
        at: DateTime<Utc>,
    ) -> Result<u64, StorageError> {
        let of_user = personal_token::table
            .filter(personal_token::user_id.eq(blob(user_id.as_uuid())))
            .filter(personal_token::revoked_at.is_null());
        let mut revoked =
            diesel::update(of_user).set(personal_token::revoked_at.eq(micros(at))).into_boxed::<Sqlite>();
        if let Some(id) = id {
            revoked = revoked.filter(personal_token::id.eq(blob(id.as_uuid())));
        }
        self.run(execute(revoked)).await
    }

    async fn delete_ended(&mut self, before: DateTime<Utc>, limit: u32) -> Result<u64, StorageError> {
        let statement: Statement<()> = Statement::new(
            "DELETE FROM personal_token WHERE (user_id, id) IN (SELECT user_id, id FROM personal_token \
             WHERE revoked_at < ? OR expires_at < ? LIMIT ?)",
        )
        .integer(micros(before))
        .integer(micros(before))
        .integer(i64::from(limit));
        self.run(execute(statement)).await
    }

    async fn revoke_created_before(
        &mut self,
        people: RangeInclusive<UserId>,
        before: DateTime<Utc>,
        at: DateTime<Utc>,
    ) -> Result<u64, StorageError> {
        let (first, last) = (blob(people.start().as_uuid()), blob(people.end().as_uuid()));
        let old = personal_token::table
            .filter(personal_token::user_id.between(first, last))
            .filter(personal_token::created_at.lt(micros(before)))
            .filter(personal_token::revoked_at.is_null());
        let query = diesel::update(old).set(personal_token::revoked_at.eq(micros(at)));
        self.run(execute(query)).await
    }
}
