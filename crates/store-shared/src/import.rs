//! Imports.

use crate::column::{Held, Id, IdCell, Instant, TimeCell, held};
use crate::import_report::{read_report, write_report};
use crate::profile_changes::{read_profile_changes, write_profile_changes};
use crate::row::{Cells, Stored};
use crate::statement::{Raw, Value};
use crate::store::Store;
use crate::undone::{read_undone, write_undone};
use crate::unit_of_work::{Transaction, Unit};
use application::ports::storage::{Import, ImportRepository, StorageError};
use async_trait::async_trait;
use chrono::{DateTime, FixedOffset, TimeDelta, Utc};
use diesel::Queryable;
use diesel::sql_types::{BigInt, Binary, Bool, Integer, Nullable, Text};
use domain::id::{ImportId, SleepSessionId, UserId};
use domain::import::{Canceller, FileDigest, FileName, ImportOrigin, ImportState};

/// Columns in the order of [`ImportRow`], each with its type on `PostgreSQL` if values are cast to it and
/// from it. An update overwrites them from the fourth on.
const COLUMNS: [(&str, &str); 22] = [
    ("id", ""),
    ("user_id", ""),
    ("started_at", ""),
    ("origin", ""),
    ("file_name", ""),
    ("format", ""),
    ("digest", ""),
    ("zone", ""),
    ("state", ""),
    ("size", ""),
    ("bytes_done", ""),
    ("ended_at", ""),
    ("report", "::json"),
    ("refusal", ""),
    ("bytes_checked", ""),
    ("tries", ""),
    ("recording_start", ""),
    ("overwrite_profile", ""),
    ("profile_changes", "::jsonb"),
    ("cancelled_by", ""),
    ("left_out_labels", ""),
    ("undone", "::jsonb"),
];

/// Number of the first column that an update overwrites.
const CHANGING: usize = 3;

/// The time of the database.
pub(crate) const NOW: [&str; 2] = ["now()", "CAST(unixepoch('subsec') * 1000000 AS INTEGER)"];

type FileColumns =
    (Id, Nullable<Id>, Instant, Text, Text, Nullable<Text>, Nullable<Binary>, Text, Text, BigInt, BigInt);

type OutcomeColumns = (
    Nullable<Instant>,
    Text,
    Nullable<Text>,
    BigInt,
    Integer,
    Nullable<Text>,
    Bool,
    Nullable<Text>,
    Nullable<Text>,
    Bool,
    Nullable<Text>,
);

/// A row of `import` without its lease.
#[derive(Queryable)]
struct ImportRow {
    file: FileCells,
    outcome: OutcomeCells,
}

#[derive(Queryable)]
struct FileCells {
    id: IdCell,
    user_id: Option<IdCell>,
    started_at: TimeCell,
    origin: String,
    file_name: String,
    format: Option<String>,
    digest: Option<Vec<u8>>,
    zone: String,
    state: String,
    size: i64,
    bytes_done: i64,
}

#[derive(Queryable)]
struct OutcomeCells {
    ended_at: Option<TimeCell>,
    report: String,
    refusal: Option<String>,
    bytes_checked: i64,
    tries: i32,
    recording_start: Option<String>,
    overwrite_profile: bool,
    profile_changes: Option<String>,
    cancelled_by: Option<String>,
    left_out_labels: bool,
    undone: Option<String>,
}

held! {
    ImportOrigin as String: |origin| origin.as_str().to_owned(), |text| Self::parse(&text);
    ImportState as String: |state| state.as_str().to_owned(), |text| Self::parse(&text);
    Canceller as String: |canceller| canceller.as_str().to_owned(), |text| Self::parse(&text);
    FileName as String: |name| name.as_str().to_owned(), |text| Some(Self::clean(&text));
    FileDigest as Vec<u8>: |digest| digest.as_bytes().to_vec(), |bytes| Held::parse(bytes).map(Self::from_bytes);
    DateTime<FixedOffset> as String: |at| at.to_rfc3339(), |text| Self::parse_from_rfc3339(&text).ok();
}

/// Returns the values of [`COLUMNS`].
fn values(import: &Import) -> Result<[Value; 22], StorageError> {
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
        recording_start,
        overwrite_profile,
        bytes_checked,
        bytes_done,
        tries,
        started_at,
        ended_at,
        report,
        refusal,
        cancelled_by,
        undone,
    } = import;
    Ok([
        id.cell().into(),
        user_id.cell().into(),
        started_at.cell().into(),
        origin.cell().into(),
        file_name.cell().into(),
        format.clone().into(),
        digest.cell().into(),
        zone.cell().into(),
        state.cell().into(),
        size.cell().into(),
        bytes_done.cell().into(),
        ended_at.cell().into(),
        write_report(report)?.into(),
        refusal.clone().into(),
        bytes_checked.cell().into(),
        i64::from(*tries).into(),
        recording_start.cell().into(),
        (*overwrite_profile).into(),
        write_profile_changes(&report.profile)?.into(),
        cancelled_by.cell().into(),
        report.left_out_labels.into(),
        write_undone(undone)?.into(),
    ])
}

