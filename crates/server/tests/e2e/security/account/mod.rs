//! Passwords, sessions and account enumeration: attacks on the sign-in pages.

pub(crate) mod people;
mod process;
pub(crate) mod visit;

mod enumeration;
mod guessing;
mod hashing;
mod policy;
mod rehash;
mod second_factor;
