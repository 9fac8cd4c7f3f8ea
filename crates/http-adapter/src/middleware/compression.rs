//! Compression by `Accept-Encoding`; off by default, because a proxy does it better (decisions 6).
//!
//! actix's own compression uses other levels, compresses small bodies too, and decompresses request bodies.
//! Token endpoints and pages are never compressed: the length of a response would leak the secrets in it
//! (tokens, form tokens).

use super::context::{Outcome, RequestContext};
use crate::problem::Dialect;
use actix_web::body::{BodySize, BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::{
    AcceptEncoding, CONTENT_ENCODING, CONTENT_LENGTH, Encoding, Header as _, HeaderValue,
};
use bytes::Bytes;
use flate2::write::GzEncoder;
use std::io::Write as _;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

/// Minimum size of a compressed body in bytes.
const MIN_SIZE: u64 = 1024;

pub(super) async fn compress(
    context: &RequestContext,
    request: ServiceRequest,
    next: impl AsyncFnOnce(ServiceRequest) -> Outcome,
) -> Outcome {
    let coding = wanted_coding(context, &request);
    let response = next(request).await?;
    match coding.filter(|_| is_worthwhile(&response)).and_then(Encoder::new) {
        Some(encoder) => Ok(encode(response, encoder)),
        None => Ok(response),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Coding {
    Zstd,
    Gzip,
}

fn wanted_coding(context: &RequestContext, request: &ServiceRequest) -> Option<Coding> {
    let is_on = context.state.as_ref().is_some_and(|state| state.settings.compression);
    if !is_on || context.dialect() != Dialect::Problem {
        return None;
    }
    let accepted = AcceptEncoding::parse(request).ok()?;
    let supported = [Encoding::zstd(), Encoding::gzip(), Encoding::identity()];
    let chosen = accepted.negotiate(supported.iter())?;
    if chosen == Encoding::zstd() {
        Some(Coding::Zstd)
    } else if chosen == Encoding::gzip() {
        Some(Coding::Gzip)
    } else {
        None
    }
}

fn is_worthwhile(response: &ServiceResponse<BoxBody>) -> bool {
    let is_large = match response.response().body().size() {
        BodySize::None => false,
        BodySize::Sized(size) => size >= MIN_SIZE,
        BodySize::Stream => true,
    };
    is_large && response.status().is_success() && !response.headers().contains_key(CONTENT_ENCODING)
}

fn encode(response: ServiceResponse<BoxBody>, encoder: Encoder) -> ServiceResponse<BoxBody> {
    response.map_body(|head, body| {
        head.headers.insert(CONTENT_ENCODING, HeaderValue::from_static(encoder.name()));
        head.headers.remove(CONTENT_LENGTH);
        EncodedBody { body, encoder: Some(encoder) }.boxed()
    })
}

/// Encoder at its lowest level; its output buffer is emptied after every chunk.
enum Encoder {
    Zstd(zstd::stream::write::Encoder<'static, Vec<u8>>),
    Gzip(GzEncoder<Vec<u8>>),
}

impl Encoder {
    fn new(coding: Coding) -> Option<Self> {
        match coding {
            Coding::Zstd => zstd::stream::write::Encoder::new(Vec::new(), 1).ok().map(Self::Zstd),
            Coding::Gzip => Some(Self::Gzip(GzEncoder::new(Vec::new(), flate2::Compression::fast()))),
        }
    }

    const fn name(&self) -> &'static str {
        match self {
            Self::Zstd(_) => "zstd",
            Self::Gzip(_) => "gzip",
        }
    }

    /// Compresses a chunk and returns the output so far, which may be empty.
    fn write(&mut self, chunk: &[u8]) -> std::io::Result<Vec<u8>> {
        match self {
            Self::Zstd(encoder) => {
                encoder.write_all(chunk)?;
                Ok(std::mem::take(encoder.get_mut()))
            }
            Self::Gzip(encoder) => {
                encoder.write_all(chunk)?;
                Ok(std::mem::take(encoder.get_mut()))
            }
        }
    }

    fn finish(self) -> std::io::Result<Vec<u8>> {
        match self {
            Self::Zstd(encoder) => encoder.finish(),
            Self::Gzip(encoder) => encoder.finish(),
        }
    }
}

/// Body that is compressed while it is sent; holds one chunk and the encoder's window.
struct EncodedBody {
    body: BoxBody,
    /// `None` once the end was written.
    encoder: Option<Encoder>,
}

impl MessageBody for EncodedBody {
    type Error = Box<dyn std::error::Error>;

    fn size(&self) -> BodySize {
        BodySize::Stream
    }

    fn poll_next(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Self::Error>>> {
        loop {
            if self.encoder.is_none() {
                return Poll::Ready(None);
            }
            let ready = match ready!(Pin::new(&mut self.body).poll_next(context)) {
                Some(Ok(chunk)) => self.encoder.as_mut().map_or_else(|| Ok(Vec::new()), |e| e.write(&chunk)),
                Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                None => self.encoder.take().map_or_else(|| Ok(Vec::new()), Encoder::finish),
            };
            match ready {
                Ok(bytes) if bytes.is_empty() => {}
                Ok(bytes) => return Poll::Ready(Some(Ok(bytes.into()))),
                Err(error) => return Poll::Ready(Some(Err(error.into()))),
            }
        }
    }
}
