#![expect(clippy::disallowed_methods, reason = "the middleware is tested with routes that no server has")]

use super::{BufferedBytes, MAX_SINGLE_PIECE, MIN_BYTES, PacedBody};
use crate::admission::{Admission, AdmissionLimits};
use crate::middleware::wrap;
use crate::request_context::RequestContext;
use crate::tests::Parts;
use actix_web::body::{BodySize, BoxBody, MessageBody, to_bytes};
use actix_web::test::{TestRequest, call_service, init_service};
use actix_web::web::{self, Bytes};
use actix_web::{App, HttpRequest, HttpResponse};
use domain::rate_limit::RateStatus;
use std::error::Error;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

/// Body of this many chunks of a kilobyte.
struct Pieces(usize);

impl MessageBody for Pieces {
    type Error = Box<dyn Error>;

    fn size(&self) -> BodySize {
        BodySize::Stream
    }

    fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Bytes, Self::Error>>> {
        if self.0 == 0 {
            return Poll::Ready(None);
        }
        self.0 -= 1;
        Poll::Ready(Some(Ok(Bytes::from_static(&[b'z'; 1024]))))
    }
}

fn one_large_answer() -> Admission {
    Admission::new(AdmissionLimits { large_answer_bytes: 1, ..AdmissionLimits::default() })
}

async fn next(body: &mut PacedBody) -> Option<Result<Bytes, Box<dyn Error>>> {
    poll_fn(|context| Pin::new(&mut *body).poll_next(context)).await
}

#[actix_web::test]
async fn an_unread_response_is_dropped_and_its_permit_is_released() {
    let admission = one_large_answer();
    let permit = admission.begin_large_answer(1, None).unwrap();
    let mut body = PacedBody::new(BoxBody::new(Pieces(10_000)), permit, Duration::from_millis(20));
    assert!(matches!(next(&mut body).await, Some(Ok(_))));
    assert!(admission.begin_large_answer(1, None).is_err());
    // Ends when the permit is returned; otherwise the test hangs.
    while admission.begin_large_answer(1, None).is_err() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert!(matches!(next(&mut body).await, Some(Err(_))));
}

/// Reads for 100 ms, five check intervals, because no event shows that a response is not dropped.
#[actix_web::test]
async fn a_response_read_at_the_minimum_pace_is_kept() {
    let admission = one_large_answer();
    let permit = admission.begin_large_answer(1, None).unwrap();
    let look = Duration::from_millis(20);
    let mut body = PacedBody::new(BoxBody::new(Pieces(usize::MAX)), permit, look);
    let pieces = usize::try_from(MIN_BYTES / 1024).unwrap() + 1;
    let mut several_looks = std::pin::pin!(tokio::time::sleep(look * 5));
    loop {
        for _ in 0..pieces {
            assert!(matches!(next(&mut body).await, Some(Ok(_))));
        }
        tokio::select! {
            biased;
            () = &mut several_looks => break,
            () = tokio::task::yield_now() => {}
        }
    }
    drop(body);
    assert!(admission.begin_large_answer(1, None).is_ok());
}

#[actix_web::test]
async fn a_large_response_beyond_the_limit_is_rejected_with_its_rate_headers() {
    const RATE: RateStatus = RateStatus { limit: 9, remaining: 7, reset: 1_780_012_800, allowed: true };
    async fn large(request: HttpRequest) -> HttpResponse {
        RequestContext::of(&request).rate = Some(RATE);
        HttpResponse::Ok().body(BoxBody::new(Pieces(3)))
    }
    async fn small() -> HttpResponse {
        HttpResponse::Ok().body(vec![b'z'; usize::try_from(MAX_SINGLE_PIECE).unwrap()])
    }
    let state = Parts { admission: one_large_answer(), ..Parts::default() }.build();
    let routes =
        web::scope("").service(web::resource("/large").to(large)).service(web::resource("/small").to(small));
    let app = init_service(App::new().configure(|app: &mut web::ServiceConfig| {
        app.app_data(web::Data::from(state.http.clone())).service(wrap(routes));
    }))
    .await;
    let ask = async |path| call_service(&app, TestRequest::get().uri(path).to_request()).await;
    let first = ask("/large").await;
    let refused = ask("/large").await;
    assert_eq!(refused.status().as_u16(), 503);
    assert_eq!(refused.headers().get("retry-after").unwrap(), "2");
    assert_eq!(refused.headers().get("x-ratelimit-remaining").unwrap(), "7");
    assert_eq!(ask("/small").await.status().as_u16(), 200);
    let body = to_bytes(first.into_body()).await.unwrap();
    assert_eq!(body.len(), 3 * 1024);
    assert_eq!(ask("/large").await.status().as_u16(), 200);
}

#[actix_web::test]
async fn responses_beyond_the_memory_limit_are_refused_until_one_is_read() {
    async fn page() -> HttpResponse {
        let mut answer = HttpResponse::Ok();
        answer.extensions_mut().insert(BufferedBytes(6 * 1024 * 1024));
        answer.body(BoxBody::new(Pieces(3)))
    }
    let limits = AdmissionLimits { large_answer_bytes: 12 * 1024 * 1024, ..AdmissionLimits::default() };
    let state = Parts { admission: Admission::new(limits), ..Parts::default() }.build();
    let routes = web::scope("").service(web::resource("/page").to(page));
    let app = init_service(App::new().configure(|app: &mut web::ServiceConfig| {
        app.app_data(web::Data::from(state.http.clone())).service(wrap(routes));
    }))
    .await;
    let ask = async || call_service(&app, TestRequest::get().uri("/page").to_request()).await;
    let (first, second) = (ask().await, ask().await);
    assert_eq!((first.status().as_u16(), second.status().as_u16()), (200, 200));
    let refused = ask().await;
    assert_eq!(refused.status().as_u16(), 503);
    assert_eq!(refused.headers().get("retry-after").unwrap(), "2");
    to_bytes(first.into_body()).await.unwrap();
    assert_eq!(ask().await.status().as_u16(), 200);
}
