//! The zip archive.

use crate::table;
use application::ports::export_writer::{ExportItem, ExportNotWritten, ExportSection, ExportWriter};
use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};
use zip::ZipWriter;
use zip::write::{SimpleFileOptions, StreamWriter};

/// Readme inside every archive.
const README: &str = include_str!("../README.txt");

/// First bytes of each table: without them Excel takes the text for the computer's old encoding.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// Fastest compression. Compression blocks a thread that serves other requests, and the default level takes
/// four times as long for a fifth less output.
const LEVEL: i64 = 1;

/// Output that has not been taken yet.
#[derive(Clone, Default)]
struct Pending(Arc<Mutex<Vec<u8>>>);

impl Pending {
    fn take(&self) -> Vec<u8> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Write for Pending {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Writes one archive.
pub struct ZipExport {
    pending: Pending,
    /// `None` once it is finished.
    archive: Option<ZipWriter<StreamWriter<Pending>>>,
    section: Option<ExportSection>,
}

impl Default for ZipExport {
    fn default() -> Self {
        let pending = Pending::default();
        let archive = Some(ZipWriter::new_stream(pending.clone()));
        Self { pending, archive, section: None }
    }
}

impl ZipExport {
    fn archive(&mut self) -> Result<&mut ZipWriter<StreamWriter<Pending>>, ExportNotWritten> {
        self.archive.as_mut().ok_or_else(|| ExportNotWritten("the archive is finished".to_owned()))
    }

    fn begin_file(&mut self, name: &str, text: &[u8]) -> Result<(), ExportNotWritten> {
        let archive = self.archive()?;
        // No modification time: the records carry their own.
        let options = SimpleFileOptions::default().compression_level(Some(LEVEL));
        archive.start_file(name, options).map_err(not_written)?;
        archive.write_all(text).map_err(not_written)
    }
}

impl ExportWriter for ZipExport {
    fn sections(&self) -> &'static [ExportSection] {
        &ExportSection::ALL
    }

    fn begin(&mut self, section: ExportSection) -> Result<(), ExportNotWritten> {
        if self.section.replace(section).is_none() {
            self.begin_file("README.txt", README.as_bytes())?;
        }
        let head = table::head(section).map_err(not_written)?;
        self.begin_file(&format!("{}.csv", section.as_str()), &[BYTE_ORDER_MARK, &head].concat())
    }

    fn write(&mut self, item: &ExportItem) -> Result<(), ExportNotWritten> {
        let section = self.section.ok_or_else(|| ExportNotWritten("no part was started".to_owned()))?;
        let rows = table::rows(section, item).map_err(not_written)?;
        self.archive()?.write_all(&rows).map_err(not_written)
    }

    fn finish(&mut self) -> Result<(), ExportNotWritten> {
        if let Some(archive) = self.archive.take() {
            archive.finish().map_err(not_written)?;
        }
        Ok(())
    }

    fn take(&mut self) -> Vec<u8> {
        self.pending.take()
    }
}

fn not_written(error: impl std::fmt::Display) -> ExportNotWritten {
    ExportNotWritten(error.to_string())
}
