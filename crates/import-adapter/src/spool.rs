//! Uploads as unnamed temporary files, which do not outlive the process.

use crate::formats::Format;
use crate::open::FileContext;
use crate::open::open;
use application::ports::import_source::{ImportFile, ImportRefusal, ImportSource};
use application::ports::upload_files::{SpoolError, SpoolMetadata, SpooledUpload, UploadFiles};
use application::upload::UploadFormat;
use domain::import::FileDigest;
use std::io::{self, Write as _};
use std::path::PathBuf;

/// Linux has a path for an open unnamed file, and each opening of it reads from the beginning. Elsewhere the
/// file keeps its name until it is dropped.
#[cfg(target_os = "linux")]
type TempFile = std::fs::File;
#[cfg(not(target_os = "linux"))]
type TempFile = tempfile::NamedTempFile;

/// The folder for uploads; only this process can reach its files.
#[derive(Debug, Clone)]
pub struct SpoolFolder {
    folder: PathBuf,
    most_unpacked: u64,
}

impl SpoolFolder {
    /// Uses this folder, or the system's temporary folder; `most_unpacked` limits the unpacked size of an
    /// upload in bytes.
    pub fn new(folder: Option<PathBuf>, most_unpacked: u64) -> Self {
        Self { folder: folder.unwrap_or_else(std::env::temp_dir), most_unpacked }
    }
}

impl UploadFiles for SpoolFolder {
    fn begin(&self) -> Result<Box<dyn SpooledUpload>, SpoolError> {
        #[cfg(target_os = "linux")]
        let file = tempfile::tempfile_in(&self.folder);
        #[cfg(not(target_os = "linux"))]
        let file = tempfile::NamedTempFile::new_in(&self.folder);
        Ok(Box::new(SpoolFile {
            file: file.map_err(failed)?,
            most_unpacked: self.most_unpacked,
            scratch: self.folder.clone(),
        }))
    }

    fn formats(&self) -> Vec<UploadFormat> {
        Format::uploads()
    }
}

#[expect(clippy::needless_pass_by_value, reason = "`map_err` passes it by value")]
fn failed(error: io::Error) -> SpoolError {
    SpoolError(error.kind().to_string())
}

struct SpoolFile {
    file: TempFile,
    most_unpacked: u64,
    scratch: PathBuf,
}

impl SpooledUpload for SpoolFile {
    fn write(&mut self, bytes: &[u8]) -> Result<(), SpoolError> {
        self.file.write_all(bytes).map_err(failed)
    }

    fn open(self: Box<Self>, about: SpoolMetadata) -> Result<Box<dyn ImportFile>, ImportRefusal> {
        let SpoolMetadata { user_id, zone, start } = about;
        let Self { file, most_unpacked, scratch } = *self;
        let context =
            FileContext { zone, start, user_id: Some(user_id), most_unpacked, scratch: Some(scratch) };
        let opened = open(&path_of(&file), None, context)?;
        Ok(Box::new(OpenedSpool { opened, _file: file }))
    }
}

#[cfg(target_os = "linux")]
fn path_of(file: &TempFile) -> PathBuf {
    use std::os::fd::AsRawFd as _;
    PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()))
}

#[cfg(not(target_os = "linux"))]
fn path_of(file: &TempFile) -> PathBuf {
    file.path().to_owned()
}

/// Keeps the file while it is read.
struct OpenedSpool {
    opened: Box<dyn ImportFile>,
    _file: TempFile,
}

impl ImportFile for OpenedSpool {
    fn open(&self) -> Result<Box<dyn ImportSource>, ImportRefusal> {
        self.opened.open()
    }

    fn size(&self) -> Option<u64> {
        self.opened.size()
    }

    fn digest(&self) -> Result<FileDigest, ImportRefusal> {
        self.opened.digest()
    }

    fn formats(&self) -> Vec<&'static str> {
        self.opened.formats()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::id::UserId;
    use domain::time::TimeZone;
    use std::ops::ControlFlow;
    use uuid::Uuid;

    const MOST: u64 = 1 << 20;

    fn spooled(folder: &std::path::Path, bytes: &[u8]) -> Result<Box<dyn ImportFile>, ImportRefusal> {
        let mut file = SpoolFolder::new(Some(folder.to_owned()), MOST).begin().unwrap();
        for part in bytes.chunks(7) {
            file.write(part).unwrap();
        }
        let user_id = UserId::from_uuid(Uuid::from_u128(1));
        file.open(SpoolMetadata { user_id, zone: TimeZone::UTC, start: None })
    }

    #[test]
    fn an_upload_has_no_name_and_is_recognised_by_its_content() {
        let folder = tempfile::tempdir().unwrap();
        let refused = spooled(folder.path(), b"nothing that is known").err();
        assert!(matches!(refused, Some(ImportRefusal::NotThisFormat(_))), "{refused:?}");
        #[cfg(target_os = "linux")]
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn an_upload_is_read_from_its_beginning_each_time() {
        let folder = tempfile::tempdir().unwrap();
        let log = b"created_at,upc,servings\n2026-11-01T08:00:00Z,012345678905,1\n";
        let file = spooled(folder.path(), log).unwrap();
        for _ in 0..2 {
            assert_eq!(file.open().unwrap().next_batch(10).unwrap().len(), 1);
        }
        assert_eq!(file.size(), Some(log.len() as u64));
    }

    #[test]
    fn only_an_upload_that_unpacks_to_more_than_the_limit_is_rejected() {
        let folder = tempfile::tempdir().unwrap();
        let lines = b"created_at,upc,servings\n".to_vec();
        let night = b"2026-11-01T08:00:00Z,012345678905,1\n";
        let log = [lines, night.repeat(40_000)].concat();
        assert!(log.len() as u64 > MOST);
        assert!(spooled(folder.path(), &log).is_ok());
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packed.write_all(&log).unwrap();
        // The beginning identifies the format; reading rejects it.
        let file = spooled(folder.path(), &packed.finish().unwrap()).unwrap();
        let refused = file.open().and_then(|mut source| source.check(&mut |_| ControlFlow::Continue(())));
        let Err(ImportRefusal::Unreadable(text)) = refused else { panic!("{refused:?}") };
        assert_eq!(text, "the compressed data: it unpacks to more than 1 MiB, the limit of this server");
    }

    #[test]
    fn a_missing_folder_is_not_reported_as_a_damaged_upload() {
        let folder = tempfile::tempdir().unwrap();
        let missing = SpoolFolder::new(Some(folder.path().join("missing")), MOST);
        assert!(missing.begin().is_err());
    }
}
