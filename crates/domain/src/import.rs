//! State of an import.

use crate::deceptive_text::without_deceptive;
use std::fmt;

/// Origin of an imported file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ImportOrigin {
    /// The command line.
    Command,
    /// The upload page.
    Upload,
}

impl ImportOrigin {
    /// Every origin.
    pub const ALL: [Self; 2] = [Self::Command, Self::Upload];

    /// Returns the name used in the store and in lists.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Command => "command",
            Self::Upload => "upload",
        }
    }

    /// Parses the name.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|origin| origin.as_str() == text)
    }
}

/// State of an import.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ImportState {
    /// The upload is in progress.
    Receiving,
    /// The upload is complete and waits for a server to process it.
    Waiting,
    /// Records are being stored. After a crash, the state stays until the same file is imported again or
    /// another server resumes the upload.
    Running,
    /// The whole file was processed.
    Done,
    /// The file was rejected. Nothing was stored, unless the import failed partway.
    Refused,
    /// It is being undone; a server resumes that if it is interrupted.
    Undoing,
    /// It was undone, except for records that were changed since.
    Undone,
}

impl ImportState {
    /// Every state.
    pub const ALL: [Self; 7] = [
        Self::Receiving,
        Self::Waiting,
        Self::Running,
        Self::Done,
        Self::Refused,
        Self::Undoing,
        Self::Undone,
    ];

    /// Returns the name used in the store and in lists.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Receiving => "receiving",
            Self::Waiting => "waiting",
            Self::Running => "running",
            Self::Done => "done",
            Self::Refused => "refused",
            Self::Undoing => "undoing",
            Self::Undone => "undone",
        }
    }

    /// Parses the name.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == text)
    }

    /// Returns whether the import is neither finished nor failed.
    pub const fn is_open(self) -> bool {
        matches!(self, Self::Receiving | Self::Waiting | Self::Running)
    }
}

/// Who cancelled an import.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Canceller {
    /// The person whose import it is.
    Person,
    /// The operator.
    Operator,
}

impl Canceller {
    /// Both of them.
    pub const ALL: [Self; 2] = [Self::Person, Self::Operator];

    /// Returns the name in the store.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Person => "person",
            Self::Operator => "operator",
        }
    }

    /// Parses a name.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|canceller| canceller.as_str() == text)
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

/// Prints nothing: the hash of a common file would reveal who has that file.
impl fmt::Debug for FileDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FileDigest(..)")
    }
}

/// File name for lists: at most 200 characters, no deceptive characters, no folders.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back_as_what_they_name() {
        assert!(ImportState::ALL.into_iter().all(|state| ImportState::parse(state.as_str()) == Some(state)));
        assert!(
            ImportOrigin::ALL.into_iter().all(|origin| ImportOrigin::parse(origin.as_str()) == Some(origin))
        );
        assert!(Canceller::ALL.into_iter().all(|by| Canceller::parse(by.as_str()) == Some(by)));
        assert_eq!(ImportState::parse("Done"), None);
    }

    #[test]
    fn a_file_name_is_the_last_part_without_what_disturbs_a_list() {
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
    fn a_digest_does_not_print_itself() {
        assert_eq!(format!("{:?}", FileDigest::from_bytes([7; 32])), "FileDigest(..)");
    }
}
