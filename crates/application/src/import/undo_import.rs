//! Takes back what one import did.

use crate::ports::storage::{
    Import, ImportChange, RecordBefore, RecordReference, Standing, StorageError, UnitOfWork,
    UnitOfWorkFactory,
};
use crate::ports::system::Clock;
use chrono::{DateTime, SubsecRound, TimeDelta, Utc};
use domain::id::{ImportId, IntakeLogId, SleepSessionId, SupplementId, UserId};
use domain::import::ImportState;
use domain::sleep::SleepSession;
use domain::supplement::{CatalogueKey, IntakeLog, Supplement};
use domain::user::User;
use std::sync::Arc;

/// For how long it is kept what an import did: after it ended, or after it last stored something and broke off.
pub const NOTES_KEPT: TimeDelta = TimeDelta::days(30);
/// How many records of a person are taken back in one unit of work; each may have been a session as heavy as can be.
const RECORDS: u32 = 40;
/// How many labels of a catalogue are; what they were is smaller.
const LABELS: u32 = 200;
/// How often a batch is tried when somebody else is in the way, or the connection was lost.
const TRIES: u32 = 5;

/// What was taken back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Undone {
    /// Records that are as they were before, or that a later import holds as what was before it.
    pub taken_back: u64,
    /// Records that stay, because something else changed them since, or because they are in use.
    pub left: u64,
}

/// Why nothing was taken back.
#[derive(Debug, thiserror::Error)]
pub enum UndoImportError {
    /// There is no such import, or it is somebody else's.
    #[error("there is no import with this id")]
    Unknown,
    /// It was taken back before.
    #[error("the import was undone already")]
    AlreadyUndone,
    /// Nothing was stored yet.
    #[error("the import has stored nothing")]
    NothingStored,
    /// What it did is not known any more: that is kept for [`NOTES_KEPT`].
    #[error("what the import did is kept for 30 days only")]
    TooOld,
    /// The store failed; calling it again goes on.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

/// Undoes imports.
///
/// What the import made goes, and what it replaced or removed comes back. Several imports may be undone in any order:
/// a record that a later import changed is left to that one, which then has before itself what was before this one.
/// Left as they are, and counted, are a record that was changed otherwise since (also when a later import changed it
/// once more), a label that somebody logged, and a session whose key another one has by now.
pub struct UndoImport {
    units: Arc<dyn UnitOfWorkFactory>,
    clock: Arc<dyn Clock>,
}

impl UndoImport {
    /// Takes the ports.
    pub fn new(units: Arc<dyn UnitOfWorkFactory>, clock: Arc<dyn Clock>) -> Self {
        Self { units, clock }
    }

    /// Undoes an import; with `of`, only one of this person.
    pub async fn run(&self, id: ImportId, of: Option<UserId>) -> Result<Undone, UndoImportError> {
        let user_id = self.check(id, of).await?;
        let mut undone = Undone::default();
        while let Some(batch) = self.retry(id, user_id).await? {
            undone.taken_back += batch.taken_back;
            undone.left += batch.left;
        }
        Ok(undone)
    }

    async fn check(&self, id: ImportId, of: Option<UserId>) -> Result<Option<UserId>, UndoImportError> {
        let mut unit = self.units.begin().await?;
        let import = unit.imports().find(id).await?;
        let has_notes = unit.imports().has_notes(id).await?;
        unit.rollback().await?;
        let import = import.filter(|import| of.is_none_or(|user_id| import.user_id == Some(user_id)));
        let Some(import) = import else { return Err(UndoImportError::Unknown) };
        let changed = |import: &Import| {
            let counts = [import.report.sessions, import.report.supplements, import.report.logs];
            import.report.profile_changed || counts.iter().any(|counts| counts.new + counts.updated > 0)
        };
        match import.state {
            ImportState::Undone if !has_notes => Err(UndoImportError::AlreadyUndone),
            ImportState::Receiving | ImportState::Waiting => Err(UndoImportError::NothingStored),
            // One that broke off in the midst of it was given up, and what it had stored stays until somebody asks.
            ImportState::Refused if !has_notes && !changed(&import) => Err(UndoImportError::NothingStored),
            ImportState::Running | ImportState::Done | ImportState::Refused
                if !has_notes && changed(&import) =>
            {
                Err(UndoImportError::TooOld)
            }
            ImportState::Running | ImportState::Done | ImportState::Refused | ImportState::Undone => {
                Ok(import.user_id)
            }
        }
    }

    async fn retry(&self, id: ImportId, user_id: Option<UserId>) -> Result<Option<Undone>, StorageError> {
        let mut tries = 1;
        loop {
            match self.batch(id, user_id).await {
                // Whether or not the one that broke off was stored: the next one takes what is left.
                Err(StorageError::Retryable | StorageError::Conflict(_) | StorageError::Unavailable)
                    if tries < TRIES =>
                {
                    tries += 1;
                }
                outcome => return outcome,
            }
        }
    }

