//! Commands about users. Each rejected one goes up to the statement that rejects it.

use crate::Harness;
use crate::fixture::{browser, link, now, seconds, user, user_id};
use crate::service::{
    assert_only_sessions, assert_rejected, assert_untouched, audited, event_by, prepare, recorded,
    sign_in_elsewhere,
};
use application::ports::storage::Erasure;
use application::user::{NewUser, UserChange, UserError, Users};
use chrono::Days;
use domain::audit::{AuditActor, AuditKind};
use domain::id::ErasureId;
use domain::time::TimeZone;
use domain::user::{Biology, BirthDate, BodyHeight, BodyWeight, Email, ProfileOrigin, User, UserStatus};
use uuid::Uuid;

fn users(harness: &Harness) -> Users {
    Users { store: audited(harness), reader: harness.profiles.clone() }
}

pub(crate) async fn rejected_commands_about_users_open_no_connection(harness: &Harness) {
    prepare(harness).await;
    let email = Email::parse_stored("gaps-000000000001@sandbox.invalid").unwrap();
    harness.store_user(&User { email, ..user(3) }).await;
    harness.store_user(&user(4)).await;
    let mut unit = harness.begin().await;
    let erasure = Erasure { id: ErasureId::from_uuid(Uuid::nil()), at: now() };
    assert!(unit.erasures().erase(user_id(4), erasure).await.unwrap());
    unit.commit().await.unwrap();

    let users = users(harness);
    let User { home_timezone, biology, .. } = user(7);
    let create = async |id, number| {
        let User { email, .. } = user(number);
        users.create(NewUser { id, email, home_timezone, biology }).await
    };
    let is_id_taken = |error: &UserError| matches!(error, UserError::IdTaken);
    let is_erased = |error: &UserError| matches!(error, UserError::IdErased);
    let is_email_taken = |error: &UserError| matches!(error, UserError::EmailTaken);
    let is_unknown = |error: &UserError| matches!(error, UserError::NotFound);
    let is_sandbox = |error: &UserError| matches!(error, UserError::SandboxPerson);
    assert_rejected(harness, "create with a taken id", is_id_taken, async || {
        create(Some(user_id(1)), 7).await
    })
    .await;
    assert_rejected(harness, "create with an erased id", is_erased, async || {
        create(Some(user_id(4)), 7).await
    })
    .await;
    assert_rejected(harness, "create with a taken address", is_email_taken, async || create(None, 2).await)
        .await;
    let change = async |number, change| users.change(user_id(number), change).await;
    assert_rejected(harness, "change an unknown person", is_unknown, async || {
        change(9, UserChange::default()).await
    })
    .await;
    let moved = |number| UserChange { email: Some(user(number).email), ..UserChange::default() };
    assert_rejected(harness, "change to a taken address", is_email_taken, async || change(1, moved(2)).await)
        .await;
    assert_rejected(harness, "change the address of a sandbox person", is_sandbox, async || {
        change(3, moved(7)).await
    })
    .await;
    let is_unborn = |error: &UserError| matches!(error, UserError::BornInTheFuture(_));
    let birth_date = BirthDate::new(now().date_naive() + Days::new(2)).ok();
    let biology = Biology { birth_date, ..Biology::default() };
    assert_untouched(harness, "born in the future", is_unborn, async || {
        users.create(NewUser { id: Some(user_id(4)), email: user(7).email, home_timezone, biology }).await
    })
    .await;
    assert_untouched(harness, "change to be born in the future", is_unborn, async || {
        change(9, UserChange { biology, ..UserChange::default() }).await
    })
    .await;
    assert_eq!(recorded(harness).await, []);
    // Nothing was stored, so the address is still free.
    create(Some(user_id(7)), 7).await.unwrap();
}

/// Changes person 1, who was this one before, and returns who is stored.
async fn changed(harness: &Harness, before: &User, change: UserChange) -> User {
    assert!(commit!(harness, users().update(before)));
    let changed = users(harness).change(before.id, change).await.unwrap();
    let stored = harness.profiles.find_profile(before.id).await.unwrap();
    assert_eq!(stored.as_ref(), Some(&changed));
    changed
}

pub(crate) async fn a_new_person_is_active_and_recorded(harness: &Harness) {
    let users = users(harness);
    let User { home_timezone, biology, .. } = user(1);
    for (id, number) in [(None, 1), (Some(user_id(7)), 2)] {
        let User { email, .. } = user(number);
        let new = NewUser { id, email: email.clone(), home_timezone, biology };
        let created = users.create(new).await.unwrap();
        assert!(id.is_none_or(|id| id == created.id));
        assert_eq!(created, User { id: created.id, email, ..user(1) });
        assert_eq!(harness.profiles.find_profile(created.id).await.unwrap(), Some(created.clone()));
        let event = event_by(AuditActor::Operator, AuditKind::UserCreated).user(created.id);
        assert_eq!(recorded(harness).await, [event]);
    }
}

