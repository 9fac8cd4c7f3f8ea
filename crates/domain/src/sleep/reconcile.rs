//! What an import does with a record that it may have met before.

use super::{SleepRecord, SleepSession};
use crate::id::SleepSessionId;
use std::borrow::Borrow;

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
/// overlaps its time in bed and has a derived key. Of sessions whose source gave them a key, which may overlap in any
/// number, one with stages and one without are enough of those that overlap it and have its minutes. More of them do
/// no harm: other sources are passed over, because sessions of different sources stay different sessions. The rules,
/// first match first:
///
/// 1. A session with the same key is the record, unchanged or to be replaced.
/// 2. A record that made its own key, and a session whose source gave it a key, with the same start and end to
///    the minute, are one: the session stays, because it came from the richer file, unless the record alone has
///    stages; then the record takes its place.
/// 3. A session with a derived key and the same start and end to the minute is replaced and keeps its id.
/// 4. A record without stages whose key is derived, and a session with stages and a derived key that it overlaps,
///    are one: the session stays.
/// 5. Anything else is new.
///
/// A record without stages says less than one with them: it never replaces nor removes a session that has stages,
/// but stays out where it is the same night. One exception: a source that tells its own log again, under the key
/// that it gave, corrects it, whatever was known.
///
/// Whatever is written removes the other sessions with a derived key that it overlaps: a longer export may
/// join sessions (rules of import). Sessions whose source gave them a key are never removed, since one log is
/// one session. Importing the same record again is [`Reconciliation::Unchanged`].
pub fn reconcile<S: Borrow<SleepSession>>(known: &[S], record: &SleepRecord) -> Reconciliation {
    let of_source = || {
        known
            .iter()
            .map(Borrow::borrow)
            .filter(|session: &&SleepSession| session.record.source() == record.source())
    };
    if let Some(same) = of_source().find(|session| session.record.key() == record.key()) {
        let is_poorer = !record.key().is_given() && says_less(record, same);
        if same.record == *record || is_poorer {
            return Reconciliation::Unchanged(same.id);
        }
        return replace(known, record, same);
    }
    let twins = || of_source().filter(|session| is_twin(session, record));
    if let Some(twin) = logged_twin(twins(), record).or_else(|| twins().find(|session| !is_log(session))) {
        let stays = is_log(twin) && !says_more(record, twin) || says_less(record, twin);
        return if stays { Reconciliation::Unchanged(twin.id) } else { replace(known, record, twin) };
    }
    let mut overlapped = of_source().filter(|session| !is_log(session) && overlaps(session, record));
    match overlapped.find(|session| !record.key().is_given() && says_less(record, session)) {
        Some(richer) => Reconciliation::Unchanged(richer.id),
        None => Reconciliation::Insert { removes: covered(known, record, None) },
    }
}

fn replace<S: Borrow<SleepSession>>(
    known: &[S],
    record: &SleepRecord,
    session: &SleepSession,
) -> Reconciliation {
    Reconciliation::Replace { id: session.id, removes: covered(known, record, Some(session.id)) }
}

/// Tells whether a record leaves a session no place: had the record come after it, the session were gone, or were the
/// record. Only sessions of one source with derived keys give way, as in [`reconcile`]; a record with a derived key that
/// says less than a session does not come in beside it either.
pub fn leaves_no_place(record: &SleepRecord, session: &SleepSession) -> bool {
    session.record.source() == record.source()
        && !is_log(session)
        && overlaps(session, record)
        && (!record.key().is_given() || !says_less(record, session))
}

/// Finds the log that a record with a derived key is: one with stages before one without.
fn logged_twin<'a>(
    twins: impl Iterator<Item = &'a SleepSession>,
    record: &SleepRecord,
) -> Option<&'a SleepSession> {
    let logged = twins.filter(|session| is_log(session) && !record.key().is_given());
    // The first of those with the most: `max_by_key` would take the last.
    logged.min_by_key(|session| session.record.hypnogram().is_empty())
}

fn is_log(session: &SleepSession) -> bool {
    session.record.key().is_given()
}

fn says_less(record: &SleepRecord, session: &SleepSession) -> bool {
    record.hypnogram().is_empty() && !session.record.hypnogram().is_empty()
}

fn says_more(record: &SleepRecord, session: &SleepSession) -> bool {
    !record.hypnogram().is_empty() && session.record.hypnogram().is_empty()
}

fn overlaps(session: &SleepSession, record: &SleepRecord) -> bool {
    session.record.time_in_bed().overlaps(record.time_in_bed())
}

fn is_twin(session: &SleepSession, record: &SleepRecord) -> bool {
    session.record.time_in_bed().same_to_the_minute(record.time_in_bed())
}

/// Lists the sessions that the record overlaps and may remove, but for the one that it becomes.
fn covered<S: Borrow<SleepSession>>(
    known: &[S],
    record: &SleepRecord,
    becomes: Option<SleepSessionId>,
) -> Vec<SleepSessionId> {
    known
        .iter()
        .map(Borrow::borrow)
        .filter(|session: &&SleepSession| session.record.source() == record.source())
        .filter(|session| Some(session.id) != becomes && !is_log(session))
        .filter(|session| overlaps(session, record) && !says_less(record, session))
        .map(|session| session.id)
        .collect()
}

#[cfg(test)]
mod tests;
