//! State of an import.

use crate::deceptive_text::without_deceptive;
use crate::secret::hide_in_debug;

crate::named_enum! {
    /// Origin of an imported file.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum ImportOrigin {
        /// The command line.
        Command = "command",
        /// The upload page.
        Upload = "upload",
    }
}

crate::named_enum! {
    /// State of an import.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum ImportState {
        /// The upload is in progress.
        Receiving = "receiving",
        /// The upload is complete and waits for a server to process it.
        Waiting = "waiting",
        /// Records are being stored. After a crash, the state stays until the same file is imported again or
        /// another server resumes the upload.
        Running = "running",
        /// The whole file was processed.
        Done = "done",
        /// The file was rejected. Nothing was stored, unless the import failed partway.
        Rejected = "refused",
        /// It is being undone; a server resumes that if it is interrupted.
        Undoing = "undoing",
        /// It was undone, except for records that were changed since.
        Undone = "undone",
    }
}

impl ImportState {
    /// Returns whether the import is neither finished nor failed.
    pub const fn is_open(self) -> bool {
        matches!(self, Self::Receiving | Self::Waiting | Self::Running)
    }
}

crate::named_enum! {
    /// Who cancelled an import.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum Canceller {
        /// The person whose import it is.
        Person = "person",
        /// The operator.
        Operator = "operator",
    }
}

/// SHA-256 of a file's bytes (of a folder: names and bytes), which identifies an interrupted import.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct FileDigest([u8; 32]);

impl FileDigest {
    /// Wraps the hash.
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Returns the hash.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

// Prints nothing: the hash of a common file would reveal who has that file.
hide_in_debug!(FileDigest);

/// Displayed file name: at most 200 characters, without deceptive characters and folders.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileName(String);

impl FileName {
    /// Maximum number of characters.
    pub const MAX_CHARS: usize = 200;

    /// Cleans a given name: keeps the part after the last slash or backslash and truncates it; `file` if
    /// nothing is left.
    pub fn clean(given: &str) -> Self {
        let last = given.rsplit(['/', '\\']).find(|part| !part.trim().is_empty()).unwrap_or_default();
        let clean: String = without_deceptive(last).trim().chars().take(Self::MAX_CHARS).collect();
        Self(if clean.is_empty() { "file".to_owned() } else { clean })
    }

    /// Returns the name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Position of a record in an import, in the order of reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct RecordPosition {
    /// Number of the file in its folder or archive.
    pub file: u32,
    /// Number of the record in the import.
    pub number: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_name_is_the_last_part_without_deceptive_characters() {
        let long = "a".repeat(300);
        for (given, expected) in [
            ("export.zip", "export.zip"),
            ("C:\\health\\export.zip", "export.zip"),
            ("../../etc/passwd", "passwd"),
            ("folder/", "folder"),
            ("a\u{7}\nb.json", "ab.json"),
            ("", "file"),
            ("\n", "file"),
            ("export\u{202e}gpj.zip", "exportgpj.zip"),
            ("\u{feff}\u{200b} nights.csv\u{200f}", "nights.csv"),
            ("\u{200b}", "file"),
            ("شب\u{200c}ها.zip", "شب\u{200c}ها.zip"),
            (long.as_str(), long.split_at(200).0),
        ] {
            assert_eq!(FileName::clean(given).as_str(), expected);
        }
    }

    #[test]
    fn debug_output_hides_a_digest() {
        assert_eq!(format!("{:?}", FileDigest::from_bytes([7; 32])), "FileDigest(..)");
    }
}
