//! What services of the store under test need: a clock, ids, people, and checks of what they recorded and
//! rejected.

use crate::Harness;
use crate::fixture::{
    browser, client, event_id, hash, link, now, passkey, pending_sign_in, seconds, secret, user, user_id,
    uuid,
};
use application::attempt_limit::AttemptLimit;
use application::import::ImportRecords;
use application::ports::storage::AuditFilter;
use application::ports::system::{Clock, Entropy};
use application::session::{SignInOrigin, SignedInPerson};
use application::store::AuditTrail;
use application::store::Store;
use chrono::{DateTime, TimeDelta, Utc};
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::id::SessionId;
use domain::passkey::Passkey;
use domain::secret::{Secret, SecretBytes, SecretKind};
use domain::session::Session;
use domain::user::{User, UserStatus};
use std::fmt::Debug;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use uuid::Uuid;

/// More often than any pool has connections.
const TIMES: u32 = 20;
pub(crate) const ADDRESS: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 7));
pub(crate) const ORIGIN: SignInOrigin<'static> =
    SignInOrigin { address: ADDRESS, device: None, replaces: None, pending: None };
pub(crate) const UNLIMITED: AttemptLimit = AttemptLimit { attempts: u32::MAX, window_seconds: 600 };

/// A clock that stands still.
pub(crate) struct ClockAt(pub(crate) DateTime<Utc>);

impl Clock for ClockAt {
    fn now(&self) -> DateTime<Utc> {
        self.0
    }
}

/// Entropy source that counts up, so that no value repeats in this process.
pub(crate) struct Distinct;

impl Distinct {
    /// Counts from above the numbers of all fixtures.
    fn next() -> u64 {
        static DRAWN: AtomicU64 = AtomicU64::new(1 << 40);
        DRAWN.fetch_add(1, Ordering::Relaxed)
    }
}

impl Entropy for Distinct {
    fn secret_bytes(&self) -> SecretBytes {
        let mut bytes = [0x3c; 32];
        bytes[..8].copy_from_slice(&Self::next().to_be_bytes());
        SecretBytes::new(bytes)
    }

    fn uuid(&self) -> Uuid {
        uuid(Self::next())
    }
}

/// The store of services, whose time is [`now`].
pub(crate) fn audited(harness: &Harness) -> Store {
    audited_at(harness, now())
}

pub(crate) fn audited_at(harness: &Harness, at: DateTime<Utc>) -> Store {
    let trail = AuditTrail::new(Arc::new(Distinct), Arc::new(ClockAt(at)));
    Store { units: harness.factory.clone(), trail }
}

pub(crate) fn import_records(harness: &Harness) -> ImportRecords {
    ImportRecords { store: audited(harness), pause: None }
}

/// An event as [`recorded`] returns it.
pub(crate) fn event_by(actor: AuditActor, kind: AuditKind) -> AuditEvent {
    AuditEvent::new(event_id(0), now(), kind, actor)
}

/// An event of person 1 from their address, as [`recorded`] returns it.
pub(crate) fn event_of_person(kind: AuditKind) -> AuditEvent {
    event_by(AuditActor::Person, kind).user(user_id(1)).from(ADDRESS)
}

/// Returns the events since the last call in their order, with the same id, and deletes them.
pub(crate) async fn recorded(harness: &Harness) -> Vec<AuditEvent> {
    let mut events = harness.audit.list_events(AuditFilter::default(), None, 1000).await.unwrap();
    commit!(harness, audit().delete_before(now() + TimeDelta::days(1000), 1000));
    events.reverse();
    events.into_iter().map(|event| AuditEvent { id: event_id(0), ..event }).collect()
}

/// Checks that a rejection opens no connection, after a first one that may open those of readers.
pub(crate) async fn assert_level<T: Debug, E: Debug>(
    harness: &Harness,
    name: &str,
    reject: impl AsyncFn() -> Result<T, E>,
) {
    assert_rejected(harness, name, |_| true, reject).await;
}

/// Checks that a form is rejected for this reason, and opens no connection, after a first one that may open
/// those of readers.
pub(crate) async fn assert_rejected<T: Debug, E: Debug>(
    harness: &Harness,
    name: &str,
    is_expected: fn(&E) -> bool,
    reject: impl AsyncFn() -> Result<T, E>,
) {
    let mut opened = None;
    for _ in 0..=TIMES {
        let outcome = reject().await;
        assert!(outcome.as_ref().err().is_some_and(is_expected), "{name}: {outcome:?}");
        opened.get_or_insert_with(|| harness.opened());
    }
    assert_eq!(opened, Some(harness.opened()), "{name}");
}

