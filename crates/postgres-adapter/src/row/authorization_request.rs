//! Authorization requests.

use super::{scope_set, secret_hash};
use crate::error::corrupt;
use crate::schema::authorization_request;
use application::ports::storage::StorageError;
use chrono::{DateTime, Utc};
use diesel::pg::Pg;
use diesel::prelude::*;
use domain::authorization_request::{AuthorizationRequest, RequestState};
use domain::code::PkceChallenge;
use domain::id::{AuthorizationRequestId, ClientId, UserId};
use domain::user::Email;
use uuid::Uuid;

const TABLE: &str = "authorization_request";

/// A row of `authorization_request`.
#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = authorization_request, check_for_backend(Pg))]
pub(crate) struct RequestRow {
    id: Uuid,
    client_id: Uuid,
    redirect_uri: String,
    scopes: String,
    state: Option<String>,
    challenge: Option<Vec<u8>>,
    force_consent: bool,
    visit_hash: Vec<u8>,
    user_id: Option<Uuid>,
    created_at: DateTime<Utc>,
    decided_at: Option<DateTime<Utc>>,
    login_hint: Option<String>,
}

impl From<&AuthorizationRequest> for RequestRow {
    fn from(request: &AuthorizationRequest) -> Self {
        let AuthorizationRequest {
            id,
            client_id,
            redirect_uri,
            scopes,
            state,
            challenge,
            force_consent,
            visit_hash,
            user_id,
            login_hint,
            created_at,
            decision,
        } = request;
        Self {
            id: id.as_uuid(),
            client_id: client_id.as_uuid(),
            redirect_uri: redirect_uri.clone(),
            scopes: scopes.to_string(),
            state: state.clone(),
            challenge: challenge.map(|challenge| challenge.as_bytes().to_vec()),
            force_consent: *force_consent,
            visit_hash: visit_hash.as_bytes().to_vec(),
            user_id: user_id.map(|id| id.as_uuid()),
            created_at: *created_at,
            decided_at: match decision {
                RequestState::Open => None,
                RequestState::Decided { at } => Some(*at),
            },
            login_hint: login_hint.as_ref().map(|email| email.as_str().to_owned()),
        }
    }
}

impl RequestRow {
    /// Reads the row as a request.
    pub(crate) fn into_request(self) -> Result<AuthorizationRequest, StorageError> {
        let Self {
            id,
            client_id,
            redirect_uri,
            scopes,
            state,
            challenge,
            force_consent,
            visit_hash,
            user_id,
            created_at,
            decided_at,
            login_hint,
        } = self;
        let login_hint = login_hint.map(|text| Email::parse(&text)).transpose();
        let challenge = challenge.map(<[u8; 32]>::try_from).transpose();
        Ok(AuthorizationRequest {
            id: AuthorizationRequestId::from_uuid(id),
            client_id: ClientId::from_uuid(client_id),
            redirect_uri,
            scopes: scope_set(&scopes, TABLE, id)?,
            state,
            challenge: challenge.map_err(corrupt(TABLE, "challenge", id))?.map(PkceChallenge::from_bytes),
            force_consent,
            visit_hash: secret_hash(&visit_hash, TABLE, "visit_hash", id)?,
            user_id: user_id.map(UserId::from_uuid),
            login_hint: login_hint.map_err(corrupt(TABLE, "login_hint", id))?,
            created_at,
            decision: decided_at.map_or(RequestState::Open, |at| RequestState::Decided { at }),
        })
    }
}
