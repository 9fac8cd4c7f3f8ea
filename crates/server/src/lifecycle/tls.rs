//! TLS of the listener, for servers without a proxy.

mod period;

pub(crate) use period::Period;

use super::every;
use crate::settings::TlsFiles;
use anyhow::Context;
use metrics::gauge;
use rustls::crypto::{CryptoProvider, aws_lc_rs};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use rustls::{Error, InconsistentKeys, ServerConfig};
use std::convert::Infallible;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;
use system_adapter::exposed_mode;
use tokio::signal::unix::{Signal, SignalKind, signal};
use zeroize::Zeroizing;

/// Interval of checking the files; certificates are renewed weeks before they expire.
const CHECK_INTERVAL: Duration = Duration::from_mins(1);
/// Maximum file size; larger than any certificate chain.
const MAX_BYTES: u64 = 1024 * 1024;

/// Reason why a certificate cannot be used. Names the setting and the file, but no contents.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TlsError {
    /// File that is missing or not readable.
    #[error("server.{setting} names {}, which cannot be read: {source}", path.display())]
    Unreadable {
        /// Key of the setting in its section.
        setting: &'static str,
        path: PathBuf,
        source: io::Error,
    },
    /// Key file that other users may access.
    #[error(
        "server.tls_key_file names {path}, which others may access (mode {mode:o}); run: chmod 600 {path}",
        path = path.display()
    )]
    Exposed {
        path: PathBuf,
        /// Permission bits of the file.
        mode: u32,
    },
    /// File without the expected PEM block.
    #[error("server.{setting} names {}, which contains no PEM {expected}", path.display())]
    NotPem {
        /// Key of the setting in its section.
        setting: &'static str,
        path: PathBuf,
        expected: &'static str,
    },
    /// Key and certificate that do not match.
    #[error(
        "server.tls_key_file names {}, which is not the key of the first certificate in {}, which \
         server.tls_certificate_file names",
        key.display(),
        certificate.display()
    )]
    Mismatch {
        /// Key file.
        key: PathBuf,
        /// Certificate file.
        certificate: PathBuf,
    },
    /// Certificate or key rejected by the TLS library.
    #[error("the files of server.tls_certificate_file and server.tls_key_file cannot be used: {0}")]
    Refused(Error),
}

/// Reads a certificate chain and its private key.
pub(crate) fn certificate(files: &TlsFiles) -> Result<CertifiedKey, TlsError> {
    let TlsFiles { certificate, key } = files;
    let text = read(certificate, "tls_certificate_file", false)?;
    let chain: Result<Vec<CertificateDer<'static>>, _> = CertificateDer::pem_slice_iter(&text).collect();
    let chain = chain.ok().filter(|chain| !chain.is_empty()).ok_or_else(|| TlsError::NotPem {
        setting: "tls_certificate_file",
        path: certificate.clone(),
        expected: "certificate",
    })?;
    let text = read(key, "tls_key_file", true)?;
    let secret = PrivateKeyDer::from_pem_slice(&text).map_err(|_| TlsError::NotPem {
        setting: "tls_key_file",
        path: key.clone(),
        expected: "private key",
    })?;
    CertifiedKey::from_der(chain, secret, &aws_lc_rs::default_provider()).map_err(|error| match error {
        Error::InconsistentKeys(InconsistentKeys::KeyMismatch) => {
            TlsError::Mismatch { key: key.clone(), certificate: certificate.clone() }
        }
        error => TlsError::Refused(error),
    })
}

fn read(path: &Path, setting: &'static str, is_secret: bool) -> Result<Zeroizing<Vec<u8>>, TlsError> {
    let unreadable = |source| TlsError::Unreadable { setting, path: path.to_owned(), source };
    let file = File::open(path).map_err(unreadable)?;
    // On the open file, so that the checked file is the one that is read.
    if is_secret && let Some(mode) = exposed_mode(&file.metadata().map_err(unreadable)?) {
        return Err(TlsError::Exposed { path: path.to_owned(), mode });
    }
    let mut bytes = Zeroizing::new(Vec::with_capacity(16 * 1024));
    file.take(MAX_BYTES).read_to_end(&mut bytes).map_err(unreadable)?;
    Ok(bytes)
}

