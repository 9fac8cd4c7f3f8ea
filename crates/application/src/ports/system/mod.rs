//! System ports: clock, randomness, signatures, counters.

mod ledger;
mod mailer;
mod outbound;
mod passkey_verifier;
#[cfg_attr(
    feature = "test-support",
    expect(clippy::ref_option_ref, reason = "the generated mock borrows every argument, including options")
)]
mod password_hasher;
mod rate_limiter;
mod sealer;
mod signing;
mod webhook_signer;

pub use ledger::*;
pub use mailer::*;
pub use outbound::*;
pub use passkey_verifier::*;
pub use password_hasher::*;
pub use rate_limiter::*;
pub use sealer::*;
pub use signing::*;
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
