//! Personal access tokens.

use crate::column::{Held, IdCell, TimeCell, held};
use crate::row::row;
use crate::schema::personal_token;
use crate::statement::{Raw, Read};
use crate::store::Store;
use crate::unit_of_work::{Transaction, Unit};
use application::ports::storage::{PersonalTokenRepository, StorageError, UniqueKey};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use domain::id::{PersonalTokenId, UserId};
use domain::personal_token::{PersonalToken, PersonalTokenName};
use std::ops::RangeInclusive;

row! {
    /// A row of `personal_token`.
    TokenRow of personal_token: PersonalToken, row id, {
        user_id: IdCell;
        id: IdCell;
        name: String;
        token_hash: Vec<u8>;
        scopes: String;
        created_at: TimeCell;
        expires_at: Option<TimeCell>;
        last_used_at: Option<TimeCell>;
        revoked_at: Option<TimeCell>;
    }
}

held! {
    PersonalTokenName as String: |name| name.as_str().to_owned(), |text| Self::from_stored(&text).ok();
}

/// On `PostgreSQL`, skips locked tokens; a later run deletes them.
const DELETE_ENDED: [&str; 2] = [
    "DELETE FROM personal_token WHERE (user_id, id) IN (SELECT user_id, id FROM personal_token
        WHERE revoked_at < ? OR expires_at < ? LIMIT ? FOR UPDATE SKIP LOCKED)",
    "DELETE FROM personal_token WHERE (user_id, id) IN (SELECT user_id, id FROM personal_token
        WHERE revoked_at < ? OR expires_at < ? LIMIT ?)",
];

fn of_person(user_id: UserId) -> impl Read<TokenRow> {
    personal_token::table
        .filter(personal_token::user_id.eq(user_id.cell()))
        .order((personal_token::created_at.desc(), personal_token::id.asc()))
        .select(TokenRow::COLUMNS)
}

/// Lists a person's tokens, newest first.
pub async fn list_personal_tokens(
    store: &impl Store,
    user_id: UserId,
) -> Result<Vec<PersonalToken>, StorageError> {
    store.read_all(of_person(user_id)).await
}

#[async_trait]
impl<R: Transaction> PersonalTokenRepository for Unit<R> {
    async fn insert(&mut self, token: &PersonalToken) -> Result<(), StorageError> {
        let insert = diesel::insert_into(personal_token::table).values(TokenRow::from(token));
        self.insert_new(insert.on_conflict_do_nothing(), UniqueKey::PersonalToken).await
    }

    async fn list(&mut self, user_id: UserId) -> Result<Vec<PersonalToken>, StorageError> {
        self.read_all(of_person(user_id)).await
    }

    async fn revoke(
        &mut self,
        user_id: UserId,
        id: Option<PersonalTokenId>,
        at: DateTime<Utc>,
    ) -> Result<u64, StorageError> {
        let unrevoked = personal_token::table
            .filter(personal_token::user_id.eq(user_id.cell()))
            .filter(personal_token::revoked_at.is_null());
        let revoked = personal_token::revoked_at.eq(at.cell());
        match id {
            Some(id) => {
                let one = unrevoked.filter(personal_token::id.eq(id.cell()));
                self.0.execute(diesel::update(one).set(revoked)).await
            }
            None => self.0.execute(diesel::update(unrevoked).set(revoked)).await,
        }
    }

    async fn delete_ended(&mut self, before: DateTime<Utc>, limit: u32) -> Result<u64, StorageError> {
        let query: Raw = Raw::new(DELETE_ENDED);
        self.0.execute(query.bind(before.cell()).bind(before.cell()).bind(i64::from(limit))).await
    }

    async fn revoke_created_before(
        &mut self,
        people: RangeInclusive<UserId>,
        before: DateTime<Utc>,
        at: DateTime<Utc>,
    ) -> Result<u64, StorageError> {
        let older = personal_token::table
            .filter(personal_token::user_id.between(people.start().cell(), people.end().cell()))
            .filter(personal_token::created_at.lt(before.cell()))
            .filter(personal_token::revoked_at.is_null());
        self.0.execute(diesel::update(older).set(personal_token::revoked_at.eq(at.cell()))).await
    }
}
