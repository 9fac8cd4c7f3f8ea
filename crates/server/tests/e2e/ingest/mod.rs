//! What a first-party backend writes, and what it is answered.

mod activity;
mod backend;
mod batch;
mod busy;
mod erasure;
mod once;
mod person;
mod record;
mod refusal;
