//! Imports, what each of them did, and the parts of uploads, in a unit of work.

use super::StorageError;
use crate::import::ImportReport;
use async_trait::async_trait;
use chrono::{DateTime, FixedOffset, TimeDelta, Utc};
use domain::id::{ImportId, IntakeLogId, SleepSessionId, SupplementId, UserId};
use domain::import::{FileDigest, FileName, ImportOrigin, ImportState};
use domain::sleep::{SleepSession, TimeInBed};
use domain::supplement::{CatalogueKey, IntakeLog, Supplement};
use domain::time::TimeZone;
use domain::user::User;
#[cfg(feature = "test-support")]
use mockall::automock;

/// For how long it counts, when an upload is taken, that others of the same person ended.
pub const RECENT_UPLOADS: TimeDelta = TimeDelta::hours(1);

/// One import as it is kept.
#[derive(Debug, Clone, PartialEq)]
pub struct Import {
    /// Its id.
    pub id: ImportId,
    /// Whose records it brings; absent for a catalogue.
    pub user_id: Option<UserId>,
    /// Where the file came from.
    pub origin: ImportOrigin,
    /// What the file was called.
    pub file_name: FileName,
    /// The format, once it is recognised.
    pub format: Option<String>,
    /// The hash of the file, once it is known.
    pub digest: Option<FileDigest>,
    /// The zone of local times that carry no offset.
    pub zone: TimeZone,
    /// How far it is.
    pub state: ImportState,
    /// How many bytes the file has; of an upload that arrives, how many came so far.
    pub size: u64,
    /// When a recording began that does not say so itself, as whoever uploads it said.
    pub recording_start: Option<DateTime<FixedOffset>>,
    /// Whether the person asked for profile fields to be overwritten with what the upload says.
    pub overwrite_profile: bool,
    /// How many bytes the reading passed that comes before anything is stored.
    pub bytes_checked: u64,
    /// How many bytes were read and stored.
    pub bytes_done: u64,
    /// How many servers took an upload to read it, and neither ended it nor gave it back.
    pub tries: u32,
    /// When it began.
    pub started_at: DateTime<Utc>,
    /// When it was done, refused or undone.
    pub ended_at: Option<DateTime<Utc>>,
    /// What it did so far; of its rejections and notes at most [`Self::LISTED`] each.
    pub report: ImportReport,
    /// Why the file was refused, or the import was cancelled.
    pub refusal: Option<String>,
}

impl Import {
    /// How many rejections, and how many notes, are kept.
    pub const LISTED: usize = 100;
}

/// A record that an import stored, changed or removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RecordReference {
    /// A sleep session.
    Session(SleepSessionId),
    /// An intake log.
    Log(IntakeLogId),
    /// The person's profile.
    Profile(UserId),
    /// A version of a label.
    Label(SupplementId),
}

/// What a record was before.
#[derive(Debug, Clone, PartialEq)]
pub enum RecordBefore {
    /// A sleep session.
    Session(Box<SleepSession>),
    /// An intake log.
    Log(Box<IntakeLog>),
    /// The profile; the e-mail address is not taken back.
    Profile(Box<User>),
    /// A label: the same version with other text, or the version whose place the new one took.
    Label(Box<(CatalogueKey, Supplement)>),
}

/// What an import did to one record.
#[derive(Debug, Clone, PartialEq)]
pub struct ImportChange {
    /// Which record.
    pub record: RecordReference,
    /// What it was before; absent when the import made it.
    pub before: Option<RecordBefore>,
}

/// What an import did to one session, or would have done.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionNote {
    /// The import.
    pub import: ImportId,
    /// The session.
    pub id: SleepSessionId,
    /// Its place among all that imports did to sessions of the person; it stays the same for good.
    pub position: i64,
    /// What the session was before; absent when there was none.
    pub before: Option<SleepSession>,
    /// What the import brings, where something has its place: the session was left as it was before.
    pub waiting: Option<SleepSession>,
    /// Whether the session is now as this left it.
    pub is_latest: bool,
}

/// What became of a record after an import changed it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// It is as the import left it.
    Latest,
    /// A later import changed it, and keeps what this one made as what was before.
    ChangedBy(ImportId),
    /// Something else changed it, or did so before a later import did.
    Overtaken,
}

