mod approval;
mod change;
mod sandbox_code;
mod secret;
mod usage;

use super::{
    AppCommand, AppForm, ApproveClient, ChangeApp, ChangeAppCommand, ChangedApp, DeleteApp,
    DeveloperAppError, InvalidAppField, RegisterApp, RegisterAppCommand, RetireAppSecret, RotateAppSecret,
    ShowDeveloperApps,
};
use crate::access::DailyLimits;
use crate::client_usage::first_usage_day;
use crate::operator::ClientError;
use crate::ports::storage::test_support::{Endings, MockUnitOfWork, PreparedUnitsOfWork, RecordedEvents};
use crate::ports::storage::{
    ClientReader, ClientWithSecrets, MockClientReader, MockClientUsageStore, MockGrantReader,
};
use crate::testing::{
    ADDRESS, REDIRECT_URI, app, client_id, clock, entropy, locked, noon, person, session, stored_secret,
    user_id,
};
use domain::address::AddressBlock;
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::client::{
    Client, ClientKind, ClientName, ClientSecret, ClientStatus, Contact, InvalidRedirectUri, MAX_OWN_CLIENTS,
    Review, ServerNames,
};
use domain::secret::SecretKind;
use domain::session::Session;
use domain::user::User;
use std::sync::{Arc, Mutex};

const SERVER: ServerNames<'_> =
    ServerNames { operator: Some("Example Sleep Clinic"), host: Some("sleep.example.org") };

const FORM: AppForm<'static> = AppForm {
    name: "Night Owl",
    home_page: None,
    privacy_policy: Some("https://owl.example/privacy"),
    contact: "dev@owl.example",
    redirect_uris: &[REDIRECT_URI],
    scopes: &["profile", "sleep"],
};

/// The app that [`FORM`] describes, registered by this user.
fn own(review: Review) -> Client {
    let mut client = Client { contact: Contact::parse(FORM.contact).ok(), review, ..app() };
    client.pages.privacy_policy = domain::client::WebPage::parse("https://owl.example/privacy").ok();
    client
}

fn draft() -> Client {
    own(Review::Draft { owner: user_id(1) })
}

fn approved() -> Client {
    own(Review::Approved { owner: Some(user_id(1)) })
}

/// A unit of work that finds this user, with a session.
fn with_user(user: Option<User>) -> MockUnitOfWork {
    let mut unit = MockUnitOfWork::default();
    unit.users.expect_find().times(1).withf(|id| *id == user_id(1)).return_once(move |_| Ok(user));
    unit.sessions
        .expect_find()
        .times(..=1)
        .withf(|user, id| *user == user_id(1) && *id == session(0).id)
        .returning(|_, _| Ok(Some(session(0))));
    unit
}

/// A unit of work that also finds this client.
fn with_app(client: Option<Client>) -> MockUnitOfWork {
    let mut unit = with_user(Some(person()));
    unit.clients.expect_find().times(1).withf(|id| *id == client_id(1)).return_once(move |_| Ok(client));
    unit
}

struct TestStore {
    units: Arc<PreparedUnitsOfWork>,
    endings: Arc<Endings>,
    events: RecordedEvents,
}

impl TestStore {
    fn new(units: impl IntoIterator<Item = MockUnitOfWork>) -> Self {
        let units = PreparedUnitsOfWork::new(units);
        Self { endings: units.endings(), events: units.events(), units: Arc::new(units) }
    }

    /// Asserts that one unit of work was committed, with one event of user 1.
    fn assert_committed(&self, kind: AuditKind) -> AuditEvent {
        assert_eq!((self.endings.opened(), self.endings.committed()), (1, 1));
        let events = self.events.all();
        let [event] = events.as_slice() else { panic!("{events:?}") };
        assert_eq!((event.kind, event.actor, event.user_id), (kind, AuditActor::Person, Some(user_id(1))));
        assert_eq!(event.address, Some(AddressBlock::containing(ADDRESS)));
        event.clone()
    }

