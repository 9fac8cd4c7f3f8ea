//! Personal access tokens.

use crate::connection::Pooled;
use crate::error::{corrupt, storage_error};
use crate::row::{scope_set, secret_hash};
use crate::schema::personal_token as token;
use crate::schema::personal_token;
use crate::statement::stored;
use crate::store::PostgresStore;
use crate::unit_of_work::PgUnitOfWork;
use application::ports::storage::{PersonalTokenReader, PersonalTokenRepository, StorageError, UniqueKey};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use domain::id::{PersonalTokenId, UserId};
use domain::personal_token::{PersonalToken, PersonalTokenName};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use std::ops::RangeInclusive;
use uuid::Uuid;

const TABLE: &str = "personal_token";

/// A row of `personal_token`.
#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = personal_token, check_for_backend(Pg))]
pub(crate) struct TokenRow {
    user_id: Uuid,
    id: Uuid,
    name: String,
    token_hash: Vec<u8>,
    scopes: String,
    created_at: DateTime<Utc>,
    expires_at: Option<DateTime<Utc>>,
    last_used_at: Option<DateTime<Utc>>,
    revoked_at: Option<DateTime<Utc>>,
}

impl From<&PersonalToken> for TokenRow {
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
            user_id: user_id.as_uuid(),
            id: id.as_uuid(),
            name: name.as_str().to_owned(),
            token_hash: token_hash.as_bytes().to_vec(),
            scopes: scopes.to_string(),
            created_at: *created_at,
            expires_at: *expires_at,
            last_used_at: *last_used_at,
            revoked_at: *revoked_at,
        }
    }
}

impl TokenRow {
    pub(crate) fn into_token(self) -> Result<PersonalToken, StorageError> {
        let Self { user_id, id, name, token_hash, scopes, created_at, expires_at, last_used_at, revoked_at } =
            self;
        Ok(PersonalToken {
            id: PersonalTokenId::from_uuid(id),
            user_id: UserId::from_uuid(user_id),
            name: PersonalTokenName::from_stored(&name).map_err(corrupt(TABLE, "name", id))?,
            token_hash: secret_hash(&token_hash, TABLE, "token_hash", id)?,
            scopes: scope_set(&scopes, TABLE, id)?,
            created_at,
            expires_at,
            last_used_at,
            revoked_at,
        })
    }
}

/// Skips locked tokens; a later run deletes them.
const DELETE_ENDED: &str = "DELETE FROM personal_token WHERE (user_id, id) IN (
    SELECT user_id, id FROM personal_token WHERE revoked_at < $1 OR expires_at < $1
    LIMIT $2 FOR UPDATE SKIP LOCKED)";

fn list(connection: &mut Pooled, user_id: UserId) -> BoxFuture<'_, QueryResult<Vec<TokenRow>>> {
    token::table
        .filter(token::user_id.eq(user_id.as_uuid()))
        .order((token::created_at.desc(), token::id.asc()))
        .select(TokenRow::as_select())
        .load(connection)
        .boxed()
}

#[async_trait]
impl PersonalTokenReader for PostgresStore {
    async fn list_personal_tokens(&self, user_id: UserId) -> Result<Vec<PersonalToken>, StorageError> {
        let rows = self.read_page(move |connection| list(connection, user_id)).await?;
        rows.into_iter().map(TokenRow::into_token).collect()
    }
}

#[async_trait]
impl PersonalTokenRepository for PgUnitOfWork {
    async fn insert(&mut self, token: &PersonalToken) -> Result<(), StorageError> {
        let query = diesel::insert_into(token::table).values(TokenRow::from(token)).on_conflict_do_nothing();
        let inserted = self.connection()?.execute(query).await?;
        stored(inserted, UniqueKey::PersonalToken)
    }

    async fn revoke(
        &mut self,
        user_id: UserId,
        id: Option<PersonalTokenId>,
        at: DateTime<Utc>,
    ) -> Result<u64, StorageError> {
        let own = token::table.filter(token::user_id.eq(user_id.as_uuid()));
        let mut revoking = diesel::update(own.filter(token::revoked_at.is_null()))
            .set(token::revoked_at.eq(at))
            .into_boxed();
        if let Some(id) = id {
            revoking = revoking.filter(token::id.eq(id.as_uuid()));
        }
        self.connection()?.execute(revoking).await
    }

    async fn delete_ended(&mut self, before: DateTime<Utc>, limit: u32) -> Result<u64, StorageError> {
        self.connection()?.delete_before(DELETE_ENDED, before, limit).await
    }

    async fn revoke_created_before(
        &mut self,
        people: RangeInclusive<UserId>,
        before: DateTime<Utc>,
        at: DateTime<Utc>,
    ) -> Result<u64, StorageError> {
        let (first, last) = (people.start().as_uuid(), people.end().as_uuid());
        let older = token::table
            .filter(token::user_id.between(first, last))
            .filter(token::created_at.lt(before))
            .filter(token::revoked_at.is_null());
        let query = diesel::update(older).set(token::revoked_at.eq(at));
        self.connection()?.execute(query).await
    }

    async fn list(&mut self, user_id: UserId) -> Result<Vec<PersonalToken>, StorageError> {
        let rows = list(self.connection()?, user_id).await.map_err(storage_error)?;
        rows.into_iter().map(TokenRow::into_token).collect()
    }
}
