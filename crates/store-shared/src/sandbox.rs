//! Sandbox people.

use crate::column::{DayCell, Held, IdCell, held};
use crate::row::{parse, row};
use crate::schema::sandbox_person;
use crate::store::Store;
use crate::unit_of_work::{Transaction, Unit};
use application::ports::storage::{SandboxRepository, StorageError};
use async_trait::async_trait;
use chrono::NaiveDate;
use diesel::prelude::*;
use domain::id::UserId;
use domain::sandbox::{SandboxPerson, Story};

row! {
    /// A row of `sandbox_person`.
    SandboxRow of sandbox_person: SandboxPerson, row user_id, {
        user_id: IdCell;
        story: String;
        owner: Option<IdCell>, in owner_id;
        records_until: DayCell;
    }
}

held! {
    Story as String: |story| story.as_str().to_owned(), |text| Self::parse(&text);
}

/// Lists the sandbox people of a developer, or all, by id.
pub async fn list_sandbox_people(
    store: &impl Store,
    owner: Option<UserId>,
) -> Result<Vec<SandboxPerson>, StorageError> {
    let all = sandbox_person::table.order(sandbox_person::user_id.asc()).select(SandboxRow::COLUMNS);
    match owner {
        Some(owner) => {
            store.read_all::<SandboxRow, _>(all.filter(sandbox_person::owner_id.eq(owner.cell()))).await
        }
        None => store.read_all::<SandboxRow, _>(all).await,
    }
}

#[async_trait]
impl<R: Transaction> SandboxRepository for Unit<R> {
    async fn insert(&mut self, person: &SandboxPerson) -> Result<(), StorageError> {
        let query = diesel::insert_into(sandbox_person::table).values(SandboxRow::from(person));
        self.0.execute(query).await.map(drop)
    }

    async fn find(&mut self, user_id: UserId) -> Result<Option<SandboxPerson>, StorageError> {
        let query = sandbox_person::table.find(user_id.cell()).select(SandboxRow::COLUMNS);
        self.read::<SandboxRow>(query).await
    }

    async fn set_records_until(&mut self, user_id: UserId, day: NaiveDate) -> Result<bool, StorageError> {
        let one = sandbox_person::table.find(user_id.cell());
        self.changes(diesel::update(one).set(sandbox_person::records_until.eq(day.cell()))).await
    }

    async fn list_of_owner(&mut self, owner: UserId) -> Result<Vec<UserId>, StorageError> {
        let query = sandbox_person::table
            .filter(sandbox_person::owner_id.eq(owner.cell()))
            .order(sandbox_person::user_id.asc())
            .select(sandbox_person::user_id);
        let ids = self.0.load_rows::<IdCell, _>(query).await?;
        ids.into_iter().map(|id| parse("sandbox_person", "user_id", &id, id)).collect()
    }
}
