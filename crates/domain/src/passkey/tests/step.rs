//! Steps of the ceremonies.

use super::{
    BACKED_UP, CREDENTIAL, ELIGIBLE, EXTENSIONS, ORIGIN, PRESENT, VERIFIED, attestation, attested,
    authenticator_data, bytes, eddsa, es256, good_attestation, good_new_data, head, passkey, relying_party,
    rs256, text,
};
use crate::id::UserId;
use crate::passkey::{
    Assertion, AssertionResponse, CeremonyError, CeremonyPurpose, ClientData, CredentialId, NewCredential,
    Passkey, PasskeyCeremony, RegistrationResponse, RelyingParty, Transports, from_base64url, to_base64url,
    user_handle,
};
use crate::secret::SecretHash;
use chrono::{DateTime, TimeDelta};
use proptest::prelude::*;
use sha2::{Digest, Sha256};
use url::Url;
use uuid::Uuid;

const JSON: &[u8] = b"{}";

fn client_data(kind: &str) -> ClientData {
    ClientData {
        kind: kind.to_owned(),
        challenge: "AQ".to_owned(),
        origin: ORIGIN.to_owned(),
        is_cross_origin: false,
        has_top_origin: false,
    }
}

fn register(data: &ClientData, object: &[u8]) -> Result<NewCredential, CeremonyError> {
    let response =
        RegistrationResponse { client_data: data, client_data_json: JSON, attestation_object: object };
    relying_party().check_registration(response)
}

fn register_object(object: &[u8]) -> Result<NewCredential, CeremonyError> {
    register(&client_data("webauthn.create"), object)
}

/// Registers with this authenticator data and no attestation.
fn register_data(data: &[u8]) -> Result<NewCredential, CeremonyError> {
    register_object(&attestation("none", &[0xa0], data))
}

fn register_flags(flags: u8) -> Result<NewCredential, CeremonyError> {
    register_data(&authenticator_data(flags, 0, &attested(&[5; 32], &es256())))
}

fn register_key(key: &[u8]) -> Result<NewCredential, CeremonyError> {
    register_data(&authenticator_data(PRESENT | VERIFIED | CREDENTIAL, 0, &attested(&[5; 32], key)))
}

fn sign_in_as(passkey: &Passkey, data: &ClientData, sent: &[u8]) -> Result<Assertion, CeremonyError> {
    let response = AssertionResponse {
        client_data: data,
        client_data_json: JSON,
        authenticator_data: sent,
        signature: &[1, 2],
    };
    relying_party().check_assertion(passkey, response)
}

fn sign_in(sent: &[u8]) -> Result<Assertion, CeremonyError> {
    sign_in_as(&passkey(), &client_data("webauthn.get"), sent)
}

fn sign_in_flags(flags: u8) -> Result<Assertion, CeremonyError> {
    sign_in(&authenticator_data(flags, 1, &[]))
}

#[test]
fn a_valid_registration_and_a_valid_sign_in_are_accepted() {
    let new = register_object(&good_attestation()).unwrap();
    assert_eq!(new.id, CredentialId::new(vec![5; 32]).unwrap());
    assert_eq!((new.key.as_cose(), new.sign_count), (es256().as_slice(), 0));
    assert_eq!(new.self_attestation, None);
    for key in [eddsa(), rs256(&[0xff; 256], &[1, 0, 1])] {
        assert_eq!(register_key(&key).unwrap().key.as_cose(), key);
    }
    assert_eq!(sign_in_flags(PRESENT | VERIFIED).unwrap().sign_count, 1);
}

// 7.1 step 7, 7.2 step 10
#[test]
fn the_type_is_that_of_the_ceremony() {
    for kind in ["webauthn.get", "payment.get", "webauthn.Create", ""] {
        assert_eq!(register(&client_data(kind), &good_attestation()), Err(CeremonyError::WrongType));
    }
    let sent = authenticator_data(PRESENT | VERIFIED, 1, &[]);
    for kind in ["webauthn.create", "payment.get", ""] {
        assert_eq!(sign_in_as(&passkey(), &client_data(kind), &sent), Err(CeremonyError::WrongType));
    }
}

