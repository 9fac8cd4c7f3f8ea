//! Authorization codes.

use super::{scope_set, secret_hash};
use crate::error::corrupt;
use crate::schema::authorization_code;
use application::ports::storage::StorageError;
use chrono::{DateTime, Utc};
use diesel::pg::Pg;
use diesel::prelude::*;
use domain::code::{AuthorizationCode, CodeState, PkceChallenge};
use domain::id::{ClientId, GrantId, UserId};
use uuid::Uuid;

const TABLE: &str = "authorization_code";

/// A row of `authorization_code`.
#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = authorization_code, check_for_backend(Pg))]
pub(crate) struct CodeRow {
    code_hash: Vec<u8>,
    client_id: Uuid,
    user_id: Uuid,
    redirect_uri: String,
    scopes: String,
    challenge: Option<Vec<u8>>,
    issued_at: DateTime<Utc>,
    expires_at: DateTime<Utc>,
    redeemed_grant_id: Option<Uuid>,
    redeemed_at: Option<DateTime<Utc>>,
}

impl From<&AuthorizationCode> for CodeRow {
    fn from(code: &AuthorizationCode) -> Self {
        let AuthorizationCode {
            hash,
            client_id,
            user_id,
            redirect_uri,
            scopes,
            challenge,
            issued_at,
            expires_at,
            state,
        } = code;
        let (redeemed_grant_id, redeemed_at) = match state {
            CodeState::Issued => (None, None),
            CodeState::Redeemed { grant_id, at } => (Some(grant_id.as_uuid()), Some(*at)),
        };
        Self {
            code_hash: hash.as_bytes().to_vec(),
            client_id: client_id.as_uuid(),
            user_id: user_id.as_uuid(),
            redirect_uri: redirect_uri.clone(),
            scopes: scopes.to_string(),
            challenge: challenge.map(|challenge| challenge.as_bytes().to_vec()),
            issued_at: *issued_at,
            expires_at: *expires_at,
            redeemed_grant_id,
            redeemed_at,
        }
    }
}

impl CodeRow {
    /// Reads the row as a code. A corrupt one is named by its person: the hash stays out of logs.
    pub(crate) fn into_code(self) -> Result<AuthorizationCode, StorageError> {
        let Self {
            code_hash,
            client_id,
            user_id,
            redirect_uri,
            scopes,
            challenge,
            issued_at,
            expires_at,
            redeemed_grant_id,
            redeemed_at,
        } = self;
        let row = format_args!("of person {user_id}").to_string();
        let challenge = challenge.map(<[u8; 32]>::try_from).transpose();
        let state = match (redeemed_grant_id, redeemed_at) {
            (None, None) => Ok(CodeState::Issued),
            (Some(grant_id), Some(at)) => {
                Ok(CodeState::Redeemed { grant_id: GrantId::from_uuid(grant_id), at })
            }
            (Some(_), None) | (None, Some(_)) => Err(()),
        };
        Ok(AuthorizationCode {
            hash: secret_hash(&code_hash, TABLE, "code_hash", &row)?,
            client_id: ClientId::from_uuid(client_id),
            user_id: UserId::from_uuid(user_id),
            redirect_uri,
            scopes: scope_set(&scopes, TABLE, &row)?,
            challenge: challenge.map_err(corrupt(TABLE, "challenge", &row))?.map(PkceChallenge::from_bytes),
            issued_at,
            expires_at,
            state: state.map_err(corrupt(TABLE, "redeemed_at", &row))?,
        })
    }
}
