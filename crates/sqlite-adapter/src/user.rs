//! Users with their profiles.

use crate::error::StorageResult as _;
use crate::row::blob;
use crate::schema::{deletion, import, import_change, import_part, intake_log, read_tally, sleep_session};
use crate::scrub;
use crate::statement::{execute, load_row};
use crate::unit_of_work::SqliteUnitOfWork;
use crate::webhook;
use application::ports::storage::{StorageError, UniqueKey};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sqlite::SqliteConnection;
use domain::id::UserId;
use domain::user::User;
use store_shared::column::Held as _;
use store_shared::schema::{access_grant, account, authorization_code};
use store_shared::{AccountRow, StoreUsers, was_erased};

#[async_trait]
impl StoreUsers for SqliteUnitOfWork {
    async fn insert_user(&mut self, user: &User) -> Result<(), StorageError> {
        if was_erased(self, user.id).await? {
            return Err(StorageError::Conflict(UniqueKey::UserId));
        }
        let address = account::email_normalised.eq(user.email.normalised());
        let query = diesel::insert_into(account::table).values((AccountRow::from(user), address));
        self.run(execute(query)).await.map(drop)
    }

    async fn update_user(&mut self, user: &User) -> Result<bool, StorageError> {
        let Some(number) = self.change_number(user.id).await? else { return Ok(false) };
        let query = diesel::update(account::table.find(user.id.cell())).set((
            AccountRow::from(user),
            account::email_normalised.eq(user.email.normalised()),
            account::profile_change_number.eq(number),
        ));
        Ok(self.run(execute(query)).await? > 0)
    }

    async fn delete_user(&mut self, id: UserId) -> Result<bool, StorageError> {
        self.run(move |connection| delete(connection, id).storage()).await
    }

    async fn lock_person(&mut self, id: UserId) -> Result<Option<String>, StorageError> {
        // The transaction holds the write lock.
        self.run(load_row(account::table.find(id.cell()).select(account::email_normalised))).await
    }

    async fn announce_erasure(&mut self, id: UserId, at: DateTime<Utc>) -> Result<(), StorageError> {
        self.has_erased = true;
        self.run(move |connection| {
            webhook::announce_erasure(connection, id.as_uuid().as_bytes(), at).storage()?;
            scrub::request(connection).storage()
        })
        .await
    }
}

/// Deletes a person; returns whether they existed.
///
/// Tables that may have many rows are deleted explicitly, because foreign keys would delete them one row at a
/// time. Foreign keys delete the rest.
fn delete(connection: &mut SqliteConnection, id: UserId) -> QueryResult<bool> {
    let (cell, id) = (id.cell(), &blob(id.as_uuid())[..]);
    let imports = import::table.filter(import::user_id.eq(id)).select(import::id);
    diesel::delete(import_change::table.filter(import_change::import_id.eq_any(imports)))
        .execute(connection)?;
    diesel::delete(import_part::table.filter(import_part::import_id.eq_any(imports))).execute(connection)?;
    diesel::delete(read_tally::table.filter(read_tally::user_id.eq(id))).execute(connection)?;
    diesel::delete(intake_log::table.filter(intake_log::user_id.eq(id))).execute(connection)?;
    diesel::delete(sleep_session::table.filter(sleep_session::user_id.eq(id))).execute(connection)?;
    diesel::delete(deletion::table.filter(deletion::user_id.eq(id))).execute(connection)?;
    diesel::delete(authorization_code::table.filter(authorization_code::user_id.eq(cell)))
        .execute(connection)?;
    diesel::delete(access_grant::table.filter(access_grant::user_id.eq(cell))).execute(connection)?;
    Ok(diesel::delete(account::table.find(cell)).execute(connection)? > 0)
}
