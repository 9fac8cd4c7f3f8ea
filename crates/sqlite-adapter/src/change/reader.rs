//! Changes of a person's records: the keys of a page from indexes alone, then the records.

use crate::error::StorageResult as _;
use crate::row::{Cells, blob};
use crate::sleep::find_packed;
use crate::statement::delete_oldest;
use crate::store::SqliteStore;
use crate::supplement::{in_snapshot, read_supplement};
use application::ports::storage::{
    Change, ChangePage, ChangePageQuery, ChangeReader, IntakeLogRow, StorageError,
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Binary, Double};
use diesel::sqlite::SqliteConnection;
use domain::change::ChangePosition;
use domain::data_kind::DataKind;
use domain::id::IntakeLogId;
use domain::supplement::Supplement;
use std::cmp::Ordering;
use std::collections::HashMap;
use std::sync::Arc;
use store_shared::{AccountRow, Raw, Read as _, Stored as _, profile_statement};

/// Source of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    Record,
    Deletion,
}

#[async_trait]
impl ChangeReader for SqliteStore {
    async fn changes(&self, query: ChangePageQuery) -> Result<ChangePage, StorageError> {
        self.read(move |connection| in_snapshot(connection, |connection| page(connection, &query))).await
    }

    async fn forget_deletions(&self, before: DateTime<Utc>, limit: u32) -> Result<u64, StorageError> {
        self.write(delete_oldest(("deletion", "user_id, kind, id", "deleted_at"), before, limit)).await
    }
}

fn page(connection: &mut SqliteConnection, query: &ChangePageQuery) -> Result<ChangePage, StorageError> {
    if is_ahead(connection, query)? {
        return Ok(ChangePage { is_ahead: true, ..ChangePage::default() });
    }
    let mut found = Vec::new();
    for kind in DataKind::ALL.into_iter().filter(|kind| query.kinds.contains(kind)) {
        for source in [Source::Record, Source::Deletion] {
            let Some(statement) = positions(query, kind, source) else { continue };
            for row in statement.load_iter::<(i64, Vec<u8>), _>(connection).storage()? {
                let (number, id) = row.storage()?;
                let id = Cells::new(table(kind, source), &id).uuid("id", &id)?;
                found.push((ChangePosition { number, kind, id }, source));
            }
        }
    }
    found.sort_unstable_by_key(|(position, _)| *position);
    let limit = usize::try_from(query.limit).unwrap_or(usize::MAX);
    let has_more = found.len() > limit;
    found.truncate(limit);
    let mut records = Records { user_id: blob(query.user_id.as_uuid()), query, supplements: HashMap::new() };
    let changes: Result<Vec<_>, StorageError> = found
        .into_iter()
        .map(|(position, source)| match source {
            Source::Record => Ok((position, records.read(connection, position)?)),
            Source::Deletion => Ok((position, Change::Deleted)),
        })
        .collect();
    Ok(ChangePage { changes: changes?, has_more, is_ahead: false })
}

/// Returns whether the requested position is ahead of the person's changes.
fn is_ahead(connection: &mut SqliteConnection, query: &ChangePageQuery) -> Result<bool, StorageError> {
    let Some(after) = query.after else { return Ok(false) };
    let statement: Raw<BigInt> =
        Raw::same("SELECT change_number FROM account WHERE id = ?").blob(query.user_id.as_uuid().as_bytes());
    let reached: Option<i64> = statement.get_result(connection).optional().storage()?;
    Ok(reached.is_some_and(|reached| reached < after.number))
}

const fn table(kind: DataKind, source: Source) -> &'static str {
    match (kind, source) {
        (_, Source::Deletion) => "deletion",
        (DataKind::Profile, Source::Record) => "account",
        (DataKind::Sleep, Source::Record) => "sleep_session",
        (DataKind::Supplements, Source::Record) => "intake_log",
    }
}

