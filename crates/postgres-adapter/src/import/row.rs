//! The row of an import.

use crate::error::corrupt;
use crate::row::JsonText;
use crate::schema::{import, import_extra};
use application::ports::storage::{Import, StorageError};
use chrono::{DateTime, Utc};
use diesel::dsl::sql;
use diesel::expression::SqlLiteral;
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Integer, Jsonb, Nullable, Text};
use domain::id::{ImportId, UserId};
use domain::import::{Canceller, FileDigest, FileName, ImportOrigin, ImportState};
use domain::time::TimeZone;
use store_shared::{
    read_profile_changes, read_report, read_undone, write_profile_changes, write_report, write_undone,
};
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

/// The rest of the columns that an update overwrites.
#[derive(Queryable, AsChangeset)]
#[diesel(table_name = import_extra, treat_none_as_null = true)]
pub(crate) struct ImportExtra {
    bytes_checked: i64,
    tries: i32,
    recording_start: Option<String>,
    overwrite_profile: bool,
    profile_changes: Option<JsonText>,
    cancelled_by: Option<String>,
    left_out_labels: bool,
    undone: Option<JsonText>,
}

type ExtraColumns =
    (BigInt, Integer, Nullable<Text>, Bool, Nullable<Jsonb>, Nullable<Text>, Bool, Nullable<Jsonb>);

/// Written out because diesel does not know that the columns of `import_extra` are columns of `import`.
impl Selectable<Pg> for ImportExtra {
    type SelectExpression = SqlLiteral<ExtraColumns>;

    fn construct_selection() -> Self::SelectExpression {
        sql("import.bytes_checked, import.tries, import.recording_start, import.overwrite_profile, \
             import.profile_changes, import.cancelled_by, import.left_out_labels, import.undone")
    }
}

impl ImportExtra {
    /// Returns the import's values of those columns.
    pub(crate) fn from_import(import: &Import) -> Result<Self, StorageError> {
        Ok(Self {
            bytes_checked: i64::try_from(import.bytes_checked).unwrap_or(i64::MAX),
            tries: i32::try_from(import.tries).unwrap_or(i32::MAX),
            recording_start: import.recording_start.map(|start| start.to_rfc3339()),
            overwrite_profile: import.overwrite_profile,
            profile_changes: write_profile_changes(&import.report.profile)?.map(JsonText::from),
            cancelled_by: import.cancelled_by.map(|by| by.as_str().to_owned()),
            left_out_labels: import.report.left_out_labels,
            undone: write_undone(&import.undone)?.map(JsonText::from),
        })
    }
}

impl ImportRow {
    pub(crate) fn from_import(import: &Import) -> Result<Self, StorageError> {
        Ok(Self {
            id: import.id.as_uuid(),
            user_id: import.user_id.map(|id| id.as_uuid()),
            started_at: import.started_at,
            content: ImportContent::from_import(import)?,
            extra: ImportExtra::from_import(import)?,
        })
    }

    pub(crate) fn into_import(self) -> Result<Import, StorageError> {
        let Self { id, user_id, started_at, content, extra } = self;
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
        let profile = read_profile_changes(profile_changes.as_ref().map(JsonText::as_str));
        let profile = profile.ok_or(()).map_err(corrupt(TABLE, "profile_changes", id))?;
        let report = read_report(report.as_str(), profile, left_out_labels);
        let undone = read_undone(undone.as_ref().map(JsonText::as_str));
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
            state: ImportState::parse(&state).ok_or(()).map_err(corrupt(TABLE, "state", id))?,
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
            report: report.ok_or(()).map_err(corrupt(TABLE, "report", id))?,
            refusal,
            cancelled_by: cancelled_by.map_err(corrupt(TABLE, "cancelled_by", id))?,
            undone: undone.ok_or(()).map_err(corrupt(TABLE, "undone", id))?,
        })
    }
}

impl ImportContent {
    /// Returns the columns that an update overwrites.
    pub(crate) fn from_import(import: &Import) -> Result<Self, StorageError> {
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
            ended_at: *ended_at,
            report: write_report(report)?.into(),
            refusal: refusal.clone(),
        })
    }
}
