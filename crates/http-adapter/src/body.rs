//! Reads a whole body within limits of size and time, and determines its type.

use crate::problem::{Fault, Problem};
use actix_web::HttpRequest;
use actix_web::http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE};
use actix_web::web::Payload;
use futures_util::StreamExt as _;
use std::time::Duration;

const MAX_BODY: usize = 16 * 1024;
const MAX_WAIT: Duration = Duration::from_secs(5);

/// Format of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BodyKind {
    /// `application/x-www-form-urlencoded`.
    Form,
    /// `application/json`.
    Json,
}

/// Non-empty body: UTF-8, without a byte order mark.
pub struct Body {
    /// Format.
    pub kind: BodyKind,
    /// The body itself.
    pub text: String,
}

/// Returns the body; `None` if it is empty, whatever its content type.
pub async fn read_body(request: &HttpRequest, payload: Payload) -> Result<Option<Body>, Problem> {
    let bytes = receive(request, payload).await?;
    if bytes.is_empty() {
        return Ok(None);
    }
    let kind = kind_of(request)?;
    let text = String::from_utf8(bytes)
        .map_err(|_| Problem::new(Fault::InvalidRequest).detail("the body must be UTF-8"))?;
    if text.starts_with('\u{feff}') {
        return Err(
            Problem::new(Fault::InvalidRequest).detail("the body must not begin with a byte order mark")
        );
    }
    Ok(Some(Body { kind, text }))
}

async fn receive(request: &HttpRequest, payload: Payload) -> Result<Vec<u8>, Problem> {
    let announced = request.headers().get(CONTENT_LENGTH).and_then(|length| length.to_str().ok());
    if announced.and_then(|length| length.parse().ok()).is_some_and(|length: usize| length > MAX_BODY) {
        return Err(Problem::new(Fault::PayloadTooLarge));
    }
    tokio::time::timeout(MAX_WAIT, collect(payload))
        .await
        .unwrap_or_else(|_| Err(Problem::new(Fault::RequestTimeout)))
}

async fn collect(mut payload: Payload) -> Result<Vec<u8>, Problem> {
    let mut bytes = Vec::new();
    while let Some(chunk) = payload.next().await {
        let chunk = chunk.map_err(|_| {
            Problem::new(Fault::InvalidRequest).detail("the body is incomplete or incorrectly framed")
        })?;
        if bytes.len() + chunk.len() > MAX_BODY {
            return Err(Problem::new(Fault::PayloadTooLarge));
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes)
}

/// Parses `Content-Type`: form or JSON.
fn kind_of(request: &HttpRequest) -> Result<BodyKind, Problem> {
    match media_type(request)?.as_str() {
        "application/x-www-form-urlencoded" => Ok(BodyKind::Form),
        "application/json" => Ok(BodyKind::Json),
        _ => Err(Problem::new(Fault::UnsupportedMediaType)),
    }
}

/// Returns the media type of the request in lower case, without parameters.
///
/// Rejects a repeated `Content-Type`, a charset other than UTF-8 and any `Content-Encoding`.
pub(crate) fn media_type(request: &HttpRequest) -> Result<String, Problem> {
    let identity = |coding: &str| coding.trim().eq_ignore_ascii_case("identity");
    let mut codings = request.headers().get_all(CONTENT_ENCODING);
    if !codings.all(|coding| coding.to_str().is_ok_and(identity)) {
        return Err(Problem::new(Fault::UnsupportedMediaType));
    }
    let mut types = request.headers().get_all(CONTENT_TYPE);
    let (Some(only), None) = (types.next(), types.next()) else {
        return Err(Problem::new(Fault::UnsupportedMediaType));
    };
    let text = only.to_str().map_err(|_| Problem::new(Fault::UnsupportedMediaType))?;
    let mut parts = text.split(';').map(str::trim);
    let kind = parts.next().unwrap_or_default().to_ascii_lowercase();
    if parts.all(is_utf8_or_no_charset) {
        Ok(kind)
    } else {
        Err(Problem::new(Fault::InvalidRequest).detail("the charset of the body must be utf-8"))
    }
}

fn is_utf8_or_no_charset(parameter: &str) -> bool {
    let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
    !name.trim().eq_ignore_ascii_case("charset")
        || value.trim().trim_matches('"').eq_ignore_ascii_case("utf-8")
}
