//! Bodies of sleep, supplements and the change feed, written chunk by chunk from the rows of a page.
//!
//! A page of 10,000 sessions is 3 MB of packed rows and 40 MB of JSON, which is never held as a whole. A
//! chunk is rendered when the connection can accept it, and its rows are freed. The output equals that of
//! `serde_json` for the types in [`super::dto`]; a test compares them byte for byte.

mod change;
mod json;
mod log;
mod metric;
mod name;
mod page;
mod sleep;
mod stage;
mod supplement;
#[cfg(test)]
mod tests;

pub(super) use change::{ChangeItems, FeedEnvelope};
#[cfg(any(test, feature = "test-support"))]
pub(super) use page::Items;
pub(super) use page::{Envelope, answer};
pub(super) use sleep::SleepItems;
pub(super) use supplement::SupplementItems;
