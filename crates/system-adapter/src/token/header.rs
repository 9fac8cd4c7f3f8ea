//! Headers of access tokens (RFC 7515 section 4, RFC 9068 section 2.1).

use super::json_object::JsonObject;
use super::{ALGORITHM_NAME, TOKEN_TYPE};
use application::ports::system::InvalidToken;
use domain::id::KeyId;

/// Parses a header and returns its `kid`.
///
/// The type is compared case-insensitively, with or without `application/` (RFC 7515 section 4.1.9). `crit`
/// is rejected, because no extension is supported. Keys and URLs in the header (`jwk`, `jku`, `x5u`, `x5c`)
/// are ignored.
pub(super) fn parse(text: &[u8]) -> Result<KeyId, InvalidToken> {
    let header = JsonObject::parse(text)?;
    let fits = header.text("alg")? == ALGORITHM_NAME
        && is_token_type(header.text("typ")?)
        && header.find("crit").is_none();
    if !fits {
        return Err(InvalidToken);
    }
    KeyId::parse(header.text("kid")?).map_err(|_| InvalidToken)
}

fn is_token_type(text: &str) -> bool {
    text.eq_ignore_ascii_case(TOKEN_TYPE)
        || text.split_once('/').is_some_and(|(tree, name)| {
            tree.eq_ignore_ascii_case("application") && name.eq_ignore_ascii_case(TOKEN_TYPE)
        })
}
