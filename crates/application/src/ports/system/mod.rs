//! System ports: clock, randomness, signatures, counters.

mod clock;
mod entropy;
mod key_ring;
mod mailer;
#[cfg_attr(
    feature = "test-support",
    expect(clippy::ref_option_ref, reason = "the code of the mock borrows every argument, an option too")
)]
mod password_hasher;
mod pause;
mod rate_limiter;
mod read_ledger;
mod token_codec;

pub use clock::*;
pub use entropy::*;
pub use key_ring::*;
pub use mailer::*;
pub use password_hasher::*;
pub use pause::*;
pub use rate_limiter::*;
pub use read_ledger::*;
pub use token_codec::*;
