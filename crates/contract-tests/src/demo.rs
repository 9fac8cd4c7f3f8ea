//! The data of the demo, stored by several runs.

use crate::Harness;
use crate::change::update_profile;
use crate::fixture::{grant, label, now, seconds};
use crate::service::{audited, audited_at, recorded};
use application::code::{CodeError, Codes};
use application::demo::{DEMO_EMAIL, DEMO_REDIRECT_URI, DEMO_TIMEZONE, Demo, DemoError, demo_user_id};
use application::ports::storage::GrantFilter;
use application::store::Store;
use application::synthetic::{SyntheticPerson, days_before};
use chrono::{Days, NaiveDate, TimeDelta};
use domain::audit::{AuditActor, AuditKind};
use domain::client::{Client, ClientStatus};
use domain::grant::{Grant, MAX_LIVE_GRANTS};
use domain::sandbox::Story;
use domain::scope::ScopeSet;
use domain::secret::SecretKind;
use domain::supplement::Supplement;
use domain::time::TimeZone;
use domain::user::{User, UserStatus};

fn today() -> NaiveDate {
    NaiveDate::from_ymd_opt(2026, 3, 2).unwrap()
}

fn generator() -> SyntheticPerson {
    SyntheticPerson::new(demo_user_id(), Story::RegularSleeper, TimeZone::parse(DEMO_TIMEZONE).unwrap())
}

fn demo(harness: &Harness, store: Store) -> Demo {
    Demo { codes: Codes { store: store.clone(), clients: harness.clients.clone() }, store }
}

/// Returns the numbers of nights and intakes of the demo's person.
async fn records(harness: &Harness) -> (usize, usize) {
    let nights = harness.sleep.walk(demo_user_id(), None, 1000).await.unwrap();
    let intakes = harness.supplements.walk_logs(demo_user_id(), None, 1000).await.unwrap();
    (nights.len(), intakes.len())
}

/// Checks the kinds of the events since the last call, which are all of the operator.
async fn assert_recorded(harness: &Harness, kinds: &[AuditKind]) {
    let events: Vec<_> = recorded(harness).await.iter().map(|event| (event.actor, event.kind)).collect();
    let expected: Vec<_> = kinds.iter().map(|kind| (AuditActor::Operator, *kind)).collect();
    assert_eq!(events, expected);
}

pub(crate) async fn the_first_run_stores_a_person_with_records(harness: &Harness) {
    let demo = demo(harness, audited(harness));
    assert_eq!(demo.seed_person(Some(today())).await.unwrap(), demo_user_id());
    assert_recorded(harness, &[AuditKind::UserCreated, AuditKind::ImportStarted]).await;
    let person = harness.profiles.find_profile(demo_user_id()).await.unwrap().unwrap();
    assert_eq!(person.email.as_str(), DEMO_EMAIL);
    let logs = generator().logs(&days_before(today(), Story::RegularSleeper)).len();
    assert_eq!(records(harness).await, (100, logs));
    let mut unit = harness.begin().await;
    for labelled in generator().supplements() {
        assert_eq!(unit.supplements().find(labelled.1.id).await.unwrap(), Some(labelled));
    }
    unit.rollback().await.unwrap();

    // Again on the same day, and then a day later.
    demo.seed_person(Some(today())).await.unwrap();
    assert_recorded(harness, &[]).await;
    assert_eq!(records(harness).await, (100, logs));
    demo.seed_person(today().checked_add_days(Days::new(1))).await.unwrap();
    assert_recorded(harness, &[AuditKind::ImportStarted]).await;
    let (nights, intakes) = records(harness).await;
    assert!((101..=102).contains(&nights), "{nights}");
    assert!((logs..=logs + 5).contains(&intakes), "{intakes}");
}

