#![expect(clippy::disallowed_methods, reason = "the middleware is tested around routes that nobody serves")]

use super::{Admission, AdmissionLimits, Brings, Holder};
use crate::HttpState;
use crate::middleware::wrap;
use crate::route::Endpoint;
use crate::tests::{Answer, Parts, log_of, send, send_to};
use actix_web::HttpResponse;
use actix_web::test::TestRequest;
use actix_web::web::{self, ServiceConfig};
use domain::address::AddressBlock;
use domain::id::{ClientId, UserId};
use domain::read_tally::Reader;
use futures_util::future::join_all;
use std::sync::Arc;
use tokio::sync::Semaphore;
use uuid::Uuid;

fn state(requests: u32) -> Arc<HttpState> {
    let admission =
        Admission::new(AdmissionLimits { requests, large_answers: 1, ..AdmissionLimits::default() });
    Parts { admission, ..Parts::default() }.build()
}

/// Serves paths whose answers wait for a permit, and one whose answers do not.
fn held(state: &Arc<HttpState>, door: &Arc<Semaphore>) -> impl FnOnce(&mut ServiceConfig) {
    let (state, door) = (state.clone(), door.clone());
    let waits = move || {
        let door = door.clone();
        async move {
            door.acquire().await.unwrap().forget();
            HttpResponse::Ok().finish()
        }
    };
    move |app| {
        let routes = web::scope("")
            .service(web::resource("/held").to(waits.clone()))
            .service(web::resource("/free").to(HttpResponse::Ok));
        app.app_data(web::Data::from(state))
            .service(Endpoint::Token.resource().to(waits.clone()))
            .service(Endpoint::Imports.resource().to(waits.clone()))
            .service(Endpoint::Sleep.resource().to(waits))
            .service(wrap(routes));
    }
}

async fn until_taken(places: &Semaphore) {
    while places.available_permits() > 0 {
        tokio::task::yield_now().await;
    }
}

fn assert_refused(answer: &Answer) {
    assert_eq!((answer.status.as_u16(), answer.header("retry-after")), (503, Some("2")), "{}", answer.text());
}

#[actix_web::test]
async fn what_comes_beyond_the_bound_is_refused_at_once_and_health_is_not() {
    let (state, door) = (state(2), Arc::new(Semaphore::new(0)));
    let ask = |path: &'static str| send_to(held(&state, &door), TestRequest::get().uri(path));
    let beyond = async {
        until_taken(&state.admission.0.requests).await;
        let refused = ask("/free").await;
        assert_refused(&refused);
        assert_eq!(refused.member("code"), "overloaded");
        let refused = ask("/api/%74oken").await;
        assert_refused(&refused);
        assert_eq!(refused.member("error"), "temporarily_unavailable");
        for path in ["/livez", "/readyz", "/%6civez"] {
            assert_eq!(send(&state, TestRequest::get().uri(path)).await.status.as_u16(), 200, "{path}");
        }
        door.add_permits(2);
    };
    let (one, other, ()) = tokio::join!(ask("/held"), ask("/api/token"), beyond);
    assert_eq!((one.status.as_u16(), other.status.as_u16()), (200, 200));
    assert_eq!(ask("/free").await.status.as_u16(), 200);
    assert_eq!(state.admission.0.requests.available_permits(), 2);
}

#[actix_web::test]
async fn requests_that_bring_bodies_keep_those_without_from_no_place() {
    let (state, door) = (state(2), Arc::new(Semaphore::new(0)));
    let post = || {
        let request = TestRequest::post().uri("/held").insert_header(("content-length", "3"));
        send_to(held(&state, &door), request.set_payload("abc"))
    };
    let beyond = async {
        until_taken(&state.admission.0.with_body).await;
        assert_refused(&post().await);
        let chunked = TestRequest::post().uri("/held").insert_header(("transfer-encoding", "chunked"));
        assert_refused(&send_to(held(&state, &door), chunked).await);
        let get = TestRequest::get().uri("/free").insert_header(("content-length", "0"));
        assert_eq!(send_to(held(&state, &door), get).await.status.as_u16(), 200);
        door.add_permits(1);
    };
    let (answer, ()) = tokio::join!(post(), beyond);
    assert_eq!(answer.status.as_u16(), 200);
}

