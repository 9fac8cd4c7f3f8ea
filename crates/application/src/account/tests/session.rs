use super::super::{AccountActor, EndedSignIns, Sessions, SignedInPerson};
use super::support::{EMAIL, email, units};
use crate::ports::storage::test_support::{MockUnitOfWork, PreparedUnitsOfWork};
use crate::ports::storage::{MockSessionReader, SessionWithUser};
use crate::testing::{ADDRESS, locked, noon, person, seconds, secret, signed_in, store, user_id};
use domain::address::AddressBlock;
use domain::audit::{AuditActor, AuditKind};
use domain::id::SessionId;
use domain::second_factor::SecondFactorPolicy;
use domain::secret::SecretKind;
use domain::session::{AuthenticationMethod, Session, SessionLifetime};
use domain::time::TimeZone;
use domain::user::UserStatus;
use std::sync::Arc;
use uuid::Uuid;

fn session_id(number: u128) -> SessionId {
    SessionId::from_uuid(Uuid::from_u128(0x5e55_0000 + number))
}

/// A session with this age and this time since its last use, in seconds.
fn session(began: i64, seen: i64) -> Session {
    Session {
        id: session_id(1),
        token_hash: secret(SecretKind::Session, 5).hash(),
        last_seen_at: noon() - seconds(seen),
        ..crate::testing::session(began)
    }
}

fn session_reader(session: Session, user_status: UserStatus) -> MockSessionReader {
    let home_timezone = TimeZone::UTC;
    let mut reader = MockSessionReader::new();
    reader.expect_find_session().times(1).returning(move |hash| {
        let found =
            SessionWithUser { session: session.clone(), email: email(EMAIL), user_status, home_timezone };
        Ok((*hash == session.token_hash).then_some(found))
    });
    reader
}

fn sessions(reader: MockSessionReader, units: &Arc<PreparedUnitsOfWork>) -> Sessions {
    Sessions {
        store: store(units),
        reader: Arc::new(reader),
        lifetime: SessionLifetime::default(),
        policy: SecondFactorPolicy::Optional,
        is_recording: Arc::default(),
    }
}

async fn resumed(reader: MockSessionReader) -> Option<SignedInPerson> {
    let sessions = sessions(reader, &units([]));
    sessions.resume(secret(SecretKind::Session, 5).expose(), ADDRESS).await.unwrap()
}

#[tokio::test]
async fn a_cookie_shows_who_is_signed_in_and_whether_that_is_fresh() {
    for (began, is_fresh) in [(299, true), (300, false)] {
        let person = resumed(session_reader(session(began, 10), UserStatus::Active)).await.unwrap();
        assert_eq!(
            (person.user_id, person.email, person.home_timezone),
            (user_id(1), email(EMAIL), TimeZone::UTC)
        );
        assert_eq!(person.session, session(began, 10));
        assert_eq!(person.cookie.hash(), person.session.token_hash);
        assert_eq!(person.is_fresh, is_fresh);
    }
}

#[tokio::test]
async fn ended_sessions_and_locked_accounts_are_not_signed_in() {
    let (day, month) = (86_400, 30 * 86_400);
    for (session, status) in [
        (session(day, day), UserStatus::Active),
        (session(month, 1), UserStatus::Active),
        (session(10, 10), locked()),
    ] {
        assert!(resumed(session_reader(session, status)).await.is_none());
    }
}

#[tokio::test]
async fn a_session_without_a_second_factor_is_not_signed_in_if_the_operator_requires_one() {
    for method in AuthenticationMethod::ALL {
        let session = Session { method, ..session(10, 10) };
        let sessions = sessions(session_reader(session, UserStatus::Active), &units([]));
        let sessions = Sessions { policy: SecondFactorPolicy::Required, ..sessions };
        let person = sessions.resume(secret(SecretKind::Session, 5).expose(), ADDRESS).await.unwrap();
        assert_eq!(person.is_some(), method != AuthenticationMethod::Password, "{method:?}");
    }
}

#[tokio::test]
async fn t30_a_cookie_that_was_never_issued_is_not_signed_in_and_not_adopted() {
    let mut reader = MockSessionReader::new();
    reader.expect_find_session().times(1).returning(|_| Ok(None));
    assert!(resumed(reader).await.is_none());
}

#[tokio::test]
async fn a_malformed_session_cookie_is_not_looked_up() {
    let sessions = sessions(MockSessionReader::new(), &units([]));
    for cookie in
        ["", "owl", secret(SecretKind::Visit, 5).expose(), secret(SecretKind::RefreshToken, 5).expose()]
    {
        assert!(sessions.resume(cookie, ADDRESS).await.unwrap().is_none());
    }
}

