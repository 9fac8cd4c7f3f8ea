//! Remembered consents.

use crate::row::scope_set;
use crate::schema::consent;
use crate::unit_of_work::PgUnitOfWork;
use application::ports::storage::{ConsentRepository, StorageError};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::BigInt;
use domain::consent::RememberedConsent;
use domain::id::{ClientId, UserId};
use uuid::Uuid;

/// A row of `consent`.
#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = consent, primary_key(user_id, client_id), check_for_backend(Pg))]
pub(crate) struct ConsentRow {
    user_id: Uuid,
    client_id: Uuid,
    scopes: String,
    remembered_at: DateTime<Utc>,
}

impl From<&RememberedConsent> for ConsentRow {
    fn from(consent: &RememberedConsent) -> Self {
        let RememberedConsent { user_id, client_id, scopes, remembered_at } = consent;
        Self {
            user_id: user_id.as_uuid(),
            client_id: client_id.as_uuid(),
            scopes: scopes.to_string(),
            remembered_at: *remembered_at,
        }
    }
}

impl ConsentRow {
    pub(crate) fn into_consent(self) -> Result<RememberedConsent, StorageError> {
        let Self { user_id, client_id, scopes, remembered_at } = self;
        let row = format_args!("of person {user_id} for client {client_id}").to_string();
        Ok(RememberedConsent {
            user_id: UserId::from_uuid(user_id),
            client_id: ClientId::from_uuid(client_id),
            scopes: scope_set(&scopes, "consent", row)?,
            remembered_at,
        })
    }
}

/// Waits for locked rows: the operator uses this to forget every consent.
const FORGET_ANY: &str = "WITH chosen AS MATERIALIZED (SELECT user_id, client_id FROM consent LIMIT $1)
    DELETE FROM consent o USING chosen WHERE o.user_id = chosen.user_id AND o.client_id = chosen.client_id";

#[async_trait]
impl ConsentRepository for PgUnitOfWork {
    async fn find(
        &mut self,
        user_id: UserId,
        client_id: ClientId,
    ) -> Result<Option<RememberedConsent>, StorageError> {
        let query =
            consent::table.find((user_id.as_uuid(), client_id.as_uuid())).select(ConsentRow::as_select());
        self.connection()?.load_row(query).await?.map(ConsentRow::into_consent).transpose()
    }

    async fn remember(&mut self, consent: &RememberedConsent) -> Result<(), StorageError> {
        let query = diesel::insert_into(consent::table)
            .values(ConsentRow::from(consent))
            .on_conflict((consent::user_id, consent::client_id))
            .do_update()
            .set(ConsentRow::from(consent));
        self.connection()?.execute(query).await.map(drop)
    }

    async fn forget(
        &mut self,
        user_id: Option<UserId>,
        client_id: Option<ClientId>,
    ) -> Result<u64, StorageError> {
        let mut forgetting = diesel::delete(consent::table).into_boxed();
        if let Some(user_id) = user_id {
            forgetting = forgetting.filter(consent::user_id.eq(user_id.as_uuid()));
        }
        if let Some(client_id) = client_id {
            forgetting = forgetting.filter(consent::client_id.eq(client_id.as_uuid()));
        }
        self.connection()?.execute(forgetting).await
    }

    async fn forget_any(&mut self, limit: u32) -> Result<u64, StorageError> {
        let query = sql_query(FORGET_ANY).bind::<BigInt, _>(i64::from(limit));
        self.connection()?.execute(query).await
    }
}
