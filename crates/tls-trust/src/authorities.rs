//! Trusted certificate authorities.

use rustls::RootCertStore;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use std::path::{Path, PathBuf};

/// Certificate authorities could not be loaded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoAuthorities {
    /// The file is unreadable, holds no certificate, or holds an invalid one.
    #[error("{} contains no valid PEM certificates", .0.display())]
    File(PathBuf),
    /// The operating system has no trusted authorities; Debian's package is ca-certificates.
    #[error("the operating system has no trusted certificate authorities")]
    System,
}

/// At least one trusted certificate authority.
#[derive(Debug, Clone)]
pub struct Authorities(RootCertStore);

impl Authorities {
    /// Reads a PEM file; every certificate in it must be valid.
    pub fn from_file(path: &Path) -> Result<Self, NoAuthorities> {
        let pem = std::fs::read(path).ok();
        pem.and_then(|pem| Self::from_pem(&pem)).ok_or_else(|| NoAuthorities::File(path.to_owned()))
    }

    /// Parses PEM certificates; `None` if there is none or one is invalid.
    pub fn from_pem(pem: &[u8]) -> Option<Self> {
        let mut roots = RootCertStore::empty();
        for certificate in CertificateDer::pem_slice_iter(pem) {
            roots.add(certificate.ok()?).ok()?;
        }
        Self::from_roots(roots)
    }

    /// Loads the authorities that the operating system trusts and skips unreadable ones.
    pub fn from_system() -> Result<Self, NoAuthorities> {
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        Self::from_roots(roots).ok_or(NoAuthorities::System)
    }

    fn from_roots(roots: RootCertStore) -> Option<Self> {
        (!roots.is_empty()).then_some(Self(roots))
    }

    pub(crate) fn into_roots(self) -> RootCertStore {
        self.0
    }
}
