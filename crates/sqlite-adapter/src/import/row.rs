//! The row of an import.

use super::report::StoredReport;
use super::{profile, undone};
use crate::row::{Cells, blob, micros};
use crate::schema::import;
use crate::statement::Statement;
use application::import::ImportReport;
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

/// A row of `import` without its lease.
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
    #[diesel(embed, skip_insertion)]
    extra: ImportExtra,
}

/// Columns beyond the 16 that a diesel table has without a costlier feature. Separate statements read and
/// write them.
#[derive(Clone, Queryable)]
pub(super) struct ImportExtra {
    /// End of the undo; `None` while it is in progress.
    taken_back_at: Option<i64>,
    bytes_checked: i64,
    tries: i64,
    recording_start: Option<String>,
    overwrite_profile: bool,
    profile_changes: Option<String>,
    cancelled_by: Option<String>,
    left_out_labels: bool,
    undone: Option<String>,
}

/// SQL types of those columns.
type ExtraColumns = (
    Nullable<BigInt>,
    BigInt,
    BigInt,
    Nullable<Text>,
    Bool,
    Nullable<Text>,
    Nullable<Text>,
    Bool,
    Nullable<Text>,
);

impl Selectable<Sqlite> for ImportExtra {
    type SelectExpression = SqlLiteral<ExtraColumns>;

    fn construct_selection() -> Self::SelectExpression {
        sql("import.taken_back_at, import.bytes_checked, import.tries, import.recording_start, \
             import.overwrite_profile, import.profile_changes, import.cancelled_by, import.left_out_labels, import.undone")
    }
}

impl ImportExtra {
    fn of(import: &Import) -> Result<Self, StorageError> {
        let Import {
            state,
            started_at,
            ended_at,
            bytes_checked,
            tries,
            recording_start,
            overwrite_profile,
            report,
            cancelled_by,
            undone,
            ..
        } = import;
        let taken_back_at = (*state == ImportState::Undone).then(|| ended_at.unwrap_or(*started_at));
        Ok(Self {
            taken_back_at: taken_back_at.map(micros),
            bytes_checked: i64::try_from(*bytes_checked).unwrap_or(i64::MAX),
            tries: i64::from(*tries),
            recording_start: recording_start.map(|start| start.to_rfc3339()),
            overwrite_profile: *overwrite_profile,
            profile_changes: profile::to_json(&report.profile)?,
            cancelled_by: cancelled_by.map(|by| by.as_str().to_owned()),
            left_out_labels: report.left_out_labels,
            undone: undone::to_json(undone)?,
        })
    }

    fn store(self, connection: &mut SqliteConnection, id: &[u8]) -> QueryResult<usize> {
        let Self {
            taken_back_at,
            bytes_checked,
            tries,
            recording_start,
            overwrite_profile,
            profile_changes,
            cancelled_by,
            left_out_labels,
            undone,
        } = self;
        let statement: Statement<()> = Statement::new(
            "UPDATE import SET taken_back_at = ?, bytes_checked = ?, tries = ?, recording_start = nullif(?, ''), \
             overwrite_profile = ?, profile_changes = nullif(?, ''), cancelled_by = nullif(?, ''), \
             left_out_labels = ?, undone = nullif(?, '') WHERE id = ?",
        )
        .optional_integer(taken_back_at)
        .integer(bytes_checked)
        .integer(tries)
        .text(&recording_start.unwrap_or_default())
        .integer(i64::from(overwrite_profile))
        .text(&profile_changes.unwrap_or_default())
        .text(&cancelled_by.unwrap_or_default())
        .integer(i64::from(left_out_labels))
        .text(&undone.unwrap_or_default())
        .blob(id);
        statement.execute(connection)
    }
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
            recording_start: _,
            overwrite_profile: _,
            bytes_checked: _,
            bytes_done,
            tries: _,
            started_at,
            ended_at,
            report,
            refusal,
            cancelled_by: _,
            undone: _,
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
            state: stored_state(state).to_owned(),
            size: i64::try_from(size).unwrap_or(i64::MAX),
            bytes_done: i64::try_from(bytes_done).unwrap_or(i64::MAX),
            started_at: micros(started_at),
            ended_at: ended_at.map(micros),
            report: report.map_err(|error| StorageError::Internal(Box::new(error)))?,
            refusal,
            extra: ImportExtra::of(import)?,
        })
    }

    /// Inserts a new row.
    pub(super) fn insert(self, connection: &mut SqliteConnection) -> QueryResult<usize> {
        let (id, extra) = (self.id.clone(), self.extra.clone());
        diesel::insert_into(import::table).values(self).execute(connection)?;
        extra.store(connection, &id)
    }

    /// Overwrites the stored row except its person and its start.
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
            extra,
        } = self;
        extra.store(connection, &id)?;
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
            extra,
        } = self;
        let ImportExtra {
            taken_back_at,
            bytes_checked,
            tries,
            recording_start,
            overwrite_profile,
            profile_changes,
            cancelled_by,
            left_out_labels,
            undone,
        } = extra;
        let cells = Cells::of("import", &id);
        let profile = profile::of_json(cells, profile_changes.as_deref())?;
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
            state: cells.present("state", state_of(&state, taken_back_at))?,
            size: cells.sound("size", u64::try_from(size))?,
            recording_start: cells.sound(
                "recording_start",
                recording_start.map(|text| DateTime::parse_from_rfc3339(&text)).transpose(),
            )?,
            overwrite_profile,
            bytes_checked: cells.sound("bytes_checked", u64::try_from(bytes_checked))?,
            bytes_done: cells.sound("bytes_done", u64::try_from(bytes_done))?,
            tries: cells.sound("tries", u32::try_from(tries))?,
            started_at: cells.instant("started_at", started_at)?,
            ended_at: cells.optional_instant("ended_at", ended_at)?,
            report: ImportReport { profile, left_out_labels, ..report.into() },
            refusal,
            cancelled_by: cancelled_by
                .map(|by| cells.present("cancelled_by", Canceller::parse(&by)))
                .transpose()?,
            undone: undone::of_json(cells, undone.as_deref())?,
        })
    }
}

/// Returns the stored state. An import that is being undone is stored as undone, without the time at which
/// the undo ended, for compatibility with older versions.
const fn stored_state(state: ImportState) -> &'static str {
    match state {
        ImportState::Undoing => ImportState::Undone.as_str(),
        state => state.as_str(),
    }
}

fn state_of(stored: &str, taken_back_at: Option<i64>) -> Option<ImportState> {
    match ImportState::parse(stored)? {
        ImportState::Undone if taken_back_at.is_none() => Some(ImportState::Undoing),
        ImportState::Undoing => None,
        state => Some(state),
    }
}
