//! Test data, and a plain connection outside the store.

use chrono::{DateTime, TimeDelta, Utc};
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::client::{
    Client, ClientKind, ClientName, ClientPages, ClientSecret, ClientStatus, RedirectUri, Review,
};
use domain::code::{AuthorizationCode, CodeState};
use domain::grant::{Grant, GrantState};
use domain::id::{AuditEventId, ClientId, ClientSecretId, GrantId, SleepSessionId, UserId};
use domain::resource::Resource;
use domain::scope::ScopeSet;
use domain::secret::SecretHash;
use domain::sleep::{Hypnogram, SessionKey, SleepRecord, SleepRecordHead, SleepSession, TimeInBed};
use domain::time::TimeZone;
use domain::user::{Biology, Email, User, UserStatus};
use postgres_adapter::PostgresStore;
use postgres_adapter::test_support::TestDatabase;
use std::pin::Pin;
use uuid::Uuid;

use application::ports::storage::{StorageError, UnitOfWork, UnitOfWorkFactory};

pub(crate) fn at(seconds: i64) -> DateTime<Utc> {
    DateTime::UNIX_EPOCH + TimeDelta::days(20_000) + TimeDelta::seconds(seconds)
}

pub(crate) fn user_id(number: u128) -> UserId {
    UserId::from_uuid(Uuid::from_u128(number))
}

pub(crate) fn user(number: u128) -> User {
    User {
        id: user_id(number),
        email: Email::parse(&format!("Person{number}@example.org")).unwrap(),
        home_timezone: TimeZone::parse("Europe/Berlin").unwrap(),
        created_at: at(0),
        status: UserStatus::Active,
        biology: Biology::default(),
    }
}

pub(crate) fn client() -> Client {
    Client {
        id: ClientId::from_uuid(Uuid::from_u128(900)),
        name: ClientName::parse("Night Owl").unwrap(),
        kind: ClientKind::App,
        redirect_uris: vec![RedirectUri::parse("https://owl.example/cb").unwrap()],
        pages: ClientPages::default(),
        contact: None,
        review: Review::BY_OPERATOR,
        scopes: ScopeSet::CONSENTABLE,
        allow_query_secrets: true,
        require_pkce: false,
        status: ClientStatus::Active,
        document: None,
        created_at: at(0),
    }
}

fn hash(number: u128) -> SecretHash {
    let mut bytes = [7; 32];
    bytes[..16].copy_from_slice(&number.to_be_bytes());
    SecretHash::from_bytes(bytes)
}

pub(crate) fn code(number: u128, user: u128) -> AuthorizationCode {
    AuthorizationCode {
        hash: hash(number),
        client_id: client().id,
        user_id: user_id(user),
        redirect_uri: "https://owl.example/cb".to_owned(),
        scopes: ScopeSet::CONSENTABLE,
        resource: Resource::Api,
        challenge: None,
        issued_at: at(0),
        expires_at: at(60),
        state: CodeState::Issued,
    }
}

pub(crate) fn grant(number: u128, user: u128) -> Grant {
    Grant {
        id: GrantId::from_uuid(Uuid::from_u128(number)),
        client_id: client().id,
        user_id: user_id(user),
        scopes: ScopeSet::CONSENTABLE,
        resource: Resource::Api,
        refresh_token_hash: hash(number),
        newest_token_hash: None,
        created_at: at(i64::try_from(number).unwrap()),
        last_used_at: None,
        last_used_from: None,
        state: GrantState::Live,
    }
}

/// Redeems a code of person 1 at this second into the grant with this number.
pub(crate) async fn redeem(
    unit: &mut Box<dyn UnitOfWork>,
    code: &AuthorizationCode,
    number: u128,
    second: i64,
) -> Result<bool, StorageError> {
    let grant = Grant { created_at: at(second), ..grant(number, 1) };
    let id = AuditEventId::from_uuid(Uuid::from_u128(number));
    let event = AuditEvent::new(id, at(second), AuditKind::GrantCreated, AuditActor::Client);
    Ok(unit.codes().redeem(&code.hash, &grant, &event).await?.is_some())
}

