//! What the process itself provides: clock, randomness, keys and tokens, in-process rate limits.
//!
//! [`Ed25519KeyRing`] holds the signing keys, signs access tokens and checks them; [`EncryptionKey`] is what
//! private keys are stored under, and [`SharedKeyReload`] keeps the ring as the store has it. [`CachedAccessReader`] takes the load of the access check off the store.

mod cached_access_reader;
mod clock;
mod encryption_key;
mod entropy;
mod key_reload;
mod key_ring;
mod rate_limiter;
#[cfg(any(test, feature = "test-support"))]
pub mod test_support;
mod token;

pub use cached_access_reader::CachedAccessReader;
pub use clock::SystemClock;
pub use encryption_key::{EncryptionKey, InvalidEncryptionKey, KeyFileError};
pub use entropy::SystemEntropy;
pub use key_reload::SharedKeyReload;
pub use key_ring::{Ed25519KeyRing, PublicKey, PublicKeySet};
pub use rate_limiter::InProcessRateLimiter;
pub use token::TokenParties;
