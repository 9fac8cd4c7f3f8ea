//! TLS to the server, by the modes of libpq.

use crate::options::InvalidPostgresOptions;
use std::path::{Path, PathBuf};
use tls_trust::{Authorities, NoAuthorities, Trust, client_config};
use tokio_postgres::config::SslMode;
use tokio_postgres_rustls::MakeRustlsConnect;

/// Says why TLS cannot be had as asked.
#[derive(Debug, thiserror::Error)]
pub enum InvalidTls {
    /// The file of `sslrootcert` cannot be read, or holds no certificate in PEM.
    #[error("no certificate in PEM can be read from the file of sslrootcert, {0}")]
    RootFile(PathBuf),
    /// The operating system names no authority that it trusts.
    #[error("the operating system has no trusted certificate authorities; set sslrootcert")]
    NoSystemRoots,
    /// Public authorities are to be trusted whatever host they name.
    #[error(
        "the authorities of the operating system certify everybody: sslrootcert=system needs \
         sslmode=verify-full, and sslmode=verify-ca needs the file of an own authority as sslrootcert"
    )]
    SystemRoots,
    /// The library refuses what it was given.
    #[error("the certificates of sslrootcert are not usable")]
    Refused(#[from] Box<dyn std::error::Error + Send + Sync>),
}

/// What is asked of the connection; `PostgresOptions::url` says which mode means what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TlsPolicy {
    Disabled,
    /// When the server offers it, its certificate unchecked, so that the other end may be anybody.
    Preferred,
    /// Always, the certificate unchecked.
    Unchecked,
    /// Always; the certificate comes from an authority of this file (none: of the operating system), and, when
    /// `host` is set, is made out for this host.
    Checked {
        roots: Option<PathBuf>,
        host: bool,
    },
}

impl TlsPolicy {
    /// Reads `sslmode` and `sslrootcert`.
    pub(crate) fn of(mode: Option<&str>, root: Option<&Path>) -> Result<Self, InvalidPostgresOptions> {
        let file = root.filter(|path| *path != Path::new("system")).map(Path::to_path_buf);
        let is_system = root.is_some() && file.is_none();
        let mode = mode.unwrap_or("prefer");
        if !["disable", "prefer", "require", "verify-ca", "verify-full"].contains(&mode) {
            return Err(InvalidPostgresOptions::SslMode);
        }
        match (mode, file) {
            ("verify-full", roots) => Ok(Self::Checked { roots, host: true }),
            _ if is_system => Err(InvalidTls::SystemRoots.into()),
            ("disable", _) => Ok(Self::Disabled),
            ("prefer", _) => Ok(Self::Preferred),
            ("require", None) => Ok(Self::Unchecked),
            (_, None) => Err(InvalidTls::SystemRoots.into()),
            (_, roots) => Ok(Self::Checked { roots, host: false }),
        }
    }

    /// Names what the driver has to do; it leaves the certificate to the connector.
    pub(crate) const fn driver_mode(&self) -> SslMode {
        match self {
            Self::Disabled => SslMode::Disable,
            Self::Preferred => SslMode::Prefer,
            Self::Unchecked | Self::Checked { .. } => SslMode::Require,
        }
    }

    /// Makes what shakes hands; nothing when there is no TLS.
    pub(crate) fn connector(&self) -> Result<Option<MakeRustlsConnect>, InvalidTls> {
        let trust = match self {
            Self::Disabled => return Ok(None),
            Self::Preferred | Self::Unchecked => Trust::AnyServer,
            Self::Checked { roots, host: true } => Trust::Authorities(trusted(roots.as_deref())?),
            Self::Checked { roots, host: false } => Trust::AuthoritiesForAnyName(trusted(roots.as_deref())?),
        };
        let config = client_config(trust).map_err(|error| InvalidTls::Refused(Box::new(error)))?;
        Ok(Some(MakeRustlsConnect::new(config)))
    }
}

/// Reads the authorities to trust.
fn trusted(file: Option<&Path>) -> Result<Authorities, InvalidTls> {
    let read = file.map_or_else(Authorities::from_system, Authorities::from_file);
    read.map_err(|none| match none {
        NoAuthorities::File(path) => InvalidTls::RootFile(path),
        NoAuthorities::System => InvalidTls::NoSystemRoots,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_modes_of_libpq_are_known_and_require_with_a_root_checks_it() {
        let root = Some(Path::new("ca.pem"));
        let policy = |mode, root| TlsPolicy::of(mode, root).ok();
        assert_eq!(policy(None, None), Some(TlsPolicy::Preferred));
        assert_eq!(policy(Some("require"), None), Some(TlsPolicy::Unchecked));
        let by_authority = Some(TlsPolicy::Checked { roots: root.map(Path::to_path_buf), host: false });
        assert_eq!(policy(Some("require"), root), by_authority);
        assert_eq!(policy(Some("verify-ca"), root), by_authority);
        let by_system = Some(TlsPolicy::Checked { roots: None, host: true });
        assert_eq!(policy(Some("verify-full"), Some(Path::new("system"))), by_system);
        assert_eq!(policy(Some("verify-full"), None), by_system);
        assert!(matches!(TlsPolicy::of(Some("allow"), None), Err(InvalidPostgresOptions::SslMode)));
    }

    #[test]
    fn public_authorities_are_refused_unless_the_host_is_checked() {
        let system = Some(Path::new("system"));
        let modes = [None, Some("disable"), Some("prefer"), Some("require"), Some("verify-ca")];
        let policies = modes.map(|mode| TlsPolicy::of(mode, system));
        for policy in policies.into_iter().chain([TlsPolicy::of(Some("verify-ca"), None)]) {
            let refusal = policy.unwrap_err();
            assert!(matches!(refusal, InvalidPostgresOptions::Tls(InvalidTls::SystemRoots)), "{refusal}");
            assert!(
                refusal.to_string().contains("sslrootcert=system needs sslmode=verify-full"),
                "{refusal}"
            );
        }
    }

    #[test]
    fn a_file_without_certificates_is_refused_by_its_name() {
        let policy = TlsPolicy::Checked { roots: Some(PathBuf::from("/nonexistent/ca.pem")), host: true };
        assert!(matches!(policy.connector(), Err(InvalidTls::RootFile(path)) if path.ends_with("ca.pem")));
    }
}
