//! The import file port for files on disk.

use crate::archive::{open_folder, open_packed};
use crate::digest::digest;
use crate::formats::Format;
use crate::recognised::RecognisedFile;
use crate::recognition::recognise;
use crate::source::Source;
use application::ports::import_source::{ImportFile, ImportRefusal, ImportSource};
use chrono::{DateTime, FixedOffset};
use domain::id::UserId;
use domain::import::FileDigest;
use domain::time::TimeZone;
use std::fs::File;
use std::io::{self, Read as _, Seek as _};
use std::path::{Path, PathBuf};

/// Opens a file and recognises its format. It can be read repeatedly.
///
/// Folders, zip archives and gzip files are read as their contents.
///
/// The content decides; the name only separates tables of one maker with equal headers. A file of another
/// format than requested, or of no supported one, is [`ImportRefusal::NotThisFormat`] with what was found;
/// names of members may be repeated, values are not.
pub fn open(
    path: &Path,
    format: Option<Format>,
    context: FileContext,
) -> Result<Box<dyn ImportFile>, ImportRefusal> {
    if path.is_dir() {
        return open_folder(path, format, context).map(boxed);
    }
    let mut file = begin(path)?;
    if let Some(container) = open_packed(&first_bytes(&mut file)?, path, format, context.clone()) {
        return container.map(boxed);
    }
    let size = file.metadata().ok().map(|metadata| metadata.len());
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let recognised = recognise(Box::new(file), &name, format, context.scratch.as_deref())?;
    Ok(Box::new(StoredFile { path: path.to_owned(), size, recognised, context }))
}

fn boxed(file: impl ImportFile + 'static) -> Box<dyn ImportFile> {
    Box::new(file)
}

/// A recognised file.
struct StoredFile {
    path: PathBuf,
    size: Option<u64>,
    recognised: RecognisedFile,
    context: FileContext,
}

impl ImportFile for StoredFile {
    fn open(&self) -> Result<Box<dyn ImportSource>, ImportRefusal> {
        let reader = self.recognised.read(Box::new(begin(&self.path)?), self.context.clone())?;
        Ok(Box::new(Source::new(reader)))
    }

    fn size(&self) -> Option<u64> {
        self.size
    }

    fn digest(&self) -> Result<FileDigest, ImportRefusal> {
        digest(&self.path)
    }

    fn formats(&self) -> Vec<&'static str> {
        vec![self.recognised.format().as_str()]
    }
}

/// Opens a regular file; a pipe cannot be read twice.
fn begin(path: &Path) -> Result<File, ImportRefusal> {
    if !path.metadata().map_err(unreadable)?.is_file() {
        return Err(ImportRefusal::Unreadable("not a regular file".to_owned()));
    }
    File::open(path).map_err(unreadable)
}

/// Returns the first bytes of a file, which identify an archive, and rewinds.
fn first_bytes(file: &mut File) -> Result<Vec<u8>, ImportRefusal> {
    let mut begins = Vec::new();
    file.by_ref().take(4).read_to_end(&mut begins).map_err(unreadable)?;
    file.rewind().map_err(unreadable)?;
    Ok(begins)
}

#[expect(clippy::needless_pass_by_value, reason = "`map_err` passes it by value")]
fn unreadable(error: io::Error) -> ImportRefusal {
    match error.kind() {
        io::ErrorKind::NotFound => ImportRefusal::Missing,
        kind => ImportRefusal::Unreadable(kind.to_string()),
    }
}

/// Context that a file does not contain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileContext {
    /// Zone of local times without an offset.
    pub zone: TimeZone,
    /// Start of a recording that does not contain it (a hypnogram).
    pub start: Option<DateTime<FixedOffset>>,
    /// Owner of the file; a line about another person makes the file invalid.
    pub user_id: Option<UserId>,
    /// Maximum unpacked size of an archive in bytes, for each reading.
    pub most_unpacked: u64,
    /// Folder for copies of databases; `None` for the system's temporary folder.
    pub scratch: Option<PathBuf>,
}
