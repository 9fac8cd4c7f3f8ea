//! Shared parts of both stores: statements that are the same on both, the JSON in their columns, the names of
//! kinds, and the metrics of their connections.
//!
//! Functions that parse a column return `None` for a value that the program cannot have written. The caller
//! adds table, column and row to the error.

mod audit;
mod authorization_request;
pub mod column;
mod consent;
mod import_report;
mod ingredients;
mod json;
mod metadata_document;
mod meter;
mod names;
mod outbox;
mod passkey;
mod password_link;
mod pending_sign_in;
mod personal_token;
mod profile_changes;
mod profile_source;
mod reader;
mod record_before;
mod rotation;
mod row;
mod sandbox;
#[expect(missing_docs, reason = "tables and columns have the names of the database")]
pub mod schema;
mod second_factor;
mod signing_key;
mod statement;
mod store;
#[cfg(test)]
mod test_support;
mod time_range;
mod undone;
mod unit_of_work;

pub use audit::{append_event, append_once_statement, event_values, list_events, list_statement};
pub use authorization_request::find_authorization_request;
pub use import_report::{read_report, write_report};
pub use ingredients::{read_ingredients, write_ingredients};
pub use metadata_document::{read_document, write_document};
pub use meter::{ConnectionMeter, GaugeGuard, timed};
pub use names::*;
pub use outbox::backlog;
pub use passkey::{find_passkey, list_passkeys};
pub use password_link::{delete_links_to, find_password_link};
pub use pending_sign_in::find_pending_sign_in;
pub use personal_token::list_personal_tokens;
pub use profile_changes::{read_profile_changes, write_profile_changes};
pub use profile_source::{list_sources, record_sources};
pub use record_before::{read_before, write_before};
pub use rotation::rotation_outcome;
pub use row::Stored;
pub use sandbox::list_sandbox_people;
pub use second_factor::find_second_factor;
pub use signing_key::list_signing_keys;
pub use statement::{Change, Locked, Raw, Read, Value};
pub use store::{Account, Store};
pub use time_range::{known_moment, lower_bound, upper_bound};
pub use undone::{read_undone, write_undone};
pub use unit_of_work::{Transaction, Unit};
