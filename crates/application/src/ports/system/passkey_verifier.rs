//! The parts of a passkey ceremony that need a library: JSON, keys and signatures.

use domain::passkey::{ClientData, PasskeyKey, SignatureCheck};
#[cfg(feature = "test-support")]
use mockall::automock;

/// The bytes are not client data in JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not client data")]
pub struct MalformedClientData;

/// Parses client data, and checks keys and signatures.
#[cfg_attr(feature = "test-support", automock)]
pub trait PasskeyVerifier: Send + Sync {
    /// Parses client data. MUST reject invalid UTF-8 and repeated members, and MUST ignore unknown ones.
    fn parse_client_data(&self, json: &[u8]) -> Result<ClientData, MalformedClientData>;
    /// Returns whether the bytes are a public key of their algorithm (security.md T111).
    ///
    /// MUST be false for a point that is not on the curve, is not encoded canonically, or does not generate
    /// the group of prime order; and for an RSA key whose modulus is even or shorter than 2048 bits, or
    /// whose exponent is even or 1.
    fn is_public_key(&self, key: &PasskeyKey) -> bool;
    /// Returns whether the signature is valid.
    fn is_signed(&self, check: &SignatureCheck) -> bool;
}
