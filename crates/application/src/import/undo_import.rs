//! Takes back what one import did.

mod cancelling;
mod nights;
mod replay;
mod taking_back;

pub(crate) use cancelling::{BY_OPERATOR, BY_PERSON};
pub use cancelling::{CancelImportError, Cancelled, is_cancelled};

use crate::audit::AuditTrail;
use crate::ports::storage::{
    Import, ImportChange, RecordReference, Standing, StorageError, UnitOfWork, UnitOfWorkFactory,
};
use crate::ports::system::{Clock, Entropy};
use chrono::TimeDelta;
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::id::{ImportId, UserId};
use domain::import::{ImportOrigin, ImportState};
use domain::user::ProfileChanges;
use nights::Nights;
use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;
use taking_back::{TakenBack, TakingBack};

/// For how long it is kept what an import did: after it ended, or after it last stored something and broke off.
pub const NOTES_KEPT: TimeDelta = TimeDelta::days(30);
/// For how long nothing was taken back when another server goes on: longer than any batch takes.
pub const UNDOING_IDLE: TimeDelta = TimeDelta::seconds(15);
/// How many records of a person are taken back in one unit of work; each may have been a session as heavy as can be.
const RECORDS: u32 = 40;
/// How many labels of a catalogue are; what they were is smaller.
const LABELS: u32 = 200;
/// How often a batch is tried when somebody else is in the way, or the connection was lost.
const TRIES: u32 = 5;

/// What was taken back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Undone {
    /// Records that are gone: the import had made them.
    pub removed: u64,
    /// Records that are there as they would be without the import: it had changed them, or taken their place.
    pub restored: u64,
    /// Records that stay, because something else changed them since, or because they are in use.
    pub left: u64,
}

impl Undone {
    /// Counts the records that were taken back, in either way.
    pub const fn taken_back(self) -> u64 {
        self.removed.saturating_add(self.restored)
    }

    fn add(&mut self, Self { removed, restored, left }: Self) {
        self.removed = self.removed.saturating_add(removed);
        self.restored = self.restored.saturating_add(restored);
        self.left = self.left.saturating_add(left);
    }
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
    /// A person asked, and the operator's import brought labels, which belong to everybody, or may have: it did not end.
    #[error("the import brought labels of the catalogue; only the operator undoes it")]
    NotTheirs,
    /// The store failed; calling it again goes on, and so does a server by itself.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

/// Tells whether an import may have brought labels, which no upload brings. The report of one that is not done does not
/// tell all that was stored.
fn may_have_labels(import: &Import) -> bool {
    let labels = import.report.supplements;
    import.origin == ImportOrigin::Command
        && (labels.new + labels.updated > 0
            || matches!(import.state, ImportState::Running | ImportState::Undoing))
}

/// Undoes imports.
///
/// What the import made goes, and what it replaced or removed comes back. Several imports may be undone in any order:
/// a record that a later import changed is left to that one, which then has before itself what was before this one.
/// Sessions become what they would be, had the import never been (the module `replay` says how). Left as they are, and counted, are a
/// record that was changed otherwise since (also when a later import changed it once more), a label that somebody logged,
/// and a session whose key or place something has by now that is no import.
///
/// The import is `undoing` from the first record to the last. Whoever is broken off leaves it so, and [`Self::resume`]
/// goes on.
pub struct UndoImport {
    units: Arc<dyn UnitOfWorkFactory>,
    clock: Arc<dyn Clock>,
    trail: AuditTrail,
}

impl UndoImport {
    /// Takes the ports.
    pub fn new(units: Arc<dyn UnitOfWorkFactory>, entropy: Arc<dyn Entropy>, clock: Arc<dyn Clock>) -> Self {
        let trail = AuditTrail::new(entropy, clock.clone());
        Self { units, clock, trail }
    }