    fn assert_nothing_stored(&self) {
        assert_eq!((self.endings.committed(), self.endings.rolled_back()), (0, self.endings.opened()));
        assert_eq!(self.events.all(), []);
    }
}

fn register_app(prepared: &TestStore) -> RegisterApp {
    RegisterApp::new(prepared.units.clone(), registered(), entropy(), clock())
}

/// Reader of all clients: an approved app of user 2, a draft of user 3, and approved apps of user 1.
fn registered() -> Arc<dyn ClientReader> {
    let of = |number, name: &str, review| {
        let name = ClientName::parse(name).unwrap();
        Client { id: client_id(number), name, ..own(review) }
    };
    let clients = [
        of(11, "Moon Diary", Review::Approved { owner: Some(user_id(2)) }),
        of(12, "Star Diary", Review::BY_OPERATOR),
        of(13, "Sun Diary", Review::Draft { owner: user_id(3) }),
        of(14, "Rain Diary", Review::Approved { owner: Some(user_id(1)) }),
    ];
    let mut reader = MockClientReader::new();
    reader.expect_list_clients().returning(move |after, limit| {
        assert_eq!(limit, 500);
        // One at a time, so that a later page is read.
        Ok(clients.iter().filter(|client| Some(client.id) > after).take(1).cloned().collect())
    });
    Arc::new(reader)
}

/// A unit of work that finds user 1 with apps of these names.
fn with_names(names: Vec<String>) -> MockUnitOfWork {
    let mut unit = with_user(Some(person()));
    let own = unit.clients.expect_list_own_names().times(1).withf(|owner| *owner == user_id(1));
    own.return_once(|_| Ok(names));
    unit
}

async fn register(
    prepared: &TestStore,
    age: i64,
    form: AppForm<'_>,
) -> Result<crate::operator::CreatedClient, DeveloperAppError> {
    let session = session(age);
    let command =
        RegisterAppCommand { session: &session, form, is_public: false, server: SERVER, address: ADDRESS };
    register_app(prepared).run(command).await
}

#[tokio::test]
async fn an_app_is_registered_as_a_draft_of_its_owner_with_a_secret() {
    let stored: Arc<Mutex<Vec<Client>>> = Arc::default();
    let secrets: Arc<Mutex<Vec<ClientSecret>>> = Arc::default();
    let mut unit = with_names(vec!["Dream Diary".to_owned(); MAX_OWN_CLIENTS - 1]);
    let noted = Arc::clone(&stored);
    unit.clients.expect_insert().times(1).returning(move |client| {
        noted.lock().unwrap().push(client.clone());
        Ok(())
    });
    let noted = Arc::clone(&secrets);
    unit.clients.expect_insert_secret().times(1).returning(move |_, secret| {
        noted.lock().unwrap().push(secret.clone());
        Ok(())
    });
    let prepared = TestStore::new([unit]);
    let created = register(&prepared, 299, FORM).await.unwrap();
    let expected = Client {
        id: created.client.id,
        allow_query_secrets: false,
        require_pkce: true,
        created_at: noon(),
        ..draft()
    };
    assert_eq!(created.client, expected);
    assert_eq!(*stored.lock().unwrap(), [expected]);
    assert_eq!(secrets.lock().unwrap()[0].hash, created.secret.unwrap().hash());
    let event = prepared.assert_committed(AuditKind::AppRegistered);
    assert_eq!(event.client_id, Some(created.client.id));
}

#[tokio::test]
async fn a_public_app_is_registered_without_a_secret_and_must_use_pkce() {
    let mut unit = with_names(Vec::new());
    unit.clients.expect_insert().times(1).returning(|_| Ok(()));
    let prepared = TestStore::new([unit]);
    let session = session(0);
    let command = RegisterAppCommand {
        session: &session,
        form: FORM,
        is_public: true,
        server: ServerNames::default(),
        address: ADDRESS,
    };
    let created = register_app(&prepared).run(command).await.unwrap();
    assert!(created.secret.is_none() && created.client.require_pkce);
    assert_eq!(created.client.kind, ClientKind::PublicApp);
}

