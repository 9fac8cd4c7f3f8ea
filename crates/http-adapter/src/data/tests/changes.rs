//! The change feed from a client's view.

use super::sample;
use super::world::{
    NOBODY, OTHER, REVOKED, SERVICE, USER, World, assert_problem, assert_uncounted, parts, rate_headers, user,
};
use crate::data::sleep::{Include, SleepSessionDto};
use crate::data::supplements::SupplementDto;
use crate::tests::{NOW, Parts, port};
use actix_web::http::Method;
use application::StorageError;
use application::access::DailyLimits;
use application::read::{Change, ChangePage, ChangePageQuery, IntakeLogRow, SupplementRecord};
use chrono::TimeDelta;
use domain::change::{ChangeCursor, ChangePosition, UserFingerprint};
use domain::data_endpoint::PersonEndpoint;
use domain::data_kind::DataKind;
use domain::id::{IntakeLogId, UserId};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use uuid::Uuid;

fn path(query: &str) -> String {
    format!("/api/v1/changes/{USER}{query}")
}

fn position(number: i64, kind: DataKind) -> ChangePosition {
    ChangePosition { number, kind, id: Uuid::from_u128(u128::from(number.unsigned_abs())) }
}

/// Returns a server with these changes.
fn serving_changes(changes: Vec<(ChangePosition, Change)>, has_more: bool) -> World {
    let page = move |_| Ok(ChangePage { changes: changes.clone(), has_more, is_ahead: false });
    World::new(Parts { changes: port::changes(page), ..parts() })
}

/// Returns a server without changes, and the queries of its store.
fn listening() -> (World, Arc<Mutex<Vec<ChangePageQuery>>>) {
    let asked: Arc<Mutex<Vec<ChangePageQuery>>> = Arc::default();
    let recorded = Arc::clone(&asked);
    let changes = port::changes(move |query| {
        recorded.lock().unwrap().push(query);
        Ok(ChangePage::default())
    });
    (World::new(Parts { changes, ..parts() }), asked)
}

fn cursor(days_ago: i64) -> String {
    let after = Some(position(7, DataKind::Sleep));
    cursor_of(USER, after, days_ago)
}

fn cursor_of(user: &str, after: Option<ChangePosition>, days_ago: i64) -> String {
    let user = UserFingerprint::new(UserId::parse(user).unwrap());
    ChangeCursor { after, issued_at: NOW - TimeDelta::days(days_ago), user }.to_string()
}

#[actix_web::test]
async fn each_record_has_the_format_of_its_endpoint() {
    let person = UserId::parse(USER).unwrap();
    let night = sample::night(3);
    let SupplementRecord { supplement, logs } = sample::record(5, 1);
    let log = logs[0];
    let reported = vec![
        (position(1, DataKind::Profile), Change::Profile(Box::new(user(person)))),
        (position(2, DataKind::Sleep), Change::Session(Box::new(sample::packed(&night)))),
        (position(2, DataKind::Supplements), Change::Log { supplement: Arc::clone(&supplement), log }),
        (position(9, DataKind::Sleep), Change::Deleted),
    ];
    let world = serving_changes(reported, false);
    let answer = world.get(&path("")).await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("content-type"), Some("application/json"));
    let body = answer.json();
    let id = |number: u128| Uuid::from_u128(number).to_string();
    let profile = world.get(&format!("/api/v1/profile/{USER}")).await.json()["data"].clone();
    assert_eq!(
        body["data"],
        json!([
            {"type": "profile", "op": "upsert", "id": id(1), "record": profile},
            {"type": "sleep", "op": "upsert", "id": id(2), "record": SleepSessionDto::new(&night, Include::ALL)},
            {"type": "supplements", "op": "upsert", "id": id(2),
             "record": SupplementDto::new(&SupplementRecord { supplement, logs }, person)},
            {"type": "sleep", "op": "delete", "id": id(9)},
        ])
    );
    let after = Some(position(9, DataKind::Sleep));
    assert_eq!(body["cursor"], cursor_of(USER, after, 0));
    assert_eq!(body["has_more"], false);
    assert_eq!(rate_headers(&answer)[..2], [10_000, 9_999]);
    assert_eq!(body["limit"]["X-RateLimit-Remaining"], 9_999);
    let members = ["{\"data\":[", "],\"cursor\":\"", ",\"has_more\":false,\"limit\":{"];
    assert!(members.iter().all(|member| answer.text().contains(member)), "{}", answer.text());
}