/// Returns the statement that lists the positions of one kind after the requested one, one more than the
/// page's limit. Profiles have no deletions.
fn positions(query: &ChangePageQuery, kind: DataKind, source: Source) -> Option<Raw<(BigInt, Binary)>> {
    let user_id = query.user_id.as_uuid();
    let (number, id) = start(query.after, kind);
    let text = match (kind, source) {
        (DataKind::Profile, Source::Deletion) => return None,
        (DataKind::Profile, Source::Record) => {
            "SELECT profile_change_number, id FROM account \
             WHERE id = ? AND (profile_change_number, id) > (?, ?) LIMIT ?"
        }
        (DataKind::Sleep, Source::Record) => {
            "SELECT change_number, id FROM sleep_session \
             WHERE user_id = ? AND (change_number, id) > (?, ?) ORDER BY change_number, id LIMIT ?"
        }
        (DataKind::Supplements, Source::Record) => {
            "SELECT change_number, id FROM intake_log \
             WHERE user_id = ? AND (change_number, id) > (?, ?) ORDER BY change_number, id LIMIT ?"
        }
        (DataKind::Sleep, Source::Deletion) => {
            "SELECT change_number, id FROM deletion \
             WHERE user_id = ? AND kind = 'sleep' AND (change_number, id) > (?, ?) \
             ORDER BY change_number, id LIMIT ?"
        }
        (DataKind::Supplements, Source::Deletion) => {
            "SELECT change_number, id FROM deletion \
             WHERE user_id = ? AND kind = 'supplements' AND (change_number, id) > (?, ?) \
             ORDER BY change_number, id LIMIT ?"
        }
    };
    let limit = i64::from(query.limit).saturating_add(1);
    Some(Raw::same(text).blob(user_id.as_bytes()).bind(number).blob(&id).bind(limit))
}

/// Returns the number and id after which a kind starts. An empty id sorts first.
fn start(after: Option<ChangePosition>, kind: DataKind) -> (i64, Vec<u8>) {
    let Some(after) = after else { return (0, Vec::new()) };
    match kind.cmp(&after.kind) {
        Ordering::Less => (after.number.saturating_add(1), Vec::new()),
        Ordering::Equal => (after.number, blob(after.id)),
        Ordering::Greater => (after.number, Vec::new()),
    }
}

/// Reader of a page's records; caches supplements, which many logs share.
struct Records<'a> {
    query: &'a ChangePageQuery,
    user_id: Vec<u8>,
    supplements: HashMap<Vec<u8>, Supplement>,
}

impl Records<'_> {
    /// Reads the record at a position of the same snapshot.
    fn read(
        &mut self,
        connection: &mut SqliteConnection,
        position: ChangePosition,
    ) -> Result<Change, StorageError> {
        let ChangePosition { number: _, kind, id } = position;
        let cells = Cells::new(table(kind, Source::Record), id.as_bytes());
        match kind {
            DataKind::Profile => {
                let query = profile_statement(self.query.user_id);
                let row: Option<AccountRow> = query.load_one_from_sqlite(connection).storage()?;
                Ok(Change::Profile(Box::new(cells.present("id", row)?.into_value()?)))
            }
            DataKind::Sleep => {
                let row = find_packed(connection, &self.user_id, id.as_bytes())?;
                Ok(Change::Session(Box::new(cells.present("id", row)?)))
            }
            DataKind::Supplements => self.log(connection, IntakeLogId::from_uuid(id)),
        }
    }

    fn log(&mut self, connection: &mut SqliteConnection, id: IntakeLogId) -> Result<Change, StorageError> {
        let statement: Raw<(Binary, BigInt, Double)> = Raw::same(
            "SELECT supplement_id, created_at, servings FROM intake_log WHERE user_id = ? AND id = ?",
        )
        .blob(&self.user_id)
        .blob(id.as_uuid().as_bytes());
        let (supplement_id, created_at_micros, servings): (Vec<u8>, i64, f64) =
            statement.get_result(connection).storage()?;
        let supplement = if let Some(known) = self.supplements.get(&supplement_id) {
            known.clone()
        } else {
            let read = read_supplement(connection, &supplement_id)?;
            self.supplements.insert(supplement_id, read.clone());
            read
        };
        let log = IntakeLogRow { id, created_at_micros, servings };
        Ok(Change::Log { supplement: Arc::new(supplement), log })
    }
}

#[cfg(test)]
mod tests;
