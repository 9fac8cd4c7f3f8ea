//! Folders and archives as import files.

use super::members::{Member, Members};
use crate::digest::digest;
use crate::open::FileContext;
use crate::source::Source;
use application::ports::import_source::{ImportFile, ImportRefusal, ImportSource};
use domain::import::FileDigest;
use std::path::Path;
use std::sync::Arc;

/// A folder or an archive with recognised entries.
#[derive(Debug)]
pub(crate) struct Container {
    /// The folder, or the single file.
    pub(super) path: Arc<Path>,
    pub(super) members: Arc<[Member]>,
    /// Notes on entries that are not read: position and text.
    pub(super) note: Option<(&'static str, String)>,
    pub(super) context: FileContext,
}

impl ImportFile for Container {
    fn open(&self) -> Result<Box<dyn ImportSource>, ImportRefusal> {
        let members = Members::new(Arc::clone(&self.members), self.note.clone(), self.context.clone());
        Ok(Box::new(Source::new(Box::new(members))))
    }

    /// Returns the size on disk of the entries that are read.
    fn size(&self) -> Option<u64> {
        Some(self.members.iter().fold(0, |sum, member| sum.saturating_add(member.entry.packed_size)))
    }

    fn digest(&self) -> Result<FileDigest, ImportRefusal> {
        digest(&self.path)
    }

    fn formats(&self) -> Vec<&'static str> {
        let mut formats = Vec::new();
        for member in self.members.iter() {
            let format = member.recognised.format().as_str();
            if !formats.contains(&format) {
                formats.push(format);
            }
        }
        formats
    }
}
