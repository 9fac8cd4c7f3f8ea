//! Access tokens in text form: JWTs (RFC 9068), verified as RFC 8725 recommends.

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

/// The algorithm of every key in the ring. The header must name it, but cannot choose it.
const ALGORITHM: Algorithm = Algorithm::EdDSA;
const ALGORITHM_NAME: &str = "EdDSA";
/// Type of access tokens (RFC 9068 section 2.1).
const TOKEN_TYPE: &str = "at+jwt";

/// Issuer and API of this server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenParties {
    /// `iss`: the public URL, exactly as in the metadata document.
    pub issuer: String,
    /// Identifier of the API, with which those of all resources begin ([`domain::resource::Resource`]).
    pub audience: String,
}

#[cfg(test)]
mod tests;
