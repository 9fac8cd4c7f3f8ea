use super::*;
use rcgen::{CertificateParams, KeyPair};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use tempfile::TempDir;

struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        let folder = Self(TempDir::new().unwrap());
        folder.certify("tls");
        folder
    }

    /// Writes a certificate and its key.
    fn certify(&self, name: &str) {
        let key = KeyPair::generate().unwrap();
        let certificate = CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
        self.write(&format!("{name}.crt"), certificate.self_signed(&key).unwrap().der(), "CERTIFICATE");
        self.write(&format!("{name}.key"), key.serialized_der(), "PRIVATE KEY");
    }

    fn write(&self, name: &str, der: &[u8], label: &str) {
        use base64::Engine;
        let text = base64::engine::general_purpose::STANDARD.encode(der);
        let lines: Vec<&str> = text.as_bytes().chunks(64).map(|line| str::from_utf8(line).unwrap()).collect();
        let pem = format!("-----BEGIN {label}-----\n{}\n-----END {label}-----\n", lines.join("\n"));
        fs::write(self.path(name), pem).unwrap();
        self.allow(name, 0o600);
    }

    fn allow(&self, name: &str, mode: u32) {
        fs::set_permissions(self.path(name), fs::Permissions::from_mode(mode)).unwrap();
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn files(&self, certificate: &str, key: &str) -> TlsFiles {
        TlsFiles { certificate: self.path(certificate), key: self.path(key) }
    }

    fn refusal(&self, certificate: &str, key: &str) -> String {
        super::certificate(&self.files(certificate, key)).unwrap_err().to_string()
    }
}

#[test]
fn a_certificate_and_its_key_are_accepted() {
    let folder = Folder::new();
    assert_eq!(certificate(&folder.files("tls.crt", "tls.key")).unwrap().cert.len(), 1);
}

#[test]
fn each_wrong_file_is_named_with_its_setting() {
    let folder = Folder::new();
    folder.certify("other");
    let message = folder.refusal("none.crt", "tls.key");
    assert!(message.contains("server.tls_certificate_file") && message.contains("none.crt"), "{message}");
    let message = folder.refusal("tls.key", "tls.key");
    assert!(message.contains("tls_certificate_file") && message.contains("no PEM certificate"), "{message}");
    let message = folder.refusal("tls.crt", "none.key");
    assert!(message.contains("server.tls_key_file") && message.contains("none.key"), "{message}");
    let message = folder.refusal("tls.crt", "other.crt");
    assert!(message.contains("tls_key_file") && message.contains("no PEM private key"), "{message}");
    let message = folder.refusal("tls.crt", "other.key");
    assert!(message.contains("is not the key of the first certificate"), "{message}");
    folder.allow("tls.key", 0o640);
    let message = folder.refusal("tls.crt", "tls.key");
    assert!(message.contains("mode 640") && message.contains("chmod 600"), "{message}");
}

#[test]
fn a_broken_chain_is_refused_rather_than_cut() {
    let folder = Folder::new();
    let mut chain = fs::read_to_string(folder.path("tls.crt")).unwrap();
    chain.push_str("-----BEGIN CERTIFICATE-----\n!\n-----END CERTIFICATE-----\n");
    fs::write(folder.path("tls.crt"), chain).unwrap();
    assert!(folder.refusal("tls.crt", "tls.key").contains("no PEM certificate"));
}

#[tokio::test]
async fn a_broken_file_keeps_the_certificate_and_a_good_one_replaces_it() {
    let folder = Folder::new();
    let files = folder.files("tls.crt", "tls.key");
    let mut tls = Tls::begin(files.clone()).unwrap();
    let first = tls.current.get();
    fs::write(&files.certificate, "nothing").unwrap();
    tls.note(certificate(&files));
    assert!(tls.problem.as_ref().is_some_and(|problem| problem.contains("no PEM certificate")));
    assert_eq!(tls.current.get().cert, first.cert);
    folder.certify("tls");
    tls.note(certificate(&files));
    assert!(tls.problem.is_none());
    assert_ne!(tls.current.get().cert, first.cert);
}

#[tokio::test]
async fn the_files_are_checked_repeatedly() {
    let folder = Folder::new();
    let tls = Tls::begin(folder.files("tls.crt", "tls.key")).unwrap();
    let current = tls.current.clone();
    let first = current.get();
    let changed = async {
        folder.certify("tls");
        while current.get().cert == first.cert {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    tokio::select! {
        never = tls.check_every(Duration::from_millis(5)) => match never {},
        outcome = tokio::time::timeout(Duration::from_secs(30), changed) => outcome.unwrap(),
    }
}
