//! Rejected forms about passkeys, each up to the statement that rejects it.

use crate::Harness;
use crate::fixture::{now, passkey, passkey_id, seconds, user_id};
use crate::service::{
    ADDRESS, ORIGIN, UNLIMITED, assert_only_sessions, assert_rejected, assert_untouched, audited,
    event_of_person, prepare, recorded, secret_text, sign_in_elsewhere, signed_out, stale,
};
use application::attempt_limit::AttemptLimit;
use application::passkey::{
    CeremonyStart, NewPasskey, PasskeyAnswer, PasskeyError, Passkeys, RemoveAllPasskeysError,
};
use application::ports::storage::PasskeyUse;
use application::ports::system::{MalformedClientData, PasskeyVerifier};
use application::session::{SignInLimits, SignedInPerson};
use domain::audit::AuditKind;
use domain::passkey::{
    CeremonyPurpose, ClientData, MAX_PASSKEYS, Passkey, PasskeyCeremony, PasskeyKey, RelyingParty,
    SignatureCheck, to_base64url, user_handle,
};
use domain::second_factor::SecondFactorPolicy;
use domain::secret::{Secret, SecretBytes, SecretKind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use url::Url;

/// SHA-256 of `rest.example`.
const RELYING_PARTY_HASH: [u8; 32] = [
    51, 68, 0, 117, 251, 65, 5, 56, 174, 253, 4, 220, 213, 157, 66, 163, 182, 91, 66, 189, 111, 156, 129,
    245, 20, 140, 243, 223, 231, 192, 99, 216,
];

/// A verifier that accepts every key and signature. Its client data is a type, a space and a challenge.
struct Trusting;

impl PasskeyVerifier for Trusting {
    fn parse_client_data(&self, json: &[u8]) -> Result<ClientData, MalformedClientData> {
        let text = std::str::from_utf8(json).map_err(|_| MalformedClientData)?;
        let (kind, challenge) = text.split_once(' ').ok_or(MalformedClientData)?;
        Ok(ClientData {
            kind: kind.to_owned(),
            challenge: challenge.to_owned(),
            origin: "https://rest.example".to_owned(),
            is_cross_origin: false,
            has_top_origin: false,
        })
    }

    fn is_public_key(&self, _: &PasskeyKey) -> bool {
        true
    }

    fn is_signed(&self, _: &SignatureCheck) -> bool {
        true
    }
}

fn passkeys(harness: &Harness) -> Passkeys {
    Passkeys {
        store: audited(harness),
        reader: harness.passkeys.clone(),
        failures: harness.failures.clone(),
        verifier: Arc::new(Trusting),
        relying_party: RelyingParty::from_public_url(&Url::parse("https://rest.example").unwrap()),
        ceremony_limit: UNLIMITED,
        sign_in_limits: SignInLimits { per_address: UNLIMITED, ..SignInLimits::default() },
        policy: SecondFactorPolicy::Required,
        mail: None,
    }
}

/// Stores a ceremony of the browser with this cookie; returns its client data.
async fn begin(harness: &Harness, purpose: CeremonyPurpose, cookie: &Secret) -> String {
    static DRAWN: AtomicU64 = AtomicU64::new(1);
    let mut bytes = [0x7c; 32];
    bytes[..8].copy_from_slice(&DRAWN.fetch_add(1, Ordering::Relaxed).to_be_bytes());
    let challenge = Secret::from_bytes(SecretKind::PasskeyChallenge, &SecretBytes::new(bytes));
    let ceremony = PasskeyCeremony {
        challenge_hash: challenge.hash(),
        purpose,
        browser_hash: cookie.hash(),
        expires_at: seconds(300),
    };
    commit!(harness, passkey_ceremonies().insert(&ceremony));
    let challenge = to_base64url(challenge.expose().as_bytes());
    to_base64url(format!("{} {challenge}", purpose.client_data_type()).as_bytes())
}

/// Returns authenticator data with these flags beside those that every authenticator here sets.
fn authenticator_data(flags: u8, count: u32, rest: &[u8]) -> Vec<u8> {
    [RELYING_PARTY_HASH.as_slice(), &[0x0d | flags], &count.to_be_bytes(), rest].concat()
}

/// Answers a registration with a passkey of the fixtures.
async fn add(
    harness: &Harness,
    passkeys: &Passkeys,
    person: &SignedInPerson,
    number: u64,
) -> Result<(), PasskeyError> {
    let client_data = begin(harness, CeremonyPurpose::Registration, &person.cookie).await;
    let Passkey { credential_id, key, .. } = passkey(number);
    let id = credential_id.as_bytes();
    let length = u16::try_from(id.len()).unwrap().to_be_bytes();
    let attested = [[0; 16].as_slice(), &length, id, key.as_cose()].concat();
    let data = authenticator_data(0x40, 0, &attested);
    let length = u16::try_from(data.len()).unwrap().to_be_bytes();
    let head = b"\xa3\x63fmt\x64none\x67attStmt\xa0\x68authData\x59".as_slice();
    let attestation_object = &to_base64url(&[head, &length, &data].concat());
    let new = NewPasskey { name: "Phone", client_data: &client_data, attestation_object, transports: "" };
    passkeys.offered().unwrap().add(person, new).await.map(drop)
}

/// Signs in with a passkey of the fixtures.
async fn sign_in(
    harness: &Harness,
    passkeys: &Passkeys,
    passkey: &Passkey,
    count: u32,
) -> Result<(), PasskeyError> {
    let visit = secret_text(SecretKind::Visit, 3);
    let client_data = begin(harness, CeremonyPurpose::SignIn, &visit).await;
    let answer = PasskeyAnswer {
        credential_id: &to_base64url(passkey.credential_id.as_bytes()),
        user_handle: &user_handle(passkey.user_id),
        client_data: &client_data,
        authenticator_data: &to_base64url(&authenticator_data(0, count, &[])),
        signature: "AAAA",
    };
    passkeys.offered().unwrap().sign_in(answer, &visit, ORIGIN).await.map(drop)
}

pub(crate) async fn rejected_forms_about_passkeys_open_no_connection(harness: &Harness) {
    let person = &prepare(harness).await;
    let (gone, passkeys, unknown) = (&signed_out(person), &passkeys(harness), passkey_id(9));
    let stale = &stale(person);
    let begin = async |person| {
        passkeys.offered().unwrap().begin_ceremony(CeremonyStart::Registration { person }).await
    };
    let is_stale = |error: &PasskeyError| matches!(error, PasskeyError::NotFresh);
    let is_unknown = |error: &PasskeyError| matches!(error, PasskeyError::NotFound);
    let is_too_many = |error: &PasskeyError| matches!(error, PasskeyError::TooManyPasskeys);

    assert_rejected(harness, "begin too late", is_stale, async || begin(stale).await).await;
    assert_rejected(harness, "rename an unknown passkey", is_unknown, async || {
        passkeys.rename(person, unknown, "Phone").await
    })
    .await;
    assert_rejected(harness, "remove an unknown passkey", is_unknown, async || {
        passkeys.remove(person, unknown).await
    })
    .await;
    let is_last = |error: &PasskeyError| matches!(error, PasskeyError::LastFactor);
    assert_rejected(harness, "remove the last factor", is_last, async || {
        passkeys.remove(person, passkey_id(1)).await
    })
    .await;
    assert_rejected(harness, "remove after signing out", is_stale, async || {
        passkeys.remove(gone, passkey_id(1)).await
    })
    .await;
    let is_nobody = |error: &RemoveAllPasskeysError| matches!(error, RemoveAllPasskeysError::NotFound);
    assert_rejected(harness, "remove all of an unknown person", is_nobody, async || {
        passkeys.remove_all(user_id(9)).await
    })
    .await;
    assert_untouched(harness, "remove too late", is_stale, async || {
        passkeys.remove(stale, passkey_id(1)).await
    })
    .await;
    assert_eq!(recorded(harness).await, []);
    let add = async |person, number| add(harness, passkeys, person, number).await;
    assert_rejected(harness, "add after signing out", is_stale, async || add(gone, 2).await).await;
    let is_taken = |error: &PasskeyError| matches!(error, PasskeyError::AlreadyAdded);
    assert_rejected(harness, "add a passkey again", is_taken, async || add(person, 1).await).await;
    rejected_sign_ins(harness, passkeys).await;
    assert_rejected(harness, "begin with too many", is_too_many, async || begin(person).await).await;
    assert_rejected(harness, "add one too many", is_too_many, async || add(person, 3).await).await;
    // What was rejected for its state works in another one, so the answers above are valid ones.
    sign_in(harness, passkeys, &passkey(1), 6).await.unwrap();
}

/// Checks sign-ins with a passkey, then stores as many passkeys as person 1 may have.
async fn rejected_sign_ins(harness: &Harness, passkeys: &Passkeys) {
    let is_refused = |error: &PasskeyError| matches!(error, PasskeyError::Rejected);
    let locked = Passkey { user_id: user_id(2), ..passkey(2) };
    let used = PasskeyUse { sign_count: 5, is_backed_up: false, at: now() };
    let mut unit = harness.begin().await;
    unit.passkeys().insert(&locked).await.unwrap();
    assert!(unit.passkeys().record_use(user_id(1), passkey_id(1), used).await.unwrap());
    unit.commit().await.unwrap();
    assert_rejected(harness, "sign in to a locked account", is_refused, async || {
        sign_in(harness, passkeys, &locked, 0).await
    })
    .await;
    assert_rejected(harness, "sign in with an older counter", is_refused, async || {
        sign_in(harness, passkeys, &passkey(1), 4).await
    })
    .await;

    let mut unit = harness.begin().await;
    for number in (10..).take(MAX_PASSKEYS) {
        unit.passkeys().insert(&passkey(number)).await.unwrap();
    }
    unit.commit().await.unwrap();
}

pub(crate) async fn only_the_owner_changes_a_passkey_and_a_name_ends_no_session(harness: &Harness) {
    let person = prepare(harness).await;
    let passkeys = Passkeys { policy: SecondFactorPolicy::Optional, ..passkeys(harness) };
    let of_another = Passkey { user_id: user_id(2), ..passkey(2) };
    commit!(harness, passkeys().insert(&of_another));
    sign_in_elsewhere(harness).await;
    let is_name = |error: &PasskeyError| matches!(error, PasskeyError::InvalidName);
    for name in ["", " ", "a\nb", &"x".repeat(101)] {
        assert_untouched(harness, name, is_name, async || {
            passkeys.rename(&person, passkey_id(1), name).await
        })
        .await;
    }

    // A name proves nothing, so a sign-in of any age suffices.
    passkeys.rename(&stale(&person), passkey_id(1), "Blue key").await.unwrap();
    assert_eq!(passkeys.list(person.user_id).await.unwrap()[0].name.as_str(), "Blue key");
    let renamed = event_of_person(AuditKind::PasskeyRenamed).subject(passkey_id(1).as_uuid());
    assert_eq!(recorded(harness).await, [renamed]);
    assert_eq!(harness.sessions.list_sessions(person.user_id).await.unwrap().len(), 3);
    let renamed = passkeys.rename(&person, passkey_id(2), "Blue key").await;
    assert!(matches!(renamed, Err(PasskeyError::NotFound)), "{renamed:?}");
    let removed = passkeys.remove(&person, passkey_id(2)).await;
    assert!(matches!(removed, Err(PasskeyError::NotFound)), "{removed:?}");
    assert_eq!(passkeys.list(user_id(2)).await.unwrap(), [of_another]);
}

pub(crate) async fn a_removal_of_a_passkey_ends_other_sign_ins_and_is_recorded(harness: &Harness) {
    let person = prepare(harness).await;
    let passkeys = Passkeys { policy: SecondFactorPolicy::Optional, ..passkeys(harness) };
    sign_in_elsewhere(harness).await;
    passkeys.remove(&person, passkey_id(1)).await.unwrap();
    assert_eq!(passkeys.list(person.user_id).await.unwrap(), []);
    assert_only_sessions(harness, &[person.session.id]).await;
    let removed = event_of_person(AuditKind::PasskeyRemoved).subject(passkey_id(1).as_uuid());
    assert_eq!(recorded(harness).await, [removed.count(2)]);
}

// T81
pub(crate) async fn an_address_cannot_store_more_challenges_than_the_limit(harness: &Harness) {
    let ceremony_limit = AttemptLimit { attempts: 2, window_seconds: 600 };
    let passkeys = Passkeys { ceremony_limit, ..passkeys(harness) };
    let visit = secret_text(SecretKind::Visit, 3);
    let start = CeremonyStart::SignIn { visit: &visit, address: ADDRESS };
    for _ in 0..2 {
        let challenge = passkeys.offered().unwrap().begin_ceremony(start).await.unwrap();
        let mut unit = harness.begin().await;
        let stored = unit.passkey_ceremonies().take(&challenge.hash()).await.unwrap().unwrap();
        assert_eq!((stored.purpose, stored.browser_hash), (CeremonyPurpose::SignIn, visit.hash()));
        unit.rollback().await.unwrap();
    }
    let is_limited =
        |error: &PasskeyError| matches!(error, PasskeyError::TooManyAttempts { retry_after_seconds: 600 });
    assert_untouched(harness, "one too many", is_limited, async || {
        passkeys.offered().unwrap().begin_ceremony(start).await
    })
    .await;
    let mut unit = harness.begin().await;
    assert_eq!(unit.passkey_ceremonies().delete_expired(seconds(301), 9).await.unwrap(), 2);
}
