//! Lists what a user has taken in a given time, at the user's request.

use crate::ports::storage::{StorageError, SupplementPage, SupplementPageQuery, SupplementReader};
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
    /// Returns the supplements taken from one time to another, at most `size`, the latest first intake first.
    pub async fn run(
        &self,
        user_id: UserId,
        period: RangeInclusive<DateTime<Utc>>,
        size: PageSize,
    ) -> Result<SupplementPage, StorageError> {
        let page = PageRequest { number: PageNumber::FIRST, size, sort: SortDirection::Descending };
        let query = SupplementPageQuery { user_id, start: Some(*period.start()), supplement_id: None, page };
        let mut page = self.reader.page(query).await?;
        let latest = period.end().timestamp_micros();
        for record in &mut page.records {
            record.logs.retain(|log| log.created_at_micros <= latest);
        }
        page.records.retain(|record| !record.logs.is_empty());
        Ok(page)
    }
}
