//! The section `uploads`.

use super::problem::Problem;
use super::section::section;
use application::upload::UploadLimits;
use std::path::PathBuf;

section! {
    /// Files uploaded on the imports page.
    UploadSettings("uploads") {
        /// Whether people may upload files. The command line always imports.
        enabled: bool = Some("true"), "true or false", "false";
        /// Maximum size of a file. The store keeps its parts until it is read, for at most a day.
        max_mebibytes: u32 = Some("512"), "MiB" in 1..=8192, "2048";
        /// Unpacked size of an archive. Apple Health exports unpack to about 30 times their size.
        max_unpacked_mebibytes: u32 = Some("8192"), "MiB" in 64..=1_048_576, "20480";
        /// Uploads read at a time by this process, each of a different person.
        readers: u32 = Some("2"), "uploads" in 1..=64, "4";
        /// Maximum number of unfinished uploads per person.
        max_open: u32 = Some("3"), "uploads" in 1..=100, "1";
        /// Maximum size of all unfinished uploads together; further ones get 503. At least `max_mebibytes`.
        max_stored_mebibytes: u32 = Some("16384"), "MiB" in 1..=16_777_216, "65536";
        /// Folder for the unnamed temporary copy of the file being read. Default: the system's temporary
        /// folder.
        spool_directory: Option<PathBuf> = None, "path", "/var/tmp";
    }
}

impl UploadSettings {
    /// Returns the limits on uploads.
    pub(crate) fn limits(&self) -> UploadLimits {
        UploadLimits {
            max_bytes: u64::from(self.max_mebibytes) << 20,
            max_open: usize::try_from(self.max_open).unwrap_or(usize::MAX),
            max_stored_bytes: u64::from(self.max_stored_mebibytes) << 20,
        }
    }

    /// Returns the maximum unpacked size of one upload in bytes.
    pub(crate) fn most_unpacked(&self) -> u64 {
        u64::from(self.max_unpacked_mebibytes) << 20
    }

    pub(super) fn problems(&self) -> Vec<Problem> {
        let is_too_small = self.max_stored_mebibytes < self.max_mebibytes;
        let problem =
            || Problem::new("uploads.max_stored_mebibytes", "must be at least uploads.max_mebibytes");
        is_too_small.then(problem).into_iter().collect()
    }
}
