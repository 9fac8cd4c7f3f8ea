//! The statement of a page of sleep sessions.

use application::ports::storage::SleepPageQuery;
use domain::paging::SortDirection;

/// What distinguishes the few texts of the statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SleepPageText {
    /// Which way the page is sorted.
    pub(super) sort: SortDirection,
    /// Whether the page begins where the range does, so that there is nothing to skip.
    pub(super) is_first: bool,
    /// Whether stages are read.
    pub(super) with_stages: bool,
    /// Whether metrics are read.
    pub(super) with_metrics: bool,
}

/// Which rows the first page has. `$4` is 0 and only named, so that `$5` is what it is on other pages.
const FIRST: &str = "s.started_at BETWEEN $2 AND $3 AND $4 = 0";

/// The state of the person's records, and whether the landmark is of it.
const KNOWN: &str = "WITH known AS MATERIALIZED (
        SELECT change_number, writer, change_number = $6 AND writer = $10 AS holds
        FROM (SELECT a.change_number, a.xmin::text::bigint AS writer FROM account a WHERE a.id = $1) AS state
    )";

/// The columns that tell the state.
const STATE: &str = ", (SELECT change_number FROM known), (SELECT writer FROM known)";

impl SleepPageText {
    pub(super) fn of(query: &SleepPageQuery) -> Self {
        Self {
            sort: query.page.sort,
            is_first: query.page.offset() == 0,
            with_stages: query.with_stages,
            with_metrics: query.with_metrics,
        }
    }

    /// Writes the statement: `$1` person, `$2` and `$3` range, `$4` rows to skip, `$5` rows to read, and for a later page
    /// a landmark: `$6` and `$10` its state, `$7` and `$8` its key, `$9` rows to skip from there.
    ///
    /// The page's first key is found on the primary key alone; then the rows follow from there by row
    /// comparison, which makes that key the point where the second scan enters the index. The bound of the range
    /// that the key already implies is left out, because the scan would enter the index at that one instead and
    /// walk over everything that was skipped. Columns that were not asked for are not read.
    ///
    /// The skip begins at the landmark while the person's records are still in the state of the landmark, and at the
    /// range's near end otherwise. The state is read by this same statement, so that state and rows are of one
    /// snapshot, on a standby as well. It is the number of changes and the transaction that wrote the account last: after
    /// a failover that lost writes, other ones get their numbers.
    pub(super) fn sql(self) -> String {
        let (known, state, start) = if self.is_first { ("", "", FIRST.to_owned()) } else { self.later() };
        let stages = if self.with_stages { "s.stages" } else { "''::bytea" };
        let metrics = if self.with_metrics { "s.metrics" } else { "''::bytea" };
        let direction = self.direction();
        format!(
            "{known} SELECT s.id, s.started_at, s.ended_at, s.offset_at_start, s.offset_at_end, s.source, s.is_nap,
                s.updated_at, {stages}, {metrics}{state}
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

    /// Writes what is known, the columns that tell the state, and which rows a later page has.
    fn later(self) -> (&'static str, &'static str, String) {
        let direction = self.direction();
        let (beyond, near, outermost, far) = match self.sort {
            SortDirection::Ascending => {
                (">=", "$2", "00000000-0000-0000-0000-000000000000", "started_at <= $3")
            }
            SortDirection::Descending => {
                ("<=", "$3", "ffffffff-ffff-ffff-ffff-ffffffffffff", "started_at >= $2")
            }
        };
        let start = format!(
            "s.{far} AND (s.started_at, s.id) {beyond} (
                SELECT k.started_at, k.id FROM sleep_session k
                WHERE k.user_id = $1 AND k.{far} AND (k.started_at, k.id) {beyond} (
                    SELECT CASE WHEN holds THEN $7 ELSE {near} END, CASE WHEN holds THEN $8 ELSE '{outermost}'::uuid END
                    FROM known)
                ORDER BY k.started_at {direction}, k.id {direction}
                OFFSET (SELECT CASE WHEN holds THEN $9 ELSE $4 END FROM known) LIMIT 1)"
        );
        (KNOWN, STATE, start)
    }
}

#[cfg(test)]
mod tests;
