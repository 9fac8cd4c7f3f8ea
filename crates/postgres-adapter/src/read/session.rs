//! The session of a cookie.

use crate::row::{SessionRow, email, home_zone, user_status};
use crate::schema::{account, session};
use crate::store::PostgresStore;
use application::ports::storage::{SessionReader, SessionWithUser, StorageError};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use domain::secret::SecretHash;
use futures_util::FutureExt;
use uuid::Uuid;

/// A session; and its person's id, address, zone, and since when the account is locked.
type Row = (SessionRow, Uuid, String, String, Option<DateTime<Utc>>);

#[async_trait]
impl SessionReader for PostgresStore {
    async fn find_session(&self, hash: &SecretHash) -> Result<Option<SessionWithUser>, StorageError> {
        let hash = *hash;
        let row: Option<Row> = self
            .shared(move |mut connection| {
                let query = session::table
                    .inner_join(account::table)
                    .filter(session::token_hash.eq(hash.as_bytes().to_vec()))
                    .select((
                        SessionRow::as_select(),
                        account::id,
                        account::email,
                        account::home_timezone,
                        account::locked_at,
                    ));
                async move { query.first(&mut connection).await.optional() }.boxed()
            })
            .await?;
        let Some((session, user_id, address, zone, locked_at)) = row else { return Ok(None) };
        Ok(Some(SessionWithUser {
            session: session.into_session()?,
            email: email(&address, user_id)?,
            user_status: user_status(locked_at),
            home_timezone: home_zone(&zone, user_id)?,
        }))
    }
}