#[actix_web::test]
async fn slow_uploads_and_writes_keep_neither_tokens_nor_pages_from_a_place() {
    let (state, door) = (state(8), Arc::new(Semaphore::new(0)));
    let post_from = |path: &'static str, last: u8| {
        let request = TestRequest::post().uri(path).insert_header(("content-length", "3"));
        let request = request.peer_addr(([192, 0, 2, last], 40_000).into());
        send_to(held(&state, &door), request.set_payload("abc"))
    };
    let post = |path| post_from(path, 1);
    let uploads = join_all((0..130).map(|_| post("/imports")));
    let writes = join_all((0..5).map(|last| post_from("/api/v1/sleep/x", last)));
    let others = async {
        until_taken(&state.admission.0.long_bodies).await;
        assert_refused(&post("/imports").await);
        assert_eq!(post("/free").await.status.as_u16(), 200);
        let get = send_to(held(&state, &door), TestRequest::get().uri("/free"));
        assert_eq!(get.await.status.as_u16(), 200);
        assert_eq!(state.admission.0.requests.available_permits(), 6);
        assert_eq!(state.admission.0.with_body.available_permits(), 4);
        door.add_permits(1000);
    };
    let (uploads, writes, ()) = tokio::join!(uploads, writes, others);
    let served = |answers: &[Answer]| answers.iter().filter(|answer| answer.status.as_u16() == 200).count();
    assert_eq!((served(&uploads), served(&writes)), (96, 2));
}

fn from(address: &str) -> AddressBlock {
    AddressBlock::of(address.parse().unwrap())
}

#[test]
fn one_address_brings_half_of_the_bodies_at_most() {
    let admission = Admission::new(AdmissionLimits { requests: 16, ..AdmissionLimits::default() });
    for (brings, most) in
        [(Brings::Body as fn(AddressBlock) -> Brings, 4), (Brings::LongBody as fn(AddressBlock) -> Brings, 2)]
    {
        let all_of = |address: &str| {
            let block = from(address);
            std::iter::from_fn(|| admission.enter(brings(block)).ok()).collect::<Vec<_>>()
        };
        let of_one = all_of("2001:db8::1");
        assert_eq!(of_one.len(), most);
        // The same block, which one customer has.
        assert!(admission.enter(brings(from("2001:db8::2"))).is_err());
        let of_another = all_of("192.0.2.1");
        assert_eq!(of_another.len(), most);
        drop(of_one);
        assert!(admission.enter(brings(from("2001:db8::2"))).is_ok());
    }
}

#[test]
fn of_one_person_and_for_one_app_there_are_only_so_many_large_answers() {
    let admission = Admission::new(AdmissionLimits { large_answers: 8, ..AdmissionLimits::default() });
    let holder = |person, app| Holder {
        user_id: UserId::from_uuid(Uuid::from_u128(person)),
        reader: Some(Reader::Client(ClientId::from_uuid(Uuid::from_u128(app)))),
    };
    let all_of = |holder: Holder| {
        std::iter::from_fn(|| admission.begin_large_answer(1, Some(holder)).ok()).collect::<Vec<_>>()
    };
    let of_one = all_of(holder(1, 1));
    assert_eq!(of_one.len(), 2);
    // Nor under another app, nor on the person's own page.
    assert!(admission.begin_large_answer(1, Some(holder(1, 2))).is_err());
    assert!(admission.begin_large_answer(1, Some(holder(1, 1).user_id.into())).is_err());
    let of_another = all_of(holder(2, 1));
    assert_eq!(of_another.len(), 2);
    // The app has half of them.
    assert!(all_of(holder(3, 1)).is_empty());
    let of_a_third = all_of(holder(3, 2));
    assert_eq!(of_a_third.len(), 2);
    drop(of_one);
    assert!(all_of(holder(3, 1)).is_empty(), "the person has two under the other app");
    assert_eq!(all_of(holder(4, 1)).len(), 2);
}

#[actix_web::test]
async fn the_log_tells_once_that_it_begins_and_once_that_it_ends() {
    let admission = Admission::new(AdmissionLimits { requests: 2, ..AdmissionLimits::default() });
    // The subscriber of the tests is installed with a state.
    let _ = state(1);
    let log = log_of(async {
        let places = [admission.enter(Brings::Nothing), admission.enter(Brings::Nothing)];
        for _ in 0..5 {
            assert!(admission.enter(Brings::Nothing).is_err());
        }
        drop(places);
        for _ in 0..5 {
            assert!(admission.enter(Brings::Nothing).is_ok());
        }
    })
    .await;
    assert_eq!(log.matches(" overloaded: ").count(), 1, "{log}");
    assert_eq!(log.matches("no longer overloaded").count(), 1, "{log}");
}

#[test]
fn there_is_always_at_least_one_place() {
    let admission = Admission::new(AdmissionLimits { requests: 0, large_answers: 0, large_answer_bytes: 0 });
    assert!(admission.enter(Brings::Body(from("192.0.2.1"))).is_ok());
    assert!(admission.begin_large_answer(u64::MAX, None).is_ok());
}

#[test]
fn large_answers_are_bounded_by_what_they_hold_together_and_one_alone_may_be_as_heavy_as_it_is() {
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
