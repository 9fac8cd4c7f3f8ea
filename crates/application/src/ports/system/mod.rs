//! System ports: clock, randomness, signatures, counters.

mod clock;
mod entropy;
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
mod pause;
mod rate_limiter;
mod read_ledger;
mod token_codec;
mod totp_sealer;
mod usage_ledger;
mod webhook_signer;

pub use clock::*;
pub use entropy::*;
pub use fetcher::*;
pub use form_sealer::*;
pub use key_ring::*;
pub use mailer::*;
pub use metadata_source::*;
pub use passkey_verifier::*;
pub use password_hasher::*;
pub use pause::*;
pub use rate_limiter::*;
pub use read_ledger::*;
pub use token_codec::*;
pub use totp_sealer::*;
pub use usage_ledger::*;
pub use webhook_signer::*;