/// Reads imports outside a transaction.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait ImportReader: Send + Sync {
    /// Returns an import; `None` if there is none.
    async fn find_import(&self, id: ImportId) -> Result<Option<Import>, StorageError>;
    /// Lists imports of a person, or of everyone, the latest start first, ties by descending id: those after `after`, at
    /// most `limit`.
    async fn list_imports(
        &self,
        user_id: Option<UserId>,
        after: Option<(DateTime<Utc>, ImportId)>,
        limit: u32,
    ) -> Result<Vec<Import>, StorageError>;
}

/// Keeps imports.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait ImportRepository: Send {
    /// Stores a new import.
    async fn insert(&mut self, import: &Import) -> Result<(), StorageError>;
    /// Takes an import that is `undoing` and was not updated for so long (never updated: since it began), by the store's
    /// own clock, the one that waits longest first, and counts as an update; nothing when there is none. Of two at once, one
    /// takes it.
    async fn take_undoing(&mut self, idle: TimeDelta) -> Result<Option<ImportId>, StorageError>;
    /// Returns an import, or nothing. Whoever was found MUST NOT be changed by another unit of work before this one
    /// ends.
    async fn find(&mut self, id: ImportId) -> Result<Option<Import>, StorageError>;
    /// Returns the latest import of this person (of a catalogue without one) that is `running`, came from the
    /// command line, has this digest and was updated (never updated: began) at this moment or later: it broke off, or
    /// goes on beside.
    async fn find_broken_off(
        &mut self,
        user_id: Option<UserId>,
        digest: &FileDigest,
        since: DateTime<Utc>,
    ) -> Result<Option<Import>, StorageError>;
    /// Overwrites everything but id, person and start; returns whether it exists. The store keeps when that was, by its
    /// own clock.
    async fn update(&mut self, import: &Import) -> Result<bool, StorageError>;
    /// Ends an import that is not finished, in one statement, and keeps the reason in [`Import::refusal`]: what arrives or waits
    /// becomes `refused`, what runs becomes `undoing`. Returns what it became; nothing, and nothing changes, when it is finished or there is none.
    /// Of this and whoever finishes it at the same time, one MUST win, and the other see it.
    async fn cancel(
        &mut self,
        id: ImportId,
        reason: &str,
        at: DateTime<Utc>,
    ) -> Result<Option<ImportState>, StorageError>;
    /// Lists imports as [`ImportReader`] does.
    async fn list(
        &mut self,
        user_id: Option<UserId>,
        after: Option<(DateTime<Utc>, ImportId)>,
        limit: u32,
    ) -> Result<Vec<Import>, StorageError>;

    /// Notes what an import did, after it was stored in this unit of work. Of a record that it changed before, what was
    /// first there stays noted, unless [`Self::overtake`] was called for it since: then it is what that left.
    async fn note(
        &mut self,
        id: ImportId,
        user_id: Option<UserId>,
        changes: &[ImportChange],
    ) -> Result<(), StorageError>;
    /// Returns what is noted of an import and not yet taken back, the latest change first, at most `limit`.
    async fn noted(
        &mut self,
        id: ImportId,
        limit: u32,
    ) -> Result<Vec<(ImportChange, Standing)>, StorageError>;
    /// Makes `before` what was before a later import's change of a record.
    async fn rebase(
        &mut self,
        later: ImportId,
        record: RecordReference,
        before: Option<RecordBefore>,
    ) -> Result<(), StorageError>;
    /// Forgets what an import did to a record, after it was taken back or rebased. When no later import's change of
    /// the record is noted, the import that changed it before, if any is noted, is taken to have left the record as
    /// it is now.
    async fn forget(&mut self, id: ImportId, record: RecordReference) -> Result<(), StorageError>;
    /// Forgets what an import did to a record that something else changed since, and that stays as it is: what other
    /// imports did to it before is [`Standing::Overtaken`] from now on.
    async fn leave(&mut self, id: ImportId, record: RecordReference) -> Result<(), StorageError>;
    /// Makes what imports did so far to these records [`Standing::Overtaken`] for good, and forgets what the records were
    /// before: something that is no import changed them, and that MUST NOT be taken back with an import, also when
    /// another import changes the record later. Records that no import noted are passed over.
    async fn overtake(
        &mut self,
        user_id: Option<UserId>,
        records: &[RecordReference],
    ) -> Result<(), StorageError>;
    /// Returns what is noted of these sessions of a person, by import and in the order of [`SessionNote::position`]; nothing
    /// that is [`Standing::Overtaken`] for good.
    async fn session_notes(
        &mut self,
        user_id: UserId,
        ids: &[SleepSessionId],
    ) -> Result<Vec<SessionNote>, StorageError>;
    /// Returns the sessions of this person of which a note keeps a session ([`SessionNote::before`] or
    /// [`SessionNote::waiting`]) that overlaps one of these stretches. In no order, and each once.
    async fn sessions_noted_near(
        &mut self,
        user_id: UserId,
        stretches: &[TimeInBed],
    ) -> Result<Vec<SleepSessionId>, StorageError>;
    /// Puts these notes, in this order, in the place of all that [`Self::session_notes`] returns of these sessions. The last
    /// one of a session counts as having left it as it is in this unit of work.
    async fn rewrite_session_notes(
        &mut self,
        user_id: UserId,
        ids: &[SleepSessionId],
        notes: &[SessionNote],
    ) -> Result<(), StorageError>;
    /// Forgets at most `limit` notes of imports that ended before this moment, or that run and were updated (never
    /// updated: began) before it, which means that they broke off; returns how many. Those of an import that is `undoing`
    /// are kept. The profile changes in the reports of these imports are forgotten, too; they are not counted.
    async fn forget_noted_before(&mut self, before: DateTime<Utc>, limit: u32) -> Result<u64, StorageError>;
    /// Returns whether anything that the import did is still noted.
    async fn has_notes(&mut self, id: ImportId) -> Result<bool, StorageError>;

    /// Stores a part of an upload; parts count from 0. A part that is there already is left.
    async fn add_part(&mut self, id: ImportId, position: u32, bytes: &[u8]) -> Result<(), StorageError>;
    /// Returns a part; nothing past the last.
    async fn part(&mut self, id: ImportId, position: u32) -> Result<Option<Vec<u8>>, StorageError>;
    /// Returns how many bytes the uploads of all people have together that arrive, wait or are read: no others have
    /// parts. What another unit of work adds at this moment may not be in it yet.
    async fn stored_bytes(&mut self) -> Result<u64, StorageError>;
    /// Deletes the parts of an upload.
    async fn delete_parts(&mut self, id: ImportId) -> Result<(), StorageError>;
    /// Deletes uploads (their parts; the import becomes `refused` with this reason) that began before this moment and
    /// are not done; at most `limit`; returns how many.
    async fn delete_stale_uploads(
        &mut self,
        before: DateTime<Utc>,
        reason: &str,
        limit: u32,
    ) -> Result<u64, StorageError>;
    /// Takes an upload that waits, or that runs with a lease that is over, counts the try, and leases it until then; of what was
    /// read of it by others no byte counts any more. Two at once never take the same. Of a person one is read at a time: nobody's others are taken while one of theirs is leased
    /// (two that are taken at the very same moment apart). First comes whoever had the fewest uploads that ended within
    /// [`RECENT_UPLOADS`] before `now`, then what began first.
    async fn lease(
        &mut self,
        now: DateTime<Utc>,
        until: DateTime<Utc>,
    ) -> Result<Option<Import>, StorageError>;
    /// Prolongs a lease; false when the upload is not `running` any more.
    async fn prolong(&mut self, id: ImportId, until: DateTime<Utc>) -> Result<bool, StorageError>;
    /// Keeps how many bytes of an import that is `running` were checked; else it does nothing.
    async fn checked(&mut self, id: ImportId, bytes: u64) -> Result<(), StorageError>;
    /// Counts a try less of an upload that is `running`, because whoever leased it is there to say so; else it does
    /// nothing. Its lease stays.
    async fn uncount_try(&mut self, id: ImportId) -> Result<(), StorageError>;
}
