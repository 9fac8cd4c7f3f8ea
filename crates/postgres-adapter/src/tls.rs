//! TLS to the server, with libpq's modes.

use std::path::{Path, PathBuf};
use tls_trust::{Authorities, NoAuthorities, Trust, client_config};
use tokio_postgres::config::SslMode;
use tokio_postgres_rustls::MakeRustlsConnect;

/// Reason why the requested TLS is impossible.
#[derive(Debug, thiserror::Error)]
pub enum InvalidTls {
    /// `sslmode` has an unsupported value.
    #[error("sslmode must be disable, prefer, require, verify-ca or verify-full")]
    Mode,
    /// The file of `sslrootcert` is unreadable or contains no PEM certificate.
    #[error("the file of sslrootcert, {0}, contains no readable PEM certificate")]
    RootFile(PathBuf),
    /// The operating system has no trusted authorities.
    #[error("the operating system has no trusted certificate authorities; set sslrootcert")]
    NoSystemRoots,
    /// Public authorities would be trusted for any host name.
    #[error(
        "the operating system's authorities issue certificates to anyone: sslrootcert=system needs \
         sslmode=verify-full, and sslmode=verify-ca needs the file of an own authority as sslrootcert"
    )]
    SystemRoots,
    /// The TLS library rejects the certificates.
    #[error("the certificates of sslrootcert are not usable")]
    Refused(#[from] Box<dyn std::error::Error + Send + Sync>),
}

/// TLS mode of a connection; see `PostgresOptions::url`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TlsPolicy {
    Disabled,
    /// TLS if the server offers it, without verification.
    Preferred,
    /// TLS required, without verification.
    Unchecked,
    /// TLS required. The certificate is issued by an authority of this file (`None`: of the operating system)
    /// and, if `host` is set, matches the host name.
    Checked {
        roots: Option<PathBuf>,
        host: bool,
    },
}

impl TlsPolicy {
    /// Parses `sslmode` and `sslrootcert`.
    pub(crate) fn parse(mode: Option<&str>, root: Option<&Path>) -> Result<Self, InvalidTls> {
        let file = root.filter(|path| *path != Path::new("system")).map(Path::to_path_buf);
        let is_system = root.is_some() && file.is_none();
        let mode = mode.unwrap_or("prefer");
        if !["disable", "prefer", "require", "verify-ca", "verify-full"].contains(&mode) {
            return Err(InvalidTls::Mode);
        }
        match (mode, file) {
            ("verify-full", roots) => Ok(Self::Checked { roots, host: true }),
            _ if is_system => Err(InvalidTls::SystemRoots),
            ("disable", _) => Ok(Self::Disabled),
            ("prefer", _) => Ok(Self::Preferred),
            ("require", None) => Ok(Self::Unchecked),
            (_, None) => Err(InvalidTls::SystemRoots),
            (_, roots) => Ok(Self::Checked { roots, host: false }),
        }
    }

    /// Returns the driver's mode; the connector verifies the certificate.
    pub(crate) const fn driver_mode(&self) -> SslMode {
        match self {
            Self::Disabled => SslMode::Disable,
            Self::Preferred => SslMode::Prefer,
            Self::Unchecked | Self::Checked { .. } => SslMode::Require,
        }
    }

    /// Returns the TLS connector; `None` without TLS.
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

/// Loads the trusted authorities.
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
        let policy = |mode, root| TlsPolicy::parse(mode, root).ok();
        assert_eq!(policy(None, None), Some(TlsPolicy::Preferred));
        assert_eq!(policy(Some("require"), None), Some(TlsPolicy::Unchecked));
        let by_authority = Some(TlsPolicy::Checked { roots: root.map(Path::to_path_buf), host: false });
        assert_eq!(policy(Some("require"), root), by_authority);
        assert_eq!(policy(Some("verify-ca"), root), by_authority);
        let by_system = Some(TlsPolicy::Checked { roots: None, host: true });
        assert_eq!(policy(Some("verify-full"), Some(Path::new("system"))), by_system);
        assert_eq!(policy(Some("verify-full"), None), by_system);
        assert!(matches!(TlsPolicy::parse(Some("allow"), None), Err(InvalidTls::Mode)));
    }

    #[test]
    fn public_authorities_are_refused_unless_the_host_is_checked() {
        let system = Some(Path::new("system"));
        let modes = [None, Some("disable"), Some("prefer"), Some("require"), Some("verify-ca")];
        let policies = modes.map(|mode| TlsPolicy::parse(mode, system));
        for policy in policies.into_iter().chain([TlsPolicy::parse(Some("verify-ca"), None)]) {
            let refusal = policy.unwrap_err();
            assert!(matches!(refusal, InvalidTls::SystemRoots), "{refusal}");
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
