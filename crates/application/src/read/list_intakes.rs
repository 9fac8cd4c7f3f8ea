//! Lists what a user has taken in a given time, at the user's request.

use crate::ports::storage::{StorageError, SupplementPageQuery, SupplementReader, SupplementRecord};
use chrono::{DateTime, Utc};
use derive_more::Constructor;
use domain::id::UserId;
use domain::paging::{PageNumber, PageRequest, PageSize, SortDirection};
use std::ops::RangeInclusive;
use std::sync::Arc;

/// Lists intakes.
#[derive(Constructor)]
pub struct ListIntakes {
    reader: Arc<dyn SupplementReader>,
}

impl ListIntakes {
    /// Returns the supplements taken from one time to another, at most `size`: those with the latest intake
    /// first, even if it is after the period.
    pub async fn run(
        &self,
        user_id: UserId,
        period: RangeInclusive<DateTime<Utc>>,
        size: PageSize,
    ) -> Result<Vec<SupplementRecord>, StorageError> {
        let latest = period.end().timestamp_micros();
        let mut page = PageRequest { number: PageNumber::FIRST, size, sort: SortDirection::Descending };
        let mut records = Vec::new();
        loop {
            let query =
                SupplementPageQuery { user_id, start: Some(*period.start()), supplement_id: None, page };
            let found = self.reader.page(query).await?;
            for mut record in found.records {
                record.logs.retain(|log| log.created_at_micros <= latest);
                if !record.logs.is_empty() && records.len() < usize::from(size.get()) {
                    records.push(record);
                }
            }
            // Supplements taken only after the period come first, and may fill pages.
            if !found.has_more || records.len() == usize::from(size.get()) {
                return Ok(records);
            }
            page.number = page.number.next();
        }
    }
}
