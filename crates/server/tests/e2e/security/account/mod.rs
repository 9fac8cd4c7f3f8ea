//! Passwords, sessions and what is known of accounts: attacks on the pages where people sign in.

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
