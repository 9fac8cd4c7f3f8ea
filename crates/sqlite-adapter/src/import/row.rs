//! The row of an import.

use crate::row::{Cells, blob, micros};
use crate::schema::{import, import_extra};
use application::ports::storage::{Import, StorageError};
use chrono::DateTime;
use diesel::dsl::sql;
use diesel::expression::SqlLiteral;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Nullable, Text};
use diesel::sqlite::{Sqlite, SqliteConnection};
use domain::id::{ImportId, UserId};
use domain::import::{Canceller, FileDigest, FileName, ImportOrigin, ImportState};
use domain::time::TimeZone;
use store_shared::{
    read_profile_changes, read_report, read_undone, write_profile_changes, write_report, write_undone,
};

/// A row of `import` without its lease.
#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = import)]
pub(super) struct ImportRow {
    id: Vec<u8>,
    user_id: Option<Vec<u8>>,
    started_at: i64,
    #[diesel(embed)]
    content: ImportContent,
    #[diesel(embed, skip_insertion)]
    extra: ImportExtra,
}

/// Columns that an update overwrites.
#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = import, treat_none_as_null = true)]
pub(super) struct ImportContent {
    origin: String,
    file_name: String,
    format: Option<String>,
    digest: Option<Vec<u8>>,
    zone: String,
    state: String,
    size: i64,
    bytes_done: i64,
    ended_at: Option<i64>,
    report: String,
    refusal: Option<String>,
}

/// The rest of the columns that an update overwrites.
#[derive(Clone, Queryable, AsChangeset)]
#[diesel(table_name = import_extra, treat_none_as_null = true)]
pub(super) struct ImportExtra {
    bytes_checked: i64,
    tries: i64,
    recording_start: Option<String>,
    overwrite_profile: bool,
    profile_changes: Option<String>,
    cancelled_by: Option<String>,
    left_out_labels: bool,
    undone: Option<String>,
}

type ExtraColumns =
    (BigInt, BigInt, Nullable<Text>, Bool, Nullable<Text>, Nullable<Text>, Bool, Nullable<Text>);

/// Written out because diesel does not know that the columns of `import_extra` are columns of `import`.
impl Selectable<Sqlite> for ImportExtra {
    type SelectExpression = SqlLiteral<ExtraColumns>;

    fn construct_selection() -> Self::SelectExpression {
        sql("import.bytes_checked, import.tries, import.recording_start, import.overwrite_profile, \
             import.profile_changes, import.cancelled_by, import.left_out_labels, import.undone")
    }
}

impl ImportExtra {
    fn from_import(import: &Import) -> Result<Self, StorageError> {
        Ok(Self {
            bytes_checked: i64::try_from(import.bytes_checked).unwrap_or(i64::MAX),
            tries: i64::from(import.tries),
            recording_start: import.recording_start.map(|start| start.to_rfc3339()),
            overwrite_profile: import.overwrite_profile,
            profile_changes: write_profile_changes(&import.report.profile)?,
            cancelled_by: import.cancelled_by.map(|by| by.as_str().to_owned()),
            left_out_labels: import.report.left_out_labels,
            undone: write_undone(&import.undone)?,
        })
    }

    fn store(self, connection: &mut SqliteConnection, id: &[u8]) -> QueryResult<usize> {
        diesel::update(import_extra::table.find(id)).set(self).execute(connection)
    }
}

impl ImportContent {
    fn from_import(import: &Import) -> Result<Self, StorageError> {
        let Import {
            id: _,
            user_id: _,
            origin,
            file_name,
            format,
            digest,
            zone,
            state,
            size,
            recording_start: _,
            overwrite_profile: _,
            bytes_checked: _,
            bytes_done,
            tries: _,
            started_at: _,
            ended_at,
            report,
            refusal,
            cancelled_by: _,
            undone: _,
        } = import;
        Ok(Self {
            origin: origin.as_str().to_owned(),
            file_name: file_name.as_str().to_owned(),
            format: format.clone(),
            digest: digest.map(|digest| digest.as_bytes().to_vec()),
            zone: zone.name().to_owned(),
            state: state.as_str().to_owned(),
            size: i64::try_from(*size).unwrap_or(i64::MAX),
            bytes_done: i64::try_from(*bytes_done).unwrap_or(i64::MAX),
            ended_at: ended_at.map(micros),
            report: write_report(report)?,
            refusal: refusal.clone(),
        })
    }
}

