use super::super::{PasswordCheckError, PasswordCheckpoint, SignIns};
use super::support::{
    EMAIL, EndlessUnitsOfWork, MemoryFailures, MovableClock, PASSWORD, RecordingHasher, WRONG, account,
    fixture, hash_of, limits, signing_in, stranger,
};
use crate::store::AuditTrail;
use crate::store::Store;
use crate::testing::{entropy, person, seconds};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::Arc;

/// Sign-ins to one account with in-memory counters; every unit of work allows what a sign-in needs.
struct SignInFixture {
    sign_ins: SignIns,
    hasher: Arc<RecordingHasher>,
    clock: Arc<MovableClock>,
}

impl SignInFixture {
    fn new() -> Self {
        let (hasher, clock) = (Arc::new(RecordingHasher::default()), MovableClock::at_noon());
        let trail = AuditTrail::new(entropy(), Arc::<MovableClock>::clone(&clock));
        let checkpoint = PasswordCheckpoint {
            store: Store { units: Arc::new(EndlessUnitsOfWork(signing_in)), trail },
            credentials: Arc::new(account(&person(), Some(hash_of(PASSWORD)))),
            hasher: Arc::<RecordingHasher>::clone(&hasher),
            failures: Arc::new(MemoryFailures::default()),
            limits: limits(),
        };
        Self { sign_ins: fixture(checkpoint), hasher, clock }
    }

    async fn attempt(&self, email: &str, password: &str, address: IpAddr) -> Outcome {
        match self.sign_ins.sign_in(stranger(address), None, email, password).await {
            Ok(_) => Outcome::Open,
            Err(PasswordCheckError::WrongCredentials) => Outcome::Wrong,
            Err(PasswordCheckError::TooManyAttempts { retry_after_seconds }) => {
                Outcome::Wait(retry_after_seconds)
            }
            Err(other) => panic!("{other}"),
        }
    }

