//! Temporary files in which the parts of an upload are reassembled.

use super::import_source::{ImportFile, ImportRefusal};
use chrono::{DateTime, FixedOffset};
use domain::id::UserId;
use domain::time::TimeZone;

/// The temporary file failed, e.g. no space or no permission. The upload itself may be valid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the file of an upload cannot be written: {0}")]
pub struct SpoolError(pub String);

/// Creates temporary files for uploads.
pub trait UploadFiles: Send + Sync {
    /// Creates an empty file that is removed when the process ends, even after a crash.
    fn begin(&self) -> Result<Box<dyn SpooledUpload>, SpoolError>;
    /// Returns the formats that people can upload, in the order of the help page.
    fn formats(&self) -> Vec<UploadFormat>;
}

/// Metadata that an upload does not contain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpoolMetadata {
    /// User of the import.
    pub user_id: UserId,
    /// Zone of local times without an offset.
    pub zone: TimeZone,
    /// Start of a recording that does not contain it.
    pub start: Option<DateTime<FixedOffset>>,
}

/// The file of one upload.
///
/// Its methods block the thread: do not call them on an async worker thread.
pub trait SpooledUpload: Send {
    /// Writes the next bytes.
    fn write(&mut self, bytes: &[u8]) -> Result<(), SpoolError>;
    /// Detects the format of the written content.
    fn open(self: Box<Self>, about: SpoolMetadata) -> Result<Box<dyn ImportFile>, ImportRefusal>;
}

/// A format of files that people upload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UploadFormat {
    /// Manufacturer, app or standard.
    pub maker: &'static str,
    /// What a file is called, with its article: `an Oura file`.
    pub file: &'static str,
    /// How a person gets a file, step by step.
    pub steps: &'static [&'static str],
}

impl UploadFormat {
    /// Lists what people can upload: `an Apple Health export, a Fitbit file, ... or a hypnogram`.
    pub fn list(formats: &[Self]) -> String {
        let files: Vec<&str> = formats.iter().map(|format| format.file).collect();
        match files.split_last() {
            Some((last, others)) if !others.is_empty() => format!("{} or {last}", others.join(", ")),
            _ => files.concat(),
        }
    }
}
