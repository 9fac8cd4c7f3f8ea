use super::*;
use chrono::{DateTime, TimeDelta, Utc};
use domain::id::{ClientId, PersonalTokenId};
use domain::scope::ScopeSet;
use domain::time::TimeZone;
use metrics_exporter_prometheus::PrometheusBuilder;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use uuid::Uuid;

const LONG: Duration = Duration::from_hours(1);
const REVOKED_AT: DateTime<Utc> = DateTime::UNIX_EPOCH;

/// Next result of the fake store.
#[derive(Clone, Copy)]
enum Reply {
    Live,
    Revoked,
    Nothing,
    Failure,
}

struct ScriptedReader {
    reply: Mutex<Reply>,
    takes: Duration,
    asked: AtomicUsize,
}

impl ScriptedReader {
    fn new(reply: Reply, takes: Duration) -> Arc<Self> {
        Arc::new(Self { reply: Mutex::new(reply), takes, asked: AtomicUsize::new(0) })
    }

    fn set_reply(&self, reply: Reply) {
        *self.reply.lock().unwrap() = reply;
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }

    /// Returns the next result, after the time that a slow store takes.
    async fn answer(&self) -> Reply {
        self.asked.fetch_add(1, Ordering::SeqCst);
        let reply = *self.reply.lock().unwrap();
        if !self.takes.is_zero() {
            tokio::time::sleep(self.takes).await;
        }
        reply
    }
}

#[async_trait]
impl AccessReader for ScriptedReader {
    async fn find_access(&self, _: UserId, _: GrantId) -> Result<Option<AccessState>, StorageError> {
        match self.answer().await {
            Reply::Live => Ok(Some(state(true))),
            Reply::Revoked => Ok(Some(state(false))),
            Reply::Nothing => Ok(None),
            Reply::Failure => Err(StorageError::Unavailable),
        }
    }

    async fn find_personal_access(&self, _: &SecretHash) -> Result<Option<PersonalAccess>, StorageError> {
        match self.answer().await {
            Reply::Live => Ok(Some(personal(true))),
            Reply::Revoked => Ok(Some(personal(false))),
            Reply::Nothing => Ok(None),
            Reply::Failure => Err(StorageError::Unavailable),
        }
    }
}

fn state(is_live: bool) -> AccessState {
    AccessState {
        client_id: ClientId::from_uuid(Uuid::from_u128(4)),
        scopes: ScopeSet::CONSENTABLE,
        is_live,
        ended_at: (!is_live).then_some(REVOKED_AT),
        home_timezone: TimeZone::parse("Europe/Rome").unwrap(),
    }
}

fn personal(is_live: bool) -> PersonalAccess {
    PersonalAccess {
        token_id: PersonalTokenId::from_uuid(Uuid::from_u128(5)),
        user_id: user(1),
        scopes: ScopeSet::CONSENTABLE,
        is_live,
        ended_at: (!is_live).then_some(REVOKED_AT),
        expires_at: None,
        home_timezone: TimeZone::parse("Europe/Rome").unwrap(),
    }
}

fn hash(number: u8) -> SecretHash {
    SecretHash::from_bytes([number; 32])
}

fn user(number: u128) -> UserId {
    UserId::from_uuid(Uuid::from_u128(number))
}

fn grant(number: u128) -> GrantId {
    GrantId::from_uuid(Uuid::from_u128(number))
}

#[tokio::test]
async fn a_live_grant_is_cached_for_its_person_and_grant_only() {
    let store = ScriptedReader::new(Reply::Live, Duration::ZERO);
    let reader = CachedAccessReader::with_any_age(store.clone(), LONG);
    for _ in 0..3 {
        assert_eq!(reader.find_access(user(1), grant(1)).await.unwrap(), Some(state(true)));
    }
    assert_eq!(store.asked(), 1);
    store.set_reply(Reply::Nothing);
    assert_eq!(reader.find_access(user(2), grant(1)).await.unwrap(), None);
    assert_eq!(reader.find_access(user(1), grant(2)).await.unwrap(), None);
    assert_eq!(store.asked(), 3);
}

#[tokio::test]
async fn a_live_personal_token_is_cached_by_its_hash_only() {
    let store = ScriptedReader::new(Reply::Live, Duration::ZERO);
    let reader = CachedAccessReader::with_any_age(store.clone(), LONG);
    for _ in 0..3 {
        assert_eq!(reader.find_personal_access(&hash(1)).await.unwrap(), Some(personal(true)));
    }
    assert_eq!(store.asked(), 1);
    store.set_reply(Reply::Nothing);
    assert_eq!(reader.find_personal_access(&hash(2)).await.unwrap(), None);
    assert_eq!(store.asked(), 2);
}

/// A call of the reader.
#[derive(Debug, Clone, Copy)]
enum ReaderCall {
    Grant,
    PersonalToken,
}

const QUESTIONS: [ReaderCall; 2] = [ReaderCall::Grant, ReaderCall::PersonalToken];

