//! Authorization requests.

use crate::column::{Held, IdCell, TimeCell};
use crate::row::row;
use crate::schema::{authorization_request, authorization_request as request};
use crate::statement::{Locked, Raw};
use crate::store::Store;
use crate::unit_of_work::{Transaction, Unit};
use application::ports::storage::{AuthorizationRequestRepository, StorageError};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use domain::authorization_request::{AuthorizationRequest, RequestState};
use domain::id::{AuthorizationRequestId, UserId};

row! {
    /// A row of `authorization_request`.
    RequestRow of authorization_request: AuthorizationRequest, row id, {
        id: IdCell;
        client_id: IdCell;
        redirect_uri: String;
        scopes: String;
        state: Option<String>;
        challenge: Option<Vec<u8>>;
        force_consent: bool;
        visit_hash: Vec<u8>;
        user_id: Option<IdCell>;
        created_at: TimeCell;
        decision: Option<TimeCell>, in decided_at;
        login_hint: Option<String>;
        resource: String;
    }
}

impl Held<Option<TimeCell>> for RequestState {
    fn cell(&self) -> Option<TimeCell> {
        match self {
            Self::Open => None,
            Self::Decided { at } => Some(at.cell()),
        }
    }

    fn parse(decided_at: Option<TimeCell>) -> Option<Self> {
        Held::parse(decided_at).map(|at: Option<_>| at.map_or(Self::Open, |at| Self::Decided { at }))
    }
}

const DELETE_EXCESS: [&str; 2] = [
    "DELETE FROM authorization_request WHERE id IN (
        SELECT id FROM authorization_request WHERE user_id = ? ORDER BY created_at DESC, id DESC OFFSET ?)",
    "DELETE FROM authorization_request WHERE id IN (
        SELECT id FROM authorization_request WHERE user_id = ? ORDER BY created_at DESC, id DESC LIMIT -1 OFFSET ?)",
];

/// Finds an authorization request.
pub async fn find_authorization_request(
    store: &impl Store,
    id: AuthorizationRequestId,
) -> Result<Option<AuthorizationRequest>, StorageError> {
    store.read::<RequestRow, _>(request::table.find(id.cell()).select(RequestRow::COLUMNS)).await
}

#[async_trait]
impl<R: Transaction> AuthorizationRequestRepository for Unit<R> {
    async fn insert(&mut self, request: &AuthorizationRequest) -> Result<(), StorageError> {
        let query = diesel::insert_into(request::table).values(RequestRow::from(request));
        self.0.execute(query).await.map(drop)
    }

    async fn find(
        &mut self,
        id: AuthorizationRequestId,
    ) -> Result<Option<AuthorizationRequest>, StorageError> {
        // The caller may decide on what it finds.
        let query = Locked(request::table.find(id.cell()).select(RequestRow::COLUMNS));
        self.read::<RequestRow>(query).await
    }

    async fn assign(&mut self, id: AuthorizationRequestId, user_id: UserId) -> Result<bool, StorageError> {
        let unassigned = request::table.find(id.cell()).filter(request::user_id.is_null());
        self.changes(diesel::update(unassigned).set(request::user_id.eq(Some(user_id.cell())))).await
    }

    async fn decide(&mut self, id: AuthorizationRequestId, at: DateTime<Utc>) -> Result<bool, StorageError> {
        // On PostgreSQL, a second decision waits for the first one's row lock, then matches no row.
        let open = request::table.find(id.cell()).filter(request::decided_at.is_null());
        self.changes(diesel::update(open).set(request::decided_at.eq(at.cell()))).await
    }

    async fn delete_excess(&mut self, user_id: UserId, keep: usize) -> Result<u64, StorageError> {
        let query: Raw = Raw::new(DELETE_EXCESS).bind(user_id.cell());
        self.0.execute(query.bind(i64::try_from(keep).unwrap_or(i64::MAX))).await
    }

    async fn delete_older(&mut self, before: DateTime<Utc>, limit: u32) -> Result<u64, StorageError> {
        self.0.delete_oldest(("authorization_request", "id", "created_at"), before, limit).await
    }
}
