//! Certificate verification for TLS clients: the store, the trace collector and the health check of this
//! program.
//!
//! TLS 1.2 and 1.3 by rustls with the cryptography of aws-lc-rs. Settings and errors belong to each caller.

mod authorities;
mod unchecked;

pub use authorities::{Authorities, NoAuthorities};

use rustls::client::WebPkiServerVerifier;
use rustls::crypto::aws_lc_rs;
use rustls::{ClientConfig, Error, RootCertStore};
use std::sync::Arc;
use unchecked::{AnyCertificate, AnyName};

/// Which server certificates a client accepts. The handshake signature is verified in every case.
#[derive(Debug, Clone)]
pub enum Trust {
    /// None; for clients that do not use TLS.
    NoServer,
    /// Any certificate. Traffic is encrypted, but the server is not authenticated.
    AnyServer,
    /// Certificates issued by one of these authorities, for any host name.
    AuthoritiesForAnyName(Authorities),
    /// Certificates issued by one of these authorities for the requested host name.
    Authorities(Authorities),
}

/// Creates a client configuration without a client certificate and without ALPN protocols.
pub fn client_config(trust: Trust) -> Result<ClientConfig, Error> {
    let provider = Arc::new(aws_lc_rs::default_provider());
    let config =
        ClientConfig::builder_with_provider(Arc::clone(&provider)).with_safe_default_protocol_versions()?;
    let config = match trust {
        Trust::NoServer => config.with_root_certificates(RootCertStore::empty()),
        Trust::Authorities(authorities) => config.with_root_certificates(authorities.into_roots()),
        Trust::AnyServer => {
            config.dangerous().with_custom_certificate_verifier(Arc::new(AnyCertificate::new(provider)))
        }
        Trust::AuthoritiesForAnyName(authorities) => {
            let roots = Arc::new(authorities.into_roots());
            let known = WebPkiServerVerifier::builder_with_provider(roots, provider).build();
            let known = known.map_err(|error| Error::General(error.to_string()))?;
            config.dangerous().with_custom_certificate_verifier(Arc::new(AnyName::new(known)))
        }
    };
    Ok(config.with_no_client_auth())
}

#[cfg(test)]
mod tests;