impl Stored for ImportRow {
    type Value = Import;

    fn into_value(self) -> Result<Import, StorageError> {
        let Self { file, outcome } = self;
        let cells = Cells("import", &file.id);
        let profile = read_profile_changes(outcome.profile_changes.as_deref());
        let profile = cells.present("profile_changes", profile)?;
        let report = read_report(&outcome.report, profile, outcome.left_out_labels);
        Ok(Import {
            id: cells.parse("id", file.id)?,
            user_id: cells.parse("user_id", file.user_id)?,
            origin: cells.parse("origin", file.origin)?,
            file_name: cells.parse("file_name", file.file_name)?,
            format: file.format,
            digest: cells.parse("digest", file.digest)?,
            zone: cells.parse("zone", file.zone)?,
            state: cells.parse("state", file.state)?,
            size: cells.parse("size", file.size)?,
            recording_start: cells.parse("recording_start", outcome.recording_start)?,
            overwrite_profile: outcome.overwrite_profile,
            bytes_checked: cells.parse("bytes_checked", outcome.bytes_checked)?,
            bytes_done: cells.parse("bytes_done", file.bytes_done)?,
            tries: cells.parse("tries", outcome.tries)?,
            started_at: cells.parse("started_at", file.started_at)?,
            ended_at: cells.parse("ended_at", outcome.ended_at)?,
            report: cells.present("report", report)?,
            refusal: outcome.refusal,
            cancelled_by: cells.parse("cancelled_by", outcome.cancelled_by)?,
            undone: cells.present("undone", read_undone(outcome.undone.as_deref()))?,
        })
    }
}

/// Returns the statement that selects imports, to which conditions are appended.
fn imports() -> Raw<(FileColumns, OutcomeColumns)> {
    let columns = COLUMNS.map(|(name, cast)| match cast {
        "" => name.to_owned(),
        _ => format!("CAST({name} AS text)"),
    });
    Raw::same(format!("SELECT {} FROM import WHERE true", list(columns)))
}

/// Returns the statement that inserts an import, for each store.
fn insertion() -> [String; 2] {
    let names = list(COLUMNS.map(|(name, _)| name.to_owned()));
    [COLUMNS.map(|(_, cast)| format!("?{cast}")), COLUMNS.map(|_| "?".to_owned())]
        .map(|places| format!("INSERT INTO import ({names}) VALUES ({})", list(places)))
}

/// Joins with commas. LLVM takes more than ten minutes to optimise `join` of an array of this length.
fn list(items: impl IntoIterator<Item = String>) -> String {
    items.into_iter().reduce(|all, item| all + ", " + &item).unwrap_or_default()
}

fn page(
    user_id: Option<UserId>,
    after: Option<(DateTime<Utc>, ImportId)>,
    limit: u32,
) -> Raw<(FileColumns, OutcomeColumns)> {
    let mut query = imports();
    if let Some(user_id) = user_id {
        query = query.sql(" AND user_id = ?").bind(user_id.cell());
    }
    if let Some((at, id)) = after {
        // A row comparison lets the scan enter the index at this position.
        query = query.sql(" AND (started_at, id) < (?, ?)").bind(at.cell()).bind(id.cell());
    }
    query.sql(" ORDER BY started_at DESC, id DESC LIMIT ?").bind(i64::from(limit))
}

/// Finds an import.
pub async fn find_import(store: &impl Store, id: ImportId) -> Result<Option<Import>, StorageError> {
    let found = store.read_all::<ImportRow, _>(imports().sql(" AND id = ?").bind(id.cell())).await?;
    Ok(found.into_iter().next())
}

/// Lists imports, newest first.
pub async fn list_imports(
    store: &impl Store,
    user_id: Option<UserId>,
    after: Option<(DateTime<Utc>, ImportId)>,
    limit: u32,
) -> Result<Vec<Import>, StorageError> {
    store.read_all::<ImportRow, _>(page(user_id, after, limit)).await
}

/// Returns whether changes of an import are noted.
pub async fn has_notes(store: &impl Store, id: ImportId) -> Result<bool, StorageError> {
    let query: Raw<Bool> =
        Raw::same("SELECT EXISTS (SELECT 1 FROM import_change WHERE import_id = ?)").bind(id.cell());
    Ok(store.load_row(query).await?.unwrap_or_default())
}

/// Finds the import that left a sleep session as it is.
pub async fn find_import_of_session(
    store: &impl Store,
    user_id: UserId,
    id: SleepSessionId,
) -> Result<Option<ImportId>, StorageError> {
    let query: Raw<Id> = Raw::same(
        "SELECT import_id FROM import_change WHERE record_id = ? AND kind = 'session' AND user_id = ?
            AND version_left IS NOT NULL ORDER BY sequence DESC LIMIT 1",
    );
    let query = query.bind(id.as_uuid().cell()).bind(user_id.cell());
    let found: Option<IdCell> = store.load_row(query).await?;
    Cells("import_change", &id).parse("import_id", found)
}