#[tokio::test]
async fn every_fault_of_the_details_is_reported_at_once() {
    let form = AppForm {
        name: "Night\u{200b}Owl",
        home_page: Some("http://owl.example"),
        privacy_policy: Some("javascript:alert(1)"),
        contact: "nobody",
        redirect_uris: &[REDIRECT_URI, "http://owl.example/cb", "https://owl.example/cb#x"],
        scopes: &["sleep", "sleep:write"],
    };
    let prepared = TestStore::new([]);
    let Err(DeveloperAppError::Invalid(faults)) = register(&prepared, 0, form).await else {
        panic!("registered")
    };
    let expected = [
        InvalidAppField::Name,
        InvalidAppField::HomePage,
        InvalidAppField::PrivacyPolicy,
        InvalidAppField::Contact,
        InvalidAppField::RedirectUri(2, InvalidRedirectUri::Scheme),
        InvalidAppField::RedirectUri(3, InvalidRedirectUri::Fragment),
        InvalidAppField::Scopes,
    ];
    assert_eq!(faults, expected);
    assert_eq!(prepared.endings.opened(), 0);
}

#[tokio::test]
async fn a_registration_needs_a_scope_and_one_to_ten_redirect_uris() {
    for (form, fault) in [
        (AppForm { scopes: &[], ..FORM }, InvalidAppField::Scopes),
        (AppForm { scopes: &["everything"], ..FORM }, InvalidAppField::Scopes),
        (AppForm { redirect_uris: &[], ..FORM }, InvalidAppField::NoRedirectUri),
        (AppForm { redirect_uris: &[REDIRECT_URI; 11], ..FORM }, InvalidAppField::TooManyRedirectUris),
    ] {
        let refused = register(&TestStore::new([]), 0, form).await;
        assert!(
            matches!(&refused, Err(DeveloperAppError::Invalid(faults)) if *faults == [fault]),
            "{refused:?}"
        );
    }
}

#[tokio::test]
async fn a_registration_needs_a_recent_sign_in_whose_session_has_not_ended() {
    let stale = register(&TestStore::new([]), 300, FORM).await;
    assert!(matches!(stale, Err(DeveloperAppError::NotFresh)), "{stale:?}");
    let mut unit = MockUnitOfWork::default();
    unit.users.expect_find().times(1).return_once(|_| Ok(Some(person())));
    unit.sessions.expect_find().times(1).returning(|_, _| Ok(None));
    let prepared = TestStore::new([unit]);
    let ended = register(&prepared, 0, FORM).await;
    assert!(matches!(ended, Err(DeveloperAppError::NotFresh)), "{ended:?}");
    prepared.assert_nothing_stored();
}

#[tokio::test]
async fn a_locked_or_deleted_account_registers_nothing() {
    for user in [None, Some(User { status: locked(), ..person() })] {
        let prepared = TestStore::new([with_user(user)]);
        let refused = register(&prepared, 0, FORM).await;
        assert!(matches!(refused, Err(DeveloperAppError::AccountUnavailable)), "{refused:?}");
        prepared.assert_nothing_stored();
    }
}

#[tokio::test]
async fn a_person_registers_no_second_app_of_the_same_name() {
    let prepared = TestStore::new([with_names(vec![FORM.name.to_owned()])]);
    let refused = register(&prepared, 0, FORM).await;
    let Err(DeveloperAppError::Invalid(faults)) = refused else { panic!("registered") };
    assert_eq!(faults, [InvalidAppField::NameTaken]);
    prepared.assert_nothing_stored();
}

/// Names that imitate the server, its operator or an approved app, or claim a review.
const IMITATIONS: [&str; 9] = [
    "Restwell",
    "R\u{435}stwell Pro",
    "Official Night Owl",
    "Example Sleep Clinic",
    "Approved by the operator",
    "Night Owl ✔",
    "Exemple Sleep Clinic",
    "M\u{43e}on-Diary",
    "Star Dairy",
];