/// Checks that a form is rejected for this reason before a unit of work begins.
pub(crate) async fn assert_untouched<T: Debug, E: Debug>(
    harness: &Harness,
    name: &str,
    is_expected: fn(&E) -> bool,
    reject: impl AsyncFn() -> Result<T, E>,
) {
    let before = harness.begun();
    assert_rejected(harness, name, is_expected, reject).await;
    assert_eq!(harness.begun(), before, "{name}");
}

/// Checks that this call begins so many units of work: one for all that it changes, and one for each password
/// that the [`Hasher`](crate::account::Hasher) checks or hashes.
pub(crate) async fn assert_units<T>(harness: &Harness, expected: u64, call: impl Future<Output = T>) -> T {
    let before = harness.begun();
    let outcome = call.await;
    assert_eq!(harness.begun() - before, expected);
    outcome
}

/// Returns a secret of this kind whose bytes are all this number.
pub(crate) fn secret_text(kind: SecretKind, number: u8) -> Secret {
    Secret::from_bytes(kind, &SecretBytes::new([number; 32]))
}

/// A locked person 2, and person 1 with a session and a passkey.
pub(crate) async fn prepare(harness: &Harness) -> SignedInPerson {
    harness.store_user(&user(1)).await;
    harness.store_user(&User { status: UserStatus::Locked { at: now() }, ..user(2) }).await;
    harness.store_client(&client(1), &secret(1)).await;
    let session = browser(1);
    let mut unit = harness.begin().await;
    unit.sessions().insert(&session).await.unwrap();
    unit.passkeys().insert(&Passkey { user_id: user_id(1), ..passkey(1) }).await.unwrap();
    unit.commit().await.unwrap();
    let User { id: user_id, email, home_timezone, .. } = user(1);
    let cookie = secret_text(SecretKind::Session, 1);
    SignedInPerson { user_id, email, home_timezone, session, cookie, is_fresh: true, address: ADDRESS }
}

/// Person 2, who is signed in although the account is locked.
pub(crate) async fn locked(harness: &Harness, person: &SignedInPerson) -> SignedInPerson {
    let session = Session { user_id: user_id(2), ..browser(2) };
    commit!(harness, sessions().insert(&session));
    SignedInPerson { user_id: user_id(2), email: user(2).email, session, ..person.clone() }
}

/// The same person after the session has ended.
pub(crate) fn signed_out(person: &SignedInPerson) -> SignedInPerson {
    SignedInPerson { session: Session { id: browser(9).id, ..person.session.clone() }, ..person.clone() }
}

/// The same person this many seconds after the sign-in, which is stale after 300.
pub(crate) fn signed_in_ago(person: &SignedInPerson, ago: i64) -> SignedInPerson {
    let session = Session { authenticated_at: seconds(-ago), ..person.session.clone() };
    SignedInPerson { session, ..person.clone() }
}

/// The same person just after the sign-in has become stale.
pub(crate) fn stale(person: &SignedInPerson) -> SignedInPerson {
    signed_in_ago(person, 300)
}

/// Stores sessions 2 and 3, a pending sign-in and a link to choose a password of person 1.
pub(crate) async fn sign_in_elsewhere(harness: &Harness) {
    let mut unit = harness.begin().await;
    for number in [2, 3] {
        unit.sessions().insert(&browser(number)).await.unwrap();
    }
    unit.pending_sign_ins().insert(&pending_sign_in(1)).await.unwrap();
    unit.password_links().insert(&link(1)).await.unwrap();
    unit.commit().await.unwrap();
}

/// Checks that these sessions of person 1 are left, and nothing else of [`sign_in_elsewhere`].
pub(crate) async fn assert_only_sessions(harness: &Harness, left: &[SessionId]) {
    let sessions = harness.sessions.list_sessions(user_id(1)).await.unwrap();
    let mut found: Vec<_> = sessions.iter().map(|session| session.id).collect();
    found.sort();
    assert_eq!(found, left);
    assert_eq!(harness.pending_sign_ins.find_pending_sign_in(&hash(1)).await.unwrap(), None);
    assert_eq!(harness.password_links.find_password_link(&hash(1)).await.unwrap(), None);
}
