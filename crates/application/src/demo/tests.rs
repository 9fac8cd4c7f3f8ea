use super::{DEMO_EMAIL, DEMO_REDIRECT_URI, DEMO_TIMEZONE, Demo, DemoError, SeededDemo, demo_user_id};
use crate::audit::AuditTrail;
use crate::code::{CodeError, Codes};
use crate::ports::storage::MockClientReader;
use crate::ports::storage::test_support::{Endings, MockUnitOfWork, PreparedUnitsOfWork, RecordedEvents};
use crate::ports::system::Clock;
use crate::store::Store;
use crate::synthetic::{SyntheticPerson, days_before};
use crate::testing::{app, clock, entropy, locked, noon, person, seconds, stored_secret};
use chrono::{DateTime, Days, NaiveDate, Utc};
use domain::audit::{AuditActor, AuditKind};
use domain::client::{Client, ClientPages, ClientStatus, RedirectUri, Review};
use domain::sandbox::Story;
use domain::scope::ScopeSet;
use domain::secret::SecretKind;
use domain::sleep::SleepSession;
use domain::supplement::{CatalogueKey, IntakeLog, Supplement};
use domain::time::TimeZone;
use domain::user::User;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

fn today() -> NaiveDate {
    NaiveDate::from_ymd_opt(2026, 4, 2).unwrap()
}

fn generator() -> SyntheticPerson {
    SyntheticPerson::new(demo_user_id(), Story::RegularSleeper, TimeZone::parse(DEMO_TIMEZONE).unwrap())
}

fn days() -> Vec<NaiveDate> {
    days_before(today(), Story::RegularSleeper)
}

fn sessions() -> Vec<SleepSession> {
    generator().sessions(&days())
}

fn demo_supplements() -> Vec<(CatalogueKey, Supplement)> {
    generator().supplements()
}

#[tokio::test]
async fn a_run_on_the_next_day_adds_the_records_of_a_day() {
    let mut unit = seeded_store(demo_person());
    let is_day = |sessions: &[SleepSession]| (1..=2).contains(&sessions.len());
    unit.sleep.expect_insert().withf(move |_, sessions| is_day(sessions)).times(1).returning(|_, _| Ok(()));
    unit.intake_logs.expect_insert().withf(|_, logs| logs.len() <= 5).returning(|_, _| Ok(()));
    let units = PreparedUnitsOfWork::new(vec![unit]);
    demo(units, clock()).seed_person(today().checked_add_days(Days::new(1))).await.unwrap();
}

fn demo(units: PreparedUnitsOfWork, clock: Arc<dyn Clock>) -> Demo {
    let store = Store { units: Arc::new(units), trail: AuditTrail::new(entropy(), clock) };
    Demo { codes: Codes { store: store.clone(), clients: Arc::new(MockClientReader::new()) }, store }
}

/// A clock fixed at a time.
struct ClockAt(DateTime<Utc>);

impl Clock for ClockAt {
    fn now(&self) -> DateTime<Utc> {
        self.0
    }
}

#[tokio::test]
async fn without_a_date_the_data_ends_now_and_has_last_night_once_it_was_uploaded() {
    let night = generator().sessions(&[today()]).remove(0);
    let uploaded = night.updated_at;
    for (now, nights) in [(uploaded - seconds(1), 0), (uploaded, 1)] {
        let (mut unit, night) = (seeded_store(demo_person()), night.clone());
        let is_it = move |sessions: &[SleepSession]| sessions == [night.clone()];
        unit.sleep
            .expect_insert()
            .withf(move |_, sessions| is_it(sessions))
            .times(nights)
            .returning(|_, _| Ok(()));
        let is_past = move |logs: &[IntakeLog]| logs.iter().all(|log| log.record.created_at() <= now);
        unit.intake_logs.expect_insert().withf(move |_, logs| is_past(logs)).returning(|_, _| Ok(()));
        let units = PreparedUnitsOfWork::new(vec![unit]);
        demo(units, Arc::new(ClockAt(now))).seed_person(None).await.unwrap();
    }
}

/// The demo's client, as found on a second run.
fn demo_client() -> Client {
    Client {
        redirect_uris: vec![RedirectUri::parse(DEMO_REDIRECT_URI).unwrap()],
        pages: ClientPages::default(),
        contact: None,
        review: Review::BY_OPERATOR,
        scopes: ScopeSet::CONSENTABLE,
        ..app()
    }
}

fn demo_person() -> User {
    User { id: demo_user_id(), home_timezone: TimeZone::parse(DEMO_TIMEZONE).unwrap(), ..person() }
}

