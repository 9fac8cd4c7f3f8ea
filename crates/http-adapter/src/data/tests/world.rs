//! A server on mock ports: several tokens, two people, counters, and the data of a test.

use crate::ApiState;
use crate::tests::{MemoryStore, NOW, Parts, TestResponse, port, send};
use actix_web::http::Method;
use actix_web::test::TestRequest;
use application::StorageError;
use application::ports::storage::{AccessState, MockAccessReader, MockSleepReader, MockSupplementReader};
use application::ports::system::{InvalidToken, MockRateLimiter, MockTokenVerifier};
use application::read::{PackedSleepRow, SleepPage, SleepPageQuery, SupplementPage, SupplementPageQuery};
use domain::access_token::{AccessClaims, TokenSubject};
use domain::id::{ClientId, GrantId, TokenId, UserId};
use domain::paging::SortDirection;
use domain::rate_limit::{RateStatus, RateWindow};
use domain::resource::Resource;
use domain::scope::{Scope, ScopeSet};
use domain::time::TimeZone;
use domain::user::{Biology, Email, User, UserStatus};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use uuid::Uuid;

pub(super) const USER: &str = "8c1a5e4f-6b7d-4e9a-8f9c-0d4b5a6f7e8d";
/// Another person, who has data.
pub(super) const OTHER: &str = "1d2e3f40-5a6b-4c7d-8e9f-0a1b2c3d4e5f";
/// A user id without a person.
pub(super) const NOBODY: &str = "2e3f4051-6b7c-4d8e-9f0a-1b2c3d4e5f60";

/// A token for every scope, one for each scope alone, one of a revoked grant, one of a service client.
pub(super) const TOKEN: &str = "token.for.everything";
pub(super) const REVOKED: &str = "token.of.revoked-grant";
pub(super) const SERVICE: &str = "token.of.service";
/// The only person whose access look-up fails.
pub(super) const UNREADABLE: &str = "token.of.unreadable";

pub(super) const ENDPOINTS: [&str; 3] = ["profile", "sleep", "supplements"];

/// Returns both paths of an endpoint.
pub(super) fn paths(endpoint: &str, user_id: &str) -> [String; 2] {
    [format!("/api/v1/{endpoint}/{user_id}"), format!("/api/{endpoint}/{user_id}")]
}

/// Server under test.
pub(super) struct World {
    state: Arc<ApiState>,
}

impl World {
    pub(super) fn new(parts: Parts) -> Self {
        Self { state: parts.build() }
    }

    /// Returns a server with no data but the profile.
    pub(super) fn empty() -> Self {
        Self::new(parts())
    }

    /// Sends a request with the token for every scope.
    pub(super) async fn get(&self, path: &str) -> TestResponse {
        self.get_with(path, TOKEN).await
    }

    pub(super) async fn get_with(&self, path: &str, token: &str) -> TestResponse {
        self.send(TestRequest::get().uri(path).insert_header(("authorization", format!("Bearer {token}"))))
            .await
    }

    /// Sends a request with these values of `Authorization`.
    pub(super) async fn get_authorized(&self, path: &str, values: &[&[u8]]) -> TestResponse {
        let request = values.iter().fold(TestRequest::get().uri(path), |request, value| {
            request.append_header(("authorization", *value))
        });
        self.send(request).await
    }

    pub(super) async fn ask(&self, method: Method, path: &str) -> TestResponse {
        self.send(
            TestRequest::with_uri(path)
                .method(method)
                .insert_header(("authorization", format!("Bearer {TOKEN}"))),
        )
        .await
    }

    async fn send(&self, request: TestRequest) -> TestResponse {
        send(&self.state, request).await
    }
}

/// Returns parts that work, with no data but the profile.
pub(super) fn parts() -> Parts {
    Parts {
        verifier: verifier(),
        access: access(),
        limiter: limiter(),
        profiles: port::profiles(|id| Ok(Some(user(id)))),
        sleep: port::sleep(|_| Ok(SleepPage::default())),
        supplements: port::supplements(|_| Ok(SupplementPage::default())),
        ..Parts::default()
    }
}

pub(super) fn user(id: UserId) -> User {
    User {
        id,
        email: Email::parse("sam@example.org").unwrap(),
        home_timezone: zone(),
        created_at: NOW,
        status: UserStatus::Active,
        biology: Biology::default(),
    }
}

/// Time zone of every person.
pub(super) fn zone() -> TimeZone {
    TimeZone::parse("Europe/Berlin").unwrap()
}

fn claims(subject: TokenSubject, scopes: ScopeSet) -> AccessClaims {
    let client_id = match subject {
        TokenSubject::Person { .. } => ClientId::from_uuid(Uuid::nil()),
        TokenSubject::Service => ClientId::parse(MemoryStore::SERVICE).unwrap(),
    };
    AccessClaims {
        id: TokenId::from_uuid(Uuid::nil()),
        subject,
        client_id,
        scopes,
        audience: Resource::Api,
        issued_at: NOW,
        expires_at: AccessClaims::end_from(NOW),
    }
}

