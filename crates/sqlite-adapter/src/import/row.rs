//! The row of an import.

use super::report::StoredReport;
use crate::row::{Cells, blob, micros};
use crate::schema::import;
use application::ports::storage::{Import, StorageError};
use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Nullable};
use diesel::sqlite::SqliteConnection;
use domain::id::{ImportId, UserId};
use domain::import::{FileDigest, FileName, ImportOrigin, ImportState};
use domain::time::TimeZone;

/// An import but for its lease, which is the store's own affair.
#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = import)]
pub(super) struct ImportRow {
    id: Vec<u8>,
    user_id: Option<Vec<u8>>,
    origin: String,
    file_name: String,
    format: Option<String>,
    digest: Option<Vec<u8>>,
    zone: String,
    state: String,
    size: i64,
    bytes_done: i64,
    started_at: i64,
    ended_at: Option<i64>,
    report: String,
    refusal: Option<String>,
}

impl ImportRow {
    pub(super) fn of(import: &Import) -> Result<Self, StorageError> {
        let Import {
            id,
            user_id,
            origin,
            file_name,
            format,
            digest,
            zone,
            state,
            size,
            bytes_done,
            started_at,
            ended_at,
            report,
            refusal,
        } = import.clone();
        let report = serde_json::to_string(&StoredReport::from(report));
        Ok(Self {
            id: blob(id.as_uuid()),
            user_id: user_id.map(|id| blob(id.as_uuid())),
            origin: origin.as_str().to_owned(),
            file_name: file_name.as_str().to_owned(),
            format,
            digest: digest.map(|digest| digest.as_bytes().to_vec()),
            zone: zone.name().to_owned(),
            state: state.as_str().to_owned(),
            size: i64::try_from(size).unwrap_or(i64::MAX),
            bytes_done: i64::try_from(bytes_done).unwrap_or(i64::MAX),
            started_at: micros(started_at),
            ended_at: ended_at.map(micros),
            report: report.map_err(|error| StorageError::Internal(Box::new(error)))?,
            refusal,
        })
    }

    /// Keeps whose the stored row is and when it began, whatever this one says.
    pub(super) fn overwrite(self, connection: &mut SqliteConnection) -> QueryResult<usize> {
        use import::dsl;
        let Self {
            id,
            user_id: _,
            origin,
            file_name,
            format,
            digest,
            zone,
            state,
            size,
            bytes_done,
            started_at: _,
            ended_at,
            report,
            refusal,
        } = self;
        diesel::update(dsl::import.find(id))
            .set((
                dsl::origin.eq(origin),
                dsl::file_name.eq(file_name),
                dsl::format.eq(format),
                dsl::digest.eq(digest),
                dsl::zone.eq(zone),
                dsl::state.eq(state),
                dsl::size.eq(size),
                dsl::bytes_done.eq(bytes_done),
                dsl::ended_at.eq(ended_at),
                dsl::report.eq(report),
                dsl::refusal.eq(refusal),
                dsl::updated_at.eq(sql::<Nullable<BigInt>>("CAST(unixepoch('subsec') * 1000000 AS INTEGER)")),
            ))
            .execute(connection)
    }

    pub(super) fn into_import(self) -> Result<Import, StorageError> {
        let Self {
            id,
            user_id,
            origin,
            file_name,
            format,
            digest,
            zone,
            state,
            size,
            bytes_done,
            started_at,
            ended_at,
            report,
            refusal,
        } = self;
        let cells = Cells::of("import", &id);
        let user_id = user_id.map(|id| cells.uuid("user_id", &id)).transpose()?;
        let digest = digest.map(|digest| cells.bytes32("digest", &digest)).transpose()?;
        let report: StoredReport = cells.sound("report", serde_json::from_str(&report))?;
        Ok(Import {
            id: ImportId::from_uuid(cells.uuid("id", &id)?),
            user_id: user_id.map(UserId::from_uuid),
            origin: cells.present("origin", ImportOrigin::parse(&origin))?,
            file_name: FileName::clean(&file_name),
            format,
            digest: digest.map(FileDigest::from_bytes),
            zone: cells.sound("zone", TimeZone::parse(&zone))?,
            state: cells.present("state", ImportState::parse(&state))?,
            size: cells.sound("size", u64::try_from(size))?,
            bytes_done: cells.sound("bytes_done", u64::try_from(bytes_done))?,
            started_at: cells.instant("started_at", started_at)?,
            ended_at: cells.optional_instant("ended_at", ended_at)?,
            report: report.into(),
            refusal,
        })
    }
}
