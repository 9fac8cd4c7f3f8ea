//! Files of the listener's certificate.

use std::path::PathBuf;

/// A certificate and its key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TlsFiles {
    /// PEM file of the certificate chain, the server's own first.
    pub(crate) certificate: PathBuf,
    /// PEM file of the private key.
    pub(crate) key: PathBuf,
}
