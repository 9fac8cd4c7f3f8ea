//! Tests of clients. What the contract suite shows on each store, such as rejected forms, is not repeated.

mod change;
mod operator;
mod rotation;
mod secret;
mod usage;

use super::{AppDeveloper, AppError, AppForm, ChangedApp, Clients, CreatedClient, InvalidAppField};
use crate::access::DailyLimits;
use crate::client_usage::first_usage_day;
use crate::ports::storage::test_support::{MockUnitOfWork, PreparedUnitsOfWork};
use crate::ports::storage::{
    ClientReader, ClientWithSecrets, MockClientReader, MockClientUsageStore, MockGrantReader,
};
use crate::testing::{
    ADDRESS, REDIRECT_URI, app, client_id, noon, person, session, signed_in, store, stored_secret, units,
    user_id,
};
use domain::address::AddressBlock;
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::client::{
    Client, ClientKind, ClientName, ClientSecret, Contact, InvalidRedirectUri, MAX_OWN_CLIENTS, Review,
    ServerNames,
};
use domain::secret::SecretKind;
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

/// A unit of work that finds user 1, with a session.
fn with_user() -> MockUnitOfWork {
    let mut unit = MockUnitOfWork::default();
    unit.users.expect_find().times(1).withf(|id| *id == user_id(1)).return_once(|_| Ok(Some(person())));
    unit.sessions
        .expect_find()
        .times(..=1)
        .withf(|user, id| *user == user_id(1) && *id == session(0).id)
        .returning(|_, _| Ok(Some(session(0))));
    unit
}

/// A unit of work that also finds this client.
fn with_app(client: Client) -> MockUnitOfWork {
    let mut unit = with_user();
    let find = unit.clients.expect_find().times(1).withf(|id| *id == client_id(1));
    find.return_once(move |_| Ok(Some(client)));
    unit
}

/// Clients of this store, some of which are registered, without grants and requests.
fn clients(units: &Arc<PreparedUnitsOfWork>) -> Clients {
    Clients {
        store: store(units),
        reader: registered(),
        grants: Arc::new(MockGrantReader::new()),
        usage: Arc::new(MockClientUsageStore::new()),
        limits: DailyLimits::default(),
    }
}

/// Asserts that one unit of work was committed, with one event of user 1.
fn assert_committed(units: &PreparedUnitsOfWork, kind: AuditKind) -> AuditEvent {
    assert_eq!((units.endings().opened(), units.endings().committed()), (1, 1));
    let [event] = units.events().all().try_into().unwrap();
    assert_eq!((event.kind, event.actor, event.user_id), (kind, AuditActor::Person, Some(user_id(1))));
    assert_eq!(event.address, Some(AddressBlock::containing(ADDRESS)));
    event
}

fn assert_nothing_stored(units: &PreparedUnitsOfWork) {
    let endings = units.endings();
    assert_eq!((endings.committed(), endings.rolled_back()), (0, endings.opened()));
    assert_eq!(units.events().all(), []);
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
    let mut unit = with_user();
    let own = unit.clients.expect_list_own_names().times(1).withf(|owner| *owner == user_id(1));
    own.return_once(|_| Ok(names));
    unit
}

async fn register(units: &Arc<PreparedUnitsOfWork>, form: AppForm<'_>) -> Result<CreatedClient, AppError> {
    clients(units).register_app(&signed_in(299), form, false, SERVER).await
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
    let units = units([unit]);
    let created = register(&units, FORM).await.unwrap();
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
    let event = assert_committed(&units, AuditKind::AppRegistered);
    assert_eq!(event.client_id, Some(created.client.id));
}

#[tokio::test]
async fn a_public_app_is_registered_without_a_secret_and_must_use_pkce() {
    let mut unit = with_names(Vec::new());
    unit.clients.expect_insert().times(1).returning(|_| Ok(()));
    let clients = clients(&units([unit]));
    let created = clients.register_app(&signed_in(0), FORM, true, ServerNames::default()).await.unwrap();
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
    let units = units([]);
    let Err(AppError::Invalid(faults)) = register(&units, form).await else { panic!("registered") };
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
    assert_eq!(units.endings().opened(), 0);
}

#[tokio::test]
async fn a_registration_needs_a_scope_and_one_to_ten_redirect_uris() {
    for (form, fault) in [
        (AppForm { scopes: &[], ..FORM }, InvalidAppField::Scopes),
        (AppForm { scopes: &["everything"], ..FORM }, InvalidAppField::Scopes),
        (AppForm { redirect_uris: &[], ..FORM }, InvalidAppField::NoRedirectUri),
        (AppForm { redirect_uris: &[REDIRECT_URI; 11], ..FORM }, InvalidAppField::TooManyRedirectUris),
    ] {
        let rejected = register(&units([]), form).await;
        assert!(matches!(&rejected, Err(AppError::Invalid(faults)) if *faults == [fault]), "{rejected:?}");
    }
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
        assert!(register(&units([unit]), AppForm { name, ..FORM }).await.is_ok(), "{name}");
    }
}

#[tokio::test]
async fn no_app_is_registered_under_a_name_that_imitates_the_server() {
    for name in IMITATIONS {
        let units = units([]);
        let rejected = register(&units, AppForm { name, ..FORM }).await;
        let Err(AppError::Invalid(faults)) = rejected else { panic!("registered {name}") };
        assert_eq!(faults, [InvalidAppField::NameReserved], "{name}");
        assert_eq!(units.endings().opened(), 0);
    }
}

#[tokio::test]
async fn an_app_is_deleted_by_its_owner() {
    let mut unit = with_app(approved());
    unit.clients.expect_delete().times(1).withf(|id| *id == client_id(1)).returning(|_| Ok(true));
    let units = units([unit]);
    let (clients, person) = (clients(&units), signed_in(0));
    clients.delete_app(AppDeveloper { person: &person, app: client_id(1) }).await.unwrap();
    assert_committed(&units, AuditKind::AppDeleted);
}

#[tokio::test]
async fn only_its_owner_sees_an_app_with_its_live_secrets_and_counts() {
    for (owner, is_shown) in [(1, true), (2, false)] {
        let mut reader = MockClientReader::new();
        reader.expect_find_with_secrets().times(1).returning(|_| {
            let secrets = vec![stored_secret(1, Some(noon())), stored_secret(2, None)];
            Ok(Some(ClientWithSecrets { client: draft(), secrets }))
        });
        reader.expect_count_draft_users().times(usize::from(is_shown)).returning(|_| Ok(3));
        let mut grants = MockGrantReader::new();
        grants.expect_count_live_grants().times(usize::from(is_shown)).returning(|_, _| Ok(7));
        let mut usage = MockClientUsageStore::new();
        usage
            .expect_list_usage()
            .times(usize::from(is_shown))
            .withf(|id, since| *id == client_id(1) && *since == first_usage_day(noon()))
            .returning(|_, _| Ok(Vec::new()));
        let clients = Clients {
            reader: Arc::new(reader),
            grants: Arc::new(grants),
            usage: Arc::new(usage),
            ..clients(&units([]))
        };
        let found = clients.find_app(user_id(owner), client_id(1)).await.unwrap();
        assert_eq!(found.is_some(), is_shown);
        if let Some(found) = found {
            assert_eq!((found.live_grants, found.draft_users), (7, 3));
            assert_eq!(found.secrets, [stored_secret(2, None)]);
        }
    }
}
