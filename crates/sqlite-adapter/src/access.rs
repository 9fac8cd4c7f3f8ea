//! Access checks.

use crate::row::Cells;
use crate::statement::load_row;
use crate::store::SqliteStore;
use application::ports::storage::{AccessReader, AccessState, PersonalAccess, StorageError};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use domain::id::{ClientId, GrantId, PersonalTokenId, UserId};
use domain::scope::ScopeSet;
use domain::secret::SecretHash;
use domain::time::TimeZone;
use store_shared::column::Held as _;
use store_shared::schema::{access_grant, account, client, personal_token};

#[derive(Queryable)]
struct AccessRow {
    client_id: Vec<u8>,
    scopes: String,
    revoked_at: Option<i64>,
    disabled_at: Option<i64>,
    locked_at: Option<i64>,
    home_timezone: String,
}

impl AccessRow {
    fn into_state(self, user_id: UserId, grant_id: GrantId) -> Result<AccessState, StorageError> {
        let Self { client_id, scopes, revoked_at, disabled_at, locked_at, home_timezone } = self;
        let (user_key, grant_key) = (user_id.as_uuid(), grant_id.as_uuid());
        let grant = Cells::new("access_grant", grant_key.as_bytes());
        let account = Cells::new("account", user_key.as_bytes());
        Ok(AccessState {
            client_id: ClientId::from_uuid(grant.uuid("client_id", &client_id)?),
            scopes: grant.valid("scopes", ScopeSet::parse(&scopes))?,
            is_live: revoked_at.is_none() && disabled_at.is_none() && locked_at.is_none(),
            ended_at: earliest([
                grant.optional_instant("revoked_at", revoked_at)?,
                grant.optional_instant("disabled_at", disabled_at)?,
                account.optional_instant("locked_at", locked_at)?,
            ]),
            home_timezone: account.valid("home_timezone", TimeZone::parse(&home_timezone))?,
        })
    }
}

#[derive(Queryable)]
struct PersonalAccessRow {
    user_id: Vec<u8>,
    token_id: Vec<u8>,
    scopes: String,
    expires_at: Option<i64>,
    revoked_at: Option<i64>,
    locked_at: Option<i64>,
    home_timezone: String,
}

impl PersonalAccessRow {
    fn into_access(self) -> Result<PersonalAccess, StorageError> {
        let Self { user_id, token_id, scopes, expires_at, revoked_at, locked_at, home_timezone } = self;
        let token = Cells::new("personal_token", &token_id);
        let account = Cells::new("account", &user_id);
        Ok(PersonalAccess {
            token_id: PersonalTokenId::from_uuid(token.uuid("id", &token_id)?),
            user_id: UserId::from_uuid(token.uuid("user_id", &user_id)?),
            scopes: token.valid("scopes", ScopeSet::parse(&scopes))?,
            is_live: revoked_at.is_none() && locked_at.is_none(),
            ended_at: earliest([
                token.optional_instant("revoked_at", revoked_at)?,
                account.optional_instant("locked_at", locked_at)?,
            ]),
            expires_at: token.optional_instant("expires_at", expires_at)?,
            home_timezone: account.valid("home_timezone", TimeZone::parse(&home_timezone))?,
        })
    }
}

fn earliest<const N: usize>(ends: [Option<DateTime<Utc>>; N]) -> Option<DateTime<Utc>> {
    ends.into_iter().flatten().min()
}

#[async_trait]
impl AccessReader for SqliteStore {
    async fn find_access(
        &self,
        user_id: UserId,
        grant_id: GrantId,
    ) -> Result<Option<AccessState>, StorageError> {
        let query = access_grant::table
            .inner_join(account::table.on(account::id.eq(access_grant::user_id)))
            .inner_join(client::table.on(client::id.eq(access_grant::client_id)))
            .filter(access_grant::user_id.eq(user_id.cell()))
            .filter(access_grant::id.eq(grant_id.cell()))
            .select((
                access_grant::client_id,
                access_grant::scopes,
                access_grant::revoked_at,
                client::disabled_at,
                account::locked_at,
                account::home_timezone,
            ));
        let row: Option<AccessRow> = self.read_row(load_row(query)).await?;
        row.map(|row| row.into_state(user_id, grant_id)).transpose()
    }

    async fn find_personal_access(&self, hash: &SecretHash) -> Result<Option<PersonalAccess>, StorageError> {
        let hash = hash.as_bytes().to_vec();
        let query = personal_token::table
            .inner_join(account::table.on(account::id.eq(personal_token::user_id)))
            .filter(personal_token::token_hash.eq(hash))
            .select((
                personal_token::user_id,
                personal_token::id,
                personal_token::scopes,
                personal_token::expires_at,
                personal_token::revoked_at,
                account::locked_at,
                account::home_timezone,
            ));
        self.read_row(load_row(query)).await?.map(PersonalAccessRow::into_access).transpose()
    }
}