    /// Tries the account with this password from an unused address.
    async fn try_from_new_address(&self, password: &str, number: u32) -> Outcome {
        self.attempt(EMAIL, password, Ipv4Addr::from_bits(0x0a00_0000 + number).into()).await
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Open,
    Wrong,
    Wait(u32),
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn t81_ten_of_forty_concurrent_attempts_are_hashed() {
    let fixture = Arc::new(SignInFixture::new());
    let tasks: Vec<_> = (0..40)
        .map(|number| {
            let fixture = Arc::clone(&fixture);
            tokio::spawn(async move { fixture.try_from_new_address(WRONG, number).await })
        })
        .collect();
    let mut wrong = 0;
    for task in tasks {
        wrong += usize::from(task.await.unwrap() == Outcome::Wrong);
    }
    assert_eq!((wrong, fixture.hasher.checks()), (10, 10));
}

#[tokio::test]
async fn t81_after_a_hundred_attempts_the_right_password_works_once_the_window_ends() {
    let fixture = SignInFixture::new();
    for number in 0..100 {
        let expected = if number < 10 { Outcome::Wrong } else { Outcome::Wait(600) };
        assert_eq!(fixture.try_from_new_address(WRONG, number).await, expected, "{number}");
    }
    assert_eq!(fixture.hasher.checks(), 10);
    fixture.clock.pass(seconds(599));
    assert_eq!(fixture.try_from_new_address(PASSWORD, 200).await, Outcome::Wait(1));
    fixture.clock.pass(seconds(1));
    assert_eq!(fixture.try_from_new_address(PASSWORD, 201).await, Outcome::Open);
}

#[tokio::test]
async fn t81_fifty_failures_in_a_row_wait_for_the_day_to_end_and_never_longer() {
    let fixture = SignInFixture::new();
    for number in 0..50 {
        if number > 0 && number % 10 == 0 {
            fixture.clock.pass(seconds(600));
        }
        assert_eq!(fixture.try_from_new_address(WRONG, number).await, Outcome::Wrong, "{number}");
    }
    fixture.clock.pass(seconds(600));
    let left = 86_400 - 5 * 600;
    assert_eq!(fixture.try_from_new_address(PASSWORD, 200).await, Outcome::Wait(left));
    assert_eq!(fixture.hasher.checks(), 50);
    fixture.clock.pass(seconds(i64::from(left)));
    assert_eq!(fixture.try_from_new_address(PASSWORD, 201).await, Outcome::Open);
}

#[tokio::test]
async fn t81_the_right_password_resets_the_counters_of_the_account() {
    let fixture = SignInFixture::new();
    for round in 0..20 {
        for number in 0..9 {
            assert_eq!(fixture.try_from_new_address(WRONG, round * 20 + number).await, Outcome::Wrong);
        }
        assert_eq!(fixture.try_from_new_address(PASSWORD, round * 20 + 15).await, Outcome::Open);
    }
}

#[tokio::test]
async fn t80_an_account_that_does_not_exist_has_the_same_limits() {
    let fixture = SignInFixture::new();
    for name in ["nobody@example.org", "NOBODY@example.org", "no address at all"] {
        let address = Ipv4Addr::from_bits(0x0b00_0000).into();
        fixture.attempt(name, WRONG, address).await;
    }
    for number in 0..20 {
        let address = Ipv4Addr::from_bits(0x0c00_0000 + number).into();
        // Two of the ten attempts were made above: counters ignore case.
        let expected = if number < 8 { Outcome::Wrong } else { Outcome::Wait(600) };
        assert_eq!(fixture.attempt("nobody@example.org", WRONG, address).await, expected, "{number}");
    }
}

fn within_64(host: u128) -> IpAddr {
    Ipv6Addr::from_bits(0x2001_0db8_0001_0002_u128 << 64 | host).into()
}

#[tokio::test]
async fn t82_one_password_for_many_accounts_from_one_64_is_stopped_at_a_hundred() {
    let fixture = SignInFixture::new();
    for number in 0..500_u128 {
        let email = format!("somebody{number}@example.org");
        let expected = if number < 100 { Outcome::Wrong } else { Outcome::Wait(600) };
        assert_eq!(fixture.attempt(&email, WRONG, within_64(number)).await, expected, "{number}");
    }
    assert_eq!(fixture.hasher.checks(), 100);
    assert_eq!(fixture.attempt(EMAIL, PASSWORD, within_64(1000)).await, Outcome::Wait(600));
    // The next /64 is another network.
    assert_eq!(fixture.attempt(EMAIL, PASSWORD, "2001:db8:1:3::1".parse().unwrap()).await, Outcome::Open);
}

#[tokio::test]
async fn attempts_rejected_for_their_address_do_not_count_against_the_accounts() {
    let fixture = SignInFixture::new();
    for number in 0..100 {
        fixture.attempt(&format!("somebody{number}@example.org"), WRONG, within_64(1)).await;
    }
    for _ in 0..50 {
        assert_eq!(fixture.attempt(EMAIL, WRONG, within_64(1)).await, Outcome::Wait(600));
    }
    assert_eq!(fixture.try_from_new_address(PASSWORD, 1).await, Outcome::Open);
}

#[tokio::test]
async fn right_passwords_neither_consume_nor_reset_the_limit_of_an_address() {
    let fixture = SignInFixture::new();
    for _ in 0..150 {
        assert_eq!(fixture.attempt(EMAIL, PASSWORD, within_64(1)).await, Outcome::Open);
    }
    for number in 0..100 {
        // From time to time, the attacker signs in with an account they own.
        if number % 10 == 0 {
            assert_eq!(fixture.attempt(EMAIL, PASSWORD, within_64(1)).await, Outcome::Open);
        }
        let email = format!("somebody{number}@example.org");
        assert_eq!(fixture.attempt(&email, WRONG, within_64(1)).await, Outcome::Wrong, "{number}");
    }
    assert_eq!(fixture.attempt("another@example.org", WRONG, within_64(1)).await, Outcome::Wait(600));
}
