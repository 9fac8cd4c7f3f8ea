//! Rows of grants.

use crate::error::corrupt;
use crate::row::{scope_set, secret_hash};
use crate::schema::access_grant;
use application::ports::storage::StorageError;
use chrono::{DateTime, Utc};
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::query_builder::{BoxedSqlQuery, SqlQuery};
use diesel::sql_types::Uuid as SqlUuid;
use diesel::sql_types::{Binary, Nullable, Text, Timestamptz};
use domain::grant::{Grant, GrantState, RevocationReason, UsedFrom};
use domain::id::{ClientId, GrantId, UserId};
use domain::resource::Resource;
use store_shared::{parse_used_from, used_from_parts};
use uuid::Uuid;

const TABLE: &str = "access_grant";

/// A row of `access_grant`.
#[derive(Queryable, Selectable)]
#[diesel(table_name = access_grant, check_for_backend(Pg))]
pub(crate) struct GrantRow {
    user_id: Uuid,
    id: Uuid,
    client_id: Uuid,
    scopes: String,
    refresh_token_hash: Vec<u8>,
    created_at: DateTime<Utc>,
    last_used_at: Option<DateTime<Utc>>,
    revoked_at: Option<DateTime<Utc>>,
    revocation_reason: Option<String>,
    last_used_address: Option<String>,
    last_used_agent: Option<String>,
    newest_token_hash: Option<Vec<u8>>,
    resource: String,
}

impl From<&Grant> for GrantRow {
    fn from(grant: &Grant) -> Self {
        let Grant {
            id,
            client_id,
            user_id,
            scopes,
            resource,
            refresh_token_hash,
            newest_token_hash,
            created_at,
            last_used_at,
            last_used_from,
            state,
        } = grant;
        let (revoked_at, reason) = match state {
            GrantState::Live => (None, None),
            GrantState::Revoked { at, reason } => (Some(*at), Some(reason.as_str().to_owned())),
        };
        let (last_used_address, last_used_agent) = last_used_from.as_ref().map(used_from_parts).unzip();
        Self {
            user_id: user_id.as_uuid(),
            id: id.as_uuid(),
            client_id: client_id.as_uuid(),
            scopes: scopes.to_string(),
            refresh_token_hash: refresh_token_hash.as_bytes().to_vec(),
            created_at: *created_at,
            last_used_at: *last_used_at,
            revoked_at,
            revocation_reason: reason,
            last_used_address,
            last_used_agent: last_used_agent.flatten(),
            newest_token_hash: newest_token_hash.map(|hash| hash.as_bytes().to_vec()),
            resource: resource.as_str().to_owned(),
        }
    }
}

impl GrantRow {
    /// Binds every column in table order.
    pub(crate) fn bound_to(self, statement: SqlQuery) -> BoxedSqlQuery<'static, Pg, SqlQuery> {
        let Self {
            user_id,
            id,
            client_id,
            scopes,
            refresh_token_hash,
            created_at,
            last_used_at,
            revoked_at,
            revocation_reason,
            last_used_address,
            last_used_agent,
            newest_token_hash,
            resource,
        } = self;
        statement
            .into_boxed()
            .bind::<SqlUuid, _>(user_id)
            .bind::<SqlUuid, _>(id)
            .bind::<SqlUuid, _>(client_id)
            .bind::<Text, _>(scopes)
            .bind::<Binary, _>(refresh_token_hash)
            .bind::<Timestamptz, _>(created_at)
            .bind::<Nullable<Timestamptz>, _>(last_used_at)
            .bind::<Nullable<Timestamptz>, _>(revoked_at)
            .bind::<Nullable<Text>, _>(revocation_reason)
            .bind::<Nullable<Text>, _>(last_used_address)
            .bind::<Nullable<Text>, _>(last_used_agent)
            .bind::<Nullable<Binary>, _>(newest_token_hash)
            .bind::<Text, _>(resource)
    }

    pub(crate) fn into_grant(self) -> Result<Grant, StorageError> {
        let Self {
            user_id,
            id,
            client_id,
            scopes,
            refresh_token_hash,
            created_at,
            last_used_at,
            revoked_at,
            revocation_reason,
            last_used_address,
            last_used_agent,
            newest_token_hash,
            resource,
        } = self;
        let reason = revocation_reason.as_deref().map(RevocationReason::parse);
        let state = match (revoked_at, reason) {
            (None, None) => Ok(GrantState::Live),
            (Some(at), Some(Some(reason))) => Ok(GrantState::Revoked { at, reason }),
            (Some(_), None | Some(None)) | (None, Some(_)) => Err(()),
        };
        Ok(Grant {
            id: GrantId::from_uuid(id),
            client_id: ClientId::from_uuid(client_id),
            user_id: UserId::from_uuid(user_id),
            scopes: scope_set(&scopes, TABLE, id)?,
            resource: Resource::parse(&resource).ok_or(()).map_err(corrupt(TABLE, "resource", id))?,
            refresh_token_hash: secret_hash(&refresh_token_hash, TABLE, "refresh_token_hash", id)?,
            newest_token_hash: newest_token_hash
                .map(|hash| secret_hash(&hash, TABLE, "newest_token_hash", id))
                .transpose()?,
            created_at,
            last_used_at,
            last_used_from: used_from(last_used_address.as_deref(), last_used_agent.as_deref(), id)?,
            state: state.map_err(corrupt(TABLE, "revocation_reason", id))?,
        })
    }
}

/// Parses the address and user agent of a token's last use.
pub(crate) fn used_from(
    address: Option<&str>,
    agent: Option<&str>,
    row: Uuid,
) -> Result<Option<UsedFrom>, StorageError> {
    parse_used_from(address, agent).map_err(|column| corrupt(TABLE, column, row)(()))
}
