//! One record that becomes what it was.

use crate::ports::storage::{ImportChange, RecordBefore, RecordReference, StorageError, UnitOfWork};
use domain::id::{IntakeLogId, SupplementId, UserId};
use domain::supplement::{CatalogueKey, IntakeLog, Supplement};
use domain::user::ProfileChanges;

/// What became of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TakenBack {
    /// It is as it was.
    Yes,
    /// It stays as it is.
    No,
}

impl From<bool> for TakenBack {
    fn from(is_taken_back: bool) -> Self {
        if is_taken_back { Self::Yes } else { Self::No }
    }
}

/// Brings records of one import back, in a unit of work.
pub(super) struct TakingBack<'a> {
    pub(super) unit: &'a mut dyn UnitOfWork,
    pub(super) user_id: Option<UserId>,
    /// What the import changed in the profile.
    pub(super) profile: ProfileChanges,
}

impl TakingBack<'_> {
    /// Makes a record what it was, or says why not.
    pub(super) async fn take_back(&mut self, change: &ImportChange) -> Result<TakenBack, StorageError> {
        match (change.record, &change.before, self.user_id) {
            (RecordReference::Log(id), None, Some(user_id)) => self.drop_log(user_id, id).await,
            (RecordReference::Log(_), Some(RecordBefore::Log(before)), Some(user_id)) => {
                self.restore_log(user_id, before).await
            }
            (RecordReference::Label(id), None, _) => {
                self.unit.supplements().retract(id, None).await.map(Into::into)
            }
            (RecordReference::Label(id), Some(RecordBefore::Label(before)), _) => {
                self.restore_label(id, before).await
            }
            // What was before is of the kind of what is, and only a catalogue is nobody's. Sessions are taken back
            // together, and the profile field by field.
            (
                RecordReference::Session(_)
                | RecordReference::Log(_)
                | RecordReference::Profile(_)
                | RecordReference::Label(_),
                _,
                _,
            ) => Ok(TakenBack::No),
        }
    }

    async fn drop_log(&mut self, user_id: UserId, id: IntakeLogId) -> Result<TakenBack, StorageError> {
        self.unit.intake_logs().delete(user_id, &[id]).await.map(|_| TakenBack::Yes)
    }

    async fn restore_log(&mut self, user_id: UserId, before: &IntakeLog) -> Result<TakenBack, StorageError> {
        let is_there = !self.unit.intake_logs().find_many(user_id, &[before.id]).await?.is_empty();
        let outcome = if is_there {
            self.unit.intake_logs().update(user_id, before).await.map(|_| ())
        } else {
            self.unit.intake_logs().insert(user_id, std::slice::from_ref(before)).await
        };
        unless_taken(outcome)
    }

    /// Restores the profile fields that are still as the import left them; reports whether all were.
    pub(super) async fn restore_profile(&mut self, id: UserId) -> Result<TakenBack, StorageError> {
        if !self.profile.iter().any(|change| change.is_applied) {
            return Ok(TakenBack::No);
        }
        let Some(known) = self.unit.users().find(id).await? else { return Ok(TakenBack::No) };
        let mut user = known.clone();
        let is_whole = self.profile.take_back(&mut user);
        if user != known {
            self.unit.users().update(&user).await?;
        }
        Ok(is_whole.into())
    }

    async fn restore_label(
        &mut self,
        id: SupplementId,
        before: &(CatalogueKey, Supplement),
    ) -> Result<TakenBack, StorageError> {
        let (_, version) = before;
        if version.id == id {
            self.unit.supplements().update(version).await.map(Into::into)
        } else {
            self.unit.supplements().retract(id, Some(version.id)).await.map(Into::into)
        }
    }
}

/// A key that somebody else has by now stays theirs.
fn unless_taken(outcome: Result<(), StorageError>) -> Result<TakenBack, StorageError> {
    match outcome {
        Ok(()) => Ok(TakenBack::Yes),
        Err(StorageError::Conflict(_)) => Ok(TakenBack::No),
        Err(error) => Err(error),
    }
}
