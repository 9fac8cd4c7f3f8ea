//! Records that one import contains more than once, or with a key that is none.

use super::attempt::Attempt;
use super::rejection::Rejection;
use crate::ports::import_source::ImportedSession;
use domain::id::SleepSessionId;
use domain::import::RecordPosition;
use domain::sleep::{Precedence, SleepRecord, SleepSession, is_ambiguous_key};

/// What became of a repeated record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Repetition {
    /// One of the two is stored.
    Repeated,
    /// A later one is kept.
    Superseded,
    /// Its id or key belongs to an earlier one of another time; it was stored without.
    Ambiguous,
}

impl Repetition {
    /// Returns the note on the record at this location.
    pub(super) fn note(self, place: &str) -> Rejection {
        let reason = match self {
            Self::Repeated => "this file has another record of the same night or key; one of them was stored",
            Self::Superseded => "a later record of this file overlaps it and was stored instead",
            Self::Ambiguous => "its id occurs in this file for another time; it was stored without the id",
        };
        Rejection { place: place.to_owned(), reason: reason.to_owned() }
    }
}

/// Returns a record with its position.
pub(super) const fn positioned(session: &ImportedSession) -> (&SleepRecord, RecordPosition) {
    (&session.record, session.position)
}

/// Compares a record with sessions that the import has already met.
pub(super) struct Rivals<'a> {
    attempt: &'a Attempt<'a>,
    imported: &'a ImportedSession,
}

impl<'a> Rivals<'a> {
    pub(super) const fn new(attempt: &'a Attempt<'_>, imported: &'a ImportedSession) -> Self {
        Self { attempt, imported }
    }

    /// Returns whether the import has met this session, and the record must not replace it.
    pub(super) fn stays(&self, session: &SleepSession) -> bool {
        self.precedence(session) == Some(Precedence::Session)
    }

    /// Returns the sessions that the record may replace, or the one that is kept instead.
    pub(super) fn replaceable<'s>(
        &self,
        near: Vec<&'s SleepSession>,
    ) -> Result<Vec<&'s SleepSession>, SleepSessionId> {
        let mut replaceable = Vec::with_capacity(near.len());
        for session in near {
            match self.precedence(session) {
                Some(Precedence::Session) => return Err(session.id),
                Some(Precedence::Both) => {}
                Some(Precedence::Record) | None => replaceable.push(session),
            }
        }
        Ok(replaceable)
    }

    /// Returns whether an id or a key of the record belongs to this session, which the import has met at
    /// another time.
    pub(super) fn is_another(&self, session: &SleepSession) -> bool {
        let met = self.attempt.position_of(session.id);
        met.is_some_and(|at| is_ambiguous_key((&session.record, at), positioned(self.imported)))
    }

    fn precedence(&self, session: &SleepSession) -> Option<Precedence> {
        let at = self.attempt.position_of(session.id)?;
        let is_equal = session.record == self.imported.record;
        (!is_equal).then(|| Precedence::of((&session.record, at), positioned(self.imported)))
    }
}
