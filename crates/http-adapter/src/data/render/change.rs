//! Changes as JSON: each record by the writer of its endpoint.

use super::json;
use super::log::LogWriter;
use super::page::{Items, OuterMembers};
use super::sleep::{self, SessionWriter};
use super::supplement;
use crate::data::dto::ChangeDto;
use crate::data::profile::ProfileDto;
use crate::data::sleep::Include;
use application::StorageError;
use application::read::Change;
use domain::change::{ChangeCursor, ChangePosition};
use domain::id::UserId;
use domain::rate_limit::RateStatus;
use domain::scope::ScopeSet;
use std::vec::IntoIter;

/// Changes of a page.
pub(in crate::data) struct ChangeItems {
    changes: IntoIter<(ChangePosition, Change)>,
    /// Granted scopes, for profiles.
    scopes: ScopeSet,
    sessions: SessionWriter,
    logs: LogWriter,
    is_first: bool,
}

impl ChangeItems {
    /// Validates the logs of the changes; packed parts of sessions are validated while they are written.
    pub(in crate::data) fn new(
        changes: Vec<(ChangePosition, Change)>,
        user_id: UserId,
        scopes: ScopeSet,
    ) -> Result<Self, StorageError> {
        changes.iter().try_for_each(|(_, change)| check_log(change))?;
        Ok(Self {
            changes: changes.into_iter(),
            scopes,
            sessions: SessionWriter::new(Include::ALL),
            logs: LogWriter::new(user_id),
            is_first: true,
        })
    }

    fn write_record(&mut self, change: &Change, out: &mut Vec<u8>) -> Result<(), StorageError> {
        match change {
            Change::Profile(user) => json::write(&ProfileDto::new(user, self.scopes), out),
            Change::Session(row) => self.sessions.write(row, out)?,
            Change::Log { supplement, log } => {
                supplement::write_beginning(supplement, out);
                self.logs.write(supplement.id, log, out);
                out.extend_from_slice(supplement::END);
            }
            Change::Deleted => {}
        }
        Ok(())
    }
}

impl Items for ChangeItems {
    fn write_next(&mut self, out: &mut Vec<u8>) -> Result<bool, StorageError> {
        let Some((ChangePosition { number: _, kind, id }, change)) = self.changes.next() else {
            return Ok(false);
        };
        let is_deleted = matches!(change, Change::Deleted);
        json::separate(&mut self.is_first, out);
        out.extend_from_slice(b"{\"type\":\"");
        out.extend_from_slice(kind.as_str().as_bytes());
        out.extend_from_slice(b"\",\"op\":\"");
        let operation = if is_deleted { ChangeDto::DELETE } else { ChangeDto::UPSERT };
        out.extend_from_slice(operation.as_bytes());
        out.extend_from_slice(b"\",\"id\":");
        json::write_uuid(id, out);
        if !is_deleted {
            out.extend_from_slice(b",\"record\":");
            self.write_record(&change, out)?;
        }
        out.push(b'}');
        Ok(true)
    }

    fn check(&self) -> Result<(), StorageError> {
        self.changes.as_slice().iter().try_for_each(|(_, change)| check(change))
    }

    fn memory_size(&self) -> usize {
        let each = size_of::<(ChangePosition, Change)>();
        let of_change = |(_, change): &(ChangePosition, Change)| match change {
            Change::Session(row) => sleep::memory_size(row),
            Change::Log { supplement, log: _ } => supplement::memory_size(supplement),
            Change::Profile(user) => size_of_val(&**user),
            Change::Deleted => 0,
        };
        let changes = self.changes.as_slice();
        changes.iter().map(of_change).fold(changes.len().saturating_mul(each), usize::saturating_add)
    }
}

fn check(change: &Change) -> Result<(), StorageError> {
    match change {
        Change::Session(row) => sleep::check(row, Include::ALL),
        Change::Log { .. } | Change::Profile(_) | Change::Deleted => Ok(()),
    }
}

fn check_log(change: &Change) -> Result<(), StorageError> {
    match change {
        Change::Log { supplement: _, log } => log.check(),
        Change::Session(_) | Change::Profile(_) | Change::Deleted => Ok(()),
    }
}

/// Envelope of the changes of a page.
pub(in crate::data) struct FeedEnvelope {
    pub(in crate::data) cursor: ChangeCursor,
    pub(in crate::data) has_more: bool,
    pub(in crate::data) rate: RateStatus,
}

impl OuterMembers for FeedEnvelope {
    fn rate(&self) -> RateStatus {
        self.rate
    }

    fn write_members(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b",\"cursor\":");
        json::write(&self.cursor.to_string(), out);
        out.extend_from_slice(if self.has_more { b",\"has_more\":true" } else { b",\"has_more\":false" });
    }
}