    /// Takes back some; nothing when there is nothing left.
    async fn batch(&self, id: ImportId, user_id: Option<UserId>) -> Result<Option<Undone>, StorageError> {
        let now = self.clock.now();
        let mut unit = self.units.begin().await?;
        if let Some(user_id) = user_id {
            unit.users().find(user_id).await?;
        }
        let Some(import) = unit.imports().find(id).await? else {
            unit.rollback().await?;
            return Ok(None);
        };
        if import.state != ImportState::Undone {
            // From now on nobody stores anything more for it.
            let undone = Import { state: ImportState::Undone, ended_at: Some(now), ..import };
            unit.imports().update(&undone).await?;
            unit.imports().delete_parts(id).await?;
        }
        let most = if user_id.is_some() { RECORDS } else { LABELS };
        let noted = unit.imports().noted(id, most).await?;
        let mut undone = Undone::default();
        for (change, standing) in &noted {
            let record = change.record;
            let is_taken_back = match standing {
                Standing::ChangedBy(later) => {
                    unit.imports().rebase(*later, record, change.before.clone()).await?;
                    true
                }
                Standing::Latest => {
                    TakingBack { unit: unit.as_mut(), user_id, now }.take_back(change).await?
                }
                Standing::Overtaken => false,
            };
            if is_taken_back {
                unit.imports().forget(id, record).await?;
                undone.taken_back += 1;
            } else {
                unit.imports().leave(id, record).await?;
                undone.left += 1;
            }
        }
        unit.commit().await?;
        Ok((!noted.is_empty()).then_some(undone))
    }
}

/// One record that becomes what it was.
struct TakingBack<'a> {
    unit: &'a mut dyn UnitOfWork,
    user_id: Option<UserId>,
    now: DateTime<Utc>,
}

impl TakingBack<'_> {
    /// Tells whether the record is as it was.
    async fn take_back(&mut self, change: &ImportChange) -> Result<bool, StorageError> {
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
            (RecordReference::Label(id), None, _) => self.unit.supplements().retract(id, None).await,
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
            ) => Ok(false),
        }
    }

    async fn drop_session(&mut self, user_id: UserId, id: SleepSessionId) -> Result<bool, StorageError> {
        self.unit.sleep().delete(user_id, &[id]).await.map(|_| true)
    }

    async fn restore_session(
        &mut self,
        user_id: UserId,
        before: &SleepSession,
    ) -> Result<bool, StorageError> {
        // It changed now, whatever it was: who syncs by this time must see it.
        let session = SleepSession { updated_at: self.now.trunc_subsecs(3), ..before.clone() };
        let is_there = !self.unit.sleep().find_many(user_id, &[session.id]).await?.is_empty();
        let outcome = if is_there {
            self.unit.sleep().update(user_id, &session).await.map(|_| ())
        } else {
            self.unit.sleep().insert(user_id, &[session]).await
        };
        unless_taken(outcome)
    }

    async fn drop_log(&mut self, user_id: UserId, id: IntakeLogId) -> Result<bool, StorageError> {
        self.unit.intake_logs().delete(user_id, &[id]).await.map(|_| true)
    }

    async fn restore_log(&mut self, user_id: UserId, before: &IntakeLog) -> Result<bool, StorageError> {
        let is_there = !self.unit.intake_logs().find_many(user_id, &[before.id]).await?.is_empty();
        let outcome = if is_there {
            self.unit.intake_logs().update(user_id, before).await.map(|_| ())
        } else {
            self.unit.intake_logs().insert(user_id, std::slice::from_ref(before)).await
        };
        unless_taken(outcome)
    }

    async fn restore_profile(&mut self, id: UserId, before: &User) -> Result<bool, StorageError> {
        let Some(user) = self.unit.users().find(id).await? else { return Ok(false) };
        let User { id: _, email: _, status: _, home_timezone, created_at, biology } = before;
        let restored =
            User { home_timezone: *home_timezone, created_at: *created_at, biology: *biology, ..user };
        self.unit.users().update(&restored).await
    }

    async fn restore_label(
        &mut self,
        id: SupplementId,
        before: &(CatalogueKey, Supplement),
    ) -> Result<bool, StorageError> {
        let (_, version) = before;
        if version.id == id {
            self.unit.supplements().update(version).await
        } else {
            self.unit.supplements().retract(id, Some(version.id)).await
        }
    }
}

/// A key that somebody else has by now stays theirs.
fn unless_taken(outcome: Result<(), StorageError>) -> Result<bool, StorageError> {
    match outcome {
        Ok(()) => Ok(true),
        Err(StorageError::Conflict(_)) => Ok(false),
        Err(error) => Err(error),
    }
}
