use super::super::{
    EndSessions, EndSessionsCommand, EndSessionsError, EndedSignIns, ListSessions, ResumeSession, SessionKey,
    SignOut, SignedInPerson,
};
use super::support::{EMAIL, email, home, units};
use crate::ports::storage::test_support::{MockUnitOfWork, PreparedUnitsOfWork};
use crate::ports::storage::{MockSessionReader, SessionWithUser};
use crate::testing::{ADDRESS, clock, entropy, locked, noon, person, seconds, secret, user_id};
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

fn resuming(reader: MockSessionReader, units: Arc<PreparedUnitsOfWork>) -> ResumeSession {
    let policy = SecondFactorPolicy::Optional;
    ResumeSession::new(Arc::new(reader), units, clock(), SessionLifetime::default(), policy)
}

async fn resumed(reader: MockSessionReader, units: Arc<PreparedUnitsOfWork>) -> Option<SignedInPerson> {
    let resume = resuming(reader, units);
    resume.run(secret(SecretKind::Session, 5).expose(), ADDRESS).await.unwrap()
}

#[tokio::test]
async fn a_cookie_shows_who_is_signed_in_and_whether_that_is_fresh() {
    for (began, is_fresh) in [(299, true), (300, false)] {
        let person =
            resumed(session_reader(session(began, 10), UserStatus::Active), units([])).await.unwrap();
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
        assert!(resumed(session_reader(session, status), units([])).await.is_none());
    }
}

#[tokio::test]
async fn a_session_without_a_second_factor_is_not_signed_in_if_the_operator_requires_one() {
    for method in AuthenticationMethod::ALL {
        let session = Session { method, ..session(10, 10) };
        let reader = Arc::new(session_reader(session, UserStatus::Active));
        let (lifetime, policy) = (SessionLifetime::default(), SecondFactorPolicy::Required);
        let resume = ResumeSession::new(reader, units([]), clock(), lifetime, policy);
        let person = resume.run(secret(SecretKind::Session, 5).expose(), ADDRESS).await.unwrap();
        assert_eq!(person.is_some(), method != AuthenticationMethod::Password, "{method:?}");
    }
}

#[tokio::test]
async fn t30_a_cookie_that_was_never_issued_is_not_signed_in_and_not_adopted() {
    let mut reader = MockSessionReader::new();
    reader.expect_find_session().times(1).returning(|_| Ok(None));
    assert!(resumed(reader, units([])).await.is_none());
}

#[tokio::test]
async fn a_malformed_session_cookie_is_not_looked_up() {
    let resume = resuming(MockSessionReader::new(), units([]));
    for cookie in
        ["", "owl", secret(SecretKind::Visit, 5).expose(), secret(SecretKind::RefreshToken, 5).expose()]
    {
        assert!(resume.run(cookie, ADDRESS).await.unwrap().is_none());
    }
}

/// Records the use of a session that was last used this many seconds ago.
async fn use_again(seen: i64, units: Arc<PreparedUnitsOfWork>) {
    resuming(MockSessionReader::new(), units).record_use(&session(600, seen)).await;
}

#[tokio::test]
async fn use_is_recorded_once_a_minute() {
    let store = units([]);
    use_again(59, store.clone()).await;
    assert_eq!(store.endings().opened(), 0);

    let mut unit = MockUnitOfWork::default();
    unit.sessions
        .expect_record_use()
        .times(1)
        .withf(|user, id, at| *user == user_id(1) && *id == session_id(1) && *at == noon())
        .returning(|_, _, _| Ok(()));
    let store = units([unit]);
    use_again(60, store.clone()).await;
    assert_eq!(store.endings().committed(), 1);
}

#[tokio::test]
async fn a_use_that_cannot_be_recorded_is_tried_again_with_the_next_page() {
    let store = units([]);
    let resume = resuming(MockSessionReader::new(), store.clone());
    for tries in 1..=2 {
        resume.record_use(&session(600, 60)).await;
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
        let key = SessionKey { user_id: user_id(1), id: session_id(1) };
        let address = Some(AddressBlock::containing(home()));
        let sign_out = SignOut::new(store.clone(), entropy(), clock());
        assert_eq!(sign_out.run(key, AuditActor::Person, address).await.unwrap(), existed);
        assert_eq!(store.endings().committed(), 1);
        let events = store.events().all();
        assert_eq!(events.len(), usize::from(existed));
        for event in events {
            assert_eq!((event.kind, event.actor), (AuditKind::SignedOut, AuditActor::Person));
            assert_eq!((event.user_id, event.subject), (Some(user_id(1)), Some(session_id(1).as_uuid())));
            assert_eq!(event.address, address);
        }
    }
}

fn everywhere(actor: AuditActor, except: Option<SessionId>) -> EndSessionsCommand {
    EndSessionsCommand { user_id: user_id(1), except, actor, address: None }
}

#[tokio::test]
async fn everything_but_one_browser_can_be_signed_out() {
    for (actor, except) in [(AuditActor::Person, Some(session_id(1))), (AuditActor::Operator, None)] {
        let mut unit = MockUnitOfWork::default();
        unit.users.expect_find().return_once(|_| Ok(Some(person())));
        unit.pending_sign_ins.expect_delete_of_user().times(1).returning(|_| Ok(0));
        unit.password_links.expect_delete_of_user().times(1).returning(|_| Ok(1));
        unit.sessions
            .expect_delete_of_user()
            .times(1)
            .withf(move |user, kept| *user == user_id(1) && *kept == except)
            .returning(|_, _| Ok(4));
        let store = units([unit]);
        let ended = EndSessions::new(store.clone(), entropy(), clock()).run(everywhere(actor, except)).await;
        assert_eq!(ended.unwrap(), EndedSignIns { sessions: 4, links: 1 });
        assert_eq!(store.endings().committed(), 1);
        let [event] = store.events().all().try_into().unwrap();
        assert_eq!((event.kind, event.actor), (AuditKind::SignedOutEverywhere, actor));
        assert_eq!((event.user_id, event.count), (Some(user_id(1)), Some(4)));
    }
}

#[tokio::test]
async fn an_unknown_user_cannot_be_signed_out() {
    let mut unit = MockUnitOfWork::default();
    unit.users.expect_find().return_once(|_| Ok(None));
    let store = units([unit]);
    let command = everywhere(AuditActor::Operator, None);
    let outcome = EndSessions::new(store.clone(), entropy(), clock()).run(command).await;
    assert!(matches!(outcome, Err(EndSessionsError::NotFound)));
    assert_eq!((store.endings().committed(), store.events().all().len()), (0, 0));
}

#[tokio::test]
async fn expired_sessions_are_not_listed() {
    let live = session(86_400, 10);
    let stored = vec![live.clone(), session(86_400, 86_400), session(30 * 86_400, 10)];
    let mut reader = MockSessionReader::new();
    reader.expect_list_sessions().times(1).withf(|user| *user == user_id(1)).return_once(|_| Ok(stored));
    let list = ListSessions::new(Arc::new(reader), clock(), SessionLifetime::default());
    assert_eq!(list.run(user_id(1)).await.unwrap(), [live]);
}
