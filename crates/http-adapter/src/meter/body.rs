//! A body whose bytes are counted as they are sent.

use actix_web::body::{BodySize, BoxBody, MessageBody};
use actix_web::web::Bytes;
use metrics::{Counter, Gauge};
use std::error::Error;
use std::pin::Pin;
use std::task::{Context, Poll};

/// A request in flight; counts down when dropped.
pub(super) struct InFlight(Gauge);

impl InFlight {
    pub(super) const fn new(in_flight: Gauge) -> Self {
        Self(in_flight)
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        self.0.decrement(1.0);
    }
}

/// Body of unknown length; its request is in flight until the body is dropped.
pub(super) struct MeteredBody {
    body: BoxBody,
    bytes: Counter,
    _in_flight: InFlight,
}

impl MeteredBody {
    pub(super) const fn new(body: BoxBody, bytes: Counter, in_flight: InFlight) -> Self {
        Self { body, bytes, _in_flight: in_flight }
    }
}

impl MessageBody for MeteredBody {
    type Error = Box<dyn Error>;

    fn size(&self) -> BodySize {
        self.body.size()
    }

    fn poll_next(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Self::Error>>> {
        let this = self.get_mut();
        let polled = this.body.as_pin_mut().poll_next(context);
        if let Poll::Ready(Some(Ok(chunk))) = &polled {
            this.bytes.increment(chunk.len() as u64);
        }
        polled
    }
}
