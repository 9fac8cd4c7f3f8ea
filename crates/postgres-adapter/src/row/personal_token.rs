//! Personal access tokens.

use super::{scope_set, secret_hash};
use crate::error::corrupt;
use crate::schema::personal_token;
use application::ports::storage::StorageError;
use chrono::{DateTime, Utc};
use diesel::pg::Pg;
use diesel::prelude::*;
use domain::id::{PersonalTokenId, UserId};
use domain::personal_token::{PersonalToken, PersonalTokenName};
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
    /// Reads the row as a token.
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