/// Records the use of a session that was last used this many seconds ago.
async fn use_again(seen: i64, units: &Arc<PreparedUnitsOfWork>) {
    sessions(MockSessionReader::new(), units).record_use(&session(600, seen)).await;
}

#[tokio::test]
async fn use_is_recorded_once_a_minute() {
    let store = units([]);
    use_again(59, &store).await;
    assert_eq!(store.endings().opened(), 0);

    let mut unit = MockUnitOfWork::default();
    unit.sessions
        .expect_record_use()
        .times(1)
        .withf(|user, id, at| *user == user_id(1) && *id == session_id(1) && *at == noon())
        .returning(|_, _, _| Ok(()));
    let store = units([unit]);
    use_again(60, &store).await;
    assert_eq!(store.endings().committed(), 1);
}

#[tokio::test]
async fn a_use_that_cannot_be_recorded_is_tried_again_with_the_next_page() {
    let store = units([]);
    let sessions = sessions(MockSessionReader::new(), &store);
    for tries in 1..=2 {
        sessions.record_use(&session(600, 60)).await;
        assert_eq!(store.endings().opened(), tries);
    }
}

#[tokio::test]
async fn a_person_signs_out_of_one_browser() {
    for existed in [true, false] {
        let mut unit = MockUnitOfWork::default();
        unit.users.expect_find().times(1).withf(|id| *id == user_id(1)).returning(|_| Ok(Some(person())));
        unit.sessions
            .expect_delete()
            .times(1)
            .withf(|user, id| *user == user_id(1) && *id == session_id(1))
            .returning(move |_, _| Ok(existed));
        let store = units([unit]);
        let (sessions, person) = (sessions(MockSessionReader::new(), &store), signed_in(10));
        assert_eq!(sessions.end(AccountActor::Person(&person), session_id(1)).await.unwrap(), existed);
        assert_eq!(store.endings().committed(), 1);
        let events = store.events().all();
        assert_eq!(events.len(), usize::from(existed));
        for event in events {
            assert_eq!((event.kind, event.actor), (AuditKind::SignedOut, AuditActor::Person));
            assert_eq!((event.user_id, event.subject), (Some(user_id(1)), Some(session_id(1).as_uuid())));
            assert_eq!(event.address, Some(AddressBlock::containing(ADDRESS)));
        }
    }
}

#[tokio::test]
async fn everything_but_one_browser_can_be_signed_out() {
    let (person, block) = (signed_in(10), AddressBlock::containing(ADDRESS));
    for (actor, except, is, address) in [
        (AccountActor::Person(&person), Some(session_id(1)), AuditActor::Person, Some(block)),
        (AccountActor::Operator(user_id(1)), None, AuditActor::Operator, None),
    ] {
        let mut unit = MockUnitOfWork::default();
        unit.users.expect_find().return_once(|_| Ok(Some(crate::testing::person())));
        unit.pending_sign_ins.expect_delete_of_user().times(1).returning(|_| Ok(0));
        unit.password_links.expect_delete_of_user().times(1).returning(|_| Ok(1));
        unit.sessions
            .expect_delete_of_user()
            .times(1)
            .withf(move |user, kept| *user == user_id(1) && *kept == except)
            .returning(|_, _| Ok(4));
        let store = units([unit]);
        let ended = sessions(MockSessionReader::new(), &store).end_all(actor, except).await;
        assert_eq!(ended.unwrap(), Some(EndedSignIns { sessions: 4, links: 1 }));
        assert_eq!(store.endings().committed(), 1);
        let [event] = store.events().all().try_into().unwrap();
        assert_eq!((event.kind, event.actor, event.address), (AuditKind::SignedOutEverywhere, is, address));
        assert_eq!((event.user_id, event.count), (Some(user_id(1)), Some(4)));
    }
}

#[tokio::test]
async fn an_unknown_user_cannot_be_signed_out() {
    let mut unit = MockUnitOfWork::default();
    unit.users.expect_find().return_once(|_| Ok(None));
    let store = units([unit]);
    let sessions = sessions(MockSessionReader::new(), &store);
    assert_eq!(sessions.end_all(AccountActor::Operator(user_id(1)), None).await.unwrap(), None);
    assert_eq!(store.events().all(), []);
}

#[tokio::test]
async fn expired_sessions_are_not_listed() {
    let live = session(86_400, 10);
    let stored = vec![live.clone(), session(86_400, 86_400), session(30 * 86_400, 10)];
    let mut reader = MockSessionReader::new();
    reader.expect_list_sessions().times(1).withf(|user| *user == user_id(1)).return_once(|_| Ok(stored));
    let sessions = sessions(reader, &units([]));
    assert_eq!(sessions.list(user_id(1)).await.unwrap(), [live]);
}
