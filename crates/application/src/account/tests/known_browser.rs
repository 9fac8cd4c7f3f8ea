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
fn door() -> (SignIn, RecordedEvents) {
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
async fn is_looked_at(door: &SignIn, known_browser: Option<&Secret>, password: &str, host: u32) -> bool {
    let address: IpAddr = Ipv4Addr::from_bits(0x0a00_0000 + host).into();
    let command = SignInCommand { known_browser, ..sign_in_command(EMAIL, password, address) };
    match door.run(command).await {
        Ok(_) | Err(PasswordCheckError::WrongCredentials) => true,
        Err(PasswordCheckError::TooManyAttempts { .. }) => false,
        Err(other) => panic!("{other}"),
    }
}

async fn exhaust(door: &SignIn, known_browser: Option<&Secret>, first_host: u32) {
    for host in first_host..first_host + 10 {
        assert!(is_looked_at(door, known_browser, WRONG, host).await, "{host}");
    }
    assert!(!is_looked_at(door, known_browser, WRONG, first_host + 10).await);
}

#[tokio::test]
async fn t81_strangers_do_not_keep_the_owner_out_of_a_browser_that_they_have_used() {
    let (door, _) = door();
    exhaust(&door, None, 0).await;
    assert!(!is_looked_at(&door, None, PASSWORD, 20).await);
    assert!(is_looked_at(&door, Some(&own_cookie()), PASSWORD, 21).await);
    // Their sign-in does not reset the strangers' counters.
    assert!(!is_looked_at(&door, None, WRONG, 22).await);
}

#[tokio::test]
async fn t81_a_browser_that_is_known_has_ten_attempts_as_well_and_uses_up_no_others() {
    let (door, _) = door();
    exhaust(&door, Some(&own_cookie()), 0).await;
    assert!(!is_looked_at(&door, Some(&own_cookie()), PASSWORD, 20).await);
    exhaust(&door, None, 30).await;
}

#[tokio::test]
async fn t81_a_cookie_of_another_person_an_earlier_password_or_nothing_of_ours_is_a_strangers() {
    let strangers = [
        known_browser_cookie(user_id(2), &hash_of(PASSWORD)),
        known_browser_cookie(user_id(1), &hash_of(OLD)),
        secret(SecretKind::KnownBrowser, 7),
    ];
    let (door, _) = door();
    exhaust(&door, None, 0).await;
    for (host, cookie) in (20..).zip(&strangers) {
        assert!(!is_looked_at(&door, Some(cookie), PASSWORD, host).await, "{host}");
    }
}

#[tokio::test]
async fn a_limit_of_an_account_that_is_reached_is_written_down_once() {
    let (door, events) = door();
    exhaust(&door, None, 0).await;
    for host in 20..60 {
        assert!(!is_looked_at(&door, None, WRONG, host).await);
    }
    let limited: Vec<_> =
        events.all().into_iter().filter(|event| event.kind == AuditKind::SignInLimited).collect();
    let [event] = limited.try_into().unwrap();
    assert_eq!(event.user_id, Some(user_id(1)));
    assert_eq!(event.address, Some(AddressBlock::containing(Ipv4Addr::from_bits(0x0a00_000a).into())));
}

#[tokio::test]
async fn a_limit_of_an_address_that_is_reached_is_written_down_once_and_names_nobody() {
    let (door, events) = door();
    for number in 0..140 {
        let email = format!("somebody{number}@example.org");
        door.run(sign_in_command(&email, WRONG, home())).await.unwrap_err();
    }
    let [event] = events.all().try_into().unwrap();
    assert_eq!((event.kind, event.user_id), (AuditKind::SignInLimited, None));
    assert_eq!(event.address, Some(AddressBlock::containing(home())));
}

#[tokio::test]
async fn a_limit_of_an_account_that_does_not_exist_leaves_no_event() {
    let (door, events) = door();
    for host in 0..20_u32 {
        let address = Ipv4Addr::from_bits(0x0b00_0000 + host).into();
        door.run(sign_in_command("nobody@example.org", WRONG, address)).await.unwrap_err();
    }
    assert_eq!(events.all(), []);
}
