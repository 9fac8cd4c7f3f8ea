//! The ports: what the use cases need from the world, as traits that adapters implement.
//!
//! Two families. [`storage`] keeps things: repositories inside a [`storage::UnitOfWork`] for what must happen
//! together, and readers for questions that need no transaction. [`system`] is what a process provides: the
//! time, randomness, signatures, counters.
//!
//! Driven ports are object-safe and held as `Arc<dyn Port>`. What a doc comment says with MUST is checked by
//! the shared suite in `contract-tests` (storage) or by the adapter's own tests (system).
//!
//! To add a port: write the trait here, its absence, conflicts, order and atomicity in the comments; add the
//! cases to `contract-tests`; implement it in every adapter of the family.

pub mod export_writer;
pub mod import_source;
pub mod ingest_source;
pub mod storage;
pub mod system;
pub mod upload_files;