// 7.1 step 9, 7.2 step 12
#[test]
fn the_origin_is_the_servers_own() {
    let sent = authenticator_data(PRESENT | VERIFIED, 1, &[]);
    for origin in [
        "https://evil.example",
        "http://rest.example",
        "https://rest.example:8443",
        "https://rest.example/",
        "https://sub.rest.example",
        "https://rest.example.evil.example",
        "HTTPS://REST.EXAMPLE",
        "null",
        "android:apk-key-hash:abc",
        // Kanidm compared the end of an origin in 2026.
        "https://evil-rest.example",
        "https://evilrest.example",
        "https://evil.rest.example",
        "https://evil.example/https://rest.example",
        "https://evil.example#rest.example",
        "https://rest.example.evil.example",
        "https://rest.example@evil.example",
        "https://rest.example:443",
        "https://rest.example.",
        "https://REST.example",
        "rest.example",
        "",
    ] {
        let with = |kind| ClientData { origin: origin.to_owned(), ..client_data(kind) };
        let registered = register(&with("webauthn.create"), &good_attestation());
        assert_eq!(registered, Err(CeremonyError::WrongOrigin), "{origin}");
        let signed_in = sign_in_as(&passkey(), &with("webauthn.get"), &sent);
        assert_eq!(signed_in, Err(CeremonyError::WrongOrigin), "{origin}");
    }
}

// 7.1 steps 10 and 11, 7.2 steps 13 and 14
#[test]
fn a_frame_of_another_origin_is_rejected() {
    let sent = authenticator_data(PRESENT | VERIFIED, 1, &[]);
    for (is_cross_origin, has_top_origin) in [(true, false), (true, true), (false, true)] {
        let with = |kind| ClientData { is_cross_origin, has_top_origin, ..client_data(kind) };
        let registered = register(&with("webauthn.create"), &good_attestation());
        assert_eq!(registered, Err(CeremonyError::CrossOrigin));
        let signed_in = sign_in_as(&passkey(), &with("webauthn.get"), &sent);
        assert_eq!(signed_in, Err(CeremonyError::CrossOrigin));
    }
}

// 7.1 steps 12 and 13, 7.2 steps 20 and 21
#[test]
fn the_signed_message_is_authenticator_data_and_the_hash_of_client_data() {
    let sent = authenticator_data(PRESENT | VERIFIED, 1, &[]);
    let assertion = sign_in(&sent).unwrap();
    assert_eq!(assertion.signature.message, [sent.as_slice(), Sha256::digest(JSON).as_slice()].concat());
    assert_eq!((assertion.signature.key, assertion.signature.signature), (passkey().key, vec![1, 2]));
}

// 7.1 step 14, 7.2 step 15
#[test]
fn the_relying_party_is_the_servers_own() {
    let mut data = good_new_data();
    data[..32].copy_from_slice(&Sha256::digest(b"evil.example"));
    assert_eq!(register_data(&data), Err(CeremonyError::WrongRelyingParty));
    let mut sent = authenticator_data(PRESENT | VERIFIED, 1, &[]);
    sent[31] ^= 1;
    assert_eq!(sign_in(&sent), Err(CeremonyError::WrongRelyingParty));
}

// 7.1 step 15, 7.2 step 16
#[test]
fn the_person_is_present() {
    assert_eq!(register_flags(VERIFIED | CREDENTIAL), Err(CeremonyError::NoUserPresence));
    assert_eq!(sign_in_flags(VERIFIED), Err(CeremonyError::NoUserPresence));
}

// 7.1 step 16, 7.2 step 17
#[test]
fn the_person_is_verified() {
    assert_eq!(register_flags(PRESENT | CREDENTIAL), Err(CeremonyError::NoUserVerification));
    assert_eq!(sign_in_flags(PRESENT), Err(CeremonyError::NoUserVerification));
}

// 7.1 step 17, 7.2 step 18
#[test]
fn a_passkey_that_was_copied_can_be_copied() {
    let (new, used) = (PRESENT | VERIFIED | CREDENTIAL, PRESENT | VERIFIED);
    assert_eq!(register_flags(new | BACKED_UP), Err(CeremonyError::InvalidBackupState));
    assert_eq!(sign_in_flags(used | BACKED_UP), Err(CeremonyError::InvalidBackupState));
    let new = register_flags(new | ELIGIBLE | BACKED_UP).unwrap();
    assert!(new.is_backup_eligible && new.is_backed_up);
}

