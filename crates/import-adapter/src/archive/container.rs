//! A folder or an archive as the port has files.

use super::entry::Entry;
use super::members::Members;
use crate::digest::digest;
use crate::open::FileContext;
use crate::recognition::Recognised;
use crate::source::Source;
use application::ports::import_source::{ImportFile, ImportRefusal, ImportSource};
use domain::import::FileDigest;
use std::path::Path;
use std::sync::Arc;

/// An entry that was recognised.
#[derive(Debug)]
pub(super) struct Member {
    pub(super) entry: Entry,
    pub(super) recognised: Recognised,
}

/// A folder or an archive in which something was recognised.
#[derive(Debug)]
pub(crate) struct Container {
    /// The folder, or the one file.
    pub(super) path: Arc<Path>,
    pub(super) members: Arc<[Member]>,
    /// What there is to say about what is not read: place and text.
    pub(super) note: Option<(&'static str, String)>,
    pub(super) context: FileContext,
}

impl ImportFile for Container {
    fn open(&self) -> Result<Box<dyn ImportSource>, ImportRefusal> {
        let members = Members::new(Arc::clone(&self.members), self.note.clone(), self.context);
        Ok(Box::new(Source::new(Box::new(members))))
    }

    /// Gives what the entries that are read take on disk.
    fn size(&self) -> Option<u64> {
        Some(self.members.iter().fold(0, |sum, member| sum.saturating_add(member.entry.packed_size)))
    }

    fn digest(&self) -> Result<FileDigest, ImportRefusal> {
        digest(&self.path)
    }

    fn format(&self) -> &'static str {
        self.members.first().map_or("auto", |member| member.recognised.format().name())
    }
}