/// Returns whether the access is live; `None` if there is none.
async fn is_live(reader: &CachedAccessReader, question: ReaderCall) -> Result<Option<bool>, StorageError> {
    Ok(match question {
        ReaderCall::Grant => reader.find_access(user(1), grant(1)).await?.map(|state| state.is_live),
        ReaderCall::PersonalToken => {
            reader.find_personal_access(&hash(1)).await?.map(|access| access.is_live)
        }
    })
}

#[tokio::test]
async fn absence_revocation_and_failures_are_not_cached() {
    for question in QUESTIONS {
        for reply in [Reply::Revoked, Reply::Nothing, Reply::Failure] {
            let store = ScriptedReader::new(reply, Duration::ZERO);
            let reader = CachedAccessReader::with_any_age(store.clone(), LONG);
            for _ in 0..3 {
                assert!(!matches!(is_live(&reader, question).await, Ok(Some(true))), "{question:?}");
            }
            assert_eq!(store.asked(), 3);
            store.set_reply(Reply::Live);
            assert_eq!(is_live(&reader, question).await.unwrap(), Some(true));
        }
    }
}

/// Waits 25 ms, until the cached result has expired.
#[tokio::test]
async fn a_revocation_is_seen_once_the_cached_result_expires() {
    let store = ScriptedReader::new(Reply::Live, Duration::ZERO);
    let reader = CachedAccessReader::new(store.clone(), Duration::from_millis(20));
    reader.find_access(user(1), grant(1)).await.unwrap();
    store.set_reply(Reply::Revoked);
    tokio::time::sleep(Duration::from_millis(25)).await;
    assert_eq!(reader.find_access(user(1), grant(1)).await.unwrap(), Some(state(false)));
}

#[tokio::test]
async fn the_age_of_a_result_is_measured_from_its_request() {
    for question in QUESTIONS {
        let store = ScriptedReader::new(Reply::Live, Duration::from_millis(60));
        let reader = CachedAccessReader::new(store.clone(), Duration::from_millis(50));
        is_live(&reader, question).await.unwrap();
        store.set_reply(Reply::Revoked);
        assert_eq!(is_live(&reader, question).await.unwrap(), Some(false), "{question:?}");
    }
}

#[tokio::test]
async fn an_age_of_zero_disables_the_cache() {
    let store = ScriptedReader::new(Reply::Live, Duration::ZERO);
    let reader = CachedAccessReader::new(store.clone(), Duration::ZERO);
    for _ in 0..3 {
        reader.find_access(user(1), grant(1)).await.unwrap();
        reader.find_personal_access(&hash(1)).await.unwrap();
    }
    assert_eq!(store.asked(), 6);
}

#[test]
fn no_setting_allows_results_older_than_one_second() {
    let store = ScriptedReader::new(Reply::Live, Duration::ZERO);
    assert_eq!(CachedAccessReader::new(store, LONG).max_age, Duration::from_secs(1));
}

/// A clock shortly after the revocation.
struct LaterClock;

impl Clock for LaterClock {
    fn now(&self) -> DateTime<Utc> {
        REVOKED_AT + TimeDelta::milliseconds(750)
    }
}

/// Returns the recorded revocation metrics.
fn measured(work: impl Future<Output = ()>) -> String {
    let recorder = PrometheusBuilder::new().set_buckets(&[0.5, 1.0]).unwrap().build_recorder();
    let handle = recorder.handle();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    metrics::with_local_recorder(&recorder, || runtime.block_on(work));
    handle.render()
}

/// Waits 30 ms, until the cached results have expired.
#[test]
fn the_time_from_a_revocation_to_the_first_refusal_is_measured_once() {
    let metrics = measured(async {
        let store = ScriptedReader::new(Reply::Live, Duration::ZERO);
        let reader = CachedAccessReader::new(store.clone(), Duration::from_millis(20));
        let reader = reader.measuring(Arc::new(LaterClock));
        reader.find_access(user(1), grant(1)).await.unwrap();
        reader.find_personal_access(&hash(1)).await.unwrap();
        store.set_reply(Reply::Revoked);
        tokio::time::sleep(Duration::from_millis(30)).await;
        for _ in 0..3 {
            assert_eq!(reader.find_access(user(1), grant(1)).await.unwrap(), Some(state(false)));
            reader.find_personal_access(&hash(1)).await.unwrap();
        }
    });
    assert!(metrics.contains("restwell_revocation_delay_seconds_count 2"), "{metrics}");
    assert!(metrics.contains("restwell_revocation_delay_seconds_sum 1.5"), "{metrics}");
}

#[test]
fn the_delay_is_measured_only_for_grants_accepted_before() {
    let metrics = measured(async {
        let store = ScriptedReader::new(Reply::Revoked, Duration::ZERO);
        let reader = CachedAccessReader::with_any_age(store, LONG).measuring(Arc::new(LaterClock));
        reader.find_access(user(1), grant(1)).await.unwrap();
    });
    assert!(!metrics.contains("restwell_revocation_delay_seconds_count 1"), "{metrics}");
}
