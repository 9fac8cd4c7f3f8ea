//! Minimum pace for reading a large response (ADR 28).
//!
//! The rows of a page stay in memory until the last byte is sent. A client that stops reading, or reads a
//! byte a minute, would hold them forever. Below the minimum pace the rest is dropped and the connection is
//! closed.

use super::facts::{Outcome, RequestFacts};
use crate::admission::ResponsePermit;
use crate::problem::Problem;
use crate::request_context::RequestContext;
use actix_web::HttpResponse;
use actix_web::body::{BodySize, BoxBody, MessageBody};
use actix_web::dev::ServiceRequest;
use actix_web::rt;
use actix_web::web::Bytes;
use std::cell::RefCell;
use std::error::Error as StdError;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::task::JoinHandle;

/// Largest response that is passed to the socket in one piece.
const MAX_SINGLE_PIECE: u64 = 256 * 1024;
/// Interval between two checks of the pace.
const INTERVAL: Duration = Duration::from_secs(30);
/// Minimum bytes that a client must read per interval: 4 KiB a second. Over an interval this is more than the
/// socket buffers hold for a client that reads nothing.
const MIN_BYTES: u64 = 4 * 1024 * INTERVAL.as_secs();

pub(super) async fn watch(
    facts: &RequestFacts,
    request: ServiceRequest,
    next: impl AsyncFnOnce(ServiceRequest) -> Outcome,
) -> Outcome {
    let response = next(request).await?;
    let size = response.response().body().size();
    let (Some(state), Some(bytes)) = (&facts.state, buffered_bytes(size)) else {
        return Ok(response);
    };
    let bytes = response.response().extensions().get().map_or(bytes, |BufferedBytes(bytes)| *bytes);
    let owner = RequestContext::of(response.request()).response_owner;
    Ok(match state.admission.begin_large_answer(bytes, owner) {
        Ok(permit) => response.map_body(|_, body| BoxBody::new(PacedBody::new(body, permit, INTERVAL))),
        Err(shortage) => response.into_response(HttpResponse::from_error(Problem::from(shortage))),
    })
}

/// Bytes that a response holds in memory until it is sent; set by handlers whose responses hold more than a
/// few chunks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BufferedBytes(pub(crate) u64);

/// Returns the bytes held by a response without [`BufferedBytes`]: its length, or the buffer of an export.
/// `None` for a small response, whose pace is not watched.
fn buffered_bytes(size: BodySize) -> Option<u64> {
    match size {
        BodySize::None => None,
        BodySize::Sized(size) => (size > MAX_SINGLE_PIECE).then_some(size),
        BodySize::Stream => Some(1024 * 1024),
    }
}

/// Unsent rest of a response.
struct UnsentBody {
    /// `None` once the body was dropped.
    body: Option<(BoxBody, ResponsePermit)>,
    /// Bytes that the client has read.
    taken: u64,
}

/// Body whose rest is dropped if it is read too slowly.
struct PacedBody {
    size: BodySize,
    rest: Rc<RefCell<UnsentBody>>,
    observer: JoinHandle<()>,
}

#[derive(Debug, thiserror::Error)]
#[error("the response was read below the minimum rate")]
struct TooSlow;

impl PacedBody {
    fn new(body: BoxBody, permit: ResponsePermit, interval: Duration) -> Self {
        let size = body.size();
        let rest = Rc::new(RefCell::new(UnsentBody { body: Some((body, permit)), taken: 0 }));
        let watched = Rc::downgrade(&rest);
        let observer = rt::spawn(async move {
            let mut before = 0;
            loop {
                tokio::time::sleep(interval).await;
                let Some(rest) = watched.upgrade() else { return };
                let mut rest = rest.borrow_mut();
                if rest.taken - before < MIN_BYTES {
                    rest.body = None;
                    tracing::info!("aborted a response that was read below the minimum rate");
                    return;
                }
                before = rest.taken;
            }
        });
        Self { size, rest, observer }
    }
}

impl MessageBody for PacedBody {
    type Error = Box<dyn StdError>;

    fn size(&self) -> BodySize {
        self.size
    }

    fn poll_next(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Self::Error>>> {
        let mut rest = self.rest.borrow_mut();
        let Some((body, _)) = &mut rest.body else { return Poll::Ready(Some(Err(TooSlow.into()))) };
        let polled = body.as_pin_mut().poll_next(context);
        if let Poll::Ready(Some(Ok(bytes))) = &polled {
            rest.taken += u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        }
        polled
    }
}

impl Drop for PacedBody {
    fn drop(&mut self) {
        self.observer.abort();
    }
}

#[cfg(test)]
mod tests;
