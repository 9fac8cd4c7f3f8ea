//! Whose certificates the program takes where it is the client: of a store, of a collector of traces, of itself.
//!
//! TLS 1.2 and 1.3 by rustls, with the cryptography of aws-lc-rs. Each caller has settings and errors of its own; what
//! they have in common is here, because a check of certificates should be written once.

mod authorities;
mod unchecked;

pub use authorities::{Authorities, NoAuthorities};

use rustls::client::WebPkiServerVerifier;
use rustls::crypto::aws_lc_rs;
use rustls::{ClientConfig, Error, RootCertStore};
use std::sync::Arc;
use unchecked::{AnyCertificate, AnyName};

/// Which servers a client goes on to speak with. The signature of the handshake is checked in every case.
#[derive(Debug, Clone)]
pub enum Trust {
    /// None, for a client that asks for no encryption.
    Nobody,
    /// Whoever answers: the line is encrypted, but the other end may be anybody.
    Anybody,
    /// Those for whom one of these authorities vouches, whatever name the certificate is made out for.
    AnyNameOf(Authorities),
    /// Those for whom one of these authorities vouches under the name by which they are asked.
    NamedBy(Authorities),
}

/// Makes the client's end of TLS. It shows no certificate of its own, and names no protocols.
pub fn client_config(trust: Trust) -> Result<ClientConfig, Error> {
    let provider = Arc::new(aws_lc_rs::default_provider());
    let config =
        ClientConfig::builder_with_provider(Arc::clone(&provider)).with_safe_default_protocol_versions()?;
    let config = match trust {
        Trust::Nobody => config.with_root_certificates(RootCertStore::empty()),
        Trust::NamedBy(authorities) => config.with_root_certificates(authorities.into_roots()),
        Trust::Anybody => {
            config.dangerous().with_custom_certificate_verifier(Arc::new(AnyCertificate::new(provider)))
        }
        Trust::AnyNameOf(authorities) => {
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
