//! What the process itself provides: the time, randomness, signatures, counters.

mod clock;
mod entropy;
mod key_ring;
mod rate_limiter;
mod token_codec;

pub use clock::*;
pub use entropy::*;
pub use key_ring::*;
pub use rate_limiter::*;
pub use token_codec::*;
