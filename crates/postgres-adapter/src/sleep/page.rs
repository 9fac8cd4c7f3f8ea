//! The statement of a page of sleep sessions.

use application::ports::storage::SleepPageQuery;
use domain::paging::SortDirection;

/// Parameters that change the text of the statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SleepPageText {
    pub(super) sort: SortDirection,
    /// Whether the page starts at the start of the range, so that no row is skipped.
    pub(super) is_first: bool,
    pub(super) with_stages: bool,
    pub(super) with_metrics: bool,
}

/// Condition of the first page. `$4` is 0 and only present so that `$5` keeps its number.
const FIRST: &str = "s.started_at BETWEEN $2 AND $3 AND $4 = 0";

impl SleepPageText {
    pub(super) fn from_query(query: &SleepPageQuery) -> Self {
        Self {
            sort: query.page.sort,
            is_first: query.page.offset() == 0,
            with_stages: query.with_stages,
            with_metrics: query.with_metrics,
        }
    }

    /// Returns the statement: `$1` person, `$2` and `$3` range, `$4` rows to skip, `$5` rows to read.
    ///
    /// A subquery finds the page's first key in the primary key alone. A row comparison then makes that key
    /// the entry point of the second scan. The bound of the range that the key already implies is omitted:
    /// the scan would start there and read all skipped rows. Columns that were not requested are not read.
    pub(super) fn sql(self) -> String {
        let start = if self.is_first { FIRST.to_owned() } else { self.later() };
        let stages = if self.with_stages { "s.stages" } else { "''::bytea" };
        let metrics = if self.with_metrics { "s.metrics" } else { "''::bytea" };
        let direction = self.direction();
        format!(
            "SELECT s.id, s.started_at, s.ended_at, s.offset_at_start, s.offset_at_end, s.source, s.is_nap,
                s.updated_at, {stages}, {metrics}
            FROM sleep_session s WHERE s.user_id = $1 AND {start}
            ORDER BY s.started_at {direction}, s.id {direction} LIMIT $5"
        )
    }

    const fn direction(self) -> &'static str {
        match self.sort {
            SortDirection::Ascending => "ASC",
            SortDirection::Descending => "DESC",
        }
    }

    /// Returns the condition of a later page.
    fn later(self) -> String {
        let direction = self.direction();
        let (beyond, near, outermost, far) = match self.sort {
            SortDirection::Ascending => {
                (">=", "$2", "00000000-0000-0000-0000-000000000000", "started_at <= $3")
            }
            SortDirection::Descending => {
                ("<=", "$3", "ffffffff-ffff-ffff-ffff-ffffffffffff", "started_at >= $2")
            }
        };
        format!(
            "s.{far} AND (s.started_at, s.id) {beyond} (
                SELECT k.started_at, k.id FROM sleep_session k
                WHERE k.user_id = $1 AND k.{far} AND (k.started_at, k.id) {beyond} ({near}, '{outermost}'::uuid)
                ORDER BY k.started_at {direction}, k.id {direction} OFFSET $4 LIMIT 1)"
        )
    }
}

#[cfg(test)]
mod tests;
