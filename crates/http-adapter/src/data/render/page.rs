//! The envelope, sent whole when it is small and in chunks when it is not.

use super::json;
use crate::data::dto::PaginationDto;
use crate::middleware::HeldBytes;
use crate::problem::{RateLimitBody, rate_limit_headers};
use actix_web::HttpResponse;
use actix_web::body::{BodySize, MessageBody};
use actix_web::http::header::ContentType;
use application::ports::storage::StorageError;
use bytes::Bytes;
use domain::rate_limit::RateStatus;
use std::error::Error;
use std::pin::Pin;
use std::task::{Context, Poll};

/// Up to this size a body is rendered whole, and sent with its length: some 40 sessions with stages and metrics.
const WHOLE: usize = 192 * 1024;
/// The size of a chunk; one item more at most. With a session more it is still below 64 KiB, the most that the kernel sends
/// in one go: the beginning of another packet would cost as much as a full one.
const CHUNK: usize = 56 * 1024;

/// What is rendered into the member `data`, piece by piece.
pub(in crate::data) trait Items {
    /// Appends the next piece, some kilobytes at most in ordinary data; false when there is none. A corrupt record leaves
    /// a text that is to be thrown away.
    fn write_next(&mut self, out: &mut Vec<u8>) -> Result<bool, StorageError>;
    /// Checks what is not written yet. After it no piece is corrupt, so that a body whose beginning is sent can be
    /// finished.
    fn check(&self) -> Result<(), StorageError>;
    /// Tells how many bytes of memory what is not yet written takes, about.
    fn held(&self) -> usize;
}

/// What stands around the data.
pub(in crate::data) trait Surrounding {
    /// The counter of the rate limit.
    fn rate(&self) -> RateStatus;
    /// Appends the members between the data and the counter, each with a comma before it.
    fn write_members(&self, out: &mut Vec<u8>);
}

/// What stands around a page of a list.
pub(in crate::data) struct Envelope {
    pub(in crate::data) pagination: PaginationDto,
    pub(in crate::data) rate: RateStatus,
}

impl Surrounding for Envelope {
    fn rate(&self) -> RateStatus {
        self.rate
    }

    fn write_members(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b",\"pagination\":");
        json::write(&self.pagination, out);
    }
}

/// Writes what comes after the data.
fn tail(surrounding: &impl Surrounding) -> Vec<u8> {
    let mut tail = b"]".to_vec();
    surrounding.write_members(&mut tail);
    tail.extend_from_slice(b",\"limit\":");
    json::write(&RateLimitBody::from(surrounding.rate()), &mut tail);
    tail.push(b'}');
    tail
}

/// Answers with a page. A corrupt record fails before anything is sent, so that it is an error status and not a body that
/// ends too early: one that is sent whole is found while it is printed, without a look at everything beforehand.
pub(in crate::data) fn answer(
    items: impl Items + Unpin + 'static,
    around: &impl Surrounding,
) -> Result<HttpResponse, StorageError> {
    let mut response = HttpResponse::Ok();
    response.insert_header(ContentType::json());
    for header in rate_limit_headers(around.rate()) {
        response.insert_header(header);
    }
    // Sessions become some seventeen times as long as they are in memory; grown step by step, the text would be copied
    // several times.
    let length = items.held().saturating_mul(18).min(WHOLE + CHUNK / 8);
    let mut body = PageBody::new(items, tail(around));
    let mut beginning = Vec::with_capacity(length);
    beginning.extend_from_slice(b"{\"data\":[");
    body.fill(&mut beginning, WHOLE)?;
    if body.tail.is_none() {
        body.ready = beginning.into();
        return Ok(response.body(body));
    }
    body.items.check()?;
    let held = u64::try_from(body.items.held()).unwrap_or(u64::MAX);
    response.extensions_mut().insert(HeldBytes(held));
    body.ready = beginning.into();
    Ok(response.body(body))
}

/// A body that is rendered while it is sent.
pub(super) struct PageBody<I> {
    /// The beginning, which is rendered already.
    ready: Bytes,
    items: I,
    /// What comes after the items; taken when it is written, and then the body is at its end.
    tail: Option<Vec<u8>>,
}

impl<I: Items> PageBody<I> {
    pub(super) fn new(items: I, tail: Vec<u8>) -> Self {
        Self { ready: Bytes::new(), items, tail: Some(tail) }
    }

    #[cfg(test)]
    pub(super) fn items(&self) -> &I {
        &self.items
    }

    /// Renders until the buffer has a size, or everything is written.
    fn fill(&mut self, out: &mut Vec<u8>, size: usize) -> Result<(), StorageError> {
        while out.len() < size {
            if !self.items.write_next(out)? {
                out.extend(self.tail.take().unwrap_or_default());
                break;
            }
        }
        Ok(())
    }
}

impl<I: Items + Unpin> MessageBody for PageBody<I> {
    type Error = Box<dyn Error>;

    /// Knows the length when everything is rendered.
    fn size(&self) -> BodySize {
        match self.tail {
            None => BodySize::Sized(u64::try_from(self.ready.len()).unwrap_or(u64::MAX)),
            Some(_) => BodySize::Stream,
        }
    }

    fn poll_next(
        mut self: Pin<&mut Self>,
        _context: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Self::Error>>> {
        // In pieces of one size: the connection gives the memory back that it takes for a larger one, and takes it anew.
        if !self.ready.is_empty() {
            let length = self.ready.len().min(CHUNK);
            return Poll::Ready(Some(Ok(self.ready.split_to(length))));
        }
        if self.tail.is_none() {
            return Poll::Ready(None);
        }
        let mut chunk = Vec::with_capacity(CHUNK + CHUNK / 8);
        let filled = self.fill(&mut chunk, CHUNK);
        Poll::Ready(Some(filled.map(|()| chunk.into()).map_err(Into::into)))
    }
}
