//! Adapters for what the process itself provides: clock, randomness, keys and tokens, passwords, in-process
//! rate limits.
//!
//! [`Ed25519KeyRing`] holds the signing keys, signs access tokens and verifies them; [`EncryptionKey`] seals
//! private keys, pending email ([`EncryptedMailSealer`]) and the secrets of authenticator apps
//! ([`EncryptedTotpSealer`]) in the store, and [`SharedKeyReload`] reloads the ring from the store.
//! [`CachedAccessReader`] caches access checks. [`Argon2PasswordHasher`] hashes passwords, a few at a time,
//! and [`ZxcvbnStrengthChecker`] rejects guessable ones; [`AwsLcPasskeyVerifier`] verifies signatures of
//! passkeys. [`InProcessReadLedger`] sums reads, and [`InProcessUsageLedger`] requests, until they are
//! stored.

mod cached_access_reader;
mod clock;
mod doctor_pass;
mod encryption_key;
mod entropy;
mod form_sealer;
mod key_reload;
mod key_ring;
mod mail_sealer;
mod passkey;
mod password;
mod rate_limiter;
mod read_ledger;
mod seal;
#[cfg(any(test, feature = "test-support"))]
pub mod test_support;
mod token;
mod totp_sealer;
mod usage_ledger;
mod webhook_signer;

pub use cached_access_reader::CachedAccessReader;
pub use clock::{SystemClock, TimerPause};
pub use doctor_pass::DoctorPass;
pub use encryption_key::{EncryptionKey, InvalidEncryptionKey, KeyFileError, exposed_mode};
pub use entropy::SystemEntropy;
pub use form_sealer::EncryptedFormSealer;
pub use key_reload::SharedKeyReload;
pub use key_ring::{Ed25519KeyRing, PublicKey, PublicKeySet};
pub use mail_sealer::EncryptedMailSealer;
pub use passkey::AwsLcPasskeyVerifier;
pub use password::{
    Argon2PasswordHasher, HashParameters, HashingLimits, InvalidHashParameters, ZxcvbnStrengthChecker,
};
pub use rate_limiter::InProcessRateLimiter;
pub use read_ledger::InProcessReadLedger;
pub use token::TokenParties;
pub use totp_sealer::EncryptedTotpSealer;
pub use usage_ledger::InProcessUsageLedger;
pub use webhook_signer::EncryptedWebhookSigner;
