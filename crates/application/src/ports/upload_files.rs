//! Where the parts of an upload are put together again, so that they can be read as a file.

use super::import_source::{ImportFile, ImportRefusal};
use chrono::{DateTime, FixedOffset};
use domain::id::UserId;
use domain::time::TimeZone;
#[cfg(feature = "test-support")]
use mockall::automock;

/// Says that the place for files failed: no space, no permission. The upload itself may be good.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the file of an upload cannot be written: {0}")]
pub struct SpoolError(pub String);

/// Makes files of uploads.
#[cfg_attr(feature = "test-support", automock)]
pub trait UploadFiles: Send + Sync {
    /// Begins an empty file that is gone with the process, however that ends.
    fn begin(&self) -> Result<Box<dyn SpooledUpload>, SpoolError>;
}

/// What an upload does not say itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpooledAbout {
    /// The person for whom it is read.
    pub user_id: UserId,
    /// The zone of local times that carry no offset.
    pub zone: TimeZone,
    /// When a recording began that does not say so itself.
    pub start: Option<DateTime<FixedOffset>>,
}

/// The file of one upload.
///
/// Its methods block the thread: run them where that does no harm.
#[cfg_attr(feature = "test-support", automock)]
pub trait SpooledUpload: Send {
    /// Writes the next bytes.
    fn write(&mut self, bytes: &[u8]) -> Result<(), SpoolError>;
    /// Recognises what was written, by its content alone.
    fn open(self: Box<Self>, about: SpooledAbout) -> Result<Box<dyn ImportFile>, ImportRefusal>;
}
