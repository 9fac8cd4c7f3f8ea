//! Randomness.

use domain::secret::SecretBytes;
#[cfg(feature = "test-support")]
use mockall::automock;
use uuid::Uuid;

/// Generates random values from a cryptographically secure source.
#[cfg_attr(feature = "test-support", automock)]
pub trait Entropy: Send + Sync {
    /// Generates 256 bits for a secret.
    fn secret_bytes(&self) -> SecretBytes;
    /// Generates a version 4 UUID.
    fn uuid(&self) -> Uuid;
}
