//! The ports: traits that the use cases need and the adapters implement.
//!
//! There are three families. [`storage`] persists data: repositories inside a [`storage::UnitOfWork`] for
//! transactions, and readers for queries without one. [`system`] provides the clock, randomness, signatures
//! and counters. The others read and write files: imports, uploads and exports.
//!
//! Ports are object-safe and held as `Arc<dyn Port>`. Requirements marked MUST are tested by the shared suite
//! in `contract-tests` (storage) or by the adapter's own tests (system).
//!
//! To add a port: write the trait here and document absence, conflicts, order and atomicity; add the cases to
//! `contract-tests`; implement it in every adapter of the family.

pub mod export_writer;
pub mod import_source;
pub mod ingest_source;
pub mod storage;
pub mod system;
#[cfg(test)]
pub(crate) mod testing;
pub mod upload_files;
