//! How an import reconciles a record with known sessions.

use super::precedence::is_same_sleep;
use super::{SleepRecord, SleepSession};
use crate::id::SleepSessionId;
use std::borrow::Borrow;

/// Effect of an imported record on the known sessions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reconciliation {
    /// The session already equals the record; nothing is written.
    Unchanged(SleepSessionId),
    /// The record replaces this session, which keeps its id.
    Replace {
        /// Session whose record is replaced.
        id: SleepSessionId,
        /// Other overlapping sessions to remove, in the given order.
        removes: Vec<SleepSessionId>,
    },
    /// The record is a new session.
    Insert {
        /// Overlapping sessions to remove, in the given order.
        removes: Vec<SleepSessionId>,
    },
}

/// Decides how a record relates to the known sessions of the same person.
///
/// `known` MUST contain every session of that person and of the record's source that has the record's key, or
/// that overlaps its time in bed and has a derived key. Sessions with a given key may overlap in any number;
/// of those with the record's start and end minute, one with stages and one without are sufficient.
/// Additional sessions do no harm: other sources are ignored, because sessions of different sources stay
/// separate. The first matching rule applies:
///
/// 1. A record with a derived key matches a session with a given key and the same start and end minute. The
///    session stays, because it came from the richer file, unless the record is more detailed; then the
///    record replaces it.
/// 2. A session with the same key is the record: unchanged or replaced.
/// 3. A session with a derived key and the same start and end minute is replaced and keeps its id.
/// 4. A record with a derived key and a session with a derived key are the same sleep if they share at least
///    half of the longer one, or half of the shorter one and that is not the more detailed one. The session
///    stays if it is more detailed, or if the record covers less than half of it.
/// 5. Anything else is new.
///
/// A record never replaces or removes a more detailed session; it is dropped if it is the same sleep. Stages
/// are more than totals, and totals more than the time in bed. One exception: a source that sends a log with
/// the same given key again corrects it.
///
/// A record with a derived key removes the other sessions with a derived key that are the same sleep, because
/// a longer export may join sessions (rules of import). Sessions with a given key are never removed and never
/// remove another one, since one log is one session. Importing the same record again returns
/// [`Reconciliation::Unchanged`].
pub fn reconcile<S: Borrow<SleepSession>>(known: &[S], record: &SleepRecord) -> Reconciliation {
    let of_source = || {
        known
            .iter()
            .map(Borrow::borrow)
            .filter(|session: &&SleepSession| session.record.source() == record.source())
    };
    let twins = || of_source().filter(|session| is_twin(session, record));
    let logged = logged_twin(twins(), record);
    if let Some(log) = logged.filter(|log| record.detail() <= log.record.detail()) {
        return Reconciliation::Unchanged(log.id);
    }
    let same_key = of_source().find(|session| session.record.key() == record.key());
    let same = same_key.or(logged).or_else(|| twins().find(|session| !is_log(session)));
    if let Some(same) = same {
        let is_corrected = is_log(same) && same.record.key() == record.key();
        if same.record == *record || !is_corrected && is_less_detailed(record, same) {
            return Reconciliation::Unchanged(same.id);
        }
        return replace(known, record, same);
    }
    match same_sleep(known, record).find(|session| !displaces(record, session)) {
        Some(kept) => Reconciliation::Unchanged(kept.id),
        None => Reconciliation::Insert { removes: displaced(known, record, None) },
    }
}

fn replace<S: Borrow<SleepSession>>(
    known: &[S],
    record: &SleepRecord,
    session: &SleepSession,
) -> Reconciliation {
    Reconciliation::Replace { id: session.id, removes: displaced(known, record, Some(session.id)) }
}

/// Finds the logged session that matches a record with a derived key; one with stages is preferred.
fn logged_twin<'a>(
    twins: impl Iterator<Item = &'a SleepSession>,
    record: &SleepRecord,
) -> Option<&'a SleepSession> {
    let logged = twins.filter(|session| is_log(session) && !record.key().is_given());
    // Take the first of several candidates; `max_by_key` would take the last.
    logged.min_by_key(|session| session.record.hypnogram().is_empty())
}

fn is_log(session: &SleepSession) -> bool {
    session.record.key().is_given()
}

fn is_less_detailed(record: &SleepRecord, session: &SleepSession) -> bool {
    record.detail() < session.record.detail()
}

fn is_twin(session: &SleepSession, record: &SleepRecord) -> bool {
    session.record.time_in_bed().same_to_the_minute(record.time_in_bed())
}

/// Returns the sessions with a derived key that are the same sleep as a record with a derived key.
fn same_sleep<'a, S: Borrow<SleepSession>>(
    known: &'a [S],
    record: &'a SleepRecord,
) -> impl Iterator<Item = &'a SleepSession> {
    known
        .iter()
        .map(Borrow::borrow)
        .filter(|session: &&SleepSession| session.record.source() == record.source())
        .filter(|session| !record.key().is_given() && !is_log(session))
        .filter(|session| is_same_sleep(&session.record, record))
}

/// Returns whether a record takes the place of a session of the same sleep.
fn displaces(record: &SleepRecord, session: &SleepSession) -> bool {
    record.time_in_bed().covers_half_of(session.record.time_in_bed()) && !is_less_detailed(record, session)
}

/// Returns the sessions that the record removes, except the one it replaces.
fn displaced<S: Borrow<SleepSession>>(
    known: &[S],
    record: &SleepRecord,
    becomes: Option<SleepSessionId>,
) -> Vec<SleepSessionId> {
    same_sleep(known, record)
        .filter(|session| Some(session.id) != becomes && displaces(record, session))
        .map(|session| session.id)
        .collect()
}

#[cfg(test)]
mod tests;
