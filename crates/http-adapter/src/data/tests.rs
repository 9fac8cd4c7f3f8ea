//! The data endpoints from a client's view; tests name their rows of the security page.

mod access;
mod audit;
mod body;
mod changes;
mod link;
mod overload;
mod parameter;
mod personal_token;
mod rate_limit;
pub(in crate::data) mod sample;
mod storage;
mod usage;
mod world;
