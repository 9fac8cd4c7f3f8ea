//! A software authenticator that follows the specification, except where a test changes it.

use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, KeyPair as _};
use domain::passkey::to_base64url;
use std::sync::Arc;

pub(in crate::e2e::security) const ORIGIN: &str = "http://localhost:8080";
const RELYING_PARTY: &str = "localhost";

/// User present, user verified.
const FLAGS: u8 = 0x05;
const HAS_CREDENTIAL: u8 = 0x40;

/// An authenticator with one ES256 credential.
#[derive(Clone)]
pub(in crate::e2e::security) struct Authenticator {
    pub(in crate::e2e::security) key: Arc<EcdsaKeyPair>,
    pub(in crate::e2e::security) credential_id: Vec<u8>,
    pub(in crate::e2e::security) origin: String,
    pub(in crate::e2e::security) relying_party: String,
    pub(in crate::e2e::security) flags: u8,
    pub(in crate::e2e::security) count: u32,
    /// `type` of the client data, if it is not that of the ceremony.
    pub(in crate::e2e::security) kind: Option<&'static str>,
    /// Members added to the client data.
    pub(in crate::e2e::security) more_client_data: String,
    /// Algorithm of the key, as a CBOR byte.
    pub(in crate::e2e::security) algorithm: u8,
    /// Bytes after the attestation object.
    pub(in crate::e2e::security) trailing: Vec<u8>,
    /// CBOR of the attestation statement.
    pub(in crate::e2e::security) statement: Vec<u8>,
}

/// Fields of a form.
pub(in crate::e2e::security) type Fields = Vec<(&'static str, String)>;

impl Authenticator {
    pub(in crate::e2e::security) fn new(credential_id: &[u8]) -> Self {
        let key = EcdsaKeyPair::generate(&ECDSA_P256_SHA256_ASN1_SIGNING).expect("key");
        Self {
            key: Arc::new(key),
            credential_id: credential_id.to_vec(),
            origin: ORIGIN.to_owned(),
            relying_party: RELYING_PARTY.to_owned(),
            flags: FLAGS,
            count: 0,
            kind: None,
            more_client_data: String::new(),
            algorithm: 0x26,
            trailing: Vec::new(),
            statement: vec![0xa0],
        }
    }

    fn client_data(&self, kind: &str, challenge: &str) -> String {
        let kind = self.kind.unwrap_or(kind);
        let challenge = to_base64url(challenge.as_bytes());
        let (origin, more) = (&self.origin, &self.more_client_data);
        format!(r#"{{"type":"{kind}","challenge":"{challenge}","origin":"{origin}"{more}}}"#)
    }

    fn authenticator_data(&self, flags: u8, rest: &[u8]) -> Vec<u8> {
        [&sha256(self.relying_party.as_bytes()), [flags].as_slice(), &self.count.to_be_bytes(), rest].concat()
    }

    /// Answers a registration.
    pub(in crate::e2e::security) fn register(&self, challenge: &str) -> Fields {
        let point = self.key.public_key().as_ref();
        let length = u16::try_from(self.credential_id.len()).expect("length").to_be_bytes();
        let head = [0xa5, 1, 2, 3, self.algorithm, 0x20, 1, 0x21, 0x58, 0x20];
        let key = [&head, &point[1..33], &[0x22, 0x58, 0x20], &point[33..]].concat();
        let attested = [[0; 16].as_slice(), &length, &self.credential_id, &key].concat();
        let data = self.authenticator_data(self.flags | HAS_CREDENTIAL, &attested);
        let length = u16::try_from(data.len()).expect("length").to_be_bytes();
        let object = [
            b"\xa3\x63fmt\x64none\x67attStmt".as_slice(),
            &self.statement,
            b"\x68authData\x59",
            &length,
            &data,
            &self.trailing,
        ];
        vec![
            ("client_data", to_base64url(self.client_data("webauthn.create", challenge).as_bytes())),
            ("attestation_object", to_base64url(&object.concat())),
            ("transports", "internal".to_owned()),
        ]
    }

    /// Answers a sign-in of the person with this handle.
    pub(in crate::e2e::security) fn sign_in(&self, challenge: &str, user_handle: &str) -> Fields {
        let client_data = self.client_data("webauthn.get", challenge);
        let data = self.authenticator_data(self.flags, &[]);
        let message = [data.as_slice(), &sha256(client_data.as_bytes())].concat();
        let signature = self.key.sign(&SystemRandom::new(), &message).expect("signature");
        vec![
            ("credential_id", to_base64url(&self.credential_id)),
            ("user_handle", user_handle.to_owned()),
            ("client_data", to_base64url(client_data.as_bytes())),
            ("authenticator_data", to_base64url(&data)),
            ("signature", to_base64url(signature.as_ref())),
        ]
    }
}

fn sha256(bytes: &[u8]) -> Vec<u8> {
    aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, bytes).as_ref().to_vec()
}
