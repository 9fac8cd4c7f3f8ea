//! Where the values of profiles came from.

use crate::error::corrupt;
use crate::schema::profile_source;
use crate::store::PostgresStore;
use crate::unit_of_work::PgUnitOfWork;
use application::ports::storage::StorageError;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::upsert::excluded;
use domain::id::{ImportId, UserId};
use domain::user::{ProfileField, ProfileOrigin, ProfileSource};
use uuid::Uuid;

type Row = (String, String, Option<Uuid>, DateTime<Utc>);

impl PgUnitOfWork {
    pub(crate) async fn upsert_sources(
        &mut self,
        id: UserId,
        sources: &[ProfileSource],
    ) -> Result<(), StorageError> {
        if sources.is_empty() {
            return Ok(());
        }
        let rows: Vec<_> = sources
            .iter()
            .map(|ProfileSource { field, origin, at }| {
                (
                    profile_source::user_id.eq(id.as_uuid()),
                    profile_source::field.eq(field.as_str()),
                    profile_source::origin.eq(origin.as_str()),
                    profile_source::import_id.eq(origin.import().map(|id| id.as_uuid())),
                    profile_source::at.eq(*at),
                )
            })
            .collect();
        let query = diesel::insert_into(profile_source::table)
            .values(rows)
            .on_conflict((profile_source::user_id, profile_source::field))
            .do_update()
            .set((
                profile_source::origin.eq(excluded(profile_source::origin)),
                profile_source::import_id.eq(excluded(profile_source::import_id)),
                profile_source::at.eq(excluded(profile_source::at)),
            ));
        self.connection()?.execute(query).await.map(drop)
    }
}

impl PostgresStore {
    pub(crate) async fn sources_of(&self, user_id: UserId) -> Result<Vec<ProfileSource>, StorageError> {
        let query = move || {
            profile_source::table.filter(profile_source::user_id.eq(user_id.as_uuid())).select((
                profile_source::field,
                profile_source::origin,
                profile_source::import_id,
                profile_source::at,
            ))
        };
        let rows: Vec<Row> = self.read_rows(query).await?;
        rows.into_iter().map(|row| source(row, user_id)).collect()
    }
}

fn source((field, origin, import, at): Row, user_id: UserId) -> Result<ProfileSource, StorageError> {
    let id = user_id.as_uuid();
    let field = ProfileField::parse(&field).ok_or(()).map_err(corrupt("profile_source", "field", id))?;
    let origin = ProfileOrigin::parse(&origin, import.map(ImportId::from_uuid)).ok_or(());
    Ok(ProfileSource { field, origin: origin.map_err(corrupt("profile_source", "origin", id))?, at })
}