    /// Undoes an import, or goes on with that; with `of`, only one of this person.
    pub async fn run(&self, id: ImportId, of: Option<UserId>) -> Result<Undone, UndoImportError> {
        let user_id = self.check(id, of).await?;
        let by = if of.is_some() { AuditActor::Person } else { AuditActor::Operator };
        Ok(self.take_back(id, user_id, by).await?)
    }

    /// Goes on with an undoing that was broken off [`UNDOING_IDLE`] ago or longer; returns which, and what was still to
    /// be done, or nothing when there is none.
    pub async fn resume(&self) -> Result<Option<(ImportId, Undone)>, StorageError> {
        let mut unit = self.units.begin().await?;
        let taken = unit.imports().take_undoing(UNDOING_IDLE).await?;
        let import = match taken {
            Some(id) => unit.imports().find(id).await?,
            None => None,
        };
        unit.commit().await?;
        let Some(Import { id, user_id, .. }) = import else { return Ok(None) };
        Ok(Some((id, self.take_back(id, user_id, AuditActor::Server).await?)))
    }

    async fn check(&self, id: ImportId, of: Option<UserId>) -> Result<Option<UserId>, UndoImportError> {
        let mut unit = self.units.begin().await?;
        let import = unit.imports().find(id).await?;
        let has_notes = unit.imports().has_notes(id).await?;
        unit.rollback().await?;
        let import = import.filter(|import| of.is_none_or(|user_id| import.user_id == Some(user_id)));
        let Some(import) = import else { return Err(UndoImportError::Unknown) };
        if of.is_some() && may_have_labels(&import) {
            return Err(UndoImportError::NotTheirs);
        }
        match import.state {
            ImportState::Undone => Err(UndoImportError::AlreadyUndone),
            ImportState::Receiving | ImportState::Waiting => Err(UndoImportError::NothingStored),
            // One that broke off in the midst of it was given up, and what it had stored stays until somebody asks.
            ImportState::Refused if !has_notes && !import.report.changed_anything() => {
                Err(UndoImportError::NothingStored)
            }
            ImportState::Running | ImportState::Done | ImportState::Refused
                if !has_notes && import.report.changed_anything() =>
            {
                Err(UndoImportError::TooOld)
            }
            ImportState::Running | ImportState::Done | ImportState::Refused | ImportState::Undoing => {
                Ok(import.user_id)
            }
        }
    }

    async fn take_back(
        &self,
        id: ImportId,
        user_id: Option<UserId>,
        by: AuditActor,
    ) -> Result<Undone, StorageError> {
        let mut undone = Undone::default();
        while let Some(batch) = self.retry(id, user_id, by).await? {
            undone.add(batch);
        }
        Ok(undone)
    }

    async fn retry(
        &self,
        id: ImportId,
        user_id: Option<UserId>,
        by: AuditActor,
    ) -> Result<Option<Undone>, StorageError> {
        let mut tries = 1;
        loop {
            match self.batch(id, user_id, by).await {
                // Whether or not the one that broke off was stored: the next one takes what is left.
                Err(
                    StorageError::Retryable
                    | StorageError::Conflict(_)
                    | StorageError::Unavailable
                    | StorageError::Disk(_),
                ) if tries < TRIES => {
                    tries += 1;
                }
                outcome => return outcome,
            }
        }
    }

    /// Takes back some; nothing when nothing is left, and the import is undone.
    async fn batch(
        &self,
        id: ImportId,
        user_id: Option<UserId>,
        by: AuditActor,
    ) -> Result<Option<Undone>, StorageError> {
        let mut unit = self.units.begin().await?;
        if let Some(user_id) = user_id {
            unit.users().find(user_id).await?;
        }
        // Held until the end of the unit: who undoes it as well goes on with what this one leaves.
        let found = unit.imports().find(id).await?;
        let Some(import) = found.filter(|import| import.state != ImportState::Undone) else {
            unit.rollback().await?;
            return Ok(None);
        };
        if import.state != ImportState::Undoing {
            unit.audit().append(&self.event(&import, by)).await?;
        }
        let most = if user_id.is_some() { RECORDS } else { LABELS };
        let noted = unit.imports().noted(id, most).await?;
        let profile = import.report.profile.clone();
        self.mark(unit.as_mut(), import, noted.is_empty()).await?;
        let mut undone = Undone::default();
        let mut together = HashSet::new();
        if let Some(user_id) = user_id {
            let nights = Nights { unit: unit.as_mut(), id, user_id, now: self.clock.now() };
            (together, undone) = take_nights(nights, &noted).await?;
        }
        let mut taking = TakingBack { unit: unit.as_mut(), user_id, profile };
        for (change, standing) in noted.iter().filter(|(change, _)| !together.contains(&change.record)) {
            undone.add(take_one(id, &mut taking, change, *standing).await?);
        }
        unit.commit().await?;
        Ok((!noted.is_empty()).then_some(undone))
    }

