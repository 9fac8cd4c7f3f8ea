//! Lists a user's sessions by date of waking up.

use super::Nights;
use crate::ports::storage::{PackedPart, PackedSleepRow, SleepPage, SleepPageQuery, StorageError};
use chrono::{NaiveDate, TimeDelta};
use domain::id::UserId;
use domain::paging::{PageNumber, PageRequest, PageSize, SortDirection};
use domain::read_tally::RequestedRange;
use domain::sleep::packed::{InvalidPacked, MetricWalk, StageWalk};
use domain::sleep::regularity::{KnownState, Recording};
use domain::sleep::trend::{SleepSpan, mark_naps};
use domain::sleep::{MetricKind, MetricValue, TimeInBed, local_date};
use domain::time::{DateRange, TimeZone, UtcOffset};
use std::cmp::Reverse;
use std::time::Duration;

/// Query for the sessions of some dates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NightsQuery {
    /// Owner's id.
    pub user_id: UserId,
    /// First date of waking up.
    pub first: NaiveDate,
    /// Last date of waking up.
    pub last: NaiveDate,
    /// The person's zone, of the dates of nights without a zone.
    pub zone: TimeZone,
    /// Whether to return the times asleep and awake.
    pub with_states: bool,
    /// Maximum number of sessions.
    pub limit: PageSize,
}

impl NightsQuery {
    /// Returns the range of the dates.
    pub fn requested_range(&self) -> RequestedRange {
        let Self { first, last, zone, .. } = *self;
        RequestedRange { from: Some(zone.first_instant_of(first)), to: Some(zone.last_instant_of(last)) }
    }

    /// Returns the query of a page that contains the sessions of the dates; `None` if the range is empty.
    pub fn page(&self) -> Option<SleepPageQuery> {
        let Self { user_id, first, last, zone: _, with_states, limit } = *self;
        // A session that ends on the first date may have started a whole session before. A date begins and
        // ends in the zones of the nights, up to an offset earlier or later than in UTC.
        let longest = TimeDelta::milliseconds(TimeInBed::MAX_MILLIS);
        let zones = TimeDelta::seconds(UtcOffset::MAX_SECONDS.into());
        let start = TimeZone::UTC.first_instant_of(first).checked_sub_signed(longest + zones);
        let end = TimeZone::UTC.last_instant_of(last).checked_add_signed(zones);
        let range = DateRange::new(start, end).ok()?;
        let page = PageRequest { number: PageNumber::FIRST, size: limit, sort: SortDirection::Descending };
        Some(SleepPageQuery { user_id, range, page, with_stages: with_states, with_metrics: true })
    }

    /// Returns the sessions of the page that end on the dates, latest date first, and whether earlier ones
    /// are missing.
    pub fn select(&self, page: SleepPage) -> (Vec<PackedSleepRow>, bool) {
        let SleepPage { mut rows, has_more } = page;
        let date = |row: &PackedSleepRow| row.waking_date(self.zone);
        let is_cut = has_more && rows.last().is_some_and(|row| date(row) >= self.first);
        rows.retain(|row| (self.first..=self.last).contains(&date(row)));
        rows.sort_by_key(|row| Reverse(date(row)));
        (rows, is_cut)
    }
}

/// Sessions of some dates.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NightList {
    /// Sessions by date of waking up, then by start, latest first.
    pub recordings: Vec<Recording>,
    /// Whether earlier sessions of these dates were left out, because there are more than the limit.
    pub is_cut: bool,
}

impl Nights {
    /// Returns today's date in a zone.
    pub fn today(&self, zone: TimeZone) -> NaiveDate {
        local_date(self.store.now().timestamp_millis(), zone)
    }

    /// Returns the sessions whose dates of waking up are in the range.
    pub async fn list(&self, query: NightsQuery) -> Result<NightList, StorageError> {
        let Some(page) = query.page() else { return Ok(NightList::default()) };
        let (rows, is_cut) = query.select(self.reader.page(page).await?);
        let recordings = recordings(&rows, query.zone)?;
        Ok(NightList { recordings, is_cut })
    }

    /// Returns the date of waking up of the session that started last, if there is one.
    pub async fn latest(&self, user_id: UserId, zone: TimeZone) -> Result<Option<NaiveDate>, StorageError> {
        Ok(self.find_latest(user_id).await?.map(|row| row.waking_date(zone)))
    }

    /// Returns the date of waking up of the session that started first, if there is one.
    pub async fn earliest(&self, user_id: UserId, zone: TimeZone) -> Result<Option<NaiveDate>, StorageError> {
        Ok(self.find_end(user_id, SortDirection::Ascending).await?.map(|row| row.waking_date(zone)))
    }

    /// Returns the session that started last, if there is one.
    pub async fn find_latest(&self, user_id: UserId) -> Result<Option<PackedSleepRow>, StorageError> {
        self.find_end(user_id, SortDirection::Descending).await
    }

    async fn find_end(
        &self,
        user_id: UserId,
        sort: SortDirection,
    ) -> Result<Option<PackedSleepRow>, StorageError> {
        let Some(size) = PageSize::new(1) else { return Ok(None) };
        let page = PageRequest { number: PageNumber::FIRST, size, sort };
        let range = DateRange::default();
        let query = SleepPageQuery { user_id, range, page, with_stages: false, with_metrics: false };
        Ok(self.reader.page(query).await?.rows.into_iter().next())
    }
}

/// Decodes sessions with metrics, and marks their naps; `rows` has all sessions of each date in the zone.
pub fn recordings(rows: &[PackedSleepRow], zone: TimeZone) -> Result<Vec<Recording>, StorageError> {
    let mut recordings = rows.iter().map(recording).collect::<Result<Vec<_>, _>>()?;
    mark_naps(recordings.iter_mut().map(|recording| &mut recording.span).collect(), zone);
    Ok(recordings)
}

fn recording(row: &PackedSleepRow) -> Result<Recording, StorageError> {
    let asleep_millis = asleep_millis(&row.metrics).map_err(|_| row.corrupt(PackedPart::Metrics))?;
    let states = states(row.started_at_millis, &row.stages).map_err(|_| row.corrupt(PackedPart::Stages))?;
    let span = SleepSpan {
        id: row.id,
        source: row.source.clone(),
        start_millis: row.started_at_millis,
        end_millis: row.ended_at_millis,
        offset_at_end: row.offset_at_end,
        is_nap: row.is_nap,
        asleep_millis,
    };
    Ok(Recording { span, states })
}

fn states(start_millis: i64, stages: &[u8]) -> Result<Vec<KnownState>, InvalidPacked> {
    let mut known = Vec::new();
    for stage in StageWalk::new(start_millis, stages)? {
        let (stage, start, end) = stage?;
        known.extend(KnownState::of_stage(stage, start, end));
    }
    Ok(known)
}

fn asleep_millis(metrics: &[u8]) -> Result<Option<i64>, InvalidPacked> {
    for metric in MetricWalk::new(metrics)? {
        let (kind, value) = metric?;
        if kind == MetricKind::TimeNightAsleep {
            return Ok(Some(millis(value)));
        }
    }
    Ok(None)
}

/// Converts seconds of a metric to milliseconds, rounded half up.
fn millis(seconds: MetricValue) -> i64 {
    let exact = Duration::try_from_secs_f64(seconds.as_f64()).unwrap_or_default();
    let rounded = exact.saturating_add(Duration::from_micros(500)).as_millis();
    i64::try_from(rounded).unwrap_or(i64::MAX)
}
