//! Remembered consents.

use crate::row::{Cells, blob, micros};
use crate::schema::consent;
use crate::statement::{Statement, execute, load_row};
use crate::unit_of_work::SqliteUnitOfWork;
use application::ports::storage::{ConsentRepository, StorageError};
use async_trait::async_trait;
use diesel::prelude::*;
use diesel::sqlite::Sqlite;
use domain::consent::RememberedConsent;
use domain::id::{ClientId, UserId};

#[derive(Queryable, Insertable, AsChangeset)]
#[diesel(table_name = consent)]
struct ConsentRow {
    user_id: Vec<u8>,
    client_id: Vec<u8>,
    scopes: String,
    remembered_at: i64,
}

impl From<&RememberedConsent> for ConsentRow {
    fn from(consent: &RememberedConsent) -> Self {
        let RememberedConsent { user_id, client_id, scopes, remembered_at } = consent;
        Self {
            user_id: blob(user_id.as_uuid()),
            client_id: blob(client_id.as_uuid()),
            scopes: scopes.to_string(),
            remembered_at: micros(*remembered_at),
        }
    }
}

impl ConsentRow {
    fn into_consent(self) -> Result<RememberedConsent, StorageError> {
        let Self { user_id, client_id, scopes, remembered_at } = self;
        let cells = Cells::new("consent", &user_id);
        Ok(RememberedConsent {
            user_id: UserId::from_uuid(cells.uuid("user_id", &user_id)?),
            client_id: ClientId::from_uuid(cells.uuid("client_id", &client_id)?),
            scopes: cells.scopes(&scopes)?,
            remembered_at: cells.instant("remembered_at", remembered_at)?,
        })
    }
}

#[async_trait]
impl ConsentRepository for SqliteUnitOfWork {
    async fn find(
        &mut self,
        user_id: UserId,
        client_id: ClientId,
    ) -> Result<Option<RememberedConsent>, StorageError> {
        let key = (blob(user_id.as_uuid()), blob(client_id.as_uuid()));
        self.run(load_row(consent::table.find(key))).await?.map(ConsentRow::into_consent).transpose()
    }

    async fn remember(&mut self, consent: &RememberedConsent) -> Result<(), StorageError> {
        let query = diesel::insert_into(consent::table)
            .values(ConsentRow::from(consent))
            .on_conflict((consent::user_id, consent::client_id))
            .do_update()
            .set(ConsentRow::from(consent));
        self.run(execute(query)).await.map(drop)
    }

    async fn forget(
        &mut self,
        user_id: Option<UserId>,
        client_id: Option<ClientId>,
    ) -> Result<u64, StorageError> {
        let mut forgotten = diesel::delete(consent::table).into_boxed::<Sqlite>();
        if let Some(user_id) = user_id {
            forgotten = forgotten.filter(consent::user_id.eq(blob(user_id.as_uuid())));
        }
        if let Some(client_id) = client_id {
            forgotten = forgotten.filter(consent::client_id.eq(blob(client_id.as_uuid())));
        }
        self.run(execute(forgotten)).await
    }

    async fn forget_any(&mut self, limit: u32) -> Result<u64, StorageError> {
        let statement: Statement<()> = Statement::new(
            "DELETE FROM consent WHERE (user_id, client_id) IN \
             (SELECT user_id, client_id FROM consent LIMIT ?)",
        )
        .integer(i64::from(limit));
        self.run(execute(statement)).await
    }
}
