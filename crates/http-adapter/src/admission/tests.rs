#![expect(clippy::disallowed_methods, reason = "the middleware is tested with routes that no server has")]

use super::{Admission, AdmissionLimits, PermitRefusal, RequestKind, ResponseOwner};
use crate::ApiState;
use crate::middleware::wrap;
use crate::route::Endpoint;
use crate::tests::{Parts, TestResponse, log_of, send, send_to};
use actix_web::HttpResponse;
use actix_web::test::TestRequest;
use actix_web::web::{self, ServiceConfig};
use domain::id::{ClientId, UserId};
use domain::read_tally::Reader;
use futures_util::future::join_all;
use std::sync::Arc;
use tokio::sync::Semaphore;
use uuid::Uuid;

fn state(requests: u32) -> Arc<ApiState> {
    let admission = Admission::new(AdmissionLimits { requests, ..AdmissionLimits::default() });
    Parts { admission, ..Parts::default() }.build()
}

/// Serves paths whose answers wait for a permit, and one whose answers do not.
fn serve_gated(state: &Arc<ApiState>, gate: &Arc<Semaphore>) -> impl FnOnce(&mut ServiceConfig) {
    let (state, gate) = (state.clone(), gate.clone());
    let waits = move || {
        let gate = gate.clone();
        async move {
            gate.acquire().await.unwrap().forget();
            HttpResponse::Ok().finish()
        }
    };
    move |app| {
        let routes = web::scope("")
            .service(web::resource("/held").to(waits.clone()))
            .service(web::resource("/free").to(HttpResponse::Ok));
        app.app_data(web::Data::from(state.http.clone()))
            .service(Endpoint::Token.resource().to(waits.clone()))
            .service(Endpoint::Imports.resource().to(waits.clone()))
            .service(Endpoint::Sleep.resource().to(waits))
            .service(wrap(routes));
    }
}

async fn until_taken(permits: &Semaphore) {
    while permits.available_permits() > 0 {
        tokio::task::yield_now().await;
    }
}

fn assert_refused(answer: &TestResponse) {
    assert_eq!((answer.status.as_u16(), answer.header("retry-after")), (503, Some("2")), "{}", answer.text());
}

#[actix_web::test]
async fn requests_beyond_the_bound_are_refused_and_health_checks_are_not() {
    let (state, gate) = (state(2), Arc::new(Semaphore::new(0)));
    let ask = |path: &'static str| send_to(serve_gated(&state, &gate), TestRequest::get().uri(path));
    let beyond = async {
        until_taken(&state.http.admission.0.requests).await;
        let refused = ask("/free").await;
        assert_refused(&refused);
        assert_eq!(refused.member("code"), "overloaded");
        let refused = ask("/api/%74oken").await;
        assert_refused(&refused);
        assert_eq!(refused.member("error"), "temporarily_unavailable");
        for path in ["/livez", "/readyz", "/%6civez"] {
            assert_eq!(send(&state, TestRequest::get().uri(path)).await.status.as_u16(), 200, "{path}");
        }
        gate.add_permits(2);
    };
    let (one, other, ()) = tokio::join!(ask("/held"), ask("/api/token"), beyond);
    assert_eq!((one.status.as_u16(), other.status.as_u16()), (200, 200));
    assert_eq!(ask("/free").await.status.as_u16(), 200);
    assert_eq!(state.http.admission.0.requests.available_permits(), 2);
}

#[actix_web::test]
async fn requests_with_bodies_leave_permits_for_those_without() {
    let (state, gate) = (state(2), Arc::new(Semaphore::new(0)));
    let post = || {
        let request = TestRequest::post().uri("/held").insert_header(("content-length", "3"));
        send_to(serve_gated(&state, &gate), request.set_payload("abc"))
    };
    let beyond = async {
        until_taken(&state.http.admission.0.bodies).await;
        assert_refused(&post().await);
        let chunked = TestRequest::post().uri("/held").insert_header(("transfer-encoding", "chunked"));
        assert_refused(&send_to(serve_gated(&state, &gate), chunked).await);
        let get = TestRequest::get().uri("/free").insert_header(("content-length", "0"));
        assert_eq!(send_to(serve_gated(&state, &gate), get).await.status.as_u16(), 200);
        gate.add_permits(1);
    };
    let (answer, ()) = tokio::join!(post(), beyond);
    assert_eq!(answer.status.as_u16(), 200);
}

#[actix_web::test]
async fn slow_uploads_and_writes_leave_permits_for_tokens_and_pages() {
    let (state, gate) = (state(8), Arc::new(Semaphore::new(0)));
    let post = |path: &'static str| {
        let request = TestRequest::post().uri(path).insert_header(("content-length", "3"));
        send_to(serve_gated(&state, &gate), request.set_payload("abc"))
    };
    let uploads = join_all((0..40).map(|_| post("/imports")));
    let writes = join_all((0..6).map(|_| post("/api/v1/sleep/x")));
    let others = async {
        until_taken(&state.http.admission.0.bodies).await;
        until_taken(&state.http.admission.0.uploads).await;
        assert_refused(&post("/imports").await);
        assert_refused(&post("/free").await);
        assert_eq!(
            send_to(serve_gated(&state, &gate), TestRequest::get().uri("/free")).await.status.as_u16(),
            200
        );
        assert_eq!(state.http.admission.0.requests.available_permits(), 4);
        gate.add_permits(1000);
    };
    let (uploads, writes, ()) = tokio::join!(uploads, writes, others);
    let served =
        |answers: &[TestResponse]| answers.iter().filter(|answer| answer.status.as_u16() == 200).count();
    assert_eq!((served(&uploads), served(&writes)), (32, 4));
}

