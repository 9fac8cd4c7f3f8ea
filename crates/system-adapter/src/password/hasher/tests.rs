use super::*;
use proptest::prelude::*;
use proptest::test_runner::Config;
use std::collections::HashSet;
use std::sync::Arc;
use tokio::runtime::Builder;
use tokio::task::JoinSet;

const TEXT: &str = "a quiet night in the hills";

/// Hashes of [`TEXT`] by the reference implementation, at 64 KiB with 2 iterations in 1 lane, and at 128, 3
/// and 2.
const WEAK: &str =
    "$argon2id$v=19$m=64,t=2,p=1$c2FsdCBvZiBzaXh0ZWVuIQ$6dlqvd5FOHjMFQ5GKSKkYAE1kSHOvlZg1r5fBy/WSUU";
const TWO_LANES: &str =
    "$argon2id$v=19$m=128,t=3,p=2$c2FsdCBvZiBzaXh0ZWVuIQ$ITUzcdnW4S0XH03p0Xu0XxWhAHv6+V/P5QG0G+3SS3E";

fn password(text: &str) -> Password {
    Password::parse(text).unwrap()
}

fn phc(text: &str) -> PasswordHash {
    PasswordHash::from_phc(text)
}

fn hasher(parameters: HashParameters) -> Argon2PasswordHasher {
    Argon2PasswordHasher::new(parameters, HashingLimits::for_this_machine(0, 32)).unwrap()
}

async fn check(hasher: &Argon2PasswordHasher, text: &str, stored: &PasswordHash) -> PasswordCheck {
    hasher.check(&password(text), Some(stored)).await.unwrap()
}

#[test]
fn a_hash_on_this_machine_takes_measurable_time() {
    let took = Argon2PasswordHasher::time_of_hash(HashParameters::cheapest()).unwrap();
    assert!(took > Duration::ZERO && took < Duration::MAX, "{took:?}");
}

