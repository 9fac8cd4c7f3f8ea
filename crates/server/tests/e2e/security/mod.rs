//! Attacks and mistakes against the running program: rows of the security bar that need one.
//!
//! Rows are named above the tests. Rows that a single crate can prove are tested there.

mod auth_request;
mod caller;
mod dump;
pub(super) mod party;
mod raw;
mod scene;

mod access;
pub(super) mod account;
mod at_rest;
mod authorize;
mod code;
mod credentials;
mod edge;
mod erasure;
mod framing;
mod fuzz;
mod guessing;
mod key_rotation;
mod leak;
mod matrix;
mod model;
mod outage;
mod page;
mod public;
mod query_secret;
mod race;
mod restart;
mod revoke_introspect;
mod slow;
mod timing;
