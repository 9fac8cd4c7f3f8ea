//! Access checks.

use crate::column::{Held, IdCell, TimeCell};
use crate::row::Cells;
use crate::schema::{access_grant, account, client, personal_token};
use crate::store::Store;
use application::ports::storage::{AccessState, PersonalAccess, StorageError};
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use domain::id::{GrantId, UserId};
use domain::secret::SecretHash;

/// Columns of a [`TokenRow`], in its order.
const TOKEN: (
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

#[derive(Queryable)]
struct TokenRow {
    id: IdCell,
    user_id: IdCell,
    scopes: String,
    expires_at: Option<TimeCell>,
    revoked_at: Option<TimeCell>,
}

/// Zone of a person, and the time at which the account was locked.
type AccountRow = (String, Option<TimeCell>);

#[derive(Queryable)]
struct AccessRow {
    client_id: IdCell,
    scopes: String,
    revoked_at: Option<TimeCell>,
    disabled_at: Option<TimeCell>,
    account: AccountRow,
}

fn earliest<const N: usize>(ends: [Option<DateTime<Utc>>; N]) -> Option<DateTime<Utc>> {
    ends.into_iter().flatten().min()
}

/// Finds the state of a grant.
pub async fn find_access(
    store: &impl Store,
    user_id: UserId,
    grant_id: GrantId,
) -> Result<Option<AccessState>, StorageError> {
    let query = access_grant::table
        .inner_join(client::table)
        .inner_join(account::table)
        .filter(access_grant::user_id.eq(user_id.cell()))
        .filter(access_grant::id.eq(grant_id.cell()))
        .select((
            access_grant::client_id,
            access_grant::scopes,
            access_grant::revoked_at,
            client::disabled_at,
            (account::home_timezone, account::locked_at),
        ));
    let row: Option<AccessRow> = store.load_row(query).await?;
    let Some(AccessRow { client_id, scopes, revoked_at, disabled_at, account: (zone, locked_at) }) = row
    else {
        return Ok(None);
    };
    let (grant, account) = (Cells("access_grant", &grant_id), Cells("account", &user_id));
    let ended_at = earliest([
        grant.parse("revoked_at", revoked_at)?,
        grant.parse("disabled_at", disabled_at)?,
        account.parse("locked_at", locked_at)?,
    ]);
    Ok(Some(AccessState {
        client_id: grant.parse("client_id", client_id)?,
        scopes: grant.parse("scopes", scopes)?,
        is_live: ended_at.is_none(),
        ended_at,
        home_timezone: account.parse("home_timezone", zone)?,
    }))
}

/// Finds the state of a personal access token.
pub async fn find_personal_access(
    store: &impl Store,
    hash: &SecretHash,
) -> Result<Option<PersonalAccess>, StorageError> {
    let row = if store.is_distributed() {
        find_on_two_nodes(store, hash).await?
    } else {
        // In one statement: two would cost a request a third more.
        let query = personal_token::table
            .inner_join(account::table)
            .filter(personal_token::token_hash.eq(hash.cell()))
            .select((TOKEN, (account::home_timezone, account::locked_at)));
        store.load_row(query).await?
    };
    let row: Option<(TokenRow, AccountRow)> = row;
    let Some((TokenRow { id, user_id, scopes, expires_at, revoked_at }, (zone, locked_at))) = row else {
        return Ok(None);
    };
    let (token, account) = (Cells("personal_token", &id), Cells("account", &user_id));
    let ended_at = earliest([token.parse("revoked_at", revoked_at)?, account.parse("locked_at", locked_at)?]);
    Ok(Some(PersonalAccess {
        token_id: token.parse("id", id)?,
        user_id: token.parse("user_id", user_id)?,
        scopes: token.parse("scopes", scopes)?,
        is_live: ended_at.is_none(),
        ended_at,
        expires_at: token.parse("expires_at", expires_at)?,
        home_timezone: account.parse("home_timezone", zone)?,
    }))
}

/// Finds a token, then its account, which is on another node: a join would search every shard.
async fn find_on_two_nodes(
    store: &impl Store,
    hash: &SecretHash,
) -> Result<Option<(TokenRow, AccountRow)>, StorageError> {
    let query = personal_token::table.filter(personal_token::token_hash.eq(hash.cell())).select(TOKEN);
    let Some(token): Option<TokenRow> = store.load_row(query).await? else { return Ok(None) };
    let query = account::table.find(token.user_id).select((account::home_timezone, account::locked_at));
    Ok(store.load_row(query).await?.map(|account| (token, account)))
}
