//! Counts of clients' requests, for their developers (ADR 71).

mod flush_usage;

pub use flush_usage::*;

use crate::ports::system::{Clock, UsageLedger};
use chrono::{DateTime, Days, NaiveDate, Utc};
use derive_more::Constructor;
use domain::client_usage::{ClientUsage, Rejection, UsageKey, UsedEndpoint};
use domain::id::ClientId;
use std::borrow::Cow;
use std::sync::Arc;

/// Number of days whose usage is kept and shown, the current one included.
pub const USAGE_DAYS: u8 = 14;

/// Returns the first day whose usage is kept and shown at this time.
pub fn first_usage_day(now: DateTime<Utc>) -> NaiveDate {
    let today = now.date_naive();
    today.checked_sub_days(Days::new(u64::from(USAGE_DAYS) - 1)).unwrap_or(today)
}

/// Usage of one request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientRequest {
    /// The authenticated client.
    pub client_id: ClientId,
    /// The endpoint.
    pub endpoint: UsedEndpoint,
    /// Remaining requests of the day's limit; `None` if the request was not counted against one.
    pub left: Option<u32>,
    /// Why the request was rejected, if that is known.
    pub rejection: Option<Cow<'static, str>>,
}

/// Records requests in the process's ledger; never blocks, never fails.
#[derive(Clone, Constructor)]
pub struct UsageRecorder {
    ledger: Arc<dyn UsageLedger>,
    clock: Arc<dyn Clock>,
}

impl UsageRecorder {
    /// Records a request that was answered now with this HTTP status.
    pub fn record(&self, request: ClientRequest, status: u16) {
        let ClientRequest { client_id, endpoint, left, rejection } = request;
        let at = self.clock.now();
        let key = UsageKey { client_id, day: at.date_naive(), endpoint, status };
        let rejection = rejection.map(|reason| Rejection { reason: reason.into_owned(), at });
        self.ledger.add(ClientUsage { key, requests: 1, fewest_left: left, rejection });
    }
}

#[cfg(test)]
mod tests;
