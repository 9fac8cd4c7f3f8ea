//! Writes of first-party backends, and the responses.

mod activity;
mod backend;
mod batch;
mod busy;
mod erasure;
mod once;
mod person;
mod record;
mod refusal;
