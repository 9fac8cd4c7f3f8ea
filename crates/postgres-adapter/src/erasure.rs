//! Erasures.

use crate::client::delete_client;
use crate::connection::Pooled;
use crate::schema::erasure as erasure_table;
use crate::schema::{account, erased_person, person};
use crate::unit_of_work::PgUnitOfWork;
use crate::webhook::announce_erasure;
use application::ports::storage::{Erasure, ErasureRepository, StorageError};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::dsl::exists;
use diesel::prelude::*;
use domain::id::{ErasureId, UserId};
use sha2::{Digest, Sha256};
use store_shared::column::{Held as _, IdCell};
use store_shared::delete_links_to;
use store_shared::schema::{audit_event, client};
use uuid::Uuid;

#[async_trait]
impl ErasureRepository for PgUnitOfWork {
    async fn erase(&mut self, user_id: UserId, erasure: Erasure) -> Result<bool, StorageError> {
        let connection = self.connection()?;
        // Locked first, so that no event is added meanwhile.
        let query = account::table.find(user_id.as_uuid()).select(account::id).for_update();
        connection.execute(query).await?;
        let query = person::table.find(user_id.as_uuid()).select(person::email_normalised);
        let address: Option<String> = connection.load_row(query).await?;
        let Some(address) = address else { return Ok(false) };
        delete_links_to(self, &address).await?;
        let connection = self.connection()?;
        announce_erasure(connection, user_id, erasure.at).await?;
        // The trail has no foreign key; everything else is deleted with the person by ON DELETE CASCADE.
        let trail = audit_event::table.filter(audit_event::user_id.eq(Some(user_id.cell())));
        connection.execute(diesel::delete(trail)).await?;
        delete_person(connection, user_id).await?;
        let hash = erased_person::id_hash.eq(id_hash(user_id));
        let noting = diesel::insert_into(erased_person::table).values(hash).on_conflict_do_nothing();
        connection.execute(noting).await?;
        let Erasure { id, at } = erasure;
        let receipt = (erasure_table::id.eq(id.as_uuid()), erasure_table::at.eq(at));
        let noting = diesel::insert_into(erasure_table::table).values(receipt);
        connection.execute(noting).await.map(|_| true)
    }

    async fn was_erased(&mut self, user_id: UserId) -> Result<bool, StorageError> {
        was_erased(self.connection()?, user_id).await
    }

    async fn list(&mut self, limit: u32) -> Result<Vec<Erasure>, StorageError> {
        let query = erasure_table::table
            .order((erasure_table::at.desc(), erasure_table::id.desc()))
            .limit(i64::from(limit))
            .select((erasure_table::id, erasure_table::at));
        let rows: Vec<(Uuid, DateTime<Utc>)> = self.connection()?.load_rows(query).await?;
        let erasures = rows.into_iter().map(|(id, at)| Erasure { id: ErasureId::from_uuid(id), at });
        Ok(erasures.collect())
    }
}

/// Returns whether a user with this id was erased.
pub(super) async fn was_erased(connection: &mut Pooled, user_id: UserId) -> Result<bool, StorageError> {
    let same = erased_person::table.find(id_hash(user_id));
    connection.load_one(diesel::select(exists(same))).await
}

/// Deletes a person with everything that `ON DELETE CASCADE` ties to them. The caller has locked the account:
/// a writer locks it before it locks the person, and the opposite order could deadlock.
pub(crate) async fn delete_person(connection: &mut Pooled, id: UserId) -> Result<bool, StorageError> {
    let drafts = client::table
        .filter(client::owner_id.eq(Some(id.cell())))
        .filter(client::is_draft)
        .select(client::id);
    let drafts: Vec<IdCell> = connection.load_rows(drafts).await?;
    for draft in drafts {
        delete_client(connection, draft).await?;
    }
    // Approved clients stay, without what identifies the person.
    let approved = client::table.filter(client::owner_id.eq(Some(id.cell())));
    let query = diesel::update(approved)
        .set((client::owner_id.eq(None::<IdCell>), client::contact.eq(None::<String>)));
    connection.execute(query).await?;
    let query = diesel::delete(person::table.find(id.as_uuid()));
    Ok(connection.execute(query).await? > 0)
}

/// Hashes an id. Its 122 random bits rule out a search for the preimage.
fn id_hash(user_id: UserId) -> Vec<u8> {
    Sha256::digest(user_id.as_uuid().as_bytes()).to_vec()
}
