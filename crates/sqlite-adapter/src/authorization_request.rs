//! Authorization requests.

use crate::error::StorageResult as _;
use crate::row::{Cells, blob, micros};
use crate::schema::authorization_request;
use crate::statement::{Statement, delete_oldest, execute};
use crate::store::SqliteStore;
use crate::unit_of_work::SqliteUnitOfWork;
use application::ports::storage::{AuthorizationRequestReader, AuthorizationRequestRepository, StorageError};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sqlite::SqliteConnection;
use domain::authorization_request::{AuthorizationRequest, RequestState};
use domain::code::PkceChallenge;
use domain::id::{AuthorizationRequestId, ClientId, UserId};
use domain::resource::Resource;
use domain::user::Email;

#[derive(Queryable, Insertable)]
#[diesel(table_name = authorization_request)]
struct RequestRow {
    id: Vec<u8>,
    client_id: Vec<u8>,
    redirect_uri: String,
    scopes: String,
    state: Option<String>,
    challenge: Option<Vec<u8>>,
    force_consent: bool,
    visit_hash: Vec<u8>,
    user_id: Option<Vec<u8>>,
    created_at: i64,
    decided_at: Option<i64>,
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
            id: blob(id.as_uuid()),
            client_id: blob(client_id.as_uuid()),
            redirect_uri: redirect_uri.clone(),
            scopes: scopes.to_string(),
            state: state.clone(),
            challenge: challenge.map(|challenge| challenge.as_bytes().to_vec()),
            force_consent: *force_consent,
            visit_hash: visit_hash.as_bytes().to_vec(),
            user_id: user_id.map(|id| blob(id.as_uuid())),
            created_at: micros(*created_at),
            decided_at: match *decision {
                RequestState::Open => None,
                RequestState::Decided { at } => Some(micros(at)),
            },
            login_hint: login_hint.as_ref().map(|email| email.as_str().to_owned()),
            resource: resource.as_str().to_owned(),
        }
    }
}

impl RequestRow {
    fn into_request(self) -> Result<AuthorizationRequest, StorageError> {
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
        let cells = Cells::new("authorization_request", &id);
        let challenge = challenge.map(|bytes| cells.bytes32("challenge", &bytes)).transpose()?;
        let user_id = user_id.map(|id| cells.uuid("user_id", &id)).transpose()?;
        let login_hint = login_hint.map(|text| cells.valid("login_hint", Email::parse(&text))).transpose()?;
        Ok(AuthorizationRequest {
            id: AuthorizationRequestId::from_uuid(cells.uuid("id", &id)?),
            client_id: ClientId::from_uuid(cells.uuid("client_id", &client_id)?),
            redirect_uri,
            scopes: cells.scopes(&scopes)?,
            resource: cells.present("resource", Resource::parse(&resource))?,
            state,
            challenge: challenge.map(PkceChallenge::from_bytes),
            force_consent,
            visit_hash: cells.hash("visit_hash", &visit_hash)?,
            user_id: user_id.map(UserId::from_uuid),
            login_hint,
            created_at: cells.instant("created_at", created_at)?,
            decision: match cells.optional_instant("decided_at", decided_at)? {
                None => RequestState::Open,
                Some(at) => RequestState::Decided { at },
            },
        })
    }
}

fn find(
    connection: &mut SqliteConnection,
    id: AuthorizationRequestId,
) -> Result<Option<AuthorizationRequest>, StorageError> {
    let row: Option<RequestRow> =
        authorization_request::table.find(blob(id.as_uuid())).first(connection).optional().storage()?;
    row.map(RequestRow::into_request).transpose()
}

#[async_trait]
impl AuthorizationRequestReader for SqliteStore {
    async fn find_authorization_request(
        &self,
        id: AuthorizationRequestId,
    ) -> Result<Option<AuthorizationRequest>, StorageError> {
        self.read(move |connection| find(connection, id)).await
    }
}

#[async_trait]
impl AuthorizationRequestRepository for SqliteUnitOfWork {
    async fn insert(&mut self, request: &AuthorizationRequest) -> Result<(), StorageError> {
        let row = RequestRow::from(request);
        let query = diesel::insert_into(authorization_request::table).values(row);
        self.run(execute(query)).await.map(drop)
    }

    // The transaction holds the write lock, so nothing found here can change.
    async fn find(
        &mut self,
        id: AuthorizationRequestId,
    ) -> Result<Option<AuthorizationRequest>, StorageError> {
        self.run(move |connection| find(connection, id)).await
    }

    async fn assign(&mut self, id: AuthorizationRequestId, user_id: UserId) -> Result<bool, StorageError> {
        use authorization_request::dsl;
        let nobodys = dsl::authorization_request.find(blob(id.as_uuid())).filter(dsl::user_id.is_null());
        let query = diesel::update(nobodys).set(dsl::user_id.eq(blob(user_id.as_uuid())));
        Ok(self.run(execute(query)).await? > 0)
    }

    async fn decide(&mut self, id: AuthorizationRequestId, at: DateTime<Utc>) -> Result<bool, StorageError> {
        use authorization_request::dsl;
        let open = dsl::authorization_request.find(blob(id.as_uuid())).filter(dsl::decided_at.is_null());
        let query = diesel::update(open).set(dsl::decided_at.eq(micros(at)));
        Ok(self.run(execute(query)).await? > 0)
    }

    async fn delete_excess(&mut self, user_id: UserId, keep: usize) -> Result<u64, StorageError> {
        let statement: Statement<()> = Statement::new(
            "DELETE FROM authorization_request WHERE id IN (SELECT id FROM authorization_request \
             WHERE user_id = ? ORDER BY created_at DESC, id DESC LIMIT -1 OFFSET ?)",
        )
        .blob(user_id.as_uuid().as_bytes())
        .integer(i64::try_from(keep).unwrap_or(i64::MAX));
        self.run(execute(statement)).await
    }

    async fn delete_older(&mut self, before: DateTime<Utc>, limit: u32) -> Result<u64, StorageError> {
        self.run(delete_oldest(("authorization_request", "id", "created_at"), before, limit)).await
    }
}
