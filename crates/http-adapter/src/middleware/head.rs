//! `HEAD`: the response of `GET` without its body (RFC 9110 section 9.3.2).

use super::facts::{Outcome, RequestFacts};
use crate::route::Endpoint;
use actix_web::body::{BodySize, BoxBody, MessageBody};
use actix_web::dev::ServiceRequest;
use actix_web::http::Method;
use actix_web::web::Bytes;
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

/// Calls the inner layers with a `GET`, and drops the body unsent.
pub(super) async fn serve(
    facts: &RequestFacts,
    mut request: ServiceRequest,
    next: impl AsyncFnOnce(ServiceRequest) -> Outcome,
) -> Outcome {
    if *request.method() != Method::HEAD || !facts.endpoint.is_some_and(Endpoint::serves_head) {
        return next(request).await;
    }
    request.head_mut().method = Method::GET;
    let response = next(request).await?;
    Ok(response.map_body(|_, body| BoxBody::new(UnsentBody(body.size()))))
}

/// Returns the methods of a path, as its routes name them, and `HEAD` where it is served.
pub(super) fn with_head(endpoint: Option<Endpoint>, methods: &str) -> String {
    if endpoint.is_some_and(Endpoint::serves_head) {
        methods.replacen("GET", "GET, HEAD", 1)
    } else {
        methods.to_owned()
    }
}

/// Size of a body that is not sent, for `Content-Length`.
struct UnsentBody(BodySize);

impl MessageBody for UnsentBody {
    type Error = Infallible;

    fn size(&self) -> BodySize {
        self.0
    }

    fn poll_next(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Bytes, Infallible>>> {
        Poll::Ready(None)
    }
}
