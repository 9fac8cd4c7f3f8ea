//! Export files of devices and catalogues, read as streams of records.

pub use crate::model::import_report::{Note, Rejection};
use chrono::{DateTime, Utc};
use domain::id::{IntakeLogId, SleepSessionId, SupplementId};
use domain::import::{FileDigest, RecordPosition};
use domain::sleep::SleepRecord;
use domain::supplement::{CatalogueKey, IntakeLogRecord, SupplementLabel, Upc};
use domain::time::TimeZone;
use domain::user::Biology;
use std::ops::ControlFlow;

/// An item of a file.
#[derive(Debug, Clone, PartialEq)]
pub enum ImportItem {
    /// Profile values; only those in the file are changed.
    Profile(Box<ImportedProfile>),
    /// A sleep session.
    Session(Box<ImportedSession>),
    /// A supplement's label.
    Supplement(Box<ImportedSupplement>),
    /// An intake of a supplement.
    Log(Box<ImportedLog>),
    /// An invalid record; reading continues with the next one.
    Rejected(Rejection),
    /// A remark about an accepted record, e.g. totals that exceed the time in bed.
    Note(Note),
    /// Supplement labels were skipped, because the file is an upload.
    LabelsLeftOut,
}

impl ImportItem {
    /// Returns the item's location in the file; may be empty.
    pub fn place(&self) -> &str {
        match self {
            Self::Profile(profile) => &profile.place,
            Self::Session(session) => &session.place,
            Self::Supplement(supplement) => &supplement.place,
            Self::Log(log) => &log.place,
            Self::Rejected(rejection) => &rejection.place,
            Self::Note(note) => &note.place,
            Self::LabelsLeftOut => "",
        }
    }
}

/// Profile values of a file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ImportedProfile {
    /// Location in the file, for rejections: `line 3`.
    pub place: String,
    /// Whether its values replace existing ones, because the file is Restwell's own export.
    pub is_restore: bool,
    /// Creation time of the profile, if the file is Restwell's own export of this user.
    pub created_at: Option<DateTime<Utc>>,
    /// Time zone of the user.
    pub home_timezone: Option<TimeZone>,
    /// Biological values; missing ones stay unchanged.
    pub biology: Biology,
}

/// A sleep session of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct ImportedSession {
    /// Location in the file, for rejections: `record 3`.
    pub place: String,
    /// Position in the import, which decides between records of one night.
    pub position: RecordPosition,
    /// Restwell's id, if the file is Restwell's own export.
    pub id: Option<SleepSessionId>,
    /// The session.
    pub record: SleepRecord,
    /// Time of its last change, if the file is Restwell's own export.
    pub updated_at: Option<DateTime<Utc>>,
}

/// A supplement label of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct ImportedSupplement {
    /// Location in the file, for rejections: `record 3`.
    pub place: String,
    /// Number of the file in the import, from 0.
    pub file: u32,
    /// Restwell's id, if the file is Restwell's own export.
    pub id: Option<SupplementId>,
    /// Catalogue key.
    pub key: CatalogueKey,
    /// The label.
    pub label: SupplementLabel,
    /// Entry date, if the file is Restwell's own export.
    pub entry_date: Option<DateTime<Utc>>,
}

/// An intake log of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct ImportedLog {
    /// Location in the file, for rejections: `line 3`.
    pub place: String,
    /// Number of the file in the import, from 0.
    pub file: u32,
    /// Restwell's id, if the file is Restwell's own export.
    pub id: Option<IntakeLogId>,
    /// Product code, if the file identifies the supplement by code. The record then holds an id derived from
    /// the code, which belongs to no supplement.
    pub upc: Option<Upc>,
    /// The log.
    pub record: IntakeLogRecord,
}

/// Why a whole file is rejected. Nothing of it is stored.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ImportRefusal {
    /// The content has no known format, or not the specified one.
    #[error("{0}")]
    NotThisFormat(String),
    /// The content has another format than the specified one, or an ambiguous format that must be specified.
    #[error("{seen}")]
    OtherFormat {
        /// The detected content.
        seen: String,
        /// Names of the formats that can read it.
        formats: Vec<&'static str>,
    },
    /// The file is a known table of a manufacturer without importable data.
    #[error("{0}")]
    HoldsNoSleep(String),
    /// The file has a known format, but cannot be imported in this way.
    #[error("{0}")]
    NotInThisWay(String),
    /// The file is a hypnogram, which has no start time, and none was specified. Holds the location of the
    /// file in a folder or archive, with a colon; empty for a single file.
    #[error("{0}a hypnogram does not contain its start time")]
    NoStart(String),
    /// A record belongs to another user than the one of the import.
    #[error("{place}: user_id is not the person that the file is imported for")]
    OtherPerson {
        /// Location of the record: a line.
        place: String,
    },
    /// No file has this name.
    #[error("there is no such file")]
    Missing,
    /// The content is truncated or damaged.
    #[error("damaged at {place}: {reason}")]
    Damaged {
        /// Location: a line, byte or record.
        place: String,
        /// Expected content.
        reason: String,
    },
    /// The file cannot be read.
    #[error("cannot be read: {0}")]
    Unreadable(String),
    /// The progress callback stopped reading. The file may be valid.
    #[error("reading was stopped")]
    Stopped,
}

/// Progress callback with the number of bytes read so far. `Break` ends reading with
/// [`ImportRefusal::Stopped`].
pub type ReadProgress<'a> = &'a mut dyn FnMut(u64) -> ControlFlow<()>;

/// Sequential reader of a file, in constant memory.
///
/// Reading blocks the thread: do not call it on an async worker thread.
pub trait ImportSource: Send {
    /// Returns the next records in file order, at most `limit`; empty at the end. Reports the bytes read so
    /// far from time to time, because it can take minutes until a file yields a record.
    fn read_batch(
        &mut self,
        limit: usize,
        progress: ReadProgress<'_>,
    ) -> Result<Vec<ImportItem>, ImportRefusal>;
    /// Like [`read_batch`](Self::read_batch), without progress.
    fn next_batch(&mut self, limit: usize) -> Result<Vec<ImportItem>, ImportRefusal> {
        self.read_batch(limit, &mut |_| ControlFlow::Continue(()))
    }
    /// Reads and discards the rest; returns every error that reading the records would. Calls the callback in
    /// the same way.
    fn check(&mut self, progress: ReadProgress<'_>) -> Result<(), ImportRefusal>;
    /// Returns the number of bytes read so far.
    fn bytes_read(&self) -> u64;
}

/// A file that can be read more than once, so that it can be checked before anything is stored.
pub trait ImportFile: Send + Sync {
    /// Opens the file at its start.
    fn open(&self) -> Result<Box<dyn ImportSource>, ImportRefusal>;
    /// Returns the size in bytes for progress display, if known.
    fn size(&self) -> Option<u64>;
    /// Hashes the file's bytes; for a folder, the names and bytes of its files. Reads everything.
    fn digest(&self) -> Result<FileDigest, ImportRefusal>;
    /// Returns the names of the specified or detected formats, each once, in the order of the files.
    fn formats(&self) -> Vec<&'static str>;
}