/// The unit of work that stores the code.
fn issuing(user: User) -> MockUnitOfWork {
    let mut unit = MockUnitOfWork::default();
    unit.clients.expect_find().returning(|_| Ok(Some(demo_client())));
    unit.users.expect_find().return_once(move |_| Ok(Some(user)));
    unit.codes.expect_insert().times(1).returning(|_| Ok(()));
    unit
}

/// The unit of work that stores the refresh token's grant.
fn granting() -> MockUnitOfWork {
    let mut unit = MockUnitOfWork::default();
    unit.grants
        .expect_insert()
        .times(1)
        .withf(|grant| grant.user_id == demo_user_id() && grant.is_live())
        .returning(|_| Ok(()));
    unit.grants.expect_revoke_excess().times(1).returning(|_, _, _, _| Ok(0));
    unit
}

async fn seed(units: Vec<MockUnitOfWork>) -> (Result<SeededDemo, DemoError>, Arc<Endings>) {
    let (outcome, endings, _) = seed_with_events(units).await;
    (outcome, endings)
}

/// Also returns the audit events.
async fn seed_with_events(
    units: Vec<MockUnitOfWork>,
) -> (Result<SeededDemo, DemoError>, Arc<Endings>, RecordedEvents) {
    let units = PreparedUnitsOfWork::new(units);
    let (endings, events) = (units.endings(), units.events());
    let demo = demo(units, clock());
    demo.seed_person(Some(today())).await.unwrap();
    (demo.seed_client().await, endings, events)
}

/// Asserts the kinds of the events of a run, all by the operator.
async fn assert_reported(units: Vec<MockUnitOfWork>, kinds: &[AuditKind]) {
    let (_, _, events) = seed_with_events(units).await;
    let recorded: Vec<_> = events.all().iter().map(|event| (event.actor, event.kind)).collect();
    let expected: Vec<_> = kinds.iter().map(|kind| (AuditActor::Operator, *kind)).collect();
    assert_eq!(recorded, expected);
}

#[tokio::test]
async fn everything_that_the_demo_creates_is_audited() {
    let first = vec![empty_store(&Arc::default()), without_client(), issuing(demo_person()), granting()];
    let made = [AuditKind::UserCreated, AuditKind::ImportStarted, AuditKind::ClientCreated];
    let issued = [AuditKind::CodeIssued, AuditKind::GrantCreated];
    assert_reported(first, &[&made[..], &issued].concat()).await;
    let second =
        vec![seeded_store(demo_person()), with_client(), rotating(), issuing(demo_person()), granting()];
    assert_reported(second, &[&[AuditKind::ClientSecretRotated][..], &issued].concat()).await;
}

/// An empty store that counts inserts by kind.
fn empty_store(counts: &Arc<Mutex<BTreeMap<&'static str, usize>>>) -> MockUnitOfWork {
    let counter = |kind: &'static str| {
        let counts = Arc::clone(counts);
        move |number: usize| *counts.lock().unwrap().entry(kind).or_default() += number
    };
    let mut unit = MockUnitOfWork::default();
    unit.users.expect_find().times(1).returning(|_| Ok(None));
    let count = counter("people");
    unit.users.expect_insert().withf(|user| user.email.as_str() == DEMO_EMAIL).returning(move |_| {
        count(1);
        Ok(())
    });
    let count = counter("sessions");
    unit.sleep.expect_insert().returning(move |_, sessions| {
        count(sessions.len());
        Ok(())
    });
    unit.supplements.expect_find().returning(|_| Ok(None));
    let count = counter("supplements");
    unit.supplements.expect_insert().returning(move |_| {
        count(1);
        Ok(())
    });
    let count = counter("logs");
    unit.intake_logs.expect_insert().returning(move |_, logs| {
        count(logs.len());
        Ok(())
    });
    unit.sleep.expect_find_many().returning(|_, _| Ok(Vec::new()));
    unit.intake_logs.expect_find_many().returning(|_, _| Ok(Vec::new()));
    unit
}

/// A store without the client.
fn without_client() -> MockUnitOfWork {
    let mut unit = MockUnitOfWork::default();
    unit.clients.expect_find().times(1).returning(|_| Ok(None));
    unit.clients.expect_insert().times(1).returning(|_| Ok(()));
    unit.clients.expect_insert_secret().times(1).returning(|_, _| Ok(()));
    unit
}

#[tokio::test]
async fn the_first_run_seeds_everything_once() {
    let counts = Arc::default();
    let (outcome, endings) =
        seed(vec![empty_store(&counts), without_client(), issuing(demo_person()), granting()]).await;
    let seeded = outcome.unwrap();
    assert_eq!(seeded.user_id, demo_user_id());
    assert_eq!(endings.committed(), 4);
    let logs = generator().logs(&days()).len();
    let expected = BTreeMap::from([("logs", logs), ("people", 1), ("sessions", 100), ("supplements", 5)]);
    assert_eq!(*counts.lock().unwrap(), expected);
}

