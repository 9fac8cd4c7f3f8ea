//! Sandbox people.

use crate::error::StorageResult as _;
use crate::row::{Cells, blob, date};
use crate::schema::sandbox_person;
use crate::statement::{execute, load_row};
use crate::store::SqliteStore;
use crate::unit_of_work::SqliteUnitOfWork;
use application::ports::storage::{SandboxReader, SandboxRepository, StorageError};
use async_trait::async_trait;
use chrono::NaiveDate;
use diesel::prelude::*;
use domain::id::UserId;
use domain::sandbox::{SandboxPerson, Story};

#[derive(Queryable, Insertable)]
#[diesel(table_name = sandbox_person)]
struct SandboxRow {
    user_id: Vec<u8>,
    story: String,
    owner_id: Option<Vec<u8>>,
    records_until: String,
}

impl From<&SandboxPerson> for SandboxRow {
    fn from(person: &SandboxPerson) -> Self {
        let SandboxPerson { user_id, story, owner, records_until } = *person;
        Self {
            user_id: blob(user_id.as_uuid()),
            story: story.as_str().to_owned(),
            owner_id: owner.map(|owner| blob(owner.as_uuid())),
            records_until: date(records_until),
        }
    }
}

impl SandboxRow {
    fn into_person(self) -> Result<SandboxPerson, StorageError> {
        let Self { user_id, story, owner_id, records_until } = self;
        let cells = Cells::new("sandbox_person", &user_id);
        let owner = owner_id.map(|owner| cells.uuid("owner_id", &owner)).transpose()?;
        let until = cells.optional_date("records_until", Some(&records_until))?;
        Ok(SandboxPerson {
            user_id: UserId::from_uuid(cells.uuid("user_id", &user_id)?),
            story: cells.present("story", Story::parse(&story))?,
            owner: owner.map(UserId::from_uuid),
            records_until: cells.present("records_until", until)?,
        })
    }
}

#[async_trait]
impl SandboxRepository for SqliteUnitOfWork {
    async fn insert(&mut self, person: &SandboxPerson) -> Result<(), StorageError> {
        let query = diesel::insert_into(sandbox_person::table).values(SandboxRow::from(person));
        self.run(execute(query)).await.map(drop)
    }

    async fn find(&mut self, user_id: UserId) -> Result<Option<SandboxPerson>, StorageError> {
        let query = sandbox_person::table.find(blob(user_id.as_uuid()));
        self.run(load_row(query)).await?.map(SandboxRow::into_person).transpose()
    }

    async fn set_records_until(&mut self, user_id: UserId, day: NaiveDate) -> Result<bool, StorageError> {
        let query = diesel::update(sandbox_person::table.find(blob(user_id.as_uuid())))
            .set(sandbox_person::records_until.eq(date(day)));
        Ok(self.run(execute(query)).await? > 0)
    }

    async fn list_of_owner(&mut self, owner: UserId) -> Result<Vec<UserId>, StorageError> {
        let people = self.run(move |connection| list(connection, Some(owner))).await?;
        Ok(people.into_iter().map(|person| person.user_id).collect())
    }
}

#[async_trait]
impl SandboxReader for SqliteStore {
    async fn list_sandbox_people(&self, owner: Option<UserId>) -> Result<Vec<SandboxPerson>, StorageError> {
        self.read(move |connection| list(connection, owner)).await
    }
}

fn list(
    connection: &mut SqliteConnection,
    owner: Option<UserId>,
) -> Result<Vec<SandboxPerson>, StorageError> {
    let mut query = sandbox_person::table.order(sandbox_person::user_id).into_boxed();
    if let Some(owner) = owner {
        query = query.filter(sandbox_person::owner_id.eq(blob(owner.as_uuid())));
    }
    let rows: Vec<SandboxRow> = query.load(connection).storage()?;
    rows.into_iter().map(SandboxRow::into_person).collect()
}
