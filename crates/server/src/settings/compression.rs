//! The section `compression`.

use super::section::section;

section! {
    /// Compression of data endpoint responses. Prefer compression by a proxy if there is one.
    CompressionSettings("compression") {
        /// Whether responses from 1 KiB are compressed (zstd or gzip, lowest level) for clients that accept
        /// it.
        enabled: bool = Some("false"), "true or false", "true";
    }
}