// 7.2 step 19
#[test]
fn whether_a_passkey_can_be_copied_never_changes() {
    let data = authenticator_data(PRESENT | VERIFIED | ELIGIBLE, 1, &[]);
    assert_eq!(sign_in(&data), Err(CeremonyError::InvalidBackupState));
    let eligible = Passkey { is_backup_eligible: true, ..passkey() };
    let get = client_data("webauthn.get");
    assert!(!sign_in_as(&eligible, &get, &data).unwrap().is_backed_up);
    let data = authenticator_data(PRESENT | VERIFIED, 1, &[]);
    assert_eq!(sign_in_as(&eligible, &get, &data), Err(CeremonyError::InvalidBackupState));
}

// 7.1 step 20
#[test]
fn the_algorithm_was_offered() {
    // ES384, ES512, PS256, RS1, and Ed448 under its own number.
    for algorithm in [-35, -36, -37, -65535, -53_i64] {
        let encoded = head(1, usize::try_from(-1 - algorithm).unwrap());
        let key = [&[0xa5, 1, 2, 3], encoded.as_slice(), &es256()[5..]].concat();
        assert_eq!(register_key(&key), Err(CeremonyError::UnofferedAlgorithm), "{algorithm}");
    }
}

// 7.1 steps 21 to 24
#[test]
fn only_no_attestation_or_one_by_the_key_itself_is_accepted() {
    let data = good_new_data();
    let signed = |algorithm: u8| {
        let signature = bytes(&[3; 70]);
        [head(5, 2), text("alg"), vec![algorithm], text("sig"), signature].concat()
    };
    let check = register_object(&attestation("packed", &signed(0x26), &data)).unwrap().self_attestation;
    let check = check.unwrap();
    assert_eq!((check.key.as_cose(), check.signature), (es256().as_slice(), vec![3; 70]));
    assert_eq!(check.message, [data.as_slice(), Sha256::digest(JSON).as_slice()].concat());
    let certified = [head(5, 3), signed(0x26)[1..].to_vec(), text("x5c"), vec![0x80]].concat();
    for (format, statement) in [
        ("packed", signed(0x27)),
        ("packed", certified),
        ("fido-u2f", vec![0xa0]),
        ("tpm", vec![0xa0]),
        ("None", vec![0xa0]),
        ("", vec![0xa0]),
    ] {
        let refused = register_object(&attestation(format, &statement, &data));
        assert_eq!(refused, Err(CeremonyError::UnacceptedAttestation), "{format}");
    }
    for (format, statement) in [("none", signed(0x26)), ("none", vec![0x80]), ("packed", vec![0xa0])] {
        let refused = register_object(&attestation(format, &statement, &data));
        assert_eq!(refused, Err(CeremonyError::Malformed), "{format}");
    }
}

// 7.1 step 25
#[test]
fn a_credential_id_has_1_to_1023_bytes() {
    let with = |length| {
        let credential = attested(&vec![5; length], &es256());
        register_data(&authenticator_data(PRESENT | VERIFIED | CREDENTIAL, 0, &credential))
    };
    assert!(with(1).is_ok() && with(1023).is_ok());
    for length in [0, 1024, 4000] {
        assert_eq!(with(length), Err(CeremonyError::Malformed), "{length}");
    }
}

#[test]
fn a_registration_without_a_credential_is_rejected() {
    let data = authenticator_data(PRESENT | VERIFIED, 0, &[]);
    assert_eq!(register_data(&data), Err(CeremonyError::Malformed));
}

#[test]
fn outputs_of_extensions_are_skipped_and_must_be_a_map() {
    let flags = PRESENT | VERIFIED | EXTENSIONS;
    let output = [head(5, 1), text("credProtect"), vec![2]].concat();
    assert!(sign_in(&authenticator_data(flags, 1, &output)).is_ok());
    for rest in [vec![], vec![0x80], [output.as_slice(), &[0]].concat()] {
        assert_eq!(sign_in(&authenticator_data(flags, 1, &rest)), Err(CeremonyError::Malformed));
    }
}

#[test]
fn truncated_and_trailing_bytes_are_rejected() {
    let object = good_attestation();
    for length in 0..object.len() {
        assert_eq!(register_object(&object[..length]), Err(CeremonyError::Malformed), "{length}");
    }
    let longer = [object.as_slice(), &[0]].concat();
    assert_eq!(register_object(&longer), Err(CeremonyError::Malformed));
    let longer = [good_new_data().as_slice(), &[0]].concat();
    assert_eq!(register_data(&longer), Err(CeremonyError::Malformed));
    let sent = authenticator_data(PRESENT | VERIFIED, 1, &[]);
    for length in 0..sent.len() {
        assert_eq!(sign_in(&sent[..length]), Err(CeremonyError::Malformed), "{length}");
    }
    assert_eq!(sign_in(&[sent.as_slice(), &[0]].concat()), Err(CeremonyError::Malformed));
}

