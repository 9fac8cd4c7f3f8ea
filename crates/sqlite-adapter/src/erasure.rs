//! Erasures.

use crate::error::StorageResult as _;
use crate::row::{Cells, blob, micros};
use crate::schema::{erased_person, erasure};
use crate::scrub;
use crate::unit_of_work::SqliteUnitOfWork;
use crate::user::{self, id_hash, was_erased};
use crate::webhook::announce_erasure;
use application::ports::storage::{Erasure, ErasureRepository, StorageError};
use async_trait::async_trait;
use diesel::prelude::*;
use diesel::sqlite::SqliteConnection;
use domain::id::{ErasureId, UserId};
use store_shared::column::Held as _;
use store_shared::delete_links_to;
use store_shared::schema::audit_event;

fn erase(connection: &mut SqliteConnection, user: UserId, erasure: Erasure) -> QueryResult<()> {
    let Erasure { id, at } = erasure;
    let user_id = blob(user.as_uuid());
    announce_erasure(connection, &user_id, at)?;
    diesel::delete(audit_event::table.filter(audit_event::user_id.eq(Some(user.cell()))))
        .execute(connection)?;
    user::delete(connection, user)?;
    diesel::insert_into(erased_person::table)
        .values(erased_person::id_hash.eq(id_hash(user)))
        .execute(connection)?;
    diesel::insert_into(erasure::table)
        .values((erasure::id.eq(blob(id.as_uuid())), erasure::at.eq(micros(at))))
        .execute(connection)?;
    scrub::request(connection)
}

#[async_trait]
impl ErasureRepository for SqliteUnitOfWork {
    async fn erase(&mut self, user_id: UserId, erasure: Erasure) -> Result<bool, StorageError> {
        let Some(user) = self.run(move |connection| user::find(connection, user_id)).await? else {
            return Ok(false);
        };
        delete_links_to(self, &user.email.normalised()).await?;
        self.run(move |connection| erase(connection, user_id, erasure).storage()).await?;
        self.has_erased = true;
        Ok(true)
    }

    async fn was_erased(&mut self, user_id: UserId) -> Result<bool, StorageError> {
        self.run(move |connection| was_erased(connection, user_id).storage()).await
    }

    async fn list(&mut self, limit: u32) -> Result<Vec<Erasure>, StorageError> {
        self.run(move |connection| {
            let rows: Vec<(Vec<u8>, i64)> = erasure::table
                .order((erasure::at.desc(), erasure::id.desc()))
                .limit(i64::from(limit))
                .load(connection)
                .storage()?;
            rows.into_iter()
                .map(|(id, at)| {
                    let cells = Cells::new("erasure", &id);
                    let at = cells.instant("at", at)?;
                    Ok(Erasure { id: ErasureId::from_uuid(cells.uuid("id", &id)?), at })
                })
                .collect()
        })
        .await
    }
}
