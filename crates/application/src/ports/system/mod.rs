//! System ports: clock, randomness, signatures, counters.

mod fetcher;
mod form_sealer;
mod key_ring;
mod mailer;
mod metadata_source;
mod passkey_verifier;
#[cfg_attr(
    feature = "test-support",
    expect(clippy::ref_option_ref, reason = "the generated mock borrows every argument, including options")
)]
mod password_hasher;
mod rate_limiter;
mod read_ledger;
mod token_codec;
mod totp_sealer;
mod webhook_signer;

pub use fetcher::*;
pub use form_sealer::*;
pub use key_ring::*;
pub use mailer::*;
pub use metadata_source::*;
pub use passkey_verifier::*;
pub use password_hasher::*;
pub use rate_limiter::*;
pub use read_ledger::*;
pub use token_codec::*;
pub use totp_sealer::*;
pub use webhook_signer::*;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::secret::SecretBytes;
#[cfg(feature = "test-support")]
use mockall::automock;
use std::time::Duration;
use uuid::Uuid;

/// The clock.
#[cfg_attr(feature = "test-support", automock)]
pub trait Clock: Send + Sync {
    /// Returns the current time, in microseconds.
    fn now(&self) -> DateTime<Utc>;
}

/// Generates random values from a cryptographically secure source.
#[cfg_attr(feature = "test-support", automock)]
pub trait Entropy: Send + Sync {
    /// Generates 256 bits for a secret.
    fn secret_bytes(&self) -> SecretBytes;
    /// Generates a version 4 UUID.
    fn uuid(&self) -> Uuid;
}

/// Delays retries of use cases, independently of a clock.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait Pause: Send + Sync {
    /// Returns after this duration, without blocking a thread.
    async fn pause(&self, length: Duration);
}
