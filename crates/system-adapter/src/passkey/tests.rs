//! Test vectors of the specification, and attacks on client data and signatures.

use super::AwsLcPasskeyVerifier;
use application::ports::system::PasskeyVerifier;
use chrono::DateTime;
use curve25519_dalek::edwards::CompressedEdwardsY;
use domain::id::{PasskeyId, UserId};
use domain::passkey::{
    AssertionResponse, AuthenticatorData, CeremonyError, ClientData, CredentialId, InvalidKey, KeyMaterial,
    Passkey, PasskeyKey, PasskeyName, RegistrationResponse, RelyingParty, SignatureCheck, Transports,
    to_base64url,
};
use proptest::prelude::*;
use serde_json::Value;
use uuid::Uuid;

const VECTORS: &str = include_str!("vectors.json");
const VERIFIER: AwsLcPasskeyVerifier = AwsLcPasskeyVerifier;

fn bytes(value: &Value) -> Vec<u8> {
    let digits = value.as_str().unwrap().as_bytes();
    digits.chunks(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
}

/// A vector: a registration and a sign-in with the same key.
struct Vector {
    registration: Value,
    sign_in: Value,
    relying_party: RelyingParty,
}

fn vector(name: &str) -> Vector {
    let file: Value = serde_json::from_str(VECTORS).unwrap();
    let vectors = file["vectors"].as_array().unwrap();
    let found = vectors.iter().find(|vector| vector["name"] == name).unwrap();
    let url = url::Url::parse(file["relying_party"].as_str().unwrap()).unwrap();
    let relying_party = RelyingParty::from_public_url(&url).unwrap();
    Vector { registration: found["registration"].clone(), sign_in: found["sign_in"].clone(), relying_party }
}

fn client_data(ceremony: &Value) -> ClientData {
    let data = VERIFIER.parse_client_data(&bytes(&ceremony["clientDataJSON"])).unwrap();
    assert_eq!(data.challenge, to_base64url(&bytes(&ceremony["challenge"])));
    data
}

/// Finds the authenticator data in an attestation object, however it was attested.
fn authenticator_data(object: &[u8]) -> &[u8] {
    let at = object.windows(9).position(|window| window == b"\x68authData").unwrap() + 9;
    let (length, start) = match object[at] {
        0x58 => (usize::from(object[at + 1]), at + 2),
        0x59 => (usize::from(u16::from_be_bytes([object[at + 1], object[at + 2]])), at + 3),
        other => panic!("{other}"),
    };
    &object[start..start + length]
}

impl Vector {
    /// Returns the outcome of the registration; a signature of the new key must be valid.
    fn register(&self) -> Result<(), CeremonyError> {
        let response = RegistrationResponse {
            client_data: &client_data(&self.registration),
            client_data_json: &bytes(&self.registration["clientDataJSON"]),
            attestation_object: &bytes(&self.registration["attestationObject"]),
        };
        let new = self.relying_party.check_registration(response)?;
        assert!(new.self_attestation.is_none_or(|check| VERIFIER.is_signed(&check)));
        Ok(())
    }

    fn passkey(&self) -> Result<Passkey, InvalidKey> {
        let object = bytes(&self.registration["attestationObject"]);
        let data = AuthenticatorData::parse(authenticator_data(&object))?;
        let is_backup_eligible = data.is_backup_eligible();
        let (credential_id, key) = data.credential.unwrap();
        Ok(Passkey {
            id: PasskeyId::from_uuid(Uuid::nil()),
            user_id: UserId::from_uuid(Uuid::nil()),
            name: PasskeyName::parse("Phone").unwrap(),
            credential_id,
            key,
            sign_count: 0,
            is_backup_eligible,
            is_backed_up: false,
            transports: Transports::default(),
            created_at: DateTime::UNIX_EPOCH,
            last_used_at: None,
        })
    }

    /// Returns the outcome of the sign-in without the signature.
    fn sign_in(&self) -> Result<(), CeremonyError> {
        let response = AssertionResponse {
            client_data: &client_data(&self.sign_in),
            client_data_json: &bytes(&self.sign_in["clientDataJSON"]),
            authenticator_data: &bytes(&self.sign_in["authenticatorData"]),
            signature: &bytes(&self.sign_in["signature"]),
        };
        self.relying_party.check_assertion(&self.passkey().unwrap(), response).map(drop)
    }

    fn signature(&self) -> SignatureCheck {
        let hash =
            aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, &bytes(&self.sign_in["clientDataJSON"]));
        SignatureCheck {
            key: self.passkey().unwrap().key,
            message: [bytes(&self.sign_in["authenticatorData"]).as_slice(), hash.as_ref()].concat(),
            signature: bytes(&self.sign_in["signature"]),
        }
    }
}