#[tokio::test]
async fn the_demo_creates_a_secret_of_each_kind_and_a_code_valid_for_ten_minutes() {
    let seeded =
        seed(vec![empty_store(&Arc::default()), without_client(), issuing(demo_person()), granting()])
            .await
            .0
            .unwrap();
    assert_eq!(seeded.client_secret.kind(), SecretKind::ClientSecret);
    assert_eq!(seeded.code.kind(), SecretKind::AuthorizationCode);
    assert_eq!(seeded.refresh_token.kind(), SecretKind::RefreshToken);
    assert_eq!(seeded.code_expires_at, noon() + seconds(600));
    assert_eq!((seeded.redirect_uri, seeded.scopes), (DEMO_REDIRECT_URI, ScopeSet::CONSENTABLE));
}

#[tokio::test]
async fn a_catalogue_that_has_the_labels_keeps_them() {
    let known = |id| demo_supplements().into_iter().find(|(_, known)| known.id == id);
    let mut unit = MockUnitOfWork::default();
    unit.users.expect_find().returning(|_| Ok(None));
    unit.users.expect_insert().returning(|_| Ok(()));
    unit.sleep.expect_insert().returning(|_, _| Ok(()));
    unit.supplements.expect_find().times(5).returning(move |id| Ok(known(id)));
    unit.intake_logs.expect_insert().times(1).returning(|_, _| Ok(()));
    unit.sleep.expect_find_many().returning(|_, _| Ok(Vec::new()));
    unit.intake_logs.expect_find_many().returning(|_, _| Ok(Vec::new()));
    seed(vec![unit, without_client(), issuing(demo_person()), granting()]).await.0.unwrap();
}

/// The unit of work of a second run on the same day: everything exists, and the mock expects no inserts.
fn seeded_store(user: User) -> MockUnitOfWork {
    let mut unit = MockUnitOfWork::default();
    unit.users.expect_find().times(1).return_once(move |_| Ok(Some(user)));
    unit.sleep.expect_find_many().returning(|_, _| Ok(sessions()));
    unit.intake_logs.expect_find_many().returning(|_, _| Ok(generator().logs(&days())));
    unit
}

fn with_client() -> MockUnitOfWork {
    let mut unit = MockUnitOfWork::default();
    unit.clients.expect_find().times(1).returning(|_| Ok(Some(demo_client())));
    unit
}

/// The unit of work that adds a new client secret to the previous one.
fn rotating() -> MockUnitOfWork {
    let mut unit = MockUnitOfWork::default();
    unit.clients.expect_find().times(1).returning(|_| Ok(Some(demo_client())));
    unit.clients.expect_list_secrets().times(1).returning(|_| Ok(vec![stored_secret(1, None)]));
    unit.clients.expect_insert_secret().times(1).returning(|_, _| Ok(()));
    unit
}

#[tokio::test]
async fn a_second_run_creates_new_secrets_and_seeds_no_data() {
    let units =
        vec![seeded_store(demo_person()), with_client(), rotating(), issuing(demo_person()), granting()];
    let (outcome, endings) = seed(units).await;
    assert_eq!(outcome.unwrap().user_id, demo_user_id());
    assert_eq!(endings.committed(), 5);
}

#[tokio::test]
async fn a_demo_person_who_was_locked_by_hand_stays_locked() {
    let user = User { status: locked(), ..demo_person() };
    let mut issuing = MockUnitOfWork::default();
    issuing.clients.expect_find().returning(|_| Ok(Some(demo_client())));
    let found = user.clone();
    issuing.users.expect_find().return_once(move |_| Ok(Some(found)));
    let (outcome, _) = seed(vec![seeded_store(user), with_client(), rotating(), issuing]).await;
    assert!(matches!(outcome, Err(DemoError::Code(CodeError::UserLocked))));
}

#[tokio::test]
async fn a_demo_client_that_was_disabled_by_hand_stays_disabled() {
    let mut issuing = MockUnitOfWork::default();
    let disabled = Client { status: ClientStatus::Disabled { at: noon() }, ..demo_client() };
    issuing.users.expect_find().returning(|_| Ok(Some(demo_person())));
    issuing.clients.expect_find().return_once(move |_| Ok(Some(disabled)));
    let (outcome, _) = seed(vec![seeded_store(demo_person()), with_client(), rotating(), issuing]).await;
    assert!(matches!(outcome, Err(DemoError::Code(CodeError::UnknownClient))));
}