/// Certificate of new connections.
#[derive(Debug)]
struct CurrentCertificate(RwLock<Arc<CertifiedKey>>);

impl CurrentCertificate {
    fn get(&self) -> Arc<CertifiedKey> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Uses a certificate for new connections; returns whether it differs from the previous one.
    fn take(&self, new: CertifiedKey) -> bool {
        let mut current = self.0.write().unwrap_or_else(PoisonError::into_inner);
        // A key matches its certificate, so a different key has a different certificate.
        let is_other = current.cert != new.cert;
        if is_other {
            *current = Arc::new(new);
        }
        is_other
    }
}

impl ResolvesServerCert for CurrentCertificate {
    fn resolve(&self, _client: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(self.get())
    }
}

/// Server side of TLS, reloaded when its files change.
#[derive(Debug)]
pub(crate) struct Tls {
    files: TlsFiles,
    current: Arc<CurrentCertificate>,
    hangups: Signal,
    /// Problem found by the last check of the files; it is logged once, not every minute.
    problem: Option<String>,
    /// Last warning about the validity period.
    warning: Option<String>,
}

impl Tls {
    /// Reads the certificate, and starts catching SIGHUP.
    pub(crate) fn begin(files: TlsFiles) -> anyhow::Result<Self> {
        let current = Arc::new(CurrentCertificate(RwLock::new(Arc::new(certificate(&files)?))));
        let hangups = signal(SignalKind::hangup()).context("signal handlers cannot be installed")?;
        Ok(Self { files, current, hangups, problem: None, warning: None })
    }

    /// Builds the configuration for TLS 1.2 and 1.3. actix-web adds the ALPN protocols.
    pub(super) fn config(&self) -> anyhow::Result<ServerConfig> {
        let provider: CryptoProvider = aws_lc_rs::default_provider();
        Ok(ServerConfig::builder_with_provider(Arc::new(provider))
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_cert_resolver(self.current.clone()))
    }

    /// Checks the files every minute and on SIGHUP, for as long as it is polled. Open connections keep their
    /// certificate.
    pub(super) async fn watch(self) -> Infallible {
        self.check_every(CHECK_INTERVAL).await
    }

    async fn check_every(mut self, period: Duration) -> Infallible {
        let mut ticks = every(period);
        loop {
            tokio::select! {
                _ = ticks.tick() => {}
                _ = self.hangups.recv() => {}
            }
            let files = self.files.clone();
            if let Ok(read) = tokio::task::spawn_blocking(move || certificate(&files)).await {
                self.note(read);
            }
            self.note_period();
        }
    }

    fn note(&mut self, read: Result<CertifiedKey, TlsError>) {
        match read {
            Ok(certificate) => {
                let had_problem = self.problem.take().is_some();
                if self.current.take(certificate) {
                    tracing::info!("new connections use the new certificate");
                } else if had_problem {
                    tracing::info!("the certificate files are valid again");
                }
            }
            Err(error) => self.log_problem(error.to_string()),
        }
    }

    /// Reports when the current certificate expires, and warns once a day.
    fn note_period(&mut self) {
        let Some(period) = Period::from_chain(&self.current.get().cert) else { return };
        let warning = period.warning_today();
        if let Some(warning) = warning.as_ref().filter(|warning| self.warning.as_ref() != Some(warning)) {
            tracing::warn!("{warning}");
        }
        self.warning = warning;
        #[expect(clippy::cast_precision_loss, reason = "exact up to 2^53 seconds")]
        gauge!("restwell_tls_certificate_end_seconds").set(period.until().timestamp() as f64);
    }

    /// Logs a problem, unless the last check found the same.
    fn log_problem(&mut self, problem: String) {
        if self.problem.as_ref() != Some(&problem) {
            tracing::error!(
                error = problem,
                "the certificate files cannot be used; the previous certificate stays in use"
            );
        }
        self.problem = Some(problem);
    }
}

#[cfg(test)]
mod tests;
