//! The parts of a passkey ceremony that need a library: JSON and signatures.

use domain::passkey::{ClientData, SignatureCheck};
#[cfg(feature = "test-support")]
use mockall::automock;

/// The bytes are not client data in JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not client data")]
pub struct MalformedClientData;

/// Parses client data and verifies signatures.
#[cfg_attr(feature = "test-support", automock)]
pub trait PasskeyVerifier: Send + Sync {
    /// Parses client data. MUST reject invalid UTF-8 and repeated members, and MUST ignore unknown ones.
    fn parse_client_data(&self, json: &[u8]) -> Result<ClientData, MalformedClientData>;
    /// Returns whether the signature is valid.
    fn is_signed(&self, check: &SignatureCheck) -> bool;
}