fn person(number: u128) -> UserId {
    UserId::from_uuid(Uuid::from_u128(number))
}

fn app(number: u128) -> Reader {
    Reader::Client(ClientId::from_uuid(Uuid::from_u128(number)))
}

/// Takes permits until one is refused; returns them and the reason.
fn all<P>(mut take: impl FnMut() -> Result<P, PermitRefusal>) -> (Vec<P>, PermitRefusal) {
    let mut taken = Vec::new();
    loop {
        match take() {
            Ok(permit) => taken.push(permit),
            Err(shortage) => return (taken, shortage),
        }
    }
}

#[test]
fn one_person_and_one_app_have_a_quarter_of_the_pages_each() {
    let admission = Admission::new(AdmissionLimits { requests: 16, ..AdmissionLimits::default() });
    let (held, why) = all(|| admission.begin_page(person(1), app(1)));
    assert_eq!((held.len(), why), (4, PermitRefusal::Own));
    assert!(admission.begin_page(person(1), app(2)).is_err());
    assert!(admission.begin_page(person(2), app(1)).is_err());
    assert_eq!(all(|| admission.begin_page(person(2), app(2))).0.len(), 4);
    drop(held);
    assert_eq!(all(|| admission.begin_page(person(1), app(1))).0.len(), 4);
}

#[test]
fn one_person_and_one_app_have_a_quarter_of_the_bytes_of_large_answers_each() {
    const MEBIBYTE: u64 = 1024 * 1024;
    let limits = AdmissionLimits { large_answer_bytes: 8 * MEBIBYTE, ..AdmissionLimits::default() };
    let admission = Admission::new(limits);
    let holder = |user: u128, by: u128| ResponseOwner { user_id: person(user), reader: Some(app(by)) };
    let begin = |holder: ResponseOwner| admission.begin_large_answer(MEBIBYTE, Some(holder));
    let (held, why) = all(|| begin(holder(1, 1)));
    assert_eq!((held.len(), why), (2, PermitRefusal::Own));
    // Neither through another app nor on the person's own pages.
    assert!(begin(holder(1, 2)).is_err());
    assert!(begin(person(1).into()).is_err());
    assert!(begin(holder(2, 1)).is_err());
    assert_eq!(all(|| begin(holder(2, 2))).0.len(), 2);
    drop(held);
    assert!(begin(holder(2, 1)).is_ok());
}

#[test]
fn a_person_uploads_a_few_files_at_a_time() {
    let admission = Admission::default();
    let held: Vec<_> = (0..3).map(|_| admission.begin_upload(person(1), 3).unwrap()).collect();
    // Three more may be drained.
    let drained: Vec<_> =
        (0..3).map(|_| admission.begin_upload(person(1), 3).unwrap_err().unwrap()).collect();
    assert!(admission.begin_upload(person(1), 3).unwrap_err().is_none());
    assert!(admission.begin_upload(person(2), 3).is_ok());
    drop((held, drained));
    assert!(admission.begin_upload(person(1), 3).is_ok());
}

#[actix_web::test]
async fn the_log_reports_the_start_and_the_end_of_refusing_once() {
    let admission = Admission::new(AdmissionLimits { requests: 2, ..AdmissionLimits::default() });
    // The subscriber of the tests is installed with a state.
    let _ = state(1);
    let log = log_of(async {
        let places = [
            admission.begin_request(RequestKind::WithoutBody),
            admission.begin_request(RequestKind::WithoutBody),
        ];
        for _ in 0..5 {
            assert!(admission.begin_request(RequestKind::WithoutBody).is_err());
        }
        drop(places);
        for _ in 0..5 {
            assert!(admission.begin_request(RequestKind::WithoutBody).is_ok());
        }
    })
    .await;
    assert_eq!(log.matches(" overloaded: ").count(), 1, "{log}");
    assert_eq!(log.matches("no longer overloaded").count(), 1, "{log}");
}

#[test]
fn each_bound_is_at_least_one() {
    let admission = Admission::new(AdmissionLimits { requests: 0, large_answer_bytes: 0 });
    assert!(admission.begin_request(RequestKind::WithBody).is_ok());
    assert!(admission.begin_large_answer(u64::MAX, None).is_ok());
}

#[test]
fn large_answers_are_bounded_by_their_bytes_and_a_heavier_one_is_sent_alone() {
    const MEBIBYTE: u64 = 1024 * 1024;
    let limits = AdmissionLimits { large_answer_bytes: 10 * MEBIBYTE, ..AdmissionLimits::default() };
    let admission = Admission::new(limits);
    let four = admission.begin_large_answer(4 * MEBIBYTE, None).unwrap();
    let six = admission.begin_large_answer(6 * MEBIBYTE, None).unwrap();
    assert!(admission.begin_large_answer(1, None).is_err());
    drop(four);
    assert!(admission.begin_large_answer(4 * MEBIBYTE + 1, None).is_err());
    assert!(admission.begin_large_answer(u64::MAX, None).is_err());
    drop(six);
    let heavy = admission.begin_large_answer(u64::MAX, None).unwrap();
    assert!(admission.begin_large_answer(1, None).is_err());
    drop(heavy);
    assert!(admission.begin_large_answer(10 * MEBIBYTE, None).is_ok());
}