/// A session of eight hours; equal numbers have equal keys.
pub(crate) fn session(number: u32) -> SleepSession {
    let start = at(86_400 * i64::from(number));
    let time_in_bed = TimeInBed::new(start, start + TimeDelta::hours(8), None, None).unwrap();
    session_of(u128::from(number) + 1, time_in_bed, Hypnogram::empty())
}

pub(crate) fn session_of(id: u128, time_in_bed: TimeInBed, hypnogram: Hypnogram) -> SleepSession {
    let key = SessionKey::from_source(&format!("night-{id}")).unwrap();
    let head = SleepRecordHead { key, source: None, time_in_bed, is_nap: None };
    SleepSession {
        id: SleepSessionId::from_uuid(Uuid::from_u128(id)),
        record: SleepRecord::from_stages(head, hypnogram).unwrap(),
        updated_at: at(0),
    }
}

pub(crate) async fn begin(store: &PostgresStore) -> Box<dyn UnitOfWork> {
    store.begin().await.unwrap()
}

/// Stores these people and the client.
pub(crate) async fn populate(store: &PostgresStore, users: impl IntoIterator<Item = u128>) {
    let mut unit = begin(store).await;
    for number in users {
        unit.users().insert(&user(number)).await.unwrap();
    }
    let secret = ClientSecret {
        id: ClientSecretId::from_uuid(Uuid::from_u128(1)),
        hash: hash(1),
        created_at: at(0),
        expires_at: None,
    };
    unit.clients().insert(&client()).await.unwrap();
    unit.clients().insert_secret(client().id, &secret).await.unwrap();
    unit.commit().await.unwrap();
}

/// Opens a connection outside the store, to observe or block it.
pub(crate) async fn bystander(database: &TestDatabase) -> tokio_postgres::Client {
    let (client, connection) = tokio_postgres::connect(database.url(), tokio_postgres::NoTls).await.unwrap();
    tokio::spawn(connection);
    client
}

/// Runs a query that returns one number.
pub(crate) async fn number(client: &tokio_postgres::Client, sql: &str) -> i64 {
    client.query_one(sql, &[]).await.unwrap().get(0)
}

/// Runs a query that returns one column of text.
pub(crate) async fn texts(client: &tokio_postgres::Client, sql: &str) -> Vec<String> {
    client.query(sql, &[]).await.unwrap().iter().map(|row| row.get(0)).collect()
}

pub(crate) fn is_retryable<T>(result: &Result<T, StorageError>) -> bool {
    matches!(result, Err(StorageError::Retryable))
}

/// Changes two people in opposite orders; returns whether exactly one transaction may be retried.
pub(crate) async fn one_of_a_deadlock_is_retryable(store: &PostgresStore, first: u128, second: u128) -> bool {
    let (mut one, mut other) = (begin(store).await, begin(store).await);
    one.users().update(&user(first)).await.unwrap();
    other.users().update(&user(second)).await.unwrap();
    let (of_one, of_other) = tokio::join!(
        async {
            let updated = one.users().update(&user(second)).await;
            drop(one);
            updated
        },
        async {
            let updated = other.users().update(&user(first)).await;
            drop(other);
            updated
        }
    );
    is_retryable(&of_one) ^ is_retryable(&of_other)
}

pub(crate) fn is_unavailable<T>(result: &Result<T, StorageError>) -> bool {
    matches!(result, Err(StorageError::Unavailable))
}

/// Polls a future until the server reports that it waits for a lock.
pub(crate) async fn until_blocked(observer: &tokio_postgres::Client, waiting: Pin<&mut impl Future>) {
    const BLOCKED: &str = "SELECT count(*) FROM pg_stat_activity
        WHERE datname = current_database() AND application_name = 'restwell' AND wait_event_type = 'Lock'";

    tokio::select! {
        _ = waiting => panic!("it did not wait"),
        () = async { while number(observer, BLOCKED).await == 0 {} } => {}
    }
}
