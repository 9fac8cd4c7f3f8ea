//! The header `Idempotency-Key`.

use crate::problem::{Fault, Problem};
use actix_web::HttpRequest;
use application::import::ingest::IdempotentRequest;
use application::import::ingest::IngestLayout;
use domain::id::ClientId;
use sha2::{Digest as _, Sha256};

const HEADER: &str = "idempotency-key";
const MAX_LENGTH: usize = 255;

/// Returns the key, if there is one: 1 to 255 visible ASCII characters.
pub(super) fn read(request: &HttpRequest) -> Result<Option<&[u8]>, Problem> {
    let mut given = request.headers().get_all(HEADER);
    let Some(only) = given.next() else { return Ok(None) };
    let text = only.as_bytes();
    let is_sound = (1..=MAX_LENGTH).contains(&text.len()) && text.iter().all(u8::is_ascii_graphic);
    if is_sound && given.next().is_none() {
        return Ok(Some(text));
    }
    Err(Problem::new(Fault::InvalidRequest)
        .detail("Idempotency-Key must be sent once: 1 to 255 visible ASCII characters."))
}

/// Returns the identity of the request: method, path, kind of body and body.
pub(super) fn request(
    request: &HttpRequest,
    client_id: ClientId,
    key: &[u8],
    (layout, body): (IngestLayout, [u8; 32]),
) -> IdempotentRequest {
    let mut content = Sha256::new();
    content.update(request.method().as_str());
    content.update([0]);
    content.update(request.path());
    content.update([0, u8::from(layout == IngestLayout::Lines)]);
    content.update(body);
    IdempotentRequest { client_id, key: Sha256::digest(key).into(), content: content.finalize().into() }
}
