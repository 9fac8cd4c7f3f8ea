//! Erasures.

use crate::column::{Held, IdCell, TimeCell};
use crate::password_link::delete_links_to;
use crate::row::row;
use crate::schema::{audit_event, erased_person, erasure};
use crate::unit_of_work::{Transaction, Unit};
use crate::user::StoreUsers;
use application::ports::storage::{Erasure, ErasureRepository, StorageError};
use async_trait::async_trait;
use diesel::dsl::exists;
use diesel::prelude::*;
use domain::id::UserId;
use sha2::{Digest, Sha256};

row! {
    /// A row of `erasure`.
    ErasureRow of erasure: Erasure, row id, {
        id: IdCell;
        at: TimeCell;
    }
}

/// Hashes an id. Its 122 random bits rule out a search for the preimage.
fn id_hash(user_id: UserId) -> Vec<u8> {
    Sha256::digest(user_id.as_uuid().as_bytes()).to_vec()
}

/// Returns whether a user with this id was erased.
pub async fn was_erased(unit: &mut impl Transaction, user_id: UserId) -> Result<bool, StorageError> {
    let same = erased_person::table.find(id_hash(user_id));
    Ok(unit.load_row(diesel::select(exists(same))).await?.unwrap_or_default())
}

#[async_trait]
impl<R: Transaction + StoreUsers> ErasureRepository for Unit<R> {
    async fn erase(&mut self, user_id: UserId, erasure: Erasure) -> Result<bool, StorageError> {
        // Locked first, so that no event is added meanwhile.
        let Some(address) = self.0.lock_person(user_id).await? else { return Ok(false) };
        delete_links_to(&mut self.0, &address).await?;
        self.0.announce_erasure(user_id, erasure.at).await?;
        // The trail has no foreign key.
        let trail = audit_event::table.filter(audit_event::user_id.eq(Some(user_id.cell())));
        self.0.execute(diesel::delete(trail)).await?;
        self.0.delete_user(user_id).await?;
        let hash = erased_person::id_hash.eq(id_hash(user_id));
        let noting = diesel::insert_into(erased_person::table).values(hash).on_conflict_do_nothing();
        self.0.execute(noting).await?;
        let receipt = diesel::insert_into(erasure::table).values(ErasureRow::from(&erasure));
        self.0.execute(receipt).await.map(|_| true)
    }

    async fn was_erased(&mut self, user_id: UserId) -> Result<bool, StorageError> {
        was_erased(&mut self.0, user_id).await
    }

    async fn list(&mut self, limit: u32) -> Result<Vec<Erasure>, StorageError> {
        let query = erasure::table.order((erasure::at.desc(), erasure::id.desc())).limit(i64::from(limit));
        self.read_all::<ErasureRow>(query.select(ErasureRow::COLUMNS)).await
    }
}
