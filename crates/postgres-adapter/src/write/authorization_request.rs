//! Authorization requests.

use super::count;
use crate::error::storage_error;
use crate::row::RequestRow;
use crate::schema::authorization_request as request;
use crate::unit_of_work::PgUnitOfWork;
use application::ports::storage::{AuthorizationRequestRepository, StorageError};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{BigInt, Timestamptz, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;
use domain::authorization_request::AuthorizationRequest;
use domain::id::{AuthorizationRequestId, UserId};

/// Skips requests that somebody else holds at the moment: they are deleted next time.
const DELETE_OLDER: &str = "DELETE FROM authorization_request WHERE id IN (
    SELECT id FROM authorization_request WHERE created_at < $1
    ORDER BY created_at LIMIT $2 FOR UPDATE SKIP LOCKED)";

const DELETE_EXCESS: &str = "DELETE FROM authorization_request WHERE id IN (
    SELECT id FROM authorization_request WHERE user_id = $1 ORDER BY created_at DESC, id DESC OFFSET $2)";

#[async_trait]
impl AuthorizationRequestRepository for PgUnitOfWork {
    async fn insert(&mut self, request: &AuthorizationRequest) -> Result<(), StorageError> {
        diesel::insert_into(request::table)
            .values(RequestRow::from(request))
            .execute(self.connection()?)
            .await
            .map(|_| ())
            .map_err(storage_error)
    }

    async fn find(
        &mut self,
        id: AuthorizationRequestId,
    ) -> Result<Option<AuthorizationRequest>, StorageError> {
        // Whoever finds may decide, on all that was found: nobody else may change it in between.
        let row: Option<RequestRow> = request::table
            .find(id.as_uuid())
            .select(RequestRow::as_select())
            .for_no_key_update()
            .first(self.connection()?)
            .await
            .optional()
            .map_err(storage_error)?;
        row.map(RequestRow::into_request).transpose()
    }

    async fn assign(&mut self, id: AuthorizationRequestId, user_id: UserId) -> Result<bool, StorageError> {
        let unassigned = request::table.find(id.as_uuid()).filter(request::user_id.is_null());
        let assigned = diesel::update(unassigned)
            .set(request::user_id.eq(user_id.as_uuid()))
            .execute(self.connection()?)
            .await
            .map_err(storage_error)?;
        Ok(assigned > 0)
    }

    async fn decide(&mut self, id: AuthorizationRequestId, at: DateTime<Utc>) -> Result<bool, StorageError> {
        // A second decision waits here for the first one's row lock, then finds the condition false.
        let open = request::table.find(id.as_uuid()).filter(request::decided_at.is_null());
        let decided = diesel::update(open)
            .set(request::decided_at.eq(at))
            .execute(self.connection()?)
            .await
            .map_err(storage_error)?;
        Ok(decided > 0)
    }

    async fn delete_excess(&mut self, user_id: UserId, keep: usize) -> Result<u64, StorageError> {
        sql_query(DELETE_EXCESS)
            .bind::<SqlUuid, _>(user_id.as_uuid())
            .bind::<BigInt, _>(i64::try_from(keep).unwrap_or(i64::MAX))
            .execute(self.connection()?)
            .await
            .map(count)
            .map_err(storage_error)
    }

    async fn delete_older(&mut self, before: DateTime<Utc>, limit: u32) -> Result<u64, StorageError> {
        sql_query(DELETE_OLDER)
            .bind::<Timestamptz, _>(before)
            .bind::<BigInt, _>(i64::from(limit))
            .execute(self.connection()?)
            .await
            .map(count)
            .map_err(storage_error)
    }
}