#[test]
fn a_member_that_occurs_twice_or_is_unknown_is_rejected() {
    let twice = [head(5, 4), good_attestation()[1..].to_vec(), text("fmt"), text("none")].concat();
    assert_eq!(register_object(&twice), Err(CeremonyError::Malformed));
    let unknown = [head(5, 4), good_attestation()[1..].to_vec(), text("epAtt"), vec![0xf4]].concat();
    assert_eq!(register_object(&unknown), Err(CeremonyError::Malformed));
}

#[test]
fn passkeys_need_a_host_name_and_a_secure_page() {
    let party = |url| RelyingParty::from_public_url(&Url::parse(url).unwrap());
    for (url, id) in [
        ("https://rest.example", "rest.example"),
        ("https://rest.example:8443", "rest.example"),
        ("http://localhost:8080", "localhost"),
        ("https://localhost", "localhost"),
    ] {
        assert_eq!(party(url).unwrap().id(), id, "{url}");
    }
    for url in ["http://127.0.0.1:8080", "https://192.0.2.1", "http://[::1]:8080", "http://rest.example"] {
        assert_eq!(party(url), None, "{url}");
    }
}

#[test]
fn a_ceremony_is_finished_by_its_browser_for_its_purpose_within_five_minutes() {
    let (browser, other) = (SecretHash::from_bytes([1; 32]), SecretHash::from_bytes([2; 32]));
    let start = DateTime::UNIX_EPOCH;
    let ceremony = PasskeyCeremony {
        challenge_hash: SecretHash::from_bytes([3; 32]),
        purpose: CeremonyPurpose::SignIn,
        browser_hash: browser,
        expires_at: start + PasskeyCeremony::LIFETIME,
    };
    let last = start + TimeDelta::minutes(5) - TimeDelta::microseconds(1);
    assert!(ceremony.can_finish(CeremonyPurpose::SignIn, &browser, last));
    assert!(!ceremony.can_finish(CeremonyPurpose::SignIn, &browser, start + TimeDelta::minutes(5)));
    assert!(!ceremony.can_finish(CeremonyPurpose::SignIn, &other, start));
    assert!(!ceremony.can_finish(CeremonyPurpose::Registration, &browser, start));
}

#[test]
fn fields_are_base64url_without_padding_up_to_their_length() {
    assert_eq!(from_base64url("AQID", 3), Some(vec![1, 2, 3]));
    assert_eq!(from_base64url("AQI", 2), Some(vec![1, 2]));
    for text in ["AQID", "AQ==", "A+/=", "A", "AQ ", "\u{e9}"] {
        assert_eq!(from_base64url(text, 2), None, "{text}");
    }
}

#[test]
fn a_user_handle_is_the_random_id() {
    let id = UserId::from_uuid(Uuid::from_u128(7));
    assert_eq!(from_base64url(&user_handle(id), 64).unwrap(), id.as_uuid().as_bytes());
}

#[test]
fn unknown_and_repeated_transports_are_ignored() {
    assert_eq!(Transports::parse("hybrid  usb usb carrier-pigeon").to_names(), "usb hybrid");
    assert_eq!(Transports::parse("").to_names(), "");
}

proptest! {
    #[test]
    fn arbitrary_responses_never_panic(object in any::<Vec<u8>>(), data in any::<Vec<u8>>()) {
        let _ = register_object(&object);
        let _ = register_data(&data);
        let _ = sign_in(&data);
    }

    #[test]
    fn one_changed_byte_never_panics_and_keeps_the_length_of_a_credential(
        at in 0usize..good_attestation().len(),
        to in any::<u8>(),
    ) {
        let mut object = good_attestation();
        object[at] = to;
        if let Ok(new) = register_object(&object) {
            prop_assert_eq!(new.id.as_bytes().len(), 32);
        }
    }

    #[test]
    fn encoding_round_trips(value in proptest::collection::vec(any::<u8>(), 0..80)) {
        prop_assert_eq!(from_base64url(&to_base64url(&value), 80), Some(value.clone()));
        let enough = value.is_empty();
        prop_assert_eq!(from_base64url(&to_base64url(&value), value.len().saturating_sub(1)).is_some(), enough);
    }
}