#[actix_web::test]
async fn a_page_before_others_has_more_and_a_large_one_is_valid_json() {
    let change = |number: u32| {
        let row = sample::packed(&sample::night(number % 300));
        (position(i64::from(number), DataKind::Sleep), Change::Session(Box::new(row)))
    };
    let answer = serving_changes((0..1_000).map(change).collect(), true).get(&path("?limit=1000")).await;
    assert!(answer.text().len() > 500_000);
    let body: Value = answer.json();
    assert_eq!(body["data"].as_array().map(Vec::len), Some(1_000));
    assert_eq!(body["has_more"], true);
}

#[actix_web::test]
async fn parameters_become_the_query_of_the_store() {
    let (world, asked) = listening();
    let given = format!("?cursor={}&limit=7&types=supplements,profile&page=3", cursor(89));
    for query in ["", "?limit=1000", "?types=sleep", &given] {
        assert_eq!(world.get(&path(query)).await.status, 200, "{query}");
    }
    let query = |after, kinds: &[DataKind], limit| ChangePageQuery {
        user_id: UserId::parse(USER).unwrap(),
        after,
        kinds: kinds.to_vec(),
        limit,
    };
    let expected = [
        query(None, &DataKind::ALL, 100),
        query(None, &DataKind::ALL, 1_000),
        query(None, &[DataKind::Sleep], 100),
        query(Some(position(7, DataKind::Sleep)), &[DataKind::Supplements, DataKind::Profile], 7),
    ];
    assert_eq!(*asked.lock().unwrap(), expected);
}

#[actix_web::test]
async fn a_malformed_parameter_is_named_and_counts() {
    let (world, asked) = listening();
    let good = cursor(1);
    let cases = [
        ("limit=0", "limit"),
        ("limit=1001", "limit"),
        ("limit=-1", "limit"),
        ("limit=ten", "limit"),
        ("limit=1&limit=2", "limit"),
        ("limit=", "limit"),
        ("types=", "types"),
        ("types=sleep,sleep", "types"),
        ("types=sleep,", "types"),
        ("types=Sleep", "types"),
        ("types=sleep&types=profile", "types"),
        ("cursor=", "cursor"),
        ("cursor=abc", "cursor"),
        ("cursor=%00", "cursor"),
        (&format!("cursor={good}A"), "cursor"),
        (&format!("cursor={good}&cursor={good}"), "cursor"),
    ];
    for ((query, field), used) in cases.into_iter().zip(1..) {
        let answer = world.get(&path(&format!("?{query}"))).await;
        assert_problem(&answer, 400, "invalid_parameter");
        assert_eq!(answer.json()["errors"][0]["field"], field, "{query}");
        assert_eq!(rate_headers(&answer)[1], 10_000 - used);
    }
    let answer = world.get(&path("?limit=0&types=x&cursor=y")).await;
    assert_eq!(answer.json()["errors"].as_array().map(Vec::len), Some(3));
    assert!(asked.lock().unwrap().is_empty());
}

#[actix_web::test]
async fn an_old_cursor_is_expired() {
    let (world, asked) = listening();
    let answer = world.get(&path(&format!("?cursor={}", cursor(91)))).await;
    assert_problem(&answer, 410, "cursor_expired");
    assert_eq!(rate_headers(&answer)[1], 9_999);
    assert!(asked.lock().unwrap().is_empty());
}

#[actix_web::test]
async fn a_cursor_from_the_future_is_gone() {
    let (world, asked) = listening();
    assert_problem(&world.get(&path(&format!("?cursor={}", cursor(-1)))).await, 410, "cursor_expired");
    assert!(asked.lock().unwrap().is_empty());
}