fn verifier() -> Arc<MockTokenVerifier> {
    port::verifier(|token, _| {
        let person = |grant: u128, scopes| {
            let user_id = UserId::parse(USER).unwrap();
            let grant_id = GrantId::from_uuid(Uuid::from_u128(grant));
            Ok(claims(TokenSubject::Person { user_id, grant_id }, scopes))
        };
        match token {
            TOKEN => person(1, ScopeSet::CONSENTABLE),
            REVOKED => person(2, ScopeSet::CONSENTABLE),
            UNREADABLE => person(3, ScopeSet::CONSENTABLE),
            SERVICE => Ok(claims(TokenSubject::Service, ScopeSet::from_iter([Scope::SleepWrite]))),
            other => person(1, ScopeSet::parse(other).map_err(|_| InvalidToken)?),
        }
    })
}

fn access() -> Arc<MockAccessReader> {
    port::access(|_, grant| {
        let number = grant.as_uuid().as_u128();
        if number == 3 {
            return Err(StorageError::Unavailable);
        }
        Ok(Some(AccessState {
            client_id: ClientId::from_uuid(Uuid::nil()),
            scopes: ScopeSet::CONSENTABLE,
            is_live: number == 1,
            ended_at: None,
            home_timezone: zone(),
        }))
    })
}

/// Counts in the process, as the port specifies.
fn limiter() -> Arc<MockRateLimiter> {
    let used = Mutex::new(HashMap::new());
    port::limiter(move |key, limit, now| {
        let mut used = used.lock().unwrap();
        let used = used.entry(key).or_insert(0);
        let status = RateStatus::after(*used, limit, RateWindow::at(now));
        *used += u32::from(status.allowed);
        status
    })
}

/// Pages through rows, as the port specifies.
pub(super) fn sleep_of(rows: Vec<PackedSleepRow>) -> Arc<MockSleepReader> {
    port::sleep(move |SleepPageQuery { range, page, .. }| {
        let mut found: Vec<_> = rows
            .iter()
            .filter(|row| {
                let start = chrono::DateTime::from_timestamp_millis(row.started_at_millis).unwrap();
                range.contains(start)
            })
            .cloned()
            .collect();
        found.sort_by_key(|row| (row.started_at_millis, row.id));
        if page.sort == SortDirection::Descending {
            found.reverse();
        }
        let offset = usize::try_from(page.offset()).unwrap();
        let size = usize::from(page.size.get());
        let has_more = found.len().saturating_sub(offset) > size;
        let rows = found.into_iter().skip(offset).take(size).collect();
        Ok(SleepPage { rows, has_more })
    })
}

/// Queries that reached the store.
pub(super) type Queries<Q> = Arc<Mutex<Vec<Q>>>;

/// Records queries of sleep, and returns no rows.
pub(super) fn recording_sleep() -> (Arc<MockSleepReader>, Queries<SleepPageQuery>) {
    let asked: Queries<SleepPageQuery> = Arc::default();
    let recorded = Arc::clone(&asked);
    let reader = port::sleep(move |query| {
        recorded.lock().unwrap().push(query);
        Ok(SleepPage::default())
    });
    (reader, asked)
}

/// Records queries of supplements, and returns no rows.
pub(super) fn recording_supplements() -> (Arc<MockSupplementReader>, Queries<SupplementPageQuery>) {
    let asked: Queries<SupplementPageQuery> = Arc::default();
    let recorded = Arc::clone(&asked);
    let reader = port::supplements(move |query| {
        recorded.lock().unwrap().push(query);
        Ok(SupplementPage::default())
    });
    (reader, asked)
}

/// Checks an error's body and status.
#[track_caller]
pub(super) fn assert_problem(answer: &TestResponse, status: u16, code: &str) {
    assert_eq!((answer.status.as_u16(), answer.member("code").as_str()), (status, code), "{}", answer.text());
    assert_eq!(answer.header("content-type"), Some("application/problem+json"));
    let body = answer.json();
    assert_eq!(body["status"], status);
    for member in ["type", "title", "detail", "request_id"] {
        assert!(body[member].as_str().is_some_and(|text| !text.is_empty()), "{member}: {body}");
    }
}

const RATE_HEADERS: [&str; 3] = ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"];

/// Returns the three headers of the rate limit as numbers.
#[track_caller]
pub(super) fn rate_headers(answer: &TestResponse) -> [i64; 3] {
    RATE_HEADERS.map(|name| answer.header(name).unwrap_or_else(|| panic!("no {name}")).parse().unwrap())
}

#[track_caller]
pub(super) fn assert_uncounted(answer: &TestResponse) {
    for name in RATE_HEADERS {
        assert_eq!(answer.header(name), None, "{name}");
    }
    assert!(answer.json().get("limit").is_none());
}
