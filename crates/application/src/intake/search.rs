//! Searches supplements that a person can log.

use super::Intakes;
use crate::ports::storage::StorageError;
use chrono::{DateTime, TimeDelta, Utc};
use domain::id::{IntakeLogId, SupplementId, UserId};
use domain::supplement::{SearchWords, Servings, Supplement, Upc};
use std::collections::HashMap;
use uuid::Uuid;

/// Maximum number of supplements in a result.
const LIMIT: u32 = 30;
/// Weeks in which a supplement was taken to be offered again.
const RECENT_WEEKS: i64 = 8;
/// Maximum number of logs that are looked through for it.
const RECENT_LOGS: u32 = 2_000;
/// Maximum number of recent supplements.
const MAX_RECENT: usize = 20;

/// Result of a search.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FoundSupplements {
    /// The person's custom products, by name.
    pub own: Vec<Supplement>,
    /// Labels of the catalogue: those first whose name begins with the query.
    pub catalogue: Vec<Supplement>,
    /// Whether the catalogue may have more.
    pub is_partial: bool,
}

/// A supplement that was taken lately.
#[derive(Debug, Clone, PartialEq)]
pub struct RecentSupplement {
    /// The version that was taken last.
    pub supplement: Supplement,
    /// Servings taken last.
    pub servings: Servings,
    /// Time of the last intake.
    pub taken_at: DateTime<Utc>,
}

impl Intakes {
    /// Searches the catalogue and the custom products by words of name and brand, or by product code if the
    /// query is one. `None` if the query has no word.
    pub async fn search(
        &self,
        user_id: UserId,
        query: &str,
    ) -> Result<Option<FoundSupplements>, StorageError> {
        let Some(words) = SearchWords::parse(query) else { return Ok(None) };
        let own = self.list_products(user_id).await?.into_iter();
        let (own, catalogue, is_partial): (Vec<Supplement>, Vec<Supplement>, bool) =
            if let Ok(upc) = Upc::parse(query.trim()) {
                let own = own.filter(|product| Upc::parse(product.label.upc()).as_ref() == Ok(&upc));
                let found = self.reader.list_by_upc(&upc).await?;
                let current = found.into_iter().filter(|version| version.is_current);
                (own.collect(), current.map(|version| version.supplement).collect(), false)
            } else {
                let own = own.filter(|product| words.matches(&product.label));
                let found = self.reader.search(&words, LIMIT + 1).await?;
                let is_partial = found.len() > LIMIT as usize;
                (own.collect(), found.into_iter().map(|(_, supplement)| supplement).collect(), is_partial)
            };
        let catalogue = catalogue.into_iter().take(LIMIT as usize).collect();
        Ok(Some(FoundSupplements { own, catalogue, is_partial }))
    }

    /// Lists what the person took in the last eight weeks, latest first.
    pub async fn list_recent(&self, user_id: UserId) -> Result<Vec<RecentSupplement>, StorageError> {
        let now = self.store.now();
        let start = now.checked_sub_signed(TimeDelta::weeks(RECENT_WEEKS)).unwrap_or(now);
        let after = Some((start, IntakeLogId::from_uuid(Uuid::max())));
        let logs = self.reader.walk_logs(user_id, after, RECENT_LOGS).await?;
        let mut latest: HashMap<SupplementId, (DateTime<Utc>, Servings)> = HashMap::new();
        for log in &logs {
            latest.insert(log.record.supplement_id(), (log.record.created_at(), log.record.servings()));
        }
        let mut latest: Vec<_> = latest.into_iter().collect();
        latest.sort_by_key(|(id, (at, _))| (std::cmp::Reverse(*at), *id));
        latest.truncate(MAX_RECENT);
        let ids: Vec<SupplementId> = latest.iter().map(|(id, _)| *id).collect();
        let versions = if ids.is_empty() { Vec::new() } else { self.reader.list_versions(&ids).await? };
        let mut versions: HashMap<_, _> = versions.into_iter().map(|(_, found)| (found.id, found)).collect();
        let recent = latest.into_iter().filter_map(|(id, (taken_at, servings))| {
            Some(RecentSupplement { supplement: versions.remove(&id)?, servings, taken_at })
        });
        Ok(recent.collect())
    }

    /// Lists the custom products by name.
    pub async fn list_products(&self, user_id: UserId) -> Result<Vec<Supplement>, StorageError> {
        let found = self.reader.list_own(user_id).await?.into_iter();
        let mut own: Vec<_> = found.map(|(_, product)| product).collect();
        own.sort_by_key(|product| product.label.name().to_lowercase());
        Ok(own)
    }
}
