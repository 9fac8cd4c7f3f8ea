//! Known browsers keep signing in during an attack; audit events of the attempts (security.md T81).

use super::super::{PasswordCheckError, PasswordCheckpoint, SignIns};
use super::support::{
    EMAIL, MemoryFailures, PASSWORD, RecordingHasher, WRONG, account, fixture, hash_of, home, limits,
    sign_in, signing_in, stranger,
};
use crate::ports::storage::test_support::{PreparedUnitsOfWork, RecordedEvents};
use crate::testing::{person, secret, store, user_id};
use domain::address::AddressBlock;
use domain::audit::AuditKind;
use domain::known_browser::known_browser_cookie;
use domain::secret::{Secret, SecretKind};
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

const OLD: &str = "a rainy night in the valley";

/// Sign-ins with their recorded audit events.
fn recorded() -> (SignIns, RecordedEvents) {
    let units = PreparedUnitsOfWork::new(std::iter::repeat_with(signing_in).take(200));
    let events = units.events();
    let checkpoint = PasswordCheckpoint {
        store: store(&Arc::new(units)),
        credentials: Arc::new(account(&person(), Some(hash_of(PASSWORD)))),
        hasher: Arc::new(RecordingHasher::default()),
        failures: Arc::new(MemoryFailures::default()),
        limits: limits(),
    };
    (fixture(checkpoint), events)
}

fn own_cookie() -> Secret {
    known_browser_cookie(user_id(1), &hash_of(PASSWORD))
}

/// Returns whether the password was checked.
async fn is_checked(sign_ins: &SignIns, known_browser: Option<&Secret>, password: &str, host: u32) -> bool {
    let address: IpAddr = Ipv4Addr::from_bits(0x0a00_0000 + host).into();
    match sign_ins.sign_in(stranger(address), known_browser, EMAIL, password).await {
        Ok(_) | Err(PasswordCheckError::WrongCredentials) => true,
        Err(PasswordCheckError::TooManyAttempts { .. }) => false,
        Err(other) => panic!("{other}"),
    }
}

async fn exhaust(sign_ins: &SignIns, known_browser: Option<&Secret>, first_host: u32) {
    for host in first_host..first_host + 10 {
        assert!(is_checked(sign_ins, known_browser, WRONG, host).await, "{host}");
    }
    assert!(!is_checked(sign_ins, known_browser, WRONG, first_host + 10).await);
}

#[tokio::test]
async fn t81_strangers_do_not_keep_the_owner_out_of_a_browser_that_they_have_used() {
    let (sign_ins, _) = recorded();
    exhaust(&sign_ins, None, 0).await;
    assert!(!is_checked(&sign_ins, None, PASSWORD, 20).await);
    assert!(is_checked(&sign_ins, Some(&own_cookie()), PASSWORD, 21).await);
    // Their sign-in does not reset the strangers' counters.
    assert!(!is_checked(&sign_ins, None, WRONG, 22).await);
}

#[tokio::test]
async fn t81_a_known_browser_has_ten_separate_attempts() {
    let (sign_ins, _) = recorded();
    exhaust(&sign_ins, Some(&own_cookie()), 0).await;
    assert!(!is_checked(&sign_ins, Some(&own_cookie()), PASSWORD, 20).await);
    exhaust(&sign_ins, None, 30).await;
}

#[tokio::test]
async fn t81_a_foreign_outdated_or_invalid_cookie_is_treated_as_a_strangers() {
    let strangers = [
        known_browser_cookie(user_id(2), &hash_of(PASSWORD)),
        known_browser_cookie(user_id(1), &hash_of(OLD)),
        secret(SecretKind::KnownBrowser, 7),
    ];
    let (sign_ins, _) = recorded();
    exhaust(&sign_ins, None, 0).await;
    for (host, cookie) in (20..).zip(&strangers) {
        assert!(!is_checked(&sign_ins, Some(cookie), PASSWORD, host).await, "{host}");
    }
}

#[tokio::test]
async fn reaching_the_limit_of_an_account_is_recorded_once() {
    let (sign_ins, events) = recorded();
    exhaust(&sign_ins, None, 0).await;
    for host in 20..60 {
        assert!(!is_checked(&sign_ins, None, WRONG, host).await);
    }
    let limited: Vec<_> =
        events.all().into_iter().filter(|event| event.kind == AuditKind::SignInLimited).collect();
    let [event] = limited.try_into().unwrap();
    assert_eq!(event.user_id, Some(user_id(1)));
    assert_eq!(event.address, Some(AddressBlock::containing(Ipv4Addr::from_bits(0x0a00_000a).into())));
}

#[tokio::test]
async fn reaching_the_limit_of_an_address_is_recorded_once_without_a_user() {
    let (sign_ins, events) = recorded();
    for number in 0..140 {
        let email = format!("somebody{number}@example.org");
        sign_in(&sign_ins, &email, WRONG).await.unwrap_err();
    }
    let [event] = events.all().try_into().unwrap();
    assert_eq!((event.kind, event.user_id), (AuditKind::SignInLimited, None));
    assert_eq!(event.address, Some(AddressBlock::containing(home())));
}

#[tokio::test]
async fn reaching_the_limit_of_an_unknown_account_records_no_event() {
    let (sign_ins, events) = recorded();
    for host in 0..20_u32 {
        let address = Ipv4Addr::from_bits(0x0b00_0000 + host).into();
        sign_ins.sign_in(stranger(address), None, "nobody@example.org", WRONG).await.unwrap_err();
    }
    assert_eq!(events.all(), []);
}
