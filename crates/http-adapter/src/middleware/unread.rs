//! Closes the connection after a chunked body that was not read to its end.
//!
//! When such a body is dropped, actix-http keeps reading for its end without a timeout: an unfinished chunk
//! would hold a connection forever. While the body is alive, actix-http closes the connection instead, as it
//! does for a body of known length. The body is therefore kept until the response is written.

use super::facts::Outcome;
use actix_web::HttpMessage as _;
use actix_web::body::{BodySize, BoxBody, MessageBody};
use actix_web::dev::{Payload, ServiceRequest};
use actix_web::error::PayloadError;
use actix_web::http::header::TRANSFER_ENCODING;
use actix_web::web::Bytes;
use futures_util::Stream;
use std::cell::RefCell;
use std::error::Error as StdError;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

pub(super) async fn close(
    mut request: ServiceRequest,
    next: impl AsyncFnOnce(ServiceRequest) -> Outcome,
) -> Outcome {
    if !request.headers().contains_key(TRANSFER_ENCODING) {
        return next(request).await;
    }
    let body = SharedBody(Rc::new(RefCell::new(request.take_payload())));
    request.set_payload(Payload::Stream { payload: Box::pin(body.clone()) });
    let response = next(request).await?;
    Ok(response.map_body(|_, answer| BoxBody::new(KeepAliveBody { answer: answer.boxed(), _body: body })))
}

/// Request body shared by several handles.
#[derive(Clone)]
struct SharedBody(Rc<RefCell<Payload>>);

impl Stream for SharedBody {
    type Item = Result<Bytes, PayloadError>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        Pin::new(&mut *self.0.borrow_mut()).poll_next(context)
    }
}

/// Response body that keeps the request body alive.
struct KeepAliveBody {
    answer: BoxBody,
    _body: SharedBody,
}

impl MessageBody for KeepAliveBody {
    type Error = Box<dyn StdError>;

    fn size(&self) -> BodySize {
        self.answer.size()
    }

    fn poll_next(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Self::Error>>> {
        self.get_mut().answer.as_pin_mut().poll_next(context)
    }
}
