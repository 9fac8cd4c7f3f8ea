//! Sessions that people use and end.

use crate::Harness;
use crate::fixture::{browser, browser_id, now, seconds, user, user_id};
use crate::service::{
    ADDRESS, assert_level, assert_only_sessions, assert_units, audited, event_by, event_of_person, prepare,
    recorded, secret_text, sign_in_elsewhere,
};
use application::session::{AccountActor, EndedSignIns, Sessions};
use domain::audit::{AuditActor, AuditKind};
use domain::second_factor::SecondFactorPolicy;
use domain::secret::{Secret, SecretKind};
use domain::session::{AuthenticationMethod, Session, SessionLifetime};
use domain::user::{User, UserStatus};
use std::sync::Arc;

fn sessions(harness: &Harness, policy: SecondFactorPolicy) -> Sessions {
    Sessions {
        store: audited(harness),
        reader: harness.sessions.clone(),
        lifetime: SessionLifetime::default(),
        policy,
        is_recording: Arc::default(),
    }
}

fn cookie() -> Secret {
    secret_text(SecretKind::Session, 5)
}

/// A session of [`cookie`] with this age and this time since its last use, in seconds.
fn aged(began: i64, seen: i64) -> Session {
    Session {
        token_hash: cookie().hash(),
        authenticated_at: seconds(-began),
        first_seen_at: seconds(-began),
        last_seen_at: seconds(-seen),
        ..browser(1)
    }
}

/// Stores the only session of person 1.
async fn store_only(harness: &Harness, session: &Session) {
    let mut unit = harness.begin().await;
    unit.sessions().delete_of_user(user_id(1), None).await.unwrap();
    unit.sessions().insert(session).await.unwrap();
    unit.commit().await.unwrap();
}

pub(crate) async fn a_cookie_shows_who_is_signed_in_and_whether_that_is_fresh(harness: &Harness) {
    harness.store_user(&user(1)).await;
    let sessions = sessions(harness, SecondFactorPolicy::Optional);
    for (began, is_fresh) in [(299, true), (300, false)] {
        store_only(harness, &aged(began, 10)).await;
        let person = sessions.resume(cookie().expose(), ADDRESS).await.unwrap().unwrap();
        let User { id, email, home_timezone, .. } = user(1);
        assert_eq!((person.user_id, person.email, person.home_timezone), (id, email, home_timezone));
        assert_eq!((person.session, person.address), (aged(began, 10), ADDRESS));
        assert_eq!((person.cookie.hash(), person.is_fresh), (cookie().hash(), is_fresh));
    }
}

// T30
pub(crate) async fn ended_sessions_locked_accounts_and_unknown_cookies_are_not_signed_in(harness: &Harness) {
    use SecondFactorPolicy::{Optional, Required};
    harness.store_user(&user(1)).await;
    let (day, month) = (86_400, 30 * 86_400);
    let resumed = async |policy, cookie: &Secret| {
        sessions(harness, policy).resume(cookie.expose(), ADDRESS).await.unwrap().is_some()
    };
    for session in [aged(day, day), aged(month, 1)] {
        store_only(harness, &session).await;
        assert!(!resumed(Optional, &cookie()).await, "{session:?}");
    }
    for method in AuthenticationMethod::ALL {
        store_only(harness, &Session { method, ..aged(10, 10) }).await;
        assert!(resumed(Optional, &cookie()).await, "{method:?}");
        let is_enough = method != AuthenticationMethod::Password;
        assert_eq!(resumed(Required, &cookie()).await, is_enough, "{method:?}");
    }
    // An unknown cookie is not adopted.
    let unknown = secret_text(SecretKind::Session, 6);
    for _ in 0..2 {
        assert!(!resumed(Optional, &unknown).await);
    }
    let mut unit = harness.begin().await;
    let locked = User { status: UserStatus::Locked { at: now() }, ..user(1) };
    assert!(unit.users().update(&locked).await.unwrap());
    unit.commit().await.unwrap();
    assert!(!resumed(Optional, &cookie()).await);
}

pub(crate) async fn the_use_of_a_session_is_recorded_once_a_minute(harness: &Harness) {
    harness.store_user(&user(1)).await;
    let sessions = sessions(harness, SecondFactorPolicy::Optional);
    for (seen, is_recorded) in [(59, false), (60, true)] {
        store_only(harness, &aged(600, seen)).await;
        let begun = harness.begun();
        sessions.record_use(&aged(600, seen)).await;
        assert_eq!(harness.begun() - begun, u64::from(is_recorded));
        let last_seen_at = if is_recorded { now() } else { seconds(-seen) };
        let expected = Session { last_seen_at, ..aged(600, seen) };
        assert_eq!(harness.sessions.list_sessions(user_id(1)).await.unwrap(), [expected]);
    }
}

pub(crate) async fn only_live_sessions_are_listed(harness: &Harness) {
    harness.store_user(&user(1)).await;
    let (live, month) = (aged(86_400, 10), 30 * 86_400);
    let mut unit = harness.begin().await;
    for (number, session) in [(2, live.clone()), (3, aged(86_400, 86_400)), (4, aged(month, 10))] {
        let Session { id, token_hash, .. } = browser(number);
        unit.sessions().insert(&Session { id, token_hash, ..session }).await.unwrap();
    }
    unit.commit().await.unwrap();
    let listed = sessions(harness, SecondFactorPolicy::Optional).list(user_id(1)).await.unwrap();
    let Session { id, token_hash, .. } = browser(2);
    assert_eq!(listed, [Session { id, token_hash, ..live }]);
}

pub(crate) async fn a_person_signs_out_of_one_browser_or_of_all_others(harness: &Harness) {
    let person = prepare(harness).await;
    sign_in_elsewhere(harness).await;
    let sessions = sessions(harness, SecondFactorPolicy::Optional);
    let actor = AccountActor::Person(&person);
    let signed_out = event_of_person(AuditKind::SignedOut).subject(browser_id(2).as_uuid());
    for (existed, events) in [(true, vec![signed_out]), (false, vec![])] {
        let ended = assert_units(harness, 1, sessions.end(actor, browser_id(2))).await;
        assert_eq!(ended.unwrap(), existed);
        assert_eq!(recorded(harness).await, events);
    }
    let ended = sessions.end_all(actor, Some(person.session.id));
    let ended = assert_units(harness, 1, ended).await.unwrap();
    assert_eq!(ended, Some(EndedSignIns { sessions: 1, links: 1 }));
    assert_only_sessions(harness, &[person.session.id]).await;
    assert_eq!(recorded(harness).await, [event_of_person(AuditKind::SignedOutEverywhere).count(1)]);
}

pub(crate) async fn the_operator_signs_a_person_out_of_every_browser(harness: &Harness) {
    prepare(harness).await;
    sign_in_elsewhere(harness).await;
    let sessions = sessions(harness, SecondFactorPolicy::Optional);
    let ended = sessions.end_all(AccountActor::Operator(user_id(1)), None).await.unwrap();
    assert_eq!(ended, Some(EndedSignIns { sessions: 3, links: 1 }));
    assert_only_sessions(harness, &[]).await;
    let event = event_by(AuditActor::Operator, AuditKind::SignedOutEverywhere).user(user_id(1));
    assert_eq!(recorded(harness).await, [event.count(3)]);
    assert_level(harness, "an unknown person", async || {
        sessions.end_all(AccountActor::Operator(user_id(9)), None).await.unwrap().ok_or(())
    })
    .await;
    assert_eq!(recorded(harness).await, []);
}
