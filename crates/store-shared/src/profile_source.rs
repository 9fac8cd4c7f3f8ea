//! Where the values of profiles came from.

use crate::column::{Held, IdCell, TimeCell, held};
use crate::row;
use crate::schema::profile_source::dsl;
use crate::statement::{Raw, Value};
use crate::store::Store;
use crate::unit_of_work::Transaction;
use application::ports::storage::StorageError;
use diesel::prelude::*;
use domain::id::UserId;
use domain::user::{ProfileField, ProfileOrigin, ProfileSource};

held! {
    ProfileField as String: |field| field.as_str().to_owned(), |text| Self::parse(&text);
    ProfileOrigin as (String, Option<IdCell>): |origin| (origin.as_str().to_owned(), origin.import().cell()),
        |(name, import)| Self::parse(&name, Held::parse(import)?);
}

const REPLACE: &str = "ON CONFLICT (user_id, field) DO UPDATE SET
    origin = excluded.origin, import_id = excluded.import_id, at = excluded.at";

/// Stores the sources of a person's values, and replaces earlier ones.
pub(crate) async fn record_sources(
    unit: &mut impl Transaction,
    id: UserId,
    sources: &[ProfileSource],
) -> Result<(), StorageError> {
    let row = |ProfileSource { field, origin, at }: &ProfileSource| {
        let (origin, import) = origin.cell();
        let import = Value::OptionalId(import);
        vec![
            Value::Id(id.cell()),
            Value::Text(field.cell()),
            Value::Text(origin),
            import,
            Value::Time(at.cell()),
        ]
    };
    let rows: Vec<_> = sources.iter().map(row).collect();
    if rows.is_empty() {
        return Ok(());
    }
    let table = "profile_source (user_id, field, origin, import_id, at)";
    unit.execute(Raw::insert(table, "(?, ?, ?, ?, ?)", rows, REPLACE)).await.map(drop)
}

/// Lists the sources of a person's values.
pub async fn list_sources(store: &impl Store, user_id: UserId) -> Result<Vec<ProfileSource>, StorageError> {
    let query = dsl::profile_source.filter(dsl::user_id.eq(user_id.cell())).select((
        dsl::field,
        (dsl::origin, dsl::import_id),
        dsl::at,
    ));
    let rows: Vec<(String, (String, Option<IdCell>), TimeCell)> = store.load_rows(query).await?;
    rows.into_iter()
        .map(|(field, origin, at)| {
            Ok(ProfileSource {
                field: row::parse("profile_source", "field", &user_id, field)?,
                origin: row::parse("profile_source", "origin", &user_id, origin)?,
                at: row::parse("profile_source", "at", &user_id, at)?,
            })
        })
        .collect()
}
