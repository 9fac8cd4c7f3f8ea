//! Sandbox people.

use crate::error::corrupt;
use crate::schema::sandbox_person;
use crate::store::PostgresStore;
use crate::unit_of_work::PgUnitOfWork;
use application::ports::storage::{SandboxReader, SandboxRepository, StorageError};
use async_trait::async_trait;
use chrono::NaiveDate;
use diesel::pg::Pg;
use diesel::prelude::*;
use domain::id::UserId;
use domain::sandbox::{SandboxPerson, Story};
use uuid::Uuid;

/// A row of `sandbox_person`.
#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = sandbox_person, check_for_backend(Pg))]
struct SandboxRow {
    user_id: Uuid,
    story: String,
    owner_id: Option<Uuid>,
    records_until: NaiveDate,
}

impl From<&SandboxPerson> for SandboxRow {
    fn from(person: &SandboxPerson) -> Self {
        let SandboxPerson { user_id, story, owner, records_until } = *person;
        Self {
            user_id: user_id.as_uuid(),
            story: story.as_str().to_owned(),
            owner_id: owner.map(|owner| owner.as_uuid()),
            records_until,
        }
    }
}

impl SandboxRow {
    fn into_person(self) -> Result<SandboxPerson, StorageError> {
        let Self { user_id, story, owner_id, records_until } = self;
        let story = Story::parse(&story).ok_or(()).map_err(corrupt("sandbox_person", "story", user_id))?;
        let owner = owner_id.map(UserId::from_uuid);
        Ok(SandboxPerson { user_id: UserId::from_uuid(user_id), story, owner, records_until })
    }
}

#[async_trait]
impl SandboxRepository for PgUnitOfWork {
    async fn insert(&mut self, person: &SandboxPerson) -> Result<(), StorageError> {
        let query = diesel::insert_into(sandbox_person::table).values(SandboxRow::from(person));
        self.connection()?.execute(query).await.map(drop)
    }

    async fn find(&mut self, user_id: UserId) -> Result<Option<SandboxPerson>, StorageError> {
        let query = sandbox_person::table.find(user_id.as_uuid()).select(SandboxRow::as_select());
        self.connection()?.load_row(query).await?.map(SandboxRow::into_person).transpose()
    }

    async fn set_records_until(&mut self, user_id: UserId, day: NaiveDate) -> Result<bool, StorageError> {
        let query = diesel::update(sandbox_person::table.find(user_id.as_uuid()))
            .set(sandbox_person::records_until.eq(day));
        Ok(self.connection()?.execute(query).await? > 0)
    }

    async fn list_of_owner(&mut self, owner: UserId) -> Result<Vec<UserId>, StorageError> {
        let query = sandbox_person::table
            .filter(sandbox_person::owner_id.eq(owner.as_uuid()))
            .order(sandbox_person::user_id)
            .select(sandbox_person::user_id);
        let ids: Vec<Uuid> = self.connection()?.load_rows(query).await?;
        Ok(ids.into_iter().map(UserId::from_uuid).collect())
    }
}

#[async_trait]
impl SandboxReader for PostgresStore {
    async fn list_sandbox_people(&self, owner: Option<UserId>) -> Result<Vec<SandboxPerson>, StorageError> {
        let query = move || {
            let all = sandbox_person::table.order(sandbox_person::user_id).select(SandboxRow::as_select());
            let mut query = all.into_boxed();
            if let Some(owner) = owner {
                query = query.filter(sandbox_person::owner_id.eq(owner.as_uuid()));
            }
            query
        };
        let rows: Vec<SandboxRow> = self.read_rows(query).await?;
        rows.into_iter().map(SandboxRow::into_person).collect()
    }
}
