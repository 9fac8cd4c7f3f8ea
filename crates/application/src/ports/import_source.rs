//! Export files of devices and catalogues, as a stream of records.

use chrono::{DateTime, Utc};
use domain::id::{IntakeLogId, SleepSessionId, SupplementId};
use domain::import::FileDigest;
use domain::sleep::SleepRecord;
use domain::supplement::{CatalogueKey, IntakeLogRecord, SupplementLabel, Upc};
use domain::time::TimeZone;
use domain::user::Biology;
use std::ops::ControlFlow;

/// One thing that a file holds.
#[derive(Debug, Clone, PartialEq)]
pub enum ImportItem {
    /// What a file says of the person; only what it says is changed.
    Profile(Box<ImportedProfile>),
    /// A sleep session.
    Session(Box<ImportedSession>),
    /// A supplement's label.
    Supplement(Box<ImportedSupplement>),
    /// An intake of a supplement.
    Log(Box<ImportedLog>),
    /// Something that looks like one of these and cannot be taken; the rest of the file goes on.
    Rejected(Rejection),
    /// Something about a record that was taken all the same, e.g. totals that exceed the time in bed.
    Note(Note),
    /// Labels of supplements were left out, because the file is an upload.
    LabelsLeftOut,
}

impl ImportItem {
    /// Returns where in the file it stands; empty if it has no place.
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

/// Why a record was not taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rejection {
    /// Where in the file: `record 12`, `line 3`; never a value of the record.
    pub place: String,
    /// Why, in words for the person who owns the file; never a health value.
    pub reason: String,
}

/// What was dropped of a record that was taken, or passed over in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// Where in the file: `record 12`, `line 3`; never a value of the record.
    pub place: String,
    /// What, in words for the person who owns the file, the same each time; never a health value.
    pub reason: String,
    /// How many parts of the record or the file it is about; `None` if it is about the record itself.
    pub amount: Option<u64>,
}

impl From<Rejection> for Note {
    fn from(Rejection { place, reason }: Rejection) -> Self {
        Self { place, reason, amount: None }
    }
}

/// The part of a profile that a file carries.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ImportedProfile {
    /// Where in the file it stands, in case it is not taken: `line 3`.
    pub place: String,
    /// Whether its values replace known ones unasked: Restwell's own export is a restore.
    pub is_restore: bool,
    /// When the profile was created, when the file is Restwell's own export of this very person.
    pub created_at: Option<DateTime<Utc>>,
    /// The person's zone.
    pub home_timezone: Option<TimeZone>,
    /// The biological values; those that are missing stay as they are.
    pub biology: Biology,
}

/// A sleep session that a file carries.
#[derive(Debug, Clone, PartialEq)]
pub struct ImportedSession {
    /// Where in the file it stands, in case it is not taken: `record 3`.
    pub place: String,
    /// Restwell's own id, when the file is Restwell's own export.
    pub id: Option<SleepSessionId>,
    /// The session.
    pub record: SleepRecord,
    /// When it last changed, when the file is Restwell's own export.
    pub updated_at: Option<DateTime<Utc>>,
}

/// A label that a file carries.
#[derive(Debug, Clone, PartialEq)]
pub struct ImportedSupplement {
    /// Where in the file it stands, in case it is not taken: `record 3`.
    pub place: String,
    /// Restwell's own id, when the file is Restwell's own export.
    pub id: Option<SupplementId>,
    /// Its key in the catalogue.
    pub key: CatalogueKey,
    /// The label.
    pub label: SupplementLabel,
    /// When it was entered, when the file is Restwell's own export.
    pub entry_date: Option<DateTime<Utc>>,
}

/// An intake log that a file carries.
#[derive(Debug, Clone, PartialEq)]
pub struct ImportedLog {
    /// Where in the file it stands, in case it is not taken: `line 3`.
    pub place: String,
    /// Restwell's own id, when the file is Restwell's own export.
    pub id: Option<IntakeLogId>,
    /// The product code by which the file names the supplement in place of an id; the record then holds an id made of
    /// the code, the same for the same code, which no supplement has.
    pub upc: Option<Upc>,
    /// The log.
    pub record: IntakeLogRecord,
}

/// Says that a whole file is refused, and leaves no trace.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ImportRefusal {
    /// The content is no format that is known, or not the one that was named.
    #[error("{0}")]
    NotThisFormat(String),
    /// The content is of another format than the one that was named, or shows none and is read if one is named.
    #[error("{seen}")]
    OtherFormat {
        /// What was seen.
        seen: String,
        /// The names of the formats that take it.
        formats: Vec<&'static str>,
    },
    /// The file is a known table of a maker that has nothing to import in it.
    #[error("{0}")]
    HoldsNoSleep(String),
    /// The file is of a known format, and cannot be imported in this way.
    #[error("{0}")]
    NotInThisWay(String),
    /// A hypnogram, which does not say when it began, came without that. Holds the place of the file in a folder or an
    /// archive, with a colon; nothing for a file alone.
    #[error("{0}a hypnogram does not say when it began")]
    NoStart(String),
    /// A record names another person than the one for whom the file is read.
    #[error("{place}: user_id names another person than the one for whom the file is imported")]
    OtherPerson {
        /// Which record: a line.
        place: String,
    },
    /// There is nothing under the name of the file.
    #[error("there is no such file")]
    Missing,
    /// The content breaks off or is damaged at this place.
    #[error("damaged at {place}: {reason}")]
    Damaged {
        /// Where: a line, a byte, a record.
        place: String,
        /// What was expected.
        reason: String,
    },
    /// The file cannot be read.
    #[error("cannot be read: {0}")]
    Unreadable(String),
    /// Whoever was told how far the reading is wanted no more of it. Says nothing about the file.
    #[error("the reading was stopped")]
    Stopped,
}

/// Is told now and then how many bytes are read, and says whether to go on; where it breaks, the reading ends with
/// [`ImportRefusal::Stopped`].
pub type Told<'a> = &'a mut dyn FnMut(u64) -> ControlFlow<()>;

/// One file, read from its beginning to its end; memory does not grow with the file.
///
/// Reading blocks the thread: run it where that does no harm.
pub trait ImportSource: Send {
    /// Returns the next records, at most `limit`, in the file's order; none at the end. Now and then `told` is called
    /// with the bytes that were read so far: a file may be read for minutes before it gives a record.
    fn next_batch_telling(&mut self, limit: usize, told: Told<'_>) -> Result<Vec<ImportItem>, ImportRefusal>;
    /// The same, telling nobody.
    fn next_batch(&mut self, limit: usize) -> Result<Vec<ImportItem>, ImportRefusal> {
        self.next_batch_telling(limit, &mut |_| ControlFlow::Continue(()))
    }
    /// Reads what is left without giving it; whatever the file would be refused for, it is refused for here. `told` is
    /// called as when records are given.
    fn check_telling(&mut self, told: Told<'_>) -> Result<(), ImportRefusal>;
    /// Returns how many bytes of the file were read so far.
    fn bytes_read(&self) -> u64;
}

/// A file that can be read more than once: to be checked whole before anything of it is stored.
pub trait ImportFile: Send + Sync {
    /// Begins to read at the start.
    fn open(&self) -> Result<Box<dyn ImportSource>, ImportRefusal>;
    /// Returns the size in bytes, when known, for a progress bar.
    fn size(&self) -> Option<u64>;
    /// Hashes the bytes of the file; of a folder, the names and the bytes of its files. Reads all of it.
    fn digest(&self) -> Result<FileDigest, ImportRefusal>;
    /// Returns the name of the format: the one named, or the one recognised.
    fn format(&self) -> &'static str;
}
