//! Sessions.

use super::{count, stored};
use crate::error::storage_error;
use crate::row::SessionRow;
use crate::schema::session;
use crate::unit_of_work::PgUnitOfWork;
use application::ports::storage::{SessionRepository, StorageError, UniqueKey};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{BigInt, Timestamptz};
use diesel_async::RunQueryDsl;
use domain::id::{SessionId, UserId};
use domain::session::Session;

/// Waits for sessions that are in use at the moment: the operator ends every session with this, and none may stay.
const DELETE_ENDED: &str = "DELETE FROM session WHERE (user_id, id) IN (
    SELECT user_id, id FROM session WHERE last_seen_at < $1 OR authenticated_at < $2 LIMIT $3 FOR UPDATE)";

#[async_trait]
impl SessionRepository for PgUnitOfWork {
    async fn insert(&mut self, session: &Session) -> Result<(), StorageError> {
        let inserted = diesel::insert_into(session::table)
            .values(SessionRow::from(session))
            .on_conflict_do_nothing()
            .execute(self.connection()?)
            .await
            .map_err(storage_error)?;
        stored(inserted, UniqueKey::Session)
    }

    async fn find(&mut self, user_id: UserId, id: SessionId) -> Result<Option<Session>, StorageError> {
        let row: Option<SessionRow> = session::table
            .find((user_id.as_uuid(), id.as_uuid()))
            .select(SessionRow::as_select())
            .first(self.connection()?)
            .await
            .optional()
            .map_err(storage_error)?;
        row.map(SessionRow::into_session).transpose()
    }

    async fn list(&mut self, user_id: UserId) -> Result<Vec<Session>, StorageError> {
        let rows: Vec<SessionRow> = session::table
            .filter(session::user_id.eq(user_id.as_uuid()))
            .order((session::authenticated_at.desc(), session::id.asc()))
            .select(SessionRow::as_select())
            .load(self.connection()?)
            .await
            .map_err(storage_error)?;
        rows.into_iter().map(SessionRow::into_session).collect()
    }

    async fn record_use(
        &mut self,
        user_id: UserId,
        id: SessionId,
        at: DateTime<Utc>,
    ) -> Result<(), StorageError> {
        let key = session::table.find((user_id.as_uuid(), id.as_uuid()));
        let updating =
            diesel::update(key.filter(session::last_seen_at.lt(at))).set(session::last_seen_at.eq(at));
        updating.execute(self.connection()?).await.map(|_| ()).map_err(storage_error)
    }

    async fn delete(&mut self, user_id: UserId, id: SessionId) -> Result<bool, StorageError> {
        let deleted = diesel::delete(session::table.find((user_id.as_uuid(), id.as_uuid())))
            .execute(self.connection()?)
            .await
            .map_err(storage_error)?;
        Ok(deleted > 0)
    }

    async fn delete_of_user(
        &mut self,
        user_id: UserId,
        except: Option<SessionId>,
    ) -> Result<u64, StorageError> {
        let own = session::table.filter(session::user_id.eq(user_id.as_uuid()));
        let mut deleting = diesel::delete(own).into_boxed();
        if let Some(except) = except {
            deleting = deleting.filter(session::id.ne(except.as_uuid()));
        }
        deleting.execute(self.connection()?).await.map(count).map_err(storage_error)
    }

    async fn delete_ended(
        &mut self,
        seen_before: DateTime<Utc>,
        authenticated_before: DateTime<Utc>,
        limit: u32,
    ) -> Result<u64, StorageError> {
        sql_query(DELETE_ENDED)
            .bind::<Timestamptz, _>(seen_before)
            .bind::<Timestamptz, _>(authenticated_before)
            .bind::<BigInt, _>(i64::from(limit))
            .execute(self.connection()?)
            .await
            .map(count)
            .map_err(storage_error)
    }
}