#[test]
fn the_ceremonies_of_the_specification_have_the_expected_outcome() {
    use CeremonyError::{CrossOrigin, NoUserVerification, UnacceptedAttestation};
    let (ok, unverified) = (Ok(()), Err(NoUserVerification));
    for (name, registration, sign_in) in [
        ("none-es256", unverified, unverified),
        ("packed-self-es256", ok, unverified),
        ("cross-origin", Err(CrossOrigin), Err(CrossOrigin)),
        ("top-origin", Err(CrossOrigin), Err(CrossOrigin)),
        ("long-credential-id", unverified, ok),
        ("packed-es256", Err(UnacceptedAttestation), ok),
        ("packed-rs256", Err(UnacceptedAttestation), unverified),
        ("packed-eddsa", unverified, unverified),
        ("tpm-es256", Err(UnacceptedAttestation), ok),
        ("android-key-es256", Err(UnacceptedAttestation), unverified),
        ("apple-es256", unverified, unverified),
        ("fido-u2f-es256", unverified, unverified),
    ] {
        let vector = vector(name);
        assert_eq!(vector.register(), registration, "{name}");
        assert_eq!(vector.sign_in(), sign_in, "{name}");
        assert!(VERIFIER.is_signed(&vector.signature()), "{name}");
    }
}

#[test]
fn an_algorithm_that_was_not_offered_is_rejected() {
    for name in ["packed-es384", "packed-es512", "packed-ed448"] {
        assert_eq!(vector(name).passkey().unwrap_err(), InvalidKey::UnofferedAlgorithm, "{name}");
        assert_eq!(vector(name).register(), Err(CeremonyError::UnofferedAlgorithm), "{name}");
    }
}

#[test]
fn a_credential_id_may_have_1023_bytes() {
    let passkey = vector("long-credential-id").passkey().unwrap();
    assert_eq!(passkey.credential_id.as_bytes().len(), CredentialId::MAX_BYTES);
}

#[test]
fn a_tampered_signature_message_or_key_is_rejected() {
    for name in ["none-es256", "packed-rs256", "packed-eddsa"] {
        let check = vector(name).signature();
        for at in [0, check.signature.len() / 2, check.signature.len() - 1] {
            let mut other = check.clone();
            other.signature[at] ^= 1;
            assert!(!VERIFIER.is_signed(&other), "{name} signature {at}");
        }
        for at in 0..check.message.len() {
            let mut other = check.clone();
            other.message[at] ^= 1;
            assert!(!VERIFIER.is_signed(&other), "{name} message {at}");
        }
        for signature in [Vec::new(), check.signature[1..].to_vec(), [&check.signature[..], &[0]].concat()] {
            assert!(!VERIFIER.is_signed(&SignatureCheck { signature, ..check.clone() }), "{name}");
        }
        let key = vector("packed-es256").passkey().unwrap().key;
        assert!(!VERIFIER.is_signed(&SignatureCheck { key, ..check }), "{name}");
    }
}

#[test]
fn a_self_attestation_of_another_key_is_rejected() {
    let vector = vector("packed-self-es256");
    let mut object = bytes(&vector.registration["attestationObject"]);
    // The last byte is one of the public key, which the statement signs.
    *object.last_mut().unwrap() ^= 1;
    let response = RegistrationResponse {
        client_data: &client_data(&vector.registration),
        client_data_json: &bytes(&vector.registration["clientDataJSON"]),
        attestation_object: &object,
    };
    let new = vector.relying_party.check_registration(response).unwrap();
    assert!(!VERIFIER.is_signed(&new.self_attestation.unwrap()));
}

const CLIENT_DATA: &str = r#"{"type":"webauthn.get","challenge":"AQ","origin":"https://example.org""#;

