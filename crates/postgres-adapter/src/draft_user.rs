//! People who can use clients that the operator has not approved.

use crate::schema::{client, draft_user};
use crate::unit_of_work::PgUnitOfWork;
use application::ports::storage::{DraftUserRepository, StorageError};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::dsl::exists;
use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{BigInt, Timestamptz, Uuid};
use domain::id::{ClientId, UserId};

/// The caller has locked the client, so the count includes every concurrent admission.
const ADMIT: &str = "INSERT INTO draft_user (client_id, user_id, admitted_at) SELECT $1, $2, $3
    WHERE (SELECT count(*) FROM draft_user WHERE client_id = $1) < $4 ON CONFLICT DO NOTHING";

#[async_trait]
impl DraftUserRepository for PgUnitOfWork {
    async fn admit(
        &mut self,
        id: ClientId,
        user_id: UserId,
        limit: u32,
        at: DateTime<Utc>,
    ) -> Result<bool, StorageError> {
        let connection = self.connection()?;
        let lock = client::table.find(id.as_uuid()).select(client::id).for_no_key_update();
        connection.execute(lock).await?;
        let query = sql_query(ADMIT)
            .bind::<Uuid, _>(id.as_uuid())
            .bind::<Uuid, _>(user_id.as_uuid())
            .bind::<Timestamptz, _>(at)
            .bind::<BigInt, _>(i64::from(limit));
        if connection.execute(query).await? > 0 {
            return Ok(true);
        }
        self.is_admitted(id, user_id).await
    }

    async fn is_admitted(&mut self, id: ClientId, user_id: UserId) -> Result<bool, StorageError> {
        let row = draft_user::table.find((id.as_uuid(), user_id.as_uuid()));
        self.connection()?.load_one(diesel::select(exists(row))).await
    }

    async fn clear(&mut self, id: ClientId) -> Result<(), StorageError> {
        let rows = draft_user::table.filter(draft_user::client_id.eq(id.as_uuid()));
        self.connection()?.execute(diesel::delete(rows)).await.map(drop)
    }
}
