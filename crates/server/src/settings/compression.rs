//! The section `compression`.

use super::section::section;

section! {
    /// Compression of large answers of the data endpoints; a proxy does it better.
    CompressionSettings("compression") {
        /// Whether answers of 1 KiB and more are compressed (zstd or gzip, lowest level) for clients that accept it.
        enabled: bool = Some("false"), "true or false", "true";
    }
}
