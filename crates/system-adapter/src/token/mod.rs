//! Access tokens as text: JWTs after RFC 9068, read with the distrust of RFC 8725.

mod claims;
mod header;
mod json_object;
mod signer;
mod verified_tokens;
mod verifier;

#[cfg(any(test, feature = "test-support"))]
pub(crate) use claims::WrittenClaims;
#[cfg(any(test, feature = "test-support"))]
pub(crate) use signer::sign_parts;
pub(crate) use verified_tokens::VerifiedTokens;
pub(crate) use verifier::KeyNeed;

use jsonwebtoken::Algorithm;

/// The algorithm of every key in the ring. A token's header has to name it and has no say in it.
const ALGORITHM: Algorithm = Algorithm::EdDSA;
const ALGORITHM_NAME: &str = "EdDSA";
/// The type of an access token (RFC 9068 section 2.1).
const TOKEN_TYPE: &str = "at+jwt";

/// Who issues the tokens of this server, and for whom: one of each for the whole server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenParties {
    /// `iss`: the public URL, written exactly as the metadata document writes it.
    pub issuer: String,
    /// `aud`: the resource server.
    pub audience: String,
}

#[cfg(test)]
mod tests;
