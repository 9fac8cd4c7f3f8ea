//! Shared parts of both stores: statements that are the same on both, the JSON in their columns, the names of
//! kinds, and the metrics of their connections.
//!
//! Functions that parse a column return `None` for a value that the program cannot have written. The caller
//! adds table, column and row to the error.

mod audit;
mod authorization_request;
mod client;
mod client_usage;
mod code;
pub mod column;
mod connected_app;
mod consent;
mod erasure;
mod grant;
#[doc(hidden)]
pub mod idempotency;
mod import;
mod import_journal;
mod import_report;
mod ingredients;
mod intake_log;
#[doc(hidden)]
pub mod job_lease;
mod json;
mod metadata_document;
mod meter;
mod names;
mod outbox;
mod passkey;
mod password;
mod password_link;
mod pending_sign_in;
mod personal_token;
mod profile_changes;
mod profile_source;
mod read_tally;
mod reader;
mod record_before;
mod refresh_token;
mod row;
mod sandbox;
#[expect(missing_docs, reason = "tables and columns have the names of the database")]
pub mod schema;
mod second_factor;
mod session;
mod signing_key;
mod statement;
mod store;
mod supplement;
#[cfg(test)]
mod test_support;
mod time_range;
mod undone;
mod unit_of_work;
mod upload;
mod user;
mod webhook;

pub use audit::{append_event, append_once_statement, event_values, list_events, list_statement};
pub use authorization_request::find_authorization_request;
pub use client::{DeleteClients, count_draft_users, find_with_secrets, list_clients, list_own_clients};
pub use client_usage::{add_usage, delete_usage_before, list_usage};
pub use code::RedeemCodes;
pub use connected_app::{AppColumns, AppRow};
pub use erasure::was_erased;
pub use grant::{StoreGrants, count_live_grants, grant_values, list_grants, store_grant};
pub use import::{find_import, find_import_of_session, find_upload_part, has_notes, list_imports};
pub use import_journal::{Note, StoreNotes, entries_statement};
pub use intake_log::{LogColumns, LogRow, find_log, logs_statement, walk_logs};
pub use metadata_document::{read_document, write_document};
pub use meter::{ConnectionMeter, GaugeGuard, timed};
pub use names::*;
pub use outbox::backlog;
pub use passkey::{find_passkey, list_passkeys};
pub use password::find_credentials;
pub use password_link::find_password_link;
pub use pending_sign_in::find_pending_sign_in;
pub use personal_token::list_personal_tokens;
pub use profile_source::list_sources;
pub use read_tally::{list_tallies, tallies_statement};
#[doc(hidden)]
pub use reader::all;
pub use refresh_token::find_by_refresh_token;
pub use row::Stored;
pub use sandbox::list_sandbox_people;
pub use second_factor::find_second_factor;
pub use session::{find_session, list_sessions};
pub use signing_key::list_signing_keys;
pub use statement::{Change, Locked, Raw, Read, Value};
pub use store::Store;
pub use supplement::{
    LabelColumns, LabelRow, StoreLabels, VERSION_COLUMNS, VersionColumns, VersionRow, current_statement,
    keyed, list_by_upc, list_own, upc_digits, version_statement,
};
pub use time_range::{known_moment, lower_bound, upper_bound};
pub use unit_of_work::{Transaction, Unit};
pub use user::{
    ACCOUNT_COLUMNS, AccountColumns, AccountRow, StoreUsers, find_profile, list_profiles, profile_statement,
};
pub use webhook::{
    count_due_events, find_endpoint, find_pending_event, list_deliveries, list_due_events, list_endpoints,
    list_live_scopes,
};
