//! The section `uploads`.

use super::problem::Problem;
use super::section::section;
use application::upload::UploadLimits;
use std::path::PathBuf;

const STORED: &str = "uploads.max_stored_mebibytes";

section! {
    /// Files that people upload on the page of imports.
    UploadSettings("uploads") {
        /// Whether people may upload files. Without it they are imported on the command line alone.
        enabled: bool = Some("true"), "true or false", "false";
        /// The most that one file may have. Its parts are kept in the store until it is read, for a day at most.
        max_mebibytes: u32 = Some("512"), "MiB, 1 to 8192", "2048";
        /// The most that an archive may unpack to, all of its files that are read together. Exports of Apple Health have
        /// some 30 times the size of their archive.
        max_unpacked_mebibytes: u32 = Some("8192"), "MiB, 64 to 1048576", "20480";
        /// How many uploads this process reads at a time, each of another person. With one, a long upload of one
        /// person holds up all others.
        readers: u32 = Some("2"), "uploads, 1 to 64", "4";
        /// How many uploads of one person may be under way at a time.
        max_open: u32 = Some("3"), "uploads, 1 to 100", "1";
        /// The most that the files of all people together may take in the store while they arrive, wait and are read.
        /// Whoever uploads more is told to try again later. At least `max_mebibytes`.
        max_stored_mebibytes: u32 = Some("16384"), "MiB, 1 to 16777216", "65536";
        /// The folder in which the parts of a file are put together while it is read. The file has no name there and
        /// is gone with the process; the folder needs room for one file. Not set, it is that of the system.
        spool_directory: Option<PathBuf> = None, "path", "/var/tmp";
    }
}

impl UploadSettings {
    /// Returns how much is taken of people.
    pub(crate) fn limits(&self) -> UploadLimits {
        UploadLimits {
            max_bytes: u64::from(self.max_mebibytes) << 20,
            max_open: usize::try_from(self.max_open).unwrap_or(usize::MAX),
            max_stored_bytes: u64::from(self.max_stored_mebibytes) << 20,
        }
    }

    /// Returns the most bytes that one upload may unpack to.
    pub(crate) fn most_unpacked(&self) -> u64 {
        u64::from(self.max_unpacked_mebibytes) << 20
    }

    pub(super) fn problems(&self) -> Vec<Problem> {
        [
            Problem::unless_within("uploads.max_mebibytes", self.max_mebibytes, 1..=8192),
            Problem::unless_within(
                "uploads.max_unpacked_mebibytes",
                self.max_unpacked_mebibytes,
                64..=1_048_576,
            ),
            Problem::unless_within("uploads.readers", self.readers, 1..=64),
            Problem::unless_within("uploads.max_open", self.max_open, 1..=100),
            Problem::unless_within(STORED, self.max_stored_mebibytes, 1..=16_777_216),
            (self.max_stored_mebibytes < self.max_mebibytes)
                .then(|| Problem::new(STORED, "must be at least uploads.max_mebibytes")),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}
