//! Rows as the tables hold them, and their way to the domain and back.
//!
//! Each conversion takes the whole value apart, so that a new field does not compile until it is stored.

mod account;
mod audit_event;
mod authorization_code;
mod authorization_request;
mod before;
mod client;
mod consent;
mod fixed_array;
mod grant;
mod hex;
mod import;
mod intake_log;
mod json;
mod message;
mod page_session;
mod password_link;
mod personal_token;
mod profile_change;
mod read_tally;
mod session;
mod signing_key;
mod sleep;
mod supplement;

pub(crate) use account::{AccountColumns, AccountRow, email, home_zone, user_status};
pub(crate) use audit_event::EventRow;
pub(crate) use authorization_code::CodeRow;
pub(crate) use authorization_request::RequestRow;
pub(crate) use before::{read_before, record_parts, record_reference, write_before};
pub(crate) use client::{ClientRow, SecretRow, client_name};
pub(crate) use consent::ConsentRow;
pub(crate) use fixed_array::FixedArray;
pub(crate) use grant::{GrantRow, from_columns, used_from};
pub(crate) use import::{ImportContent, ImportExtra, ImportRow};
pub(crate) use intake_log::{IntakeLogColumns, LogRow, NewLogs};
pub(crate) use json::JsonText;
pub(crate) use message::{MessageColumns, MessageRow};
pub(crate) use page_session::{PageSession, PageSessionColumns, unix_micros};
pub(crate) use password_link::LinkRow;
pub(crate) use personal_token::TokenRow;
pub(crate) use read_tally::{NewTallies, TallyRow, reader_parts};
pub(crate) use session::SessionRow;
pub(crate) use signing_key::SigningKeyRow;
pub(crate) use sleep::{NewSessions, SLEEP_COLUMNS, SleepColumns, SleepRow, key_kind_name, sleep_offset};
pub(crate) use supplement::{
    NewSupplementRow, NewSupplements, SUPPLEMENT_COLUMNS, SupplementColumns, SupplementRow, upc_digits,
};

use crate::error::corrupt;
use application::ports::storage::StorageError;
use chrono::{DateTime, TimeDelta, Utc};
use domain::scope::ScopeSet;
use domain::secret::SecretHash;
use std::fmt::Display;

/// Reads a hash of 32 bytes.
fn secret_hash(
    bytes: &[u8],
    table: &'static str,
    column: &'static str,
    row: impl Display,
) -> Result<SecretHash, StorageError> {
    bytes.try_into().map(SecretHash::from_bytes).map_err(corrupt(table, column, row))
}

/// Reads a set of scopes.
pub(crate) fn scope_set(
    text: &str,
    table: &'static str,
    row: impl Display,
) -> Result<ScopeSet, StorageError> {
    ScopeSet::parse(text).map_err(corrupt(table, "scopes", row))
}

/// The moments between which everything that is stored lies: what a range leaves open, and what lies beyond
/// the times that Postgres knows.
const EARLIEST_SECONDS: i64 = -62_135_596_800;
const LATEST_SECONDS: i64 = 253_402_300_800;

/// Takes the start of a range, not before the year 1; a part of a microsecond is more than the one before it.
pub(crate) fn lower_bound(start: Option<DateTime<Utc>>) -> DateTime<Utc> {
    let Some(start) = start else { return earliest() };
    let start = known_moment(start);
    let whole = whole_micros(start);
    if whole < start { whole + TimeDelta::microseconds(1) } else { whole }
}

/// Takes the end of a range, not after the year 9999, cut to microseconds.
pub(crate) fn upper_bound(end: Option<DateTime<Utc>>) -> DateTime<Utc> {
    end.map_or_else(latest, |end| whole_micros(known_moment(end)))
}

/// Keeps an instant within what Postgres knows.
fn known_moment(moment: DateTime<Utc>) -> DateTime<Utc> {
    moment.clamp(earliest(), latest())
}

/// Cuts an instant to the microseconds that Postgres keeps.
fn whole_micros(instant: DateTime<Utc>) -> DateTime<Utc> {
    DateTime::from_timestamp_micros(instant.timestamp_micros()).unwrap_or(instant)
}

fn earliest() -> DateTime<Utc> {
    DateTime::from_timestamp(EARLIEST_SECONDS, 0).unwrap_or_default()
}

fn latest() -> DateTime<Utc> {
    DateTime::from_timestamp(LATEST_SECONDS, 0).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_open_range_holds_the_years_1_to_9999_and_no_bound_leaves_what_postgres_knows() {
        assert_eq!(lower_bound(None).to_rfc3339(), "0001-01-01T00:00:00+00:00");
        assert_eq!(upper_bound(None), lower_bound(Some(DateTime::<Utc>::MAX_UTC)));
        assert_eq!(upper_bound(Some(DateTime::<Utc>::MIN_UTC)), lower_bound(None));
        assert_eq!(upper_bound(Some(DateTime::UNIX_EPOCH)), DateTime::UNIX_EPOCH);
    }
    #[test]
    fn a_start_is_rounded_up_and_an_end_down_to_microseconds() {
        let odd = DateTime::UNIX_EPOCH + TimeDelta::nanoseconds(-1_001);
        assert_eq!(lower_bound(Some(odd)), DateTime::UNIX_EPOCH - TimeDelta::microseconds(1));
        assert_eq!(upper_bound(Some(odd)), DateTime::UNIX_EPOCH - TimeDelta::microseconds(2));
    }
}
