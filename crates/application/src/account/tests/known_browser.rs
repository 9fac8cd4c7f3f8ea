//! Known browsers keep signing in during an attack; audit events of the attempts (security.md T81).

use super::super::{PasswordCheckError, SignIn, SignInCommand, SignInPorts};
use super::support::{
    EMAIL, MemoryFailures, PASSWORD, RecordingHasher, WRONG, account, hash_of, home, limits, sign_in_command,
    signing_in,
};
use crate::ports::storage::test_support::{PreparedUnitsOfWork, RecordedEvents};
use crate::testing::{clock, entropy, person, secret, user_id};
use domain::address::AddressBlock;
use domain::audit::AuditKind;
use domain::known_browser::known_browser_cookie;
use domain::second_factor::SecondFactorPolicy;
use domain::secret::{Secret, SecretKind};
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

const OLD: &str = "a rainy night in the valley";

/// A sign-in with its recorded audit events.
fn fixture() -> (SignIn, RecordedEvents) {
    let units = PreparedUnitsOfWork::new(std::iter::repeat_with(signing_in).take(200));
    let events = units.events();
    let ports = SignInPorts {
        credentials: Arc::new(account(&person(), Some(hash_of(PASSWORD)))),
        hasher: Arc::new(RecordingHasher::default()),
        failures: Arc::new(MemoryFailures::default()),
        units: Arc::new(units),
        clock: clock(),
        entropy: entropy(),
    };
    (SignIn::new(ports, limits(), SecondFactorPolicy::Optional), events)
}

fn own_cookie() -> Secret {
    known_browser_cookie(user_id(1), &hash_of(PASSWORD))
}

/// Returns whether the password was checked.
async fn is_checked(fixture: &SignIn, known_browser: Option<&Secret>, password: &str, host: u32) -> bool {
    let address: IpAddr = Ipv4Addr::from_bits(0x0a00_0000 + host).into();
    let command = SignInCommand { known_browser, ..sign_in_command(EMAIL, password, address) };
    match fixture.run(command).await {
        Ok(_) | Err(PasswordCheckError::WrongCredentials) => true,
        Err(PasswordCheckError::TooManyAttempts { .. }) => false,
        Err(other) => panic!("{other}"),
    }
}

async fn exhaust(fixture: &SignIn, known_browser: Option<&Secret>, first_host: u32) {
    for host in first_host..first_host + 10 {
        assert!(is_checked(fixture, known_browser, WRONG, host).await, "{host}");
    }
    assert!(!is_checked(fixture, known_browser, WRONG, first_host + 10).await);
}

#[tokio::test]
async fn t81_strangers_do_not_keep_the_owner_out_of_a_browser_that_they_have_used() {
    let (fixture, _) = fixture();
    exhaust(&fixture, None, 0).await;
    assert!(!is_checked(&fixture, None, PASSWORD, 20).await);
    assert!(is_checked(&fixture, Some(&own_cookie()), PASSWORD, 21).await);
    // Their sign-in does not reset the strangers' counters.
    assert!(!is_checked(&fixture, None, WRONG, 22).await);
}

#[tokio::test]
async fn t81_a_known_browser_has_ten_separate_attempts() {
    let (fixture, _) = fixture();
    exhaust(&fixture, Some(&own_cookie()), 0).await;
    assert!(!is_checked(&fixture, Some(&own_cookie()), PASSWORD, 20).await);
    exhaust(&fixture, None, 30).await;
}

#[tokio::test]
async fn t81_a_foreign_outdated_or_invalid_cookie_is_treated_as_a_strangers() {
    let strangers = [
        known_browser_cookie(user_id(2), &hash_of(PASSWORD)),
        known_browser_cookie(user_id(1), &hash_of(OLD)),
        secret(SecretKind::KnownBrowser, 7),
    ];
    let (fixture, _) = fixture();
    exhaust(&fixture, None, 0).await;
    for (host, cookie) in (20..).zip(&strangers) {
        assert!(!is_checked(&fixture, Some(cookie), PASSWORD, host).await, "{host}");
    }
}

#[tokio::test]
async fn reaching_the_limit_of_an_account_is_recorded_once() {
    let (fixture, events) = fixture();
    exhaust(&fixture, None, 0).await;
    for host in 20..60 {
        assert!(!is_checked(&fixture, None, WRONG, host).await);
    }
    let limited: Vec<_> =
        events.all().into_iter().filter(|event| event.kind == AuditKind::SignInLimited).collect();
    let [event] = limited.try_into().unwrap();
    assert_eq!(event.user_id, Some(user_id(1)));
    assert_eq!(event.address, Some(AddressBlock::containing(Ipv4Addr::from_bits(0x0a00_000a).into())));
}

#[tokio::test]
async fn reaching_the_limit_of_an_address_is_recorded_once_without_a_user() {
    let (fixture, events) = fixture();
    for number in 0..140 {
        let email = format!("somebody{number}@example.org");
        fixture.run(sign_in_command(&email, WRONG, home())).await.unwrap_err();
    }
    let [event] = events.all().try_into().unwrap();
    assert_eq!((event.kind, event.user_id), (AuditKind::SignInLimited, None));
    assert_eq!(event.address, Some(AddressBlock::containing(home())));
}

#[tokio::test]
async fn reaching_the_limit_of_an_unknown_account_records_no_event() {
    let (fixture, events) = fixture();
    for host in 0..20_u32 {
        let address = Ipv4Addr::from_bits(0x0b00_0000 + host).into();
        fixture.run(sign_in_command("nobody@example.org", WRONG, address)).await.unwrap_err();
    }
    assert_eq!(events.all(), []);
}
