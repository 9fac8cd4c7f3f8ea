//! People who can use clients that the operator has not approved.

use crate::error::StorageResult as _;
use crate::row::{blob, micros};
use crate::schema::draft_user;
use crate::statement::execute;
use crate::unit_of_work::SqliteUnitOfWork;
use application::ports::storage::{DraftUserRepository, StorageError};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::dsl::exists;
use diesel::prelude::*;
use domain::id::{ClientId, UserId};
use store_shared::Raw;

/// A unit of work is the only writer, so the count includes every earlier admission.
const ADMIT: &str = "INSERT INTO draft_user (client_id, user_id, admitted_at) SELECT ?, ?, ? \
    WHERE (SELECT count(*) FROM draft_user WHERE client_id = ?) < ? ON CONFLICT DO NOTHING";

#[async_trait]
impl DraftUserRepository for SqliteUnitOfWork {
    async fn admit(
        &mut self,
        id: ClientId,
        user_id: UserId,
        limit: u32,
        at: DateTime<Utc>,
    ) -> Result<bool, StorageError> {
        let client = blob(id.as_uuid());
        let statement: Raw<()> = Raw::same(ADMIT)
            .blob(&client)
            .blob(&blob(user_id.as_uuid()))
            .bind(micros(at))
            .blob(&client)
            .bind(i64::from(limit));
        if self.run(execute(statement)).await? > 0 {
            return Ok(true);
        }
        self.is_admitted(id, user_id).await
    }

    async fn is_admitted(&mut self, id: ClientId, user_id: UserId) -> Result<bool, StorageError> {
        let row = draft_user::table.find((blob(id.as_uuid()), blob(user_id.as_uuid())));
        self.run(move |connection| diesel::select(exists(row)).get_result(connection).storage()).await
    }

    async fn clear(&mut self, id: ClientId) -> Result<(), StorageError> {
        let rows = draft_user::table.filter(draft_user::client_id.eq(blob(id.as_uuid())));
        self.run(execute(diesel::delete(rows))).await.map(drop)
    }
}