#[tokio::test]
async fn names_like_those_of_drafts_and_of_the_developers_apps_are_free() {
    for name in ["Sun Diary", "Rain Diary 2", "Moon"] {
        let mut unit = with_names(Vec::new());
        unit.clients.expect_insert().times(1).returning(|_| Ok(()));
        unit.clients.expect_insert_secret().times(1).returning(|_, _| Ok(()));
        assert!(register(&TestStore::new([unit]), 0, AppForm { name, ..FORM }).await.is_ok(), "{name}");
    }
}

#[tokio::test]
async fn no_app_is_registered_under_a_name_that_imitates_the_server() {
    for name in IMITATIONS {
        let prepared = TestStore::new([]);
        let refused = register(&prepared, 0, AppForm { name, ..FORM }).await;
        let Err(DeveloperAppError::Invalid(faults)) = refused else { panic!("registered {name}") };
        assert_eq!(faults, [InvalidAppField::NameReserved], "{name}");
        assert_eq!(prepared.endings.opened(), 0);
    }
}

#[tokio::test]
async fn one_person_registers_ten_apps_and_no_more() {
    let prepared = TestStore::new([with_names(vec!["Dream Diary".to_owned(); MAX_OWN_CLIENTS])]);
    let refused = register(&prepared, 0, FORM).await;
    assert!(matches!(refused, Err(DeveloperAppError::TooManyApps)), "{refused:?}");
    prepared.assert_nothing_stored();
}

/// Changes an app; returns the outcome and what was stored.
#[tokio::test]
async fn only_the_owner_deletes_an_app_and_not_a_disabled_one() {
    let disabled = Client { status: ClientStatus::Disabled { at: noon() }, ..approved() };
    for (client, is_deleted) in
        [(approved(), true), (disabled, false), (own(Review::Draft { owner: user_id(2) }), false)]
    {
        let mut unit = with_app(Some(client));
        unit.clients.expect_delete().times(usize::from(is_deleted)).returning(|_| Ok(true));
        let prepared = TestStore::new([unit]);
        let session = session(0);
        let command = AppCommand { session: &session, id: client_id(1), address: ADDRESS };
        let outcome = DeleteApp::new(prepared.units.clone(), entropy(), clock()).run(command).await;
        if is_deleted {
            outcome.unwrap();
            prepared.assert_committed(AuditKind::AppDeleted);
        } else {
            assert!(
                matches!(outcome, Err(DeveloperAppError::NotFound | DeveloperAppError::Disabled)),
                "{outcome:?}"
            );
            prepared.assert_nothing_stored();
        }
    }
}

#[tokio::test]
async fn only_its_owner_sees_an_app_with_its_live_secrets_and_counts() {
    for (owner, is_shown) in [(1, true), (2, false)] {
        let mut clients = MockClientReader::new();
        clients.expect_find_with_secrets().times(1).returning(|_| {
            let secrets = vec![stored_secret(1, Some(noon())), stored_secret(2, None)];
            Ok(Some(ClientWithSecrets { client: draft(), secrets }))
        });
        clients.expect_count_draft_users().times(usize::from(is_shown)).returning(|_| Ok(3));
        let mut grants = MockGrantReader::new();
        grants.expect_count_live_grants().times(usize::from(is_shown)).returning(|_, _| Ok(7));
        let mut usage = MockClientUsageStore::new();
        usage
            .expect_list_usage()
            .times(usize::from(is_shown))
            .withf(|id, since| *id == client_id(1) && *since == first_usage_day(noon()))
            .returning(|_, _| Ok(Vec::new()));
        let apps = ShowDeveloperApps::new(
            Arc::new(clients),
            Arc::new(grants),
            Arc::new(usage),
            DailyLimits::default(),
            clock(),
        );
        let found = apps.find(user_id(owner), client_id(1)).await.unwrap();
        assert_eq!(found.is_some(), is_shown);
        if let Some(found) = found {
            assert_eq!((found.live_grants, found.draft_users), (7, 3));
            assert_eq!(found.secrets, [stored_secret(2, None)]);
        }
    }
}
