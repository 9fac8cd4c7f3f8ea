//! Tests of the ingest against a store in memory.
