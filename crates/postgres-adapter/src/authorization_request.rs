//! Authorization requests.

use crate::error::corrupt;
use crate::row::{scope_set, secret_hash};
use crate::schema::authorization_request as request;
use crate::schema::authorization_request;
use crate::store::PostgresStore;
use crate::unit_of_work::PgUnitOfWork;
use application::ports::storage::{AuthorizationRequestReader, AuthorizationRequestRepository, StorageError};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::BigInt;
use diesel::sql_types::Uuid as SqlUuid;
use domain::authorization_request::{AuthorizationRequest, RequestState};
use domain::code::PkceChallenge;
use domain::id::{AuthorizationRequestId, ClientId, UserId};
use domain::resource::Resource;
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
    resource: String,
}

impl From<&AuthorizationRequest> for RequestRow {
    fn from(request: &AuthorizationRequest) -> Self {
        let AuthorizationRequest {
            id,
            client_id,
            redirect_uri,
            scopes,
            resource,
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
            resource: resource.as_str().to_owned(),
        }
    }
}

impl RequestRow {
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
            resource,
        } = self;
        let login_hint = login_hint.map(|text| Email::parse(&text)).transpose();
        let challenge = challenge.map(<[u8; 32]>::try_from).transpose();
        Ok(AuthorizationRequest {
            id: AuthorizationRequestId::from_uuid(id),
            client_id: ClientId::from_uuid(client_id),
            redirect_uri,
            scopes: scope_set(&scopes, TABLE, id)?,
            resource: Resource::parse(&resource).ok_or(()).map_err(corrupt(TABLE, "resource", id))?,
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

const DELETE_EXCESS: &str = "DELETE FROM authorization_request WHERE id IN (
    SELECT id FROM authorization_request WHERE user_id = $1 ORDER BY created_at DESC, id DESC OFFSET $2)";

#[async_trait]
impl AuthorizationRequestReader for PostgresStore {
    async fn find_authorization_request(
        &self,
        id: AuthorizationRequestId,
    ) -> Result<Option<AuthorizationRequest>, StorageError> {
        let row: Option<RequestRow> =
            self.read_row(move || request::table.find(id.as_uuid()).select(RequestRow::as_select())).await?;
        row.map(RequestRow::into_request).transpose()
    }
}

#[async_trait]
impl AuthorizationRequestRepository for PgUnitOfWork {
    async fn insert(&mut self, request: &AuthorizationRequest) -> Result<(), StorageError> {
        let query = diesel::insert_into(request::table).values(RequestRow::from(request));
        self.connection()?.execute(query).await.map(drop)
    }

    async fn find(
        &mut self,
        id: AuthorizationRequestId,
    ) -> Result<Option<AuthorizationRequest>, StorageError> {
        // The caller may decide on what it finds, so the row is locked against changes.
        let query = request::table.find(id.as_uuid()).select(RequestRow::as_select()).for_no_key_update();
        self.connection()?.load_row(query).await?.map(RequestRow::into_request).transpose()
    }

    async fn assign(&mut self, id: AuthorizationRequestId, user_id: UserId) -> Result<bool, StorageError> {
        let unassigned = request::table.find(id.as_uuid()).filter(request::user_id.is_null());
        let query = diesel::update(unassigned).set(request::user_id.eq(user_id.as_uuid()));
        Ok(self.connection()?.execute(query).await? > 0)
    }

    async fn decide(&mut self, id: AuthorizationRequestId, at: DateTime<Utc>) -> Result<bool, StorageError> {
        // A second decision waits for the first one's row lock, then matches no row.
        let open = request::table.find(id.as_uuid()).filter(request::decided_at.is_null());
        let query = diesel::update(open).set(request::decided_at.eq(at));
        Ok(self.connection()?.execute(query).await? > 0)
    }

    async fn delete_excess(&mut self, user_id: UserId, keep: usize) -> Result<u64, StorageError> {
        let query = sql_query(DELETE_EXCESS)
            .bind::<SqlUuid, _>(user_id.as_uuid())
            .bind::<BigInt, _>(i64::try_from(keep).unwrap_or(i64::MAX));
        self.connection()?.execute(query).await
    }

    async fn delete_older(&mut self, before: DateTime<Utc>, limit: u32) -> Result<u64, StorageError> {
        self.connection()?.delete_oldest(("authorization_request", "id", "created_at"), before, limit).await
    }
}
