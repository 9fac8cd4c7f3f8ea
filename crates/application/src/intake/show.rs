//! Shows a person their intake of some days.

use super::Intakes;
use crate::ports::storage::{StorageError, SupplementPageQuery, SupplementRecord};
use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use domain::id::{IntakeLogId, SupplementId, UserId};
use domain::paging::{PageNumber, PageRequest, PageSize, SortDirection};
use domain::supplement::daily::{self, IntakeDay};
use domain::supplement::{CatalogueKey, IntakeLog, Supplement};
use domain::time::TimeZone;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::RangeInclusive;
use uuid::Uuid;

/// Logs read at once.
const BATCH: u32 = 500;
/// Maximum number of logs that are summed up: some 180 a day over four weeks.
const MAX_LOGS: usize = 5_000;

/// Local days of a person, both inclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IntakeRange {
    /// First day.
    pub first: NaiveDate,
    /// Last day.
    pub last: NaiveDate,
    /// Zone of the days.
    pub zone: TimeZone,
}

/// Intake of a range of days.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Intake {
    /// Days with intake.
    pub days: BTreeMap<NaiveDate, IntakeDay>,
    /// Logs by time.
    pub logs: Vec<IntakeLog>,
    /// Supplements in the logs.
    pub supplements: HashMap<SupplementId, Supplement>,
    /// Current versions of the custom products, whether or not they were taken.
    pub own: Vec<Supplement>,
    /// Whether there are more logs than are summed up, so that the latest are missing.
    pub is_cut: bool,
}

impl Intakes {
    /// Returns the intake of a range of days.
    pub async fn show(&self, user_id: UserId, range: IntakeRange) -> Result<Intake, StorageError> {
        let IntakeRange { first, last, zone } = range;
        let (start, end) = (zone.first_instant_of(first), zone.last_instant_of(last));
        let mut logs = self.logs(user_id, start, end).await?;
        let is_cut = logs.len() > MAX_LOGS;
        logs.truncate(MAX_LOGS);
        let ids: BTreeSet<SupplementId> = logs.iter().map(|log| log.record.supplement_id()).collect();
        let ids: Vec<SupplementId> = ids.into_iter().collect();
        let versions = if ids.is_empty() { Vec::new() } else { self.reader.list_versions(&ids).await? };
        let supplements = versions.into_iter().map(|(_, found)| (found.id, found)).collect();
        let own = self.reader.list_own(user_id).await?.into_iter().map(|(_, product)| product).collect();
        let days = daily::by_day(&logs, &supplements, zone);
        Ok(Intake { days, logs, supplements, own, is_cut })
    }

    /// Returns the supplements taken from one time to another with their intakes in that time, at most
    /// `size`: those with the latest intake first.
    pub async fn list(
        &self,
        user_id: UserId,
        period: RangeInclusive<DateTime<Utc>>,
        size: PageSize,
    ) -> Result<Vec<SupplementRecord>, StorageError> {
        let (start, end) = period.into_inner();
        let page = PageRequest { number: PageNumber::FIRST, size, sort: SortDirection::Descending };
        let query =
            SupplementPageQuery { user_id, start: Some(start), end: Some(end), supplement_id: None, page };
        Ok(self.reader.page(query).await?.records)
    }

    /// Returns the local day of the oldest log, if there is one.
    pub async fn earliest(&self, user_id: UserId, zone: TimeZone) -> Result<Option<NaiveDate>, StorageError> {
        let logs = self.reader.walk_logs(user_id, None, 1).await?;
        Ok(logs.first().map(|log| daily::local_day(log.record.created_at(), zone)))
    }

    /// Returns one log with its supplement; `None` if the person has no such log.
    pub async fn find(
        &self,
        user_id: UserId,
        id: IntakeLogId,
    ) -> Result<Option<(IntakeLog, Supplement)>, StorageError> {
        let Some(log) = self.reader.find_log(user_id, id).await? else { return Ok(None) };
        let found = self.reader.list_versions(&[log.record.supplement_id()]).await?;
        Ok(found.into_iter().next().map(|(_, supplement)| (log, supplement)))
    }

    /// Returns a supplement that the person may log; `None` if there is none, or it is another person's
    /// custom product.
    pub async fn find_supplement(
        &self,
        user_id: UserId,
        id: SupplementId,
    ) -> Result<Option<(CatalogueKey, Supplement)>, StorageError> {
        let found = self.reader.list_versions(&[id]).await?;
        Ok(found.into_iter().find(|(key, _)| key.is_visible_to(user_id)))
    }

    /// Reads the logs of a range, at most one more than are summed up.
    async fn logs(
        &self,
        user_id: UserId,
        start: DateTime<Utc>,
        end: DateTime<Utc>,
    ) -> Result<Vec<IntakeLog>, StorageError> {
        let before = start.checked_sub_signed(TimeDelta::microseconds(1)).unwrap_or(start);
        let mut after = Some((before, IntakeLogId::from_uuid(Uuid::max())));
        let mut logs: Vec<IntakeLog> = Vec::new();
        loop {
            let batch = self.reader.walk_logs(user_id, after, BATCH).await?;
            let is_last = batch.len() < BATCH as usize;
            after = batch.last().map(|log| (log.record.created_at(), log.id));
            let count = batch.len();
            logs.extend(batch.into_iter().take_while(|log| log.record.created_at() <= end));
            let is_past_end = logs.last().map(|log| log.id) != after.map(|(_, id)| id) || count == 0;
            if is_last || is_past_end || logs.len() > MAX_LOGS {
                return Ok(logs);
            }
        }
    }
}