#[actix_web::test]
async fn another_users_cursor_is_an_invalid_parameter() {
    let (world, asked) = listening();
    let other = cursor_of(OTHER, Some(position(7, DataKind::Sleep)), 1);
    let answer = world.get(&path(&format!("?cursor={other}"))).await;
    assert_problem(&answer, 400, "invalid_parameter");
    assert_eq!(answer.json()["errors"][0]["field"], "cursor");
    assert_eq!(rate_headers(&answer)[1], 9_999);
    assert!(asked.lock().unwrap().is_empty());
}

#[actix_web::test]
async fn a_token_reads_the_changes_that_its_scopes_allow_and_no_others() {
    let (world, asked) = listening();
    assert_eq!(world.get_with(&path(""), "sleep").await.status, 200);
    assert_eq!(world.get_with(&path("?types=sleep"), "sleep").await.status, 200);
    let kinds: Vec<_> = asked.lock().unwrap().iter().map(|query| query.kinds.clone()).collect();
    assert_eq!(kinds, [[DataKind::Sleep], [DataKind::Sleep]]);
    let answer = world.get_with(&path("?types=sleep,supplements"), "sleep").await;
    assert_problem(&answer, 403, "insufficient_scope");
    assert!(answer.header("www-authenticate").unwrap().contains("scope=\"supplements\""));
}

#[actix_web::test]
async fn unauthorized_requests_get_the_usual_errors_and_are_not_counted() {
    let (world, asked) = listening();
    for (path, token, status, code) in [
        (path(""), "not a token", 401, "invalid_token"),
        (path(""), REVOKED, 401, "invalid_token"),
        (path(""), SERVICE, 403, "other_user"),
        (path("").replace(USER, OTHER), "sleep", 403, "other_user"),
        (path("").replace(USER, NOBODY), "sleep", 403, "other_user"),
        (path("").replace(USER, "me"), "sleep", 400, "invalid_user_id"),
    ] {
        let answer = world.get_with(&path, token).await;
        assert_problem(&answer, status, code);
        assert_uncounted(&answer);
    }
    assert_problem(&world.get_authorized(&path(""), &[]).await, 401, "missing_token");
    assert!(asked.lock().unwrap().is_empty());
}

#[actix_web::test]
async fn the_change_feed_has_a_separate_counter_and_one_path() {
    let daily_limits = DailyLimits::from_iter([(PersonEndpoint::Changes, 1)]);
    let world = World::new(Parts { daily_limits, ..with_nothing() });
    assert_eq!(world.get(&format!("/api/v1/sleep/{USER}")).await.status, 200);
    assert_eq!(world.get(&path("")).await.status, 200);
    let refused = world.get(&path("")).await;
    assert_problem(&refused, 429, "rate_limited");
    assert_eq!(refused.json()["limit"]["X-RateLimit-Limit"], 1);
    assert_eq!(world.get(&format!("/api/v1/sleep/{USER}")).await.status, 200);
    assert_problem(&world.get(&format!("/api/changes/{USER}")).await, 404, "not_found");
    for method in [Method::POST, Method::DELETE, Method::PUT] {
        assert_eq!(world.ask(method, &path("")).await.status, 405);
    }
}

fn with_nothing() -> Parts {
    Parts { changes: port::changes(|_| Ok(ChangePage::default())), ..parts() }
}

#[actix_web::test]
async fn a_store_that_fails_is_a_503_and_a_corrupt_record_a_500() {
    let changes = port::changes(|_| Err(StorageError::Unavailable));
    let world = World::new(Parts { changes, ..parts() });
    assert_problem(&world.get(&path("")).await, 503, "storage_unavailable");

    let mut row = sample::packed(&sample::night(1));
    row.stages = [9, 9, 9, 9, 9].into();
    let corrupt = Change::Session(Box::new(row));
    let world = serving_changes(vec![(position(1, DataKind::Sleep), corrupt)], false);
    assert_problem(&world.get(&path("")).await, 500, "internal_error");

    let supplement = sample::record(5, 0).supplement;
    let id = IntakeLogId::from_uuid(Uuid::nil());
    let log = IntakeLogRow { id, created_at_micros: 0, servings: f64::NAN };
    let world =
        serving_changes(vec![(position(1, DataKind::Supplements), Change::Log { supplement, log })], false);
    assert_problem(&world.get(&path("")).await, 500, "internal_error");
}
