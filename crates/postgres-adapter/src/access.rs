//! Access checks.

use crate::error::corrupt;
use crate::store::PostgresStore;
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
use uuid::Uuid;

type OptionalTimestamp = Option<DateTime<Utc>>;

/// Client, scopes, zone, and the times at which grant, client and account were revoked or locked.
type Row = (Uuid, String, String, OptionalTimestamp, OptionalTimestamp, OptionalTimestamp);

const TOKEN_COLUMNS: (
    personal_token::id,
    personal_token::user_id,
    personal_token::scopes,
    personal_token::expires_at,
    personal_token::revoked_at,
) = (
    personal_token::id,
    personal_token::user_id,
    personal_token::scopes,
    personal_token::expires_at,
    personal_token::revoked_at,
);

/// Token, user, scopes, expiry, and the time at which the token was revoked.
type TokenRow = (Uuid, Uuid, String, OptionalTimestamp, OptionalTimestamp);

/// Token, zone of its user, and the time at which the account was locked.
type PersonalRow = (TokenRow, String, OptionalTimestamp);

fn home_zone(name: &str, user_id: Uuid) -> Result<TimeZone, StorageError> {
    TimeZone::parse(name).map_err(corrupt("account", "home_timezone", user_id))
}

#[async_trait]
impl AccessReader for PostgresStore {
    async fn find_access(
        &self,
        user_id: UserId,
        grant_id: GrantId,
    ) -> Result<Option<AccessState>, StorageError> {
        let (user, grant) = (user_id.as_uuid(), grant_id.as_uuid());
        let row: Option<Row> = self
            .read_row(move || {
                access_grant::table
                    .inner_join(client::table)
                    .inner_join(account::table)
                    .filter(access_grant::user_id.eq(user_id.cell()))
                    .filter(access_grant::id.eq(grant_id.cell()))
                    .select((
                        access_grant::client_id,
                        access_grant::scopes,
                        account::home_timezone,
                        access_grant::revoked_at,
                        client::disabled_at,
                        account::locked_at,
                    ))
            })
            .await?;
        let Some((client_id, scopes, zone, revoked_at, disabled_at, locked_at)) = row else {
            return Ok(None);
        };
        let ended_at = [revoked_at, disabled_at, locked_at].into_iter().flatten().min();
        Ok(Some(AccessState {
            client_id: ClientId::from_uuid(client_id),
            scopes: ScopeSet::parse(&scopes).map_err(corrupt("access_grant", "scopes", grant))?,
            is_live: ended_at.is_none(),
            ended_at,
            home_timezone: home_zone(&zone, user)?,
        }))
    }

    async fn find_personal_access(&self, hash: &SecretHash) -> Result<Option<PersonalAccess>, StorageError> {
        let row = if self.connector.is_distributed() {
            self.personal_row_of_two_nodes(hash).await?
        } else {
            self.personal_row(hash).await?
        };
        let Some(((id, user_id, scopes, expires_at, revoked_at), zone, locked_at)) = row else {
            return Ok(None);
        };
        let ended_at = [revoked_at, locked_at].into_iter().flatten().min();
        Ok(Some(PersonalAccess {
            token_id: PersonalTokenId::from_uuid(id),
            user_id: UserId::from_uuid(user_id),
            scopes: ScopeSet::parse(&scopes).map_err(corrupt("personal_token", "scopes", id))?,
            is_live: ended_at.is_none(),
            ended_at,
            expires_at,
            home_timezone: home_zone(&zone, user_id)?,
        }))
    }
}

impl PostgresStore {
    /// Finds a token and its account in one statement: two would cost a request a third more.
    async fn personal_row(&self, hash: &SecretHash) -> Result<Option<PersonalRow>, StorageError> {
        let hash = *hash;
        self.read_row(move || {
            personal_token::table
                .inner_join(account::table)
                .filter(personal_token::token_hash.eq(hash.as_bytes().to_vec()))
                .select((TOKEN_COLUMNS, account::home_timezone, account::locked_at))
        })
        .await
    }

    /// Finds a token, then its account, which is on another node: a join would search every shard.
    async fn personal_row_of_two_nodes(
        &self,
        hash: &SecretHash,
    ) -> Result<Option<PersonalRow>, StorageError> {
        let hash = *hash;
        let query = move || {
            let token = personal_token::table.filter(personal_token::token_hash.eq(hash.as_bytes().to_vec()));
            token.select(TOKEN_COLUMNS)
        };
        let Some(token) = self.read_row::<TokenRow, _>(query).await? else { return Ok(None) };
        let user_id = token.1;
        let query =
            move || account::table.find(user_id.cell()).select((account::home_timezone, account::locked_at));
        let account: Option<(String, OptionalTimestamp)> = self.read_row(query).await?;
        Ok(account.map(|(zone, locked_at)| (token, zone, locked_at)))
    }
}
