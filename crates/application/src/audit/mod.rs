//! The audit trail: writing events, tallying reads, listing both, and deleting old ones.
//!
//! A use case that changes data stores its events in the same transaction, with `tx.record`.

mod daily_events;
mod flush_reads;
mod list_activity;
mod list_reads;
mod prune_audit;
mod read_recorder;
mod retention;

pub use crate::ports::storage::{AuditFilter, AuditPosition};
pub use daily_events::*;
pub use flush_reads::*;
pub use list_activity::*;
pub use list_reads::*;
pub use prune_audit::*;
pub use read_recorder::*;
pub use retention::*;

#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
