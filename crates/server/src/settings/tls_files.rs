//! Where the certificate of the listener is.

use std::path::PathBuf;

/// A certificate and its key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TlsFiles {
    /// The certificates in PEM, that of the server first.
    pub(crate) certificate: PathBuf,
    /// The private key of the first one, in PEM.
    pub(crate) key: PathBuf,
}
