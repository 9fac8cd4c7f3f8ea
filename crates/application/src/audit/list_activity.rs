//! Lists a user's activity: imports, changes, reads and exports of their data.

use super::{ListReads, ListedRead, ReaderName, ReadsPage};
use crate::ports::storage::{AuditFilter, AuditPosition, AuditReader, StorageError};
use derive_more::Constructor;
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::id::{PersonalTokenId, UserId};
use domain::read_tally::{Reader, TallyKey};
use std::sync::Arc;

/// An event of the user's audit trail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedEvent {
    /// The event.
    pub event: AuditEvent,
    /// Current name of the app or personal access token that caused it; `None` if there is none, or it no
    /// longer exists.
    pub name: Option<ReaderName>,
}

/// An entry of a user's activity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ActivityEntry {
    /// Reads of one minute.
    Read(ListedRead),
    /// A single event.
    Event(ListedEvent),
}

/// Position of a page of activity, after these entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ActivityPosition {
    /// Last listed read; `None` if there was none.
    pub read: Option<TallyKey>,
    /// Last listed event; `None` if there was none.
    pub event: Option<AuditPosition>,
}

/// A page of activity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActivityPage {
    /// Entries, latest first, at most one page.
    pub entries: Vec<ActivityEntry>,
    /// Position of the next page; `None` on the last page.
    pub next: Option<ActivityPosition>,
}

/// Lists a user's reads merged with the events about their account and data
/// ([`AuditKind::IN_ACTIVITY`]).
#[derive(Constructor)]
pub struct ListActivity {
    reads: ListReads,
    events: Arc<dyn AuditReader>,
}

impl ListActivity {
    /// Returns at most `size` entries of the user's activity after this position, latest first.
    pub async fn run(
        &self,
        user_id: UserId,
        after: ActivityPosition,
        size: u32,
    ) -> Result<ActivityPage, StorageError> {
        let reads = self.reads.run(user_id, after.read, size).await?;
        let filter = AuditFilter {
            user_id: Some(user_id),
            kinds: Some(AuditKind::IN_ACTIVITY),
            ..AuditFilter::default()
        };
        let events = self.events.list_events(filter, after.event, size.saturating_add(1)).await?;
        let mut page = merge(reads, events, after, size);
        self.name(user_id, &mut page.entries).await?;
        Ok(page)
    }

    async fn name(&self, user_id: UserId, entries: &mut [ActivityEntry]) -> Result<(), StorageError> {
        let by = |entry: &ActivityEntry| match entry {
            ActivityEntry::Event(listed) => cause(&listed.event),
            ActivityEntry::Read(_) => None,
        };
        let names = self.reads.names(user_id, entries.iter().filter_map(by)).await?;
        for entry in entries {
            if let ActivityEntry::Event(listed) = entry {
                listed.name = cause(&listed.event).and_then(|by| names.get(&by).cloned());
            }
        }
        Ok(())
    }
}

/// Returns the app or token that caused an event.
fn cause(event: &AuditEvent) -> Option<Reader> {
    match (event.actor, event.kind) {
        (AuditActor::Client, _) => event.client_id.map(Reader::Client),
        (AuditActor::Person, AuditKind::DataExported) => {
            event.subject.map(|id| Reader::PersonalToken(PersonalTokenId::from_uuid(id)))
        }
        _ => None,
    }
}

/// Merges reads and events, latest first, and keeps the first `size`. Reads are ordered by the start of their
/// minute.
fn merge(
    ReadsPage { reads, next }: ReadsPage,
    events: Vec<AuditEvent>,
    after: ActivityPosition,
    size: u32,
) -> ActivityPage {
    let (mut reads, mut events) = (reads.into_iter().peekable(), events.into_iter().peekable());
    let (mut entries, mut last) = (Vec::new(), after);
    for _ in 0..size {
        let minute = reads.peek().map(|read| read.tally.key.minute);
        if let Some(event) = events.next_if(|event| minute.is_none_or(|minute| event.at >= minute)) {
            last.event = Some((event.at, event.id));
            entries.push(ActivityEntry::Event(ListedEvent { event, name: None }));
        } else if let Some(read) = reads.next() {
            last.read = Some(read.tally.key);
            entries.push(ActivityEntry::Read(read));
        }
    }
    let has_more = next.is_some() || reads.peek().is_some() || events.peek().is_some();
    ActivityPage { entries, next: has_more.then_some(last) }
}
