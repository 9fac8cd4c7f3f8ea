//! Erasures.

use crate::error::StorageResult as _;
use crate::row::{Cells, blob, micros};
use crate::schema::{audit_event, erased_person, erasure, password_link};
use crate::scrub;
use crate::unit_of_work::SqliteUnitOfWork;
use crate::user::{self, id_hash, was_erased};
use crate::webhook::announce_erasure;
use application::ports::storage::{Erasure, ErasureRepository, StorageError};
use async_trait::async_trait;
use diesel::prelude::*;
use diesel::sqlite::SqliteConnection;
use domain::id::{ErasureId, UserId};
use domain::user::{Email, User};

/// Deletes sign-up links for this address. There are few at any time. Addresses are compared here because
/// SQLite cannot fold the case of non-ASCII letters.
fn delete_sign_ups(connection: &mut SqliteConnection, email: &Email) -> QueryResult<()> {
    let links: Vec<(Vec<u8>, Option<String>)> = password_link::table
        .filter(password_link::email.is_not_null())
        .select((password_link::link_hash, password_link::email))
        .load(connection)?;
    let normalised = email.normalised();
    for (link, address) in links {
        let address = address.and_then(|text| Email::parse(&text).ok());
        if address.is_some_and(|address| address.normalised() == normalised) {
            diesel::delete(password_link::table.find(link)).execute(connection)?;
        }
    }
    Ok(())
}

fn erase(connection: &mut SqliteConnection, user: &User, erasure: Erasure) -> QueryResult<()> {
    let Erasure { id, at } = erasure;
    let user_id = blob(user.id.as_uuid());
    delete_sign_ups(connection, &user.email)?;
    announce_erasure(connection, &user_id, at)?;
    diesel::delete(audit_event::table.filter(audit_event::user_id.eq(&user_id))).execute(connection)?;
    user::delete(connection, &user_id)?;
    diesel::insert_into(erased_person::table)
        .values(erased_person::id_hash.eq(id_hash(user.id)))
        .execute(connection)?;
    diesel::insert_into(erasure::table)
        .values((erasure::id.eq(blob(id.as_uuid())), erasure::at.eq(micros(at))))
        .execute(connection)?;
    scrub::request(connection)
}

#[async_trait]
impl ErasureRepository for SqliteUnitOfWork {
    async fn erase(&mut self, user_id: UserId, erasure: Erasure) -> Result<bool, StorageError> {
        let existed = self.run(move |connection| {
            let Some(user) = user::find(connection, user_id)? else { return Ok(false) };
            erase(connection, &user, erasure).storage().map(|()| true)
        });
        let existed = existed.await?;
        self.has_erased |= existed;
        Ok(existed)
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
