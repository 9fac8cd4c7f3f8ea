//! People.

use super::erasure::was_erased;
use crate::connection::Pooled;
use crate::error::storage_error;
use crate::row::AccountRow;
use crate::schema::account;
use crate::unit_of_work::PgUnitOfWork;
use application::ports::storage::{StorageError, UniqueKey, UserRepository};
use async_trait::async_trait;
use diesel::dsl::exists;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use domain::id::UserId;
use domain::user::{Email, User};

#[async_trait]
impl UserRepository for PgUnitOfWork {
    async fn insert(&mut self, user: &User) -> Result<(), StorageError> {
        let connection = self.connection()?;
        let inserted = diesel::insert_into(account::table)
            .values(AccountRow::from(user))
            .on_conflict_do_nothing()
            .execute(connection)
            .await
            .map_err(storage_error)?;
        if inserted > 0 {
            return refuse_erased(connection, user.id).await;
        }
        let same_id = account::table.filter(account::id.eq(user.id.as_uuid()));
        let id_is_taken: bool =
            diesel::select(exists(same_id)).get_result(connection).await.map_err(storage_error)?;
        Err(StorageError::Conflict(if id_is_taken { UniqueKey::UserId } else { UniqueKey::UserEmail }))
    }

    async fn find(&mut self, id: UserId) -> Result<Option<User>, StorageError> {
        // Whoever finds may update, with all that was found: nobody else may in between. Rows that refer to this
        // one by a foreign key are still inserted meanwhile.
        let row: Option<AccountRow> = account::table
            .filter(account::id.eq(id.as_uuid()))
            .select(AccountRow::as_select())
            .for_no_key_update()
            .first(self.connection()?)
            .await
            .optional()
            .map_err(storage_error)?;
        self.found.extend(row.is_some().then_some(id));
        row.map(AccountRow::into_user).transpose()
    }

    async fn find_by_email(&mut self, email: &Email) -> Result<Option<User>, StorageError> {
        let row: Option<AccountRow> = account::table
            .filter(account::email_normalised.eq(email.normalised()))
            .select(AccountRow::as_select())
            .first(self.connection()?)
            .await
            .optional()
            .map_err(storage_error)?;
        row.map(AccountRow::into_user).transpose()
    }

    async fn list(&mut self, after: Option<UserId>, limit: u32) -> Result<Vec<User>, StorageError> {
        let mut query = account::table
            .order(account::id.asc())
            .limit(i64::from(limit))
            .select(AccountRow::as_select())
            .into_boxed();
        if let Some(after) = after {
            query = query.filter(account::id.gt(after.as_uuid()));
        }
        let rows: Vec<AccountRow> = query.load(self.connection()?).await.map_err(storage_error)?;
        rows.into_iter().map(AccountRow::into_user).collect()
    }

    async fn update(&mut self, user: &User) -> Result<bool, StorageError> {
        // As of all that this unit of work changes of the person.
        let step = i64::from(!self.numbers.contains_key(&user.id));
        let connection = self.connection()?;
        let others = account::table
            .filter(account::email_normalised.eq(user.email.normalised()))
            .filter(account::id.ne(user.id.as_uuid()));
        let is_taken: bool =
            diesel::select(exists(others)).get_result(connection).await.map_err(storage_error)?;
        if is_taken {
            return Err(StorageError::Conflict(UniqueKey::UserEmail));
        }
        let number: Option<i64> = diesel::update(account::table.filter(account::id.eq(user.id.as_uuid())))
            .set((
                AccountRow::from(user),
                account::change_number.eq(account::change_number + step),
                account::profile_change_number.eq(account::change_number + step),
            ))
            .returning(account::change_number)
            .get_result(connection)
            .await
            .optional()
            .map_err(storage_error)?;
        self.numbers.extend(number.map(|number| (user.id, number)));
        Ok(number.is_some())
    }

    async fn delete(&mut self, id: UserId) -> Result<bool, StorageError> {
        // Everything of a person hangs on this row by ON DELETE CASCADE.
        let deleted = diesel::delete(account::table.filter(account::id.eq(id.as_uuid())))
            .execute(self.connection()?)
            .await
            .map_err(storage_error)?;
        Ok(deleted > 0)
    }
}

/// Takes a new person back whose id was once another's. Looks after the insert, which waits for an erasure that goes on.
async fn refuse_erased(connection: &mut Pooled, id: UserId) -> Result<(), StorageError> {
    if !was_erased(connection, id).await? {
        return Ok(());
    }
    let person = account::table.filter(account::id.eq(id.as_uuid()));
    diesel::delete(person).execute(connection).await.map_err(storage_error)?;
    Err(StorageError::Conflict(UniqueKey::UserId))
}