/// Finds a part of an upload. It may be long, which would delay the readers of single rows.
pub async fn find_upload_part(
    store: &impl Store,
    id: ImportId,
    position: u32,
) -> Result<Option<Vec<u8>>, StorageError> {
    let query: Raw<Binary> = Raw::same("SELECT bytes FROM import_part WHERE import_id = ? AND position = ?");
    let parts = store.load_rows(query.bind(id.cell()).bind(i64::from(position))).await?;
    Ok(parts.into_iter().next())
}

#[async_trait]
impl<R: Transaction> ImportRepository for Unit<R> {
    async fn insert(&mut self, import: &Import) -> Result<(), StorageError> {
        self.0.execute(Raw::<()>::new(insertion()).bind_all(values(import)?)).await.map(drop)
    }

    async fn take_undoing(&mut self, idle: TimeDelta) -> Result<Option<ImportId>, StorageError> {
        let query: Raw<Id> = Raw::same(
            "WITH next AS MATERIALIZED (
                SELECT id FROM import WHERE state = 'undoing' AND coalesce(updated_at, started_at) < ",
        )
        .sql_of(NOW)
        .sql_of([" - ? * interval '1 microsecond'", " - ?"])
        .bind(idle.num_microseconds().unwrap_or(i64::MAX))
        .sql(" ORDER BY coalesce(updated_at, started_at), id LIMIT 1")
        .sql_of([" FOR NO KEY UPDATE SKIP LOCKED", ""])
        .sql(") UPDATE import SET updated_at = ")
        .sql_of(NOW)
        .sql(" WHERE id = (SELECT id FROM next) RETURNING id");
        let id: Option<IdCell> = self.0.load_row(query).await?;
        id.map(|id| Cells("import", &id).parse("id", id)).transpose()
    }

    async fn find(&mut self, id: ImportId) -> Result<Option<Import>, StorageError> {
        // The caller may update what it finds, so the row is locked.
        let query = imports().sql(" AND id = ?").bind(id.cell()).sql_of([" FOR NO KEY UPDATE", ""]);
        self.read::<ImportRow>(query).await
    }

    async fn find_interrupted(
        &mut self,
        user_id: Option<UserId>,
        digest: &FileDigest,
        since: DateTime<Utc>,
    ) -> Result<Option<Import>, StorageError> {
        // The state is a literal: a generic plan cannot prove that a parameter matches the partial index.
        let query = imports()
            .sql(
                " AND state = 'running' AND origin = ? AND digest = ?
                AND (updated_at >= ? OR (updated_at IS NULL AND started_at >= ?))",
            )
            .bind(ImportOrigin::Command.cell())
            .bind(digest.cell())
            .bind(since.cell())
            .bind(since.cell());
        let query = match user_id {
            Some(user_id) => query.sql(" AND user_id = ?").bind(user_id.cell()),
            None => query.sql(" AND user_id IS NULL"),
        };
        self.read::<ImportRow>(query.sql(" ORDER BY started_at DESC, id DESC LIMIT 1")).await
    }

    async fn update(&mut self, import: &Import) -> Result<bool, StorageError> {
        let mut query: Raw = Raw::same("UPDATE import SET updated_at = ").sql_of(NOW);
        let changing = COLUMNS.into_iter().zip(values(import)?).skip(CHANGING);
        for ((name, cast), value) in changing {
            query = query.sql(", ").sql(name).sql_of([&format!(" = ?{cast}"), " = ?"]).bind(value);
        }
        self.changes(query.sql(" WHERE id = ?").bind(import.id.cell())).await
    }

    async fn cancel(
        &mut self,
        id: ImportId,
        by: Canceller,
        at: DateTime<Utc>,
    ) -> Result<Option<ImportState>, StorageError> {
        // On PostgreSQL, waits for a transaction that ends the import, whose state is kept.
        let query: Raw<Bool> = Raw::same(
            "UPDATE import SET state = CASE WHEN state = 'running' THEN 'undoing' ELSE 'refused' END,
                cancelled_by = ?, ended_at = ?, lease_until = NULL, updated_at = ",
        )
        .bind(by.cell())
        .bind(at.cell())
        .sql_of(NOW)
        .sql(" WHERE id = ? AND state IN ('receiving', 'waiting', 'running') RETURNING state = 'refused'")
        .bind(id.cell());
        let is_refused: Option<bool> = self.0.load_row(query).await?;
        Ok(is_refused.map(|is_refused| if is_refused { ImportState::Rejected } else { ImportState::Undoing }))
    }

    async fn list(
        &mut self,
        user_id: Option<UserId>,
        after: Option<(DateTime<Utc>, ImportId)>,
        limit: u32,
    ) -> Result<Vec<Import>, StorageError> {
        self.read_all::<ImportRow>(page(user_id, after, limit)).await
    }
}
