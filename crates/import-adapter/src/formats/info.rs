//! What the rest of the crate knows about a format.

use crate::input::Separator;
use crate::recognised::RecognisedFile;
use crate::seen::FilePreview;

/// A format, as texts and the documentation describe it, and how it is recognised.
#[derive(Debug)]
pub struct FormatInfo {
    /// Name on the command line and in reports.
    pub name: &'static str,
    /// What a file is called, with its article: `an Oura file`.
    pub file: &'static str,
    /// Manufacturer, app or standard.
    pub maker: &'static str,
    /// How a person gets a file to upload, step by step; empty if people upload none.
    pub steps: &'static [&'static str],
    /// Files that are read, for the index of the documentation.
    pub files: &'static str,
    /// Result of an import, for the index of the documentation.
    pub result: &'static str,
    /// Returns the reader of a file that begins like this; `None` if the file has another format. `named`
    /// means that the format was requested, so that an empty list may be accepted.
    pub(crate) recognise: fn(seen: &FilePreview, named: bool) -> Option<RecognisedFile>,
    /// Headers of the format's tables, to which messages compare an unknown table.
    pub(crate) tables: &'static [TableHeader],
    /// Tables of the same export that contain nothing to import.
    pub(crate) others: &'static [OtherTable],
}

/// Header of a table.
#[derive(Debug)]
pub(crate) struct TableHeader {
    /// Columns that it has.
    pub(crate) needs: &'static [&'static str],
    /// Columns that it may have.
    pub(crate) knows: &'static [&'static str],
    /// Character between columns.
    pub(crate) separator: Separator,
}

/// A table without anything to import.
#[derive(Debug)]
pub(crate) struct OtherTable {
    /// Columns that identify it.
    pub(crate) columns: &'static [&'static str],
    /// What it is, and what to import instead.
    pub(crate) advice: &'static str,
}