#[tokio::test]
async fn a_hash_contains_its_parameters_and_matches_only_its_password() {
    let hasher = hasher(HashParameters::MINIMUM);
    let stored = hasher.hash(&password(TEXT)).await.unwrap();
    assert!(stored.as_phc().starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{}", stored.as_phc());
    let right = check(&hasher, TEXT, &stored).await;
    assert_eq!(right, PasswordCheck { is_right: true, is_outdated: false });
    for other in ["A quiet night in the hills", "a quiet night in the hills ", "x"] {
        assert!(!check(&hasher, other, &stored).await.is_right, "{other}");
    }
}

#[tokio::test]
async fn no_two_hashes_of_one_password_are_alike() {
    let hasher = hasher(HashParameters::cheapest());
    let mut made = HashSet::new();
    for _ in 0..100 {
        made.insert(hasher.hash(&password(TEXT)).await.unwrap().as_phc().to_owned());
    }
    assert_eq!(made.len(), 100);
}

#[tokio::test]
async fn hashes_of_the_reference_implementation_keep_their_parameters() {
    let hasher = hasher(HashParameters::MINIMUM);
    for stored in [WEAK, TWO_LANES] {
        let right = check(&hasher, TEXT, &phc(stored)).await;
        assert_eq!(right, PasswordCheck { is_right: true, is_outdated: true });
        assert!(!check(&hasher, "another quiet night", &phc(stored)).await.is_right);
    }
}

#[tokio::test]
async fn a_hash_is_outdated_when_any_parameter_is_lower_than_todays() {
    let today = |memory, iterations| hasher(HashParameters::new(memory, iterations).unwrap());
    let stored = today(20_480, 3).hash(&password(TEXT)).await.unwrap();
    for (memory, iterations, is_outdated) in
        [(20_480, 3, false), (19_456, 2, false), (20_481, 2, true), (19_456, 4, true)]
    {
        let found = check(&today(memory, iterations), TEXT, &stored).await;
        assert_eq!(found, PasswordCheck { is_right: true, is_outdated }, "{memory} {iterations}");
    }
}

#[tokio::test]
async fn a_hash_with_a_short_salt_or_a_short_result_is_outdated() {
    let hasher = hasher(HashParameters::cheapest());
    // Bytes in base64 without padding: a salt of 16 or 8, a hash of 32 or 16.
    for (salt, result, is_outdated) in [(22, 43, false), (11, 43, true), (22, 22, true)] {
        let (salt, result) = ("A".repeat(salt), "A".repeat(result));
        let stored = phc(&format!("$argon2id$v=19$m=64,t=1,p=1${salt}${result}"));
        assert_eq!(check(&hasher, TEXT, &stored).await, PasswordCheck { is_right: false, is_outdated });
    }
}

#[tokio::test]
async fn without_a_hash_the_same_work_is_done_and_no_password_matches() {
    let hasher = hasher(HashParameters::new(20_480, 3).unwrap());
    let dummy = hasher.hash(&password(TEXT)).await.unwrap();
    let costs = |phc: &str| phc.split('$').nth(3).unwrap().to_owned();
    assert_eq!(hasher.nobody.parameters_text(), costs(dummy.as_phc()));
    let found = hasher.check(&password(TEXT), None).await.unwrap();
    assert_eq!(found, PasswordCheck { is_right: false, is_outdated: false });
}

#[tokio::test]
async fn a_stored_text_that_is_no_argon2id_hash_is_a_failure() {
    let hasher = hasher(HashParameters::cheapest());
    for stored in [
        "",
        "plain",
        "$2y$10$abcdefghijklmnopqrstuv",
        "$argon2id$v=19$m=64,t=2,p=1$c2FsdCBvZiBzaXh0ZWVuIQ",
        "$argon2id$v=19$m=64,t=2,p=1",
        "$argon2id$v=16$m=64,t=2,p=1$c2FsdCBvZiBzaXh0ZWVuIQ$Bo0lhatZSHu/xbs9ZsKQtgNMlUgV/mNj4+fD4iLNDP8",
        "$argon2id$m=64,t=2,p=1$c2FsdCBvZiBzaXh0ZWVuIQ$6dlqvd5FOHjMFQ5GKSKkYAE1kSHOvlZg1r5fBy/WSUU",
        "$argon2i$v=19$m=64,t=2,p=1$c2FsdCBvZiBzaXh0ZWVuIQ$R6fuzgJ3j6OCODc2X2APrI5lViQML5Up7Jii51PlqQU",
    ] {
        let found = hasher.check(&password(TEXT), Some(&phc(stored))).await;
        assert_eq!(found, Err(PasswordHashingError::Failed), "{stored}");
    }
}

#[tokio::test]
async fn a_stored_hash_that_would_stall_the_server_is_refused_before_any_work() {
    let hasher = hasher(HashParameters::cheapest());
    let rest = "c2FsdCBvZiBzaXh0ZWVuIQ$6dlqvd5FOHjMFQ5GKSKkYAE1kSHOvlZg1r5fBy/WSUU";
    for costs in [
        "m=1048577,t=1,p=1",
        "m=4294967295,t=1,p=1",
        "m=64,t=101,p=1",
        "m=64,t=4294967295,p=1",
        "m=1048576,t=17,p=1",
        "m=1048576,t=1,p=17",
    ] {
        let stored = phc(&format!("$argon2id$v=19${costs}${rest}"));
        let found = hasher.check(&password(TEXT), Some(&stored)).await;
        assert_eq!(found, Err(PasswordHashingError::Failed), "{costs}");
    }
}

#[tokio::test]
async fn two_spellings_of_one_password_are_one_and_every_byte_of_a_long_one_counts() {
    let hasher = hasher(HashParameters::cheapest());
    let stored = hasher.hash(&password("un caf\u{e9} \u{1f634} nachts um drei")).await.unwrap();
    assert!(check(&hasher, "un cafe\u{301} \u{1f634} nachts um drei", &stored).await.is_right);
    let long = "x".repeat(1024);
    let stored = hasher.hash(&password(&long)).await.unwrap();
    assert!(check(&hasher, &long, &stored).await.is_right);
    assert!(!check(&hasher, &"x".repeat(1023), &stored).await.is_right);
}

#[tokio::test]
async fn of_200_concurrent_checks_the_surplus_is_rejected_as_busy() {
    let limits = HashingLimits::for_this_machine(1, 3);
    let hasher = Argon2PasswordHasher::new(HashParameters::MINIMUM, limits).unwrap();
    let hasher = Arc::new(hasher);
    let mut tasks = JoinSet::new();
    for _ in 0..200 {
        let hasher = Arc::clone(&hasher);
        tasks.spawn(async move { hasher.check(&password(TEXT), None).await });
    }
    let found = tasks.join_all().await;
    let busy = found.iter().filter(|result| **result == Err(PasswordHashingError::Busy)).count();
    let wrong = PasswordCheck { is_right: false, is_outdated: false };
    assert_eq!(found.iter().filter(|result| **result == Ok(wrong)).count(), 200 - busy);
    // Four are accepted; a few more if the machine is slow to reject the others.
    assert!((100..=196).contains(&busy), "{busy}");
}

proptest! {
    #![proptest_config(Config::with_cases(64))]

    #[test]
    fn every_password_fits_its_own_hash_and_no_other_does(text in "\\PC{1,40}", other in "\\PC{1,40}") {
        let runtime = Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            let hasher = hasher(HashParameters::cheapest());
            let (typed, other) = (password(&text), password(&other));
            let stored = hasher.hash(&typed).await.unwrap();
            prop_assert!(hasher.check(&typed, Some(&stored)).await.unwrap().is_right);
            let is_same = typed.expose() == other.expose();
            prop_assert_eq!(hasher.check(&other, Some(&stored)).await.unwrap().is_right, is_same);
            Ok(())
        })?;
    }

    #[test]
    fn checking_against_any_stored_text_never_panics(text in "(\\$argon2id)?(\\$v=19)?(\\$m=[0-9]{1,3},t=[0-9]{1,2},p=[0-9])?\\PC{0,60}") {
        let _ = StoredHash::parse(&PasswordHash::from_phc(text));
    }
}