impl ImportRow {
    pub(super) fn from_import(import: &Import) -> Result<Self, StorageError> {
        Ok(Self {
            id: blob(import.id.as_uuid()),
            user_id: import.user_id.map(|id| blob(id.as_uuid())),
            started_at: micros(import.started_at),
            content: ImportContent::from_import(import)?,
            extra: ImportExtra::from_import(import)?,
        })
    }

    /// Inserts a new row.
    pub(super) fn insert(self, connection: &mut SqliteConnection) -> QueryResult<usize> {
        let (id, extra) = (self.id.clone(), self.extra.clone());
        diesel::insert_into(import::table).values(self).execute(connection)?;
        extra.store(connection, &id)
    }

    /// Overwrites the stored row except its user id and start time.
    pub(super) fn overwrite(self, connection: &mut SqliteConnection) -> QueryResult<usize> {
        let Self { id, user_id: _, started_at: _, content, extra } = self;
        extra.store(connection, &id)?;
        let now = sql::<Nullable<BigInt>>("CAST(unixepoch('subsec') * 1000000 AS INTEGER)");
        diesel::update(import::table.find(id)).set((content, import::updated_at.eq(now))).execute(connection)
    }

    pub(super) fn into_import(self) -> Result<Import, StorageError> {
        let Self { id, user_id, started_at, content, extra } = self;
        let ImportContent {
            origin,
            file_name,
            format,
            digest,
            zone,
            state,
            size,
            bytes_done,
            ended_at,
            report,
            refusal,
        } = content;
        let ImportExtra {
            bytes_checked,
            tries,
            recording_start,
            overwrite_profile,
            profile_changes,
            cancelled_by,
            left_out_labels,
            undone,
        } = extra;
        let cells = Cells::new("import", &id);
        let profile = cells.present("profile_changes", read_profile_changes(profile_changes.as_deref()))?;
        let user_id = user_id.map(|id| cells.uuid("user_id", &id)).transpose()?;
        let digest = digest.map(|digest| cells.bytes32("digest", &digest)).transpose()?;
        Ok(Import {
            id: ImportId::from_uuid(cells.uuid("id", &id)?),
            user_id: user_id.map(UserId::from_uuid),
            origin: cells.present("origin", ImportOrigin::parse(&origin))?,
            file_name: FileName::clean(&file_name),
            format,
            digest: digest.map(FileDigest::from_bytes),
            zone: cells.valid("zone", TimeZone::parse(&zone))?,
            state: cells.present("state", ImportState::parse(&state))?,
            size: cells.valid("size", u64::try_from(size))?,
            recording_start: cells.valid(
                "recording_start",
                recording_start.map(|text| DateTime::parse_from_rfc3339(&text)).transpose(),
            )?,
            overwrite_profile,
            bytes_checked: cells.valid("bytes_checked", u64::try_from(bytes_checked))?,
            bytes_done: cells.valid("bytes_done", u64::try_from(bytes_done))?,
            tries: cells.valid("tries", u32::try_from(tries))?,
            started_at: cells.instant("started_at", started_at)?,
            ended_at: cells.optional_instant("ended_at", ended_at)?,
            report: cells.present("report", read_report(&report, profile, left_out_labels))?,
            refusal,
            cancelled_by: cancelled_by
                .map(|by| cells.present("cancelled_by", Canceller::parse(&by)))
                .transpose()?,
            undone: cells.present("undone", read_undone(undone.as_deref()))?,
        })
    }
}
