//! Everything that was issued before a time, which the operator invalidates.

use crate::Harness;
use crate::fixture::{
    browser, client, code, consent, grant, hash, link, now, pending_sign_in, personal_token, seconds,
    signing_key, user, user_id,
};
use crate::service::{assert_untouched, audited, event_by, recorded};
use crate::signing_key_form::{Late, Ring};
use application::credential::{Credentials, InvalidationError, InvalidationReport};
use application::key::SigningKeys;
use application::ports::storage::{GrantFilter, StorageError, UnitOfWork, UnitOfWorkFactory};
use application::store::Store;
use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use domain::audit::{AuditActor, AuditKind};
use domain::code::AuthorizationCode;
use domain::grant::{Grant, GrantState, RevocationReason};
use domain::personal_token::PersonalToken;
use domain::session::Session;
use domain::signing_key::{SigningKey, SigningKeyState};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// More people than one batch.
const PEOPLE: u64 = 501;

/// The time of the theft.
fn theft() -> DateTime<Utc> {
    seconds(-60)
}

/// A store that allows this number of units of work, and then fails.
struct FailsAt {
    units: Arc<dyn UnitOfWorkFactory>,
    begun: AtomicUsize,
    allowed: usize,
}

#[async_trait]
impl UnitOfWorkFactory for FailsAt {
    async fn begin(&self) -> Result<Box<dyn UnitOfWork>, StorageError> {
        if self.begun.fetch_add(1, Ordering::SeqCst) >= self.allowed {
            return Err(StorageError::Unavailable);
        }
        self.units.begin().await
    }
}

fn credentials(harness: &Harness, units: Arc<dyn UnitOfWorkFactory>) -> Credentials {
    Credentials {
        keys: SigningKeys { store: Store { units, ..audited(harness) }, reader: Arc::new(Late) },
        profiles: harness.profiles.clone(),
    }
}

async fn invalidate(harness: &Harness) -> InvalidationReport {
    let credentials = credentials(harness, harness.factory.clone());
    credentials.invalidate(&Ring::Open, theft()).await.unwrap()
}

async fn store_people(harness: &Harness) {
    let mut unit = harness.begin().await;
    for number in 1..=PEOPLE {
        unit.users().insert(&user(number)).await.unwrap();
    }
    unit.clients().insert(&client(1)).await.unwrap();
    unit.commit().await.unwrap();
}

/// Stores two old keys, of which one is retired, and old credentials of each kind. Of three grants and three
/// personal tokens, one is as old as the theft. Numbers of a round differ from those of all others.
async fn store_old(harness: &Harness, round: u64, sessions: u64) {
    let (old, first) = (theft() - TimeDelta::seconds(1), 1000 * round);
    let retired = SigningKeyState::Retired { at: old };
    let mut unit = harness.begin().await;
    unit.signing_keys().insert(&SigningKey { created_at: old, ..signing_key(first) }).await.unwrap();
    let key = SigningKey { created_at: old, state: retired, ..signing_key(first + 1) };
    unit.signing_keys().insert(&key).await.unwrap();
    for number in first..first + sessions {
        unit.sessions().insert(&Session { authenticated_at: old, ..browser(number) }).await.unwrap();
        unit.password_links().insert(&link(number)).await.unwrap();
    }
    for number in 1..=sessions {
        unit.consents().remember(&consent(number, 1)).await.unwrap();
    }
    unit.pending_sign_ins().insert(&pending_sign_in(first)).await.unwrap();
    unit.codes().insert(&AuthorizationCode { issued_at: old, ..code(first) }).await.unwrap();
    for (number, owner, created_at) in [(0, 1, old), (1, PEOPLE, old), (2, PEOPLE, theft())] {
        let (number, user_id) = (first + number, user_id(owner));
        unit.grants().insert(&Grant { user_id, created_at, ..grant(number) }).await.unwrap();
        let token = PersonalToken { user_id, created_at, ..personal_token(number) };
        unit.personal_tokens().insert(&token).await.unwrap();
    }
    unit.commit().await.unwrap();
}

/// Checks that no credential of this round is left, and that there is one new key for each round.
async fn assert_nothing_old_is_left(harness: &Harness, round: u64) {
    assert_eq!(harness.sessions.list_sessions(user_id(1)).await.unwrap(), []);
    let pending = harness.pending_sign_ins.find_pending_sign_in(&hash(1000 * round)).await.unwrap();
    assert_eq!(pending, None);
    let mut unit = harness.begin().await;
    assert_eq!(unit.password_links().find(&link(1000 * round).hash).await.unwrap(), None);
    assert_eq!(unit.consents().find(user_id(1), consent(1, 1).client_id).await.unwrap(), None);
    assert_eq!(unit.codes().find(&code(1000 * round).hash).await.unwrap(), None);
    unit.rollback().await.unwrap();
    let grants = harness.grants.list_grants(GrantFilter::default(), None, 100).await.unwrap();
    for grant in grants {
        let revoked = GrantState::Revoked { at: now(), reason: RevocationReason::Operator };
        let expected = if grant.created_at == theft() { GrantState::Live } else { revoked };
        assert_eq!(grant.state, expected, "{grant:?}");
    }
    for owner in [1, PEOPLE] {
        let tokens = harness.personal_tokens.list_personal_tokens(user_id(owner)).await.unwrap();
        for token in tokens {
            assert_eq!(token.revoked_at, (token.created_at != theft()).then(now), "{token:?}");
        }
    }
    let keys = harness.signing_keys.list_signing_keys().await.unwrap();
    let active: Vec<_> = keys.iter().filter(|key| key.state == SigningKeyState::Active).collect();
    assert!(active.iter().all(|key| key.created_at >= theft()), "{active:?}");
    assert_eq!(u64::try_from(active.len()).unwrap(), round);
}

