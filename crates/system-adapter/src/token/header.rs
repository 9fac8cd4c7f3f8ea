//! What a token's header has to say (RFC 7515 section 4, RFC 9068 section 2.1).

use super::json_object::JsonObject;
use super::{ALGORITHM_NAME, TOKEN_TYPE};
use application::ports::system::InvalidToken;
use domain::id::KeyId;

/// Reads a header and returns its `kid`, which is all that it decides.
///
/// The type is compared without regard to case and with or without `application/` (RFC 7515 section 4.1.9).
/// A `crit` is refused, because no extension is understood here. Keys and addresses that a header brings
/// along (`jwk`, `jku`, `x5u`, `x5c`) are not looked at.
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
