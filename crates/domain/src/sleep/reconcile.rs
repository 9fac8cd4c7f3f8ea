//! What an import does with a record that it may have met before.

use super::{SleepRecord, SleepSession};
use crate::id::SleepSessionId;

/// Says what becomes of the known sessions when a record arrives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reconciliation {
    /// The record is this session already; nothing is written.
    Unchanged(SleepSessionId),
    /// The record takes the place of this session, which keeps its id.
    Replace {
        /// The session whose record is replaced.
        id: SleepSessionId,
        /// Other sessions that the record covers now and that go, in the order in which they were given.
        removes: Vec<SleepSessionId>,
    },
    /// The record is a new session.
    Insert {
        /// The sessions that it covers and that go, in the order in which they were given.
        removes: Vec<SleepSessionId>,
    },
}

/// Decides what a record is to the known sessions of the same person.
///
/// `known` MUST hold every session of that person and of the record's source that has the record's key, or
/// overlaps its time in bed. More of them do no harm: other sources are passed over, because sessions of
/// different sources stay different sessions. The rules, first match first:
///
/// 1. A session with the same key is the record, unchanged or to be replaced.
/// 2. A record that made its own key, and a session whose source gave it a key, with the same start and end to
///    the minute, are one: the session stays, because it came from the richer file.
/// 3. A session with a derived key and the same start and end to the minute is replaced and keeps its id.
/// 4. Anything else is new.
///
/// Whatever is written removes the other sessions with a derived key that it overlaps: a longer export may
/// join sessions (rules of import). Sessions whose source gave them a key are never removed, since one log is
/// one session. Importing the same record again is [`Reconciliation::Unchanged`].
pub fn reconcile(known: &[SleepSession], record: &SleepRecord) -> Reconciliation {
    let mut of_source = known.iter().filter(|session| session.record.source() == record.source());
    if let Some(same) = of_source.find(|session| session.record.key() == record.key()) {
        if same.record == *record {
            return Reconciliation::Unchanged(same.id);
        }
        return Reconciliation::Replace { id: same.id, removes: covered(known, record, Some(same.id)) };
    }
    let twins = || known.iter().filter(|session| is_twin(session, record));
    let logged = twins().find(|session| session.record.key().is_given());
    if let Some(log) = logged.filter(|_| !record.key().is_given()) {
        return Reconciliation::Unchanged(log.id);
    }
    if let Some(twin) = twins().find(|session| !session.record.key().is_given()) {
        return Reconciliation::Replace { id: twin.id, removes: covered(known, record, Some(twin.id)) };
    }
    Reconciliation::Insert { removes: covered(known, record, None) }
}

fn is_twin(session: &SleepSession, record: &SleepRecord) -> bool {
    session.record.source() == record.source()
        && session.record.time_in_bed().same_to_the_minute(record.time_in_bed())
}

/// Lists the sessions that the record overlaps and may remove, but for the one that it becomes.
fn covered(
    known: &[SleepSession],
    record: &SleepRecord,
    becomes: Option<SleepSessionId>,
) -> Vec<SleepSessionId> {
    known
        .iter()
        .filter(|session| session.record.source() == record.source())
        .filter(|session| Some(session.id) != becomes && !session.record.key().is_given())
        .filter(|session| session.record.time_in_bed().overlaps(record.time_in_bed()))
        .map(|session| session.id)
        .collect()
}

#[cfg(test)]
mod tests;
