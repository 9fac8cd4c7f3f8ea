//! Whoever reads a large answer must keep a pace (ADR 28).
//!
//! The rows of a page stay in memory until its last byte is handed over. A caller who stops reading, or reads a byte
//! a minute, would keep them for as long as he likes; so what he has not taken is dropped, and his connection ends
//! in the middle of the answer.

use super::admission::{Holder, LargeAnswer, Shortage};
use super::context::{Outcome, Seen};
use crate::problem::Problem;
use actix_web::body::{BodySize, BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::HeaderMap;
use actix_web::rt;
use actix_web::web::Bytes;
use actix_web::{HttpMessage as _, HttpResponse};
use domain::rate_limit::RateStatus;
use std::cell::RefCell;
use std::error::Error as StdError;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::task::JoinHandle;

/// Up to this size an answer is in one piece, which the sockets take over.
const SMALL: u64 = 256 * 1024;
/// How often the pace is looked at.
const LOOK: Duration = Duration::from_secs(30);
/// How many bytes must have been taken from one look to the next: 4 KiB a second, more than the sockets hold for
/// somebody who takes nothing.
const LEAST: u64 = 4 * 1024 * LOOK.as_secs();

pub(super) async fn watch(
    seen: &Seen,
    request: ServiceRequest,
    next: impl AsyncFnOnce(ServiceRequest) -> Outcome,
) -> Outcome {
    let response = next(request).await?;
    let size = response.response().body().size();
    let (Some(state), false) = (&seen.state, is_small(size)) else {
        return Ok(response);
    };
    let told = response.response().extensions().get().map(|HeldBytes(bytes)| *bytes);
    let holder = response.request().extensions().get::<Holder>().copied();
    Ok(match state.admission.begin_large_answer(told.unwrap_or_else(|| held_by(size)), holder) {
        Ok(place) => response.map_body(|_, body| BoxBody::new(Paced::new(body, place, LOOK))),
        Err(shortage) => refused(response, shortage),
    })
}

/// How much of an answer is in memory until it is sent; told by whoever makes one that holds more than a few pieces.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HeldBytes(pub(crate) u64);

/// What an answer holds of which nothing is told: all of it, or what an export holds at a time.
const fn held_by(size: BodySize) -> u64 {
    match size {
        BodySize::Sized(size) => size,
        BodySize::None | BodySize::Stream => 1024 * 1024,
    }
}

fn is_small(size: BodySize) -> bool {
    match size {
        BodySize::None => true,
        BodySize::Sized(size) => size <= SMALL,
        BodySize::Stream => false,
    }
}

/// Refuses an answer that is made already; the request was counted, so the numbers of its limit stay (decisions 4).
fn refused(response: ServiceResponse<BoxBody>, shortage: Shortage) -> ServiceResponse<BoxBody> {
    let (request, answer) = response.into_parts();
    let problem = Problem::from(shortage);
    let problem = match rate_of(answer.headers()) {
        Some(rate) => problem.with_rate(rate),
        None => problem,
    };
    ServiceResponse::new(request, HttpResponse::from_error(problem))
}

fn rate_of(headers: &HeaderMap) -> Option<RateStatus> {
    let number = |name: &str| headers.get(name)?.to_str().ok();
    Some(RateStatus {
        limit: number("x-ratelimit-limit")?.parse().ok()?,
        remaining: number("x-ratelimit-remaining")?.parse().ok()?,
        reset: number("x-ratelimit-reset")?.parse().ok()?,
        allowed: true,
    })
}

/// What is left of an answer, and how much of it was taken.
struct Rest {
    body: Option<(BoxBody, LargeAnswer)>,
    taken: u64,
}

/// A body whose rest is dropped when it is not taken at the least pace.
struct Paced {
    size: BodySize,
    rest: Rc<RefCell<Rest>>,
    observer: JoinHandle<()>,
}

/// Says why a connection ends in the middle of an answer.
#[derive(Debug, thiserror::Error)]
#[error("the answer was not read at the least pace")]
struct TooSlow;

impl Paced {
    fn new(body: BoxBody, place: LargeAnswer, look: Duration) -> Self {
        let size = body.size();
        let rest = Rc::new(RefCell::new(Rest { body: Some((body, place)), taken: 0 }));
        let watched = Rc::downgrade(&rest);
        let observer = rt::spawn(async move {
            let mut before = 0;
            loop {
                tokio::time::sleep(look).await;
                let Some(rest) = watched.upgrade() else { return };
                let mut rest = rest.borrow_mut();
                if rest.taken - before < LEAST {
                    rest.body = None;
                    tracing::info!("an answer was dropped: it was not read at the least pace");
                    return;
                }
                before = rest.taken;
            }
        });
        Self { size, rest, observer }
    }
}

impl MessageBody for Paced {
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

impl Drop for Paced {
    fn drop(&mut self) {
        self.observer.abort();
    }
}

#[cfg(test)]
mod tests;
