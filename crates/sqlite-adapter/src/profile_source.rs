//! Where the values of profiles came from.

use crate::error::StorageResult as _;
use crate::row::{Cells, blob, micros};
use crate::schema::profile_source;
use crate::store::SqliteStore;
use crate::unit_of_work::SqliteUnitOfWork;
use application::ports::storage::StorageError;
use diesel::prelude::*;
use diesel::upsert::excluded;
use domain::id::{ImportId, UserId};
use domain::user::{ProfileField, ProfileOrigin, ProfileSource};

type Row = (String, String, Option<Vec<u8>>, i64);

impl SqliteUnitOfWork {
    pub(crate) async fn upsert_sources(
        &mut self,
        id: UserId,
        sources: &[ProfileSource],
    ) -> Result<(), StorageError> {
        let (id, sources) = (blob(id.as_uuid()), sources.to_vec());
        self.run(move |connection| {
            for ProfileSource { field, origin, at } in sources {
                diesel::insert_into(profile_source::table)
                    .values((
                        profile_source::user_id.eq(&id),
                        profile_source::field.eq(field.as_str()),
                        profile_source::origin.eq(origin.as_str()),
                        profile_source::import_id.eq(origin.import().map(|id| blob(id.as_uuid()))),
                        profile_source::at.eq(micros(at)),
                    ))
                    .on_conflict((profile_source::user_id, profile_source::field))
                    .do_update()
                    .set((
                        profile_source::origin.eq(excluded(profile_source::origin)),
                        profile_source::import_id.eq(excluded(profile_source::import_id)),
                        profile_source::at.eq(excluded(profile_source::at)),
                    ))
                    .execute(connection)
                    .storage()?;
            }
            Ok(())
        })
        .await
    }
}

impl SqliteStore {
    pub(crate) async fn sources_of(&self, user_id: UserId) -> Result<Vec<ProfileSource>, StorageError> {
        self.read(move |connection| {
            let id = blob(user_id.as_uuid());
            let rows: Vec<Row> = profile_source::table
                .filter(profile_source::user_id.eq(&id))
                .select((
                    profile_source::field,
                    profile_source::origin,
                    profile_source::import_id,
                    profile_source::at,
                ))
                .load(connection)
                .storage()?;
            rows.into_iter().map(|row| source(row, &id)).collect()
        })
        .await
    }
}

fn source((field, origin, import, at): Row, id: &[u8]) -> Result<ProfileSource, StorageError> {
    let cells = Cells::new("profile_source", id);
    let field = cells.present("field", ProfileField::parse(&field))?;
    let import = import.map(|import| cells.uuid("import_id", &import)).transpose()?;
    let origin = cells.present("origin", ProfileOrigin::parse(&origin, import.map(ImportId::from_uuid)))?;
    Ok(ProfileSource { field, origin, at: cells.instant("at", at)? })
}
