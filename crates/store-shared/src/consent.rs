//! Remembered consents.

use crate::column::{Held, IdCell, TimeCell};
use crate::row::row;
use crate::schema::consent;
use crate::statement::Raw;
use crate::unit_of_work::{Transaction, Unit};
use application::ports::storage::{ConsentRepository, StorageError};
use async_trait::async_trait;
use diesel::prelude::*;
use domain::consent::RememberedConsent;
use domain::id::{ClientId, UserId};

row! {
    /// A row of `consent`.
    ConsentRow of consent: RememberedConsent, row format_args!("{user_id} for client {client_id}"), {
        user_id: IdCell;
        client_id: IdCell;
        scopes: String;
        remembered_at: TimeCell;
    }
}

/// On `PostgreSQL`, waits for locked rows: the operator uses this to forget every consent.
const FORGET_ANY: [&str; 2] = [
    "WITH chosen AS MATERIALIZED (SELECT user_id, client_id FROM consent LIMIT ?)
        DELETE FROM consent o USING chosen WHERE o.user_id = chosen.user_id AND o.client_id = chosen.client_id",
    "DELETE FROM consent WHERE (user_id, client_id) IN (SELECT user_id, client_id FROM consent LIMIT ?)",
];

#[async_trait]
impl<R: Transaction> ConsentRepository for Unit<R> {
    async fn find(
        &mut self,
        user_id: UserId,
        client_id: ClientId,
    ) -> Result<Option<RememberedConsent>, StorageError> {
        let query = consent::table.find((user_id.cell(), client_id.cell())).select(ConsentRow::COLUMNS);
        self.read::<ConsentRow>(query).await
    }

    async fn remember(&mut self, consent: &RememberedConsent) -> Result<(), StorageError> {
        let query = diesel::insert_into(consent::table)
            .values(ConsentRow::from(consent))
            .on_conflict((consent::user_id, consent::client_id))
            .do_update()
            .set((
                consent::scopes.eq(consent.scopes.cell()),
                consent::remembered_at.eq(consent.remembered_at.cell()),
            ));
        self.0.execute(query).await.map(drop)
    }

    async fn forget(
        &mut self,
        user_id: Option<UserId>,
        client_id: Option<ClientId>,
    ) -> Result<u64, StorageError> {
        let all = diesel::delete(consent::table);
        let of_user = |id: UserId| consent::user_id.eq(id.cell());
        let of_client = |id: ClientId| consent::client_id.eq(id.cell());
        match (user_id, client_id) {
            (Some(user), Some(client)) => {
                self.0.execute(all.filter(of_user(user)).filter(of_client(client))).await
            }
            (Some(user), None) => self.0.execute(all.filter(of_user(user))).await,
            (None, Some(client)) => self.0.execute(all.filter(of_client(client))).await,
            (None, None) => self.0.execute(all).await,
        }
    }

    async fn forget_any(&mut self, limit: u32) -> Result<u64, StorageError> {
        self.0.execute(Raw::<()>::new(FORGET_ANY).bind(i64::from(limit))).await
    }
}