    /// Makes the event of an undoing that begins.
    fn event(&self, import: &Import, by: AuditActor) -> AuditEvent {
        let event = self.trail.event(by, AuditKind::ImportUndone).subject(import.id.as_uuid());
        AuditEvent { user_id: import.user_id, ..event }
    }

    /// Marks the import: from now on nobody stores anything more for it, and with each batch it is seen to go on.
    async fn mark(
        &self,
        unit: &mut dyn UnitOfWork,
        import: Import,
        is_last: bool,
    ) -> Result<(), StorageError> {
        let id = import.id;
        let is_first = import.state != ImportState::Undoing;
        let state = if is_last { ImportState::Undone } else { ImportState::Undoing };
        let ended_at = if is_first || is_last { Some(self.clock.now()) } else { import.ended_at };
        let mut import = Import { state, ended_at, ..import };
        if is_last {
            import.report.profile = ProfileChanges::default();
        }
        unit.imports().update(&import).await?;
        if is_first {
            unit.imports().delete_parts(id).await?;
        }
        Ok(())
    }
}

/// Takes back what was done to sessions, unless something else changed them since; returns which records that were.
async fn take_nights(
    mut nights: Nights<'_>,
    noted: &[(ImportChange, Standing)],
) -> Result<(HashSet<RecordReference>, Undone), StorageError> {
    let ids: BTreeSet<_> = noted
        .iter()
        .filter(|(_, standing)| *standing != Standing::Overtaken)
        .filter_map(|(change, _)| match change.record {
            RecordReference::Session(id) => Some(id),
            RecordReference::Log(_) | RecordReference::Profile(_) | RecordReference::Label(_) => None,
        })
        .collect();
    if ids.is_empty() {
        return Ok((HashSet::new(), Undone::default()));
    }
    let (together, undone) = nights.take_back(ids).await?;
    Ok((together.into_iter().map(RecordReference::Session).collect(), undone))
}

/// Takes one note out; counts what it is about, which may be a later import's to bring back.
async fn take_one(
    id: ImportId,
    taking: &mut TakingBack<'_>,
    change: &ImportChange,
    standing: Standing,
) -> Result<Undone, StorageError> {
    let record = change.record;
    let outcome = match (record, standing) {
        // Field by field, whatever else changed the profile since.
        (RecordReference::Profile(user_id), _) => taking.restore_profile(user_id).await?,
        (_, Standing::ChangedBy(later)) => {
            taking.unit.imports().rebase(later, record, change.before.clone()).await?;
            TakenBack::Yes
        }
        (_, Standing::Latest) => taking.take_back(change).await?,
        (_, Standing::Overtaken) => TakenBack::No,
    };
    match outcome {
        TakenBack::Yes => taking.unit.imports().forget(id, record).await?,
        TakenBack::No => taking.unit.imports().leave(id, record).await?,
    }
    let is_gone = change.before.is_none() && standing == Standing::Latest;
    Ok(match outcome {
        TakenBack::Yes if is_gone => Undone { removed: 1, ..Undone::default() },
        TakenBack::Yes => Undone { restored: 1, ..Undone::default() },
        TakenBack::No => Undone { left: 1, ..Undone::default() },
    })
}
