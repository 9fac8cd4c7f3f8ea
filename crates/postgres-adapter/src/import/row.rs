//! The row of an import.

use super::report::ReportJson;
use super::{profile, undone};
use crate::error::{corrupt, unexpected};
use crate::row::JsonText;
use crate::schema::import;
use application::import::ImportReport;
use application::ports::storage::{Import, StorageError};
use chrono::{DateTime, Utc};
use diesel::dsl::sql;
use diesel::expression::SqlLiteral;
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Integer, Nullable, Text, Timestamptz};
use domain::id::{ImportId, UserId};
use domain::import::{Canceller, FileDigest, FileName, ImportOrigin, ImportState};
use domain::time::TimeZone;
use uuid::Uuid;

const TABLE: &str = "import";

/// A row of `import` without its lease.
#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = import, check_for_backend(Pg))]
pub(crate) struct ImportRow {
    id: Uuid,
    user_id: Option<Uuid>,
    started_at: DateTime<Utc>,
    #[diesel(embed)]
    content: ImportContent,
    #[diesel(embed, skip_insertion)]
    extra: ImportExtra,
}

/// Columns that an update overwrites.
#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = import, check_for_backend(Pg), treat_none_as_null = true)]
pub(crate) struct ImportContent {
    origin: String,
    file_name: String,
    format: Option<String>,
    digest: Option<Vec<u8>>,
    zone: String,
    state: String,
    size: i64,
    bytes_done: i64,
    ended_at: Option<DateTime<Utc>>,
    report: JsonText,
    refusal: Option<String>,
}

/// Columns beyond the 16 that a diesel table has without a costlier feature. Separate statements read and
/// write them.
#[derive(Queryable)]
pub(crate) struct ImportExtra {
    /// End of the undo; `None` while it is in progress.
    pub(crate) taken_back_at: Option<DateTime<Utc>>,
    pub(crate) bytes_checked: i64,
    pub(crate) tries: i32,
    pub(crate) recording_start: Option<String>,
    pub(crate) overwrite_profile: bool,
    pub(crate) profile_changes: Option<String>,
    pub(crate) cancelled_by: Option<String>,
    pub(crate) left_out_labels: bool,
    pub(crate) undone: Option<String>,
}

/// SQL types of those columns.
type ExtraColumns = (
    Nullable<Timestamptz>,
    BigInt,
    Integer,
    Nullable<Text>,
    Bool,
    Nullable<Text>,
    Nullable<Text>,
    Bool,
    Nullable<Text>,
);

impl Selectable<Pg> for ImportExtra {
    type SelectExpression = SqlLiteral<ExtraColumns>;

    fn construct_selection() -> Self::SelectExpression {
        sql("import.taken_back_at, import.bytes_checked, import.tries, import.recording_start, \
             import.overwrite_profile, import.profile_changes::text, import.cancelled_by, import.left_out_labels, \
             import.undone::text")
    }
}

impl ImportExtra {
    /// Returns the import's values of those columns.
    pub(crate) fn of(import: &Import) -> Result<Self, StorageError> {
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
        Ok(Self {
            taken_back_at: (*state == ImportState::Undone).then(|| ended_at.unwrap_or(*started_at)),
            bytes_checked: i64::try_from(*bytes_checked).unwrap_or(i64::MAX),
            tries: i32::try_from(*tries).unwrap_or(i32::MAX),
            recording_start: recording_start.map(|start| start.to_rfc3339()),
            overwrite_profile: *overwrite_profile,
            profile_changes: profile::to_json(&report.profile)?,
            cancelled_by: cancelled_by.map(|by| by.as_str().to_owned()),
            left_out_labels: report.left_out_labels,
            undone: undone::to_json(undone)?,
        })
    }
}

impl ImportRow {
    pub(crate) fn of(import: &Import) -> Result<Self, StorageError> {
        Ok(Self {
            id: import.id.as_uuid(),
            user_id: import.user_id.map(|id| id.as_uuid()),
            started_at: import.started_at,
            content: ImportContent::of(import)?,
            extra: ImportExtra::of(import)?,
        })
    }

    pub(crate) fn into_import(self) -> Result<Import, StorageError> {
        let Self { id, user_id, started_at, content, extra } = self;
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
        let profile = profile::of_json(id, profile_changes.as_deref())?;
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
        let report: ReportJson = serde_json::from_slice(&report.0).map_err(corrupt(TABLE, "report", id))?;
        let digest = digest.map(<[u8; 32]>::try_from).transpose();
        let cancelled_by = cancelled_by.map(|by| Canceller::parse(&by).ok_or(())).transpose();
        Ok(Import {
            id: ImportId::from_uuid(id),
            user_id: user_id.map(UserId::from_uuid),
            origin: ImportOrigin::parse(&origin).ok_or(()).map_err(corrupt(TABLE, "origin", id))?,
            file_name: FileName::clean(&file_name),
            format,
            digest: digest.map_err(corrupt(TABLE, "digest", id))?.map(FileDigest::from_bytes),
            zone: TimeZone::parse(&zone).map_err(corrupt(TABLE, "zone", id))?,
            state: state_of(&state, taken_back_at).ok_or(()).map_err(corrupt(TABLE, "state", id))?,
            size: u64::try_from(size).map_err(corrupt(TABLE, "size", id))?,
            recording_start: recording_start
                .map(|text| DateTime::parse_from_rfc3339(&text))
                .transpose()
                .map_err(corrupt(TABLE, "recording_start", id))?,
            overwrite_profile,
            bytes_checked: u64::try_from(bytes_checked).map_err(corrupt(TABLE, "bytes_checked", id))?,
            bytes_done: u64::try_from(bytes_done).map_err(corrupt(TABLE, "bytes_done", id))?,
            tries: u32::try_from(tries).map_err(corrupt(TABLE, "tries", id))?,
            started_at,
            ended_at,
            report: ImportReport { profile, left_out_labels, ..report.into() },
            refusal,
            cancelled_by: cancelled_by.map_err(corrupt(TABLE, "cancelled_by", id))?,
            undone: undone::of_json(id, undone.as_deref())?,
        })
    }
}

impl ImportContent {
    /// Returns the columns that an update overwrites.
    pub(crate) fn of(import: &Import) -> Result<Self, StorageError> {
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
        let report = serde_json::to_vec(&ReportJson::from(report));
        Ok(Self {
            origin: origin.as_str().to_owned(),
            file_name: file_name.as_str().to_owned(),
            format: format.clone(),
            digest: digest.map(|digest| digest.as_bytes().to_vec()),
            zone: zone.name().to_owned(),
            state: stored_state(*state).to_owned(),
            size: i64::try_from(*size).unwrap_or(i64::MAX),
            bytes_done: i64::try_from(*bytes_done).unwrap_or(i64::MAX),
            ended_at: *ended_at,
            report: JsonText(report.map_err(|_| unexpected("a report could not be written"))?),
            refusal: refusal.clone(),
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

fn state_of(stored: &str, taken_back_at: Option<DateTime<Utc>>) -> Option<ImportState> {
    match ImportState::parse(stored)? {
        ImportState::Undone if taken_back_at.is_none() => Some(ImportState::Undoing),
        ImportState::Undoing => None,
        state => Some(state),
    }
}
