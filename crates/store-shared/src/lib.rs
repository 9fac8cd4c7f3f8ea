//! Shared parts of both stores: statements that are the same on both, the JSON in their columns, the names of
//! kinds, and the metrics of their connections.
//!
//! Functions that parse a column return `None` for a value that the program cannot have written. The caller
//! adds table, column and row to the error.

mod audit;
mod authorization_request;
mod client;
mod code;
pub mod column;
mod consent;
mod grant;
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
mod session;
mod signing_key;
mod statement;
mod store;
#[cfg(test)]
mod test_support;
mod time_range;
mod undone;
mod unit_of_work;
mod webhook;

pub use audit::{append_event, append_once_statement, event_values, list_events, list_statement};
pub use authorization_request::find_authorization_request;
pub use client::{DeleteClients, count_draft_users, find_with_secrets, list_clients, list_own_clients};
pub use code::RedeemCodes;
pub use grant::{StoreGrants, count_live_grants, find_grant, grant_values, list_grants, store_grant};
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
pub use row::Stored;
pub use sandbox::list_sandbox_people;
pub use second_factor::find_second_factor;
pub use session::{find_session, list_sessions};
pub use signing_key::list_signing_keys;
pub use statement::{Change, Locked, Raw, Read, Value};
pub use store::{Account, Store};
pub use time_range::{known_moment, lower_bound, upper_bound};
pub use undone::{read_undone, write_undone};
pub use unit_of_work::{Transaction, Unit};
pub use webhook::{
    count_due_events, find_endpoint, find_pending_event, list_deliveries, list_due_events, list_endpoints,
    list_live_scopes,
};
