//! Request bodies of first-party backends, read as streams of items (decisions 9).

pub use crate::model::ingest_item::{IngestKind, IngestLayout, IngestShape, ItemCode, ItemRefusal};

use super::import_source::{ImportItem, ImportRefusal};
use domain::id::UserId;
use domain::time::TimeZone;
use domain::user::{Biology, Email};
use std::io::{self, Read};

/// A user in an item.
#[derive(Debug, Clone, PartialEq)]
pub struct IngestedUser {
    /// Id, if the backend chose one.
    pub id: Option<UserId>,
    /// Email address.
    pub email: Email,
    /// Time zone of the user's dates; required for a new user.
    pub home_timezone: Option<TimeZone>,
    /// Biological values; missing ones stay unchanged.
    pub biology: Biology,
}

/// Content of an item.
#[derive(Debug, Clone, PartialEq)]
pub enum IngestContent {
    /// A user.
    User(Box<IngestedUser>),
    /// A record, as in an import.
    Record(ImportItem),
}

/// An item of a body.
#[derive(Debug, Clone, PartialEq)]
pub struct IngestItem {
    /// Its content, or why it is rejected.
    pub content: Result<IngestContent, ItemRefusal>,
    /// Remarks about skipped or corrected parts of an accepted item; never a value of it.
    pub notes: Vec<String>,
}

/// A fully received body that can be read more than once.
pub trait IngestBody: Send + Sync {
    /// Opens the body at its start.
    fn open(&self) -> io::Result<Box<dyn Read + Send>>;
}

/// The items of a body, in order.
pub trait IngestSource: Send {
    /// Returns the next items, at most `limit`; empty at the end.
    fn next_batch(&mut self, limit: usize) -> Result<Vec<IngestItem>, ImportRefusal>;
}

/// Parses bodies in constant memory. Reading blocks the thread.
pub trait IngestParser: Send + Sync {
    /// Counts the items and validates the whole body. Stops above `limit`, and then returns `limit + 1`.
    fn count(
        &self,
        layout: IngestLayout,
        bytes: Box<dyn Read + Send>,
        limit: usize,
    ) -> Result<usize, ImportRefusal>;
    /// Starts to read the items.
    fn open(
        &self,
        shape: IngestShape,
        bytes: Box<dyn Read + Send>,
    ) -> Result<Box<dyn IngestSource>, ImportRefusal>;
}
