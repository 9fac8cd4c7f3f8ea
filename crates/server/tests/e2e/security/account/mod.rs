//! Passwords, sessions and account enumeration: attacks on the sign-in pages.

mod content;
pub(crate) mod people;
mod process;
pub(crate) mod visit;

mod at_rest;
mod enumeration;
mod guessing;
mod hashing;
mod leak;
mod policy;
mod rehash;
mod spraying;
mod trail;
