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
    /// Returns the supplements taken from one time to another with their intakes in that time, at most
    /// `size`: those with the latest intake first.
    pub async fn run(
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
}
