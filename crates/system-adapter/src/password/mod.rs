//! Passwords: hashing with argon2id and rejection of guessable ones.

mod famous;
mod gate;
mod hasher;
mod memory;
mod parameters;
mod personal;
mod stored_hash;
mod strength_checker;

pub use gate::HashingLimits;
pub use hasher::Argon2PasswordHasher;
pub use parameters::{HashParameters, InvalidHashParameters};
pub use strength_checker::ZxcvbnStrengthChecker;
