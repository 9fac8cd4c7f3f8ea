//! Page envelope; a small page is sent whole, a large one in chunks.

use super::json;
use crate::data::dto::PaginationDto;
use crate::middleware::BufferedBytes;
use crate::problem::RateLimitBody;
use actix_web::HttpResponse;
use actix_web::body::{BodySize, MessageBody};
use actix_web::http::header::ContentType;
use application::StorageError;
use bytes::Bytes;
use domain::rate_limit::RateStatus;
use std::error::Error;
use std::pin::Pin;
use std::task::{Context, Poll};

/// Maximum size of a body that is rendered whole and sent with its length: about 40 sessions with stages and
/// metrics.
const MAX_BUFFERED: usize = 192 * 1024;
/// Size of a chunk, plus one item at most. With one more session it is still below 64 KiB, the largest write
/// that the kernel sends at once; a second write would double the cost.
const CHUNK: usize = 56 * 1024;

/// Elements of the member `data`, rendered piece by piece.
pub(in crate::data) trait Items {
    /// Appends the next piece, usually a few kilobytes; returns false if there is none. After an error the
    /// output is to be discarded.
    fn write_next(&mut self, out: &mut Vec<u8>) -> Result<bool, StorageError>;
    /// Validates the remaining items. After success no piece is corrupt, so that a partly sent body can be
    /// completed.
    fn check(&self) -> Result<(), StorageError>;
    /// Estimates the memory of the remaining items in bytes.
    fn memory_size(&self) -> usize;
}

/// Members around the data.
pub(in crate::data) trait OuterMembers {
    fn rate(&self) -> RateStatus;
    /// Appends the members between the data and the counter, each preceded by a comma.
    fn write_members(&self, out: &mut Vec<u8>);
}

/// Envelope of a page of a list.
pub(in crate::data) struct Envelope {
    pub(in crate::data) pagination: PaginationDto,
    pub(in crate::data) rate: RateStatus,
}

impl OuterMembers for Envelope {
    fn rate(&self) -> RateStatus {
        self.rate
    }

    fn write_members(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b",\"pagination\":");
        json::write(&self.pagination, out);
    }
}

/// Renders the members after the data.
fn tail(surrounding: &impl OuterMembers) -> Vec<u8> {
    let mut tail = b"]".to_vec();
    surrounding.write_members(&mut tail);
    tail.extend_from_slice(b",\"limit\":");
    json::write(&RateLimitBody::from(surrounding.rate()), &mut tail);
    tail.push(b'}');
    tail
}

/// Renders a page. A corrupt record fails before anything is sent, so that it becomes an error status, not a
/// truncated body. A body that is rendered whole finds it while rendering, without a separate validation.
pub(in crate::data) fn answer(
    items: impl Items + Unpin + 'static,
    around: &impl OuterMembers,
) -> Result<HttpResponse, StorageError> {
    let mut response = HttpResponse::Ok();
    response.insert_header(ContentType::json());
    // Sessions as JSON are about seventeen times their size in memory. A buffer that grows step by step would
    // be copied several times.
    let length = items.memory_size().saturating_mul(18).min(MAX_BUFFERED + CHUNK / 8);
    let mut body = PageBody::new(items, tail(around));
    let mut beginning = Vec::with_capacity(length);
    beginning.extend_from_slice(b"{\"data\":[");
    body.fill(&mut beginning, MAX_BUFFERED)?;
    if body.tail.is_none() {
        body.ready = beginning.into();
        return Ok(response.body(body));
    }
    body.items.check()?;
    let held = u64::try_from(body.items.memory_size()).unwrap_or(u64::MAX);
    response.extensions_mut().insert(BufferedBytes(held));
    body.ready = beginning.into();
    Ok(response.body(body))
}

/// Body that is rendered while it is sent.
pub(super) struct PageBody<I> {
    /// Rendered beginning.
    ready: Bytes,
    items: I,
    /// Members after the items; `None` once written, at the end of the body.
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

    /// Renders until the buffer reaches a size or everything is written.
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

    /// The length is known once everything is rendered.
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
        // In chunks of one size: for a larger one, the connection would grow its buffer and free it again.
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
