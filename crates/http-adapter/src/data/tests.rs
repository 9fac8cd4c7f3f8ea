//! The data endpoints as a client sees them; the rows of the security page are named above the tests.

mod access;
mod audit;
mod body;
mod changes;
mod crowd;
mod link;
mod parameter;
mod personal_token;
mod rate_limit;
pub(in crate::data) mod sample;
mod storage;
mod world;