#[test]
fn client_data_is_parsed_whatever_the_order_and_the_unknown_members() {
    for rest in ["}", r#","crossOrigin":false}"#, r#","other":{"type":"x","a":[1]}, "x":null }"#] {
        let data = VERIFIER.parse_client_data(format!("{CLIENT_DATA}{rest}").as_bytes()).unwrap();
        assert_eq!((data.kind.as_str(), data.challenge.as_str()), ("webauthn.get", "AQ"));
        assert!(!data.is_cross_origin && !data.has_top_origin, "{rest}");
    }
    let framed = format!(r#"{CLIENT_DATA},"crossOrigin":true,"topOrigin":"https://evil.example"}}"#);
    let data = VERIFIER.parse_client_data(framed.as_bytes()).unwrap();
    assert!(data.is_cross_origin && data.has_top_origin);
}

#[test]
fn a_deeply_nested_unknown_member_is_skipped_without_recursion() {
    let deep = format!("{CLIENT_DATA},\"x\":{}1{}}}", "[".repeat(1500), "]".repeat(1500));
    assert!(VERIFIER.parse_client_data(deep.as_bytes()).is_ok());
    let unclosed = format!("{CLIENT_DATA},\"x\":{}", "[".repeat(3000));
    assert!(VERIFIER.parse_client_data(unclosed.as_bytes()).is_err());
}

#[test]
fn malformed_repeated_or_oversized_client_data_is_rejected() {
    let long = format!("{CLIENT_DATA},\"x\":\"{}\"}}", "a".repeat(ClientData::MAX_BYTES));
    for text in [
        "",
        "[]",
        "null",
        r#"{"type":"webauthn.get","challenge":"AQ"}"#,
        r#"{"type":1,"challenge":"AQ","origin":"https://example.org"}"#,
        CLIENT_DATA,
        &format!("{CLIENT_DATA}}} x"),
        &format!(r#"{CLIENT_DATA},"origin":"https://evil.example"}}"#),
        &format!(r#"{CLIENT_DATA},"crossOrigin":"no"}}"#),
        &long,
    ] {
        assert!(VERIFIER.parse_client_data(text.as_bytes()).is_err(), "{text}");
    }
    assert!(VERIFIER.parse_client_data(b"{\"type\":\"\xff\"}").is_err());
}

proptest! {
    #[test]
    fn no_client_data_and_no_signature_panics(json in any::<Vec<u8>>(), signature in any::<Vec<u8>>()) {
        let _ = VERIFIER.parse_client_data(&json);
        let mut check = vector("none-es256").signature();
        check.signature = signature;
        prop_assert!(!VERIFIER.is_signed(&check));
    }
}

/// A COSE key for ES256.
fn es256(x: &[u8; 32], y: &[u8; 32]) -> PasskeyKey {
    let cose = [&[0xa5, 1, 2, 3, 0x26, 0x20, 1, 0x21, 0x58, 0x20], x.as_slice(), &[0x22, 0x58, 0x20], y];
    PasskeyKey::parse(&cose.concat()).unwrap()
}

/// A COSE key for `EdDSA`.
fn eddsa(x: [u8; 32]) -> PasskeyKey {
    let cose = [&[0xa4, 1, 1, 3, 0x27, 0x20, 6, 0x21, 0x58, 0x20], x.as_slice()];
    PasskeyKey::parse(&cose.concat()).unwrap()
}

/// A COSE key for RS256.
fn rs256(n: &[u8], e: &[u8]) -> PasskeyKey {
    let length = u16::try_from(n.len()).unwrap().to_be_bytes();
    let head = [0xa4, 1, 3, 3, 0x39, 1, 0, 0x20, 0x59];
    let exponent = [0x21, 0x40 | u8::try_from(e.len()).unwrap()];
    PasskeyKey::parse(&[&head, length.as_slice(), n, &exponent, e].concat()).unwrap()
}

fn hex(text: &str) -> [u8; 32] {
    bytes(&Value::from(text)).try_into().unwrap()
}

#[test]
fn keys_of_the_specification_are_public_keys() {
    for name in ["none-es256", "packed-rs256", "packed-eddsa"] {
        assert!(VERIFIER.is_public_key(&vector(name).passkey().unwrap().key), "{name}");
    }
}

// T111
#[test]
fn a_point_that_is_not_on_p256_is_no_public_key() {
    let key = vector("none-es256").passkey().unwrap().key;
    let KeyMaterial::Es256 { x, y } = *key.material() else { panic!("another algorithm") };
    assert!(VERIFIER.is_public_key(&es256(&x, &y)));
    let mut off = y;
    off[31] ^= 1;
    let prime = hex("ffffffff00000001000000000000000000000000ffffffffffffffffffffffff");
    for (x, y) in
        [(x, off), (y, x), ([0; 32], [0; 32]), ([1; 32], [1; 32]), (prime, y), ([0xff; 32], [0xff; 32])]
    {
        assert!(!VERIFIER.is_public_key(&es256(&x, &y)), "{x:x?} {y:x?}");
    }
}

// T111
#[test]
fn an_ed25519_point_of_small_order_or_none_is_no_public_key() {
    // The points whose order divides 8, and the same with coordinates that are not reduced.
    let small = [
        "0100000000000000000000000000000000000000000000000000000000000000",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "0000000000000000000000000000000000000000000000000000000000000000",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    ];
    for text in small {
        for sign in [0, 0x80] {
            let mut point = hex(text);
            point[31] |= sign;
            assert!(!VERIFIER.is_public_key(&eddsa(point)), "{point:x?}");
        }
    }
    let key = vector("packed-eddsa").passkey().unwrap().key;
    let KeyMaterial::EdDsa { x } = *key.material() else { panic!("another algorithm") };
    assert!(VERIFIER.is_public_key(&eddsa(x)));
    // The coordinate 2 is of no point; p + 3 is that of a point, but not reduced.
    let mut none = [0; 32];
    none[0] = 2;
    assert!(!VERIFIER.is_public_key(&eddsa(none)));
    let mut unreduced = [0xff; 32];
    (unreduced[0], unreduced[31]) = (0xf0, 0x7f);
    assert!(!VERIFIER.is_public_key(&eddsa(unreduced)));
    // The sum of a key and a point of order two: its sign is another, and its order not prime.
    let sum =
        CompressedEdwardsY(x).decompress().unwrap() + CompressedEdwardsY(hex(small[1])).decompress().unwrap();
    assert!(!VERIFIER.is_public_key(&eddsa(sum.compress().to_bytes())));
}

// T111
#[test]
fn an_rsa_key_with_a_short_or_even_modulus_or_a_bad_exponent_is_no_public_key() {
    let key = vector("packed-rs256").passkey().unwrap().key;
    let KeyMaterial::Rs256 { n, e } = key.material() else { panic!("another algorithm") };
    for exponent in [e.as_slice(), &[3], &[17], &[1, 0xff, 0xff, 0xff, 0xff]] {
        assert!(VERIFIER.is_public_key(&rs256(n, exponent)), "{exponent:?}");
    }
    for exponent in [&[1][..], &[2], &[4], &[1, 0, 0], &[2, 0, 0, 0, 1], &[0xff; 8]] {
        assert!(!VERIFIER.is_public_key(&rs256(n, exponent)), "{exponent:?}");
    }
    let (mut even, mut short) = (n.clone(), n[n.len() - 256..].to_vec());
    *even.last_mut().unwrap() &= 0xfe;
    short[0] = 0x7f;
    for modulus in [even, short] {
        assert!(!VERIFIER.is_public_key(&rs256(&modulus, e)));
    }
}

// T111
#[test]
fn an_rsa_key_whose_modulus_has_a_small_prime_factor_is_no_public_key() {
    let key = vector("packed-rs256").passkey().unwrap().key;
    let KeyMaterial::Rs256 { n, e } = key.material() else { panic!("another algorithm") };
    let power = (0..1_292).fold(vec![1], |power, _| times(&power, 3));
    assert_eq!(power.len(), 256);
    for modulus in [power, vec![0xff; 256], times(n, 3), times(n, 1_999)] {
        assert!(!VERIFIER.is_public_key(&rs256(&modulus, e)), "{modulus:02x?}");
    }
    assert!(VERIFIER.is_public_key(&rs256(&times(n, 2_003), e)));
}

/// Multiplies a number, big endian.
fn times(number: &[u8], factor: u32) -> Vec<u8> {
    let (mut product, mut carry) = (Vec::new(), 0);
    let zeros = [0; 2];
    for byte in zeros.iter().chain(number).rev() {
        carry += u32::from(*byte) * factor;
        product.push(carry.to_le_bytes()[0]);
        carry >>= 8;
    }
    product.into_iter().rev().skip_while(|byte| *byte == 0).collect()
}