pub(crate) async fn changes_and_locks_are_separate_events_and_no_change_is_none(harness: &Harness) {
    prepare(harness).await;
    let status = UserStatus::Locked { at: seconds(-5) };
    let (active, locked) = (user(1), User { status, ..user(1) });
    let none = UserChange::default();
    let lock = |locked| UserChange { locked: Some(locked), ..UserChange::default() };
    let home_timezone = TimeZone::parse("Asia/Tokyo").unwrap();
    let moved = UserChange { home_timezone: Some(home_timezone), ..UserChange::default() };
    let both = UserChange { locked: Some(true), ..moved.clone() };
    let same = UserChange { email: Some(active.email.clone()), ..UserChange::default() };
    let now_locked = UserStatus::Locked { at: now() };
    let known = Biology { height: BodyHeight::from_centimetres(180.0).ok(), ..Biology::default() };
    let weight = BodyWeight::from_kilograms(80.0).ok();
    let weighed = UserChange { biology: Biology { weight, ..Biology::default() }, ..UserChange::default() };
    let (tall, heavy) = (User { biology: known, ..active.clone() }, Biology { weight, ..known });
    for (before, change, after, kinds) in [
        (&active, none.clone(), active.clone(), vec![]),
        (&active, same, active.clone(), vec![]),
        (&active, moved.clone(), User { home_timezone, ..user(1) }, vec![AuditKind::UserChanged]),
        (&active, lock(true), User { status: now_locked, ..user(1) }, vec![AuditKind::UserLocked]),
        (&active, lock(false), active.clone(), vec![]),
        (&locked, none, locked.clone(), vec![]),
        (&locked, lock(true), locked.clone(), vec![]),
        (&locked, lock(false), active.clone(), vec![AuditKind::UserUnlocked]),
        (&locked, moved, User { home_timezone, ..locked.clone() }, vec![AuditKind::UserChanged]),
        (
            &active,
            both,
            User { status: now_locked, home_timezone, ..user(1) },
            vec![AuditKind::UserChanged, AuditKind::UserLocked],
        ),
        (&tall, weighed, User { biology: heavy, ..user(1) }, vec![AuditKind::UserChanged]),
    ] {
        assert_eq!(changed(harness, before, change).await, after);
        let events = kinds.into_iter().map(|kind| event_by(AuditActor::Operator, kind).user(user_id(1)));
        assert_eq!(recorded(harness).await, events.collect::<Vec<_>>());
    }
    let sources = harness.profiles.list_sources(user_id(1)).await.unwrap();
    assert!(!sources.is_empty());
    for source in sources {
        assert_eq!((source.origin, source.at), (ProfileOrigin::Operator, now()));
    }
}

pub(crate) async fn a_lock_ends_all_sign_ins_and_another_address_the_links(harness: &Harness) {
    let person = prepare(harness).await;
    let active = user(1);
    sign_in_elsewhere(harness).await;
    // The same address leaves the link, whatever else changes.
    let home_timezone = TimeZone::parse("Asia/Tokyo").ok();
    let same = UserChange { email: Some(active.email.clone()), home_timezone, ..UserChange::default() };
    changed(harness, &active, same).await;
    assert!(harness.password_links.find_password_link(&link(1).hash).await.unwrap().is_some());
    assert!(harness.pending_sign_ins.find_pending_sign_in(&link(1).hash).await.unwrap().is_some());
    let email = user(7).email;
    let moved = UserChange { email: Some(email.clone()), ..UserChange::default() };
    recorded(harness).await;
    assert_eq!(changed(harness, &active, moved).await, User { email, ..user(1) });
    let event = event_by(AuditActor::Operator, AuditKind::UserChanged).user(user_id(1));
    assert_eq!(recorded(harness).await, [event]);
    assert_only_sessions(harness, &[person.session.id, browser(2).id, browser(3).id]).await;

    commit!(harness, sessions().delete_of_user(active.id, Some(person.session.id)));
    sign_in_elsewhere(harness).await;
    changed(harness, &active, UserChange { locked: Some(true), ..UserChange::default() }).await;
    assert_only_sessions(harness, &[]).await;
}

pub(crate) async fn a_person_who_is_shown_to_the_operator_leaves_an_event(harness: &Harness) {
    harness.store_user(&user(1)).await;
    assert_eq!(users(harness).show(user_id(9)).await.unwrap(), None);
    assert_eq!(recorded(harness).await, []);
    assert_eq!(users(harness).show(user_id(1)).await.unwrap(), Some(user(1)));
    let shown = event_by(AuditActor::Operator, AuditKind::ProfileShown).user(user_id(1));
    assert_eq!(recorded(harness).await, [shown]);
}
