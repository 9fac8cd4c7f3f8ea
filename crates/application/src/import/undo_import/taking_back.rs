//! One record that becomes what it was.

use crate::ports::storage::{ImportChange, RecordBefore, RecordReference, StorageError, UnitOfWork};
use chrono::{DateTime, SubsecRound, Utc};
use domain::id::{ImportId, IntakeLogId, SleepSessionId, SupplementId, UserId};
use domain::sleep::{SleepSession, leaves_no_place};
use domain::supplement::{CatalogueKey, IntakeLog, Supplement};
use domain::user::User;
use std::collections::HashSet;

/// The sessions that one undoing brought back: none of them is in the way of another.
pub(super) type Restored = HashSet<SleepSessionId>;

/// What became of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TakenBack {
    /// It is as it was.
    Yes,
    /// It stays as it is.
    No,
    /// A session of this import has its place: it comes back when that import is undone.
    By(ImportId),
}

impl From<bool> for TakenBack {
    fn from(is_taken_back: bool) -> Self {
        if is_taken_back { Self::Yes } else { Self::No }
    }
}

/// Brings records of one import back, in a unit of work.
pub(super) struct TakingBack<'a> {
    pub(super) unit: &'a mut dyn UnitOfWork,
    pub(super) id: ImportId,
    pub(super) user_id: Option<UserId>,
    pub(super) now: DateTime<Utc>,
    pub(super) restored: &'a mut Restored,
}

impl TakingBack<'_> {
    /// Makes a record what it was, or says why not.
    pub(super) async fn take_back(&mut self, change: &ImportChange) -> Result<TakenBack, StorageError> {
        match (change.record, &change.before, self.user_id) {
            (RecordReference::Session(id), None, Some(user_id)) => self.drop_session(user_id, id).await,
            (RecordReference::Session(_), Some(RecordBefore::Session(before)), Some(user_id)) => {
                self.restore_session(user_id, before).await
            }
            (RecordReference::Log(id), None, Some(user_id)) => self.drop_log(user_id, id).await,
            (RecordReference::Log(_), Some(RecordBefore::Log(before)), Some(user_id)) => {
                self.restore_log(user_id, before).await
            }
            (RecordReference::Profile(id), Some(RecordBefore::Profile(before)), Some(_)) => {
                self.restore_profile(id, before).await
            }
            (RecordReference::Label(id), None, _) => {
                self.unit.supplements().retract(id, None).await.map(Into::into)
            }
            (RecordReference::Label(id), Some(RecordBefore::Label(before)), _) => {
                self.restore_label(id, before).await
            }
            // What was before is of the kind of what is, and only a catalogue is nobody's.
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

    async fn drop_session(&mut self, user_id: UserId, id: SleepSessionId) -> Result<TakenBack, StorageError> {
        self.unit.sleep().delete(user_id, &[id]).await.map(|_| TakenBack::Yes)
    }

    async fn restore_session(
        &mut self,
        user_id: UserId,
        before: &SleepSession,
    ) -> Result<TakenBack, StorageError> {
        if let Some(instead) = self.make_place(user_id, before).await? {
            return Ok(instead);
        }
        // It changed now, whatever it was: who syncs by this time must see it.
        let session = SleepSession { updated_at: self.now.trunc_subsecs(3), ..before.clone() };
        let is_there = !self.unit.sleep().find_many(user_id, &[session.id]).await?.is_empty();
        let outcome = if is_there {
            self.unit.sleep().update(user_id, &session).await.map(|_| ())
        } else {
            self.unit.sleep().insert(user_id, &[session]).await
        };
        if outcome.is_ok() && !before.record.key().is_given() {
            self.restored.insert(before.id);
        }
        unless_taken(outcome)
    }

    /// Makes place for a session that is to come back: what this import put there goes first, and comes back with its own
    /// note. Says what is to become of the session when something later has its place; nothing when it may come.
    async fn make_place(
        &mut self,
        user_id: UserId,
        before: &SleepSession,
    ) -> Result<Option<TakenBack>, StorageError> {
        // Whatever its source gave a key may overlap.
        if before.record.key().is_given() {
            return Ok(None);
        }
        let in_the_way = self.unit.imports().in_the_way(self.id, user_id, before).await?;
        let ids: Vec<_> = in_the_way.iter().map(|(id, _)| *id).collect();
        if ids.is_empty() {
            return Ok(None);
        }
        let found = self.unit.sleep().find_many(user_id, &ids).await?;
        let has_its_place = |id: SleepSessionId| {
            found.iter().any(|session| session.id == id && leaves_no_place(&session.record, before))
        };
        let mut instead = None;
        for (id, by) in in_the_way.into_iter().filter(|(id, _)| has_its_place(*id)) {
            match by {
                Some(by) if by == self.id => self.move_away(user_id, id).await?,
                Some(by) => instead = Some(TakenBack::By(by)),
                None if self.restored.contains(&id) => {}
                None => instead = instead.or(Some(TakenBack::No)),
            }
        }
        Ok(instead)
    }

    /// Takes a session away that this import left, until its own note is taken back.
    async fn move_away(&mut self, user_id: UserId, id: SleepSessionId) -> Result<(), StorageError> {
        self.unit.sleep().delete(user_id, &[id]).await?;
        self.unit.imports().pass_on(self.id, RecordReference::Session(id), self.id).await
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

    async fn restore_profile(&mut self, id: UserId, before: &User) -> Result<TakenBack, StorageError> {
        let Some(user) = self.unit.users().find(id).await? else { return Ok(TakenBack::No) };
        let User { id: _, email: _, status: _, home_timezone, created_at, biology } = before;
        let restored =
            User { home_timezone: *home_timezone, created_at: *created_at, biology: *biology, ..user };
        self.unit.users().update(&restored).await.map(Into::into)
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