pub(crate) async fn everything_of_before_is_invalidated_counted_and_reported(harness: &Harness) {
    store_people(harness).await;
    store_old(harness, 1, PEOPLE).await;
    let report = invalidate(harness).await;
    let keys = report.keys.clone().unwrap();
    assert_eq!(keys.retired, [signing_key(1000).id]);
    assert_eq!((report.sessions, report.password_links, report.consents), (PEOPLE, PEOPLE, PEOPLE));
    assert_eq!((report.codes, report.grants, report.personal_tokens), (1, 2, 2));
    assert_eq!(report.total(), 1 + 3 * PEOPLE + 1 + 2 + 2);
    assert_nothing_old_is_left(harness, 1).await;
    let event = |kind| event_by(AuditActor::Operator, kind);
    let expected = [
        event(AuditKind::KeyCreated).subject(keys.created.as_uuid()),
        event(AuditKind::KeyRetired).subject(signing_key(1000).id.as_uuid()),
        event(AuditKind::SignedOut).count(500),
        event(AuditKind::SignedOut).count(1),
        event(AuditKind::GrantRevoked).count(1),
        event(AuditKind::PersonalTokenRevoked).count(1),
        event(AuditKind::GrantRevoked).count(1),
        event(AuditKind::PersonalTokenRevoked).count(1),
        event(AuditKind::EverythingInvalidated).count(report.total()),
    ];
    assert_eq!(recorded(harness).await, expected);
    // A second invalidation finds nothing, and makes no further key.
    let stored = harness.signing_keys.list_signing_keys().await.unwrap();
    let again = invalidate(harness).await;
    assert_eq!((again.keys.clone(), again.total()), (None, 0));
    assert_eq!(harness.signing_keys.list_signing_keys().await.unwrap(), stored);
    assert_eq!(recorded(harness).await, [event(AuditKind::EverythingInvalidated).count(0)]);
}

pub(crate) async fn an_invalidation_that_stopped_anywhere_is_finished_by_the_next(harness: &Harness) {
    store_people(harness).await;
    let mut stopped = 0;
    for (round, allowed) in (1..).zip(0..) {
        store_old(harness, round, 1).await;
        let (units, begun) = (harness.factory.clone(), AtomicUsize::new(0));
        let broken = credentials(harness, Arc::new(FailsAt { units, begun, allowed }));
        if broken.invalidate(&Ring::Open, theft()).await.is_ok() {
            break;
        }
        stopped += 1;
        let events = recorded(harness).await;
        assert!(events.iter().all(|event| event.kind != AuditKind::EverythingInvalidated), "{events:?}");
        invalidate(harness).await;
        assert_nothing_old_is_left(harness, round).await;
        recorded(harness).await;
    }
    assert!(stopped > 8, "every step was stopped at once, {stopped} in all");
}

pub(crate) async fn a_rejected_invalidation_changes_nothing_and_young_keys_stay(harness: &Harness) {
    harness.store_user(&user(1)).await;
    let young = SigningKey { created_at: theft(), ..signing_key(1) };
    let session = Session { authenticated_at: seconds(-30), ..browser(1) };
    let mut unit = harness.begin().await;
    unit.clients().insert(&client(1)).await.unwrap();
    unit.signing_keys().insert(&young).await.unwrap();
    unit.sessions().insert(&session).await.unwrap();
    unit.password_links().insert(&link(1)).await.unwrap();
    unit.codes().insert(&AuthorizationCode { issued_at: theft(), ..code(1) }).await.unwrap();
    unit.commit().await.unwrap();
    let credentials = credentials(harness, harness.factory.clone());
    let is_future = |error: &InvalidationError| matches!(error, InvalidationError::InTheFuture);
    assert_untouched(harness, "in the future", is_future, async || {
        credentials.invalidate(&Ring::Broken, seconds(1)).await
    })
    .await;
    // A key of before that cannot be decrypted: keys come first.
    let error = credentials.invalidate(&Ring::Closed, seconds(0)).await.unwrap_err();
    assert!(error.to_string().contains("keys.encryption_key"), "{error}");
    let sessions = async || harness.sessions.list_sessions(user_id(1)).await.unwrap();
    assert_eq!((sessions().await, recorded(harness).await), (vec![session.clone()], vec![]));
    harness.password_links.find_password_link(&link(1).hash).await.unwrap().unwrap();
    let keys = invalidate(harness).await.keys;
    assert_eq!((keys, harness.signing_keys.list_signing_keys().await.unwrap()), (None, vec![young]));
    assert_eq!(sessions().await, [session]);
    harness.begin().await.codes().find(&code(1).hash).await.unwrap().unwrap();
}
