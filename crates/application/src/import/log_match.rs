//! Decides which log a record denotes.

use super::attempt::Attempt;
use super::known_logs::{KnownLogs, LogNames, MetLog};
use super::repetition::Repetition;
use super::run::Origin;
use crate::ports::import_source::ImportedLog;
use domain::id::IntakeLogId;
use domain::supplement::{IntakeLog, IntakeLogRecord};

/// A record's id belongs to one log and its key to another.
pub(super) struct Contradiction;

/// Removes the id, or the key, of a record if its file has that already for another intake.
pub(super) fn told_apart(
    known: &KnownLogs,
    attempt: &mut Attempt<'_>,
    position: usize,
    imported: ImportedLog,
) -> ImportedLog {
    let is_another = |known: &IntakeLog| {
        let later = LogNames::of(&imported);
        met_in_file(attempt, imported.file, known.id)
            .is_some_and(|MetLog { last, .. }| last.is_named() && last.is_repeated_by(&later, known.id))
            && !has_same_intake(&known.record, &imported.record)
    };
    let [has_anothers_id, has_anothers_key] =
        named(known, attempt, &imported).map(|known| known.is_some_and(is_another));
    if !has_anothers_id && !has_anothers_key {
        return imported;
    }
    attempt.note(position, Repetition::Ambiguous.note(&imported.place));
    let ImportedLog { id, record, .. } = imported;
    let record = if has_anothers_key { record.without_key() } else { record };
    ImportedLog { id: id.filter(|_| !has_anothers_id), record, ..imported }
}

/// Matches by Restwell's id, else by the client's key, else by supplement and time.
pub(super) fn find_same<'k>(
    known: &'k KnownLogs,
    attempt: &Attempt<'_>,
    imported: &ImportedLog,
) -> Result<Option<&'k IntakeLog>, Contradiction> {
    match named(known, attempt, imported) {
        [Some(one), Some(other)] if one.id != other.id => Err(Contradiction),
        [Some(same), _] | [None, Some(same)] => Ok(Some(same)),
        [None, None] => Ok(taken_alike(known, attempt, imported)),
    }
}

/// Finds a log of the same supplement and time: one of an earlier record of the file first, then one that is
/// equal, then one without a key.
///
/// Records of one file with an id or a key are distinct from those without, and entries with different
/// keys from each other. Two entries of Restwell's own export are distinct, even if equal: a log of this
/// import is found by id or key only.
pub(super) fn taken_alike<'k>(
    known: &'k KnownLogs,
    attempt: &Attempt<'_>,
    imported: &ImportedLog,
) -> Option<&'k IntakeLog> {
    let key = imported.record.external_key();
    let may_be = |known: &&'k IntakeLog| {
        let both_have_keys = key.is_some() && known.record.external_key().is_some();
        let is_of_another = match met_in_file(attempt, imported.file, known.id) {
            Some(earlier) => earlier.last.is_named() || LogNames::of(imported).is_named(),
            None => imported.id.is_some() && attempt.met_log(known.id).is_some(),
        };
        !both_have_keys && !is_of_another
    };
    let order = |known: &&'k IntakeLog| {
        let is_new_to_file = met_in_file(attempt, imported.file, known.id).is_none();
        let differs = known.record.servings() != imported.record.servings();
        (is_new_to_file, differs, known.record.external_key().is_some(), known.id)
    };
    known.taken_with(&imported.record).filter(may_be).min_by_key(order)
}

/// Finds the log with the record's id, and the one with its key.
fn named<'k>(
    known: &'k KnownLogs,
    attempt: &Attempt<'_>,
    imported: &ImportedLog,
) -> [Option<&'k IntakeLog>; 2] {
    let by_id = imported.id.and_then(|id| known.get(attempt.known_log_id(id)));
    let by_key = imported.record.external_key().and_then(|key| known.with_key(key));
    [by_id, by_key]
}

/// Returns what is known of a log that this file has had. The items of a request are no file: each may
/// correct an earlier one.
pub(super) fn met_in_file(attempt: &Attempt<'_>, file: u32, id: IntakeLogId) -> Option<MetLog> {
    attempt.met_log(id).filter(|met| attempt.run.origin == Origin::File && met.file == file)
}

fn has_same_intake(known: &IntakeLogRecord, imported: &IntakeLogRecord) -> bool {
    known.supplement_id() == imported.supplement_id() && known.created_at() == imported.created_at()
}
