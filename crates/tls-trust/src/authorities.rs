//! The authorities that vouch for servers.

use rustls::RootCertStore;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use std::path::{Path, PathBuf};

/// Says that nobody would vouch for any server.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoAuthorities {
    /// The file cannot be read, holds none, or holds something that is none.
    #[error("certificates in PEM are needed, and {} holds none that can be read", .0.display())]
    File(PathBuf),
    /// The operating system names none; Debian's package is ca-certificates.
    #[error("the operating system names no certificate authority")]
    System,
}

/// Certificates of authorities, at least one.
#[derive(Debug, Clone)]
pub struct Authorities(RootCertStore);

impl Authorities {
    /// Takes the certificates of a file in PEM, every one of which must be sound.
    pub fn of_file(path: &Path) -> Result<Self, NoAuthorities> {
        let pem = std::fs::read(path).ok();
        pem.and_then(|pem| Self::of_pem(&pem)).ok_or_else(|| NoAuthorities::File(path.to_owned()))
    }

    /// Takes certificates in PEM; nothing when there is none, or one that is not sound.
    pub fn of_pem(pem: &[u8]) -> Option<Self> {
        let mut roots = RootCertStore::empty();
        for certificate in CertificateDer::pem_slice_iter(pem) {
            roots.add(certificate.ok()?).ok()?;
        }
        Self::of(roots)
    }

    /// Takes those that the operating system trusts. What cannot be read of them is left out.
    pub fn of_system() -> Result<Self, NoAuthorities> {
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        Self::of(roots).ok_or(NoAuthorities::System)
    }

    fn of(roots: RootCertStore) -> Option<Self> {
        (!roots.is_empty()).then_some(Self(roots))
    }

    pub(crate) fn into_roots(self) -> RootCertStore {
        self.0
    }
}