pub(crate) async fn each_run_creates_a_secret_of_each_kind_and_keeps_the_earlier_ones(harness: &Harness) {
    let demo = demo(harness, audited(harness));
    demo.seed_person(Some(today())).await.unwrap();
    recorded(harness).await;
    let seeded = demo.seed_client().await.unwrap();
    assert_recorded(harness, &[AuditKind::ClientCreated, AuditKind::CodeIssued, AuditKind::GrantCreated])
        .await;
    assert_eq!(seeded.client_secret.kind(), SecretKind::ClientSecret);
    assert_eq!(seeded.code.kind(), SecretKind::AuthorizationCode);
    assert_eq!(seeded.refresh_token.kind(), SecretKind::RefreshToken);
    assert_eq!(seeded.code_expires_at, seconds(600));
    assert_eq!((seeded.redirect_uri, seeded.scopes), (DEMO_REDIRECT_URI, ScopeSet::CONSENTABLE));
    let hash = seeded.refresh_token.hash();
    let grant = harness.grants.find_by_refresh_token(&hash, None).await.unwrap().unwrap().grant;
    assert!(grant.user_id == demo_user_id() && grant.client_id == seeded.client_id && grant.is_live());
    let code = harness.begin().await.codes().find(&seeded.code.hash()).await.unwrap();
    assert!(code.is_some());

    let again = demo.seed_client().await.unwrap();
    let secret = AuditKind::ClientSecretRotated;
    assert_recorded(harness, &[secret, AuditKind::CodeIssued, AuditKind::GrantCreated]).await;
    let stored = harness.clients.find_with_secrets(seeded.client_id).await.unwrap().unwrap();
    for secret in [seeded.client_secret, again.client_secret] {
        assert!(stored.secrets.iter().any(|one| one.hash == secret.hash() && one.is_live(now())));
    }
    let grants = harness.grants.list_grants(GrantFilter::default(), None, 9).await.unwrap();
    assert_eq!(grants.len(), 2);
}

pub(crate) async fn no_run_leaves_more_grants_than_an_app_may_have(harness: &Harness) {
    let demo = demo(harness, audited(harness));
    demo.seed_person(Some(today())).await.unwrap();
    let client_id = demo.seed_client().await.unwrap().client_id;
    let of_demo = |number| Grant { client_id, user_id: demo_user_id(), ..grant(number) };
    harness.store_grants(&(1..).take(MAX_LIVE_GRANTS).map(of_demo).collect::<Vec<_>>()).await;
    demo.seed_client().await.unwrap();
    let grants = harness.grants.list_grants(GrantFilter::default(), None, 99).await.unwrap();
    assert_eq!(grants.iter().filter(|grant| grant.is_live()).count(), MAX_LIVE_GRANTS);
}

pub(crate) async fn without_a_date_the_data_ends_now_with_the_last_uploaded_night(harness: &Harness) {
    let night = generator().sessions(&[today()]).remove(0);
    for (now, is_stored) in [(night.updated_at - TimeDelta::seconds(1), false), (night.updated_at, true)] {
        demo(harness, audited_at(harness, now)).seed_person(None).await.unwrap();
        let nights = harness.sleep.walk(demo_user_id(), None, 1000).await.unwrap();
        assert_eq!(nights.contains(&night), is_stored);
        assert!(nights.iter().all(|night| night.updated_at <= now));
        let intakes = harness.supplements.walk_logs(demo_user_id(), None, 1000).await.unwrap();
        assert!(intakes.iter().all(|log| log.record.created_at() <= now));
    }
}

pub(crate) async fn a_catalogue_that_has_a_label_keeps_it(harness: &Harness) {
    let demo = demo(harness, audited(harness));
    let (key, known) = generator().supplements().remove(0);
    let other = Supplement::enter(known.id, label("Another"), now());
    harness.store_supplement(&key, &other).await;
    demo.seed_person(Some(today())).await.unwrap();
    let found = harness.begin().await.supplements().find(known.id).await.unwrap();
    assert_eq!(found, Some((key, other)));
}

pub(crate) async fn what_the_operator_locked_or_disabled_stays_so(harness: &Harness) {
    let demo = demo(harness, audited(harness));
    demo.seed_person(Some(today())).await.unwrap();
    let client_id = demo.seed_client().await.unwrap().client_id;

    let active = harness.profiles.find_profile(demo_user_id()).await.unwrap().unwrap();
    let locked = User { status: UserStatus::Locked { at: now() }, ..active.clone() };
    update_profile(harness, &locked).await;
    demo.seed_person(Some(today())).await.unwrap();
    assert!(matches!(demo.seed_client().await, Err(DemoError::Code(CodeError::UserLocked))));
    assert_eq!(harness.profiles.find_profile(demo_user_id()).await.unwrap(), Some(locked));

    update_profile(harness, &active).await;
    let mut unit = harness.begin().await;
    let client = unit.clients().find(client_id).await.unwrap().unwrap();
    let disabled = Client { status: ClientStatus::Disabled { at: now() }, ..client };
    assert!(unit.clients().update(&disabled).await.unwrap());
    unit.commit().await.unwrap();
    assert!(matches!(demo.seed_client().await, Err(DemoError::Code(CodeError::UnknownClient))));
    assert_eq!(harness.clients.find_with_secrets(client_id).await.unwrap().unwrap().client, disabled);
}
