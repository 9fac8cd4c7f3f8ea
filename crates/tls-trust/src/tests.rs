use super::*;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{CertificateError, ClientConnection, ServerConfig, ServerConnection};
use std::io::Write as _;
use std::path::Path;

/// A test authority with its own certificate.
struct Authority {
    issuer: Issuer<'static, KeyPair>,
    pem: String,
}

impl Authority {
    fn named(name: &str) -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.distinguished_name.push(DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        let pem = pem(params.self_signed(&key).unwrap().der());
        Self { issuer: Issuer::new(params, key), pem }
    }

    fn authorities(&self) -> Authorities {
        Authorities::from_pem(self.pem.as_bytes()).unwrap()
    }

    /// Returns a server configuration with a certificate for this name.
    fn server(&self, name: &str) -> ServerConfig {
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new(vec![name.to_owned()]).unwrap();
        let certificate = params.signed_by(&key, &self.issuer).unwrap().der().clone();
        let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
        serving(certificate, key)
    }
}

fn serving(certificate: CertificateDer<'static>, key: PrivateKeyDer<'static>) -> ServerConfig {
    ServerConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .unwrap()
}

/// Encodes a certificate as PEM (RFC 7468).
fn pem(certificate: &CertificateDer<'_>) -> String {
    let text = STANDARD.encode(certificate);
    let lines: Vec<&str> = text.as_bytes().chunks(64).map(|line| str::from_utf8(line).unwrap()).collect();
    format!("-----BEGIN CERTIFICATE-----\n{}\n-----END CERTIFICATE-----\n", lines.join("\n"))
}

/// Performs a handshake as a client that asks for `localhost`; returns the client's error.
fn handshake(trust: Trust, server: ServerConfig) -> Result<(), Error> {
    let name = ServerName::try_from("localhost").unwrap();
    let mut client = ClientConnection::new(Arc::new(client_config(trust)?), name).unwrap();
    let mut server = ServerConnection::new(Arc::new(server)).unwrap();
    while client.is_handshaking() {
        let mut line = Vec::new();
        while client.wants_write() {
            client.write_tls(&mut line).unwrap();
        }
        server.read_tls(&mut &*line).unwrap();
        server.process_new_packets().unwrap();
        line.clear();
        while server.wants_write() {
            server.write_tls(&mut line).unwrap();
        }
        client.read_tls(&mut &*line).unwrap();
        client.process_new_packets()?;
    }
    Ok(())
}

#[test]
fn only_a_valid_certificate_for_the_name_is_trusted() {
    let (known, other) = (Authority::named("known"), Authority::named("other"));
    let named = || Trust::Authorities(known.authorities());
    let any_name = || Trust::AuthoritiesForAnyName(known.authorities());
    assert_eq!(handshake(named(), known.server("localhost")), Ok(()));
    assert_eq!(handshake(any_name(), known.server("localhost")), Ok(()));
    assert_eq!(handshake(any_name(), known.server("db.example.org")), Ok(()));
    let wrong_name = handshake(named(), known.server("db.example.org")).unwrap_err();
    let is_wrong_name = matches!(
        wrong_name,
        Error::InvalidCertificate(
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. }
        )
    );
    assert!(is_wrong_name, "{wrong_name:?}");
    let unknown = Err(Error::InvalidCertificate(CertificateError::UnknownIssuer));
    assert_eq!(handshake(named(), other.server("localhost")), unknown);
    assert_eq!(handshake(any_name(), other.server("localhost")), unknown);
    assert_eq!(handshake(Trust::NoServer, known.server("localhost")), unknown);
    assert_eq!(handshake(Trust::AnyServer, other.server("db.example.org")), Ok(()));
}

#[test]
fn a_file_needs_at_least_one_certificate_and_all_must_be_valid() {
    let good = Authority::named("known").pem;
    let broken = "-----BEGIN CERTIFICATE-----\n!\n-----END CERTIFICATE-----\n";
    let empty = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    assert!(Authorities::from_pem(format!("{good}{}", Authority::named("known").pem).as_bytes()).is_some());
    for bad in ["", "nothing", broken, empty, &format!("{good}{broken}"), &format!("{good}{empty}")] {
        assert!(Authorities::from_pem(bad.as_bytes()).is_none(), "{bad}");
    }
}

#[test]
fn a_file_without_authorities_is_named_in_the_error() {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    assert_eq!(Authorities::from_file(file.path()).unwrap_err(), NoAuthorities::File(file.path().to_owned()));
    file.write_all(Authority::named("known").pem.as_bytes()).unwrap();
    assert!(Authorities::from_file(file.path()).is_ok());
    let missing = Authorities::from_file(Path::new("/nonexistent/ca.pem")).unwrap_err();
    assert!(missing.to_string().contains("/nonexistent/ca.pem"), "{missing}");
}
