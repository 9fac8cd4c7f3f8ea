//! Users with their profiles.
//!
//! `person` has what must be unique over all people, `account` everything else. An engine that distributes
//! tables copies the first to every node. Only signing up, changing the email address and deletion write it.

use crate::client::delete_client;
use crate::connection::Pooled;
use crate::schema::person;
use crate::unit_of_work::PgUnitOfWork;
use crate::webhook;
use application::ports::storage::{StorageError, UniqueKey};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::dsl::exists;
use diesel::prelude::*;
use domain::id::UserId;
use domain::user::User;
use store_shared::column::{Held as _, IdCell};
use store_shared::schema::{account, client};
use store_shared::{AccountRow, StoreUsers, Transaction as _, was_erased};
use uuid::Uuid;

#[async_trait]
impl StoreUsers for PgUnitOfWork {
    async fn insert_user(&mut self, user: &User) -> Result<(), StorageError> {
        let connection = self.connection()?;
        let key = (person::id.eq(user.id.as_uuid()), person::email_normalised.eq(user.email.normalised()));
        let query = diesel::insert_into(person::table).values(key).on_conflict_do_nothing();
        if connection.execute(query).await? == 0 {
            let same_id = person::table.filter(person::id.eq(user.id.as_uuid()));
            let id_is_taken: bool = connection.load_one(diesel::select(exists(same_id))).await?;
            return Err(StorageError::Conflict(if id_is_taken {
                UniqueKey::UserId
            } else {
                UniqueKey::UserEmail
            }));
        }
        // After the insert, which waits for an erasure in progress.
        if was_erased(self, user.id).await? {
            delete_person(self.connection()?, user.id).await?;
            return Err(StorageError::Conflict(UniqueKey::UserId));
        }
        self.execute(diesel::insert_into(account::table).values(AccountRow::from(user))).await.map(drop)
    }

    async fn update_user(&mut self, user: &User) -> Result<bool, StorageError> {
        // One change number covers all changes of this person in the unit of work.
        let step = i64::from(!self.numbers.contains_key(&user.id));
        let connection = self.connection()?;
        keep_email_unique(connection, user).await?;
        let query = diesel::update(account::table.find(user.id.cell()))
            .set((
                AccountRow::from(user),
                account::change_number.eq(account::change_number + step),
                account::profile_change_number.eq(account::change_number + step),
            ))
            .returning(account::change_number);
        let number: Option<i64> = connection.load_row(query).await?;
        let Some(number) = number else { return Ok(false) };
        if self.numbers.insert(user.id, number).is_none() {
            self.announce_change(user.id, number).await?;
        }
        Ok(true)
    }

    async fn delete_user(&mut self, id: UserId) -> Result<bool, StorageError> {
        self.lock_account(id).await?;
        delete_person(self.connection()?, id).await
    }

    async fn lock_person(&mut self, id: UserId) -> Result<Option<String>, StorageError> {
        let connection = self.connection()?;
        let query = account::table.find(id.cell()).select(account::id).for_update();
        connection.execute(query).await?;
        let query = person::table.find(id.as_uuid()).select(person::email_normalised);
        let address: Option<String> = connection.load_row(query).await?;
        self.found.extend(address.is_some().then_some(id));
        Ok(address)
    }

    async fn announce_erasure(&mut self, id: UserId, at: DateTime<Utc>) -> Result<(), StorageError> {
        webhook::announce_erasure(self.connection()?, id, at).await
    }
}

/// Stores the email address if it is new; reports a conflict if it is another person's.
async fn keep_email_unique(connection: &mut Pooled, user: &User) -> Result<(), StorageError> {
    let (id, address) = (user.id.as_uuid(), user.email.normalised());
    let query = person::table.filter(person::email_normalised.eq(&address)).select(person::id);
    match connection.load_row::<Uuid, _>(query).await? {
        Some(owner) if owner == id => Ok(()),
        Some(_) => Err(StorageError::Conflict(UniqueKey::UserEmail)),
        None => {
            let query = diesel::update(person::table.find(id)).set(person::email_normalised.eq(address));
            connection.execute(query).await.map(drop)
        }
    }
}

/// Deletes a person with everything that `ON DELETE CASCADE` ties to them. The caller has locked the account:
/// a writer locks it before it locks the person, and the opposite order could deadlock.
async fn delete_person(connection: &mut Pooled, id: UserId) -> Result<bool, StorageError> {
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
