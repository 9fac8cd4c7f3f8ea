//! Profiles.

use crate::connection::SharedConnections;
use crate::error::storage_error;
use crate::gathering::{Found, Gathering};
use crate::pool_meter::{Operation, traced};
use crate::row::{AccountColumns, AccountRow};
use crate::statement::returning;
use crate::store::PostgresStore;
use application::ports::storage::{ProfileReader, StorageError};
use async_trait::async_trait;
use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{Array, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;
use domain::id::UserId;
use domain::user::User;
use futures_util::FutureExt;
use std::sync::Arc;
use uuid::Uuid;

/// The columns of a row that was found.
macro_rules! columns {
    () => {
        "found.id, found.email, found.email_normalised, found.home_timezone, found.locked_at, found.created_at, \
        found.birth_date, found.biological_sex, found.blood_type, found.height_cm, found.weight_kg, \
        found.skin_type, found.wheelchair_use"
    };
}

/// Reads one person. A text, because the query builder would write the statement anew for each use.
const ONE: &str = concat!("SELECT ", columns!(), " FROM account AS found WHERE found.id = $1");

/// Reads several people, each by the key: `= ANY` would read a table of a few hundred whole, because a plan for any
/// array counts ten keys.
const SEVERAL: &str = concat!(
    "SELECT ",
    columns!(),
    " FROM unnest($1::uuid[]) AS wanted (id) \
    CROSS JOIN LATERAL (SELECT * FROM account WHERE account.id = wanted.id LIMIT 1) AS found"
);

/// Reads of profiles that are sent together.
pub(crate) type Profiles = Gathering<Uuid, User>;

/// Gathers reads of profiles for these connections, of so many workers.
pub(crate) fn profiles(connections: Arc<SharedConnections>, workers: usize) -> Profiles {
    Gathering::new(workers, move |ids| find(Arc::clone(&connections), ids).boxed())
}

async fn find(
    connections: Arc<SharedConnections>,
    ids: Vec<Uuid>,
) -> Result<Found<Uuid, User>, StorageError> {
    let rows: QueryResult<Vec<AccountRow>> = connections
        .read_for_many(|mut link| {
            if let [id] = *ids.as_slice() {
                let query = sql_query(ONE).bind::<SqlUuid, _>(id);
                return async move { returning::<AccountColumns, _>(query).load(&mut link).await }.boxed();
            }
            let query = sql_query(SEVERAL).bind::<Array<SqlUuid>, _>(ids.clone());
            async move { returning::<AccountColumns, _>(query).load(&mut link).await }.boxed()
        })
        .await;
    let rows = rows.map_err(storage_error)?;
    Ok(rows.into_iter().map(|row| (row.key(), row.into_user())).collect())
}

#[async_trait]
impl ProfileReader for PostgresStore {
    async fn find_profile(&self, user_id: UserId) -> Result<Option<User>, StorageError> {
        traced(Operation::Read, self.profiles.find(user_id.as_uuid())).await
    }
}

#[cfg(test)]
mod tests;
