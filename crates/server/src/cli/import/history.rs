//! `restwell import list|undo|cancel`: past imports, undoing them, and cancelling unfinished ones.

use crate::cli::output::{self, Record};
use crate::cli::user_ref::UserRef;
use crate::wiring::Services;
use anyhow::bail;
use application::import::{
    CancelImportError, Cancelled, Counts, DiscardReason, ImportError, Imports, KeptItem, KeptReason,
    KeptRecord, UndoCounts, Undone,
};
use application::ports::storage::Import;
use clap::Args;
use domain::id::ImportId;
use domain::import::{Canceller, ImportOrigin, ImportState};
use domain::time::format;
use std::io;

/// Filters for imports.
#[derive(Debug, Args)]
pub(crate) struct ListArguments {
    /// Only imports of this user (id or email address)
    #[arg(long, value_name = "USER", value_parser = UserRef::parse, allow_hyphen_values = true)]
    user: Option<UserRef>,
    /// Maximum number of imports
    #[arg(long, default_value_t = 100)]
    limit: usize,
    /// Print one JSON object per line
    #[arg(long)]
    json: bool,
}

/// Import to undo or cancel.
#[derive(Debug, Args)]
pub(crate) struct UndoArguments {
    /// Import id from `restwell import list`
    #[arg(value_name = "IMPORT_ID", value_parser = ImportId::parse)]
    id: ImportId,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(super) async fn list(services: &Services, arguments: &ListArguments) -> anyhow::Result<()> {
    let user_id = UserRef::id_of(arguments.user.as_ref(), services).await?;
    let found = services.imports().list(user_id, arguments.limit).await?;
    let records: Vec<Record> = found.iter().map(record).collect();
    Ok(output::print_list(&records, "imports", arguments.json)?)
}

fn record(import: &Import) -> Record {
    let changed = |counts: Counts| counts.new + counts.updated;
    let user = import.user_id.map_or_else(String::new, |id| id.to_string());
    Record::new()
        .with_text("import_id", import.id)
        .with("user_id", user)
        .with("file", import.file_name.as_str())
        .with("format", import.format.as_deref().unwrap_or_default())
        .with("state", state(import))
        .with("started_at", format::utc(import.started_at))
        .with("sessions", changed(import.report.sessions))
        .with("supplements", changed(import.report.supplements))
        .with("logs", changed(import.report.logs))
        .with("rejected", import.report.rejected_total)
        .with("profile_changed", import.report.profile_changed)
        .with("refusal", import.refusal.as_deref().unwrap_or_default())
        .with("cancelled_by", import.cancelled_by.map_or("", Canceller::as_str))
        .with("removed", import.undone.counts.removed)
        .with("restored", import.undone.counts.restored)
        .with("kept", import.undone.counts.kept)
}

/// Returns the state of an import. A cancelled import is not shown as undone. An upload whose first pass is
/// not finished is shown as being checked, because nothing of it is stored yet.
fn state(import: &Import) -> &'static str {
    match import.state {
        _ if import.is_cancelled() => "cancelled",
        ImportState::Running if import.origin == ImportOrigin::Upload && import.bytes_done == 0 => "checking",
        state => state.as_str(),
    }
}

/// Cancels an unfinished import; a finished one stays unchanged, even if it finished a moment ago.
pub(super) async fn cancel(services: &Services, arguments: &UndoArguments) -> anyhow::Result<()> {
    let id = arguments.id;
    match services.imports().cancel(id).await {
        Ok(Cancelled::BeforeReading) => Ok(print_discarded(arguments)?),
        Ok(Cancelled::Undone(undone)) => Ok(print_undone(&undone, arguments)?),
        Err(CancelImportError::Unknown) => bail!(unknown(id)),
        Err(CancelImportError::Done) => {
            bail!("import {id} is finished and cannot be cancelled; undo it with `restwell import undo {id}`")
        }
        Err(CancelImportError::Rejected) => bail!("import {id} was rejected: there is nothing to cancel"),
        Err(CancelImportError::AlreadyUndone) => bail!("import {id} has already been undone"),
        Err(error @ CancelImportError::Storage(_)) => Err(error.into()),
    }
}

fn print_discarded(arguments: &UndoArguments) -> io::Result<()> {
    output::print(&Record::new().with("cancelled", 1), arguments.json)
}

fn print_undone(undone: &Undone, arguments: &UndoArguments) -> io::Result<()> {
    let Undone { counts, kept: records } = undone;
    let UndoCounts { removed, restored, kept } = *counts;
    let record = Record::new()
        .with("taken_back", counts.reverted())
        .with("removed", removed)
        .with("restored", restored)
        .with("kept", kept);
    if arguments.json {
        let listed: Vec<_> = records.iter().map(kept_line).collect();
        return output::print(&record.with("kept_records", listed), true);
    }
    output::print(&record, false)?;
    for record in records {
        output::note(kept_line(record));
    }
    Ok(())
}

/// Describes a record that was kept: `session 5e55... of 2026-01-10T22:20:00Z: changed later by import
/// 0b0e...`.
fn kept_line(KeptRecord { what, at, why }: &KeptRecord) -> String {
    let what = match what {
        KeptItem::Session(id) => format!("session {id}"),
        KeptItem::Log(id) => format!("log {id}"),
        KeptItem::Label(id) => format!("label {id}"),
        KeptItem::Profile(field) => format!("profile field {}", field.as_str()),
    };
    let at = at.map_or_else(String::new, |at| format!(" of {}", format::utc(at)));
    let why = match why {
        KeptReason::ChangedBy(id) => format!("changed later by import {id}"),
        KeptReason::Changed => "changed since, not by an import".to_owned(),
        KeptReason::Deleted => "deleted since, not by an import".to_owned(),
        KeptReason::InUse => "in use, or another record has its id or key".to_owned(),
    };
    format!("kept {what}{at}: {why}")
}

fn unknown(id: ImportId) -> String {
    format!("there is no import {id}; see `restwell import list`")
}

/// Discards an upload that is incomplete or queued; returns whether it was one.
async fn discard(imports: &Imports, id: ImportId) -> anyhow::Result<bool> {
    let import = imports.reader.find_import(id).await?;
    let Some(user_id) = import.and_then(|import| import.user_id) else { return Ok(false) };
    Ok(imports.discard(user_id, id, DiscardReason::Cancelled(Canceller::Operator)).await?)
}

/// Undoes an import; cancels one that has not started yet.
pub(super) async fn undo(services: &Services, arguments: &UndoArguments) -> anyhow::Result<()> {
    let (imports, id) = (services.imports(), arguments.id);
    if discard(&imports, id).await? {
        return Ok(print_discarded(arguments)?);
    }
    match imports.undo(id, None).await {
        Ok(undone) => Ok(print_undone(&undone, arguments)?),
        Err(ImportError::Unknown) => bail!(unknown(id)),
        Err(error) => Err(error.into()),
    }
}
