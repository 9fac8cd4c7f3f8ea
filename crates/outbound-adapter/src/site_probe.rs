//! Requests of this server to its public URL, to see what its callers see.

use crate::connection::exchange;
use application::ports::system::{OutboundError, OutboundRequest, OutboundResponse};
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{CertificateError, ClientConfig, Error as TlsError};
use std::io;
use std::sync::Arc;
use tls_trust::{Authorities, NoAuthorities, Trust, client_config};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;

/// Why the public URL gave no response. The texts come from the operating system or the TLS library.
#[derive(Debug, thiserror::Error)]
pub enum ProbeError {
    /// The name has no address, or none accepts a connection.
    #[error("no connection: {0}")]
    Unreachable(io::Error),
    /// The certificate is not valid for the host today.
    #[error("the certificate is not accepted: {0}")]
    Certificate(String),
    /// The other side does not speak TLS.
    #[error("TLS failed: {0}")]
    Tls(io::Error),
    /// The operating system has no certificate authorities.
    #[error(transparent)]
    NoAuthorities(#[from] NoAuthorities),
    /// The TLS library rejected the configuration.
    #[error("TLS cannot be set up: {0}")]
    Setup(#[from] TlsError),
    /// The response is not HTTP.
    #[error("the response is not HTTP")]
    NotHttp,
    /// The time limit of the request passed.
    #[error("no response in time")]
    TimedOut,
}

/// A response and the certificates of its connection.
#[derive(Debug)]
pub struct SiteResponse {
    /// The response.
    pub response: OutboundResponse,
    /// Chain that the server sent; empty without TLS.
    pub certificates: Vec<CertificateDer<'static>>,
}

/// Sends requests to an address that the operator configured, which may be in any network.
pub struct SiteProbe {
    tls: Arc<ClientConfig>,
}

impl SiteProbe {
    /// Creates a probe that trusts the certificate authorities of the operating system.
    pub fn new() -> Result<Self, ProbeError> {
        Self::trusting(Authorities::from_system()?)
    }

    pub(crate) fn trusting(authorities: Authorities) -> Result<Self, ProbeError> {
        Ok(Self { tls: Arc::new(client_config(Trust::Authorities(authorities))?) })
    }

    /// Sends a request on a separate connection and returns the response, whatever its status.
    pub async fn get(&self, request: OutboundRequest) -> Result<SiteResponse, ProbeError> {
        let limit = request.timeout;
        timeout(limit, self.send(request)).await.map_err(|_| ProbeError::TimedOut)?
    }

    async fn send(&self, request: OutboundRequest) -> Result<SiteResponse, ProbeError> {
        let host = request.url.host().trim_start_matches('[').trim_end_matches(']').to_owned();
        let stream = TcpStream::connect((host.as_str(), request.url.port())).await;
        let stream = stream.map_err(ProbeError::Unreachable)?;
        if !request.url.is_https() {
            let response = exchange(stream, request).await.map_err(without_reason)?;
            return Ok(SiteResponse { response, certificates: Vec::new() });
        }
        let name = ServerName::try_from(host).map_err(|error| ProbeError::Certificate(error.to_string()))?;
        let stream = TlsConnector::from(Arc::clone(&self.tls)).connect(name, stream).await;
        let stream = stream.map_err(explained)?;
        let certificates = stream.get_ref().1.peer_certificates().unwrap_or_default();
        let certificates = certificates.iter().map(|one| one.clone().into_owned()).collect();
        let response = exchange(stream, request).await.map_err(without_reason)?;
        Ok(SiteResponse { response, certificates })
    }
}

/// An exchange fails only if the bytes are no response.
const fn without_reason(_: OutboundError) -> ProbeError {
    ProbeError::NotHttp
}

fn explained(error: io::Error) -> ProbeError {
    let reason = error.get_ref().and_then(|inner| inner.downcast_ref::<TlsError>());
    let Some(TlsError::InvalidCertificate(reason)) = reason else { return ProbeError::Tls(error) };
    ProbeError::Certificate(match reason {
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => "it has expired".to_owned(),
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            "it is not valid yet".to_owned()
        }
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            "it is for another host name".to_owned()
        }
        CertificateError::UnknownIssuer | CertificateError::BadSignature => {
            "no authority that this machine trusts has signed it, or an intermediate certificate is missing"
                .to_owned()
        }
        other => other.to_string(),
    })
}
