//! What a developer sees of an app.

use super::Clients;
use crate::access::DailyLimits;
use crate::client_usage::first_usage_day;
use crate::ports::storage::{ClientWithSecrets, StorageError};
use chrono::NaiveDate;
use domain::client::{Client, ClientSecret};
use domain::client_usage::{ClientUsage, UsedEndpoint};
use domain::data_endpoint::PersonEndpoint;
use domain::id::{ClientId, UserId};

/// Largest number of live grants that is counted.
pub const MAX_COUNTED_GRANTS: u32 = 10_000;

/// An app, as its developer sees it. Contains only the number of the people who use it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeveloperApp {
    /// The app.
    pub client: Client,
    /// Its live secrets, oldest first.
    pub secrets: Vec<ClientSecret>,
    /// Number of live grants, at most [`MAX_COUNTED_GRANTS`].
    pub live_grants: u32,
    /// Number of people besides the owner who were admitted to a draft.
    pub draft_users: u32,
    /// Requests of the last [`USAGE_DAYS`](crate::client_usage::USAGE_DAYS) days, latest day first; those of
    /// the last second may be missing.
    pub usage: Vec<ClientUsage>,
    /// Daily limits of the endpoints that read data.
    pub limits: Vec<DailyLimit>,
}

/// A daily limit, which each person has separately.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DailyLimit {
    /// The endpoint.
    pub endpoint: PersonEndpoint,
    /// Requests per UTC day.
    pub limit: u32,
    /// Requests left today for the person whose limit the app has used most.
    pub fewest_left: u32,
}

/// Returns the limits of the endpoints that read data, and what is left of them on this day.
fn limits_on(day: NaiveDate, limits: &DailyLimits, usage: &[ClientUsage]) -> Vec<DailyLimit> {
    let of = |endpoint| {
        let limit = limits.limit(endpoint);
        let used = usage.iter().filter(|sum| sum.key.day == day);
        let used = used.filter(|sum| sum.key.endpoint == UsedEndpoint::Person(endpoint));
        let fewest_left = used.filter_map(|sum| sum.fewest_left).min().map_or(limit, |left| left.min(limit));
        DailyLimit { endpoint, limit, fewest_left }
    };
    PersonEndpoint::all().filter(|endpoint| *endpoint != PersonEndpoint::Ingest).map(of).collect()
}

impl Clients {
    /// Lists the apps of a developer, oldest first.
    pub async fn list_apps(&self, owner: UserId) -> Result<Vec<Client>, StorageError> {
        self.reader.list_own_clients(owner).await
    }

    /// Returns an app of this developer; `None` if there is none.
    pub async fn find_app(&self, owner: UserId, id: ClientId) -> Result<Option<DeveloperApp>, StorageError> {
        let found = self.reader.find_own(owner, id).await?;
        let Some(ClientWithSecrets { client, mut secrets }) = found else { return Ok(None) };
        let now = self.store.now();
        secrets.retain(|secret| secret.is_live(now));
        let live_grants = self.grants.count_live_grants(id, MAX_COUNTED_GRANTS).await?;
        let draft_users = if client.review.is_draft() { self.reader.count_draft_users(id).await? } else { 0 };
        let usage = self.usage.list_usage(id, first_usage_day(now)).await?;
        let limits = limits_on(now.date_naive(), &self.limits, &usage);
        Ok(Some(DeveloperApp { client, secrets, live_grants, draft_users, usage, limits }))
    }
}
