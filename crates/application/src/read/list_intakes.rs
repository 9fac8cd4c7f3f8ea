//! Lists what a user has taken since a given time, at the user's request.

use crate::ports::storage::{StorageError, SupplementPage, SupplementPageQuery, SupplementReader};
use chrono::{DateTime, Utc};
use derive_more::Constructor;
use domain::id::UserId;
use domain::paging::{PageNumber, PageRequest, PageSize, SortDirection};
use std::sync::Arc;

/// Lists intakes.
#[derive(Constructor)]
pub struct ListIntakes {
    reader: Arc<dyn SupplementReader>,
}

impl ListIntakes {
    /// Returns the supplements taken since a time, at most `size`, the latest first intake first.
    pub async fn run(
        &self,
        user_id: UserId,
        since: DateTime<Utc>,
        size: PageSize,
    ) -> Result<SupplementPage, StorageError> {
        let page = PageRequest { number: PageNumber::FIRST, size, sort: SortDirection::Descending };
        let query = SupplementPageQuery { user_id, start: Some(since), supplement_id: None, page };
        self.reader.page(query).await
    }
}
